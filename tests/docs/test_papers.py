"""docs/generated/papers.md has what its commands print."""
import os
import subprocess
import sys

from conftest import ROOT


def test_the_page_has_what_its_commands_print():
    words = [sys.executable, "-B", ROOT / "docs/make_papers.py", os.environ["PIMDSE"], "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
