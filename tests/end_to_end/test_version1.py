"""What version 0.1.0 wrote is read as it was: a sealed file and the journal of a run that was killed."""
import gzip
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from conftest import refused

DATA = Path(os.environ["PIMDSE_ROOT"]) / "tests" / "data" / "version1"


@pytest.fixture
def old(pimdse):
    shutil.copy(DATA / "space.toml", pimdse.folder / "space.toml")
    (pimdse.folder / "old.h5").write_bytes(gzip.decompress((DATA / "result.h5.gz").read_bytes()))
    shutil.copy(DATA / "result.h5.journal", pimdse.folder / "killed.h5.journal")
    return pimdse


def contents(old):
    return {path.name: path.read_bytes() for path in old.folder.iterdir()}


def test_a_file_has_the_front_that_it_had(old):
    assert (len(old.json("front", "old.h5")["front"]), old.json("front", "old.h5")["points"]) == (2, 288)
    assert old.json("merge", "old.h5", "-o", "rewritten.h5")["digest"].startswith("a705d5bfc0d1")
    assert old.json("diff", "old.h5", "rewritten.h5")["equal"]
    assert old.json("front", "rewritten.h5")["front"] == old.json("front", "old.h5")["front"]


def test_a_file_of_an_architecture_that_has_changed_is_told_from_a_damaged_one(old):
    done = old("verify", "old.h5", "--format", "json")
    said = json.loads(done.stdout)
    assert done.returncode == 8 and not said["holds"] and len(said["problems"]) == 1
    assert re.fullmatch(r"models/\S+\.toml", said["changed_input"])
    refused(old("verify", "old.h5"), 8, said["changed_input"], "old.h5")


def test_a_file_is_not_gone_on_with_by_another_program(old):
    before = contents(old)
    refused(old("explore", "space.toml", "-o", "old.h5", "--resume", "--progress", "none"), 3, "old.h5")
    assert contents(old) == before


def test_a_journal_is_read_and_not_gone_on_with_by_another_program(old):
    before = contents(old)
    assert json.loads(old("watch", "killed.h5", "--once", "--format", "json").stdout)["answered"] > 10
    options = ("--fidelity", "cycle", "--set", "elements=3000000", "--resume", "--progress", "none")
    refused(old("explore", "space.toml", "-o", "killed.h5", *options), 3, "killed.h5.journal")
    assert contents(old) == before
