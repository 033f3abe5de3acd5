"""The files of the project. Each file is read once."""
import re
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import cpp

LAYERS = ("sim", "models", "dse")
TOP = (*LAYERS, "analysis", "cmake", "completions", "docs", "findings", "jobs", "spaces", "tests")


class Violation(NamedTuple):
    path: str
    line: int
    rule: str
    text: str
    what: str = ""  # the name or number in question, for exceptions

    def __str__(self):
        return f"{self.path}:{self.line}: [{self.rule}] {self.text}"


class Tree:
    def __init__(self, root):
        self.root = Path(root)

    @cached_property
    def files(self):
        """Every file except the outputs of builds, runs and Python."""
        found = [p for p in self.root.iterdir() if p.is_file()]
        for top in TOP:
            found += (p for p in (self.root / top).rglob("*") if p.is_file())
        names = (p.relative_to(self.root).as_posix() for p in found)
        return sorted(n for n in names if not re.search(r"(^|/)(__pycache__|build)/|\.(pyc|h5|journal)$", n))

    def named(self, *endings, under=()):
        folders = tuple(u + "/" for u in under) or ""
        return [f for f in self.files if f.endswith(endings) and f.startswith(folders)]

    @cached_property
    def sources(self):
        return self.named(".cpp", ".hpp")

    @cached_property
    def production(self):
        return self.named(".cpp", ".hpp", under=LAYERS)

    @lru_cache(maxsize=None)
    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    @lru_cache(maxsize=None)
    def code(self, path):
        return cpp.blank(self.text(path))

    @lru_cache(maxsize=None)
    def declarations(self, path):
        return cpp.declarations(self.text(path))

    @lru_cache(maxsize=None)
    def includes(self, path):
        """(line, file) of every include of a file of this project."""
        text = self.text(path)
        found = ((text.count("\n", 0, m.start()) + 1, m.group(2)) for m in cpp.INCLUDE.finditer(text))
        return [(line, name) for line, name in found if (self.root / name).is_file()]


def stem(path):
    return path.rsplit(".", 1)[0]


def folder(path):
    return path.rsplit("/", 1)[0] if "/" in path else "."
