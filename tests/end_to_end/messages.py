"""Commands, mostly with bad input, and what they say: each has a stable id, its exit code and the facts that its
message must state: names of files, lines, parameters and flags, figures, suggestions; not its sentences."""
import csv
import io
import os
import re
import shlex
from dataclasses import dataclass, field

from bad_input import data_with
from conftest import ROOT, Runner

DATA = {"PIMDSE_DATA": str(ROOT)}
MADE = {"quick.h5": (), "ladder.h5": ("--strategy", "ladder", "--set", "batch=1")}


@dataclass(frozen=True)
class Case:
    words: list
    code: int
    facts: tuple                                # each is part of the message
    files: dict = field(default_factory=dict)   # name: content; "quick.h5" and "ladder.h5" are made where it is None
    data: tuple = ()                            # file of the data folder, pattern, replacement
    program: str = "PIMDSE"                     # the variable that holds the path of the program
    mistakes: int = 1                           # lines on standard error
    prints: bool = False                        # whether the message is on standard output


CASES = {}


def case(name, words, code, *facts, **more):
    assert name not in CASES, name
    CASES[name] = Case(shlex.split(words) if isinstance(words, str) else words, code, facts, **more)


def space(name, text, *facts, words="explore s.toml -o a.h5", code=3, **more):
    case(f"space.{name}", words, code, *facts, files={"s.toml": text}, **more)


def table(text, **cells):
    """The table of comma-separated values whose first row has other values in these cells."""
    rows = list(csv.DictReader(io.StringIO(text)))[:1]
    rows[0].update(cells)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return {"rows.csv": out.getvalue()}


class Outcomes:
    """Runs each case once, in a folder of its own."""

    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def made(self, name):
        """A result file of the space quick."""
        if not (self.folder / name).exists():
            Runner(self.folder).ok("explore", "quick", "-o", name, "--progress", "none", *MADE[name], env=DATA)
        return (self.folder / name).read_bytes()

    def __getitem__(self, name):
        if name not in self.known:
            self.known[name] = self.run(CASES[name], self.folder / name)
        return self.known[name]

    def run(self, case, folder):
        """The finished process, with names of folders replaced, and whether it changed any file."""
        folder.mkdir()
        files = {name: self.made(name) if content is None else content for name, content in case.files.items()}
        for name, content in files.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        env = data_with(folder, *case.data) if case.data else DATA
        names = {path.name for path in folder.iterdir()}
        done = Runner(folder, os.environ[case.program])(*case.words, env=env, timeout=60)
        for stream in ("stdout", "stderr"):
            text = getattr(done, stream).replace(f"{folder}/data/", "").replace(f"{folder}/", "")
            text = re.sub(r"(threads .*from 0 to )\d+", r"\1N", text)  # by the cores of the host
            setattr(done, stream, text.replace(f"{ROOT}/", ""))
        done.changed = names != {path.name for path in folder.iterdir()} or any(
            (folder / name).stat().st_size != len(content) for name, content in files.items())
        return done
