"""When jobs/*.sbatch send their job back to the queue. Slurm and the launcher are stubs here; tests/slurm has both."""
import os
import subprocess
from pathlib import Path

import pytest

JOBS = Path(__file__).resolve().parents[2] / "jobs"
OWN, LOST = [0, 2, 3, 4, 5, 6, 7, 8], [1, 9, 132, 137, 143, 183, 205, 213, 255]


def stub(folder, name, text):
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


GROWS = "echo result >> out.h5.journal"
ENDS_IN_ORDER = "mv out.h5.journal out.h5"   # a result file takes the place of the journal, as large as that was before


def submitted(tmp_path, name, status, run="", **environment):
    """(exit code, whether it was requeued) of a job whose launcher ends with `status` after what `run` does."""
    stub(tmp_path, "launch", f"{run}\nexit {status}")
    stub(tmp_path, "scontrol", "echo \"$@\" >> requeued")
    (tmp_path / "out.h5.journal").write_text("head\n")
    done = subprocess.run(["bash", JOBS / name], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "OUTPUT": "out.h5", "PIMDSE": "true",
                               "LAUNCH": "./launch", "SLURM_JOB_ID": "7", **environment})
    return done.returncode, (tmp_path / "requeued").exists()


@pytest.mark.parametrize("name", ["preemptible.sbatch", "explore.sbatch"])
@pytest.mark.parametrize("run, result_file", [("", True), (GROWS, False), (ENDS_IN_ORDER, True)])
def test_only_a_run_that_was_lost_is_requeued(tmp_path, name, run, result_file):
    for status in OWN + LOST:
        for old in tmp_path.glob("requeued"):
            old.unlink()
        (tmp_path / "out.h5").unlink(missing_ok=True)
        if result_file:
            (tmp_path / "out.h5").write_text("head\n")
        assert submitted(tmp_path, name, status, run) == (status, run != "" and status in LOST), status


def test_an_orderly_stop_is_requeued_while_restarts_are_left(tmp_path):
    assert submitted(tmp_path, "preemptible.sbatch", 75) == (75, True)
    (tmp_path / "requeued").unlink()
    assert submitted(tmp_path, "preemptible.sbatch", 75, GROWS, SLURM_RESTART_COUNT="100") == (75, False)


@pytest.mark.parametrize("name", ["preemptible.sbatch", "explore.sbatch"])
def test_a_program_that_is_not_there_is_said_first(tmp_path, name):
    assert submitted(tmp_path, name, 0, PIMDSE="build/run/none") == (2, False)


@pytest.mark.parametrize("works, launcher", [(0, "srun"), (1, "mpirun")])
def test_ranks_are_started_by_what_works(tmp_path, works, launcher):
    stub(tmp_path, "srun", f"case \"$*\" in *true) exit {works};; esac\necho srun > used")
    stub(tmp_path, "mpirun", "echo mpirun > used")
    assert submitted(tmp_path, "preemptible.sbatch", 0, LAUNCH="") == (0, False)
    assert (tmp_path / "used").read_text().strip() == launcher
