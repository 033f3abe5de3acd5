"""What WCAG 2 asks of a page at levels A and AA, as far as a program can tell, in the page as it is drawn."""
import pytest
from looking import element, opened, type_range
from spaces import MACHINES, MANY
from test_palette import GRAPHICS, TEXT, contrast

TEXTS = """
const opaque = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
  if (!/, 0\\)$|transparent/.test(c)) return c; }
  return getComputedStyle(document.documentElement).backgroundColor; };
const seen = (e) => e.checkVisibility() && e.getBoundingClientRect().width > 0;
return [...document.querySelectorAll('body *:not(script):not(style)')].filter((e) => seen(e) && !e.disabled &&
  [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())).map((e) => {
    const style = getComputedStyle(e);
    const text = e.closest('svg') ? style.fill : style.color;
    return [text, opaque(e), e.outerHTML.slice(0, 120), e.textContent.trim()]; });
"""
NAMELESS = """
const text = (ids) => ids.split(' ').map((id) => document.getElementById(id)?.textContent.trim()).join('');
const name = (e) => e.ariaLabel || text(e.getAttribute('aria-labelledby') || '') || [...(e.labels || [])].map((l) =>
  l.textContent.trim()).join('') || (e.matches('button, a, summary, th, tr') ? e.textContent.trim() : '');
const reached = 'button, select, input, summary, a[href], [tabindex], [role=region], [role=group]';
return [...document.querySelectorAll(reached)]
  .filter((e) => !name(e)).map((e) => e.outerHTML.slice(0, 120));
"""
FAULTS = """
const all = (selector) => [...document.querySelectorAll(selector)];
const said = (what, found) => found.map((e) => what + ': ' + e.outerHTML.slice(0, 120));
const refers = (e) => (e.getAttribute('aria-labelledby') + ' ' + e.getAttribute('aria-describedby')).split(' ');
const levels = all('h1, h2, h3, h4').map((h) => Number(h.tagName[1]));
return [
  ...said('can be reached but is hidden', all('[aria-hidden=true] :is(button, input, select, a, [tabindex])')),
  ...said('can be reached inside a picture', all('[role=img] :is(button, input, select, a, [tabindex])')),
  ...said('goes before its turn', all('[tabindex]').filter((e) => e.tabIndex > 0)),
  ...said('a picture without a name', all('canvas, svg, img').filter((e) =>
    !e.closest('[aria-hidden=true]') && !e.ariaLabel)),
  ...said('a head without a scope', all('th').filter((e) => !e.scope)),
  ...said('refers to nothing', all('[aria-labelledby], [aria-describedby]').filter((e) =>
    refers(e).some((id) => id && id !== 'null' && !document.getElementById(id)))),
  ...said('scrolls but cannot be reached', all('main *').filter((e) =>
    /auto|scroll/.test(getComputedStyle(e).overflowY) &&
    e.scrollHeight > e.clientHeight + 1 && e.clientHeight > 0 && e.checkVisibility() && e.tabIndex < 0 &&
    !e.querySelector('button, input, select, a, [tabindex]'))),
  ...(document.documentElement.lang ? [] : ['no language']), ...(document.title ? [] : ['no title']),
  ...(all('h1').length === 1 ? [] : ['not one h1']), ...(all('main').length === 1 ? [] : ['not one main']),
  ...levels.flatMap((level, i) => (i && level > levels[i - 1] + 1 ? ['a heading skips a level'] : [])),
];
"""
PLACE = """
const e = document.activeElement;
if (e === document.body) return null;
const box = e.getBoundingClientRect(), style = getComputedStyle(e);
e.dataset.step ??= String(window.steps = (window.steps ?? 0) + 1);
return [e.dataset.step, e.closest('section')?.getAttribute('aria-labelledby')
  ?? e.closest('header, main')?.tagName ?? '',
  style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0, e.outerHTML.slice(0, 120), box.width > 0];
"""


# Tests of colours have the page in both schemes.
SCHEMES = pytest.mark.parametrize("page", ["light", "dark"], indirect=True)


def colour(text):
    """'rgb(1, 2, 3)' as test_palette has it; nothing of one with a share of what is behind it."""
    numbers = [float(word) for word in text.split("(")[1].rstrip(")").split(",")] if text.startswith("rgb") else []
    if len(numbers) < 3 or (len(numbers) > 3 and numbers[3] < 1):
        return None
    return "#" + "".join(f"{round(number):02x}" for number in numbers[:3])


@pytest.fixture(params=["light", pytest.param("dark", marks=pytest.mark.campaign)])
def page(request, browser, shop):
    """With two designs pinned, a mistake in a range, and what can be opened open."""
    scheme = [{"name": "prefers-color-scheme", "value": request.param}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    opened(browser, shop.page("many", MANY))
    element(browser, "#pin").click()
    element(browser, ".reasons button").click()
    type_range(browser, "latency", high="soon")
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    yield browser
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@SCHEMES
def test_every_text_can_be_read(page):
    told = [(colour(text), colour(ground), *what) for text, ground, *what in page.execute_script(TEXTS)]
    known = [found for found in told if found[0] and found[1]]
    assert len(known) > 150 and len(known) > 0.6 * len(told)
    least = {True: TEXT, False: GRAPHICS}  # a mark in a key is no text
    assert [what
            for text, ground, what, said in known if contrast(text, ground) < least[said not in "●◆┐—"]] == []


def test_everything_that_can_be_reached_has_a_name(page):
    assert page.execute_script(NAMELESS) == []


def test_nothing_is_where_readers_of_screens_lose_their_way(page):
    assert page.execute_script(FAULTS) == []


def test_spaces_of_several_machines_can_be_read_too(browser, shop):
    opened(browser, shop.page("machines", MACHINES))
    element(browser, "#constants summary").click()
    told = [(colour(text), colour(ground), what) for text, ground, what, _ in browser.execute_script(TEXTS)]
    assert [what for text, ground, what in told if text and ground and contrast(text, ground) < GRAPHICS] == []
    assert browser.execute_script(NAMELESS) == [] and browser.execute_script(FAULTS) == []


def test_a_mistake_is_told_to_who_does_not_see_it(page):
    field, error = element(page, "[aria-label='range of latency'] .high"), element(page, "#range-error")
    assert field.get_attribute("aria-invalid") == "true" and error.get_attribute("role") == "alert"
    assert field.get_attribute("title") in error.text


def test_tab_goes_through_the_page_in_its_order_and_can_be_seen(page):
    from selenium.webdriver.common.action_chains import ActionChains

    page.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = false; })")
    page.execute_script("document.querySelector('.skip').focus()")
    places = []
    for _ in range(400):
        place = page.execute_script(PLACE)
        if place is None or (places and place[0] == places[0][0]):
            break
        places.append(place)
        ActionChains(page).send_keys("\ue004").perform()
    else:
        raise AssertionError("there is no end")
    assert [what for _, _, outlined, what, _ in places if not outlined] == []
    assert len({step for step, *_ in places}) == len(places), "Tab comes back to a place"
    sections = [section for i, (_, section, *_) in enumerate(places) if i == 0 or places[i - 1][1] != section]
    assert len(sections) == len(set(sections)), "sections are left and entered again"
    wanted = ["HEADER", "answer-heading", "front-heading", "details-heading", "parallel-heading", "table-heading"]
    assert [section for section in sections if section in wanted] == wanted


@SCHEMES
def test_a_focus_can_be_told_from_what_is_around_it(page):
    style = "return getComputedStyle(document.documentElement).getPropertyValue('{}').trim()"
    outline, panel = (page.execute_script(style.format(name)) for name in ("--focus", "--panel"))
    assert contrast(outline, panel) >= GRAPHICS
