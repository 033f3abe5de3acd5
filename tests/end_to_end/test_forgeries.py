"""What each checker of certificates notices of forged files; docs/forgeries.md has the same as a table."""
import os
import sys

import pytest

from conftest import ROOT, Runner, holds
from forgeries import FORGERIES, SPACES, explored, forge
from ladder_bench import checked

sys.path.insert(0, str(ROOT / "docs"))
from make_forgeries import table  # noqa: E402  (made by the script that the documentation names)

MISMATCH = 8


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    runner = Runner(tmp_path_factory.mktemp("honest"), os.environ["PIMDSE"])
    for name in SPACES:
        explored(runner, name)
    return runner


@pytest.mark.parametrize("name", SPACES)
def test_honest_files_hold(honest, name):
    said = holds(honest, f"{name}.h5")
    assert said["all_rows"] and said["evaluated_again"] == said["rows"]
    for words in ((), ("--alone",)):
        done = checked(honest, f"{name}.h5", *words)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.what)
def test_a_forgery_is_noticed(honest, forgery):
    name = forge(honest, forgery)
    done = honest("verify", name)
    assert done.returncode == MISMATCH, (done.stdout, done.stderr)
    alone = checked(honest, name, "--alone")
    assert alone.returncode == (MISMATCH if forgery.alone else 0), (alone.stdout, alone.stderr)
    if not forgery.alone:  # else it does not come to ask the program
        assert checked(honest, name).returncode == MISMATCH


def test_the_table_is_that_of_the_documentation():
    assert table({forgery.what: (forgery.alone, True, True) for forgery in FORGERIES}) in (
        ROOT / "docs" / "forgeries.md"
    ).read_text()


def test_without_the_program_the_checker_names_the_flag_for_that(honest):
    done = checked(honest, "front.h5", "--program", "no-such-program")
    assert done.returncode == 4 and "--alone" in done.stderr and done.stderr.count("\n") == 1
