"""Counts of spaces of one and two points, of every strategy: a point that is evaluated at two fidelities is one."""
import json

import pytest

SPACE = """schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
kernel = "va"
elements = 65536
tasklets = {}
"""


@pytest.mark.parametrize("strategy", ["sweep", "random", "sobol", "ladder", "nsga2", "pls"])
@pytest.mark.parametrize("tasklets, count, text", [("8", 1, "1 point"), ("[8, 16]", 2, "2 points")])
def test_points_are_counted_once(pimdse, strategy, tasklets, count, text):
    (pimdse.folder / "s.toml").write_text(SPACE.format(tasklets))
    explore = ("explore", "s.toml", "--strategy", strategy, "--progress", "none")
    said = pimdse.ok(*explore, "-o", "a.h5")
    assert said.startswith(f"{text} in ") and f"{count} feasible, 0 infeasible, 0 failed" in said
    summary = json.loads(pimdse.ok(*explore, "-o", "b.h5", "--format", "json"))
    assert summary["points"] == summary["feasible"] == count and summary["infeasible"] == summary["failed"] == 0
    assert pimdse.ok("watch", "a.h5").startswith(f"complete: {count}/{text} (100.0 %); {count} feasible")
    watched = json.loads(pimdse.ok("watch", "a.h5", "--format", "json"))
    assert watched["answered"] == watched["planned"] == watched["feasible"] == count
    assert pimdse.ok("front", "a.h5").endswith(f"on the front of {text}\n")
    assert json.loads(pimdse.ok("front", "a.h5", "--format", "json"))["points"] == count
    assert f"of {text} has its metrics" in pimdse.ok("failures", "a.h5")
    assert pimdse.ok(*explore, "-o", "c.h5", "--dry-run").startswith(f"upmem: {text} in the space")
    if strategy == "ladder":
        assert summary["evaluated"] > count and "evaluations)" in said
        assert f"of {text} at cycle level" in said
