#!/usr/bin/python3
"""Writes docs/pictures/robust.png: docs/make_robust.py PIMDSE.

The front of spaces/pim_products.toml in 50 draws of its assumed constants, and the design of UMDAM that is on the front
as assumed."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
POINT = "35"


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "pim_products.h5"
        subprocess.run([program, "explore", ROOT / "spaces/pim_products.toml", "-o", results, "--uncertain", "50",
                        "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["/usr/bin/python3", "-B", ROOT / "analysis/robust.py", results, "--point", POINT, "-o",
                        ROOT / "docs/pictures/robust.png"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
