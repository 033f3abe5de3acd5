"""What version 0.1.0 wrote is read as it was: a sealed file and the journal of a run that was killed."""
import gzip
import json
import os
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


def test_a_file_says_what_it_said(old):
    assert "2 on the front of 288 points" in old.ok("front", "old.h5")
    old.ok("verify", "old.h5", "--sample", 288)
    old.ok("explore", "space.toml", "-o", "new.h5", "--progress", "none")
    assert "equal" in old.ok("diff", "old.h5", "new.h5")
    assert json.loads(old.ok("merge", "old.h5", "-o", "rewritten.h5", "--format", "json"))["digest"].startswith(
        "a705d5bfc0d1"
    )
    assert "equal" in old.ok("diff", "old.h5", "rewritten.h5")


def test_a_file_is_not_gone_on_with_by_another_program(old):
    refused = old("explore", "space.toml", "-o", "old.h5", "--resume", "--progress", "none")
    assert refused.returncode == 8 and "was different when the answers of old.h5 were computed" in refused.stderr


def test_a_journal_is_resumed(old):
    answered = json.loads(old("watch", "killed.h5", "--once", "--format", "json").stdout)["answered"]
    assert answered > 10
    done = old.ok(
        "explore",
        "space.toml",
        "-o",
        "killed.h5",
        "--fidelity",
        "cycle",
        "--set",
        "elements=3000000",
        "--resume",
        "--progress",
        "none",
    )
    assert f"{answered} remembered" in done
    old.ok(
        "explore",
        "space.toml",
        "-o",
        "new.h5",
        "--fidelity",
        "cycle",
        "--set",
        "elements=3000000",
        "--progress",
        "none",
    )
    assert "equal" in old.ok("diff", "killed.h5", "new.h5")
