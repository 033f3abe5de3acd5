#!/usr/bin/env python3
"""Prints what the scale model predicts beside what real ranks measure: compare.py BUILD_FOLDER [--seconds 6] [--ranks 2
4 8 16 32]

Points sleep, so that many ranks share few cores. What a point really takes (a sleep ends late) is measured first and
given to the model. """
import argparse
import json
import os
import subprocess
from pathlib import Path

ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
CASES = [
    ("1 ms", 1e-3, 1),
    ("1 ms, spread 1000x", 6.914e-6, 1000),
    ("20 ms", 20e-3, 1),
    ("20 ms, spread 1000x", 138.3e-6, 1000),
]  # cheapest point


def mean_of(cheapest, spread):
    from math import log
    return cheapest if spread == 1 else cheapest * (spread - 1) / log(spread)


def measured(folder, ranks, points, cheapest, spread, mpiexec="mpirun", threads=1):
    program = [
        folder / "tests/bench/dispatch/bench_dispatch",
        "--points",
        points,
        "--cost",
        cheapest,
        "--spread",
        spread,
        "--threads",
        threads,
    ]
    done = subprocess.run(
        [mpiexec, "-n", str(ranks), "--bind-to", "none", *map(str, program)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def predicted(folder, ranks, points, mean, spread):
    program = [
        folder / "tests/bench/scale/bench_scale",
        "--ranks",
        ranks,
        "--points",
        points,
        "--mean",
        mean,
        "--spread",
        spread,
    ]
    return json.loads(subprocess.run(list(map(str, program)), capture_output=True, text=True, check=True).stdout)


def compared(folder, ranks, seconds, cheapest, spread, mpiexec="mpirun"):
    """One run of `seconds` of work per rank: what was measured and what is predicted, as the two programs print it."""
    points = max(20 * ranks, int(seconds * ranks / mean_of(cheapest, spread)))
    real = measured(folder, ranks, points, cheapest, spread, mpiexec)
    slept = real["efficiency"] * real["seconds"] * ranks / points   # what a point really took
    return real, predicted(folder, ranks, points, slept, spread)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8, 16, 32])
    options = parser.parse_args()
    print(
        f"{'cost of a point':<22}{'ranks':>6}{'points':>9}{'predicted %':>13}{'measured %':>12}"
        f"{'pred. chunks':>12}{'measured':>10}{'load':>7}"
    )
    for name, cheapest, spread in CASES:
        for ranks in options.ranks:
            real, model = compared(options.folder, ranks, options.seconds, cheapest, spread)
            print(
                f"{name:<22}{ranks:>6}{real['points']:>9}"
                f"{100 * model['efficiency']:>13.1f}{100 * real['efficiency']:>12.1f}"
                f"{model['chunks']:>12}{real['chunks']:>10}{real['load']:>7.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
