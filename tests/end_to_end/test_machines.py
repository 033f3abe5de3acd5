"""Spaces of several machines and of scenarios, from the file to the picture."""
import csv
import io
import json
import re
import subprocess

import h5py
import numpy as np
import pytest

from conftest import ROOT, holds, refused
from joint_space import HEAD, MACHINES, MESH, REQUESTS, UMDAM

# What several machines stand on unless a space says otherwise, for one.
ASSUMED = '[assumptions]\nview = "hardware"\nconstants = "technology"\nhost = "excluded"\n'


@pytest.fixture
def spaces(tmp_path):
    """A space of two machines, and each of them alone."""
    files = {
        "joint": HEAD + MACHINES,
        "umdam": f'{HEAD}architecture = "umdam"\n{ASSUMED}[parameters]\n{UMDAM}',
        "mesh": f'{HEAD}architecture = "cim_mesh"\n{ASSUMED}[parameters]\n{MESH}',
    }
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(text + REQUESTS)
    return tmp_path


@pytest.fixture
def joint(pimdse, spaces):
    pimdse.ok("explore", spaces / "joint.toml", "-o", "joint.h5", "--progress", "none")
    return pimdse.folder / "joint.h5"


def test_machines_of_which_nothing_was_evaluated_are_named(pimdse, spaces):
    words = ("explore", spaces / "joint.toml", "--strategy", "sweep", "--progress", "none", "-o")
    pimdse.ok(*words, "all.h5")
    assert "mesh" in pimdse.ok(*words, "few.h5", "--budget", 3), "none of the three points is of the mesh"


def test_a_machine_that_a_scenario_leaves_out_is_named_with_its_rule_where_winners_are(pimdse, spaces):
    """The mesh has no room for the keys of one prompt, and so no answer to any."""
    huge = '[[scenario]]\nname = "huge"\nllm = "llama-3.2-1b"\ninput = 60000\noutput = 8\n'
    (spaces / "huge.toml").write_text((spaces / "joint.toml").read_text() + huge)
    summary = pimdse.ok("explore", spaces / "huge.toml", "-o", "huge.h5", "--progress", "none")
    for text in (summary, pimdse.ok("front", "huge.h5", "--best-by-scenario", "latency")):
        (line,) = [line for line in text.splitlines() if "mesh" in line]
        assert "kv_pool: 3 of 3 " in line


def test_a_joint_run_has_the_answers_of_the_single_runs(pimdse, spaces, joint):
    first = 0
    for machine in ("umdam", "mesh"):
        pimdse.ok("explore", spaces / f"{machine}.toml", "-o", f"{machine}.h5", "--progress", "none")
        with h5py.File(joint) as both, h5py.File(pimdse.folder / f"{machine}.h5") as alone:
            own = both["machines"][machine]
            rows = slice(int(own.attrs["first_row"]), int(own.attrs["first_row"] + own.attrs["rows"]))
            assert own.attrs["first_id"] == first and own.attrs["points"] == len(alone["point_id"])
            assert np.array_equal(both["point_id"][rows], alone["point_id"][:] + first)
            assert list(both["scenarios"].attrs["names"]) == list(alone["scenarios"].attrs["names"]) == ["chat", "long"]
            for inside in ("", "scenarios/"):
                for name in alone[inside + "metrics"].attrs["names"]:
                    common = name in both[inside + "metrics"]
                    there = both[inside + "metrics"][name][rows] if common else own[inside + "metrics"][name][:]
                    assert np.array_equal(there, alone[inside + "metrics"][name][:], equal_nan=True), name
            for name in alone["parameters"].attrs["names"]:
                assert np.array_equal(own["parameters"][name][:], alone["parameters"][name][:]), name
            first += len(alone["point_id"])


def test_every_verb_takes_a_file_of_several_machines(pimdse, spaces, joint):
    assert holds(pimdse, joint)["evaluated_again"] == 7
    for shard in (0, 1):
        pimdse.ok("explore", spaces / "joint.toml", "--shard", f"{shard}/2", "-o", f"{shard}.h5", "--progress", "none")
    pimdse.ok("merge", "0.h5", "1.h5", "-o", "merged.h5")
    assert pimdse.ok("diff", joint, "merged.h5") == "equal\n"
    assert re.search(r"(?m)^point .* machine +design$", pimdse.ok("front", joint))
    rows = list(csv.DictReader(io.StringIO(pimdse.ok("front", joint, "--where", "machine == mesh", "--format", "csv"))))
    assert rows and all(row["machine"] == "mesh" and row["umdam.channels"] == "" for row in rows)
    front = json.loads(pimdse.ok("front", joint, "--where", "umdam.channels >= 4", "--format", "json"))["front"]
    assert front and all(point["parameters"]["machine"] == "umdam" for point in front)
    assert not any(name.startswith("mesh.") for point in front for name in point["metrics"])
    assert "umdam: 4 " in pimdse.ok("explore", spaces / "joint.toml", "-o", "dry.h5", "--dry-run")


def test_a_picture_tells_the_machines_apart(pimdse, joint):
    script = ROOT / "analysis" / "front.py"
    done = subprocess.run(
        ["/usr/bin/python3", "-B", script, joint, "--where", "machine == umdam", "-o", pimdse.folder / "p.png"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"\b4 ", done.stdout) and (pimdse.folder / "p.png").stat().st_size > 10_000


def test_what_all_machines_stand_on_is_told_wherever_they_are_compared(pimdse, spaces, joint):
    usual = "view hardware, constants technology (7nm), host excluded"
    (spaces / "other.toml").write_text((spaces / "joint.toml").read_text() + "[assumptions]\nhost = 'included'\n")
    other = pimdse.ok("explore", spaces / "other.toml", "-o", "other.h5", "--progress", "none", "--assume",
                      "view=deployed")
    told = "view deployed, constants technology (7nm), host included"
    assert told in other and told in pimdse.ok("front", "other.h5")
    assert usual in pimdse.ok("front", joint)
    front = pimdse.json("front", "other.h5")
    assert front["assumptions"] == {"view": "deployed", "constants": "technology", "host": "included"}
    pimdse.ok("report", "other.h5", "-o", "other.html")
    assert told in (pimdse.folder / "other.html").read_text()
    (spaces / "alone.toml").write_text((spaces / "umdam.toml").read_text().replace(ASSUMED, ""))
    alone = pimdse.ok("explore", spaces / "alone.toml", "-o", "alone.h5", "--progress", "none")
    assert "constants technology" not in alone and "assumptions" not in pimdse.json("front", "alone.h5")
    script = ROOT / "analysis" / "front.py"
    for file, said in (("other.h5", True), ("alone.h5", False)):
        done = subprocess.run(["/usr/bin/python3", "-B", script, file, "-o", "p.svg"], cwd=pimdse.folder,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        text = (pimdse.folder / "p.svg").read_text()
        assert ("view deployed" in text) == said, "text of pictures is text or comments of glyphs"


def test_scenarios_answer_each_and_together(pimdse):
    both = ["--scenario", "short=llm=opt-125m,input=32,output=8", "--scenario", "long=llm=opt-125m,input=512,output=8"]
    answer, alone = (pimdse.json("evaluate", "umdam", *words)["metrics"] for words in (both, both[2:]))
    assert answer["latency@long"]["value"] == alone["latency@long"]["value"]
    product = answer["latency@short"]["value"] * answer["latency@long"]["value"]
    assert answer["latency"]["value"] == pytest.approx(product**0.5, rel=1e-12)


def test_a_row_per_scenario_is_a_figure_as_numbers(pimdse, tmp_path):
    text = HEAD + REQUESTS.replace("input = 64", "input = [32, 64, 128]") + '[baseline]\nbaseline = "relayout"\n'
    (tmp_path / "figure.toml").write_text(text.replace("schema = 2", 'schema = 2\narchitecture = "umdam"'))
    summary = pimdse.ok("explore", tmp_path / "figure.toml", "-o", "figure.h5", "--progress", "none")
    assert "chat.32" in summary and "long" in summary
    table = pimdse.ok("front", "figure.h5", "--by-scenario", "ttft_speedup", "--format", "csv")
    rows = {row["scenario"]: float(row["ttft_speedup"]) for row in csv.DictReader(io.StringIO(table))}
    assert list(rows) == ["chat.32", "chat.64", "chat.128", "long"]
    assert rows["chat.32"] > rows["chat.64"] > rows["chat.128"] > rows["long"] > 1.0
    refused(pimdse("front", "figure.h5", "--by-scenario", "ttft_sped"), 2, "--by-scenario", "'ttft_speedup'")


REFINED = """schema = 2
objectives = [%s]
[[machine]]
architecture = "umdam"
[machine.parameters]
channels = [2, 4]
[[machine]]
architecture = "gpu"
[machine.parameters]
devices = [1, 2]
[[scenario]]
name = "chat"
llm = "llama-3.2-1b"
input = 64
output = 8
"""


def refined(pimdse, objectives, **options):
    (pimdse.folder / "s.toml").write_text(REFINED % objectives)
    pimdse.ok("explore", "s.toml", "-o", "s.h5", "--progress", "none", "--force")
    return pimdse("explore", "--refine", "s.h5", "--fidelity", "cycle", "-o", "fine.h5", "--progress", "none",
                  "--force", **options)


def fidelities(path):
    with h5py.File(path) as file:
        return dict(zip(file["point_id"][()].tolist(), file["fidelity"][()].tolist())), set(file["front/ids"][()])


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_machine_without_the_fidelity_stays_at_its_finest_and_is_named(pimdse, ranks):
    done = refined(pimdse, '"latency", "area"', ranks=ranks)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("gpu ")]
    assert "cycle" in line and "analytic" in line and re.findall(r"\d+", line) == ["2"]
    assert fidelities(pimdse.folder / "fine.h5") == ({0: 2, 1: 2, 2: 0, 3: 0}, {0, 1})
    assert holds(pimdse, "fine.h5")["evaluated_again_at"] == {"analytic": 2, "cycle": 2}
    assert pimdse.json("explain", "fine.h5", 2)["fidelity"] == "analytic"


def test_a_machine_that_is_not_on_the_front_does_not_stand_in_the_way(pimdse):
    done = refined(pimdse, '"area"')
    assert done.returncode == 0 and not re.search(r"(?m)^gpu ", done.stdout), done.stderr
    assert fidelities(pimdse.folder / "fine.h5") == ({0: 2}, {0})


def test_a_front_of_machines_without_the_fidelity_is_refused(pimdse):
    refused(refined(pimdse, '"latency"'), 2, "--fidelity cycle", "gpu", "--where")


@pytest.mark.parametrize("concurrency", ["partition", "dual_row_buffer"])
def test_traffic_of_umdam_outlasts_refreshes_of_its_banks(pimdse, concurrency):
    # refreshes of products in the banks were added to traffic that goes on meanwhile: bounds above the simulation
    sets = {"llm": "opt-125m", "input": 700, "output": 100, "channels": 16, "ranks": 2, "attention": "npu",
            "prefill_unit": "npu", "decode_unit": "pim", "concurrency": concurrency}
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
    bound, simulated = (pimdse.json("evaluate", "umdam", *words, "--fidelity", fidelity)["metrics"]
                        for fidelity in ("analytic", "cycle"))
    for metric in ("itl", "latency"):
        assert bound[metric]["low"] <= simulated[metric]["value"] <= bound[metric]["high"], metric
