"""No line is longer than 120 columns."""
from tree import Violation

NAME = "columns"
MOST = 120


def check(tree, catalogue):
    for path in tree.named(".cpp", ".hpp", ".py", "CMakeLists.txt", ".cmake", ".sh", ".sbatch"):
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if len(line) > MOST:
                yield Violation(path, number, NAME, f"{len(line)} columns: break the line before column {MOST}")
