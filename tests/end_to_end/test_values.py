"""Values as people and other programs write them: whole numbers as floats, several where one is taken, decimal commas,
and numbers in outputs for programs."""
import csv
import io
import json
import re
import subprocess

import h5py
import pytest
from conftest import PIMDSE, refused


def batch(architecture, *points):
    """The reply to each point, asked in a line of its own."""
    lines = "".join(json.dumps({"points": [point]}) + "\n" for point in points)
    done = subprocess.run([PIMDSE, "evaluate", architecture, "--batch"], input=lines, capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_whole_numbers_may_be_floats_in_lines_of_json():
    whole, real, text = batch("gpu", {"input": 256}, {"input": 256.0}, {"input": "2.56e2"})
    assert whole["answers"][0]["status"] == "ok" and whole["answers"] == real["answers"] == text["answers"]
    on, true = batch("umdam", {"double_buffer": 1.0}, {"double_buffer": True})
    assert on["answers"] == true["answers"]


@pytest.mark.parametrize("value, words", [
    (2.5, ["input", "2.5", "tokens", "1..1048576"]),
    (1e300, ["input", "1e+300", "1..1048576"]),
    (-1.0, ["input", "-1", "1..1048576"]),
    (None, ["input", "null", "1..1048576"]),
    (True, ["input", "true", "1..1048576"]),
    ({"a": 1}, ["input", "1..1048576"]),
    ([1, 2], ["input", "[1,2]"]),
    ("1,2", ["input", "1,2"]),
])
def test_what_is_not_a_whole_number_is_refused_with_what_is_accepted(value, words):
    (reply,) = batch("gpu", {"input": value})
    assert all(word in reply["error"] for word in words), reply


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity", "-Infinity", "9" * 400])
def test_a_number_that_no_double_holds_is_refused_by_name(number):
    for name in ("input", "attained_share"):
        lines = f'{{"tag": 7, "points": [{{"{name}": {number}}}]}}\n{{"tag": 8, "points": [{{}}]}}\n'
        done = subprocess.run([PIMDSE, "evaluate", "gpu", "--batch"], input=lines, capture_output=True, text=True)
        wrong, right = map(json.loads, done.stdout.splitlines())
        assert wrong["tag"] == 7 and name in wrong["error"] and number[:20] in wrong["error"], wrong
        assert right["answers"][0]["status"] == "ok", done.stderr


def test_several_values_are_a_list_for_a_space(pimdse):
    explore = ("explore", "quick", "--dry-run", "--set")
    assert re.search(r"\b48 ", pimdse.ok(*explore, "vlen=[64,128]").splitlines()[0])
    assert pimdse.ok(*explore, "vlen=256.0").splitlines()[0] == pimdse.ok(*explore, "vlen=256").splitlines()[0]


def test_flags_take_whole_numbers_as_floats(pimdse):
    space = ("explore", "quick", "-o", "a.h5", "--progress", "none", "--strategy", "random")
    assert pimdse.json(*space, "--budget", "3.0")["points"] == 3
    refused(pimdse(*space, "--budget", "3.5", "--force"), 2, "--budget", "3.5")


@pytest.fixture
def clocks(pimdse):
    (pimdse.folder / "s.toml").write_text("""schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
kernel = "va"
elements = 65536
frequency = ["350 MHz", "400 MHz"]
""")
    pimdse.ok("explore", "s.toml", "-o", "s.h5", "--progress", "none")
    return pimdse


def test_csv_has_quantities_in_si(clocks):
    rows = list(csv.DictReader(io.StringIO(clocks.ok("front", "s.h5", "--format", "csv"))))
    front = clocks.json("front", "s.h5")["front"]
    with h5py.File(clocks.folder / "s.h5") as file:
        for name in ("frequency", "mram_bandwidth"):
            column = file[f"parameters/{name}"][()]
            stated = [float(column[int(row["point"])]) for row in rows]
            assert [float(row[name]) for row in rows] == stated == [one["parameters"][name] for one in front]
    assert {row["frequency"] for row in rows} <= {"350000000", "400000000"} and rows
    assert "400 MHz" in clocks.ok("front", "s.h5")
    per = ("front", "s.h5", "--per", "frequency", "--format")
    assert [one["value"] for one in json.loads(clocks.ok(*per, "json"))["fronts"]] == [350e6, 400e6]
    per_csv = csv.DictReader(io.StringIO(clocks.ok(*per, "csv")))
    assert {row["per_frequency"] for row in per_csv} == {"350000000", "400000000"}


def test_evaluate_has_its_point_in_si_and_takes_it_back(clocks):
    said = clocks.json("evaluate", "upmem", "--set", "frequency=400 MHz")
    assert said["point"]["frequency"] == 400e6
    (reply,) = batch("upmem", said["point"])
    assert reply["answers"][0]["metrics"]["latency"] == said["metrics"]["latency"]["value"]


def test_three_valued_conditions_choose_points(clocks):
    """tokens_per_second does not apply to a kernel."""
    (clocks.folder / "t.toml").write_text((clocks.folder / "s.toml").read_text() + """[[constraint]]
name = "either"
expr = "energy > 0 J or tokens_per_second > 1 Hz"
""")
    assert clocks.json("explore", "t.toml", "-o", "t.h5", "--progress", "none")["feasible"] == 2
    (clocks.folder / "never.toml").write_text((clocks.folder / "s.toml").read_text() + """[[constraint]]
name = "fast"
expr = "not tokens_per_second > 1 Hz"
""")
    done = clocks("explore", "never.toml", "-o", "never.h5", "--progress", "none")
    refused(done, 3, "never.toml:10", "tokens_per_second")
    (clocks.folder / "u.toml").write_text((clocks.folder / "s.toml").read_text() + """[[constraint]]
name = "fast"
expr = "energy > 0 J and not tokens_per_second > 1 Hz"
""")
    done = clocks("explore", "u.toml", "-o", "u.h5", "--progress", "none", "--format", "json")
    said = json.loads(done.stdout)
    assert done.returncode == 6 and (said["feasible"], said["infeasible"]) == (0, 2)
    (failure,) = clocks.json("failures", "u.h5")["failures"]
    assert (failure["rule"], failure["points"]) == ("fast", 2) and "tokens_per_second" in failure["reason"]
    (margin,) = clocks.json("explain", "u.h5", 0)["constraints"]
    assert margin["holds"] is None and margin["slack"] is None
    both = clocks.ok("front", "s.h5", "--where", "energy > 0 J or tokens_per_second > 1 Hz")
    assert both == clocks.ok("front", "s.h5", "--where", "energy > 0 J")
    assert clocks("front", "s.h5", "--where", "energy > 0 J and tokens_per_second > 1 Hz").returncode == 6
