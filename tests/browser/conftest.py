"""A browser, and the pages of small runs that it opens."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

PIMDSE = os.environ["PIMDSE"]
PAGE = Path(PIMDSE).parent / "share" / "pimdse" / "report" / "page.html"
BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1440,1300",
         "--force-device-scale-factor=1", "--hide-scrollbars")
INSTALL = "jobs/setup.sh report browser, then build again"


def what_is_missing():
    """The reason to skip, or nothing."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return f"selenium is not installed ({INSTALL})"
    for program in (BROWSER, DRIVER):
        if not shutil.which(program):
            return f"{program} is not installed ({INSTALL})"
    return None if PAGE.exists() else f"pimdse was built without esbuild and d3, so there is no page ({INSTALL})"


def pytest_collection_modifyitems(items):
    reason = what_is_missing()
    for item in items if reason else ():
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    folder = tmp_path_factory.mktemp("browser")
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    yield driver
    driver.quit()


class Shop:
    """Makes result files and their pages, each once."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *words, codes=(0,)):
        done = subprocess.run([PIMDSE, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        assert done.returncode in codes, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def file(self, name, space, codes=(0,)):
        path = self.folder / f"{name}.h5"
        if not path.exists():
            (self.folder / f"{name}.toml").write_text(space)
            self.run("explore", f"{name}.toml", "-o", path, "--progress", "none", codes=codes)
        return path

    def page(self, name, space, *flags, codes=(0,)):
        path = self.file(name, space, codes)
        self.run("report", path, "-o", path.with_suffix(".html"), *flags)
        return path.with_suffix(".html")


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    return Shop(tmp_path_factory.mktemp("shop"))


if __name__ == "__main__":
    print(what_is_missing() or "run")
