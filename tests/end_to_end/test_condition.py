"""`pimdse condition`: the tree of a condition or formula on the columns of a file or a space."""
import json
import os
import subprocess

import pytest
from conftest import PIMDSE, ROOT, refused

QUICK = ROOT / "spaces/quick.toml"


@pytest.fixture
def quick(pimdse):
    pimdse.ok("explore", QUICK, "-o", "quick.h5", "--progress", "none")
    return pimdse


def tree(pimdse, *words):
    return json.loads(pimdse.ok("condition", *words))


def test_a_file_and_its_space_have_the_same_trees(quick):
    text = "latency.upper <= 2 ms and not (channels == 8 or loop_hardware == on)"
    found = tree(quick, "quick.h5", text)
    assert found == tree(quick, QUICK, text) == tree(quick, "quick", text)
    assert found == {"condition": text, "tree": [
        "and", ["<=", {"metric": "latency", "end": "upper"}, 0.002],
        ["not", ["or", ["==", {"parameter": "channels"}, 8], ["==", {"parameter": "loop_hardware"}, "on"]]]]}
    assert tree(quick, "--", "quick.h5", "-latency < 0")["tree"] == ["<", ["-", {"metric": "latency"}], 0]


def test_a_formula_also_has_its_unit_and_directions(quick):
    found = tree(quick, "quick.h5", "maximize energy / latency", "--objective")
    assert found == {"objective": "maximize energy / latency", "unit": "W", "better": "maximize",
                     "directions": {"latency": -1, "energy": 1},
                     "tree": ["/", {"metric": "energy"}, {"metric": "latency"}]}


def test_columns_of_one_machine_are_resolved(pimdse):
    found = tree(pimdse, "which_machine", "machine == umdam and umdam.channels >= 4")["tree"]
    assert found == ["and", ["==", {"parameter": "machine"}, "umdam"], [">=", {"parameter": "umdam.channels"}, 4]]


@pytest.mark.parametrize("text", ["latncy <= 1 s", "latency <= 1 J", "channels ==", "vlen"])
def test_a_mistake_is_that_of_where(quick, text):
    done = quick("condition", "quick.h5", text)
    refused(done, 3, text)
    assert done.stderr == quick("front", "quick.h5", "--where", text).stderr


def test_other_mistakes_are_refused(quick):
    refused(quick("condition", "none.h5", "true"), 4, "none.h5")
    refused(quick("condition", "quick.h5"), 2, "expression")
    refused(quick("condition", "quick.h5", "latency < 1 s", "--objective"), 3, "latency < 1 s")
    (quick.folder / "text.h5").write_text("hello")
    refused(quick("condition", "text.h5", "true"), 3, "text.h5")


def test_every_rank_of_a_launcher_prints_it():
    """A script under mpirun may ask on any rank."""
    done = subprocess.run([PIMDSE, "condition", QUICK, "true"], capture_output=True, text=True,
                          env={**os.environ, "OMPI_COMM_WORLD_RANK": "1"})
    assert json.loads(done.stdout)["tree"] == 1
