"""What the page says of `pimdse flips`: the words and the table, against what the verb prints."""
import json

import pytest
from joint_space import JOINT
from looking import element, opened
from page import Page
from spaces import MACHINES


@pytest.fixture(scope="module")
def flips(shop):
    """Of the joint space, as a file beside its answers."""
    shop.file("two", JOINT)
    text = shop.run("flips", "two.toml", "--format", "json")
    (shop.folder / "flips.json").write_text(text)
    return json.loads(text)


@pytest.fixture
def page(browser, shop, flips):
    return opened(browser, shop.page("two", JOINT, "--flips", "flips.json"))


def asked(told):
    return ", ".join(part for part in (told["scenario"], told["metric"], told["under"]) if part)


def test_the_table_has_every_winner_and_what_makes_another_one_win(page, flips):
    rows = page.find_elements("css selector", "#flips-body tr")
    assert len(rows) == len(flips["winners"]) == 4
    for row, winner in zip(rows, flips["winners"]):
        assert row.find_element("css selector", "th").text == asked(winner)
        name, value, needs, ahead, changes = (cell.text for cell in row.find_elements("css selector", "td"))
        assert name == winner["machine"] and ahead.endswith(f"× {winner['runner_up']}")
        best, behind = (winner["machines"][winner[which]]["value"] for which in ("machine", "runner_up"))
        assert float(ahead.split()[0]) == pytest.approx(behind / best, abs=0.005)
        needed = winner["machines"][winner["machine"]]
        watts, area = needs.split(", ")
        assert watts.endswith(" W") and float(watts.split()[0]) == pytest.approx(needed["peak_power"], rel=0.005)
        assert area.endswith(" mm2") and float(area.split()[0]) * 1e-6 == pytest.approx(needed["silicon"], rel=0.005)
        assert value.split()[1] in ("s", "ms", "J", "mJ")
        found = [flip for flip in flips["flips"] if asked(flip) == asked(winner)]
        assert (changes == "under none") == (not found) == winner["survives_all"]
        for flip in found:
            line = next(line for line in changes.splitlines() if line.startswith(f"{flip['after']}: "))
            if flip["break_even"]:
                way = "up" if float(flip["to"].split()[0]) > float(flip["from"].split()[0]) else "down"
                begin, end = f"{flip['assumption']} from ", f" {way} (assumed: {flip['from']})"
                (said,) = [part for part in line.split(": ", 1)[1].split("; ")
                           if part.startswith(begin) and part.endswith(end)]
                assert float(said.split()[2]) == pytest.approx(flip["break_even"]["value"], rel=0.02)
            else:
                assert f"{flip['assumption']} {flip['to']}" in line


def test_words_say_what_survives_and_what_decides(page, flips):
    assert flips["assumptions"] in element(page, "#flips-lead").text
    assert f"{len(flips['variations'])} other assumptions were tried" in element(page, "#flips-lead").text
    survives, decides, quiet = (item.text for item in page.find_elements("css selector", "#flips-words li"))
    robust = [asked(winner) for winner in flips["winners"] if winner["survives_all"]]
    assert all(name in survives for name in robust) if robust else survives == "No winner survives all of them."
    changed = {}
    for flip in flips["flips"]:
        changed.setdefault(flip["assumption"], set()).add(asked(flip))
    told = dict(part.rsplit(" ", 1) for part in decides.split(": ")[1].rstrip(".").split(", "))
    assert {name: int(number) for name, number in told.items()} == {name: len(all_) for name, all_ in changed.items()}
    named = quiet.removeprefix("No winner changes with ").rstrip(".").replace(" and ", ", ").split(", ")
    assert sorted([*named, *changed]) == sorted({one["assumption"] for one in flips["variations"]})


@pytest.mark.parametrize("width", (600, pytest.param(1440, marks=pytest.mark.campaign)))
def test_the_section_fits_its_window(browser, shop, flips, width):
    size = {"width": width, "height": 1300, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = opened(browser, shop.page("two", JOINT, "--flips", "flips.json"))
        assert element(page, "#flips-section").is_displayed()
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_page_without_flips_has_no_such_section(browser, shop, flips):
    page = opened(browser, shop.page("two", JOINT))
    assert not element(page, "#flips-section").is_displayed()
    assert Page(shop.folder / "two.html").facts["flips"] is None


def test_flips_of_another_space_or_another_text_are_refused(shop, flips):
    shop.file("machines", MACHINES)
    said = shop.refused("report", "machines.h5", "-o", "x.html", "--flips", "flips.json", code=3)
    assert "flips.json belongs to another space than machines.h5" in said and said.count("\n") == 1
    wrong = [json.dumps({**flips, "winners": [{**flips["winners"][0], "machines": 3}]}), json.dumps([flips]), "{",
             json.dumps({**flips, "flips": [{}]}), json.dumps({name: flips[name] for name in flips if name != "flips"})]
    for text in wrong:
        (shop.folder / "wrong.json").write_text(text)
        said = shop.refused("report", "two.h5", "-o", "x.html", "--flips", "wrong.json", code=3)
        assert "wrong.json is not an output of pimdse flips" in said and "--format json" in said
    assert "cannot be read" in shop.refused("report", "two.h5", "-o", "x.html", "--flips", "none.json", code=4)
