#!/usr/bin/python3
"""What 200 draws of uncertain constants cost, as a multiple of the exploration: tests/bench/uncertain/draws.py PROGRAM.

Explores spaces of umdam with and without draws, one after the other, on one thread; user time. The machine should be
quiet."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DRAWS = "200"
HEAD = """schema = 1
architecture = "umdam"
objectives = ["latency", "energy", "area"]
[assumptions]
view = "hardware"
constants = "technology"
[parameters]
llm = "llama-3-8b"
input = 512
output = 128
devices = [1, 2, 4]
dram = ["L5B", "L5J"]
mapping = ["umdam", "channel_msb"]
channels = [1, 2, 4, 8, 16, 32]
banks = [4, 8]
npu_flops = ["2 TFLOP/s", "8 TFLOP/s", "32 TFLOP/s", "128 TFLOP/s"]
npu_buffer = ["1 MiB", "4 MiB", "16 MiB"]
pim_mac_interval = ["2 ns", "4 ns"]
pim_vectors = [1, 4]
activation = ["all", "four"]
"""
LARGE = HEAD + "batch = [1, 2, 4, 8]\nranks = [1, 2]\n"
# Machines state in which direction these move a metric.
ENERGIES_AND_AREAS = """[uncertain]
"technology.dram_*" = "stated"
"technology.mac_*" = "stated"
"technology.sram_cell" = "stated"
"technology.sram_leakage" = "stated"
"technology.vector_operation" = "stated"
"umdam.phy_area" = "stated"
"umdam.controller_area" = "stated"
"umdam.engine_area" = "stated"
"umdam.vector_area" = "stated"
"umdam.pim_unit_area" = "stated"
"umdam.pim_sram_area" = "stated"
"umdam.queue_entry_area" = "stated"
"umdam.bank_tracker_area" = "stated"
"umdam.channel_standing" = "stated"
"umdam.idd*" = "stated"
"""
# So they do of these plain numbers (`acts_as`),
WITH_SHARES = ENERGIES_AND_AREAS + """"technology.sram_efficiency" = "stated"
"technology.waiting_share" = "stated"
"umdam.pim_waiting_share" = "stated"
"umdam.pim_vector_area" = "stated"
"umdam.pim_narrow_area" = "stated"
"umdam.second_row_buffer" = "stated"
"""
# but not of this one: it makes units larger or smaller, depending on their clock.
WITH_CLOCKS = WITH_SHARES + """"umdam.pim_clocked_area" = "stated"
"""
WITH_LIMITS = WITH_CLOCKS + """"technology.package_limit_lpddr5" = { times = 1.3 }
"technology.sram_access_*" = { times = 1.3 }
"umdam.pim_multiply" = { times = 1.3 }
"umdam.row_activation" = { times = 1.3 }
"""
CASES = {
    "energies and areas": (LARGE, ENERGIES_AND_AREAS),
    "and shares of them": (LARGE, WITH_SHARES),
    "and one about which nothing is stated": (LARGE, WITH_CLOCKS),
    "and a power limit, and memories between two sizes": (HEAD, WITH_LIMITS),
    "every assumed constant, times among them": (HEAD, '[uncertain]\n"*.assumed" = { times = 2 }\n'),
}


def user_seconds(program, space, folder, *flags):
    """User time of an exploration, and what it printed."""
    path = folder / "space.toml"
    path.write_text(space)
    before = os.times().children_user
    done = subprocess.run([program, "explore", path, "-o", folder / "out.h5", "--force", "--threads", "1", *flags],
                          check=True, capture_output=True, text=True)
    return os.times().children_user - before, done.stdout


def main():
    program = str(Path(sys.argv[1]).resolve())
    wanted = sys.argv[2:] or list(CASES)
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            space, ranges = CASES[name]
            alone, text = user_seconds(program, space, Path(folder))
            drawn, summary = user_seconds(program, space + ranges, Path(folder), "--uncertain", DRAWS)
            designs = re.search(r"(\d+) points in", text).group(1)
            effective = re.search(r"that change a result: (\d+)", summary).group(1)
            forms, evaluated = re.search(r"of the constants: (\d+), evaluated in every draw: (\d+)", summary).groups()
            print(f"{name}: {designs} designs, {effective} constants: {alone:.1f} s alone, {drawn:.1f} s with {DRAWS} "
                  f"draws: {drawn / alone:.1f} explorations; {forms} polynomials, {evaluated} evaluated in every draw",
                  flush=True)


if __name__ == "__main__":
    main()
