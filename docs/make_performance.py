#!/usr/bin/python3
"""Writes docs/generated/performance.md: docs/make_performance.py BENCH_FIDELITY PIMDSE [DESIGNS [SEED]]. Takes some
minutes.

BENCH_FIDELITY is the program of tests/bench/fidelity (`./run fidelity` builds it), PIMDSE the explorer. Exit code 8 if
a cycle-level result is outside its interval."""
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

MANY = "2000"
HEAD = """# Cost of an evaluation and accuracy of coarse fidelities

Written by `docs/make_performance.py`; do not edit. `./run fidelity {designs} {seed}` prints the same figures, and the
command that repeats each extreme case.

{machine}, {day}; seed {seed}.

Times are CPU time of all threads together. Every cycle-level evaluation runs in a process of its own without cached
results. All analytic evaluations run in one process that starts without cached results: the designs are distinct, and
what they share is cached as in a normal run.
"""

RANDOM = """
## Random designs

{designs} designs of each architecture: the default design with some parameters drawn over their whole range, choices
uniformly, numbers uniformly in their logarithm. *cycle / lower bound*: the cycle-level result over the proved lower
bound of the coarse fidelity. *estimate error*: difference between the estimated latency and that of the cycle level,
in percent, median (95 %). *outside*: intervals that do not contain the cycle-level result.

"""

SPACES = """
## Shipped spaces

{designs} points of each file in `spaces/`, each in one scenario of the space.

"""

ALONE = """
## The analytic level alone

{many} random designs of each architecture, drawn in the same way.

| architecture | median | 95 % | 99 % | mean | maximum (CPU ms) |
|---|---|---|---|---|---|
"""

START = """
## Start-up time

Wall-clock time of the whole command, median of nine runs.

| command | time |
|---|---|
"""


def milliseconds(seconds):
    if seconds is None:
        return "-"
    return f"{1e3 * seconds:,.0f}" if seconds >= 0.1 else f"{1e3 * seconds:.3g}"


def ratio(spread):
    return "-" if not spread.get("count") else f"{spread['median']:.3f} ({spread['p95']:.3f})"


def percent(spread):
    return "-" if not spread.get("count") else f"{100 * spread['median']:.2f} ({100 * spread['p95']:.2f})"


def table(rows, first):
    lines = [f"| {first} | level | designs | CPU ms: median (99 %) | mean | maximum "
             "| latency: cycle / lower bound, median (95 %) | energy | estimate error | outside |", f"|{'---|' * 10}"]
    for row in rows:
        cpu = row["cpu"]
        if cpu["count"] == 0:   # no feasible design was drawn
            continue
        name = row["machine"] if not row["space"] else f"{Path(row['space']).stem}, {row['machine']}"
        median, late, mean, worst = (milliseconds(cpu.get(key)) for key in ("median", "p99", "mean", "worst"))
        cost = f"{median} ({late}) | {mean} | {worst}"
        bounds = "- | - | - | -"
        if "bounds" in row:
            bounds = " | ".join([ratio(row["latency"]), ratio(row["energy"]), percent(row["estimate"]),
                                 f"{row['left']} of {row['bounds']}"])
        lines.append(f"| {name} | {row['fidelity']} | {cpu['count']} | {cost} | {bounds} |")
    return lines


def remarks(rows):
    """Designs that exceeded the time limit of a point; no other figure includes them."""
    longer = {(row["space"], row["machine"]): row["longer"] for row in rows if row["longer"]}
    for (space, machine), points in longer.items():
        designs = "1 design" if len(points) == 1 else f"{len(points)} designs"
        yield (f"* {space or machine}: {designs} took more than 10 s and are in no figure, "
               f"for example `{points[0]}`")


def measured(bench, *words):
    done = subprocess.run([bench, "--format", "json", *words], capture_output=True, text=True)
    if done.returncode not in (0, 8):
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def alone(row):
    cells = (milliseconds(row["cpu"][key]) for key in ("median", "p95", "p99", "mean", "worst"))
    return f"| {row['machine']} | {' | '.join(cells)} |\n"


def started(*command):
    times = []
    for _ in range(9):
        begin = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.monotonic() - begin)
    return f"{1e3 * statistics.median(times):.0f} ms"


def processor():
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return f"{found.group(1) if found else platform.machine()}, {os.cpu_count()} cores"


def main():
    bench, pimdse = sys.argv[1:3]
    designs = sys.argv[3] if len(sys.argv) > 3 else "100"
    seed = sys.argv[4] if len(sys.argv) > 4 else str(int(time.time()))
    here = Path(__file__).resolve().parent
    spaces = sorted(str(file.relative_to(here.parent)) for file in (here.parent / "spaces").glob("*.toml"))
    os.chdir(here.parent)
    kinds, first = measured(bench, "--designs", designs, "--seed", seed)
    files, second = measured(bench, "--designs", designs, "--seed", seed, "--space", *spaces)
    single, _ = measured(bench, "--designs", MANY, "--seed", seed, "--analytic")
    words = {"many": MANY, "designs": designs, "seed": seed, "machine": processor(), "day": time.strftime("%Y-%m-%d")}
    lines = [HEAD.format(**words), RANDOM.format(**words),
             "\n".join([*table(kinds, "architecture"), "", *remarks(kinds)]), "\n", SPACES.format(**words),
             "\n".join([*table(files, "space"), "", *remarks(files)]), "\n",
             ALONE.format(**words), *(alone(row) for row in single), START]
    for name in ("umdam", "upmem", "dplena", "cim_mesh"):
        lines.append(f"| `pimdse evaluate {name}` | {started(pimdse, 'evaluate', name)} |\n")
    (here / "generated" / "performance.md").write_text("".join(lines), encoding="utf-8")
    sys.exit(max(first, second))


if __name__ == "__main__":
    main()
