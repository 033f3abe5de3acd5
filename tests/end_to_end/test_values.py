"""Values as people and other programs write them: whole numbers as floats, several where one is taken, decimal commas,
and numbers in outputs for programs."""
import csv
import io
import json
import subprocess

import h5py
import pytest
from bad_input import one_sentence
from conftest import PIMDSE

GPU = ("evaluate", "gpu", "--model", "opt-125m", "--set", "output=16")


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
    (2.5, ["input", "2.5", "whole number of tokens", "1..1048576"]),
    (1e300, ["input", "1e+300", "1..1048576"]),
    (-1.0, ["input", "-1", "1..1048576"]),
    (None, ["input", "null", "whole number of tokens in 1..1048576"]),
    (True, ["input", "true", "whole number of tokens in 1..1048576"]),
    ({"a": 1}, ["input", "whole number of tokens in 1..1048576"]),
    ([1, 2], ["input", "[1,2]", "list", "one value"]),
    ("1,2", ["input", "1,2", "more than one value"]),
])
def test_what_is_not_a_whole_number_is_refused_with_what_is_accepted(value, words):
    (reply,) = batch("gpu", {"input": value})
    assert all(word in reply["error"] for word in words), reply


@pytest.mark.parametrize("text, words", [
    ("input=[128,256]", ["input", "[128,256]", "one value", "explore"]),
    ("input=[128]", ["input", "one value", "explore"]),
    ("input=128,256", ["input", "more than one value", "explore", "[128,256]"]),
    ("input={from=1,to=3}", ["input", "range", "explore"]),
    ("input=128,batch=2", ["input", "batch", "one name and one value"]),
    ("device=[a100,h100]", ["device", "one value", "explore"]),
    ("device=a100,batch=2", ["device", "batch", "one name and one value"]),
    ("power_limit=250,5 W", ["power_limit", "decimal comma", '"250.5 W"']),
    ("input=2,0", ["input", "decimal comma", '"2.0"']),
])
def test_one_value_is_taken_by_evaluate(pimdse, text, words):
    one_sentence(pimdse("evaluate", "gpu", "--set", text), 3, *words)


def test_several_values_are_a_list_for_a_space(pimdse):
    explore = ("explore", "quick", "--dry-run", "--set")
    assert "48 points" in pimdse.ok(*explore, "vlen=[64,128]")
    assert pimdse.ok(*explore, "vlen=256.0").splitlines()[0] == pimdse.ok(*explore, "vlen=256").splitlines()[0]
    one_sentence(pimdse(*explore, "vlen=64,128"), 3, "vlen", "more than one value", "[64,128]")
    one_sentence(pimdse(*explore, "vlen=64,batch=2"), 3, "vlen", "batch", "one name and one value")
    one_sentence(pimdse(*explore, "vlen=256.5"), 3, "vlen", "256.5", "whole number")


def test_a_space_says_where_a_value_is_wrong(pimdse):
    (pimdse.folder / "s.toml").write_text("""schema = 1
architecture = "upmem"
objectives = ["latency"]
[parameters]
frequency = ["250,5 MHz", "300 MHz"]
dpus = [64.0, 128.5]
tasklets = "8,16"
[[constraint]]
name = "soon"
expr = "latency <= 1,5 s"
""")
    done = pimdse("explore", "s.toml", "--dry-run")
    said = {line.partition("s.toml:")[2].partition(":")[0]: line for line in done.stderr.splitlines()}
    assert done.returncode == 3 and set(said) == {"5", "6", "7", "10"}
    assert '"250.5 MHz"' in said["5"] and "128.5" in said["6"] and "[8,16]" in said["7"] and "1.5" in said["10"]


def test_flags_take_whole_numbers_as_floats_and_ask_for_decimal_points(pimdse):
    space = ("explore", "quick", "-o", "a.h5", "--progress", "none", "--format", "json", "--strategy", "random")
    assert json.loads(pimdse.ok(*space, "--budget", "3.0"))["points"] == 3
    one_sentence(pimdse(*space, "--budget", "3.5", "--force"), 2, "--budget", "3.5", "whole number")
    one_sentence(pimdse(*space, "--time-limit", "1,5 h", "--force"), 2, "--time-limit", '"1.5 h"')


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
    front = json.loads(clocks.ok("front", "s.h5", "--format", "json"))["front"]
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
    said = json.loads(clocks.ok("evaluate", "upmem", "--set", "frequency=400 MHz", "--format", "json"))
    assert said["point"]["frequency"] == 400e6
    (reply,) = batch("upmem", said["point"])
    assert reply["answers"][0]["metrics"]["latency"] == said["metrics"]["latency"]["value"]


def test_three_valued_conditions_choose_points(clocks):
    """tokens_per_second does not apply to a kernel."""
    (clocks.folder / "t.toml").write_text((clocks.folder / "s.toml").read_text() + """[[constraint]]
name = "either"
expr = "energy > 0 J or tokens_per_second > 1 Hz"
""")
    assert "2 feasible" in clocks.ok("explore", "t.toml", "-o", "t.h5", "--progress", "none")
    (clocks.folder / "never.toml").write_text((clocks.folder / "s.toml").read_text() + """[[constraint]]
name = "fast"
expr = "not tokens_per_second > 1 Hz"
""")
    done = clocks("explore", "never.toml", "-o", "never.h5", "--progress", "none")
    assert done.returncode == 3 and "tokens_per_second does not apply" in done.stderr
    (clocks.folder / "u.toml").write_text((clocks.folder / "s.toml").read_text() + """[[constraint]]
name = "fast"
expr = "energy > 0 J and not tokens_per_second > 1 Hz"
""")
    done = clocks("explore", "u.toml", "-o", "u.h5", "--progress", "none")
    assert done.returncode == 6 and "0 feasible, 2 infeasible" in done.stdout
    assert "tokens_per_second does not apply" in clocks.ok("failures", "u.h5")
    (margin,) = json.loads(clocks.ok("explain", "u.h5", 0, "--format", "json"))["constraints"]
    assert margin["holds"] is None and margin["slack"] is None
    both = clocks.ok("front", "s.h5", "--where", "energy > 0 J or tokens_per_second > 1 Hz")
    assert both == clocks.ok("front", "s.h5", "--where", "energy > 0 J")
    assert clocks("front", "s.h5", "--where", "energy > 0 J and tokens_per_second > 1 Hz").returncode == 6
