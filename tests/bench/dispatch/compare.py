#!/usr/bin/env python3
"""How fast points are handed out, beside mpi4py's MPIPoolExecutor where it is installed: compare.py BUILD_FOLDER
[--repeat 3]

Every row is the best of some runs: on a machine that others use, too, the fastest run is the one they disturbed least.
`2 cores` is what the CPU time of all ranks would allow on two cores that nobody else uses.
"""
import argparse
import json
import os
import subprocess
from pathlib import Path

PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}
ROWS = [
    ("1 point per message", ["--points", 200000, "--largest-chunk", 1]),
    ("the same, journal and store", ["--points", 100000, "--largest-chunk", 1, "--path", "all"]),
    ("chunked, answers told", ["--points", 4000000]),
    ("chunked, every answer kept", ["--points", 4000000, "--path", "all"]),
    ("chunked, fronts kept", ["--points", 10000000, "--path", "front"]),
    ("1 ms points", ["--points", 12000, "--cost", 1e-3]),
]


def run(*words):
    done = subprocess.run(
        ["mpirun", "-n", "4", "--bind-to", "none", *map(str, words)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def print_ours(folder, repeat):
    print(
        f"{'4 ranks, rank 0 computes, too':<30}{'points/s':>12}{'messages/s':>12}{'2 cores':>12}"
        f"{'efficiency':>12}{'load':>7}"
    )
    for name, words in ROWS:
        best = max(
            (run(folder / "tests/bench/dispatch/bench_dispatch", *words) for _ in range(repeat)),
            key=lambda row: row["points_per_second"],
        )
        messages = best["chunks_per_second"] * (1 - best["own"] / max(1, best["told"]))
        print(
            f"{name:<30}{best['points_per_second']:>12}{messages:>12.0f}{2e6 / best['all_cpu_us_per_point']:>12.0f}"
            f"{100 * best['efficiency']:>11.1f}%{best['load']:>7.1f}",
            flush=True,
        )


def print_peer(repeat):
    if subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True).returncode != 0:
        return print("mpi4py is not installed (python3-mpi4py): nothing to compare with")
    script = Path(__file__).with_name("mpi4py_pool.py")
    for tasks, chunk in [(20000, 1), (200000, 1000)]:
        best = max(run(PYTHON, "-m", "mpi4py.futures", script, tasks, chunk)["tasks_per_second"] for _ in range(repeat))
        print(f"{f'mpi4py, {chunk} task(s) per message':<30}{best:>12}{best / chunk:>12.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    print_ours(options.folder, options.repeat)
    print_peer(options.repeat)


if __name__ == "__main__":
    main()
