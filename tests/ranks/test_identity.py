"""Answers of different models are never mixed: by --resume, by merge, or between ranks."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import MPIEXEC, ROOT, wait_for_answers

CONSTANTS = "models/cim_mesh/constants.toml"


@pytest.fixture
def other_data(tmp_path):
    """The data folder with one constant changed."""
    def only_data(_, names):
        return [name for name in names if Path(name).suffix in (".cpp", ".hpp", ".md")]

    shutil.copytree(ROOT / "models", tmp_path / "data" / "models", ignore=only_data)
    path = tmp_path / "data" / CONSTANTS
    text, count = re.subn(r"(value *= *)(\d)", r"\g<1>1\2", path.read_text(), count=1)
    assert count == 1
    path.write_text(text)
    return {"PIMDSE_DATA": str(tmp_path / "data")}


def files_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_run_is_not_gone_on_with_after_a_constant_has_changed(pimdse, small_space, other_data):
    pimdse.ok("explore", small_space, "-o", "a.h5", "--budget", 20, "--progress", "none")
    before = files_in(pimdse.folder)
    done = pimdse("explore", small_space, "-o", "a.h5", "--resume", "--progress", "none", env=other_data)
    assert done.returncode == 8, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and CONSTANTS in done.stderr
    assert files_in(pimdse.folder) == before
    done = pimdse("explore", small_space, "-o", "a.h5", "--force", "--progress", "none", env=other_data)
    assert done.returncode in (0, 6), done.stderr


def test_a_journal_is_not_gone_on_with_after_a_constant_has_changed(pimdse, small_space, other_data):
    run = pimdse.start(
        "explore", small_space, "-o", "a.h5", "--fidelity", "cycle", "--threads", 1, "--progress", "none"
    )
    wait_for_answers(run, pimdse.folder / "a.h5.journal", 10)
    run.kill()
    run.communicate()
    before = files_in(pimdse.folder)
    done = pimdse(
        "explore", small_space, "-o", "a.h5", "--fidelity", "cycle", "--resume", "--progress", "none", env=other_data
    )
    assert done.returncode == 8, done.stderr
    assert CONSTANTS in done.stderr
    assert files_in(pimdse.folder) == before
    pimdse.ok(
        "explore", small_space, "-o", "a.h5", "--fidelity", "cycle", "--resume", "--budget", 30, "--progress", "none"
    )


def test_ranks_with_different_constants_do_not_work_together(pimdse, small_space, other_data):
    words = [pimdse.program, "explore", str(small_space), "-o", "a.h5", "--progress", "none"]
    done = subprocess.run(
        [
            MPIEXEC,
            "--bind-to",
            "none",
            "-n",
            "1",
            *words,
            ":",
            "-n",
            "1",
            "env",
            f"PIMDSE_DATA={other_data['PIMDSE_DATA']}",
            *words,
        ],
        cwd=pimdse.folder,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        env=os.environ,
    )
    assert done.returncode == 8, done.stderr
    assert "rank 1 on" in done.stderr and CONSTANTS in done.stderr
    assert not (pimdse.folder / "a.h5").exists()
