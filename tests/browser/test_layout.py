"""Where things are on the page: nothing is cut, nothing lies on something else, at any width and on paper."""
import re

import pytest
from looking import element, opened
from spaces import HOSTILE, MACHINES, MANY, ONE, ORDINARY, SERVICES

WIDTHS = (600, pytest.param(1024, marks=pytest.mark.campaign), 1440)
# Texts of a plot that leave the section they are in, or lie on another text of it.
CUT = """
const box = (e) => e.getBoundingClientRect();
const texts = (root) => [...root.querySelectorAll('svg text')].filter((e) =>
  e.textContent && box(e).width > 0);
return [...document.querySelectorAll('#front-section, #services-section, section:has(#history)')].flatMap((section) =>
  texts(section).filter((e) => box(e).left < box(section).left || box(e).right > box(section).right ||
    box(e).top < box(section).top || box(e).bottom > box(section).bottom).map((e) => e.textContent));
"""
OVERLAPS = """
const box = (e) => e.getBoundingClientRect();
const lies = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
const groups = ['#front-axes text', '#parallel-axes text, .axis-name', '.axis-field, .axis-field input',
  '#history text', 'header *, .controls > *'];
return groups.flatMap((group) => {
  const all = [...document.querySelectorAll(group)].filter((e) => e.checkVisibility() && box(e).width > 0);
  return all.flatMap((a, i) => all.slice(i + 1).filter((b) => !a.contains(b) && lies(box(a), box(b)))
    .map((b) => `${a.textContent || a.ariaLabel} on ${b.textContent || b.ariaLabel}`)); });
"""
# Of the marks of the front plot: how far the outermost are from the ends of its axes.
MARGINS = """
const canvas = document.getElementById('front-canvas'), { width, height } = canvas;
const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
let [left, right, top, bottom] = [width, 0, height, 0];
for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) if (pixels[4 * (y * width + x) + 3]) {
  left = Math.min(left, x); right = Math.max(right, x);
  top = Math.min(top, y); bottom = Math.max(bottom, y); }
const origin = canvas.getBoundingClientRect();
const [x, y] = ['x', 'y'].map((side) =>
  document.querySelector(`#front-axes .${side} .domain`).getBoundingClientRect());
return [left - (x.left - origin.left), x.right - origin.left - right, top - (y.top - origin.top),
  y.bottom - origin.top - bottom];
"""
# Where the middle of the circle around A is, by its colour.
MARK_OF_A = """
const canvas = document.getElementById('front-canvas'), box = canvas.getBoundingClientRect();
const style = getComputedStyle(document.documentElement).getPropertyValue('--pinA').trim();
const wanted = [1, 3, 5].map((i) => parseInt(style.slice(i, i + 2), 16));
const { width, height } = canvas, xs = [], ys = [];
const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x)
  if (wanted.every((part, i) => pixels[4 * (y * width + x) + i] === part)) { xs.push(x); ys.push(y); }
const left = Math.min(...xs), bottom = Math.max(...ys);
return [box.left + left + 9, box.top + bottom - 9];
"""
SAID = """
window.said = [];
addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
  window.said.push(document.getElementById('details-body').textContent);
}).observe(document.body, { subtree: true, childList: true, characterData: true }));
"""


@pytest.fixture
def sized(browser):
    """Opens a page in a window of a width."""
    def open_sized(path, width):
        size = {"width": width, "height": 1300, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        return opened(browser, path)

    yield open_sized
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


PAGES = [("ordinary", ORDINARY), ("machines", MACHINES), ("services", SERVICES),
         *(pytest.param(page, marks=pytest.mark.campaign)
           for page in (("many", MANY), ("joint", HOSTILE), ("one", ONE)))]


@pytest.fixture(params=PAGES, ids=lambda param: param[0])
def path(request, shop):
    return shop.page(*request.param)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_text_is_cut_or_lies_on_another(sized, path, width):
    page = sized(path, width)
    assert page.execute_script(CUT) == []
    assert page.execute_script(OVERLAPS) == []
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_shares_of_many_digits_are_not_cut(sized, shop):
    grown = [[10 * i, 1 - 2e-6 / i, 12345 * i] for i in range(1, 30)]
    text = shop.page("many", MANY).read_text()
    (shop.folder / "grown.html").write_text(re.sub(r'"history":\[\[.*?\]\]', f'"history":{grown}', text))
    page = sized(shop.folder / "grown.html", 1024)
    assert page.execute_script("return document.querySelectorAll('#history svg .tick').length") > 8
    assert page.execute_script(CUT) == page.execute_script(OVERLAPS) == []


def test_marks_at_the_ends_of_the_front_plot_are_whole(sized, path):
    """Intervals may reach to the ends of the axes; designs themselves lie farther inside."""
    assert min(sized(path, 1024).execute_script(MARGINS)) >= 0


def test_a_page_becomes_as_narrow_as_its_window(sized, shop):
    page = sized(shop.page("many", MANY), 1440)
    size = {"width": 600, "height": 1300, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.execute_async_script("setTimeout(arguments[0], 300)")
    assert page.execute_script(OVERLAPS) == []
    assert page.execute_script("return document.documentElement.scrollWidth") <= 600


def test_on_paper_everything_is_as_wide_as_the_paper(sized, path):
    page = sized(path, 1440)
    page.execute_script("""addEventListener('beforeprint', () => {
      const right = (e) => e.getBoundingClientRect().right - document.body.getBoundingClientRect().left;
      window.wide = Math.max(...[...document.querySelectorAll('canvas, svg, section')].map(right)); })""")
    page.execute_cdp_cmd("Page.printToPDF", {})
    assert 0 < page.execute_script("return window.wide") <= 718
    assert page.execute_script("return document.querySelector('#front-canvas').clientWidth") > 718


def axes(page):
    groups = page.find_elements("css selector", ".axis-field")
    return [group.get_attribute("aria-label").removeprefix("range of ") for group in groups]


def test_axes_are_what_varies_and_the_rest_is_a_sentence(sized, shop):
    page = sized(shop.page("machines", MACHINES), 1440)
    assert axes(page)[:3] == ["latency", "energy", "machine"]
    assert set(axes(page)[3:]) == {"umdam.channels", "umdam.ranks", "mesh.mesh_rows"}
    element(page, "#constants summary").click()
    names, values = (page.find_elements("css selector", f"#constants {part}") for part in ("dt", "dd"))
    constants = {name.text: value.text for name, value in zip(names, values)}
    assert constants["mesh.link_bits"] == "64 bit" and not set(constants) & set(axes(page))


def test_narrow_pages_begin_with_fewer_axes(sized, shop):
    path = shop.page("many", MANY)
    few, many = (len(axes(sized(path, width))) for width in (600, 1440))
    assert 3 <= few < many


def test_a_page_is_called_what_its_space_is_called(sized, shop):
    page = sized(shop.page("machines", MACHINES), 1440)
    assert element(page, "#title").text == "Which machine, 'mesh' or \"umdam\"?"
    assert element(page, "#question").text == "how soon"
    assert element(page, "#origin").text == "machines umdam and mesh (cim_mesh) file machines.h5"
    assert element(page, "#assumptions").text.startswith("assuming view hardware, constants technology (7nm)")
    assert page.title == "Which machine, 'mesh' or \"umdam\"? (machines.h5)"


def test_a_page_of_a_space_without_a_title_says_what_was_weighed(sized, shop):
    page = sized(shop.page("ordinary", ORDINARY), 1440)
    assert element(page, "#title").text == "dplena: latency, area and energy"
    assert not element(page, "#question").is_displayed()
    assert element(page, "#origin").text == "machine dplena file ordinary.h5"
    assert not element(page, "#assumptions").is_displayed()


def test_a_title_that_was_asked_for_comes_first(sized, shop):
    page = sized(shop.page("machines", MACHINES, "--title", "Mine"), 1440)
    shop.page("machines", MACHINES)
    assert element(page, "#title").text == "Mine"
    assert element(page, "#question").text.startswith("Which machine")


def test_nothing_is_said_of_reasons_before_they_are_there(browser, shop):
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SAID})
    try:
        said = opened(browser, shop.page("many", MANY)).execute_script("return window.said")
        assert said and not [text for text in said if "time was up" in text]
        assert "why it is on the front" in said[-1]
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_a_range_that_is_no_number_is_told_where_it_can_be_read(browser, shop):
    opened(browser, shop.page("many", MANY))
    element(browser, "input[aria-label='latency min']").send_keys("soon", "\t")
    assert element(browser, "#range-error").text == "latency: 'soon' is not a number in s"
    element(browser, "input[aria-label='latency min']").clear()
    element(browser, "input[aria-label='latency min']").send_keys("1 us", "\t")
    assert element(browser, "#range-error").text == ""


def test_colours_of_machines_are_named(sized, shop):
    page = sized(shop.page("machines", MACHINES), 1440)
    assert element(page, "#front-colour").get_attribute("value") == "machine"
    assert element(page, "#front-key-values").text.split() == ["umdam", "mesh"]


def test_the_tip_says_what_is_drawn_of_a_design(sized, shop):
    page = sized(shop.page("machines", MACHINES), 1440)
    tips = page.execute_script("""const canvas = document.getElementById('front-canvas'), tips = new Set();
      const box = canvas.getBoundingClientRect(), tip = document.getElementById('tip');
      for (let x = 0; x < box.width; x += 8) for (let y = 0; y < box.height; y += 8) {
        const at = { clientX: box.left + x, clientY: box.top + y };
        canvas.dispatchEvent(new PointerEvent('pointermove', at));
        if (!tip.hidden) tips.add(tip.textContent); }
      return [...tips]""")
    assert {"umdam", "mesh"} == {tip.split(", machine ")[1] for tip in tips}
    assert all(re.fullmatch(r"(◆ )?\d+: latency .*, energy .*, machine .*", tip) for tip in tips)
    assert any(tip.startswith("◆ ") for tip in tips)


def test_a_page_begins_with_the_best_of_each_machine(sized, shop):
    page = sized(shop.page("machines", MACHINES), 1440)
    said = element(page, "#answer").text
    assert re.search(r"^Of \d+ feasible designs, design \d+ \(.*\) has the least latency", said)
    rows = page.find_elements("css selector", "#best-body tr")
    assert {row.find_element("css selector", "th").text for row in rows} == {"umdam", "mesh"}
    latencies = page.execute_script("""return [...document.querySelectorAll('#best-body tr')].map((row) =>
      row.querySelector('td').textContent)""")
    scale = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
    values = [float(text.split()[0]) * scale[text.split()[1]] for text in latencies]
    assert values == sorted(values)
    rows[1].find_element("css selector", "button").click()
    shown = element(page, ".values thead th:nth-child(2)").text
    assert rows[1].find_element("css selector", "button").text in shown


def test_the_plot_zooms_and_shows_the_whole_again(sized, shop):
    page = sized(shop.page("many", MANY), 1440)
    ticks = "return [...document.querySelectorAll('#front-axes .x .tick text')].map((t) => t.textContent).join()"
    whole = page.execute_script(ticks)
    assert not element(page, "#front-whole").is_displayed()
    page.execute_script("""const canvas = document.getElementById('front-canvas'), box = canvas.getBoundingClientRect();
      canvas.setPointerCapture = () => {};
      for (const [kind, x, y] of [['down', 0.3, 0.3], ['move', 0.6, 0.7], ['up', 0.6, 0.7]])
        canvas.dispatchEvent(new PointerEvent('pointer' + kind, { clientX: box.left + x * box.width,
          clientY: box.top + y * box.height, pointerId: 1 }));""")
    assert page.execute_script(ticks) != whole and element(page, "#front-whole").is_displayed()
    element(page, "#front-whole").click()
    assert page.execute_script(ticks) == whole
    element(page, "#front-box").send_keys("+")
    assert page.execute_script(ticks) != whole
    element(page, "#front-box").send_keys("-")
    assert page.execute_script(CUT) == page.execute_script(OVERLAPS) == []


def test_a_click_chooses_the_design_whose_mark_is_there(sized, shop):
    """The one with the least latency, found by its circle; on the way another one is chosen."""
    page = sized(shop.page("many", MANY), 1440)
    heads = ".values thead th:nth-child(2)"
    first = element(page, heads).text
    x, y = page.execute_script(MARK_OF_A)
    element(page, "#front-box").send_keys("\ue014")
    assert element(page, heads).text != first
    page.execute_script("""document.getElementById('front-canvas').dispatchEvent(
      new MouseEvent('click', { clientX: arguments[0], clientY: arguments[1] }))""", x, y)
    assert element(page, heads).text == first


def test_who_does_not_see_the_panel_is_told_what_was_chosen(browser, shop):
    opened(browser, shop.page("many", MANY))
    hint, chosen = (element(browser, name) for name in ("#details-hint", "#chosen"))
    assert chosen.get_attribute("role") == "status" and "keep A first" in hint.text
    element(browser, "#pin").click()
    assert hint.text.startswith("Now choose B")
    element(browser, "#front-box").send_keys("\ue014")
    point = element(browser, ".values thead th:nth-child(3)").text.split()[1]
    assert f"; B is design {point}: latency " in chosen.get_property("textContent")
    assert "replaces B" in hint.text
    element(browser, "#unpin").click()
    assert hint.text.startswith("Choose a design") and chosen.get_property("textContent") == ""


def test_paper_has_the_columns_that_have_an_axis(sized, shop):
    page = sized(shop.page("many", MANY), 1440)
    page.execute_script("""const seen = () => [...document.querySelectorAll('#table-head th')]
      .filter((e) => e.checkVisibility()).map((e) => e.textContent);
      window.before = seen().length; addEventListener('beforeprint', () => { window.paper = seen(); });
      addEventListener('afterprint', () => { window.after = seen().length; })""")
    page.execute_cdp_cmd("Page.printToPDF", {})
    before, paper, after = page.execute_script("return [window.before, window.paper, window.after]")
    names = [name.removesuffix(" *") for name in paper]  # a head says what rests on assumptions
    assert names == ["design", *axes(page)] and len(paper) < before == after


def test_ticks_have_one_unit_that_stands_with_the_name(sized, shop):
    page = sized(shop.page("many", MANY), 1440)
    names = [name.text for name in page.find_elements("css selector", ".axis-name")]
    assert {"area mm2", "vlen elements"} <= set(names)
    ticks = [tick.text for tick in page.find_elements("css selector", "#parallel-axes .tick text")]
    assert "2048" in ticks and not [tick for tick in ticks if tick.endswith(("elements", "mm2"))]
