"""The tree keeps every rule, and its drawing is of today. tests/tidy/tidy.py prints the same without pytest."""
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rules
from catalogue import Catalogue
from tidy import violations
from tree import Tree

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CLANG_FORMAT = "14."  # other versions lay out otherwise


def clang_format():
    if not shutil.which("clang-format"):
        return "missing"
    return subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout.split("version ")[1]


@pytest.fixture(scope="session")
def tree():
    return Tree(ROOT)


@pytest.fixture(scope="session")
def catalogue():
    return Catalogue(HERE / "rooms.toml")


@pytest.mark.parametrize("rule", rules.ALL)
def test_the_tree_keeps(rule, tree, catalogue):
    if rule == "formatted" and not clang_format().startswith(CLANG_FORMAT):
        pytest.skip(f"clang-format {CLANG_FORMAT}x is not here ({clang_format().strip()})")
    found = violations(tree, catalogue, [rule])
    assert not found, "\n" + "\n".join(map(str, found))


def test_the_drawing_of_the_rooms_is_of_today(tree, catalogue):
    sys.path.insert(0, str(ROOT / "docs"))
    from rooms import drawing, quoted, table

    advice = "docs/rooms.py --write makes it again"
    assert quoted((ROOT / "docs/architecture.md").read_text()) == table(tree, catalogue), advice
    assert (ROOT / "docs/rooms.svg").read_text() == drawing(tree, catalogue), advice
