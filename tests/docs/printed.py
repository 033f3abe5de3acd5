"""What a page says that commands print: its ```text blocks, against what the commands print now.

A block shows what the command block before it prints, or, under `<!-- printed by: COMMAND -->`, what that command does.
It may begin and end anywhere in the output. Left out in between is only what it says: a line `...` stands for any
lines, `...` at the end of a line for the rest of it. Times that a command took, digests and the widths of columns may
differ."""
import re
from typing import NamedTuple

BLOCK = re.compile(r"(?:<!-- (?P<note>not run|printed by): (?P<said>[^\n]*?) -->\n)?^```(?P<language>\w*)\n"
                   r"(?P<text>.*?)^```$", re.M | re.S)
MARK = "\x1eblock "
VARYING = [(re.compile(r"\bin \d+(?:\.\d+)? (?:s|min \d+ s|h \d+ min)(?= (?:\(|\.\.\.))"), "in TIME"),
           (re.compile(r"\(digest [^)]*\)"), "(digest DIGEST)")]


class Shown(NamedTuple):
    """A text block: where it stands, its lines, and the command that prints it or the number of its command block."""

    line: int
    text: str
    command: str
    block: int


def shown_in(page):
    """The text blocks of a page. Command blocks are counted as `pages.commands` has them."""
    found, ran = [], -1
    for match in BLOCK.finditer(page):
        line = page.count("\n", 0, match.start("text")) + 1
        if match["language"] in ("", "sh", "bash"):
            ran += match["note"] != "not run"
        elif match["language"] == "text":
            found.append(Shown(line, match["text"], match["said"] if match["note"] == "printed by" else "", ran))
    return found


def marked(texts):
    """A script that prints a mark before the output of each text."""
    return "\n".join(f"printf '\\036block {i}\\n'\n{text}" for i, text in enumerate(texts))


def parts_of(output):
    """The output of each text of `marked`."""
    return [part.partition("\n")[2] for part in output.split(MARK)[1:]]


def _plain(line):
    for pattern, word in VARYING:
        line = pattern.sub(word, line)
    return " ".join(line.split())


def _agree(shown, printed):
    if shown.endswith("..."):
        return printed.startswith(shown[:-3].rstrip())
    return shown == printed


def difference(text, output):
    """Nothing, or the first line of a shown text that the output does not have where it should."""
    wanted = [_plain(line) for line in text.splitlines() if line.strip()]
    printed = [_plain(line) for line in output.splitlines() if line.strip()]
    at, anywhere = 0, True
    for line in wanted:
        if line == "...":
            anywhere = True
            continue
        places = range(at, len(printed)) if anywhere else range(at, min(at + 1, len(printed)))
        place = next((i for i in places if _agree(line, printed[i])), None)
        if place is None:
            near = printed[at] if at < len(printed) and not anywhere else "not in the output"
            return f"the page has '{line}', the program: {near}"
        at, anywhere = place + 1, False
    return ""
