"""Designs of several devices: their group in words and as a picture, and the shares of links in the bars."""
import json

import pytest
from looking import element, opened, type_range
from page import Page
from spaces import GROUPS, ORDINARY
from test_accessibility import FAULTS, NAMELESS, TEXTS, colour
from test_palette import PALETTES, TEXT, contrast

GROUP = "#details-body .devices"


@pytest.fixture
def page(browser, shop):
    return opened(browser, shop.page("groups", GROUPS))


def choose(browser, **values):
    """Pins the first design with these values of parameters, and returns its id."""
    for name in ("devices", "pipeline_parallel", "micro_batches"):
        assert type_range(browser, name, values.get(name, ""), values.get(name, "")) == ""
    row = element(browser, "#table-body tr[data-row]")
    point = row.find_element("css selector", "th").text.split()[-1]
    row.click()
    return int(point)


def groups_in_words(browser, number):
    """The sentences about so many groups, once the page has drawn them."""
    from selenium.webdriver.support.ui import WebDriverWait

    def said(page):
        texts = [p.text for p in page.find_elements("css selector", f"{GROUP} p")]
        return texts if len(texts) == number else None

    return WebDriverWait(browser, 20).until(said)


def count(browser, selector):
    return len(browser.find_elements("css selector", f"{GROUP} {selector}"))


def bars(browser):
    """{name: colour of its bar} of the lines about links."""
    lines = browser.find_elements("css selector", ".bars tr.links")
    bar = [line.find_element("css selector", ".bar").value_of_css_property("background-color") for line in lines]
    return dict(zip([line.find_element("css selector", "th").text for line in lines], bar))


def rgb(colour):
    return "rgba({}, {}, {}, 1)".format(*(int(colour[i:i + 2], 16) for i in (1, 3, 5)))


def test_one_device_has_neither_group_nor_shares_of_links(page, browser, shop):
    choose(page, devices="1")
    assert not page.find_elements("css selector", GROUP) and bars(page) == {}
    opened(browser, shop.page("ordinary", ORDINARY))
    assert not browser.find_elements("css selector", GROUP) and bars(browser) == {}


def test_a_group_is_written_and_drawn(page):
    choose(page, devices="16", pipeline_parallel="4", micro_batches="2")
    said = element(page, f"{GROUP} p").text
    assert [word for word in ("16 devices: 4 stages × 4 tensor", "2 micro-batches", "joined by own link",
                              "stages by eth400") if word not in said] == []
    assert count(page, "rect.device.A") == 16 and count(page, "rect.joined") == 4 and count(page, "line.wire") == 3
    assert element(page, f"{GROUP} svg").get_attribute("aria-label") in said


def test_two_designs_have_their_own_groups(page):
    choose(page, devices="4", pipeline_parallel="1")
    element(page, "#pin").click()
    choose(page, devices="16", pipeline_parallel="4", micro_batches="1")
    said = groups_in_words(page, 2)
    assert said[0].startswith("A 4 devices: 4 tensor") and said[1].startswith("B 16 devices: 4 stages × 4 tensor")
    assert count(page, "rect.device.A") == 4 and count(page, "rect.device.B") == 16


def test_shares_of_links_are_told_and_have_their_colour(page, shop):
    point = choose(page, devices="4", pipeline_parallel="1")
    explained = json.loads(shop.run("explain", "groups.h5", point, "--format", "json"))
    assert {name: explained["group"][name] for name in ("devices", "tensor", "pipeline", "micro_batches")} == {
        "devices": 4, "tensor": 4, "pipeline": 1, "micro_batches": 1}
    parts = explained["breakdown"][0]
    told = {share["what"] for kind in ("time", "energy") for share in parts[kind] if share["what"].startswith("links")}
    shown = bars(page)
    assert set(shown) == {what for what in told if what != "links/waiting for other stages"} >= {"links/exchange",
                                                                                                "links"}
    assert set(shown.values()) <= {rgb(PALETTES[scheme]["links"]) for scheme in PALETTES}
    assert "4 tensor; link own: switch" in shop.run("explain", "groups.h5", point)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_group_can_be_read_by_everyone(browser, shop, scheme):
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    opened(browser, shop.page("groups", GROUPS))
    choose(browser, devices="4", pipeline_parallel="1")
    told = [(colour(text), colour(ground), what) for text, ground, what, _ in browser.execute_script(TEXTS)]
    shown = [what for text, ground, what in told if "links" in what and text and ground]
    assert shown and [what for text, ground, what in told if what in shown and contrast(text, ground) < TEXT] == []
    assert browser.execute_script(NAMELESS) == [] and browser.execute_script(FAULTS) == []
    assert set(bars(browser).values()) == {rgb(PALETTES[scheme]["links"])}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_every_group_of_the_page_is_that_of_explain(page, shop):
    data = Page(shop.page("groups", GROUPS))
    points = data.column(data.heads("point")[0])[data.column(data.heads("status")[0]) == "ok"].tolist()
    for point in points:
        group = json.loads(shop.run("explain", "groups.h5", point, "--format", "json")).get("group")
        written = shop.run("explain", "groups.h5", point).splitlines()[2]
        assert ("devices:" in written) == bool(group)
        if group:
            assert group["tensor"] * group["pipeline"] * group["expert"] * group["data"] == group["devices"]
