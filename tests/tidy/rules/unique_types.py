"""A type's name is unique in its layer; the names of the common floor plan are unique in their architecture."""
from collections import defaultdict

from tree import LAYERS, Violation

NAME = "unique_types"


def check(tree, catalogue):
    plan = set(catalogue["plan"].get("types", []))
    for layer in LAYERS:
        for name, places in sorted(types_of(tree, layer).items()):
            if len(places) > 1 and not (name in plan and one_each(places)):
                others = ", ".join(f"{p}:{n}" for p, n in places[1:])
                yield Violation(*places[0], NAME, f"{name} is also a type of {others}: one name, one idea", name)


def types_of(tree, layer):
    found = defaultdict(dict)
    for path in (p for p in tree.production if p.startswith(layer + "/")):
        for d in tree.declarations(path):
            if named_for_others(d, path):
                found[d.name].setdefault(path, d.line)
    return {name: list(places.items()) for name, places in found.items()}


def named_for_others(d, path):
    """Not within a class, and no short name that a .cpp gives something for itself."""
    return not d.owner and (d.kind in ("type", "enum") or d.kind == "alias" and path.endswith(".hpp"))


def one_each(places):
    """Each place is in another architecture's folder."""
    homes = [path.split("/")[1] for path, _ in places if path.count("/") >= 2]
    return len(homes) == len(places) == len(set(homes)) and "contract" not in homes
