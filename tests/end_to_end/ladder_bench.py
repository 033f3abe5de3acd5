"""Spaces that ladders search, and what tests look at in their files."""
import h5py
import numpy as np

from conftest import CAMPAIGN, ROUTER_AXES, UPMEM_STREAMS

CONDITION = """schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
kernel = "va"
elements = 262144
streams = [1, 2, 4, 8]
tasklets = [1, 4, 8, 11, 16]
[[constraint]]
name = "pace"
expr = "latency %s"
"""
SPACES = {
    "upmem": UPMEM_STREAMS,
    "dplena": """schema = 1
architecture = "dplena"
objectives = ["latency", "area", "energy"]
[parameters]
vlen = [64, 256, 1024]
prefetch = [1, 4, 16]
channels = [8, 32]
steps = 1
""",
    "in_scenarios": """schema = 2
architecture = "upmem"
objectives = ["speedup", "energy"]
[parameters]
streams = [1, 2, 4, 8]
tasklets = [1, 4, 8, 11]
[[scenario]]
name = "small"
kernel = "va"
elements = 16384
[[scenario]]
name = "large"
kernel = "va"
elements = 262144
[baseline]
streams = 1
""",
    "meeting_a_condition_at_analytic_level_only": CONDITION % "<= 24.9 ms",
    "meeting_a_condition_at_cycle_level_only": CONDITION % ">= 24.25 ms",
}
LADDER = ("--strategy", "ladder", "--format", "json", "--progress", "none")


def space(pimdse, name):
    (pimdse.folder / "space.toml").write_text(SPACES[name])
    return "space.toml"


def front_of(path):
    with h5py.File(path) as file:
        ids = file["front/ids"][()]
        rows = np.isin(file["point_id"][()], ids) & (file["fidelity"][()] == 2)
        return list(ids), [file["metrics"][name][()][rows].tolist() for name in file["front"].attrs["objectives"]]


BOXED = (
    """schema = 1
architecture = "cim_mesh"
objectives = ["latency", "area"]
[parameters]
llm = "llama-3.2-1b"
input = 128
output = 64
mesh_cols = [24, 32]
"""
    + ROUTER_AXES
    + "%s"
)

# Just so many that boxes are searched (2^17 points can be listed).
FEW_BOXES = BOXED if CAMPAIGN else BOXED.replace("[32, 64, 128, 256, 512]", "[32, 512]")
LISTED = 1 << 17


def forge(pimdse, change):
    """The file without its seal, changed."""
    whole = pimdse.folder / "ladder.h5"
    forged = pimdse.folder / "forged.h5"
    forged.write_bytes(whole.read_bytes()[512:])
    with h5py.File(forged, "r+") as file:
        change(file["certificate"])
    return "forged.h5"
