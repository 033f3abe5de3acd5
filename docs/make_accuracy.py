#!/usr/bin/python3
"""Writes docs/accuracy.md: measured kernels beside what the machines predict.
docs/make_accuracy.py PIMDSE [--check]; with --check, exits with 1 if a group of rows became worse, or lost rows."""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/accuracy.md"
ROWS = ROOT / "tests/data/kernels"
POINTS, SHARE = 2.0, 0.1  # a group is worse if its error rose by both: points, and a share of itself
HEAD = """# Against silicon

Made by `docs/make_accuracy.py` from the rows of `tests/data/kernels`, whose README says where
they come from. Each is one kernel that somebody measured, beside what the machine predicts for it:

    pimdse evaluate h100 --operator "product m=64 k=4096 n=6144"
    pimdse evaluate h100 --rows tests/data/kernels/h100.csv

The second prints every row of a machine with its measured and predicted time, the proved lower bound, and whether it
lies inside the stated interval (a factor of 1.41 to either side, and never below the bound). A row that is faster than
its bytes and operations allow at the figures of the data sheet is named *impossible* and counts nowhere, unless its
operands are at most twice the last-level cache, which may still have them from the run before.

**Seen.** Kernel times, attained shares and starts of links were chosen as round numbers for all rows of these tables
together, one law for all boards; the constants of the machine files say which. So these rows are not blind; MLPerf,
TensorRT-LLM, gpt-fast and the recorded services of [validation](generated/validation.md) are.

"""
LEGEND = """
Errors are predicted over measured, less one: median, from the tenth to the ninetieth percentile, and the median without
sign. *inside*: share of rows in the stated interval.

## Where it misses, and why

* **Formats of 8 and 4 bits.** Kernels that quantise their inputs first take 5 to 21 us beyond their bytes, by program
  and version. One time for all formats is too short there.
* **Few rows of experts, a prompt of experts.** A grouped product is one of several programs, whose tiles and shares
  differ by a factor of two on the same board (Triton, CUTLASS, TensorRT-LLM).
* **Attention of 8-bit keys.** Some programs widen keys first and attain half of the memory's bandwidth; the law has one
  share.
* **Sums without peer access.** Eight boards share the memory of a host, which goes below the stated share.
* **Small collectives of oneCCL.** A gather takes twice what its bytes take.
"""


def summaries(program):
    """{(machine, group): summary}, and the impossible lines by machine."""
    found, impossible = {}, {}
    for file in sorted(ROWS.glob("*.csv")):
        words = [program, "evaluate", file.stem, "--rows", file, "--format", "json"]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        if done.returncode not in (0, 8):
            sys.exit(f"{file.name}: {done.stderr.strip()}")
        said = json.loads(done.stdout)
        impossible[file.stem] = said["forbidden"]
        found |= {(file.stem, group): of for group, of in said["groups"].items()}
        found[file.stem, "all"] = said["all"]
    return found, impossible


def percent(value):
    return f"{100 * value:+.1f}"


def page(found, impossible):
    lines = ["| machine | kernels | rows | median | 10 to 90 % | without sign | inside |",
             "|---|---|---|---|---|---|---|"]
    for (machine, group), of in found.items():
        lines.append(f"| `{machine}` | {group} | {of['rows']} | {percent(of['median_error'])} "
                     f"| {percent(of['error_10'])} to {percent(of['error_90'])} "
                     f"| {100 * of['median_absolute_error']:.1f} | {100 * of['inside']:.0f} % |")
    said = [f"`{machine}`: {len(rows)} (lines {', '.join(map(str, rows))})"
            for machine, rows in impossible.items() if rows]
    return HEAD + "\n".join(lines) + "\n" + LEGEND + "\n**Impossible rows.** " + ("; ".join(said) or "none") + ".\n"


def recorded():
    """{(machine, group): (rows, error in per cent)} of the page."""
    row = re.compile(r"^\| `(\w+)` \| ([^|]+) \| (\d+) \| [^|]+ \| [^|]+ \| ([\d.]+) \| \d+ % \|$", re.M)
    return {(machine, group): (int(rows), float(error))
            for machine, group, rows, error in row.findall(PAGE.read_text())}


def worse(found):
    """Sentences about groups that became worse, or lost rows."""
    for key, (rows, error) in recorded().items():
        now = found.get(key)
        if now is None or now["rows"] < rows:
            yield f"{' '.join(key)}: {rows} rows were predicted, and {0 if now is None else now['rows']} are now"
        elif 100 * now["median_absolute_error"] > error + max(POINTS, SHARE * error):
            yield f"{' '.join(key)}: {100 * now['median_absolute_error']:.1f} % off, and it was {error:.1f} %"


def main(program, *flags):
    found, impossible = summaries(program)
    if flags != ("--check",):
        PAGE.write_text(page(found, impossible), encoding="utf-8")
        return 0
    problems = list(worse(found)) + ([] if recorded() else ["docs/accuracy.md has no rows"])
    print("\n".join(problems) or f"{len(found)} groups are as good as docs/accuracy.md says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
