"""No line is longer than 120 columns."""
from tree import Violation

NAME = "columns"
LIMIT = 120


def check(tree, catalogue):
    for path in tree.named(".cpp", ".hpp", ".py", "CMakeLists.txt", ".cmake", ".sh", ".sbatch"):
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            if len(line) > LIMIT:
                yield Violation(path, number, NAME, f"the line has {len(line)} columns; the limit is {LIMIT}: break it")
