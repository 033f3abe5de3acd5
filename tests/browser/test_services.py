"""Spaces with traffic: what the page says of their scenarios, and the curves of designs."""
import json
import zlib
from base64 import b64decode

import numpy as np
import pytest
from looking import element, opened, type_range
from page import Page
from spaces import MACHINES, ORDINARY, PAIRS, SERVICES
from test_accessibility import FAULTS, NAMELESS, TEXTS, colour
from test_palette import TEXT, contrast

CHARTS = "#services-body figure"
OUTSIDE = """
return [...document.querySelectorAll('#services-body svg')].flatMap((svg) => {
  const all = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text, path.curve, line.limit')].filter((e) => {
    const box = e.getBoundingClientRect();
    return box.left < all.left - 1 || box.right > all.right + 1 || box.top < all.top - 1 || box.bottom > all.bottom + 1;
  }).map((e) => e.textContent || e.getAttribute('class')); });
"""


def curves(page):
    return json.loads(zlib.decompress(b64decode(page.element("services"))))


@pytest.fixture
def page(browser, shop):
    return opened(browser, shop.page("services", SERVICES))


def labels(browser):
    return [svg.get_attribute("aria-label") for svg in browser.find_elements("css selector", f"{CHARTS} svg")]


def lines(browser, kind):
    return [path.get_attribute("class") for path in browser.find_elements("css selector", f"{CHARTS} path.curve")
            if kind in path.get_attribute("class").split()]


def point_a(browser):
    return element(browser, "#details-body .pinA").text.split()[1]


def test_pages_without_traffic_have_nothing_of_it(browser, shop):
    for name, space in (("ordinary", ORDINARY), ("machines", MACHINES)):
        path = shop.page(name, space)
        data = Page(path)
        assert "traffic" not in data.facts and '<script id="services"' not in data.text
        opened(browser, path)
        assert not element(browser, "#services-section").is_displayed() and element(browser, "#traffic").text == ""


def test_the_head_describes_the_traffic(page):
    said = element(page, "#traffic").text
    wanted = ("service llama-3.2-1b; 80 requests of azure_2023_conv.csv, ", "first token within 300 ms",
              "20 ms for each token after it", "max_rate is for 95 % of them")
    assert [words for words in wanted if words not in said] == []


def test_the_scheduler_is_a_parameter_and_a_batch_is_not(page, shop):
    element(page, "#constants summary").click()
    constants = element(page, "#constants-list").text.split("\n")
    assert not {"batch", "input", "output"} & set(constants) and "scheduler.block_tokens" in constants
    assert "scheduler.policy" in element(page, "#table-head").text
    point = point_a(page)
    command = element(page, "#details-body .command").text
    said = json.loads(shop.run(*command.removeprefix("pimdse ").replace("'", "").split(" --scenario ")[0].split(),
                               "--scenario", command.split(" --scenario ")[1].strip("'"), "--format", "json"))
    data = Page(shop.page("services", SERVICES))
    row = data.column(data.heads("point")[0]).tolist().index(int(point))
    names = [metric["name"] for metric in data.facts["metrics"]]
    stated = data.column(data.heads("value", names.index("max_rate"))[0])[row]
    assert said["metrics"]["max_rate"]["value"] == stated


def test_figures_of_one_batch_are_not_shown(page):
    shown = element(page, "#details-body").text + element(page, "#table-head").text
    assert "goodput" in shown and "ttft_p99" in shown
    words = set(shown.split())
    assert not {"latency", "itl", "tokens_per_second", "ttft", "energy", "footprint"} & words


def test_curves_of_designs_on_the_front_ascend_and_end(shop):
    data = Page(shop.page("services", SERVICES))
    front = data.column(data.heads("front")[0]) == "front"
    members = data.column(data.heads("point")[0])[front].tolist()
    known = curves(data)
    assert 1 < len(known) == min(12, len(members)) and {int(point) for point in known} <= set(members)
    names = [metric["name"] for metric in data.facts["metrics"]]
    median = dict(zip(members, data.column(data.heads("value", names.index("ttft_p50"))[0])[front]))
    for point, (own,) in known.items():
        for name in ("ttft", "tpot"):
            assert len(own[name]) == own["requests"] == 80 and (np.diff(own[name]) >= 0).all()
        assert own["ttft"][39] == pytest.approx(median[int(point)], rel=1e-5)
        assert own["waiting"][-1] == own["running"][-1] == 0 < max(own["running"])
        rates = np.array(own["rates"])
        assert len(rates) == 12 and (np.diff(rates[:, 0]) > 0).all() and own["max_rate"] in rates[:, 0]
        assert (rates[:, 1] <= rates[:, 0] * 80 / 79 * (1 + 1e-5)).all()


def test_four_charts_of_the_chosen_design(page):
    titles = [one.text for one in page.find_elements("css selector", f"{CHARTS} figcaption")]
    assert titles == ["time to first token", "time per token after the first",
                      "requests in service, and waiting (dashed)", "goodput against the rate of arrivals"]
    assert len(lines(page, "A")) == 5 and lines(page, "B") == [] and len(lines(page, "waiting")) == 1
    texts = [one.text for one in page.find_elements("css selector", f"{CHARTS} .limit-text")]
    assert texts[:2] == ["limit 300 ms", "limit 20 ms"] and texts[2].startswith("max_rate ")
    assert page.execute_script(OUTSIDE) == []


def test_buttons_show_the_designs_that_have_curves(page):
    element(page, "#pin").click()
    first = point_a(page)
    other = next(b for b in page.find_elements("css selector", "#services-chosen button") if b.text != f"point {first}")
    chosen = other.text
    other.click()
    assert len(lines(page, "A")) == len(lines(page, "B")) == 5
    words = element(page, "#services-words").text
    assert f"A: {first}" in words and f"B: {chosen.split()[1]}" in words
    assert all("A: " in label and "B: " in label for label in labels(page))
    assert page.execute_script(OUTSIDE) == []


def test_a_design_without_curves_has_none(page, shop):
    data = Page(shop.page("services", SERVICES))
    front = data.column(data.heads("front")[0]) == "front"
    other = data.column(data.heads("point")[0])[~front].tolist()[0]
    for row in page.find_elements("css selector", "#table-body tr[data-row]"):
        if row.find_element("css selector", "th").text.split()[-1] == str(other):
            row.click()
            break
    assert f"There are none of A (point {other})." in element(page, "#services-chosen").text
    assert page.find_elements("css selector", CHARTS) == []


@pytest.mark.parametrize("width", (600, pytest.param(1440, marks=pytest.mark.campaign)))
def test_charts_stay_in_the_page_at_any_width(browser, shop, width):
    size = {"width": width, "height": 1300, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened(browser, shop.page("services", SERVICES))
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.execute_script(OUTSIDE) == []
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_pairs_of_machines_have_curves_too(browser, shop):
    path = shop.page("pairs", PAIRS)
    assert any(own["requests"] == 60 for (own,) in curves(Page(path)).values())
    opened(browser, path)
    assert type_range(browser, "machine", "pair", "pair") == ""
    assert len(browser.find_elements("css selector", CHARTS)) == 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_can_be_read_by_everyone(browser, shop, scheme):
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    opened(browser, shop.page("services", SERVICES))
    told = [(colour(text), colour(ground), what) for text, ground, what, said in browser.execute_script(TEXTS)
            if said not in "●◆┐—"]
    assert [what for text, ground, what in told if text and ground and contrast(text, ground) < TEXT] == []
    assert browser.execute_script(NAMELESS) == [] and browser.execute_script(FAULTS) == []
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
