"""The spaces that jobs explore, and what a run on this machine alone makes of them."""
import os
from pathlib import Path

import h5py
import pytest

from conftest import PIMDSE, Runner, same_file

WORKBENCH = os.environ["PIMDSE_WORKBENCH"]
# Real points, a few hundred milliseconds of work in all.
REAL = """schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
elements = { from = 1024, to = 200000, step = 25000 }
tasklets = { from = 1, to = 24 }
[search]
fidelity = "cycle"
"""
# Points that sleep: three seconds for two ranks on any machine, to be stopped in the middle of.
LONG = """schema = 1
architecture = "workbench"
objectives = ["latency", "energy"]
[parameters]
x = { from = 1, to = 600 }
cost = "10 ms"
"""
LONG_POINTS = 600
LONGER = LONG.replace("10 ms", "30 ms")   # time for three jobs to begin
SPACES = {"real.toml": REAL, "long.toml": LONG, "longer.toml": LONGER}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """A folder with what this machine answers without Slurm: real.h5, long.h5 and longer.h5."""
    folder = tmp_path_factory.mktemp("local")
    for name, text in SPACES.items():
        (folder / name).write_text(text)
        program = PIMDSE if text is REAL else WORKBENCH
        Runner(folder, program).ok(
            "explore", name, "-o", Path(name).with_suffix(".h5"), "--threads", 16, "--progress", "none"
        )
    return folder


def equal(left, right):
    """The same digest, and the same file outside /timing and /provenance."""
    digests = set()
    for path in (left, right):
        with h5py.File(path) as file:
            digests.add(file.attrs["digest"])
    return len(digests) == 1 and same_file(left.parent, left, right)


def provenance(path):
    with h5py.File(path) as file:
        return {**file["provenance"].attrs, "hosts": file["provenance/hosts"][:]}, file["timing/rank"][:]
