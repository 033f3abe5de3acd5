"""Commands of a page: its fenced blocks, as printed."""
import re
from typing import NamedTuple

BLOCK = re.compile(r"(?:<!-- not run: (?P<why>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)


class Block(NamedTuple):
    """One fenced block; `why` says why it is not run, where it is not."""

    line: int
    language: str
    text: str
    why: str


def blocks(path):
    page = path.read_text(encoding="utf-8")
    return [Block(page.count("\n", 0, m.start("text")) + 1, m["language"], m["text"], m["why"])
            for m in BLOCK.finditer(page)]


def commands(path):
    """What a reader types into a shell, without what is marked."""
    return [block for block in blocks(path) if block.language in ("", "sh", "bash") and not block.why]


def programs(path):
    """What a reader types into Python."""
    return [block for block in blocks(path) if block.language == "python"]
