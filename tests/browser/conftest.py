"""A browser, and the pages of small runs that it opens."""
import subprocess

import pytest
from looking import started
from what_is_here import PIMDSE, what_is_missing

def pytest_collection_modifyitems(items):
    reason = what_is_missing()
    for item in items if reason else ():
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    driver = started(tmp_path_factory.mktemp("browser"))
    yield driver
    driver.quit()


class Shop:
    """Makes result files and their pages, each once."""

    def __init__(self, folder):
        self.folder, self.flags = folder, {}

    def run(self, *words, codes=(0,)):
        done = subprocess.run([PIMDSE, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        assert done.returncode in codes, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def refused(self, *words, code):
        """What is said of it."""
        done = subprocess.run([PIMDSE, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stderr

    def file(self, name, space, codes=(0,)):
        path = self.folder / f"{name}.h5"
        if not path.exists():
            (self.folder / f"{name}.toml").write_text(space)
            self.run("explore", f"{name}.toml", "-o", path, "--progress", "none", codes=codes)
        return path

    def page(self, name, space, *flags, codes=(0,)):
        """Written again only where its flags are not those of the last time."""
        path = self.file(name, space, codes)
        page = path.with_suffix(".html")
        if self.flags.get(page) != flags:
            self.run("report", path, "-o", page, *flags)
            self.flags[page] = flags
        return page


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    return Shop(tmp_path_factory.mktemp("shop"))
