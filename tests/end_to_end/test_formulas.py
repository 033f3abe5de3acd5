"""Objectives that are arithmetic of metrics: in every strategy, in the file, in whoever reads it."""
import json
import subprocess

import h5py
import numpy as np
import pytest

from conftest import PIMDSE, ROOT, UPMEM_STREAMS, holds, refused, same_file
from joint_space import REQUESTS
from ladder_bench import FEW_BOXES, LADDER, LISTED

FORMULAS = "latency * energy,latency + 1 ms"
STREAMS = UPMEM_STREAMS.replace('["latency", "energy"]', '["latency * energy", "energy / tokens_per_second"]')
SCENARIOS = f"""schema = 2
architecture = "umdam"
objectives = ["latency@chat + latency@long", "energy / tokens_per_second@long", "area"]
[parameters]
channels = [2, 4, 8]
ranks = [1, 2]
{REQUESTS}"""


def front(pimdse, file, *words):
    return pimdse.json("front", file, *words)


def not_dominated(vectors):
    """Positions of vectors that no other is as good as everywhere and better somewhere; of equals the first."""
    def beats(j, i):
        less = (vectors[j] <= vectors[i]).all() and (vectors[j] < vectors[i]).any()
        return less or (j < i and (vectors[j] == vectors[i]).all())
    return [i for i in range(len(vectors)) if not any(beats(j, i) for j in range(len(vectors)) if j != i)]


def test_a_front_of_formulas_is_that_of_the_numbers_themselves(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "plain.h5", "--progress", "none")
    pimdse.ok("explore", small_space, "-o", "r.h5", "--progress", "none", "--objectives", FORMULAS)
    told = front(pimdse, "r.h5")
    assert [(o["name"], o["unit"], o["better"]) for o in told["objectives"]] == [
        ("latency * energy", "J*s", "lower"), ("latency + 1 ms", "s", "lower")]
    with h5py.File(pimdse.folder / "plain.h5") as file:
        ok = file["status"][()] == 0
        ids = file["point_id"][()][ok]
        latency, energy = (file[f"metrics/{name}"][()][ok] for name in ("latency", "energy"))
    wanted = ids[not_dominated(np.array([latency * energy, latency + 1e-3]).T)]
    assert sorted(e["point"] for e in told["front"]) == sorted(wanted)
    later = front(pimdse, "plain.h5", "--objectives", FORMULAS)
    assert later["front"] == told["front"] and later["objectives"] == told["objectives"], "made of a file without them"
    assert "latency * energy" in pimdse.ok("front", "r.h5")
    assert holds(pimdse, "r.h5", "--sample", 10)["evaluated_again"] == 10


@pytest.mark.parametrize("strategy", ["random", "sobol", "nsga2", "pls"])
def test_every_strategy_takes_formulas(pimdse, small_space, strategy):
    pimdse.ok("explore", small_space, "-o", "r.h5", "--progress", "none", "--objectives", FORMULAS, "--strategy",
              strategy, "--budget", 60)
    pimdse.ok("explore", small_space, "-o", "again.h5", "--progress", "none", "--objectives", FORMULAS, "--strategy",
              strategy, "--budget", 60, ranks=2)
    assert same_file(pimdse.folder, "r.h5", "again.h5")
    assert front(pimdse, "r.h5")["front"]


def test_a_ladder_proves_the_front_of_formulas(pimdse):
    (pimdse.folder / "space.toml").write_text(STREAMS.replace("energy / tokens_per_second", "energy / (latency + 1 s)"
                                                              ).replace('"energy / (', '"maximize energy / ('))
    summary = json.loads(pimdse.ok("explore", "space.toml", "-o", "ladder.h5", *LADDER))
    pimdse.ok("explore", "space.toml", "-o", "sweep.h5", "--fidelity", "cycle", "--progress", "none")
    assert summary["certificate"]["open"] == 0
    with h5py.File(pimdse.folder / "ladder.h5") as ladder, h5py.File(pimdse.folder / "sweep.h5") as sweep:
        assert list(ladder["front/ids"][()]) == list(sweep["front/ids"][()])
        assert list(ladder["metrics"].attrs["names"]) == list(sweep["metrics"].attrs["names"])
        assert "maximize energy \u2215 (latency + 1 s)" in ladder["metrics"], "a slash would be a folder"
        assert "maximize energy / (latency + 1 s)" in ladder["metrics"].attrs["names"]
    assert holds(pimdse, "ladder.h5")["all_rows"]


def test_boxes_bound_formulas_whose_parts_go_opposite_ways(pimdse):
    text = FEW_BOXES.replace('["latency", "area"]', '["latency * area", "area"]') % ""
    (pimdse.folder / "boxed.toml").write_text(text)
    summary = json.loads(pimdse.ok("explore", "boxed.toml", "-o", "ladder.h5", *LADDER))
    certificate = summary["certificate"]
    assert certificate["statement"] == "front exact (proved lower bounds)"
    assert certificate["points"] > LISTED and summary["points"] < 20_000
    pimdse.ok("explore", "boxed.toml", "-o", "sweep.h5", "--keep", "front", "--progress", "none")
    with h5py.File(pimdse.folder / "sweep.h5") as sweep, h5py.File(pimdse.folder / "ladder.h5") as ladder:
        assert list(sweep["front/ids"][()]) == list(ladder["front/ids"][()])
    assert holds(pimdse, "ladder.h5")["all_rows"]


def test_formulas_of_scenarios_go_through_every_reader(pimdse):
    (pimdse.folder / "space.toml").write_text(SCENARIOS)
    pimdse.ok("explore", "space.toml", "-o", "r.h5", "--progress", "none")
    told = front(pimdse, "r.h5")
    for entry in told["front"]:
        value = {name: metric["value"] for name, metric in entry["metrics"].items()}
        assert value["latency@chat + latency@long"] == value["latency@chat"] + value["latency@long"]
        assert value["energy / tokens_per_second@long"] == value["energy"] / value["tokens_per_second@long"]
    point = told["front"][0]["point"]
    explained = pimdse.json("explain", "r.h5", point)
    assert [o["name"] for o in explained["objectives"]] == [o["name"] for o in told["objectives"]]
    pimdse.ok("report", "r.h5", "-o", "r.html")
    assert "latency@chat + latency@long" in (pimdse.folder / "r.html").read_text()
    pimdse.ok("verify", "r.h5")
    pimdse.ok("explore", "space.toml", "-o", "r.h5", "--resume", "--progress", "none")
    pimdse.ok("explore", "space.toml", "-o", "a.h5", "--shard", "0/2", "--progress", "none")
    pimdse.ok("explore", "space.toml", "-o", "b.h5", "--shard", "1/2", "--progress", "none")
    pimdse.ok("merge", "a.h5", "b.h5", "-o", "m.h5")
    assert front(pimdse, "m.h5")["front"] == told["front"]
    code = ("import pimdse; r = pimdse.load('r.h5'); n = 'latency@chat + latency@long'; "
            "assert list(r.objectives)[0] == n and r.better[n] == 'minimize'; "
            "assert (r.table[n] == r.table['latency@chat'] + r.table['latency@long']).all(); print(len(r.front()))")
    done = subprocess.run(["/usr/bin/python3", "-B", "-c", code], cwd=pimdse.folder, capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT / "analysis"), "PIMDSE": PIMDSE})
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(told["front"])
    done = subprocess.run(["/usr/bin/python3", "-B", ROOT / "analysis/front.py", "r.h5", "-o", "f.svg"],
                          cwd=pimdse.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("objective, fact", [
    ("latency - ttft", "latency - ttft"), ("latency + energy", "latency + energy"), ("latency + enrgy", "'energy'"),
    ("latency < 1 s", "latency < 1 s"), ("2 * 3", "2 * 3")])
def test_a_wrong_formula_of_the_command_line_is_refused_as_one_of_a_file_is(pimdse, small_space, objective, fact):
    """Those of files are in message_cases_of_*.py."""
    refused(pimdse("explore", small_space, "-o", "r.h5", "--objectives", objective), 2, "--objectives", fact)
