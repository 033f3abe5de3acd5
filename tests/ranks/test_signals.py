"""Signals that ask a run to stop or were ignored, readers and clients that leave."""
import os
import resource
import signal
import subprocess

import h5py
import pytest

from conftest import MPIEXEC, Runner, heed_signals, one_of, wait_for_answers

WORKBENCH = os.environ["PIMDSE_WORKBENCH"]
SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = %d }
cost = "50 ms"
"""
EXPLORE = ["explore", "space.toml", "-o", "a.h5", "--threads", "1", "--progress", "none"]


@pytest.fixture
def bench(tmp_path):
    return Runner(tmp_path, WORKBENCH)


def started(bench, points, ranks=None, before=heed_signals):
    """A run that has answers in its journal."""
    (bench.folder / "space.toml").write_text(SPACE % points)
    launcher = [MPIEXEC, "-n", str(ranks), "--bind-to", "none"] if ranks else []
    run = subprocess.Popen([*launcher, WORKBENCH, *EXPLORE], cwd=bench.folder, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, preexec_fn=before)
    wait_for_answers(run, bench.folder / "a.h5.journal")
    return run


def stopped_in_order(bench, run):
    out, err = run.communicate(timeout=30)
    assert run.returncode == 75, (run.returncode, err)
    assert not (bench.folder / "a.h5.journal").exists()
    with h5py.File(bench.folder / "a.h5") as file:
        assert file["provenance"].attrs["state"] == "stopped" and 0 < len(file["point_id"])


@pytest.mark.parametrize("name", one_of(2, ["INT", "USR1", "TERM", "USR2", "HUP", "XCPU"]))
def test_each_signal_to_stop_stops_in_order(bench, name):
    run = started(bench, 2000)
    run.send_signal(getattr(signal, "SIG" + name))
    stopped_in_order(bench, run)


def test_signals_to_the_launcher_and_all_ranks_stop_them_in_order(bench):
    """As scancel --full sends them."""
    run = started(bench, 2000, ranks=2)
    ranks = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True).stdout.split()
    assert len(ranks) == 2
    for process in [run.pid, *ranks]:
        os.kill(int(process), signal.SIGUSR2)
    stopped_in_order(bench, run)


@pytest.mark.parametrize("name", one_of(2, ["USR1", "USR2"]))
def test_what_mpirun_passes_on_stops_ranks_in_order(bench, name):
    run = started(bench, 2000, ranks=2)
    run.send_signal(getattr(signal, "SIG" + name))
    stopped_in_order(bench, run)


@pytest.mark.parametrize("name", one_of(2, ["INT", "TERM", "HUP", "USR2"]))
def test_a_signal_that_was_ignored_stays_ignored(bench, name):
    number = getattr(signal, "SIG" + name)
    run = started(bench, 20, before=lambda: signal.signal(number, signal.SIG_IGN))
    run.send_signal(number)
    _, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (0, "")
    with h5py.File(bench.folder / "a.h5") as file:
        assert len(file["point_id"]) == 20


def test_the_limit_of_cpu_time_stops_in_order_although_the_kernel_repeats_it(bench):
    """One signal for each second of CPU time behind the soft limit; points of two seconds are waited for."""
    (bench.folder / "space.toml").write_text((SPACE % 100).replace('cost = "50 ms"', 'cost = "2 s"\nwork = "spin"'))
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 60))
    run = subprocess.run([WORKBENCH, *EXPLORE], cwd=bench.folder,
                         capture_output=True, text=True, stdin=subprocess.DEVNULL, preexec_fn=limit, timeout=60)
    with h5py.File(bench.folder / "a.h5") as file:
        assert len(file["point_id"]) >= 1
    assert run.returncode == 75 and not (bench.folder / "a.h5.journal").exists(), run.stderr


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("closed", one_of(2, ["2>&1", ""]))
def test_a_reader_that_leaves_costs_no_results(bench, ranks, closed):
    (bench.folder / "space.toml").write_text(SPACE % 20)
    launcher = f"{MPIEXEC} -n {ranks} --bind-to none " if ranks else ""
    words = f"{launcher}{WORKBENCH} {' '.join(EXPLORE[:-2])} --progress plain"
    done = subprocess.run(["bash", "-c", f"{words} {closed} </dev/null | true; exit ${{PIPESTATUS[0]}}"],
                          cwd=bench.folder, capture_output=True, text=True, timeout=60)
    died_of_it = ranks and done.returncode == 128 + signal.SIGPIPE   # the launcher, which now and then writes itself
    if died_of_it:
        done = subprocess.run([WORKBENCH, *EXPLORE, "--resume"], cwd=bench.folder, capture_output=True, text=True,
                              timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and "standard output" not in done.stderr, done.stderr
    with h5py.File(bench.folder / "a.h5") as file:
        assert file["provenance"].attrs["state"] == "complete" and len(file["point_id"]) == 20


def test_a_client_that_dies_leaves_a_sealed_file(bench):
    (bench.folder / "space.toml").write_text(SPACE % 20)
    words = f"{WORKBENCH} serve space.toml -o a.h5"
    line = '{"verb": "evaluate", "tag": 1, "ids": ["0"]}'
    done = subprocess.run(["bash", "-c", f"(echo '{line}'; sleep 2) | {words} | true; exit ${{PIPESTATUS[1]}}"],
                          cwd=bench.folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with h5py.File(bench.folder / "a.h5") as file:
        assert len(file["point_id"]) == 1
