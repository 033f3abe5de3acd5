"""A folder that looks like the one a reader is in: the tree by links, the program where ./run build leaves it."""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(os.environ["PIMDSE_ROOT"])
SHELL = ["bash", "-e", "-u", "-o", "pipefail", "-c"]


@pytest.fixture
def desk(tmp_path):
    for name in ("analysis", "spaces", "docs", "jobs", "completions"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "build/run").mkdir(parents=True)
    (tmp_path / "build/run/pimdse").symlink_to(os.environ["PIMDSE"])
    return tmp_path


@pytest.fixture
def typed(desk):
    """Runs text as a shell does; the words in which it failed, else what it printed."""
    path = f"{desk}/build/run:/usr/bin:/bin"  # Debian's own interpreter is the one that has h5py
    env = {**os.environ, "PATH": path, "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("PIMDSE", None)

    def run(text, timeout=1500):
        done = subprocess.run([*SHELL, text], cwd=desk, capture_output=True, text=True, timeout=timeout, env=env,
                              stdin=subprocess.DEVNULL)
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    return run
