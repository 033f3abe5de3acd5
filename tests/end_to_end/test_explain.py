"""Why a point is where it is, and from a file to a point and back."""
import csv
import io
import json
import re
import subprocess

import pytest

from conftest import PIMDSE, UPMEM_STREAMS

UPMEM = UPMEM_STREAMS + "%s\n"


@pytest.fixture
def swept(pimdse, small_space, explored_once):
    explored_once(pimdse, small_space.read_text(), "r.h5")
    return pimdse


def told(pimdse, *words):
    return pimdse.json("explain", *words)


def test_explain_says_of_every_member_who_limits_it_and_of_others_who_covers_them(swept):
    front = {str(e["point"]): e for e in swept.json("front", "r.h5")["front"]}
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
    failures = pimdse.json("failures", "r.h5")["failures"]
    failed = next(entry for entry in failures if entry["rule"] == "pace")
    answer = told(pimdse, "r.h5", failed["point_id"])
    assert answer["status"] == "infeasible" and answer["rule"] == "pace" and "on_front" not in answer
    assert [(c["name"], c["holds"], c["slack"] < 0) for c in answer["constraints"]] == [("pace", False, True)]
    assert "pace" in pimdse.ok("explain", "r.h5", failed["point_id"])


def test_explain_evaluates_what_a_ladder_closed_and_says_how_it_did(pimdse):
    (pimdse.folder / "space.toml").write_text(UPMEM % "")
    pimdse.ok("explore", "space.toml", "-o", "l.h5", "--strategy", "ladder", "--progress", "none")
    kinds = {}
    for point in range(0, 80, 7):
        answer = told(pimdse, "l.h5", point)
        kinds.setdefault("by" in answer["certificate"], (point, answer))
        assert answer["fidelity"] == "cycle" and len(answer["changes"]) >= 4
    point, closed = kinds[True]
    assert not closed["remembered"] and closed["certificate"]["by"] in closed["witnesses"]
    for best, objective in zip(closed["certificate"]["best"], closed["objectives"]):
        assert best <= objective["value"]
    changes = told(pimdse, "l.h5", point, "--remembered")["changes"]
    assert all(change["remembered"] for change in changes) and len(changes) < len(closed["changes"])


def test_evaluate_takes_a_point_from_a_file_and_changes_it(swept):
    member = swept.json("front", "r.h5")["front"][0]
    same = swept.json("evaluate", "--from", "r.h5", "--point", member["point"])
    for name, metric in member["metrics"].items():
        assert same["metrics"][name]["value"] == metric["value"]
    changed = ("evaluate", "--from", "r.h5", "--point", member["point"], "--set", "mesh_rows=80")
    assert swept.json(*changed)["point"]["mesh_rows"] == 80
    head = swept.ok(*changed).splitlines()[0]
    assert [fact for fact in ("analytic", "r.h5", "mesh_rows = 80", "input 128") if fact not in head] == []


def test_evaluate_from_a_file_asks_its_scenarios(pimdse):
    scenarios = "[[scenario]]\nname = 'small'\nkernel = 'va'\nelements = 16384\n" + (
        "[[scenario]]\nname = 'large'\nkernel = 'va'\nelements = 262144\n[baseline]\nstreams = 1\n"
    )
    text = (UPMEM % scenarios).replace("schema = 1", "schema = 2").replace('kernel = "va"\n', "", 1)
    text = text.replace("elements = [65536, 262144]\n", "").replace('"latency"', '"speedup"')
    (pimdse.folder / "space.toml").write_text(text)
    pimdse.ok("explore", "space.toml", "-o", "s.h5", "--progress", "none")
    member = pimdse.json("front", "s.h5")["front"][0]
    same = pimdse.json("evaluate", "--from", "s.h5", "--point", member["point"])
    assert same["metrics"]["speedup@large"]["value"] == member["metrics"]["speedup@large"]["value"]
    assert {part["scenario"] for part in told(pimdse, "s.h5", member["point"])["breakdown"]} == {"small", "large"}
    per = pimdse.json("front", "s.h5", "--per", "scenario")
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
    two, *wrong, last = batch("upmem", "--set", "kernel=va", lines=lines)
    assert two["tag"] == "a" and [r["tag"] for r in wrong] == [None, 7, 8] and last["tag"] is None
    assert "JSON" in wrong[0]["error"] and "'tasklets'" in wrong[1]["error"]
    assert "tasklets" in wrong[2]["error"] and "many" in wrong[2]["error"]
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
    for value in swept.json("front", "r.h5", "--per", "gating")["fronts"]:
        alone = swept.json("front", "r.h5", "--where", f"gating == '{value['value']}'")
        assert [e["point"] for e in alone["front"]] == [e["point"] for e in value["front"]]
        expected += [(value["value"], str(e["point"]), "analytic") for e in alone["front"]]
    assert found == expected and {value for value, *_ in found} == {"srpg", "none"}
    heads = [line for line in swept.ok("front", "r.h5", "--per", "gating").splitlines() if line.startswith("gating ")]
    assert [head.split(":")[0] for head in heads] == ["gating srpg", "gating none"]


def test_a_front_is_refined_into_a_new_file_and_fidelities_stay_apart(pimdse):
    (pimdse.folder / "space.toml").write_text(UPMEM % "")
    pimdse.ok("explore", "space.toml", "-o", "r.h5", "--progress", "none")
    front = {e["point"] for e in pimdse.json("front", "r.h5")["front"]}
    refine = ("explore", "--refine", "r.h5", "--fidelity", "cycle", "--progress", "none", "-o")
    assert str(len(front)) in pimdse.ok(*refine, "fine.h5", "--dry-run").splitlines()[0]
    assert not (pimdse.folder / "fine.h5").exists()
    assert pimdse.json(*refine, "fine.h5")["points"] == len(front)
    pimdse.ok("merge", "r.h5", "fine.h5", "-o", "both.h5")
    both = pimdse.ok("front", "both.h5")
    head = both.splitlines()[0]
    assert "cycle" in head and re.findall(r"\d+", head) == ["80"] and pimdse.json("front",
                                                                                  "both.h5")["fidelity"] == "cycle"
    coarse = pimdse.json("front", "both.h5", "--fidelity", "analytic")
    assert {e["point"] for e in coarse["front"]} == front and coarse["fidelity"] == "analytic"
    where = pimdse.json(*refine, "some.h5", "--where", "tasklets == 16 and streams == 8")
    assert where["points"] == 4


def test_a_comparison_says_designs_and_which_constraint_differs(pimdse):
    for name, limit in (("a", "[[constraint]]\nname = 'few'\nexpr = 'tasklets <= 11'\n"), ("b", "")):
        (pimdse.folder / f"{name}.toml").write_text(UPMEM % limit)
        pimdse.ok("explore", f"{name}.toml", "-o", f"{name}.h5", "--progress", "none")
    done = pimdse("diff", "a.h5", "b.h5", "--format", "json")
    said = json.loads(done.stdout)
    assert done.returncode == 8 and not said["equal"]
    for text in (*said["constraints"], pimdse("diff", "a.h5", "b.h5").stdout):
        assert "few" in text and "tasklets <= 11" in text and "a.h5" in text
    assert len(said["constraints"]) == 1


def test_a_comparison_of_levels_counts_rows_of_each_file(pimdse):
    (pimdse.folder / "s.toml").write_text(UPMEM % "")
    pimdse.ok("explore", "s.toml", "-o", "a.h5", "--progress", "none")
    pimdse.ok("explore", "s.toml", "-o", "b.h5", "--progress", "none", "--fidelity", "cycle")
    done = pimdse("diff", "a.h5", "b.h5", "--format", "json")
    said = json.loads(done.stdout)
    assert done.returncode == 8 and not said["equal"] and said["only_left"] == said["only_right"] == 80
    head = pimdse("diff", "a.h5", "b.h5").stdout.splitlines()[0]
    assert [word for word in ("a.h5", "analytic", "b.h5", "cycle") if word not in head] == []


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
