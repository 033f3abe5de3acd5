"""Why designs are on the front, and conditions, in the browser."""
import json

import h5py
import numpy as np
import pytest
from looking import chosen_ids, element, opened
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


def condition(browser, text):
    field = element(browser, "#condition")
    field.clear()
    field.send_keys(text, "\t")
    return element(browser, "#condition-error").text


def design_row(browser, point):
    """The table's row of a design on the front, which is brought into view by its condition."""
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
    assert condition(many, "latency > 0 s and area <= 1 m2") == ""
    element(many, "#table-head th:nth-child(2) button").click()
    element(many, "#table-head th:nth-child(2) button").click()
    condition(many, f"latency == {answers['latency'][answers['point'] == first][0]!r} s")
    design_row(many, first).click()
    element(many, "#pin").click()
    condition(many, f"latency == {answers['latency'][answers['point'] == second][0]!r} s")
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
    condition(many, f"latency == {answers['latency'][answers['point'] == point][0]!r} s")
    design_row(many, point).click()
    note = element(many, "#details-body .note").text
    assert note.startswith("Why it is not on the front: pimdse explain many.h5 ")
    assert json.loads(shop.run(*note.split(": pimdse ")[1].split(), "--format", "json"))["on_front"] is False


CONDITIONS = [
    "latency <= 2 ms",
    "latency <= 2000 us and area < 80 mm2",
    "latency <= 2 ms or area < 72.3 mm2 and energy > 20 mJ",
    "(latency <= 2 ms or area < 72.3 mm2) and not energy > 20 mJ",
    "energy / latency <= 8 W",
    "power * latency >= 0.02 J",
    "1 / latency >= 300 1/s and 2 1/ms > 1/latency / 4",
    "area - 10 mm2 > 2 * 32 mm2 + 1e-6 m2",
    "-latency > -3 ms",
    "0 - latency > -3 ms",
    "hbm_bus == corrected and vlen != 512",
    "hbm_bus != 'corrected' or channels = 8",
    "vlen / 64 >= channels and true",
    "not (vlen >= 256 or false)",
    "latency > 0",
]


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


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_condition_means_what_the_program_takes_it_for(many, shop, answers, text):
    assert condition(many, text) == ""
    chosen = chosen_ids(many)
    said = shop.run("front", "many.h5", "--where", text, "--format", "json", codes=(0, 6))
    assert {int(point["point"]) for point in json.loads(said)["front"]} == front_of(answers, chosen)
    assert 0 < len(chosen) and (len(chosen) < len(answers["point"]) or text == "latency > 0")
    element(many, "#clear").click()
    assert element(many, "#condition").get_property("value") == ""
    assert len(chosen_ids(many)) == len(answers["point"])


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("latancy <= 1 s", "Did you mean 'latency'?"),
        ("latency <= 1 J", "time and energy cannot be compared (units differ)"),
        ("latency <= 1", "compared (units differ). Does the number lack its unit, such as s?"),
        ("latency <= 1 mss", "unknown unit 'mss' (known: s, Hz"),
        ("latency * energy <= 1", "such as J * 1 s?"),
        ("latency", "it is not a condition"),
        ("hbm_bus == both", "'both' is not a value of hbm_bus here (there are compat, corrected)"),
        ("latency <= 1,5 s", "1,5 has a decimal comma (numbers are written with a point). Write 1.5?"),
        ("latency <= (1 s", "a ')' is missing"),
        ("-(latency <= 1 s)", "only numbers can be negated"),
        ("(latency <= 1 s) + true", "only numbers can be added"),
        ("latency <= 1 s and", "it ends too early"),
        ("latency <= 1 s extra", "'extra' is not understood here"),
    ],
)
def test_a_mistake_in_a_condition_is_said_and_takes_nothing_away(many, shop, answers, text, sentence):
    assert sentence in condition(many, text)
    assert element(many, "#condition").get_attribute("aria-invalid") == "true"
    assert len(chosen_ids(many)) == len(answers["point"])
    assert shop.refused("front", "many.h5", "--where", text, code=3)


def test_what_a_machine_does_not_have_is_unknown_in_a_condition(browser, shop):
    path = shop.page("joint", HOSTILE)
    opened(browser, path)
    page = Page(path)
    umdam = set(page.column(page.heads("point")[0])[page.column(page.heads("machine")[0]) == "umdam"].tolist())
    everything = chosen_ids(browser)
    for text, chosen in (("umdam.channels >= 1", umdam), ("machine == umdam", umdam),
                         ("umdam.channels >= 1 or latency > 0", everything)):
        assert condition(browser, text) == ""
        assert chosen_ids(browser) == everything & chosen
    assert everything & umdam and everything - umdam
