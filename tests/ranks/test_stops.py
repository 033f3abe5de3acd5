"""Stops end in time, lose nothing that was answered, and blame nobody for time in which the job could not run."""
import json
import os
import signal
import subprocess
import time

import pytest

from conftest import Runner

WORKBENCH = os.environ["PIMDSE_WORKBENCH"]

SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = %d }
cost = "%s"
"""


@pytest.fixture
def bench(tmp_path):
    return Runner(tmp_path, WORKBENCH)


def space(bench, points, cost):
    (bench.folder / "space.toml").write_text(SPACE % (points, cost))
    return "space.toml"


def started(bench, *words, ranks=None):
    run = bench.start(
        "explore", "space.toml", "-o", "a.h5", "--format", "json", "--progress", "none", *words, ranks=ranks
    )
    until = time.monotonic() + 30
    while not (bench.folder / "a.h5.journal").exists():
        assert run.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    return run


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_time_limit_ends_after_the_points_under_way_and_not_after_those_that_wait(bench, ranks):
    space(bench, 200, "2 s")
    begun = time.monotonic()
    done = bench("explore", "space.toml", "-o", "a.h5", "--threads", 1, "--time-limit", "1 s", "--format", "json",
                 "--progress", "none", ranks=ranks)
    assert done.returncode == 75, done.stderr
    assert time.monotonic() - begun < 7, "chunks of four points of 2 s, two for each rank, take 16 s"
    summary = json.loads(done.stdout)
    assert 1 <= summary["evaluated"] <= 2 * (ranks or 1)


def test_answers_of_a_chunk_that_is_not_finished_survive_a_kill(bench):
    space(bench, 24, "500 ms")
    run = started(bench, "--threads", 1)
    time.sleep(1.8)   # two points of the first four
    run.kill()
    run.communicate()
    summary = bench.json("explore", "space.toml", "-o", "a.h5", "--resume", "--threads", 12, "--progress", "none")
    assert summary["points"] == 24 and summary["remembered"] >= 1


def test_a_second_signal_abandons_what_is_under_way(bench):
    space(bench, 24, "30 s")
    run = started(bench, "--threads", 1)
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    time.sleep(1.0)
    assert run.poll() is None, "the first one waits"
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    err = run.communicate(timeout=20)[1]
    assert run.returncode == 75 and time.monotonic() - begun < 3, err
    assert err.count("pimdse: ") == 2 and "--resume" in err and (bench.folder / "a.h5.journal").exists()


def processes_of(run):
    """The launcher's ranks."""
    children = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in children]


@pytest.mark.parametrize("what", ["ranks", "alone"])
def test_a_job_that_is_stopped_for_longer_than_its_limits_goes_on(bench, what):
    """As a gang scheduler does it: SIGSTOP to all, SIGCONT later."""
    space(bench, 30, "100 ms")
    words = ["--threads", 1, "--silence", "2 s", "--point-timeout", "2 s"]
    run = started(bench, *words, ranks=3 if what == "ranks" else None)
    time.sleep(1.0)
    everybody = [run.pid] if what == "alone" else processes_of(run)
    assert everybody
    for pid in everybody:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(3)
    for pid in everybody:
        os.kill(pid, signal.SIGCONT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    assert json.loads(out)["points"] == 30
