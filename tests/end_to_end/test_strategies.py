"""Strategies that search: their summary, when they stop, and what they begin with."""
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


@pytest.fixture
def space(pimdse):
    (pimdse.folder / "space.toml").write_text(SPACE)
    return "space.toml"


def explored(pimdse, space, name, *words):
    return pimdse.json("explore", space, "-o", name, "--progress", "none", *words)


def ids_in(pimdse, name):
    with h5py.File(pimdse.folder / name) as file:
        return set(file["point_id"][()].tolist())


def test_every_strategy_is_listed_with_its_use(pimdse):
    strategies = pimdse.json("list", "strategies")
    assert [one["strategy"] for one in strategies] == ["sweep", "random", "sobol", "best", "ladder", "nsga2", "pls"]
    for column in ("what it does", "when to take it"):
        assert len({one[column] for one in strategies} - {""}) == 7


def test_a_local_search_ends_at_a_local_optimum_or_at_its_budget(pimdse, space):
    whole = explored(pimdse, space, "whole.h5", "--strategy", "pls")
    assert whole["points"] < 1014 and str(whole["front"]) in whole["ending"].split()
    short = explored(pimdse, space, "short.h5", "--strategy", "pls", "--budget", 20)
    assert short["points"] == 20 and short["ending"].partition(":")[0] != whole["ending"].partition(":")[0]


def test_searches_stop_when_nothing_is_gained(pimdse, space):
    for strategy in ("random", "nsga2"):
        done = explored(pimdse, space, f"{strategy}.h5", "--strategy", strategy, "--stop-after-no-gain", 60)
        assert "60" in done["ending"].split() and 60 < done["points"] < 1014


TIGHT = """schema = 1
architecture = "dplena"
objectives = ["latency", "area"]
[parameters]
vlen = { from = 64, to = 4096, times = 2 }
prefetch = { from = 1, to = 8 }
channels = { from = 1, to = 32, times = 2 }
batch = { from = 1, to = 16, times = 2 }
loop_hardware = ["off", "on"]
[[constraint]]
name = "fast"
expr = "latency <= 45 us"
[[constraint]]
name = "small"
expr = "area <= 77.7 mm2"
"""


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_genetic_search_finds_the_nine_points_that_meet_two_limits(pimdse, seed):
    (pimdse.folder / "tight.toml").write_text(TIGHT)
    words = ("--strategy", "nsga2", "--seed", seed)
    done = explored(pimdse, "tight.toml", "done.h5", *words, "--budget", 800)
    assert done["feasible"] == 9
    begun = pimdse("explore", "tight.toml", "-o", "later.h5", "--progress", "none", *words, "--budget", 150,
                   "--threads", 1)
    assert begun.returncode in (0, 6), begun.stderr  # it may have met no feasible point yet
    assert explored(pimdse, "tight.toml", "later.h5", *words, "--budget", 800, "--resume")["digest"] == done["digest"]


@pytest.mark.parametrize("strategy", ["nsga2", "pls"])
def test_a_warm_start_begins_with_an_earlier_file(pimdse, space, strategy):
    explored(pimdse, space, "earlier.h5", "--strategy", "random", "--budget", 150)
    words = ("--strategy", strategy, "--budget", 40, "--warm-start", "earlier.h5")
    done = explored(pimdse, space, "later.h5", *words)
    assert done["evaluated"] == 40 and done["feasible"] + done["infeasible"] == 190
    assert ids_in(pimdse, "earlier.h5") < ids_in(pimdse, "later.h5")
    again = explored(pimdse, space, "later.h5", *words, "--resume")
    assert again["evaluated"] == 0 and again["digest"] == done["digest"]
