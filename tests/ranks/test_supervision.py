"""When supervision starts a job again, on which nodes, and when it gives up; the launchers are small scripts that die
as real ones do."""
import os
import re
import signal
import subprocess
import time

import h5py
import pytest

from conftest import Runner, same_file

SPACE = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = {{ from = 1, to = {points} }}
trouble = "{trouble}"
trouble_at = 37
cost = "{cost}"
"""

# Runs the job and kills it once its journal has grown by some answers.
KILLED_AFTER_PROGRESS = """#!/bin/sh
size() { stat -c %s a.h5.journal 2>/dev/null || echo 0; }
before=$(size)
"$@" & job=$!
while kill -0 $job 2>/dev/null; do
    [ $(($(size) - before)) -gt 3000 ] && kill -9 $job && {then}
    sleep 0.02
done
wait $job
"""


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "space.toml").write_text(SPACE.format(points=200, trouble="none", cost="20 ms"))
    return Runner(tmp_path, os.environ["PIMDSE_WORKBENCH"])


def script(bench, text, name="launch"):
    path = bench.folder / name
    path.write_text(text)
    path.chmod(0o755)
    return f"./{name}"


def supervised(bench, *words, launch=None, **options):
    launcher = ("--launch", launch) if launch else ()
    return bench("explore", "space.toml", "-o", "a.h5", "--supervise", "--threads", 1, "--progress", "none", *launcher,
                 *words, **options)


def test_restarts_are_counted_from_the_last_answer(bench):
    done = supervised(bench, "--restarts", 2, launch=script(bench, KILLED_AFTER_PROGRESS.replace("{then}", ":")))
    assert done.returncode == 0, done.stderr
    restarts = re.findall(r"\brestart (\d) of 2 in ([\d.]+) s", done.stderr)
    assert len(restarts) > 2 and {float(pause) for _, pause in restarts} == {1.0}, "the pause begins anew as well"
    assert {number for number, _ in restarts} == {"1"}, "each job brought answers"
    bench.ok("explore", "space.toml", "-o", "whole.h5", "--threads", 16)
    assert same_file(bench.folder, "a.h5", "whole.h5")


def test_a_job_that_gets_nowhere_is_given_up(bench):
    done = supervised(bench, "--restarts", 1, launch=script(bench, "#!/bin/sh\n: > a.h5.journal\nexit 1\n"))
    assert done.returncode == 75 and "--resume" in done.stderr.splitlines()[-1]
    assert re.findall(r"\brestart (\d+ of \d+)", done.stderr) == ["1 of 1"], done.stderr


def test_a_launcher_that_fails_before_anything_began_is_not_tried_again(bench):
    done = supervised(bench, launch=script(bench, "#!/bin/sh\necho started >> starts\nexit 9\n"))
    assert done.returncode == 9 and (bench.folder / "starts").read_text() == "started\n"


def test_a_job_that_died_after_sealing_is_asked_how_it_ended(bench):
    done = supervised(bench, launch=script(bench, '#!/bin/sh\n[ -e once ] && exec "$@"\n: > once\n"$@"\nkill -9 $$\n'))
    assert done.returncode == 0, done.stderr
    with h5py.File(bench.folder / "a.h5") as file:
        assert file["point_id"].shape == (200,)


@pytest.mark.parametrize("change, code", [("echo >> new", 75), (":", 0)])
def test_only_the_same_program_goes_on(bench, change, code):
    """A rebuilt program has another inode; only other bytes make it another program."""
    program = bench.folder / "program"
    program.write_bytes(open(bench.program, "rb").read())
    program.chmod(0o755)
    replace = f"{{ cp program new; {change}; mv new program; }}"
    done = supervised(
        Runner(bench.folder, "./program"),
        "--restarts",
        9,
        launch=script(bench, KILLED_AFTER_PROGRESS.replace("{then}", replace)),
        env={"PIMDSE_DATA": os.environ["PIMDSE_ROOT"]},
    )
    assert done.returncode == code, done.stderr
    assert ("./program" in done.stderr.splitlines()[-1]) == (code == 75), done.stderr
    assert "deleted" not in done.stderr


def test_the_exit_code_counts_although_ends_of_children_were_ignored(bench):
    (bench.folder / "space.toml").write_text(SPACE.format(points=50, trouble="exception", cost="0 s"))
    done = subprocess.run(
        [bench.program, "explore", "space.toml", "-o", "a.h5", "--supervise", "--progress", "none"],
        cwd=bench.folder,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    )
    assert done.returncode == 5, done.stderr


def test_a_stop_before_the_job_has_begun_leaves_it_resumable(bench):
    launch = script(bench, "#!/bin/sh\n: > here\nsleep 20 >/dev/null 2>&1\n")
    job = subprocess.Popen(
        [bench.program, "explore", "space.toml", "-o", "a.h5", "--supervise", "--launch", launch],
        cwd=bench.folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 30
    while not (bench.folder / "here").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    job.send_signal(signal.SIGTERM)
    err = job.communicate(timeout=30)[1]
    assert job.returncode == 75 and "--resume" in err


def test_a_launcher_that_outlives_its_run_is_ended(bench):
    """As mpirun does when a node is gone. Half a minute is waited first."""
    stays = KILLED_AFTER_PROGRESS.replace('before=', '[ -e once ] && exec "$@"\nbefore=', 1).replace(
        "{then}", ": > once && exec sleep 200 >/dev/null 2>&1"
    )
    done = supervised(bench, launch=script(bench, stays))
    assert done.returncode == 0, done.stderr
    assert "launcher" in done.stderr.splitlines()[-1], done.stderr


def with_slurm_of_three_nodes(bench, answering):
    """An environment in which n1, n2 and n3 are allocated and srun reaches some of them."""
    tools = bench.folder / "bin"
    tools.mkdir()
    script(bench, "#!/bin/sh\nprintf 'n1\\nn2\\nn3\\n'\n", "bin/scontrol")
    script(
        bench,
        "#!/bin/sh\nfor word; do case $word in --nodelist=*) nodes=${word#--nodelist=};; esac; done\n"
        f"for node in $(echo $nodes | tr , ' '); do case ' {answering} ' in *\" $node \"*) ;; *) exit 1;; esac; done\n",
        "bin/srun",
    )
    mpirun = KILLED_AFTER_PROGRESS.replace(
        "before=", 'echo "$1 $2" >> launches\n[ "$1" = --host ] && shift 2\n[ -e once ] && exec "$@"\nbefore=', 1
    )
    script(bench, mpirun.replace("{then}", ": > once"), "bin/mpirun")
    return {
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_NODELIST": "n[1-3]",
        "SLURM_TASKS_PER_NODE": "2(x2),1",
        "PATH": f"{tools}:{os.environ['PATH']}",
    }


def test_a_restart_leaves_out_nodes_that_do_not_answer(bench):
    done = supervised(bench, launch="mpirun", env=with_slurm_of_three_nodes(bench, "n1 n3"))
    assert done.returncode == 0, done.stderr
    assert re.search(r"\b1 of 3 .*: n2; .*: n1, n3\n", done.stderr), done.stderr
    launches = (bench.folder / "launches").read_text().splitlines()
    assert not launches[0].startswith("--host") and launches[1] == "--host n1:2,n3:1"


def test_more_nodes_lost_than_may_be_end_the_job_resumable(bench):
    done = supervised(bench, "--spare-nodes", 1, launch="mpirun", env=with_slurm_of_three_nodes(bench, "n3"))
    assert done.returncode == 75
    assert re.search(r"\b2 of 3 .*: n1, n2; .*: n3, .*--spare-nodes .*\b1\b", done.stderr), done.stderr


def test_where_no_node_can_be_asked_all_are_used_again(bench):
    done = supervised(bench, "--spare-nodes", 0, launch="mpirun", env=with_slurm_of_three_nodes(bench, ""))
    assert done.returncode == 0, done.stderr
    assert "--host" not in (bench.folder / "launches").read_text()
