"""What the tests of the page find on this machine; run as a program it says so."""
import os
import shutil
from pathlib import Path

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


if __name__ == "__main__":
    print(what_is_missing() or "run")
