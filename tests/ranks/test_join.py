"""Workers that come and go: the result is that of an undisturbed run, whoever joins, leaves or is killed."""
import json
import os
import shutil
import signal
import stat
import subprocess
import time

import h5py
import pytest

from conftest import Runner, refused

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


@pytest.fixture
def two_machines():
    """The words before a command that runs it on the one or the other: namespaces with a cable between them."""
    names = [f"pimdse-{os.getpid()}-{end}" for end in "ab"]
    ip = shutil.which("ip", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    cable = [f"pa{os.getpid()}"[:15], f"pb{os.getpid()}"[:15]]
    lines = [f"netns add {name}" for name in names]
    lines.append(f"link add {cable[0]} netns {names[0]} type veth peer name {cable[1]} netns {names[1]}")
    for number, (name, end) in enumerate(zip(names, cable)):
        lines += [
            f"-n {name} addr add 10.77.0.{number + 1}/24 dev {end}",
            f"-n {name} link set {end} up",
            f"-n {name} link set lo up",
        ]
    try:
        for line in lines:
            if ip is None or subprocess.run([ip, *line.split()], capture_output=True).returncode != 0:
                pytest.skip("network namespaces are refused on this machine")
        yield [[ip, "netns", "exec", name] for name in names]
    finally:
        for name in names if ip else []:
            subprocess.run([ip, "netns", "del", name], capture_output=True)


def test_a_worker_joins_over_a_network(bench, undisturbed, two_machines):
    here, there = two_machines
    quiet = {"cwd": bench.folder, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    words = ["explore", "slow.toml", "-o", "a.h5", "--joinable", "--threads", "1", "--format", "json"]
    run = subprocess.Popen([*here, WORKBENCH, *words, "--progress", "none"], **quiet)
    wait_for(bench.folder / "a.h5.join", run)
    assert json.loads((bench.folder / "a.h5.join").read_text())["addresses"][0] == "10.77.0.1"
    worker = subprocess.Popen([*there, WORKBENCH, "join", "a.h5", "--threads", "2"], **quiet)
    out, _ = run.communicate(timeout=120)
    assert run.returncode == 0 and digest(out) == undisturbed
    worker.communicate(timeout=30)
    assert worker.returncode == 0
    with h5py.File(bench.folder / "a.h5") as file:
        assert len(file["provenance/joined"][()]) == 1


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


def test_a_run_that_is_not_open_is_refused(bench):
    refused(bench("join", "a.h5"), 4, "a.h5.join")
    (bench.folder / "b.h5.join").write_text("nonsense")
    refused(bench("join", "b.h5"), 3, "b.h5.join")
