"""What becomes of processes and ranks that fail, of full disks and of launchers that go."""
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import h5py

from conftest import MPIEXEC, refused
from failing_bench import SPACE, bench, explore, ranks_of, space, start


def test_a_rank_that_cannot_begin_says_so_and_ends_the_job(pimdse, small_space):
    words = [pimdse.program, "explore", str(small_space), "-o", "a.h5", "--progress", "none"]
    begun = time.monotonic()
    done = subprocess.run(
        [MPIEXEC, "--bind-to", "none", "-n", "1", *words, ":", "-n", "1", "-x", f"PIMDSE_DATA={pimdse.folder}", *words],
        cwd=pimdse.folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 3 and "pimdse: rank 1 on " in done.stderr, done.stderr
    assert time.monotonic() - begun < 20


def test_tasks_of_srun_that_are_no_ranks_are_refused(bench):
    done = explore(bench, space(bench), "-o", "a.h5", env={"SLURM_STEP_NUM_TASKS": "4"})
    refused(done, 2, "--mpi=pmix")


def test_a_rank_that_hangs_ends_the_job_and_loses_nothing(bench):
    name = space(bench, points=1500, cost="3 ms")
    job = start(bench, name, "-o", "a.h5", "--silence", "2 s", "--threads", 1, ranks=3)
    stopped = ranks_of(job)[-1]
    os.kill(stopped, signal.SIGSTOP)
    begun = time.monotonic()
    err = job.communicate(timeout=40)[1]
    assert re.search(r"pimdse: rank [12] .*\b2 s\b", err), err
    assert time.monotonic() - begun < 20
    assert job.returncode == 75
    try:
        os.kill(stopped, signal.SIGKILL)
    except ProcessLookupError:
        pass
    rest = explore(bench, name, "-o", "a.h5", "--resume", "--threads", 2, ranks=2)
    assert rest.returncode == 0, rest.stderr
    summary = json.loads(rest.stdout)
    assert summary["points"] == 1500 and summary["remembered"] > 0


# 63 of the 64 parts that a sweep asks for one after the other: answers of 66 bytes, the last of which do not fit 16 MB.
CHEAP_OF_A_PART = 4352


def test_a_result_that_cannot_be_written_is_exit_7_at_once(bench):
    """The workers have been dismissed by then, and nobody waits for them once more."""
    job = start(bench, space(bench, points=400, cost="10 ms"), "-o", "a.h5", "--threads", 1, ranks=2)
    (bench.folder / "a.h5.tmp").mkdir()
    begun = time.monotonic()
    err = job.communicate(timeout=60)[1]
    assert job.returncode == 7, err
    assert "a.h5.tmp" in err and time.monotonic() - begun < 40
    (bench.folder / "a.h5.tmp").rmdir()
    rest = json.loads(explore(bench, "space.toml", "-o", "a.h5", "--resume").stdout)
    assert rest["remembered"] == 400


def test_a_full_disk_is_exit_7_although_points_take_longer_than_silence(bench):
    """Quick points fill 16 MB of journal while the ranks have begun with those that hang."""
    (bench.folder / "full.toml").write_text(
        SPACE.format(points=64, trouble="hang", cost="0 s").replace(
            "trouble_at = 37", "trouble_at = 64\ny = { from = 1, to = %d }" % CHEAP_OF_A_PART
        )
    )
    small_disk = bench.folder / "small_disk"
    small_disk.write_text("""#!/bin/sh\ntrap "" XFSZ; ulimit -f 32768; exec "$@"\n""")
    small_disk.chmod(0o755)
    command = [MPIEXEC, "-n", "2", "--bind-to", "none", "./small_disk", bench.program, "explore", "full.toml", "-o",
               "a.h5", "--silence", "4 s", "--threads", "1", "--progress", "none"]
    done = subprocess.run(command, cwd=bench.folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 7, done.stderr
    assert "File too large" in done.stderr


def test_ranks_end_when_their_launcher_is_killed(bench):
    job = start(bench, space(bench, points=20000, cost="3 ms"), "-o", "a.h5", "--threads", 1, ranks=3)
    ranks = ranks_of(job)
    job.kill()
    job.communicate(timeout=30)
    until = time.monotonic() + 15
    while any(
        Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" for pid in ranks
    ):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_job_that_lost_a_rank_ends_and_is_gone_on_with_to_the_same_digest(bench):
    name = space(bench, points=1500, cost="2 ms")
    job = start(bench, name, "-o", "a.h5", "--threads", 1, ranks=3)
    os.kill(ranks_of(job)[-1], signal.SIGKILL)
    err = job.communicate(timeout=60)[1]
    assert job.returncode not in (0, 5), err
    summary = json.loads(explore(bench, name, "-o", "a.h5", "--resume", "--threads", 1, ranks=2).stdout)
    assert summary["points"] == 1500 and 0 < summary["remembered"] < 1500
    assert summary["digest"] == json.loads(explore(bench, name, "-o", "whole.h5").stdout)["digest"]


def test_a_file_is_there_while_the_run_lives_and_watch_follows_it(bench):
    name = space(bench, points=2000, cost="2 ms")
    job = start(bench, name, "-o", "a.h5", "--checkpoint", "0.3 s", "--threads", 1, ranks=2)
    until = time.monotonic() + 20
    while not (bench.folder / "a.h5").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    with h5py.File(bench.folder / "a.h5") as file:
        rows = file["point_id"].shape[0]
        assert 0 < rows < 2000 and file["provenance"].attrs["state"] == "going on"
    view = bench.json("watch", "a.h5", "--once", "--interval", 0.3)
    assert view["state"] == "running" and view["planned"] == 2000 and rows <= view["answered"] < 2000
    assert view["front"] > 0 and 0 < view["hypervolume"] <= 1
    job.kill()
    job.communicate(timeout=30)
    time.sleep(3)
    refused(bench("watch", "a.h5", "--once"), 75, "--resume")
    assert json.loads(bench("watch", "a.h5", "--once", "--format", "json").stdout)["state"] == "died"
    assert explore(bench, name, "-o", "a.h5", "--resume").returncode == 0
    view = bench.json("watch", "a.h5")
    assert (view["state"], view["answered"], view["planned"]) == ("complete", 2000, 2000)
