"""What version 0.1.0 wrote is read as it was: a sealed file and the journal of a run that was killed."""
import gzip
import json
import os
import re
import shutil
from pathlib import Path

import pytest

DATA = Path(os.environ["PIMDSE_ROOT"]) / "tests" / "data" / "version1"


@pytest.fixture
def old(pimdse):
    shutil.copy(DATA / "space.toml", pimdse.folder / "space.toml")
    (pimdse.folder / "old.h5").write_bytes(gzip.decompress((DATA / "result.h5.gz").read_bytes()))
    shutil.copy(DATA / "result.h5.journal", pimdse.folder / "killed.h5.journal")
    return pimdse


def contents(old):
    return {path.name: path.read_bytes() for path in old.folder.iterdir()}


def test_a_file_says_what_it_said(old):
    assert "2 on the front of 288 points" in old.ok("front", "old.h5")
    assert json.loads(old.ok("merge", "old.h5", "-o", "rewritten.h5", "--format", "json"))["digest"].startswith(
        "a705d5bfc0d1"
    )
    assert "equal" in old.ok("diff", "old.h5", "rewritten.h5")
    assert "2 on the front of 288 points" in old.ok("front", "rewritten.h5")


def test_a_file_of_an_architecture_that_has_changed_is_told_from_a_damaged_one(old):
    done = old("verify", "old.h5")
    assert done.returncode == 8 and "the architecture has other parameters now" in done.stdout
    assert re.fullmatch(r"pimdse: models/\S+\.toml has changed since old\.h5 was written\n", done.stderr)


def test_a_file_is_not_gone_on_with_by_another_program(old):
    before = contents(old)
    refused = old("explore", "space.toml", "-o", "old.h5", "--resume", "--progress", "none")
    assert refused.returncode == 3 and "old.h5: belongs to another space" in refused.stderr
    assert contents(old) == before


def test_a_journal_is_read_and_not_gone_on_with_by_another_program(old):
    before = contents(old)
    assert json.loads(old("watch", "killed.h5", "--once", "--format", "json").stdout)["answered"] > 10
    options = ("--fidelity", "cycle", "--set", "elements=3000000", "--resume", "--progress", "none")
    refused = old("explore", "space.toml", "-o", "killed.h5", *options)
    assert refused.returncode == 3 and "killed.h5.journal belongs to another space" in refused.stderr
    assert contents(old) == before
