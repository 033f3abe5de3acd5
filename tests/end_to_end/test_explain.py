"""Why a point is where it is, and from a file to a point and back."""
import csv
import io
import json
import subprocess

import h5py
import pytest
from bad_input import one_sentence

from conftest import PIMDSE, UPMEM_STREAMS

UPMEM = UPMEM_STREAMS + "%s\n"


@pytest.fixture
def swept(pimdse, small_space):
    pimdse.ok("explore", small_space, "-o", "r.h5", "--progress", "none")
    return pimdse


def told(pimdse, *words):
    return json.loads(pimdse.ok("explain", *words, "--format", "json"))


def test_explain_says_of_every_member_who_limits_it_and_of_others_who_covers_them(swept):
    front = {str(e["point"]): e for e in json.loads(swept.ok("front", "r.h5", "--format", "json"))["front"]}
    for point in (*list(front)[:3], "0", "17"):
        answer = told(swept, "r.h5", point)
        if answer["status"] != "ok":
            continue
        assert answer["on_front"] == (point in front)
        assert set(answer["witnesses"]) <= set(front) and bool(answer["witnesses"]) != answer["on_front"]
        for objective in answer["objectives"]:
            if answer["on_front"]:
                value = front[point]["metrics"][objective["name"]]["value"]
                assert objective["value"] == value and (not objective["turn"] or objective["turn"]["at"] >= value)
            else:
                assert objective["turn"]["at"] <= objective["value"]
        assert sum(part["seconds"] for part in answer["breakdown"][0]["time"]) == pytest.approx(
            answer["objectives"][0]["value"], rel=1e-9
        )
        assert all(change["remembered"] for change in answer["changes"])


def test_explain_says_why_an_infeasible_point_is_none_and_which_change_helps(pimdse):
    (pimdse.folder / "space.toml").write_text(UPMEM % "[[constraint]]\nname = 'pace'\nexpr = 'latency <= 10 ms'\n")
    pimdse.ok("explore", "space.toml", "-o", "r.h5", "--progress", "none")
    failures = json.loads(pimdse.ok("failures", "r.h5", "--format", "json"))["failures"]
    failed = next(entry for entry in failures if entry["rule"] == "pace")
    answer = told(pimdse, "r.h5", failed["point_id"])
    assert answer["status"] == "infeasible" and answer["rule"] == "pace" and "on_front" not in answer
    assert [(c["name"], c["holds"], c["slack"] < 0) for c in answer["constraints"]] == [("pace", False, True)]
    assert "missed by" in pimdse.ok("explain", "r.h5", failed["point_id"])


def test_explain_evaluates_what_a_ladder_closed_and_says_how_it_did(pimdse):
    (pimdse.folder / "space.toml").write_text(UPMEM % "")
    pimdse.ok("explore", "space.toml", "-o", "l.h5", "--strategy", "ladder", "--progress", "none")
    ways = {}
    for point in range(0, 80, 7):
        answer = told(pimdse, "l.h5", point)
        ways.setdefault(answer["certificate"]["way"], (point, answer))
        assert answer["fidelity"] == "cycle" and len(answer["changes"]) >= 4
    point, closed = ways["closed by its bounds"]
    assert not closed["remembered"] and closed["certificate"]["by"] in closed["witnesses"]
    for best, objective in zip(closed["certificate"]["best"], closed["objectives"]):
        assert best <= objective["value"]
    text = pimdse.ok("explain", "l.h5", point, "--remembered")
    assert "evaluated now" in text and "not answered (--remembered)" in text and "at cycle fidelity" in text


def test_explain_refuses_what_it_cannot_explain(swept):
    one_sentence(swept("explain", "r.h5", "100000"), 2, "POINT", "from 0 to")
    one_sentence(swept("explain", "r.h5", "x"), 2, "POINT")
    one_sentence(swept("explain", "r.h5", "3", "--format", "csv"), 2, "text or json")
    one_sentence(swept("explain", "r.h5"), 2, "point is missing")


def test_evaluate_takes_a_point_from_a_file_and_changes_it(swept):
    member = json.loads(swept.ok("front", "r.h5", "--format", "json"))["front"][0]
    same = json.loads(swept.ok("evaluate", "--from", "r.h5", "--point", member["point"], "--format", "json"))
    for name, metric in member["metrics"].items():
        assert same["metrics"][name]["value"] == metric["value"]
    changed = ("evaluate", "--from", "r.h5", "--point", member["point"], "--set", "mesh_rows=80")
    assert json.loads(swept.ok(*changed, "--format", "json"))["point"]["mesh_rows"] == 80
    head = swept.ok(*changed).splitlines()[0]
    assert "at analytic fidelity" in head and "r.h5, but mesh_rows = 80" in head and "input 128" in head
    one_sentence(swept("evaluate", "cim_mesh", "--from", "r.h5", "--point", "0"), 2, "--from")
    one_sentence(swept("evaluate", "--from", "r.h5"), 2, "point is missing")
    one_sentence(swept("evaluate", "cim_mesh", "--point", "0"), 2, "--from")


def test_evaluate_from_a_file_asks_its_scenarios(pimdse):
    scenarios = "[[scenario]]\nname = 'small'\nkernel = 'va'\nelements = 16384\n" + (
        "[[scenario]]\nname = 'large'\nkernel = 'va'\nelements = 262144\n[baseline]\nstreams = 1\n"
    )
    text = (UPMEM % scenarios).replace("schema = 1", "schema = 2").replace('kernel = "va"\n', "", 1)
    text = text.replace("elements = [65536, 262144]\n", "").replace('"latency"', '"speedup"')
    (pimdse.folder / "space.toml").write_text(text)
    pimdse.ok("explore", "space.toml", "-o", "s.h5", "--progress", "none")
    member = json.loads(pimdse.ok("front", "s.h5", "--format", "json"))["front"][0]
    same = json.loads(pimdse.ok("evaluate", "--from", "s.h5", "--point", member["point"], "--format", "json"))
    assert same["metrics"]["speedup@large"]["value"] == member["metrics"]["speedup@large"]["value"]
    assert "small: where the time goes" in pimdse.ok("explain", "s.h5", member["point"])
    per = json.loads(pimdse.ok("front", "s.h5", "--per", "scenario", "--format", "json"))
    assert [front["value"] for front in per["fronts"]] == ["small", "large"]
    assert [o["name"] for o in per["fronts"][1]["objectives"]] == ["speedup@large", "energy@large"]


def batch(*words, lines):
    done = subprocess.run(
        [PIMDSE, "evaluate", *words, "--batch"], input="\n".join(lines), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_batch_answers_line_by_line_what_points_answer_alone(pimdse):
    lines = [
        '{"tag": "a", "points": [{"tasklets": 8}, {"tasklets": "16", "streams": 2}]}',
        "nonsense",
        '{"tag": 7, "points": [{"taskletz": 8}]}',
        '{"tag": 8, "points": [{"tasklets": "many"}]}',
        '{"fidelity": "cycle", "points": [{"elements": 65536}]}',
    ]
    two, *refused, last = batch("upmem", "--set", "kernel=va", lines=lines)
    assert two["tag"] == "a" and [r["tag"] for r in refused] == [None, 7, 8] and last["tag"] is None
    assert "no JSON" in refused[0]["error"] and "'tasklets'" in refused[1]["error"]
    assert "tasklets" in refused[2]["error"]
    alone = (
        pimdse.ok("evaluate", "upmem", "--set", "kernel=va", *words, "--format", "json")
        for words in (
            ("--set", "tasklets=8"),
            ("--set", "tasklets=16", "--set", "streams=2"),
            ("--set", "elements=65536", "--fidelity", "cycle"),
        )
    )
    for answer, text in zip((*two["answers"], *last["answers"]), alone):
        metrics = json.loads(text)["metrics"]
        assert answer["status"] == "ok"
        for name, value in answer["metrics"].items():
            assert value == metrics[name]["value"] or (value is None and metrics[name]["value"] is None)


def test_fronts_per_value_are_those_under_a_condition(swept):
    rows = csv.DictReader(io.StringIO(swept.ok("front", "r.h5", "--per", "gating", "--format", "csv")))
    found = [(row["per_gating"], row["point"], row["fidelity"]) for row in rows]
    expected = []
    for value in json.loads(swept.ok("front", "r.h5", "--per", "gating", "--format", "json"))["fronts"]:
        alone = json.loads(
            swept.ok("front", "r.h5", "--where", f"gating == '{value['value']}'", "--format", "json")
        )
        assert [e["point"] for e in alone["front"]] == [e["point"] for e in value["front"]]
        expected += [(value["value"], str(e["point"]), "analytic") for e in alone["front"]]
    assert found == expected and {value for value, *_ in found} == {"srpg", "none"}
    assert "gating srpg: front of latency, power at analytic fidelity" in swept.ok("front", "r.h5", "--per", "gating")
    one_sentence(swept("front", "r.h5", "--per", "gatin"), 2, "--per", "'gating'")
    one_sentence(swept("front", "r.h5", "--per", "scenario"), 2, "no scenarios")
    one_sentence(swept("front", "r.h5", "--fidelity", "cycle"), 2, "no answers", "analytic")


def test_a_front_is_refined_into_a_new_file_and_fidelities_stay_apart(pimdse):
    (pimdse.folder / "space.toml").write_text(UPMEM % "")
    pimdse.ok("explore", "space.toml", "-o", "r.h5", "--progress", "none")
    front = {e["point"] for e in json.loads(pimdse.ok("front", "r.h5", "--format", "json"))["front"]}
    refine = ("explore", "--refine", "r.h5", "--fidelity", "cycle", "--progress", "none", "-o")
    assert f"{len(front)} points" in pimdse.ok(*refine, "fine.h5", "--dry-run")
    assert json.loads(pimdse.ok(*refine, "fine.h5", "--format", "json"))["points"] == len(front)
    pimdse.ok("merge", "r.h5", "fine.h5", "-o", "both.h5")
    both = pimdse.ok("front", "both.h5")
    assert "at cycle fidelity; 80 rows of other fidelities not shown" in both
    coarse = json.loads(pimdse.ok("front", "both.h5", "--fidelity", "analytic", "--format", "json"))
    assert {e["point"] for e in coarse["front"]} == front and coarse["fidelity"] == "analytic"
    where = json.loads(pimdse.ok(*refine, "some.h5", "--where", "tasklets == 16 and streams == 8", "--format", "json"))
    assert where["points"] == 4
    one_sentence(pimdse(*refine[:-3], "-o", "x.h5", "--fidelity", "analytic"), 2, "fidelity")
    one_sentence(pimdse("explore", "--refine", "r.h5", "-o", "x.h5"), 2, "--fidelity cycle")
    one_sentence(pimdse(*refine, "x.h5", "--budget", "3"), 2, "--budget")
    one_sentence(pimdse("explore", "space.toml", "-o", "x.h5", "--where", "tasklets == 1"), 2, "--refine")


def test_a_comparison_says_designs_and_which_constraint_differs(pimdse):
    for name, limit in (("a", "[[constraint]]\nname = 'few'\nexpr = 'tasklets <= 11'\n"), ("b", "")):
        (pimdse.folder / f"{name}.toml").write_text(UPMEM % limit)
        pimdse.ok("explore", f"{name}.toml", "-o", f"{name}.h5", "--progress", "none")
    done = pimdse("diff", "a.h5", "b.h5")
    assert done.returncode == 8 and "the constraint few (tasklets <= 11) is in a.h5 only" in done.stdout
    assert "gained on the front: point" in done.stdout and "tasklets 16" in done.stdout
    answer = json.loads(pimdse("diff", "a.h5", "b.h5", "--format", "json").stdout)
    assert answer["gained"] == [design["point"] for design in answer["gained_designs"]]
    assert all(design["parameters"]["tasklets"] == 16 for design in answer["gained_designs"])
    (pimdse.folder / "c.toml").write_text((UPMEM % "").replace("16]", "12]"))
    pimdse.ok("explore", "c.toml", "-o", "c.h5", "--progress", "none")
    one_sentence(pimdse("diff", "a.h5", "c.h5"), 3, "different spaces (they differ in tasklets)")
    pimdse.ok("explore", "b.toml", "-o", "d.h5", "--progress", "none", "--budget", 1)
    assert "(not answered in d.h5)" in pimdse("diff", "b.h5", "d.h5").stdout


def test_a_comparison_gathers_points_that_differ_alike(pimdse):
    for name, limit in (("a", 86), ("b", 85.6)):
        (pimdse.folder / f"{name}.toml").write_text(
            'architecture = "dplena"\nobjectives = ["latency", "area"]\n[parameters]\nvlen = [64, 128, 256, 512]\n'
            'vocab = [10000, 20000]\nchannels = [8, 16, 32]\n'
            f'[[constraint]]\nname = "small"\nexpr = "area <= {limit} mm2"\n')
        pimdse.ok("explore", f"{name}.toml", "-o", f"{name}.h5", "--progress", "none")
    lines = pimdse("diff", "a.h5", "b.h5").stdout.splitlines()
    assert len(lines) == 5 and "the fronts have the same designs (4)" in lines
    with h5py.File(pimdse.folder / "a.h5") as a, h5py.File(pimdse.folder / "b.h5") as b:
        left, right = (file["status"][()] == 0 for file in (a, b))
        assert (left & ~right).any() and not (~left & right).any()
    assert lines[3].startswith(f"{(left & ~right).sum()} points are ok in a.h5 and infeasible by rule small in b.h5")
    assert lines[4].startswith(f"{(~left & ~right).sum()} points are infeasible by rule small in both for different")


def test_a_comparison_of_levels_says_by_how_much_they_differ(pimdse):
    (pimdse.folder / "s.toml").write_text(UPMEM % "")
    pimdse.ok("explore", "s.toml", "-o", "a.h5", "--progress", "none")
    pimdse.ok("explore", "s.toml", "-o", "b.h5", "--progress", "none", "--fidelity", "cycle")
    text = pimdse("diff", "a.h5", "b.h5").stdout
    assert "is at analytic fidelity, that of b.h5 at cycle fidelity" in text and "answered in a.h5 only" in text


@pytest.mark.parametrize("width", [80, 120])
def test_what_is_printed_fits_the_screen(swept, width):
    for words in (
        ("describe", "umdam"),
        ("describe", "dplena", "--ledger"),
        ("describe", "umdam", "llm"),
        ("evaluate", "upmem"),
        ("front", "r.h5"),
        ("list", "spaces"),
        ("list", "strategies"),
        ("list", "models"),
        ("explain", "r.h5", "0"),
    ):
        lines = swept.ok(*words, env={"COLUMNS": str(width)}).splitlines()
        assert max(map(len, lines)) <= width, [line for line in lines if len(line) > width][:3]
