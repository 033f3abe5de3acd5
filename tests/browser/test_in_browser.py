"""The page as a person meets it, in Chromium."""
import base64
import csv
import json

import h5py
import numpy as np
import pytest
from looking import chosen_ids, csv_text, element, load, opened, type_range
from page import Page
from spaces import HOSTILE, INFEASIBLE, ONE, ORDINARY, RATES


@pytest.fixture
def ordinary(browser, shop):
    return opened(browser, shop.page("ordinary", ORDINARY))


@pytest.fixture
def answers(shop):
    with h5py.File(shop.file("ordinary", ORDINARY)) as file:
        found = {name: file["metrics"][name][:] for name in ("latency", "area", "energy")}
        return {**found, "point": file["point_id"][:], "front": set(file["front/ids"][:].tolist())}


def test_typed_ranges_choose_what_numpy_chooses(ordinary, answers):
    low, high = np.quantile(answers["latency"], [0.2, 0.7])
    type_range(ordinary, "latency", f"{low * 1e6:.9f} us", f"{high:.15g} s")
    inside = (answers["latency"] >= float(f"{low * 1e6:.9f}") * 1e-6) & (answers["latency"] <= float(f"{high:.15g}"))
    assert chosen_ids(ordinary) == set(answers["point"][inside].tolist())
    assert element(ordinary, "#announcement").text == f"{inside.sum()} of {len(inside)} designs selected"
    element(ordinary, "#clear").click()
    assert len(chosen_ids(ordinary)) == len(inside)


def test_a_drawn_range_is_the_range_its_fields_say(ordinary, answers):
    from selenium.webdriver.common.action_chains import ActionChains

    handle = element(ordinary, "#parallel-axes .handle")
    ordinary.execute_script("arguments[0].scrollIntoView({block: 'center'})", handle)
    drag = ActionChains(ordinary).move_to_element_with_offset(handle, 0, -60).click_and_hold()
    drag.move_by_offset(0, 90).release().perform()
    ends = ordinary.execute_script(
        "return [...document.querySelectorAll('.axis-field input')].slice(0, 2).map((input) => input.value)"
    )
    factors = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    ends = [float(number) * factors[unit] for number, unit in (text.split() for text in ends)]
    chosen = chosen_ids(ordinary)
    assert 0 < len(chosen) < len(answers["point"])
    values = dict(zip(answers["point"].tolist(), answers["latency"]))
    room = 1e-5 * max(ends)
    assert all(ends[0] - room <= values[i] <= ends[1] + room for i in chosen)
    assert all(not ends[0] + room <= values[i] <= ends[1] - room for i in set(values) - chosen)


def test_the_csv_has_every_bit(ordinary, answers):
    lines = [line.split(",") for line in csv_text(ordinary).splitlines()]
    for name in ("latency", "area", "energy"):
        column = {int(line[0]): float(line[lines[0].index(name)]) for line in lines[1:]}
        assert [column[i] for i in answers["point"].tolist()] == answers[name].tolist()
    assert {int(line[0]) for line in lines[1:] if line[1] == "1"} == answers["front"]


def test_columns_with_codes_of_two_bytes_keep_every_bit(browser, shop):
    path = shop.page("rates", RATES)
    opened(browser, path)
    facts = Page(path).facts
    names = [facts["metrics"][head["index"]]["name"] for head in facts["columns"]
             if head["of"] == "value" and head["values"] > 256]
    lines = [line.split(",") for line in csv_text(browser).splitlines()]
    with h5py.File(shop.file("rates", RATES)) as file:
        points = file["point_id"][:].tolist()
        for name in names:
            column = {int(line[0]): float(line[lines[0].index(name)]) for line in lines[1:]}
            assert [column[i] for i in points] == file["metrics"][name][:].tolist()
    assert names


def test_two_designs_stand_side_by_side_with_their_commands(ordinary, shop):
    rows = ordinary.find_elements("css selector", "#table-body tr[data-row]")
    first, second = (row.find_element("css selector", "th").text.split()[-1] for row in rows[:2])
    rows[0].click()
    element(ordinary, "#pin").click()
    ordinary.find_elements("css selector", "#table-body tr[data-row]")[1].click()
    heads = [head.text for head in ordinary.find_elements("css selector", ".values thead th")]
    assert heads[1].startswith(f"A: {first}") and heads[2].startswith(f"B: {second}")
    commands = [code.text for code in ordinary.find_elements("css selector", "#details-body .command")]
    for command, name in zip(commands, (first, second)):
        answer = json.loads(shop.run(*command.split()[1:], "--format", "json"))
        with h5py.File(shop.file("ordinary", ORDINARY)) as file:
            row = file["point_id"][:].tolist().index(int(name))
            assert answer["metrics"]["latency"]["value"] == file["metrics/latency"][row]


def test_keys_alone_reach_everything(ordinary):
    from selenium.webdriver.common.keys import Keys

    element(ordinary, "#front-box").send_keys(Keys.ARROW_RIGHT)
    assert "A:" in element(ordinary, ".values thead").text
    row = element(ordinary, "#table-body tr[data-row]")
    name = row.find_element("css selector", "th").text.split()[-1]
    row.send_keys(Keys.ENTER)
    assert f"A: {name}" in element(ordinary, ".values thead").text
    head = element(ordinary, "#table-head th:nth-child(3) button")
    head.send_keys(Keys.ENTER)
    assert element(ordinary, "#table-head th:nth-child(3)").get_attribute("aria-sort") == "ascending"


def test_every_control_has_a_name(ordinary):
    nameless = ordinary.execute_script(
        """return [...document.querySelectorAll('button, select, input, [tabindex="0"]:not(tr)')].filter((e) =>
          !(e.labels?.length || e.ariaLabel || e.textContent.trim() || e.getAttribute('aria-labelledby')))
          .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    ids = ordinary.execute_script("return [...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


def test_it_is_dark_where_people_want_it_and_light_on_paper(browser, shop):
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    try:
        opened(browser, shop.page("ordinary", ORDINARY))
        ground = "return getComputedStyle(document.documentElement).backgroundColor"
        assert browser.execute_script(ground) == "rgb(18, 22, 29)"
        browser.execute_script(f"addEventListener('beforeprint', () => {{ window.paper = (() => {{ {ground} }})() }})")
        pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
        assert browser.execute_script("return window.paper") == "rgb(246, 247, 249)"
        assert browser.execute_script(ground) == "rgb(18, 22, 29)"
        assert 0 < pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") < 8
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_file_without_a_feasible_design_says_why(browser, shop):
    opened(browser, shop.page("infeasible", INFEASIBLE, codes=(6,)))
    assert element(browser, "#empty").is_displayed()
    assert element(browser, "#failures tbody th").text == "<script>alert('no')</script>"


def test_one_design_is_a_page_too(browser, shop):
    opened(browser, shop.page("one", ONE))
    assert element(browser, "#table-count").text == "1 of 1 design"


def test_names_that_are_markup_stay_names(browser, shop):
    page = shop.page("joint", HOSTILE, "--title", "<img src=x onerror=alert(1)>")
    opened(browser, page)
    assert element(browser, "#title").text == "<img src=x onerror=alert(1)>"
    assert browser.title == "<img src=x onerror=alert(1)> (joint.h5)"
    assert "</script><script>document.title='taken'</script>" in element(browser, "#question").text


def test_scenarios_change_what_is_drawn(browser, shop):
    from selenium.webdriver.support.ui import Select

    path = shop.page("joint", HOSTILE)
    opened(browser, path)
    names = [metric["name"] for metric in Page(path).facts["metrics"]]
    Select(element(browser, "#scenario")).select_by_value("long")
    assert element(browser, "#front-x").get_attribute("value") == "latency@long"
    head = csv_text(browser).splitlines()[0].split(",")
    assert "latency@long" in head and "latency" not in head and "latency@long" in names
    browser.find_elements("css selector", "#table-body tr[data-row]")[0].click()
    assert element(browser, ".values tbody th").text.startswith("latency")


def test_an_objective_of_one_scenario_stays_that_one(browser, shop):
    from selenium.webdriver.support.ui import Select

    space = HOSTILE.replace('["latency", "energy"]', '["latency", "energy@long"]')
    path = shop.page("own_scenario", space)
    opened(browser, path)
    with h5py.File(shop.file("own_scenario", space)) as file:
        value_of = dict(zip(file["point_id"][:].tolist(), file["scenarios/metrics/energy"][:, 1].tolist()))
    for scenario, latency in (("", "latency"), ("chat", "latency@chat")):
        Select(element(browser, "#scenario")).select_by_value(scenario)
        assert element(browser, "#front-x").get_attribute("value") == latency
        assert element(browser, "#front-y").get_attribute("value") == "energy@long"
        assert element(browser, "input[aria-label='energy@long min']").is_displayed()
        rows = list(csv.DictReader(csv_text(browser).splitlines()))
        assert rows and all(float(row["energy@long"]) == value_of[int(row["point"])] for row in rows)


def test_a_page_does_what_its_policy_says(browser, shop):
    """Another script in the page is not run."""
    text = shop.page("ordinary", ORDINARY).read_text()
    (shop.folder / "spoilt.html").write_text(text.replace("<main>", "<script>document.title='taken'</script><main>"))
    load(browser, shop.folder / "spoilt.html")
    complaints = browser.get_log("browser")
    assert browser.title == "dplena: latency, area and energy (ordinary.h5)"
    assert any("Content Security Policy" in entry["message"] for entry in complaints)
