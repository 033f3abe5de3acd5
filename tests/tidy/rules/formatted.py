"""The layout of sources is that of clang-format."""
import re
import subprocess
from collections import Counter

from tree import Violation

NAME = "formatted"
FOUND = re.compile(r"^(\S+?):(\d+):\d+: error: code should be clang-formatted", re.M)


def check(tree, catalogue):
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *tree.sources], cwd=tree.root, capture_output=True,
                          text=True)
    places = FOUND.findall(done.stderr)
    if done.returncode and not places:
        raise RuntimeError(done.stderr)
    count, first = Counter(path for path, _ in places), dict(reversed(places))
    for path in sorted(count):
        text = f"clang-format changes {count[path]} places: run clang-format -i {path}"
        yield Violation(path, int(first[path]), NAME, text)
