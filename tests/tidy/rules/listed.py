"""Every .cpp of a room is named by the CMakeLists.txt of its folder or of one above; every header is included."""
import re
from pathlib import PurePosixPath

from tree import Violation, stem

NAME = "listed"


def check(tree, catalogue):
    included = {name for path in tree.production for _, name in tree.includes(path) if stem(path) != stem(name)}
    for path in tree.production:
        if path.endswith(".cpp") and not any(names(tree, lists, path) for lists in above(path)):
            yield Violation(path, 1, NAME, "no CMakeLists.txt names it: add it to its room's library", path)
        if path.endswith(".hpp") and path not in included:
            yield Violation(path, 1, NAME, "nobody but its own .cpp includes it: take it out", path)


def above(path):
    return [str(parent / "CMakeLists.txt").removeprefix("./") for parent in PurePosixPath(path).parents]


def names(tree, lists, path):
    if lists not in tree.files:
        return False
    relative = PurePosixPath(path).relative_to(PurePosixPath(lists).parent)
    return re.search(rf"(?<![\w/.-]){re.escape(str(relative))}(?![\w/.-])", re.sub(r"#.*", "", tree.text(lists)))
