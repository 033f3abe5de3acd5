"""A folder that looks like the one a reader is in: the tree by links, the program where ./run build leaves it, on a
machine that has only what `./run quick` installs, where such a machine can be made."""
import os
import subprocess
from pathlib import Path

import pytest
from fresh_machine import FreshMachine, Impossible, make_page

ROOT = Path(os.environ["PIMDSE_ROOT"])
CAMPAIGN = os.environ.get("PIMDSE_CAMPAIGN") == "1"
SHELL = ["bash", "-e", "-u", "-o", "pipefail", "-c"]


def pytest_collection_modifyitems(items):
    """Of a file that is dealt into several tests (PIMDSE_PART=2/3), those of this one: pages run beside each other."""
    part, parts = map(int, os.environ.get("PIMDSE_PART", "1/1").split("/"))
    items[:] = items[part - 1::parts]


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    """The machine after `./run quick`, or the reason why there is none here."""
    folder = tmp_path_factory.mktemp("machine")
    try:
        fresh = FreshMachine(ROOT, folder)
    except (Impossible, FileNotFoundError, subprocess.CalledProcessError) as reason:
        yield str(reason)
        return
    make_page(fresh, ROOT, os.environ["PIMDSE"], folder)
    yield fresh
    fresh.stop()


@pytest.fixture
def desk(tmp_path):
    for name in ("analysis", "spaces", "docs", "jobs", "completions", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "build/run").mkdir(parents=True)
    (tmp_path / "build/run/pimdse").symlink_to(os.environ["PIMDSE"])
    return tmp_path


@pytest.fixture
def typed(desk, machine):
    """Runs text as a shell does; the words in which it failed, else what it printed."""
    path = f"{desk}/build/run:/usr/bin:/bin"  # Debian's own interpreter is the one that has h5py
    env = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    for name in [name for name in env if name.startswith(("OMPI_", "PIMDSE", "MPL"))]:
        del env[name]  # a reader has none of them
    prefix = [] if isinstance(machine, str) else machine.prefix

    def run(text, timeout=1500):
        done = subprocess.run([*prefix, *SHELL, text], cwd=desk, capture_output=True, text=True, timeout=timeout,
                              env=env, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    return run
