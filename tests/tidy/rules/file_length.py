"""No source has more than 600 lines."""
from tree import Violation

NAME = "file_length"
MOST = 600


def check(tree, catalogue):
    for path in tree.named(".cpp", ".hpp", ".py"):
        lines = tree.text(path).count("\n")
        if lines > MOST:
            yield Violation(path, MOST + 1, NAME, f"{lines} lines: split the file, {MOST} are the most")
