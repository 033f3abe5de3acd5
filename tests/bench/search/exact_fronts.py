#!/usr/bin/python3
"""What exact fronts of large spaces cost, beside what answering every design at cycle level would: for each space that
asks for a ladder, the CPU time of the whole search (coarse answers, cycle level, certificate and file) and of a random
sample at cycle level. Prints a table.

    tests/bench/search/exact_fronts.py PROGRAM [SAMPLE [SPACE ...]]
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COLUMNS = ("space", "designs", "infeasible", "at cycle level", "on the front", "search, CPU", "wall",
           "CPU per design of a sample at cycle level", "search over all designs at cycle level")


def timed(*words):
    """Its standard output, seconds of CPU and of the clock."""
    begun = time.monotonic()
    process = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(map(str, words))} ended with {os.waitstatus_to_exitcode(status)}")
    return text, usage.ru_utime + usage.ru_stime, time.monotonic() - begun


def asks_for_a_ladder(path):
    return tomllib.loads(path.read_text()).get("search", {}).get("strategy") == "ladder"


def row(program, space, sample, folder):
    """A random sample has infeasible designs as the space has them, so its mean is that of the space."""
    usual = ("--progress", "none", "--format", "json", "--force")
    exact, file = folder / "exact.h5", folder / "sample.h5"
    text, cpu, wall = timed(program, "explore", space, "-o", exact, *usual)
    summary = json.loads(text)
    certificate = summary["certificate"]
    sampling = ("--strategy", "random", "--fidelity", "cycle", "--budget", sample)
    _, of_sample, _ = timed(program, "explore", space, "-o", file, *sampling, *usual)
    each = of_sample / sample
    return (
        f"| `{space.stem}` | {certificate['points']:,} | {certificate['infeasible']:,} "
        f"| {certificate['cycle_level']:,} | {summary['front']:,} | {cpu:,.0f} s | {wall:,.0f} s "
        f"| {1e3 * each:,.1f} ms "
        f"| {100 * cpu / (each * certificate['points']):.2g} % |"
    )


def main(program, sample="500", *spaces):
    chosen = [Path(space) for space in spaces] or sorted(filter(asks_for_a_ladder, (ROOT / "spaces").glob("*.toml")))
    print("|", " | ".join(COLUMNS), "|\n|" + "---|" * len(COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        for space in chosen:
            print(row(program, space, int(sample), Path(folder)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
