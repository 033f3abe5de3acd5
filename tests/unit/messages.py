#!/usr/bin/python3
"""Keeps messages.golden, the texts behind `says("id")` in unit tests.

tests/unit/messages.py          compares the ids of sources and of messages.golden; exits with 1 where they differ
tests/unit/messages.py --write  runs the tests that name messages, from build/run (or $PIMDSE_BUILD), and writes them"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "messages.golden"
BUILD = Path(os.environ.get("PIMDSE_BUILD", HERE.parents[1] / "build" / "run")) / "tests" / "unit"
HEAD = "# Written by tests/unit/messages.py --write: suite and id, then the message.\n"
TEST = re.compile(r"^TEST(?:_[FP])?\((\w+),|\b(?:says|list)\(\"([^\"]+)\"\)", re.M)


def named_in_sources():
    """Suite.id of every message that a test names."""
    names = set()
    for file in HERE.rglob("*_test.cpp"):
        suite = None
        for found in TEST.finditer(file.read_text()):
            suite = found[1] or suite
            if found[2]:
                names.add(f"{suite}.{found[2]}")
    return names


def read(text):
    """{Suite.id: set of texts}"""
    texts = {}
    for entry in re.findall(r"^(?! |#)(.+)\n((?:    .*\n)*)", text, re.M):
        texts.setdefault(entry[0], set()).add(entry[1])
    return texts


def recorded(names):
    suites = sorted({name.split(".")[0] for name in names})
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "messages"
        record.touch()
        for program in sorted(BUILD.rglob("unit_*")):
            if program.is_file() and os.access(program, os.X_OK) and not program.suffix:
                filters = ":".join(f"{suite}.*:*/{suite}.*" for suite in suites)
                subprocess.run([program, f"--gtest_filter={filters}", "--gtest_brief=1"], check=True, cwd=folder,
                               env={**os.environ, "PIMDSE_RECORD_MESSAGES": str(record)}, stdout=subprocess.DEVNULL)
        return read(record.read_text())


def main():
    names = named_in_sources()
    texts = recorded(names) if "--write" in sys.argv else read(GOLDEN.read_text())
    wrong = [f"{name}: no test records it" for name in sorted(names - set(texts))]
    wrong += [f"{name}: no test names it" for name in sorted(set(texts) - names)]
    if "--write" in sys.argv:
        GOLDEN.write_text(HEAD + "".join(f"{name}\n{text}" for name in sorted(texts) for text in sorted(texts[name])))
    print("\n".join(wrong) or f"{len(texts)} messages")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
