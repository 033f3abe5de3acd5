"""No source has more than 600 lines."""
from tree import Violation

NAME = "file_length"
LIMIT = 600


def check(tree, catalogue):
    for path in tree.named(".cpp", ".hpp", ".py"):
        lines = tree.text(path).count("\n")
        if lines > LIMIT:
            yield Violation(path, LIMIT + 1, NAME, f"the file has {lines} lines; the limit is {LIMIT}: split it")
