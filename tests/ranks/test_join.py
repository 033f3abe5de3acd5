"""Workers that come and go: the result is that of an undisturbed run, whoever joins, leaves or is killed."""
import json
import os
import signal
import stat
import time

import h5py
import pytest

from conftest import Runner

WORKBENCH = os.environ["PIMDSE_WORKBENCH"]

SLOW = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = 20 }
y = { from = 1, to = 15 }
cost = "20 ms"
"""


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "slow.toml").write_text(SLOW)
    return Runner(tmp_path, WORKBENCH)


def wait_for(path, run):
    until = time.time() + 60
    while not path.exists():
        assert run.poll() is None and time.time() < until
        time.sleep(0.01)


def digest(text):
    return json.loads(text)["digest"]


@pytest.fixture
def undisturbed(bench):
    return digest(bench.ok("explore", "slow.toml", "-o", "alone.h5", "--format", "json", "--progress", "none"))


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("keep", ["all", "front"])
def test_workers_join_and_are_lost_and_the_digest_is_the_same(bench, ranks, keep):
    undisturbed = digest(
        bench.ok("explore", "slow.toml", "-o", "alone.h5", "--format", "json", "--progress", "none", "--keep", keep)
    )
    run = bench.start(
        "explore",
        "slow.toml",
        "-o",
        "a.h5",
        "--joinable",
        "--threads",
        1,
        "--format",
        "json",
        "--progress",
        "none",
        "--keep",
        keep,
        ranks=ranks,
    )
    invitation = bench.folder / "a.h5.join"
    wait_for(invitation, run)
    assert stat.S_IMODE(invitation.stat().st_mode) == 0o600
    staying = bench.start("join", "a.h5", "--threads", 1)
    lost = [bench.start("join", "a.h5", "--threads", 2) for _ in range(2)]
    time.sleep(0.7)
    for number, worker in enumerate(lost):
        worker.send_signal(signal.SIGKILL if number == 0 else signal.SIGTERM)
        worker.communicate()
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    assert digest(out) == undisturbed
    staying.communicate(timeout=30)
    assert staying.returncode == 0
    assert not invitation.exists()
    bench.ok("verify", "a.h5")
    with h5py.File(bench.folder / "a.h5") as file:
        assert file["provenance/joined"][()].tolist() == [os.uname().nodename.encode()]


def test_a_worker_outlives_the_coordinator_and_works_on_after_it_is_resumed(bench, undisturbed):
    run = bench.start("explore", "slow.toml", "-o", "a.h5", "--joinable", "--threads", 1, "--progress", "none")
    wait_for(bench.folder / "a.h5.join", run)
    worker = bench.start("join", "a.h5", "--threads", 1)
    time.sleep(0.6)
    run.kill()
    run.communicate()
    assert worker.poll() is None
    resumed = bench.ok(
        "explore",
        "slow.toml",
        "-o",
        "a.h5",
        "--joinable",
        "--threads",
        1,
        "--resume",
        "--format",
        "json",
        "--progress",
        "none",
    )
    assert digest(resumed) == undisturbed
    worker.communicate(timeout=30)
    assert worker.returncode == 0


def test_nobody_gets_in_without_the_token(bench, undisturbed):
    run = bench.start(
        "explore", "slow.toml", "-o", "a.h5", "--joinable", "--threads", 1, "--format", "json", "--progress", "none"
    )
    invitation = bench.folder / "a.h5.join"
    wait_for(invitation, run)
    forged = json.loads(invitation.read_text()) | {"token": "0" * 32}
    (bench.folder / "forged.join").write_text(json.dumps(forged))
    stranger = bench("join", "forged.join", "--patience", "1 s", timeout=60)
    assert stranger.returncode == 75, stranger.stderr
    out, _ = run.communicate(timeout=120)
    assert digest(out) == undisturbed


def test_a_run_that_is_not_open_is_said_in_one_sentence(bench):
    done = bench("join", "a.h5")
    assert done.returncode == 4 and len(done.stderr.strip().splitlines()) == 1, done.stderr
    (bench.folder / "b.h5.join").write_text("nonsense")
    done = bench("join", "b.h5")
    assert done.returncode == 3 and len(done.stderr.strip().splitlines()) == 1, done.stderr
