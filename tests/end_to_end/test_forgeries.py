"""Forged files, digest, front and counts included, that verify refuses. The campaign tries every one of them."""
import os

import pytest

from conftest import CAMPAIGN, Runner
from forgeries import FORGERIES, SPACES, explored, forge

MISMATCH = 8
TRIED = [one for one in FORGERIES if one.quick or CAMPAIGN]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    runner = Runner(tmp_path_factory.mktemp("honest"), os.environ["PIMDSE"])
    for name in {forgery.space for forgery in TRIED}:
        explored(runner, name)
    return runner


@pytest.mark.parametrize("name", [name for name in SPACES if name in {one.space for one in TRIED}])
def test_honest_files_hold(honest, name):
    said = honest.json("verify", f"{name}.h5")
    assert said["holds"] and said["all_rows"] and said["evaluated_again"] == said["rows"]


@pytest.mark.parametrize("forgery", TRIED, ids=lambda forgery: forgery.what)
def test_a_forgery_is_noticed(honest, forgery):
    done = honest("verify", forge(honest, forgery))
    assert done.returncode == MISMATCH, (done.stdout, done.stderr)
    assert done.stdout and "is consistent" not in done.stdout
