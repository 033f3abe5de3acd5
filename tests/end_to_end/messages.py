#!/usr/bin/python3
"""Runs the commands of message_cases.py, and keeps what they print in messages.golden.

tests/end_to_end/messages.py          compares; prints the difference and exits with 1 where there is one
tests/end_to_end/messages.py --write  writes messages.golden anew, from build/run (or $PIMDSE and $PIMDSE_WORKBENCH)"""
import difflib
import os
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "messages.golden"
BUILD = HERE.parents[1] / "build" / "run"
os.environ.setdefault("PIMDSE", str(BUILD / "pimdse"))
os.environ.setdefault("PIMDSE_WORKBENCH", str(BUILD / "tests/workbench/pimdse_workbench"))
os.environ.setdefault("PIMDSE_ROOT", str(HERE.parents[1]))
sys.path[:0] = [str(HERE), str(HERE.parent)]

from bad_input import data_with  # noqa: E402
from conftest import ROOT, Runner  # noqa: E402
from message_cases import CASES  # noqa: E402

HEAD = "# Written by tests/end_to_end/messages.py --write: id (exit code), then what is printed.\n"
DATA = {"PIMDSE_DATA": str(ROOT)}
MADE = {"quick.h5": (), "ladder.h5": ("--strategy", "ladder")}


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


def golden_text(outcomes):
    texts = [HEAD]
    for name in sorted(CASES):
        done = outcomes[name]
        lines = re.sub(r"(?m)^(?=.)", "    ", done.stdout * CASES[name].prints + done.stderr).rstrip("\n")
        texts.append(f"{name} ({done.returncode})\n{lines}\n")
    return "".join(texts)


def difference(outcomes):
    """What differs from the recorded messages, as lines."""
    recorded = GOLDEN.read_text() if GOLDEN.exists() else ""
    return "".join(difflib.unified_diff(recorded.splitlines(True), golden_text(outcomes).splitlines(True),
                                        "recorded", "printed", n=1))


def main(words):
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Outcomes(Path(folder))
        if words == ["--write"]:
            GOLDEN.write_text(golden_text(outcomes))
            return 0
        print(difference(outcomes), end="")
        return int(bool(difference(outcomes)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
