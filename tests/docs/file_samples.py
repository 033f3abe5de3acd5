"""Small result files that between them hold every object of docs/file_format.md."""
import h5py

LADDER = """schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
kernel = "va"
elements = [65536, 262144]
streams = [1, 2, 4]
tasklets = [1, 8, 16]
lock = ["none", "exclusive"]
[[constraint]]
name = "in time"
expr = "latency <= 100 ms"
"""
BOXES = """schema = 1
architecture = "cim_mesh"
objectives = ["latency", "area"]
[parameters]
llm = "llama-3.2-1b"
input = 128
output = 64
mesh_cols = [24, 32]
frequency = { from = "0.25 GHz", to = "2 GHz", step = "0.25 GHz" }
dmacs = { from = 1, to = 128, times = 2 }
fifo_bytes = [32, 64, 128, 256, 512]
scratchpad = [16384, 32768, 65536, 131072]
context_tile = { from = 1, to = 128, times = 2 }
smac_cycles = [0, 1, 2, 4, 8, 16, 32]
lora_rank = [4, 8, 16]
"""
JOINT = """schema = 2
objectives = ["latency", "energy"]
[[machine]]
architecture = "umdam"
[machine.parameters]
channels = [2, 4]
[[machine]]
architecture = "gpu"
[machine.parameters]
devices = [1, 2]
[[scenario]]
name = "chat"
llm = "llama-3.2-1b"
input = 64
output = 8
"""
KEPT = """schema = 1
architecture = "gpu"
objectives = ["latency", "energy"]
[parameters]
input = { from = 1, to = 40000, step = 1 }
output = { from = 1, to = 100000, step = 1 }
"""
OWN = """schema = 1
architecture = "./my_card.toml"
objectives = ["latency"]
[parameters]
llm = "opt-125m"
batch = [1, 2]
"""  # of a machine that `pimdse new-machine my_card` writes
RUNS = {  # name: space, flags, exit codes
    "ladder": (LADDER, ["--strategy", "ladder", "--audit", "5"], (0,)),
    "boxes": (BOXES, ["--strategy", "ladder"], (0,)),
    "joint": (JOINT, [], (0,)),
    "uncertain": (JOINT, ["--uncertain", "4"], (0,)),
    "own": (OWN, [], (0,)),
    "parts": (LADDER, ["--part-rows", "20"], (0,)),
    "kept": (KEPT, ["--keep", "front", "--time-limit", "0.7 s"], (75,)),
}
OF_HDF5 = {"DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"}  # dimension scales


def objects_in(path):
    """{path of an object: names of its attributes}"""
    with h5py.File(path) as file:
        found = {"/": set(file.attrs) - OF_HDF5}

        def look(group, place):  # not visititems, which sees objects that have two names once
            for name, one in group.items():
                found[f"{place}/{name}"] = set(one.attrs) - OF_HDF5
                if isinstance(one, h5py.Group):
                    look(one, f"{place}/{name}")

        look(file, "")
        return found
