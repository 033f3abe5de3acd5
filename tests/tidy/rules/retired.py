"""Words that were given up for those of the field, in sources (names of files and types, comments) and documents."""
import re

from tree import Violation

NAME = "retired"


def check(tree, catalogue):
    words = {word: better for word, better in catalogue["retired"].items()}
    if not words:
        return
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, words)) + r")\b")
    for path in [*tree.sources, *tree.named(".md", under=("docs", "models", "sim"))]:
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            for found in pattern.finditer(line):
                yield Violation(path, number, NAME, f"{found[1]} was given up: {words[found[1]]}", found[1])
