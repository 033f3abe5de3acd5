"""What becomes of points, processes and ranks that fail, with the real program on points that fail on request."""
import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import h5py
import pytest

from conftest import MPIEXEC, Runner, same_file

SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = {{ from = 1, to = {points} }}
trouble = "{trouble}"
trouble_at = 37
cost = "{cost}"
"""


@pytest.fixture
def bench(tmp_path):
    return Runner(tmp_path, os.environ["PIMDSE_WORKBENCH"])


def space(bench, trouble="none", points=100, cost="0 s", name="space.toml"):
    (bench.folder / name).write_text(SPACE.format(trouble=trouble, points=points, cost=cost))
    return name


def explore(bench, *words, **options):
    return bench("explore", *words, "--format", "json", "--progress", "none", **options)


def only_failure(done):
    assert done.returncode == 5, done.stderr
    failures = json.loads(done.stdout)["failures"]
    assert [f["point"] for f in failures] == [36]
    return failures[0]


@pytest.mark.parametrize("trouble,kind", [("exception", "exception"), ("not_a_number", "not_a_number")])
@pytest.mark.parametrize("ranks", [None, 2])
def test_a_point_that_fails_is_a_row_with_a_command_that_replays_it(bench, trouble, kind, ranks):
    failure = only_failure(explore(bench, space(bench, trouble), "-o", "a.h5", ranks=ranks))
    assert failure["class"] == kind and failure["reason"]
    replayed = bench(*failure["replay"].split()[1:], "--format", "json")
    assert replayed.returncode == (5 if trouble == "exception" else 0)   # the space, not the point, asks for finite objectives
    with h5py.File(bench.folder / "a.h5") as file:
        assert file["failures/class"][:].tolist() == [kind.encode()]
        assert file["failures/replay"][0].decode() == failure["replay"]
        assert file["point_id"].shape == (100,)


@pytest.mark.parametrize("trouble", ["crash", "exit", "kill"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_a_point_that_kills_its_process_twice_is_quarantined(bench, trouble, ranks):
    words = (space(bench, trouble), "-o", "a.h5", "--threads", 2)
    first = explore(bench, *words, ranks=ranks)
    assert first.returncode not in (0, 5)
    assert (bench.folder / "a.h5.journal").exists()
    failure = only_failure(explore(bench, *words, "--resume", ranks=ranks))
    assert failure["class"] == "crash" and "took its process with it twice" in failure["reason"]
    with h5py.File(bench.folder / "a.h5") as file:
        assert file["point_id"].shape == (100,)


def test_supervision_comes_to_the_end_by_itself_and_to_the_same_file(bench):
    words = (space(bench, "crash"), "--threads", 1)
    alone = only_failure(explore(bench, *words, "-o", "one.h5", "--supervise"))
    ranks = only_failure(explore(bench, *words, "-o", "two.h5", "--supervise", "--launch", f"{MPIEXEC} -n 3 --bind-to none"))
    assert alone == ranks
    assert same_file(bench.folder, "one.h5", "two.h5")


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_point_that_takes_too_long_is_a_timeout(bench, ranks):
    launch = ("--launch", f"{MPIEXEC} -n {ranks} --bind-to none") if ranks else ()
    failure = only_failure(explore(bench, space(bench, "hang"), "-o", "a.h5", "--point-timeout", "1 s", "--supervise", *launch))
    assert failure["class"] == "timeout" and "longer than 1 s" in failure["reason"]


def test_without_supervision_a_timeout_says_how_to_go_on(bench):
    done = explore(bench, space(bench, "hang"), "-o", "a.h5", "--point-timeout", "0.5 s")
    assert done.returncode == 75
    assert "point 36 has taken longer than 0.5 s" in done.stderr and "--resume" in done.stderr


def ranks_of(job):
    children = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    return [int(c) for c in children]


def start(bench, *words, ranks):
    job = bench.start("explore", *words, "--format", "json", "--progress", "none", ranks=ranks)
    until = time.monotonic() + 30
    while not (bench.folder / "a.h5.journal").exists() or len(ranks_of(job)) < ranks:
        assert time.monotonic() < until
        time.sleep(0.02)
    time.sleep(0.5)
    return job


def test_a_rank_that_cannot_begin_says_so_and_ends_the_job(pimdse, small_space):
    words = [pimdse.program, "explore", str(small_space), "-o", "a.h5", "--progress", "none"]
    begun = time.monotonic()
    done = subprocess.run([MPIEXEC, "--bind-to", "none", "-n", "1", *words, ":", "-n", "1", "-x", f"PIMDSE_DATA={pimdse.folder}", *words], cwd=pimdse.folder,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 3 and "pimdse: rank 1 on " in done.stderr, done.stderr
    assert time.monotonic() - begun < 20


def test_tasks_of_srun_that_are_no_ranks_are_refused(bench):
    done = explore(bench, space(bench), "-o", "a.h5", env={"SLURM_STEP_NUM_TASKS": "4"})
    assert done.returncode == 2 and "--mpi=pmix" in done.stderr


def test_a_rank_that_hangs_ends_the_job_and_loses_nothing(bench):
    name = space(bench, points=3000, cost="3 ms")
    job = start(bench, name, "-o", "a.h5", "--silence", "2 s", "--threads", 1, ranks=3)
    stopped = ranks_of(job)[-1]
    os.kill(stopped, signal.SIGSTOP)
    begun = time.monotonic()
    err = job.communicate(timeout=40)[1]
    assert "has not been heard of for 2 s" in err
    assert time.monotonic() - begun < 20
    assert job.returncode == 75
    try:
        os.kill(stopped, signal.SIGKILL)
    except ProcessLookupError:
        pass
    rest = explore(bench, name, "-o", "a.h5", "--resume", "--threads", 2, ranks=2)
    assert rest.returncode == 0, rest.stderr
    summary = json.loads(rest.stdout)
    assert summary["points"] == 3000 and summary["remembered"] > 0


CHEAP = 240_000   # answers of 70 bytes: the last ones do not fit 16 MB


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


@pytest.mark.parametrize("supervised", [False, True])
def test_a_full_disk_is_exit_7_although_points_take_longer_than_silence(bench, supervised):
    """Quick points fill 16 MB of journal while the ranks have begun with those that hang."""
    (bench.folder / "full.toml").write_text(SPACE.format(points=2, trouble="hang", cost="0 s").replace("trouble_at = 37", "trouble_at = 2\ny = { from = 1, to = %d }" % CHEAP))
    small_disk = bench.folder / "small_disk"
    small_disk.write_text("""#!/bin/sh\ntrap "" XFSZ; ulimit -f 32768; exec "$@"\n""")
    small_disk.chmod(0o755)
    launcher = f"{MPIEXEC} -n 2 --bind-to none ./small_disk"
    words = ["explore", "full.toml", "-o", "a.h5", "--silence", "4 s", "--threads", "1", "--progress", "none"]
    command = [bench.program, *words, "--supervise", "--launch", launcher] if supervised else [*shlex.split(launcher), bench.program, *words]
    done = subprocess.run(command, cwd=bench.folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 7, done.stderr
    assert "File too large" in done.stderr and "the job died" not in done.stderr


def test_ranks_end_when_their_launcher_is_killed(bench):
    job = start(bench, space(bench, points=20000, cost="3 ms"), "-o", "a.h5", "--threads", 1, ranks=3)
    ranks = ranks_of(job)
    job.kill()
    job.communicate(timeout=30)
    until = time.monotonic() + 15
    while any(Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" for pid in ranks):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_supervision_starts_a_job_again_that_lost_a_rank(bench):
    name = space(bench, points=1500, cost="2 ms")
    job = subprocess.Popen([bench.program, "explore", name, "-o", "a.h5", "--supervise", "--launch", f"{MPIEXEC} -n 3 --bind-to none", "--threads", "1", "--format",
                            "json", "--progress", "none"], cwd=bench.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    launcher = None
    until = time.monotonic() + 30
    while launcher is None or not (bench.folder / "a.h5.journal").exists() or len(ranks_of(launcher)) < 3:
        assert time.monotonic() < until
        children = ranks_of(job)
        launcher = type("Launcher", (), {"pid": children[0]}) if children else None
        time.sleep(0.02)
    time.sleep(0.4)
    os.kill(ranks_of(launcher)[-1], signal.SIGKILL)
    out, err = job.communicate(timeout=120)
    assert job.returncode == 0, err
    assert "restart 1 of 5" in err
    summary = json.loads(out[out.index("{"):])
    assert summary["points"] == 1500 and 0 < summary["remembered"] < 1500
    whole = json.loads(explore(bench, name, "-o", "whole.h5").stdout)
    assert summary["digest"] == whole["digest"]


def test_supervision_passes_a_stop_on_and_does_not_start_again(bench):
    job = subprocess.Popen([bench.program, "explore", space(bench, points=20000, cost="2 ms"), "-o", "a.h5", "--supervise", "--launch", f"{MPIEXEC} -n 2 --bind-to none",
                            "--progress", "none"], cwd=bench.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 30
    while not (bench.folder / "a.h5.journal").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(0.7)
    job.send_signal(signal.SIGTERM)
    out, err = job.communicate(timeout=60)
    assert job.returncode == 75, (out, err)
    assert (bench.folder / "a.h5").exists() and not (bench.folder / "a.h5.journal").exists()
    assert "restart" not in err


def test_supervision_inside_a_launcher_is_refused(bench):
    done = explore(bench, space(bench), "-o", "a.h5", "--supervise", ranks=2)
    assert done.returncode == 2
    assert "--launch" in done.stderr


def test_a_file_is_there_while_the_run_lives_and_watch_follows_it(bench):
    name = space(bench, points=4000, cost="2 ms")
    job = start(bench, name, "-o", "a.h5", "--checkpoint", "0.3 s", "--threads", 1, ranks=2)
    until = time.monotonic() + 20
    while not (bench.folder / "a.h5").exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    with h5py.File(bench.folder / "a.h5") as file:
        rows = file["point_id"].shape[0]
        assert 0 < rows < 4000 and file["provenance"].attrs["state"] == "going on"
    view = json.loads(bench.ok("watch", "a.h5", "--once", "--format", "json", "--interval", 0.3))
    assert view["state"] == "running" and view["planned"] == 4000 and rows <= view["answered"] < 4000
    assert view["front"] > 0 and 0 < view["hypervolume"] <= 1
    job.kill()
    job.communicate(timeout=30)
    time.sleep(3)
    died = bench("watch", "a.h5", "--once")
    assert died.returncode == 75 and "died" in died.stdout and "--resume" in died.stderr
    assert explore(bench, name, "-o", "a.h5", "--resume").returncode == 0
    assert "finished: 4000/4000" in bench.ok("watch", "a.h5")


FRONTS = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = 150000 }
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
        kept[ranks] = json.loads(explore(bench, "fronts.toml", "-o", f"fronts{ranks}.h5", "--keep", "front", ranks=ranks).stdout)
        assert {key: kept[ranks][key] for key in ("points", "feasible", "infeasible", "front")} == {key: every[key] for key in ("points", "feasible", "infeasible", "front")}
        assert same_file(bench.folder, "frontsNone.h5", f"fronts{ranks}.h5")
    assert bench("front", "frontsNone.h5", "--objectives", "latency").returncode == 0
    for more in (("--objectives", "latency,power"), ("--where", "x <= 9")):
        refused = bench("front", "frontsNone.h5", *more)
        assert refused.returncode == 3 and "keeps only the front of latency, energy" in refused.stderr
    assert bench("verify", "frontsNone.h5").returncode == 0
    with h5py.File(bench.folder / "every.h5") as all_of_it, h5py.File(bench.folder / "frontsNone.h5") as fronts:
        assert (all_of_it["front/ids"][:] == fronts["front/ids"][:]).all()
        assert fronts["point_id"].shape[0] < 2000
        assert fronts["blocks/points"][:].sum() == 300000
        assert fronts["front/history/evaluations"][-1] == 300000
        assert (all_of_it["front/history/size"][:] == fronts["front/history/size"][:]).all()


def test_shards_that_keep_fronts_join_to_the_whole(bench):
    (bench.folder / "fronts.toml").write_text(FRONTS)
    explore(bench, "fronts.toml", "-o", "whole.h5", "--keep", "front")
    for k in range(3):
        assert explore(bench, "fronts.toml", "-o", f"part{k}.h5", "--keep", "front", "--shard", f"{k}/3").returncode == 0
    bench.ok("merge", "part0.h5", "part1.h5", "part2.h5", "-o", "joined.h5")
    assert same_file(bench.folder, "whole.h5", "joined.h5")
    assert bench("merge", "part0.h5", "part0.h5", "-o", "twice.h5").returncode == 8


def test_a_run_that_keeps_fronts_is_resumed_where_it_stopped(bench):
    (bench.folder / "fronts.toml").write_text(FRONTS.replace("x = {", 'cost = "15 us"\nwork = "spin"\nx = {'))
    whole = json.loads(explore(bench, "fronts.toml", "-o", "whole.h5", "--keep", "front").stdout)
    first = explore(bench, "fronts.toml", "-o", "a.h5", "--keep", "front", "--time-limit", "0.8 s")
    assert first.returncode == 75
    rest = json.loads(explore(bench, "fronts.toml", "-o", "a.h5", "--keep", "front", "--resume").stdout)
    assert rest["digest"] == whole["digest"] and rest["remembered"] > 0
    assert rest["remembered"] + rest["evaluated"] == whole["points"], "parts of blocks that were cut are not evaluated again"
    other = explore(bench, "fronts.toml", "-o", "a.h5", "--resume")
    assert other.returncode == 3 and "another space" in other.stderr
