"""What a page says of a file, without a browser."""
import json

import h5py
import numpy as np
import pytest
from page import Page
from spaces import HOSTILE, INFEASIBLE, MANY, ORDINARY, RATES
from what_is_here import PAGE

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="no page (jobs/setup.sh report, then build again)")


def bits(values):
    return np.asarray(values, np.float64).view(np.uint64)


def test_a_page_has_the_answers_of_its_file_bit_for_bit(shop):
    page = Page(shop.page("ordinary", ORDINARY))
    with h5py.File(shop.file("ordinary", ORDINARY)) as file:
        assert np.array_equal(page.column(page.heads("point")[0]), file["point_id"][:])
        compared = 0
        for index, metric in enumerate(page.facts["metrics"]):
            value = page.column(page.heads("value", index)[0])
            assert np.array_equal(bits(value), bits(file["metrics"][metric["name"]][:]))
            # Intervals of objectives are told of every design, those of other metrics of the designs on the front.
            objective = index in [o["metric"] for o in page.facts["objectives"]]
            told = np.ones(len(value), bool) if objective else page.column(page.heads("front")[0]) == "front"
            for end in ("low", "high"):
                heads = page.heads(end, index)
                known = page.column(heads[0]) if heads else value
                compared += len(heads)
                stated = file["bounds"][f"{metric['name']}_{end}"][:]
                assert np.array_equal(bits(known)[told], bits(stated)[told])
                assert not heads or np.isnan(known[~told]).all()
        assert compared > 0, "no metric has intervals, so that half of the test is missing"
        for index, parameter in enumerate(page.facts["parameters"]):
            head = page.heads("parameter", index)[0]
            numbers = dict(zip(head["texts"], head["list"]))
            column = file["parameters"][parameter["name"]]
            stated = [text.decode() if isinstance(text, bytes) else text for text in column[:]]
            assert [numbers[text] for text in page.column(head)] == stated
        front = page.column(page.heads("front")[0]) == "front"
        assert list(file["point_id"][:][front]) == sorted(file["front/ids"][:])


def test_points_without_metrics_have_their_rule(shop):
    page = Page(shop.page("infeasible", INFEASIBLE, codes=(6,)))
    assert set(page.column(page.heads("status")[0])) == {"infeasible"}
    rules = [(kind["rule"], kind["points"]) for kind in page.facts["failures"]]
    assert rules == [("<script>alert('no')</script>", 2)]
    assert "<script>alert" not in page.text


def test_commands_of_examples_and_of_rows_agree(shop):
    page = Page(shop.page("infeasible", INFEASIBLE, codes=(6,)))
    example = page.facts["failures"][0]
    row = list(page.column(page.heads("point")[0])).index(int(example["point"]))
    words = ""
    for head in page.heads("parameter"):
        chosen = list(page.column(head))[row]
        words += head["words"][head["texts"].index(chosen)]
    assert example["command"] == f"pimdse evaluate dplena --fidelity analytic{words}"


def test_a_joint_file_says_what_does_not_apply(shop):
    page = Page(shop.page("joint", HOSTILE))
    assert page.facts["scenarios"] == ["chat", "long"]
    names = [parameter["name"] for parameter in page.facts["parameters"]]
    machines = page.column(page.heads("machine")[0])
    channels = page.column(page.heads("parameter", names.index("umdam.channels"))[0])
    assert [text == "" for text in channels] == [machine == "mesh" for machine in machines]
    assert page.facts["command"]["scenarios"].count("--scenario") == 2
    of = page.explanations()
    assert of and all([one["scenario"] for one in found["breakdown"]] == ["chat", "long"] for found in of.values())


def test_the_front_is_explained_as_the_program_explains_it(shop):
    page = Page(shop.page("many", MANY))
    explained = page.explanations()
    with h5py.File(shop.file("many", MANY)) as file:
        front = [str(point) for point in sorted(file["front/ids"][:])]
    assert sorted(explained, key=int) == front
    assert page.facts["explained"]["asked"] == page.facts["explained"]["answered"] == len(front)
    evaluated = 0
    for point in front[:: max(1, len(front) // 4)]:
        said = json.loads(shop.run("explain", "many.h5", point, "--format", "json"))
        here = explained[point]
        for part in ("objectives", "rivals", "covers", "behind", "constraints", "certificate"):
            assert here[part] == said[part]
        assert here["constraints"][0]["holds"]
        best = [change for change in said["changes"] if change["best"]]
        assert [change["point"] for change in here["changes"]] == [change["point"] for change in best]
        assert [change.get("gains") for change in here["changes"]] == [change.get("gains") for change in best]
        evaluated += sum(not change["remembered"] for change in best)
        parts = {share["what"]: share["seconds"] for share in said["breakdown"][0]["time"] if share["seconds"]}
        assert {share["what"]: share["seconds"] for share in here["breakdown"][0]["time"]} == parts
    assert evaluated > 0, "every change was answered already, so that none was evaluated for the page"


def test_columns_with_codes_of_two_bytes_keep_every_bit(shop):
    page = Page(shop.page("rates", RATES))
    heads = [head for head in page.facts["columns"] if head["of"] in ("value", "low", "high")
             and "told" not in head and head["values"] > 256]
    assert heads
    with h5py.File(shop.file("rates", RATES)) as file:
        for head in heads:
            name = page.facts["metrics"][head["index"]]["name"]
            column = file["metrics"][name] if head["of"] == "value" else file["bounds"][f"{name}_{head['of']}"]
            stated, found = column[:], page.column(head)
            assert np.array_equal(np.isnan(stated), np.isnan(found))
            assert np.array_equal(stated[~np.isnan(stated)], found[~np.isnan(found)])


def test_without_time_nothing_is_explained_and_the_page_says_so(shop):
    shop.file("many", MANY)
    shop.run("report", "many.h5", "-o", "hasty.html", "--explain-time", "0.000001 s")
    page = Page(shop.folder / "hasty.html")
    about = page.facts["explained"]
    assert about["answered"] < about["asked"] and about["seconds"] == 1e-6
    assert len(page.explanations()) == about["answered"]


def test_a_page_in_a_folder_that_is_not_there_names_the_folder(shop):
    shop.file("ordinary", ORDINARY)
    text = shop.refused("report", "ordinary.h5", "-o", "missing/page.html", code=7)
    assert "missing is not a directory" in text and ".tmp" not in text and ".probe" not in text


def test_a_set_of_metrics_that_is_none_is_refused(shop):
    shop.file("ordinary", ORDINARY)
    said = shop.refused("report", "ordinary.h5", "-o", "x.html", "--metrics", "some", code=2)
    assert "Known: objectives, usual, all" in said


def test_a_page_that_would_be_too_large_says_what_it_left_out(shop):
    whole = shop.page("ordinary", ORDINARY)
    shop.run("report", "ordinary.h5", "-o", "part.html", "--max-size", "150 kB")
    page = Page(shop.folder / "part.html")
    assert (shop.folder / "part.html").stat().st_size < whole.stat().st_size
    rows = page.facts["rows"]
    assert rows["shown"] < rows["of"] and rows["needs"][0][1] == rows["needs"][0][2]


def test_what_is_no_page_is_not_replaced(shop):
    shop.file("ordinary", ORDINARY)
    (shop.folder / "thesis.html").write_text("<!doctype html>my thesis")
    shop.run("report", "ordinary.h5", "-o", "thesis.html", codes=(2,))
    assert (shop.folder / "thesis.html").read_text() == "<!doctype html>my thesis"
    shop.run("report", "ordinary.h5", "-o", "thesis.html", "--force")
    assert "thesis" not in (shop.folder / "thesis.html").read_text()[:500]


def test_the_same_file_gives_the_same_page(shop):
    page = shop.page("ordinary", ORDINARY)
    first = page.read_bytes()
    shop.run("report", "ordinary.h5", "-o", page)
    assert page.read_bytes() == first
