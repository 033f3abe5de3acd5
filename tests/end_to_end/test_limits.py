"""Limits that know intervals: METRIC.upper and METRIC.lower, and designs that meet a limit by their estimate only."""
import json
import subprocess

import h5py
import numpy as np

from conftest import PIMDSE, ROOT, UPMEM_STREAMS, holds
from ladder_bench import LADDER, front_of

STREAMS = UPMEM_STREAMS.replace('elements = [65536, 262144]', 'elements = 262144')


def explored(pimdse, condition="", *words):
    rule = f"[[constraint]]\nname = 'pace'\nexpr = '{condition}'\n" if condition else ""
    (pimdse.folder / "space.toml").write_text(STREAMS + rule)
    pimdse.ok("explore", "space.toml", "-o", "r.h5", "--progress", "none", *words)
    return pimdse.folder / "r.h5"


def intervals(path):
    with h5py.File(path) as file:
        ok = file["status"][()] == 0
        return [column[ok] for column in (file["point_id"][()], file["metrics/latency"][()],
                                          file["bounds/latency_low"][()], file["bounds/latency_high"][()])]


def a_limit(path):
    """A latency that the interval of some design on the front crosses, which it meets by its estimate."""
    ids, value, _, high = intervals(path)
    with h5py.File(path) as file:
        on = np.isin(ids, file["front/ids"][()])
    at = np.flatnonzero(on & (high > value * 1.0001))[0]
    return (value[at] + high[at]) / 2, int(ids[at])


def test_conditions_read_the_ends_of_intervals(pimdse):
    ids, value, low, high = intervals(explored(pimdse))
    limit = float(np.median(value))
    for name, column in (("latency.upper", high), ("latency.lower", low), ("latency", value)):
        told = json.loads(pimdse.ok("front", "r.h5", "--format", "json", "--objectives", "energy,latency,area",
                                    "--where", f"{name} <= {limit!r} s"))
        assert {e["point"] for e in told["front"]} <= set(ids[column <= limit].tolist())
    kept = set(intervals(explored(pimdse, f"latency.upper <= {limit!r} s", "--force"))[0].tolist())
    assert kept == set(ids[high <= limit].tolist()) and 0 < len(kept) < (value <= limit).sum()
    code = (f"import pimdse; r = pimdse.load('r.h5'); "
            f"print(len(r.feasible()), len(r.feasible(where='latency.upper <= {limit!r} s and latency.lower >= 0 s')))")
    done = subprocess.run(["/usr/bin/python3", "-B", "-c", code], cwd=pimdse.folder, capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT / "analysis"), "PIMDSE": PIMDSE})
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(len(kept))] * 2


def test_designs_that_meet_a_limit_by_their_estimate_only_are_marked(pimdse):
    limit, point = a_limit(explored(pimdse))
    explored(pimdse, f"latency <= {limit!r} s", "--force")
    text = pimdse.ok("front", "r.h5")
    assert f"latency <= {limit!r} s" in " ".join(text.split()) and f"{point}*" in text
    entries = {e["point"]: e for e in json.loads(pimdse.ok("front", "r.h5", "--format", "json"))["front"]}
    crossing = [{"constraint": "pace", "expr": f"latency <= {limit!r} s", "beyond": "upper bound"}]
    assert entries[point]["meets_by_estimate_only"] == crossing
    for entry in entries.values():
        assert ("meets_by_estimate_only" in entry) == (entry["metrics"]["latency"]["high"] > limit)
    explained = pimdse.json("explain", "r.h5", point)
    assert explained["constraints"][0]["by_estimate_only"][0]["beyond"] == "upper bound"
    assert f"{point}*" in pimdse.ok("front", "r.h5", "--where", f"latency <= {limit!r} s")
    pimdse.ok("report", "r.h5", "-o", "r.html")
    page = (pimdse.folder / "r.html").read_text()
    assert page.count(f"latency \\u003c= {limit!r} s") == 2 + len(crossing), "space, condition, and a note"


def test_a_ladder_stays_exact_under_limits_of_intervals(pimdse):
    ids, value, low, high = intervals(explored(pimdse))
    middle, of_low, of_high = (float(np.median(column)) for column in (value, low, high))
    for condition in (f"latency.upper <= {middle!r} s", f"latency.lower >= {of_low!r} s",
                      f"not latency.upper <= {of_high!r} s"):
        explored(pimdse, condition, "--force", "--fidelity", "cycle")
        sweep = front_of(pimdse.folder / "r.h5")
        pimdse.ok("explore", "space.toml", "-o", "ladder.h5", "--force", *LADDER)
        assert front_of(pimdse.folder / "ladder.h5") == sweep and sweep[0]
        assert holds(pimdse, "ladder.h5")["all_rows"]
