"""Tables of a user's own, whose columns are metrics of a space."""
import csv
import sys

import h5py
import numpy as np
import pytest
from conftest import ROOT, holds, refused

sys.path.insert(0, str(ROOT / "analysis"))
import pimdse as package  # noqa: E402

TABLE = """# measured by us
weight_bits,llm,accuracy,perplexity
16,opt-125m,0.62,27.6
8,opt-125m,0.615,27.7
4,opt-125m,0.55,31.2
16,opt-1.3b,0.72,14.6
8,opt-1.3b,0.715,14.7
"""
HEAD = """schema = 2
architecture = "umdam"
objectives = [{objectives}]
[parameters]
{llm}weight_bits = [4, 8, 16]
channels = [2, 4]
"""
DESIGN = 'llm = ["opt-125m", "opt-1.3b"]\ninput = 64\noutput = 8\n'
KEYED = '[table]\nfile = "quality.csv"\nkeys = ["weight_bits", "llm"]\n' \
        'metrics = { accuracy = "higher", perplexity = { better = "lower" } }\n'
ASKED = '[[scenario]]\nname = "small"\nllm = "opt-125m"\ninput = 64\noutput = 8\nweight = 2\n' \
        '[[scenario]]\nname = "large"\nllm = "opt-1.3b"\ninput = 32\noutput = 4\n'
QUIET = ("--progress", "none")


def rows():
    lines = [line for line in TABLE.splitlines() if not line.startswith("#")]
    return {(row["weight_bits"], row["llm"]): (float(row["accuracy"]), float(row["perplexity"]))
            for row in csv.DictReader(lines)}


@pytest.fixture
def own(pimdse):
    """A folder with spaces and their table, which is not the current one."""
    folder = pimdse.folder / "mine"
    folder.mkdir()
    (folder / "quality.csv").write_text(TABLE)
    objectives = '"latency", "accuracy"'
    (folder / "with.toml").write_text(HEAD.format(objectives=objectives, llm=DESIGN) + KEYED)
    (folder / "without.toml").write_text(HEAD.format(objectives='"latency"', llm=DESIGN))
    (folder / "asked.toml").write_text(HEAD.format(objectives=objectives, llm="") + KEYED + ASKED)
    (folder / "asked_without.toml").write_text(HEAD.format(objectives='"latency"', llm="") + ASKED)
    (folder / "good.toml").write_text(HEAD.format(objectives='"latency / accuracy", "energy"', llm=DESIGN) + KEYED +
                                      '[[constraint]]\nname = "good"\nexpr = "accuracy >= 0.6"\n')
    return folder


def results(pimdse, name):
    """The rows of a file by Python."""
    return package.load(pimdse.folder / name).table.sort_values("point_id").to_dict("records")


def test_a_sweep_is_that_without_the_table_joined_by_hand(pimdse, own):
    for space, bare in (("with", "without"), ("asked", "asked_without")):
        pimdse.ok("explore", f"mine/{space}.toml", "-o", f"{space}.h5", *QUIET)
        pimdse.ok("explore", f"mine/{bare}.toml", "-o", f"{bare}.h5", *QUIET)
        left, right = results(pimdse, f"{space}.h5"), results(pimdse, f"{bare}.h5")
        assert len(left) == len(right) == (12 if space == "with" else 6)
        for one, other in zip(left, right):
            bits = one["weight_bits"]
            if space == "with":
                expected = {"accuracy": rows().get((bits, one["llm"]), (None, None))[0]}
            else:
                small, large = rows()[bits, "opt-125m"][0], rows().get((bits, "opt-1.3b"), (None, None))[0]
                expected = {"accuracy": None if large is None else (2 * small + large) / 3, "accuracy@small": small,
                            "accuracy@large": large}
            if expected["accuracy"] is None:
                assert one["status"] == "infeasible" and one["rule"] == "table", one
                continue
            assert one["status"] == other["status"]
            for name, value in expected.items():
                assert float(one[name]) == pytest.approx(value, rel=1e-12), name
            assert one["latency"] == other["latency"] and one["energy"] == other["energy"]
        holds(pimdse, f"{space}.h5")


@pytest.mark.parametrize("space", ["with", "asked", "good"])
def test_a_ladder_has_the_front_of_the_sweep(pimdse, own, space):
    pimdse.ok("explore", f"mine/{space}.toml", "-o", "ladder.h5", "--strategy", "ladder", *QUIET)
    pimdse.ok("explore", f"mine/{space}.toml", "-o", "sweep.h5", "--fidelity", "cycle", *QUIET)
    with h5py.File(pimdse.folder / "ladder.h5") as ladder, h5py.File(pimdse.folder / "sweep.h5") as sweep:
        assert list(ladder["front/ids"][()]) == list(sweep["front/ids"][()]) != []
    assert holds(pimdse, "ladder.h5")["all_rows"]


def test_ranks_and_other_folders_change_nothing(pimdse, own):
    pimdse.ok("explore", "mine/with.toml", "-o", "one.h5", *QUIET)
    pimdse.ok("explore", "mine/with.toml", "-o", "two.h5", *QUIET, ranks=2)
    own.rename(pimdse.folder / "moved")
    pimdse.ok("explore", "moved/with.toml", "-o", "three.h5", *QUIET)
    digests = {h5py.File(pimdse.folder / name).attrs["digest"] for name in ("one.h5", "two.h5", "three.h5")}
    assert len(digests) == 1
    pimdse.ok("diff", "one.h5", "three.h5")
    pimdse.ok("explore", "moved/with.toml", "-o", "one.h5", "--resume", *QUIET)


def test_another_content_is_another_space(pimdse, own):
    pimdse.ok("explore", "mine/with.toml", "-o", "a.h5", *QUIET)
    for text in (TABLE.replace("0.72,", "0.73,"), TABLE + "# a comment\n", TABLE + "4,opt-1.3b,0.68,15.9\n"):
        (own / "quality.csv").write_text(text)
        refused(pimdse("explore", "mine/with.toml", "-o", "a.h5", "--resume"), 8, "quality.csv", "--force")
    pimdse.ok("explore", "mine/with.toml", "-o", "b.h5", *QUIET)
    assert pimdse("merge", "a.h5", "b.h5", "-o", "c.h5").returncode != 0


def test_results_need_no_table_file(pimdse, own):
    pimdse.ok("explore", "mine/with.toml", "-o", "a.h5", *QUIET)
    before = pimdse.ok("front", "a.h5")
    (own / "quality.csv").unlink()
    holds(pimdse, "a.h5")
    assert pimdse.ok("front", "a.h5") == before
    assert "accuracy" in pimdse.ok("explain", "a.h5", "5")
    pimdse.ok("report", "a.h5", "-o", "a.html")
    again = pimdse.json("evaluate", "--from", "a.h5", "--point", "5")
    assert again["metrics"]["accuracy"]["value"] == rows()["16", "opt-125m"][0]
    done = pimdse("evaluate", "--from", "a.h5", "--point", "5", "--set", "llm=opt-1.3b", "--set", "weight_bits=4")
    assert done.returncode == 6
    assert "quality.csv has no row with weight_bits = 4, llm = opt-1.3b" in done.stdout + done.stderr
    refused(pimdse("explore", "mine/with.toml", "-o", "b.h5"), 4, "with.toml:11", "quality.csv")
    with h5py.File(pimdse.folder / "a.h5") as file:
        assert [text.decode() for text in file["machine_files/text"][()]] == [TABLE]
        assert np.array_equal(file["bounds/accuracy_low"][()], file["metrics/accuracy"][()], equal_nan=True)


def test_conditions_fronts_and_failures_read_its_columns(pimdse, own):
    pimdse.ok("explore", "mine/with.toml", "-o", "a.h5", *QUIET)
    assert "accuracy >= 0.7" in pimdse.ok("condition", "mine/with.toml", "accuracy >= 0.7")
    front = pimdse.json("front", "a.h5", "--where", "accuracy >= 0.7", "--objectives", "latency,perplexity")
    assert {row["parameters"]["llm"] for row in front["front"]} == {"opt-1.3b"}
    assert "quality.csv has no row with weight_bits = 4, llm = opt-1.3b" in pimdse.ok("failures", "a.h5")


def test_the_wrong_row_is_said_with_its_line(pimdse, own):
    (own / "quality.csv").write_text(TABLE + "12,opt-125m,0.6,28\n4,opt-1.3b,high,3\n")
    refused(pimdse("explore", "mine/with.toml", "-o", "a.h5"), 3, "quality.csv:9", "accuracy = 'high'")
    (own / "quality.csv").write_text(TABLE + "12,opt-125m,0.6,28\n")
    refused(pimdse("explore", "mine/with.toml", "-o", "a.h5"), 3, "quality.csv:8", "weight_bits", "12")
