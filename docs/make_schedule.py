#!/usr/bin/python3
"""Writes docs/pictures/cim_mesh_schedule.png: docs/make_schedule.py PIMDSE.

The schedule of Llama-3.2-1B on PRIMAL's machine (its Figure 6), as `pimdse evaluate --trace` writes it: a row for each
layer. The prompt is short (16 tokens), because a decoded token of a prompt of 1,024 would be too narrow to be seen."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUEST = ("cim_mesh", "--model", "llama-3.2-1b", "--set", "lora_targets=q+v", "--set", "input=16", "--set", "output=2")


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "schedule.json"
        subprocess.run([Path(sys.argv[1]).resolve(), "evaluate", *REQUEST, "--trace", trace], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run(["/usr/bin/python3", "-B", ROOT / "analysis/timeline.py", trace, "-o",
                        ROOT / "docs/pictures/cim_mesh_schedule.png"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
