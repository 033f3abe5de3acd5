"""Numbers beyond what anything has: they are refused (message_cases_of_*.py), or simulated as they are."""
import json
import re

import h5py

from bad_input import data_with


def test_a_model_whose_product_is_beyond_64_bits_ends_without_a_crash(pimdse):
    env = data_with(pimdse.folder, "llm/opt-6.7b.toml", r"^ffn\s*=.*", "ffn = 16777216")
    done = pimdse("evaluate", "umdam", "--set", "llm=opt-6.7b", env=env, timeout=60)
    assert done.returncode in (0, 3, 6), done.stderr


def test_a_large_mesh_is_simulated_without_a_closed_form(pimdse):
    words = ("--mesh", "256x256", "--cycles", "10", "--warmup", "0", "--load", "0.001")
    answer = pimdse.json("noc", "replay", *words, timeout=120)
    assert answer["closed_form_latency"] is None and answer["drained"]


def test_a_long_simulation_is_announced_in_minutes_before_it_begins(pimdse):
    started = pimdse.start("noc", "replay", "--mesh", "512x512", "--cycles", "1000000", "--load", "0.5")
    try:
        assert re.match(r"pimdse: .*\d+ min\b", started.stderr.readline())
    finally:
        started.kill()
        started.communicate()


def test_loads_of_almost_nothing_create_no_packet(pimdse):
    answer = pimdse.json("noc", "replay", "--load", "1e-300", "--cycles", "100")
    assert answer["packets"] == 0


def test_a_point_that_nobody_waits_for_is_a_timeout_and_the_run_goes_on(pimdse):
    (pimdse.folder / "s.toml").write_text(
        'schema = 1\narchitecture = "upmem"\nobjectives = ["latency"]\n[parameters]\nkernel = "micro-add-float"\n'
        "elements = [4096, 1000000000000]\n[search]\nfidelity = \"cycle\"\n"
    )
    done = pimdse("explore", "s.toml", "-o", "out.h5", "--format", "json", "--progress", "none", timeout=60)
    assert done.returncode == 5, done.stderr
    summary = json.loads(done.stdout)
    assert [(f["point"], f["class"]) for f in summary["failures"]] == [(1, "timeout")] and summary["feasible"] == 1


def test_ranges_end_where_they_say(pimdse):
    (pimdse.folder / "s.toml").write_text(
        'schema = 1\narchitecture = "umdam"\nobjectives = ["ttft"]\n[parameters]\n'
        'npu_buffer = { from = 4294967295, to = 4294967296 }\n'
    )
    pimdse.ok("explore", "s.toml", "-o", "out.h5", "--progress", "none")
    with h5py.File(pimdse.folder / "out.h5") as file:
        assert file["parameters/npu_buffer"][()].tolist() == [4294967295, 4294967296]
