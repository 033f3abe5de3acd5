"""Numbers that nothing has, and what no machine could have or nobody waits for, are refused in one sentence."""
import json

import pytest

from bad_input import data_with, one_sentence

VA = ("evaluate", "upmem", "--fidelity", "hybrid")
NUMBERS = {
    "a model with a billion billion experts": (
        "llm/llada-moe-7b-a1b.toml",
        r"^experts\s*=.*",
        "experts = 1e18",
        ("evaluate", "cim_mesh", "--set", "llm=llada-moe-7b-a1b"),
        "'experts'",
    ),
    "a model of a width beyond 64 bits": (
        "llm/opt-6.7b.toml",
        r"^hidden\s*=.*",
        "hidden = 1e308",
        ("evaluate", "umdam", "--set", "llm=opt-6.7b"),
        "'hidden'",
    ),
    "a model with endless layers": (
        "llm/opt-6.7b.toml",
        r"^layers\s*=.*",
        "layers = inf",
        ("evaluate", "umdam", "--set", "llm=opt-6.7b"),
        "'layers'",
    ),
    "a model whose product is beyond 64 bits": (
        "llm/opt-6.7b.toml",
        r"^ffn\s*=.*",
        "ffn = 16777216",
        ("evaluate", "umdam", "--set", "llm=opt-6.7b"),
        None,
    ),
    "a kernel that reads without end": (
        "upmem/kernels/va.toml",
        r"^reads\s*=\s*\{ value = \d+",
        "reads = { value = 1e18",
        VA,
        "'reads'",
    ),
    "a kernel of negative bytes": (
        "upmem/kernels/va.toml",
        r"^input_bytes\s*=\s*\{ value = \d+",
        "input_bytes = { value = -8",
        VA,
        "'input_bytes'",
    ),
    "a kernel of endless bytes": (
        "upmem/kernels/va.toml",
        r"^mram_bytes\s*=\s*\{ value = \d+",
        "mram_bytes = { value = inf",
        VA,
        "inf",
    ),
    "a constant that is no number": (
        "upmem/constants.toml",
        r"^(tail_read_slots *= \{ value = )\d+",
        r"\1nan",
        VA,
        "nan",
    ),
    "a constant that counts beyond 64 bits": (
        "upmem/constants.toml",
        r"^(t_rcd *= \{ value = )\d+",
        r"\g<1>1e308",
        VA,
        "t_rcd",
    ),
    "a timing beyond 64 bits": (
        "dram/L5J.toml",
        r"^nRC\s.*",
        "nRC = 1e308",
        ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096"),
        "'nRC'",
    ),
}


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_that_nothing_has_are_refused_in_one_sentence(pimdse, what):
    file, old, new, words, named = NUMBERS[what]
    done = pimdse(*words, env=data_with(pimdse.folder, file, old, new), timeout=60)
    if named is None:
        assert done.returncode in (0, 3, 6), done.stderr
    else:
        one_sentence(done, 3, named)


def test_a_listing_that_boots_a_tasklet_too_many_is_bad_input(pimdse):
    env = data_with(pimdse.folder, "upmem/kernels/va.s", r"^\tmove r21, r23\n", "\tmove r21, r23\n\tboot zero, 30\n")
    one_sentence(
        pimdse(
            "evaluate",
            "upmem",
            "--fidelity",
            "cycle",
            "--set",
            "preset=upimulator-cpp",
            "--set",
            "elements=4096",
            env=env,
        ),
        3,
        "boots tasklet 30",
    )


TOO_LARGE = {
    "elements beyond all DPUs": (("evaluate", "upmem", "--set", "elements=9223372036854775807"), 3, "elements"),
    "elements that overflowed a postcondition": (
        (
            "evaluate",
            "upmem",
            "--fidelity",
            "cycle",
            "--set",
            "kernel=micro-add-float",
            "--set",
            "transfer=serial",
            "--set",
            "elements=9007199254740992",
        ),
        3,
        "elements",
    ),
    "cycles that nobody waits for": (
        (
            "evaluate",
            "upmem",
            "--fidelity",
            "cycle",
            "--set",
            "kernel=micro-add-float",
            "--set",
            "elements=1000000000000",
        ),
        3,
        "cycles of a DPU",
    ),
    "exponents that wrapped": (("evaluate", "umdam", "--set", "npu_flops=0 TFLOP/s*TB22222222"), 3, "unknown unit"),
    "a unit of 80,000 digits": (("evaluate", "umdam", "--set", "npu_flops=1 m" + "2" * 80_000), 3, "unknown unit"),
    "a density below none": (
        ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--density", "-8"),
        2,
        "--density '-8'",
    ),
    "column bits below none": (
        ("dram", "replay", "--dram", "L5J", "--stream", "seq:4096", "--coll-bits", "-2"),
        2,
        "--coll-bits '-2'",
    ),
    "a stream that wrapped": (
        ("dram", "replay", "--dram", "L5J", "--stream", "stride:1125899906842624:16385"),
        3,
        "reaches address",
    ),
    "cycles beyond 64 bits": (("noc", "replay", "--cycles", "9223372036854775807"), 2, "--cycles"),
    "a mesh beyond memory": (("noc", "replay", "--mesh", "1024x1024", "--fifo", "2048", "--cycles", "10"), 2, "places"),
    "a packet beyond all": (("noc", "replay", "--packet", "2147483647"), 2, "packet"),
}


@pytest.mark.parametrize("what", TOO_LARGE)
def test_what_no_machine_could_have_is_refused_in_one_sentence(pimdse, what):
    words, code, piece = TOO_LARGE[what]
    one_sentence(pimdse(*words, timeout=60), code, piece)


def test_a_large_mesh_is_simulated_without_a_closed_form(pimdse):
    answer = json.loads(
        pimdse.ok(
            "noc", "replay", "--mesh", "256x256", "--cycles", "10", "--warmup", "0", "--load", "0.001", timeout=120
        )
    )
    assert answer["closed_form_latency"] is None and answer["drained"]


def test_a_long_simulation_says_so_before_it_begins(pimdse):
    started = pimdse.start("noc", "replay", "--mesh", "512x512", "--cycles", "1000000", "--load", "0.5")
    try:
        assert "min" in started.stderr.readline()
    finally:
        started.kill()
        started.communicate()


def test_loads_of_almost_nothing_create_no_packet(pimdse):
    answer = json.loads(pimdse.ok("noc", "replay", "--load", "1e-300", "--cycles", "100"))
    assert answer["packets"] == 0


def test_a_point_that_nobody_waits_for_is_a_timeout_and_the_run_goes_on(pimdse):
    (pimdse.folder / "s.toml").write_text(
        'schema = 1\narchitecture = "upmem"\nobjectives = ["latency"]\n[parameters]\nkernel = "micro-add-float"\n'
        "elements = [4096, 1000000000000]\n[search]\nfidelity = \"cycle\"\n"
    )
    done = pimdse("explore", "s.toml", "-o", "out.h5", timeout=60)
    assert done.returncode == 5, done.stderr
    assert "timeout" in done.stdout + done.stderr and "cycles of a DPU" in done.stdout + done.stderr


def test_ranges_end_where_they_say(pimdse):
    (pimdse.folder / "s.toml").write_text(
        'schema = 1\narchitecture = "umdam"\nobjectives = ["ttft"]\n[parameters]\n'
        'npu_buffer = { from = 4294967295, to = 4294967296 }\n'
    )
    assert "2 points" in pimdse.ok("explore", "s.toml", "-o", "out.h5", "--dry-run")
