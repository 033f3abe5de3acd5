"""What becomes of points that fail, with the real program on points that fail on request."""
import json

import h5py
import pytest

from conftest import in_campaign, refused, same_file
from failing_bench import bench, explore, only_failure, space


@pytest.mark.parametrize("trouble,kind", [("exception", "exception"), ("not_a_number", "not_a_number")])
@pytest.mark.parametrize("ranks", [None, 2])
def test_a_point_that_fails_is_a_row_with_a_command_that_replays_it(bench, trouble, kind, ranks):
    failure = only_failure(explore(bench, space(bench, trouble), "-o", "a.h5", ranks=ranks))
    assert failure["class"] == kind and failure["reason"]
    replayed = bench(*failure["replay"].split()[1:], "--format", "json")
    assert replayed.returncode == 5
    with h5py.File(bench.folder / "a.h5") as file:
        assert file["failures/class"][:].tolist() == [kind.encode()]
        assert file["failures/replay"][0].decode() == failure["replay"]
        assert file["point_id"].shape == (100,)


@pytest.mark.parametrize("trouble, ranks", [
    ("crash", None), ("exit", None), ("kill", None), ("crash", 3), in_campaign("exit", 3), in_campaign("kill", 3)])
def test_a_point_that_kills_its_process_twice_is_quarantined(bench, trouble, ranks):
    words = (space(bench, trouble), "-o", "a.h5", "--threads", 2)
    first = explore(bench, *words, ranks=ranks)
    assert first.returncode not in (0, 5)
    assert (bench.folder / "a.h5.journal").exists()
    failure = only_failure(explore(bench, *words, "--resume", ranks=ranks))
    assert failure["class"] == "crash"
    with h5py.File(bench.folder / "a.h5") as file:
        assert file["point_id"].shape == (100,)


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_point_that_takes_too_long_ends_the_run_and_is_a_timeout_of_the_resumed_one(bench, ranks):
    words = (space(bench, "hang"), "-o", "a.h5", "--point-timeout", "0.5 s")
    done = explore(bench, *words, ranks=ranks)
    assert done.returncode == 75, done.stderr
    for fact in ("point 36", "0.5 s", "--resume"):
        assert fact in done.stderr, done.stderr
    failure = only_failure(explore(bench, *words, "--resume", ranks=ranks))
    assert failure["class"] == "timeout" and "0.5 s" in failure["reason"]


def test_a_timeout_is_evaluated_again_with_a_longer_limit_only(bench):
    """The point takes 2 s: it is given up, isolated and ended at 0.5 s, kept at shorter limits, and right at 30 s."""
    name = space(bench, "slow")
    wanted = json.loads(explore(bench, name, "-o", "whole.h5").stdout)["digest"]

    def at(limit, *more):
        return explore(bench, name, "-o", "a.h5", "--point-timeout", limit, *more)

    assert at("0.5 s").returncode == 75
    assert only_failure(at("0.5 s", "--resume"))["reason"] == "took longer than 0.5 s"
    for shorter in ("0.5 s", "0.1 s"):
        kept = at(shorter, "--resume")
        assert only_failure(kept)["reason"] == "took longer than 0.5 s" and json.loads(kept.stdout)["evaluated"] == 0
    longer = at("1 s", "--resume")
    assert only_failure(longer)["reason"] == "took longer than 1 s" and json.loads(longer.stdout)["evaluated"] == 1
    right = json.loads(at("30 s", "--resume").stdout)
    assert "failures" not in right and right["digest"] == wanted and right["evaluated"] == 1
    assert json.loads(at("0.1 s", "--resume").stdout)["digest"] == wanted


FRONTS = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = 50000 }
y = [1, 2]
[[constraint]]
name = "cool"
expr = "power <= 50 W"
"""


def test_fronts_of_blocks_do_not_depend_on_ranks(bench):
    (bench.folder / "fronts.toml").write_text(FRONTS)
    every = json.loads(explore(bench, "fronts.toml", "-o", "every.h5").stdout)
    kept = {}
    for ranks in (None, 2, 4):
        kept[ranks] = json.loads(
            explore(bench, "fronts.toml", "-o", f"fronts{ranks}.h5", "--keep", "front", ranks=ranks).stdout
        )
        assert {key: kept[ranks][key] for key in ("points", "feasible", "infeasible", "front")} == {
            key: every[key] for key in ("points", "feasible", "infeasible", "front")
        }
        assert same_file(bench.folder, "frontsNone.h5", f"fronts{ranks}.h5")
    assert bench("front", "frontsNone.h5", "--objectives", "latency").returncode == 0
    for more in (("--objectives", "latency,power"), ("--where", "x <= 9")):
        refused(bench("front", "frontsNone.h5", *more), 3, "frontsNone.h5", "latency, energy")
    assert bench("verify", "frontsNone.h5").returncode == 0
    with h5py.File(bench.folder / "every.h5") as all_of_it, h5py.File(bench.folder / "frontsNone.h5") as fronts:
        assert (all_of_it["front/ids"][:] == fronts["front/ids"][:]).all()
        assert fronts["point_id"].shape[0] < 2000
        assert fronts["blocks/points"][:].sum() == 100000
        assert fronts["front/history/evaluations"][-1] == 100000
        assert (all_of_it["front/history/size"][:] == fronts["front/history/size"][:]).all()


def test_shards_that_keep_fronts_join_to_the_whole(bench):
    (bench.folder / "fronts.toml").write_text(FRONTS)
    explore(bench, "fronts.toml", "-o", "whole.h5", "--keep", "front")
    for k in range(3):
        part = explore(bench, "fronts.toml", "-o", f"part{k}.h5", "--keep", "front", "--shard", f"{k}/3")
        assert part.returncode in (0, 6), part.stderr  # 6: one without a feasible point
    bench.ok("merge", "part0.h5", "part1.h5", "part2.h5", "-o", "joined.h5")
    assert same_file(bench.folder, "whole.h5", "joined.h5")
    (bench.folder / "again.h5").write_bytes((bench.folder / "part2.h5").read_bytes())
    assert bench("merge", "part2.h5", "again.h5", "-o", "twice.h5").returncode == 8


def test_a_run_that_keeps_fronts_is_resumed_where_it_stopped(bench):
    slow = 'cost = "15 us"\nwork = "spin"\nx = {'
    (bench.folder / "fronts.toml").write_text(FRONTS.replace("50000", "20000").replace("x = {", slow))
    whole = json.loads(explore(bench, "fronts.toml", "-o", "whole.h5", "--keep", "front").stdout)
    first = explore(bench, "fronts.toml", "-o", "a.h5", "--keep", "front", "--time-limit", "0.3 s", "--threads", 1)
    assert first.returncode == 75
    rest = json.loads(explore(bench, "fronts.toml", "-o", "a.h5", "--keep", "front", "--resume").stdout)
    assert rest["digest"] == whole["digest"] and rest["remembered"] > 0
    assert (
        rest["remembered"] + rest["evaluated"] == whole["points"]
    ), "parts of blocks that were cut are not evaluated again"
    refused(explore(bench, "fronts.toml", "-o", "a.h5", "--resume"), 3, "a.h5")
