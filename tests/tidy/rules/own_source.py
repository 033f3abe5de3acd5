"""The functions that a header declares are defined in its own .cpp."""
import re
from collections import defaultdict

from tree import Violation, stem

NAME = "own_source"


def check(tree, catalogue):
    homes = homes_of(tree)
    for path in (p for p in tree.production if p.endswith(".hpp")):
        strangers = defaultdict(list)
        for d in tree.declarations(path):
            if to_be_defined(d) and not homes[key(d)] & {path, stem(path) + ".cpp"}:
                strangers[tuple(sorted(homes[key(d)]))].append(d)
        for places, found in strangers.items():
            yield Violation(path, found[0].line, NAME, advice(path, places, found), " ".join(places))


def homes_of(tree):
    homes = defaultdict(set)
    for path in tree.production:
        for d in tree.declarations(path):
            if d.kind == "function" and (d.defined or d.head.endswith("= default")):
                homes[key(d)].add(path)
    return homes


def key(d):
    """The full name, with enclosing namespaces and with qualifiers."""
    return *d.inside, *d.owner, re.sub(r"\s", "", d.name)


def to_be_defined(d):
    return d.kind == "function" and not d.defined and not re.search(r"=\s*(0|default|delete)$", d.head)


def advice(path, places, found):
    names = ", ".join(dict.fromkeys("::".join((*d.owner, d.name)) for d in found))
    if not places:
        return f"no file defines {names}: remove the declaration"
    return f"{', '.join(places)} defines {names}: declare it in a header of that name, or merge the files"
