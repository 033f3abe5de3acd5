"""What the page says of a front under uncertain constants, against what `pimdse robust` prints and the file has."""
import json

import h5py
import numpy as np
import pytest
from joint_space import JOINT
from looking import csv_text, element, opened
from page import Page
from spaces import UNCERTAIN

BY_UNIT = {"pJ": 1e-12, "mW/MiB": 1e-3 / 2**20, "1": 1.0}


@pytest.fixture(scope="module")
def robust(shop):
    return json.loads(shop.run("robust", shop.file("uncertain", UNCERTAIN), "--format", "json"))


@pytest.fixture
def page(browser, shop, robust):
    return opened(browser, shop.page("uncertain", UNCERTAIN))


def cells(page, selector):
    rows = page.find_elements("css selector", f"{selector} tbody tr")
    return [[cell.text for cell in row.find_elements("css selector", "th, td")] for row in rows]


def test_columns_are_those_of_the_file(browser, shop, robust):
    page = Page(shop.page("uncertain", UNCERTAIN))
    points = page.column(page.heads("point")[0]).tolist()
    share, regret = (page.column(head) for head in page.heads("robust"))
    assert [head["name"] for head in page.heads("robust")] == ["front_share", "regret"]
    with h5py.File(shop.file("uncertain", UNCERTAIN)) as file:
        designs = file["uncertain/designs"]
        places = [points.index(point) for point in designs["point"][:].tolist()]
        assert share[places].tolist() == designs["front_share"][:].tolist()
        assert regret[places].tolist() == designs["regret"][:].tolist()
    others = np.setdiff1d(np.arange(len(points)), places)
    assert len(others) and (share[others] == 0).all() and np.isnan(regret[others]).all()


def test_the_section_has_the_statement_and_what_holds_in_all_draws(page, robust):
    assert element(page, "#robust-statement").text == robust["statement"]
    words = element(page, "#robust-words").text
    for one in robust["decisions"]:
        assert f"all designs of {one['machine']} on the front have {one['parameter']} {one['value']}" in words
    assert robust["decisions"]
    for one in robust["machines"]:
        share = one["infeasible_share"]
        sentence = f"no design of {one['machine']} that may be on a front is feasible"
        assert (f"In {100 * share:.3g} % of the draws, {sentence}" in words) if share else (sentence not in words)


def test_machines_have_their_shares(page, robust):
    rows = cells(page, "#robust-machines")
    assert len(rows) == len(robust["machines"]) == 2
    for (name, *shares), machine in zip(rows, robust["machines"]):
        assert name == machine["machine"]
        known = [machine["front_share"], *(machine["best_share"][one] for one in robust["objectives"])]
        assert [float(share.split()[0]) / 100 for share in shares] == pytest.approx(known, abs=0.005)


def test_flips_say_from_which_value_which_machine_wins(page, robust):
    rows = cells(page, "#robust-flips")
    assert len(rows) == len(robust["flips"]) > 0
    for (constant, nominal, from_value, objective, after, before), flip in zip(rows, robust["flips"]):
        size = BY_UNIT[flip["unit"]]
        word, number, *_, way = from_value.split()
        assert constant == flip["constant"] and objective == flip["objective"] and word == "from"
        assert float(nominal.split()[0]) * size == pytest.approx(flip["nominal"], rel=1e-3)
        assert float(number) * size == pytest.approx(flip["break_even"], rel=1e-3)
        assert way == ("up" if flip["break_even"] > flip["nominal"] else "down")
        assert after.startswith(f"{flip['after']} (") and after.endswith(f"point {flip['new_best']}")
        assert before.startswith(f"{flip['before']} (") and before.endswith(f"point {flip['old_best']}")


def test_a_point_of_a_flip_is_shown_by_a_click(page, robust):
    element(page, "#robust-flips td button").click()
    assert f"A: {robust['flips'][0]['new_best']}" in element(page, "#details-body").text
    assert "front_share" in element(page, "#details-body").text


def test_the_share_is_a_colour_of_the_plot_and_a_column_of_the_csv(page, robust):
    from selenium.webdriver.support.ui import Select

    Select(element(page, "#front-colour")).select_by_value("front_share")
    assert "front_share" in element(page, "#front-key-low").text and \
        float(element(page, "#front-key-high").text) == max(design["front_share"] for design in robust["designs"])
    head, *lines = [line.split(",") for line in csv_text(page).splitlines()]
    told = {line[0]: float(line[head.index("front_share")]) for line in lines}
    assert {design["point"]: told[design["point"]] for design in robust["designs"]} == pytest.approx(
        {design["point"]: design["front_share"] for design in robust["designs"]})


@pytest.mark.parametrize("width", (600, pytest.param(1440, marks=pytest.mark.campaign)))
def test_the_section_fits_its_window(browser, shop, robust, width):
    size = {"width": width, "height": 1300, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page = opened(browser, shop.page("uncertain", UNCERTAIN))
        assert element(page, "#robust-section").is_displayed()
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_page_without_draws_has_nothing_of_it(browser, shop):
    path = shop.page("two", JOINT)
    page = opened(browser, path)
    assert not element(page, "#robust-section").is_displayed()
    assert Page(path).facts["uncertain"] is None and not Page(path).heads("robust")
    assert "front_share" not in csv_text(page).splitlines()[0]
    assert "front_share" not in element(page, "#front-colour").text
