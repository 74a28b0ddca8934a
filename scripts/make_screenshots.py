"""Takes the screenshots of the viewer for the documentation, from a real store in a real browser.

    python scripts/make_screenshots.py docs/pictures

Runs the models of `assay demo`, starts `assay view` over what they leave, and looks at it with
Chromium (scripts/set_up_packages.sh installs it). Takes half a minute.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

WIDTH, HEIGHT = 1280, 1040
ASSAY = [sys.executable, "-m", "assay"]


def main(target: Path) -> None:
    with tempfile.TemporaryDirectory() as out, view_demo(out) as address, open_browser() as browser:
        browser.get(address)
        browser.find_element(By.CSS_SELECTOR, "main a[href*='/runs/']").click()
        browser.get(f"{browser.current_url}?show=failed")
        WebDriverWait(browser, 60).until(
            lambda page: page.find_elements(By.CSS_SELECTOR, ".scores")
        )
        browser.save_screenshot(str(target / "viewer-matrix.png"))
        failed = next(
            each
            for each in browser.find_elements(By.CSS_SELECTOR, "td .cell")
            if "fail" in each.text
        )
        failed.click()
        browser.save_screenshot(str(target / "viewer-sample.png"))
        browser.get(urljoin(address, "/compare"))
        browser.find_element(By.CSS_SELECTOR, ".flips a").click()
        browser.save_screenshot(str(target / "viewer-compare.png"))
        browser.get(urljoin(address, "/runs/latest/review?author=Ama"))
        browser.find_element(By.CSS_SELECTOR, "a[data-key=r]").click()
        browser.save_screenshot(str(target / "viewer-review.png"))


@contextmanager
def view_demo(out: str) -> Iterator[str]:
    """The address of a viewer over the runs of the demo."""
    subprocess.run(
        [*ASSAY, "demo", "--part", "models", "--out", out], check=True, stdout=subprocess.DEVNULL
    )
    words = ["view", "--no-open", "--port", "0", "--out", out]
    viewer = subprocess.Popen([*ASSAY, *words], stdout=subprocess.PIPE, text=True)
    try:
        found = re.search(r"http://\S+", viewer.stdout.readline() if viewer.stdout else "")
        if found is None:
            raise SystemExit("the viewer did not start")
        yield found[0]
    finally:
        viewer.send_signal(signal.SIGINT)
        viewer.wait()


@contextmanager
def open_browser() -> Iterator[Chrome]:
    options = ChromeOptions()
    for word in ("headless=new", "no-sandbox", "hide-scrollbars", f"window-size={WIDTH},{HEIGHT}"):
        options.add_argument(f"--{word}")
    options.binary_location = shutil.which("chromium") or ""
    browser = Chrome(options, ChromeService(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
