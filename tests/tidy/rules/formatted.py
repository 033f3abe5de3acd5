"""Sources are what clang-format makes of them."""
import re
import subprocess
from collections import Counter

from tree import Violation

NAME = "formatted"
FOUND = re.compile(r"^(\S+?):(\d+):\d+: error: code should be clang-formatted", re.M)


def check(tree, catalogue):
    said = subprocess.run(["clang-format", "--dry-run", "-Werror", *tree.sources], cwd=tree.root, capture_output=True,
                          text=True)
    places = FOUND.findall(said.stderr)
    if said.returncode and not places:
        raise RuntimeError(said.stderr)
    count, first = Counter(path for path, _ in places), dict(reversed(places))
    for path in sorted(count):
        text = f"{count[path]} places differ from .clang-format: clang-format -i {path}"
        yield Violation(path, int(first[path]), NAME, text)
