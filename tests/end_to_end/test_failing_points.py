"""`pimdse failures`: why points of a file have no metrics."""
import csv
import io

import h5py
import pytest

SPACE = """schema = 1
architecture = "upmem"
objectives = ["latency", "energy"]
[parameters]
tasklets  = [4, 8, 16]
dma_block = [8, 12, 1024, 2048]
[[constraint]]
name = "small"
expr = "dma_block <= 1 KiB"
"""


@pytest.fixture
def explored(pimdse):
    (pimdse.folder / "s.toml").write_text(SPACE)
    pimdse.ok("explore", "s.toml", "-o", "a.h5", "--progress", "none")
    return "a.h5"


def rules_of(folder):
    with h5py.File(folder / "a.h5") as file:
        return dict(zip((r.decode() for r in file["rules/rule"][:]), file["rules/points"][:].tolist()))


def test_every_rule_is_there_with_its_points_the_commonest_first(pimdse, explored):
    said = pimdse.json("failures", explored)
    counts = {f["rule"]: f["points"] for f in said["failures"]}
    assert counts == {rule: n for rule, n in rules_of(pimdse.folder).items() if rule} and counts["small"] == 3
    points = [f["points"] for f in said["failures"]]
    assert points == sorted(points, reverse=True) and said["evaluated"] == 12


def test_an_example_is_a_point_of_the_file_that_breaks_its_rule_again(pimdse, explored):
    for failure in pimdse.json("failures", explored)["failures"]:
        assert failure["reason"] and int(failure["point_id"]) < 12
        replayed = pimdse(*failure["replay"].split()[1:])
        assert replayed.returncode == (0 if failure["rule"] == "small" else 6), replayed.stderr


def test_text_and_csv_say_the_same(pimdse, explored):
    rows = list(csv.DictReader(io.StringIO(pimdse.ok("failures", explored, "--format", "csv"))))
    text = pimdse.ok("failures", explored)
    assert {row["rule"]: int(row["points"]) for row in rows} == {
        rule: n for rule, n in rules_of(pimdse.folder).items() if rule
    }
    for row in rows:
        assert f"{row['rule']}: {row['points']} of 12 " in text and row["reason"] in text


def test_where_nothing_fails_the_list_is_empty(pimdse):
    (pimdse.folder / "s.toml").write_text(SPACE.split("[[constraint]]")[0].replace("[8, 12, 1024, 2048]", "1024"))
    pimdse.ok("explore", "s.toml", "-o", "b.h5", "--progress", "none")
    assert pimdse.json("failures", "b.h5") == {"evaluated": 3, "failures": []}
