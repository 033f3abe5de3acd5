"""What a page says of a file, without a browser."""
import h5py
import numpy as np
import pytest
from page import Page
from spaces import HOSTILE, INFEASIBLE, ORDINARY
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
    of = page.facts["breakdowns"]["of"]
    assert of and all(set(found) == {"chat", "long"} for found in of.values())


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
    first = shop.page("ordinary", ORDINARY).read_bytes()
    assert shop.page("ordinary", ORDINARY).read_bytes() == first
