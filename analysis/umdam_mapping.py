#!/usr/bin/python3
"""Print the results of a finished run of spaces/umdam_mapping.toml as the tables of models/umdam/README.md."""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from pimdse.errors import NotAResultFile  # noqa: E402
from pimdse.script import guarded  # noqa: E402


def rows(table, columns):
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for values in table:
        yield "| " + " | ".join(str(value) for value in values) + " |"


def classes(path):
    import h5py

    with h5py.File(path) as file:
        if file["provenance"].attrs.get("state", "complete") not in ("complete", b"complete"):
            raise NotAResultFile(f"{path} is not a finished run (--resume continues it)")
        if "classes_of_mapping" not in file["provenance"].attrs:
            raise NotAResultFile(f"{path} is not a run of spaces/umdam_mapping.toml (it has no classes of mappings)")
        return file["provenance"].attrs["classes_of_mapping"]


def span(values, unit=1e9):
    low, high = values.min() / unit, values.max() / unit
    return f"{high:.1f}" if high - low < 0.05 else f"{low:.1f} .. {high:.1f}"


def machine(points):
    """The machine of the paper: four channels of sixteen banks."""
    here = points[(points.channels == 4) & (points.banks == 4)].copy()
    text = here.mapping.astype(str)
    here["coll"] = text.str.extract(r"coll(\d)")[0].astype(int)
    here["hashed"] = text.str.contains("x.", regex=False)
    return here


def by_coll(points, engines, hashed):
    here = points[(points.engines == engines) & (points.hashed == hashed)]
    depths = sorted(here.queue_depth.unique())
    for coll in sorted(here.coll.unique()):
        some = here[here.coll == coll]
        yield [f"{engines}, hashed" if hashed else engines, coll] + [
            span(some[some.queue_depth == depth].npu_bandwidth) for depth in depths
        ]


def print_tables(path):
    import pimdse as pr

    results = pr.load(path)
    points = results.feasible()
    print(f"{classes(path)}; {len(results.table)} points, {len(points)} feasible\n")
    here = machine(points)
    depths = [f"queue {depth}" for depth in sorted(here.queue_depth.unique())]
    print("NPU bandwidth, GB/s, worst .. best order:\n")
    kinds = ((1, False), (4, False), (4, True))
    print("\n".join(rows((row for kind in kinds for row in by_coll(here, *kind)), ["engines", "ColL"] + depths)) + "\n")
    front = points[pr.is_on_front(points[list(results.objectives)], list(results.objectives.values()))].sort_values(
        ["ttlt", "energy"]
    )
    shown = [
        [
            p.mapping,
            p.channels,
            p.banks,
            p.queue_depth,
            p.engines,
            f"{p.ttlt * 1e3:.2f} ms",
            f"{p.energy * 1e3:.2f} mJ",
            f"{p.npu_bandwidth / 1e9:.1f}",
        ]
        for p in front.itertuples()
    ]
    print("\n".join(rows(shown, ["mapping", "channels", "banks", "queue", "engines", "ttlt", "energy", "GB/s"])))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="umdam_mapping.py", description=__doc__)
    parser.add_argument("file", metavar="FILE.h5", help="pimdse explore spaces/umdam_mapping.toml -o FILE.h5")
    path = parser.parse_args().file
    sys.exit(guarded(parser.prog, lambda: print_tables(path)))
