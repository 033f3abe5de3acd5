"""Exact fronts with models, kernels and constants of a user's own, drawn at random: a ladder finds the sweep's front.

The campaign has many rounds of each kind. PIMDSE_OWN_SEED: another draw.
"""
import os
import random
import re
import tomllib

import pytest
from conftest import CAMPAIGN, ROOT, in_campaign, refused
from ladder_bench import LADDER, front_of

ROUNDS = 200 if CAMPAIGN else 2
SEED = int(os.environ.get("PIMDSE_OWN_SEED", "1"))
SPACE = 'schema = 1\narchitecture = "{}"\nobjectives = {}\n{}[parameters]\n{}\n'
OBJECTIVES = '["latency", "energy", "area"]'

# Axes along which directions are declared, and some along which none is; requests that take milliseconds.
AXES = {
    "umdam": """llm = "opt-125m"
input = 16
output = 2
npu_flops = ["4 TFLOP/s", "16 TFLOP/s"]
pim_mac_interval = ["1 ns", "4 ns"]
queue_depth = [8, 32]
channels = [2, 4]""",
    "upmem": """elements = %d
tasklets = [1, 4, 11, 16]
mram_bandwidth = ["350 MB/s", "700 MB/s", "1.4 GB/s"]
offload = ["0 s", "1 ms"]
preset = ["hardware", "upimulator-go"]""" % (3000 if CAMPAIGN else 600),
    "dplena": """scope = "end_to_end"
llm = "llada-8b"
steps = 2
block_length = 8
generation_length = [8, 16]
channels = [16, 32]
batch = 1
preload = 1
matrix_depth = [256, 512]
weight_bits = [4, 8]
refresh = ["off", "on"]""",
    "cim_mesh": """llm = "llama-3.2-1b"
input = 32
output = 8
batch = [1, 2, 4, 8, 16]
frequency = ["0.25 GHz", "1 GHz", "2 GHz"]
scratchpad = [16384, 32768]
gating = ["srpg", "none"]""",
}


# So many that boxes are searched: a direction decides which design of a box is asked for.
SLOW_MESH = """llm = "llama-3.2-1b"
input = 1
output = 256
gating = "none"
frequency = "0.25 GHz"
batch = { from = 1, to = 16, step = 1 }
scratchpad = [16384, 32768]
dmacs = { from = 1, to = 128, times = 2 }
fifo_bytes = %s
context_tile = { from = 1, to = 128, times = 2 }
smac_cycles = [0, 1, 2, 4, 8, 16, 32]
lora_rank = [4, 8, 16]""" % ("[32, 64, 128, 256, 512]" if CAMPAIGN else "[32, 512]")


def constant(name, row, draw):
    factor = 2 ** draw.uniform(-3, 3)
    counts = ("1", "B", "cycles", "elements", "tokens", "KiB", "MiB")
    whole = row["unit"] in counts and row["value"] == int(row["value"])
    value = max(1, round(row["value"] * factor)) if whole else row["value"] * factor
    return f'[{name}]\nvalue = {value!r}\nunit = "{row["unit"]}"\nsource = "drawn"\n'


def own_constants(architecture, draw):
    """One constant alone, or several at once."""
    rows = tomllib.loads((ROOT / f"models/{architecture}/constants.toml").read_text())
    names = [name for name in rows if name != "allowance"]
    some = draw.sample(names, draw.choice([1, 1, 2, 4, 8]))
    return "".join(constant(name, rows[name], draw) for name in some)


def own_model(draw):
    """Shapes of a small model; its name stays as it is."""
    text = re.sub(r"(?m)^published_parameters .*\n", "", (ROOT / "models/llm/opt-125m.toml").read_text())
    for key, values in (("ffn", (512, 1024, 3072, 6144)), ("vocabulary", (8192, 32768, 50272)), ("layers", (2, 6, 12))):
        text = re.sub(rf"(?m)^{key}( *)= .*$", rf"{key}\1= {draw.choice(values)}", text)
    return text


def own_kernel(name, draw):
    """Numbers of a made kernel, each a half to twice of what they were."""
    def changed(match):
        return f"{match[1]}{float(match[2]) * 2 ** draw.uniform(-1, 1):.6g}{match[3]}"
    kept = "element_bytes|reads|writes|write_fraction|row_macs|mac_bytes|layers|output_serial|rows_together|element_q"
    text = (ROOT / f"models/upmem/kernels/{name}.toml").read_text()
    return re.sub(rf"(?m)^((?!{kept})\w+ *= {{ value = )([\d.]+)(,)", changed, text)


def explored(pimdse, architecture, axes, constants=""):
    """Fronts of the ladder and of the sweep; nothing where the files are refused."""
    if constants:
        (pimdse.folder / "ours.toml").write_text(constants)
    head = 'constants = "./ours.toml"\n' if constants else ""
    (pimdse.folder / "own.toml").write_text(SPACE.format(architecture, OBJECTIVES, head, axes))
    fronts = []
    for output, words in (("ladder.h5", LADDER), ("sweep.h5", ("--fidelity", "cycle", "--progress", "none"))):
        done = pimdse("explore", "own.toml", "-o", output, "--force", *words)
        assert done.returncode in (0, 3, 6), f"rc {done.returncode}\n{done.stderr}\n{constants}\n{axes}"
        if done.returncode == 3:
            return None
        fronts.append(front_of(pimdse.folder / output))
    return fronts


def expect_equal(fronts, what):
    assert fronts is None or fronts[0] == fronts[1], f"{fronts}\n{what}"
    return fronts is not None


@pytest.mark.parametrize("architecture", AXES)
def test_a_ladder_finds_the_front_of_the_sweep_with_any_accepted_constants(pimdse, architecture):
    draw = random.Random(f"{architecture} {SEED}")
    accepted = 0
    for _ in range(ROUNDS):
        constants = own_constants(architecture, draw)
        accepted += expect_equal(explored(pimdse, architecture, AXES[architecture], constants), constants)
    assert accepted > 0, "all drawn constants were refused"


@pytest.mark.parametrize("constants", [in_campaign("logic_static = 100 mW/mm2"), "scratchpad_leakage = 900 mW/MiB"])
def test_directions_of_the_mesh_hold_whatever_waits_and_works(pimdse, constants):
    name, _, value, unit = constants.split(" ")
    text = f'[{name}]\nvalue = {value}\nunit = "{unit}"\nsource = "mine"\n'
    assert expect_equal(explored(pimdse, "cim_mesh", SLOW_MESH, text), text)


@pytest.mark.parametrize("architecture", ["umdam", "cim_mesh"])
def test_a_ladder_finds_the_front_of_the_sweep_with_models_of_one_name(pimdse, architecture):
    draw = random.Random(f"models {architecture} {SEED}")
    for _ in range(ROUNDS // 2):
        models = [own_model(draw) for _ in range(2)]
        for i, text in enumerate(models):
            (pimdse.folder / f"mine{i}.toml").write_text(text)
        axes = re.sub(r'(?m)^llm = .*$', 'llm = ["opt-125m", "./mine0.toml", "./mine1.toml"]', AXES[architecture])
        if architecture == "cim_mesh":
            axes = re.sub(r"(?m)^frequency.*$", 'placement = "searched"', axes)
        assert expect_equal(explored(pimdse, architecture, axes), models)


def test_a_ladder_finds_the_front_of_the_sweep_with_kernels_of_ones_own(pimdse):
    draw, accepted = random.Random(f"kernels {SEED}"), 0
    for _ in range(ROUNDS // 2):
        names = draw.sample(["sel", "uni", "hst-s", "scan-ssa", "gemv", "mlp", "bs", "va-paper", "ts"], 2)
        for i, name in enumerate(names):
            (pimdse.folder / f"kernel{i}.toml").write_text(own_kernel(name, draw))
        axes = AXES["upmem"] + '\nkernel = ["./kernel0.toml", "./kernel1.toml"]'
        accepted += expect_equal(explored(pimdse, "upmem", axes), names)
    assert accepted > 0, "all drawn kernels were refused"


@pytest.mark.parametrize("count, by", [("element", 1), ("element", -1), ("start", 3), ("block", 2), ("operands", 2)])
def test_counts_that_differ_from_the_listing_are_refused(pimdse, count, by):
    text = (ROOT / "models/upmem/kernels/va.toml").read_text()
    wrong = re.sub(rf"(?m)^(listing_{count} *= {{ value = )(\d+)", lambda m: f"{m[1]}{int(m[2]) + by}", text)
    assert wrong != text
    (pimdse.folder / "va.s").write_text((ROOT / "models/upmem/kernels/va.s").read_text())
    for content, code in ((text, 0), (wrong, 3)):
        (pimdse.folder / "mine.toml").write_text(content)
        done = pimdse("evaluate", "upmem", "--set", "kernel=./mine.toml", "--set", "elements=3000")
        assert done.returncode == code, done.stderr
    refused(done, 3, "mine.toml", "va.s")
