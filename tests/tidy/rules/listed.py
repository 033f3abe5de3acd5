"""The CMakeLists.txt of its folder or of a folder above names every .cpp; another file includes every header."""
import re
from pathlib import PurePosixPath

from tree import Violation, stem

NAME = "listed"


def check(tree, catalogue):
    included = {name for path in tree.production for _, name in tree.includes(path) if stem(path) != stem(name)}
    for path in tree.production:
        if path.endswith(".cpp") and not any(names(tree, lists, path) for lists in above(path)):
            text = "no CMakeLists.txt names this file: add it to the library of its module"
            yield Violation(path, 1, NAME, text, path)
        if path.endswith(".hpp") and path not in included:
            yield Violation(path, 1, NAME, "no file except its own .cpp includes this header: remove it", path)


def above(path):
    return [str(parent / "CMakeLists.txt").removeprefix("./") for parent in PurePosixPath(path).parents]


def names(tree, lists, path):
    if lists not in tree.files:
        return False
    relative = PurePosixPath(path).relative_to(PurePosixPath(lists).parent)
    return re.search(rf"(?<![\w/.-]){re.escape(str(relative))}(?![\w/.-])", re.sub(r"#.*", "", tree.text(lists)))
