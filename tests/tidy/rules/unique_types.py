"""The name of a type is unique in its layer. The types that every architecture has are unique in theirs."""
from collections import defaultdict

from tree import LAYERS, Violation

NAME = "unique_types"


def check(tree, catalogue):
    plan = set(catalogue["plan"].get("types", []))
    for layer in LAYERS:
        for name, places in sorted(types_of(tree, layer).items()):
            if len(places) > 1 and not (name in plan and one_each(places)):
                others = ", ".join(f"{p}:{n}" for p, n in places[1:])
                yield Violation(*places[0], NAME, f"{others} also defines the type {name}: rename one of them", name)


def types_of(tree, layer):
    found = defaultdict(dict)
    for path in (p for p in tree.production if p.startswith(layer + "/")):
        for d in tree.declarations(path):
            if is_shared(d, path):
                found[d.name].setdefault(path, d.line)
    return {name: list(places.items()) for name, places in found.items()}


def is_shared(d, path):
    """Whether other files can see the type: nested types and the aliases of a .cpp do not count."""
    return not d.owner and (d.kind in ("type", "enum") or d.kind == "alias" and path.endswith(".hpp"))


def one_each(places):
    """Whether each place is in the folder of a different architecture."""
    homes = [path.split("/")[1] for path, _ in places if path.count("/") >= 2]
    return len(homes) == len(places) == len(set(homes)) and "contract" not in homes
