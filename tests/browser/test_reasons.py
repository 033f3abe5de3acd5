"""Why designs are on the front, and ranges that choose designs, in the browser."""
import json

import h5py
import numpy as np
import pytest
from looking import chosen_ids, element, opened, type_range
from page import Page
from spaces import HOSTILE, MANY


@pytest.fixture
def many(browser, shop):
    return opened(browser, shop.page("many", MANY))


@pytest.fixture
def answers(shop):
    with h5py.File(shop.file("many", MANY)) as file:
        found = {name: file["metrics"][name][:] for name in ("latency", "area", "energy", "power")}
        found |= {name: file["parameters"][name][:] for name in ("vlen", "channels", "hbm_bus")}
        return {**found, "point": file["point_id"][:], "front": sorted(file["front/ids"][:].tolist())}


def only(browser, answers, point):
    """Chooses the designs with the latency of this one."""
    latency = repr(answers["latency"][answers["point"] == point][0])
    assert type_range(browser, "latency", f"{latency} s", latency) == ""


def design_row(browser, point):
    """The table's row of a design on the front, which is brought into view by a range."""
    for row in browser.find_elements("css selector", "#table-body tr[data-row]"):
        if row.find_element("css selector", "th").text.split()[-1] == str(point):
            return row
    raise AssertionError(f"{point} is not in the table")


def tables(browser):
    """{caption: {head of line: [text of cell]}} of what is said about the pinned designs."""
    found = {}
    for table in browser.find_elements("css selector", ".reasons"):
        lines = {}
        for line in table.find_elements("css selector", "tbody tr"):
            cells = [cell.text for cell in line.find_elements("css selector", "td")]
            lines[line.find_element("css selector", "th").text] = cells
        found[table.find_element("css selector", "caption").text] = lines
    return found


def percent(share):
    return f"{float(format(100 * share, '.3g')):g} %"


def explained(shop, point):
    return json.loads(shop.run("explain", "many.h5", point, "--format", "json"))


def test_the_panel_says_of_two_designs_what_explain_says(many, shop, answers):
    first, second = answers["front"][0], answers["front"][-1]
    element(many, "#table-head th:nth-child(2) button").click()
    element(many, "#table-head th:nth-child(2) button").click()
    only(many, answers, first)
    design_row(many, first).click()
    element(many, "#pin").click()
    only(many, answers, second)
    design_row(many, second).click()
    shown = tables(many)
    for column, said in enumerate((explained(shop, first), explained(shop, second))):
        standing, slack = shown["why it is on the front"], shown["how far an objective may change, all else equal"]
        assert standing["it dominates"][column].replace(",", "").startswith(f"{said['covers']} of ")
        assert all(f"point {rival}" in standing["nearest on the front"][column] for rival in said["rivals"])
        for objective in said["objectives"]:
            turn = objective["turn"]
            text = slack[objective["name"]][column]
            assert (f"point {turn['by']}" in text) if turn else text.startswith("any value")
            assert not turn or percent(turn["share"]) in text
        (margin,) = said["constraints"]
        met = shown["conditions of the space"]["small area <= 1000 mm2"][column]
        assert f"met by {percent(margin['slack'])}" in met
        for change in (change for change in said["changes"] if change["best"]):
            text = shown["best single change of each parameter"][change["parameter"]][column]
            assert f"point {change['point']}" in text
            assert change["status"] != "ok" or (" on the front" in text) == (change["covered_by"] == 0)


def test_a_rival_is_a_step_away(many, answers):
    button = element(many, ".reasons button")
    point = button.text.split()[-1]
    button.click()
    assert element(many, ".values thead th:nth-child(2)").text.startswith(f"A: {point}")


def test_of_a_design_that_is_not_on_the_front_the_page_says_what_tells_why(many, shop, answers):
    point = next(p for p in answers["point"].tolist() if p not in answers["front"])
    only(many, answers, point)
    design_row(many, point).click()
    note = element(many, "#details-body .note").text
    assert note.startswith("Why it is not on the front: pimdse explain many.h5 ")
    assert json.loads(shop.run(*note.split(": pimdse ")[1].split(), "--format", "json"))["on_front"] is False


def front_of(answers, chosen):
    """Designs among these that nobody dominates in latency, area and energy; of equals that with the least id."""
    rows = [row for row, point in enumerate(answers["point"].tolist()) if point in chosen]
    vectors = np.array([[answers[name][row] for name in ("latency", "area", "energy")] for row in rows])
    points = answers["point"][rows]
    members = set()
    for own, point in zip(vectors, points):
        as_good, equal = (vectors <= own).all(axis=1), (vectors == own).all(axis=1)
        if not (as_good & (~equal | (points < point))).any():
            members.add(int(point))
    return members


@pytest.mark.parametrize("name, low, high, where", [
    ("latency", "", "2 ms", "latency <= 2 ms"),
    ("latency", "1500us", "0.002", "latency >= 1.5 ms and latency <= 2 ms"),
    ("area", "72.3 mm2", "", "area >= 72.3 mm2"),
    ("area", "", "80 mm\u00b2", "area <= 80 mm2"),
    ("energy", "2e-2", "1 J", "energy >= 20 mJ and energy <= 1 J"),
    ("channels", "16", "", "channels >= 16"),
    ("hbm_bus", "corrected", "", "hbm_bus == corrected"),
])
def test_a_range_means_what_the_program_takes_its_condition_for(many, shop, answers, name, low, high, where):
    assert type_range(many, name, low, high) == ""
    chosen = chosen_ids(many)
    said = shop.run("front", "many.h5", "--where", where, "--format", "json")
    assert {int(point["point"]) for point in json.loads(said)["front"]} == front_of(answers, chosen)
    assert 0 < len(chosen) < len(answers["point"])
    element(many, "#clear").click()
    assert len(chosen_ids(many)) == len(answers["point"])


@pytest.mark.parametrize("name, text, fact", [
    ("latency", "soon", "'soon'"), ("latency", "1 J", "'1 J'"), ("latency", "2 Ms", "'2 Ms'"),
    ("latency", "1,5 s", "'1,5 s'"), ("hbm_bus", "both", "'both'"), ("channels", "constructor", "'constructor'"),
])
def test_a_mistake_in_a_range_is_said_and_takes_nothing_away(many, answers, name, text, fact):
    said = type_range(many, name, high=text)
    assert said.startswith(f"{name}: ") and fact in said
    field = element(many, f"[aria-label='range of {name}'] .high")
    assert field.get_attribute("aria-invalid") == "true"
    assert len(chosen_ids(many)) == len(answers["point"])


def test_a_range_leaves_out_machines_that_do_not_have_its_parameter(browser, shop):
    path = shop.page("joint", HOSTILE)
    opened(browser, path)
    page = Page(path)
    umdam = set(page.column(page.heads("point")[0])[page.column(page.heads("machine")[0]) == "umdam"].tolist())
    everything = chosen_ids(browser)
    assert everything & umdam and everything - umdam
    assert type_range(browser, "umdam.channels", low="1") == ""
    assert chosen_ids(browser) == everything & umdam
