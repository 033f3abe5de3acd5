"""What tests do with a page in a browser."""
from what_is_here import BROWSER, DRIVER, FLAGS

WHOLE = "return document.body.dataset.whole"


def started(folder):
    """A browser that keeps what it keeps in this folder."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


def load(browser, path):
    """Returns when the page has everything."""
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(path.as_uri())
    WebDriverWait(browser, 60).until(lambda b: b.execute_script(WHOLE))


def opened(browser, path):
    """The page when it has everything; nothing was loaded and nothing complained."""
    load(browser, path)
    assert not browser.get_log("browser")
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    return browser


def element(browser, selector):
    return browser.find_element("css selector", selector)


def type_range(browser, name, low="", high=""):
    """Types the ends of a range of an axis; "" leaves an end open. Returns the message about a mistake."""
    for end, text in ((".low", low), (".high", high)):
        field = element(browser, f"[aria-label='range of {name}'] {end}")
        field.clear()
        field.send_keys(text, "\t")
    return element(browser, "#range-error").text


def csv_text(browser):
    """What the button saves, taken on its way."""
    browser.execute_script(
        """window.saved = null;
        URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#'; };
        document.getElementById('csv').click();"""
    )
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 20).until(lambda b: b.execute_script("return window.saved"))


def chosen_ids(browser):
    return {int(line.split(",")[0]) for line in csv_text(browser).splitlines()[1:]}
