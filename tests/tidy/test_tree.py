"""The tree keeps every rule, and the page of the modules is up to date. tests/tidy/tidy.py needs no pytest."""
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
CLANG_FORMAT = "14."  # other versions give other layouts


def clang_format():
    if not shutil.which("clang-format"):
        return "missing"
    return subprocess.run(["clang-format", "--version"], capture_output=True, text=True).stdout.split("version ")[1]


@pytest.fixture(scope="session")
def tree():
    return Tree(ROOT)


@pytest.fixture(scope="session")
def catalogue():
    return Catalogue(HERE / "modules.toml")


@pytest.mark.parametrize("rule", rules.ALL)
def test_the_tree_keeps(rule, tree, catalogue):
    if rule == "formatted" and not clang_format().startswith(CLANG_FORMAT):
        pytest.skip(f"clang-format {CLANG_FORMAT}x is not installed ({clang_format().strip()})")
    found = violations(tree, catalogue, [rule])
    assert not found, "\n" + "\n".join(map(str, found))


def test_the_table_and_the_drawing_of_the_modules_are_up_to_date(tree, catalogue):
    sys.path.insert(0, str(ROOT / "docs"))
    from modules import drawing, quoted, table

    advice = "run docs/modules.py --write"
    assert quoted((ROOT / "docs/architecture.md").read_text()) == table(tree, catalogue), advice
    assert (ROOT / "docs/modules.svg").read_text() == drawing(tree, catalogue), advice
