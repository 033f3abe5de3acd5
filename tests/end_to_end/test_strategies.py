"""Strategies that search: what their summary says, when they stop, and what they begin with."""
import json

import h5py
import pytest

SPACE = """schema = 1
architecture = "cim_mesh"
workload = { input = 128, output = 64 }
objectives = ["latency", "power"]
[parameters]
lora_rank = [0, 8, 64]
gating = ["srpg", "none"]
mesh_rows = { from = 16, to = 64, step = 4 }
mesh_cols = { from = 16, to = 64, step = 4 }
"""
QUIET = ("--progress", "none", "--format", "json")


@pytest.fixture
def space(pimdse):
    (pimdse.folder / "space.toml").write_text(SPACE)
    return "space.toml"


def explored(pimdse, space, name, *words):
    return json.loads(pimdse.ok("explore", space, "-o", name, *QUIET, *words))


def ids_in(pimdse, name):
    with h5py.File(pimdse.folder / name) as file:
        return set(file["point_id"][()].tolist())


def test_every_strategy_is_listed_with_its_use(pimdse):
    text = pimdse.ok("list", "strategies")
    assert "when to take it" in text and "not built" not in text
    for name in ("sweep", "random", "sobol", "ladder", "nsga2", "pls"):
        assert f"\n{name} " in text, name


def test_a_local_search_says_how_it_ended(pimdse, space):
    whole = explored(pimdse, space, "whole.h5", "--strategy", "pls")
    assert "a local optimum" in whole["ending"] and whole["points"] < 1014
    short = explored(pimdse, space, "short.h5", "--strategy", "pls", "--budget", 20)
    assert "no local optimum yet" in short["ending"] and short["points"] == 20


def test_searches_stop_when_nothing_is_gained(pimdse, space):
    for strategy in ("random", "nsga2"):
        done = explored(pimdse, space, f"{strategy}.h5", "--strategy", strategy, "--stop-after-no-gain", 60)
        assert "60 answers that added nothing" in done["ending"] and 60 < done["points"] < 1014
    done = pimdse("explore", space, "-o", "a.h5", "--strategy", "sweep", "--stop-after-no-gain", 5, *QUIET)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "'nsga2'" in done.stderr


@pytest.mark.parametrize("strategy", ["nsga2", "pls"])
def test_a_warm_start_begins_with_an_earlier_file(pimdse, space, strategy):
    explored(pimdse, space, "earlier.h5", "--strategy", "random", "--budget", 150)
    words = ("--strategy", strategy, "--budget", 40, "--warm-start", "earlier.h5")
    done = explored(pimdse, space, "later.h5", *words)
    assert done["evaluated"] == 40 and done["feasible"] + done["infeasible"] == 190
    assert ids_in(pimdse, "earlier.h5") < ids_in(pimdse, "later.h5")
    again = explored(pimdse, space, "later.h5", *words, "--resume")
    assert again["evaluated"] == 0 and again["digest"] == done["digest"]


def test_a_warm_start_that_does_not_suit_is_refused_in_one_sentence(pimdse, space):
    explored(pimdse, space, "earlier.h5", "--budget", 5)
    for words, code, say in [
        (("--strategy", "nsga2", "--warm-start", "none.h5"), 4, "none.h5"),
        (("--strategy", "nsga2", "--warm-start", "earlier.h5", "--set", "lora_rank=8"), 3, "another space"),
        (("--strategy", "nsga2", "--warm-start", "earlier.h5", "--fidelity", "cycle"), 3, "cycle fidelity"),
        (("--strategy", "random", "--warm-start", "earlier.h5"), 2, "'random'"),
    ]:
        done = pimdse("explore", space, "-o", "a.h5", *QUIET, *words)
        assert done.returncode == code and done.stderr.count("\n") == 1 and say in done.stderr, done.stderr
        assert not (pimdse.folder / "a.h5").exists() and not (pimdse.folder / "a.h5.journal").exists()
