"""Models and pages cite primary sources for numbers; a number from memory or hearsay is marked as assumed."""
import re

from tree import Violation

NAME = "provenance"
HEARSAY = re.compile(r"\brecalled\b|\bseen\s+(?:via|in)\s+(?:a\s+)?search\b|"
                     r"\bas\s+(?:others|somebody)\s+(?:quote|say)s?\b|"
                     r"\bnot\s+(?:at|to)\s+hand\b|\bat\s+second[ -]hand\b|\bsecond-hand\b|"
                     r"\bverify\s+before\s+use\b|\btranscribed\s+by\s+others\b", re.I)
ADVICE = "name the primary source, or write assumed = true with the reason and a range"


def check(tree, catalogue):
    for path in tree.named(".toml", ".md", ".cpp", ".hpp", under=("models", "docs", "spaces")) + ["README.md"]:
        if path not in tree.files:
            continue
        text = tree.text(path)
        for found in HEARSAY.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            phrase = " ".join(found.group(0).split())
            yield Violation(path, line, NAME, f"'{phrase}' is not a source: {ADVICE}", phrase)
