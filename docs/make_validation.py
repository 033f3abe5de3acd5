#!/usr/bin/python3
"""Writes docs/validation.md from `pimdse validate`: docs/make_validation.py build/run/pimdse"""
import json
import subprocess
import sys
from pathlib import Path

HEAD = """# How results are validated

Written by `docs/make_validation.py`; do not edit. `pimdse validate` prints the same, and exits with 8 when a gated
figure is outside its tolerance; `tests/published` holds every gated figure.

* **Simulated cycles** are held row by row against the field's references: DRAM ([dram.md](dram.md)), networks
  ([noc.md](noc.md)), the UPMEM pipeline (`tests/unit/models/upmem`) and the diffusion sampler
  (`tests/unit/models/dplena`).
* **Event-driven simulators** are held against slow, obvious tick-by-tick ones on random inputs.
* **Bounds** of coarse fidelities contain the cycle answer on random points (`tests/laws` and each architecture's
  tests).
* **Published figures** are below, with the reading each one needs. *shown* = printed, not gated.
"""


def number(value):
    return "-" if value is None else f"{value:.6g}"


def main(binary):
    done = subprocess.run([binary, "validate", "--format", "json"], capture_output=True, text=True)
    lines = [HEAD]
    figures = json.loads(done.stdout)
    for architecture in dict.fromkeys(f["architecture"] for f in figures):
        lines.append(
            f"## {architecture}\n\n"
            "| figure | metric | fidelity | published | ours | error | tolerance | source | remark |\n"
            "|---|---|---|---|---|---|---|---|---|"
        )
        for f in (f for f in figures if f["architecture"] == architecture):
            error = "-" if f["error"] is None else f"{100 * f['error']:+.2f} %"
            tolerance = f"{100 * f['tolerance']:.3g} %" if f["gate"] else "shown"
            lines.append(
                f"| {f['figure']} | {f['metric']} | {f['fidelity']} | {number(f['published'])} | {number(f['ours'])} "
                f"| {error} | {tolerance} | {f['source']} | {f['problem'] or f['note']} |"
            )
        lines.append("")
    Path(__file__).with_name("validation.md").write_text("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
