"""A real browser for tests of pages: Debian's Chromium, without a screen, driven by Selenium.

    def test_the_page(browser, tmp_path):
        browser.open(page.as_uri())          # or the address of a server of this machine
        browser.show(width=400, dark=True)
        assert not browser.scrolls_sideways()
        assert browser.find_faults() == []   # of accessibility, serious or worse
        assert browser.complaints() == []    # errors and breaches of the page's policy

The fixture `browser` is one browser for all tests of a worker; a test without it is skipped where
Chromium or its driver is missing (`sh scripts/set_up_packages.sh` installs both).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import Found, wait_for

AXE = "axe.min.js"
# Of what axe looks for, that which a narrow window or other colours can change.
BY_STYLE = ("color-contrast", "scrollable-region-focusable")
# A browser of this machine that has not answered by then is lost, and so is the test.
LIMIT_S = 30


class Browser:
    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        """And wait for the whole page. On a busy machine the driver may come back while a large one
        is still being read, and a script would see the part that is there.
        """
        self.driver.get(address)
        self.wait_for(lambda: self.run("return document.readyState === 'complete'"))

    def wait_for(
        self, condition: Callable[[], Found], *, every_s: float = 0.05, limit_s: float = LIMIT_S
    ) -> Found:
        """What the condition gives, as soon as that is true."""
        return wait_for(condition, every_s=every_s, patience_s=limit_s)

    def show(self, width: int = 1280, *, height: int = 900, dark: bool = False) -> None:
        """A window so wide, also below the 500 pixels that a window can have."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def press(self, *keys: str) -> None:
        """Keys, as a user presses them wherever the focus is. Before the page is painted, a browser
        may drop them.
        """
        from selenium.webdriver.common.action_chains import ActionChains

        self.wait_until_painted()
        ActionChains(self.driver).send_keys(*keys).perform()

    def unfold_all(self) -> None:
        """Open every fold. What is in one may count as hidden until the next frame."""
        self.run("document.querySelectorAll('details').forEach(each => each.open = true)")
        self.wait_until_painted()

    def wait_until_painted(self) -> None:
        """Two frames: in the first one the changes may still be waiting."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
        )

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def text(self) -> str:
        return str(self.find("body").text)

    def scrolls_sideways(self) -> bool:
        whole, seen = self.run(
            "const page = document.documentElement; return [page.scrollWidth, page.clientWidth]"
        )
        return bool(whole > seen)

    def find_faults(self, *rules: str) -> list[str]:
        """What axe calls serious or critical, each with the first place of it. With rules, these
        alone: BY_STYLE, where a page that was looked at is shown in another way.
        """
        import axe_core_python

        self.run(Path(axe_core_python.__file__).with_name(AXE).read_text("utf-8"))
        # Without `preload`, which fetches the styles once more for rules that are not serious.
        options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
        if rules:
            options["runOnly"] = {"type": "rule", "values": rules}
        found = self.driver.execute_async_script(
            "const done = arguments[1]; axe.run(document, arguments[0])"
            ".then(found => done(found.violations), error => done([{impact: 'serious', "
            "id: String(error), nodes: []}]))",
            options,
        )
        return [
            f"{each['id']}: {each['nodes'][0]['html'] if each['nodes'] else ''}"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    def complaints(self) -> list[str]:
        """What the console has got since the last call: errors, breaches of the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def picture(self, path: Path) -> None:
        """The whole page as PNG, for people to look at."""
        height = self.run("return document.documentElement.scrollHeight")
        width = self.run("return window.innerWidth")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        path.write_bytes(self.driver.get_screenshot_as_png())


def start_browser(folder: Path) -> Browser:
    """`folder`: where it keeps its own files."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for word in (
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
        "--no-first-run", "--disable-background-networking", f"--user-data-dir={folder}",
    ):  # fmt: skip
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    driver.set_page_load_timeout(LIMIT_S)
    driver.set_script_timeout(LIMIT_S)
    # Else a page may get no keys while another browser of this machine has the focus.
    driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    return Browser(driver)


@pytest.fixture(scope="session")
def one_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}: sh scripts/set_up_packages.sh")
    started = start_browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.driver.quit()


@pytest.fixture
def browser(one_browser: Browser) -> Browser:
    """With an empty page of the usual size, and nothing left of the test before."""
    one_browser.open("about:blank")
    one_browser.show()
    one_browser.complaints()
    return one_browser
