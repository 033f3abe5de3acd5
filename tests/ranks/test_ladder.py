"""A ladder comes to the front of the exhaustive sweep at cycle level, and to one file on any number of ranks; it and
other searches that listen do so wherever they were killed."""
import json
import os
import re
import signal
import subprocess
import time

import h5py
import pytest

from conftest import CAMPAIGN, ROUTER_AXES, Runner, holds, in_campaign, same_file, thinned

SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = {{ from = 1, to = {points} }}
y = [1, 2]
loose = 60
alike = {alike}
cost = "{cost}"
trouble = "{trouble}"
trouble_at = 37
lie_at = {lie_at}
[search]
{search}
"""


@pytest.fixture
def bench(tmp_path):
    return Runner(tmp_path, os.environ["PIMDSE_WORKBENCH"])


def space(bench, points=300, alike=3, cost="0 s", trouble="none", lie_at=-1, search='strategy = "ladder"'):
    text = SPACE.format(points=points, alike=alike, cost=cost, trouble=trouble, lie_at=lie_at, search=search)
    (bench.folder / "space.toml").write_text(text)
    return "space.toml"


def explore(bench, name, *words, **options):
    return bench(
        "explore", "space.toml", "-o", name, "--threads", 1, "--format", "json", "--progress", "none", *words, **options
    )


def front_of(bench, name):
    with h5py.File(bench.folder / name) as file:
        assert file["front"].attrs["fidelity"] == "cycle"
        return list(file["front/ids"][()])


def test_front_is_that_of_the_sweep_and_the_file_the_same_on_any_number_of_ranks(bench):
    space(bench)
    sweep = ("--strategy", "sweep", "--fidelity", "cycle", "--progress", "none")
    bench.ok("explore", "space.toml", "-o", "sweep.h5", *sweep)
    for name, ranks in thinned(2, [("alone.h5", None), ("one.h5", 1), ("two.h5", 2), ("four.h5", 4)]):
        done = explore(bench, name, ranks=ranks)
        assert done.returncode == 0, done.stderr
        certificate = json.loads(done.stdout)["certificate"]
        assert certificate["open"] == certificate["epsilon"] == 0
        assert certificate["cycle_level"] < 120 and certificate["points"] == 600
        assert front_of(bench, name) == front_of(bench, "sweep.h5")
        assert same_file(bench.folder, "alone.h5", name), name
        assert holds(bench, name)["all_rows"]


@pytest.mark.parametrize(
    "search",
    [
        'strategy = "ladder"',
        'strategy = "ladder"\nepsilon = 0.1\naudit = 60',
        in_campaign('strategy = "nsga2"\nbudget = 500\nfidelity = "cycle"'),
        'strategy = "nsga2"\nstop_after_no_gain = 150\nfidelity = "cycle"',
        in_campaign('strategy = "pls"\nbudget = 500\nfidelity = "cycle"'),
        in_campaign('strategy = "sobol"\nbudget = 500\nfidelity = "cycle"'),
    ],
)
def test_a_killed_search_goes_on_to_the_same_file(bench, search):
    space(bench, cost="2 ms" if CAMPAIGN else "1 ms", search=search)
    assert explore(bench, "whole.h5").returncode == 0
    for moment in (0.3, 0.8, 1.3) if CAMPAIGN else (0.2,):
        name = f"killed-{moment}.h5"
        run = bench.start("explore", "space.toml", "-o", name, "--threads", 1, "--progress", "none")
        until = time.monotonic() + 30
        while not (bench.folder / f"{name}.journal").exists() and run.poll() is None:
            assert time.monotonic() < until
            time.sleep(0.01)
        time.sleep(moment)
        run.send_signal(signal.SIGKILL)
        run.communicate()
        done = explore(bench, name, "--resume")
        assert done.returncode == 0, done.stderr
        assert same_file(bench.folder, "whole.h5", name)
    again = explore(bench, "whole.h5", "--resume")
    assert again.returncode == 0 and json.loads(again.stdout)["evaluated"] == 0


def test_watch_says_where_a_ladder_stands_whether_it_lives_or_died(bench):
    space(bench, points=200, cost="8 ms", alike=1)
    assert explore(bench, "whole.h5").returncode == 0
    run = bench.start("explore", "space.toml", "-o", "a.h5", "--threads", 1, "--progress", "none")
    standing, until = None, time.monotonic() + 30
    while not (standing and standing["flying"]) and time.monotonic() < until and run.poll() is None:
        time.sleep(0.05)
        if (bench.folder / "a.h5.journal").exists():
            view = bench("watch", "a.h5", "--once", "--interval", 0.1, "--format", "json")
            standing = json.loads(view.stdout).get("standing") if view.returncode == 0 else None
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert standing is not None and standing["flying"] > 0
    assert 0 < standing["closed"] + standing["flying"] + standing["open"] <= 400
    assert standing["gap"] is None or 0 <= standing["gap"] <= 1
    died = bench("watch", "a.h5", "--once", "--format", "json")
    view = json.loads(died.stdout)
    assert (died.returncode, view["state"]) == (75, "died")
    assert view["standing"]["closed"] + view["standing"]["flying"] > 0
    assert explore(bench, "a.h5", "--resume").returncode == 0
    assert same_file(bench.folder, "whole.h5", "a.h5")


def test_a_stopped_ladder_says_what_is_open_and_goes_on(bench):
    space(bench)
    assert explore(bench, "whole.h5").returncode == 0
    done = explore(bench, "part.h5", "--budget", 5)
    certificate = json.loads(done.stdout)["certificate"]
    assert certificate["cycle_level"] == 5 and certificate["open"] > 0
    assert str(certificate["open"]) in certificate["statement"].split()
    assert holds(bench, "part.h5")["all_rows"]
    assert explore(bench, "part.h5", "--resume").returncode == 0
    assert same_file(bench.folder, "whole.h5", "part.h5")


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_point_that_fails_is_open(bench, ranks):
    space(bench, trouble="exception", alike=1)
    done = explore(bench, "a.h5", ranks=ranks)
    assert done.returncode == 5, done.stderr
    certificate = json.loads(done.stdout)["certificate"]
    assert certificate["open"] == 2 and "2" in certificate["statement"].split()


@pytest.mark.parametrize("ranks", [None, 2])
def test_an_answer_below_a_proved_low_ends_the_run(bench, ranks):
    space(bench, alike=1)
    assert explore(bench, "honest.h5").returncode == 0
    best = min(front_of(bench, "honest.h5"))
    space(bench, alike=1, lie_at=best // 2 + 1)
    done = explore(bench, "liar.h5", ranks=ranks)
    assert done.returncode == 8, (done.stdout, done.stderr)
    assert done.stderr.count("\n") == 1 or ranks, done.stderr
    named = re.search(r"\bpoint (\d+): latency\b", done.stderr)
    assert named and int(named[1]) // 2 == best // 2, done.stderr


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_twin_whose_proved_low_is_above_the_result_of_its_representative_ends_the_run(bench, ranks):
    """The result of a twin is known when the search asks for it, not when it is told."""
    space(bench, alike=3)
    assert explore(bench, "honest.h5").returncode == 0
    with h5py.File(bench.folder / "honest.h5") as file:
        certificate, front = file["certificate"], set(file["front/ids"][()])
        pairs = zip(certificate["twins/point"][()], certificate["twins/representative"][()])
        twins = [int(twin) for twin, other in pairs if other in front]
    broken = 0
    for twin in twins[:6 if CAMPAIGN else 3]:
        space(bench, alike=3, lie_at=twin // 2 + 1)  # its low decides the result, unless another member covers it
        done = explore(bench, f"liar-{twin}.h5", ranks=ranks)
        assert done.returncode in (0, 8), done.stderr
        broken += done.returncode == 8 and f"point {twin}: " in done.stderr
        if broken and not CAMPAIGN:
            break
    assert broken > 0


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_result_outside_its_proved_bounds_ends_every_other_run_with_8_after_its_file_is_written(bench, ranks):
    sweep = ("--strategy", "sweep", "--progress", "none")
    space(bench, points=20, alike=1, lie_at=3)
    assert bench("explore", "space.toml", "-o", "a.h5", *sweep, "--fidelity", "analytic").returncode == 0
    runs = {
        "a.h5": ("explore", "space.toml", "-o", "a.h5", *sweep, "--fidelity", "cycle", "--resume"),
        "fine.h5": ("explore", "--refine", "a.h5", "--where", "latency >= 0 s", "--fidelity", "cycle", "-o", "fine.h5"),
    }
    for name, words in reversed(runs.items()):
        done = bench(*words, ranks=ranks)
        assert done.returncode == 8 and "point 4: latency" in done.stderr, (done.stdout, done.stderr)
        assert name in done.stderr
        with h5py.File(bench.folder / name) as file:
            assert (file["fidelity"][()] == 2).sum() == 40
    assert "point 4: latency" in bench("verify", "a.h5").stdout and bench("verify", "a.h5").returncode == 8


def test_a_session_that_serves_both_levels_ends_with_8_where_they_contradict(bench):
    space(bench, points=20, alike=1, lie_at=3)
    lines = [{"verb": "evaluate", "tag": level, "ids": ["4"], "fidelity": level} for level in ("analytic", "cycle")]
    done = subprocess.run(
        [bench.program, "serve", "space.toml", "-o", "served.h5"],
        input="".join(json.dumps(line) + "\n" for line in lines), cwd=bench.folder, capture_output=True, text=True,
    )
    assert done.returncode == 8 and "point 4: latency" in done.stderr, (done.stdout, done.stderr)
    assert len(done.stdout.splitlines()) == 2 and (bench.folder / "served.h5").exists()


def test_an_audit_simulates_twins_and_closed_points_whose_key_has_a_result(bench):
    space(bench, alike=3, search='strategy = "ladder"\naudit = 20')
    done = explore(bench, "a.h5")
    assert done.returncode == 0, done.stderr
    certificate = json.loads(done.stdout)["certificate"]
    assert certificate["audited"] == 20 and 0 < certificate["audited_twins"] <= 20
    assert certificate["audited_wrong"] == 0 and certificate["twins"] + certificate["audited_twins"] > 0
    with h5py.File(bench.folder / "a.h5") as file:
        fine = (file["fidelity"][()] == 2).sum()
        assert fine == certificate["cycle_level"]
    assert holds(bench, "a.h5")["all_rows"]


BOXED = (
    """schema = 1
architecture = "cim_mesh"
objectives = ["latency", "area"]
[parameters]
llm = "llama-3.2-1b"
input = 8
output = 4
schedule = "tree"
"""
    + ROUTER_AXES
    + """[search]
strategy = "ladder"
budget = 6
"""
)


def test_a_search_by_boxes_makes_one_file_on_any_number_of_ranks_and_when_it_goes_on(pimdse):
    """Its lower bounds are below its results, so that boxes wait for points under way."""
    (pimdse.folder / "space.toml").write_text(BOXED)
    assert explore(pimdse, "whole.h5").returncode == 0
    for name, ranks in thinned(2, [("two.h5", 2), ("four.h5", 4)]):
        assert explore(pimdse, name, ranks=ranks).returncode == 0
        assert same_file(pimdse.folder, "whole.h5", name), name
    assert explore(pimdse, "part.h5", "--budget", 3).returncode == 0
    done = explore(pimdse, "part.h5", "--resume", "--budget", 6)
    assert done.returncode == 0 and json.loads(done.stdout)["remembered"] > 0
    assert same_file(pimdse.folder, "whole.h5", "part.h5")
