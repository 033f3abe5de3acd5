"""Spaces of several machines and of scenarios, from the file to the picture."""
import csv
import io
import json
import subprocess

import h5py
import numpy as np
import pytest

from bad_input import one_sentence
from conftest import ROOT
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


def test_machines_of_which_nothing_was_asked_are_said(pimdse, spaces):
    words = ("explore", spaces / "joint.toml", "--strategy", "sweep", "--progress", "none", "-o")
    assert "nothing was answered of mesh\n" in pimdse.ok(*words, "few.h5", "--budget", 3)
    assert "nothing was answered" not in pimdse.ok(*words, "all.h5")


def test_a_machine_that_a_scenario_leaves_out_is_said_where_winners_are(pimdse, spaces):
    """The mesh has no room for the keys of one prompt, and so no answer to any."""
    huge = '[[scenario]]\nname = "huge"\nllm = "llama-3.2-1b"\ninput = 60000\noutput = 8\n'
    (spaces / "huge.toml").write_text((spaces / "joint.toml").read_text() + huge)
    words = ("explore", spaces / "huge.toml", "-o", "huge.h5", "--progress", "none")
    assert "no design of mesh is feasible (" in pimdse.ok(*words)
    assert "no design of mesh is feasible (" in pimdse.ok("front", "huge.h5", "--best-by-scenario", "latency")


def test_a_joint_run_has_the_answers_of_the_single_runs(pimdse, spaces, joint):
    first = 0
    for machine in ("umdam", "mesh"):
        pimdse.ok("explore", spaces / f"{machine}.toml", "-o", f"{machine}.h5", "--progress", "none")
        with h5py.File(joint) as both, h5py.File(pimdse.folder / f"{machine}.h5") as alone:
            own = both["machines"][machine]
            rows = slice(int(own.attrs["first_row"]), int(own.attrs["first_row"] + own.attrs["rows"]))
            assert own.attrs["first_id"] == first and own.attrs["points"] == len(alone["point_id"])
            assert np.array_equal(both["point_id"][rows], alone["point_id"][:] + first)
            for inside in ("", "scenarios/chat/", "scenarios/long/"):
                for name in alone[inside + "metrics"].attrs["names"]:
                    common = name in both[inside + "metrics"]
                    there = both[inside + "metrics"][name][rows] if common else own[inside + "metrics"][name][:]
                    assert np.array_equal(there, alone[inside + "metrics"][name][:], equal_nan=True), name
            for name in alone["parameters"].attrs["names"]:
                assert np.array_equal(own["parameters"][name][:], alone["parameters"][name][:]), name
            first += len(alone["point_id"])


def test_every_verb_takes_a_file_of_several_machines(pimdse, spaces, joint):
    assert "evaluated again and agree" in pimdse.ok("verify", joint)
    for shard in (0, 1):
        pimdse.ok("explore", spaces / "joint.toml", "--shard", f"{shard}/2", "-o", f"{shard}.h5", "--progress", "none")
    pimdse.ok("merge", "0.h5", "1.h5", "-o", "merged.h5")
    assert pimdse.ok("diff", joint, "merged.h5") == "equal\n"
    text = pimdse.ok("front", joint)
    assert "machine" in text and "design" in text
    rows = list(csv.DictReader(io.StringIO(pimdse.ok("front", joint, "--where", "machine == mesh", "--format", "csv"))))
    assert rows and all(row["machine"] == "mesh" and row["umdam.channels"] == "" for row in rows)
    front = json.loads(pimdse.ok("front", joint, "--where", "umdam.channels >= 4", "--format", "json"))["front"]
    assert front and all(point["parameters"]["machine"] == "umdam" for point in front)
    assert not any(name.startswith("mesh.") for point in front for name in point["metrics"])
    assert "umdam: 4 points" in pimdse.ok("explore", spaces / "joint.toml", "-o", "dry.h5", "--dry-run")


def test_a_picture_tells_the_machines_apart(pimdse, joint):
    script = ROOT / "analysis" / "front.py"
    done = subprocess.run(
        ["/usr/bin/python3", "-B", script, joint, "--where", "machine == umdam", "-o", pimdse.folder / "p.png"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "4 feasible points" in done.stdout and (pimdse.folder / "p.png").stat().st_size > 10_000


def test_what_all_machines_stand_on_is_told_wherever_they_are_compared(pimdse, spaces, joint):
    usual = "assuming view hardware, constants technology (7nm), host excluded, weights as each machine computes them"
    (spaces / "other.toml").write_text((spaces / "joint.toml").read_text() + "[assumptions]\nhost = 'included'\n")
    other = pimdse.ok("explore", spaces / "other.toml", "-o", "other.h5", "--progress", "none", "--assume",
                      "view=deployed")
    told = "assuming view deployed, constants technology (7nm), host included"
    assert told in other and told in pimdse.ok("front", "other.h5")
    assert usual in pimdse.ok("front", joint)
    front = json.loads(pimdse.ok("front", "other.h5", "--format", "json"))
    assert front["assumptions"] == {"view": "deployed", "constants": "technology", "host": "included"}
    pimdse.ok("report", "other.h5", "-o", "other.html")
    assert told in (pimdse.folder / "other.html").read_text()
    (spaces / "alone.toml").write_text((spaces / "umdam.toml").read_text().replace(ASSUMED, ""))
    alone = pimdse.ok("explore", spaces / "alone.toml", "-o", "alone.h5", "--progress", "none")
    assert "assuming" not in alone
    assert "assumptions" not in json.loads(pimdse.ok("front", "alone.h5", "--format", "json"))
    script = ROOT / "analysis" / "front.py"
    for file, said in (("other.h5", True), ("alone.h5", False)):
        done = subprocess.run(["/usr/bin/python3", "-B", script, file, "-o", "p.svg"], cwd=pimdse.folder,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        text = (pimdse.folder / "p.svg").read_text()
        assert ("assuming view deployed" in text) == said, "text of pictures is text or comments of glyphs"


@pytest.mark.parametrize(
    "flags, pieces",
    [
        (["--scenario", "a=input=3,input=4"], ["--scenario", "a asks input twice"]),
        (["--scenario", "a=weight=-1,llm=opt-125m"], ["weight is above 0"]),
        (["--scenario", "a=input=3", "--scenario", "a=input=4"], ["two scenarios 'a'"]),
        (["--scenario", "=input=3"], ["'' is no name"]),
        (["--scenario", "a=inptu=3"], ["inptu", "'input'"]),
        (["--scenario", "a=input=3", "--set", "input=4"], ["--set input", "what the scenarios ask"]),
        (["--scenario", "a=input=3", "--trace", "t.json"], ["--trace"]),
        (["--scenario", "a=precision=many"], ["precision"]),
    ],
)
def test_a_wrong_scenario_flag_is_one_sentence(pimdse, flags, pieces):
    one_sentence(pimdse("evaluate", "umdam", *flags), 2, *pieces)


def test_a_machine_that_computes_with_fewer_bits_is_infeasible(pimdse):
    done = pimdse("evaluate", "umdam", "--scenario", "a=llm=opt-125m,precision=32")
    assert done.returncode == 6, done.stdout + done.stderr
    assert "a: " in done.stdout and "32" in done.stdout


def test_scenarios_answer_each_and_together(pimdse):
    both = ["--scenario", "short=llm=opt-125m,input=32,output=8", "--scenario", "long=llm=opt-125m,input=512,output=8"]
    answer = json.loads(pimdse.ok("evaluate", "umdam", *both, "--format", "json"))["metrics"]
    alone = json.loads(pimdse.ok("evaluate", "umdam", *both[2:], "--format", "json"))["metrics"]
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
    one_sentence(pimdse("front", "figure.h5", "--by-scenario", "ttft_sped"), 2, "--by-scenario", "ttft_speedup")


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
def test_a_machine_without_the_fidelity_stays_at_its_finest_and_that_is_said(pimdse, ranks):
    done = refined(pimdse, '"latency", "area"', ranks=ranks)
    assert done.returncode == 0 and "gpu has no cycle level: 2 points of it not refined, at analytic" in done.stdout
    assert fidelities(pimdse.folder / "fine.h5") == ({0: 2, 1: 2, 2: 0, 3: 0}, {0, 1})
    assert "agree" in pimdse.ok("verify", "fine.h5")
    assert "point 2 at analytic fidelity" in pimdse.ok("explain", "fine.h5", 2)


def test_a_machine_that_is_not_on_the_front_does_not_stand_in_the_way(pimdse):
    done = refined(pimdse, '"area"')
    assert done.returncode == 0 and "has no cycle level" not in done.stdout, done.stderr
    assert fidelities(pimdse.folder / "fine.h5") == ({0: 2}, {0})


def test_a_front_of_machines_without_the_fidelity_is_refused(pimdse):
    one_sentence(refined(pimdse, '"latency"'), 2, "--fidelity cycle", "gpu", "--where")
