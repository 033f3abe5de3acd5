"""Counts of spaces of one and two points, of every strategy: a point that is evaluated at two fidelities is one."""
import re

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
    summary = pimdse.json(*explore, "-o", "a.h5")
    assert summary["points"] == summary["feasible"] == count and summary["infeasible"] == summary["failed"] == 0
    assert (summary["evaluated"] > count) == (strategy == "ladder")
    watched = pimdse.json("watch", "a.h5")
    assert watched["answered"] == watched["planned"] == watched["feasible"] == count
    assert pimdse.json("front", "a.h5")["points"] == count
    for words in ((*explore, "-o", "b.h5"), ("watch", "a.h5"), ("front", "a.h5"), ("failures", "a.h5"),
                  (*explore, "-o", "c.h5", "--dry-run")):
        assert re.search(rf"\b{text}\b", pimdse.ok(*words)), words
