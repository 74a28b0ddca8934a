"""Every page in a browser: what it shows, by keys, at every width, and with hostile answers."""

from __future__ import annotations

import os
import signal

import pytest

from tests.browser import BY_STYLE
from tests.interfaces.web.conftest import ATTACKS

SAME_TEMPLATE = ("failed request", "choice")  # as another page that axe looks at


def address_of(viewed, viewer, suite, *path, query=""):
    """Of the run of a suite."""
    for run in sorted((viewed.out / "runs").iterdir(), reverse=True):
        page = viewer.ask(f"/runs/{run.name}")
        if f"<title>{suite}:" in page.text:
            return "/".join((viewer.address, "runs", run.name, *path)) + query
    raise AssertionError(f"no run of {suite}")


@pytest.fixture(scope="module")
def pages(viewed, viewer):
    """The address of each page."""
    little = address_of(viewed, viewer, "little")
    judged = address_of(viewed, viewer, "judged")
    return {
        "runs": viewer.address,
        "matrix": little,
        "report": f"{little}/report",
        "sample": f"{little}/tests/facts_001?in=little",
        "failed request": f"{little}/tests/facts_002?in=little&model=1",
        "choice": f"{little}/tests/choices_001?in=little&model=1",
        "judged": f"{judged}/tests/own_001?in=judged",
    }


def follow(browser, keys, part):
    """Press keys that lead to an address with this in it; again if ten seconds brought nothing, as
    a person does: a press was lost once in some hundred runs.
    """

    def is_there():
        return part in browser.driver.current_url

    browser.press(keys)
    try:
        browser.wait_for(is_there, limit_s=10)
    except AssertionError:
        browser.press(keys)
        browser.wait_for(is_there, limit_s=20)


def test_every_page_is_readable_at_every_width_and_in_the_dark(browser, pages):
    for name, address in pages.items():
        browser.open(address)
        for width, dark in ((400, False), (1280, True), (1600, False)):
            browser.show(width, dark=dark)
            assert not browser.scrolls_sideways(), (name, width)
            if width < 1600 and name not in SAME_TEMPLATE:
                assert browser.find_faults(*(BY_STYLE if dark else ())) == [], (name, width)
        assert browser.complaints() == [], name


def test_every_run_is_shown_with_its_models_suites_state_and_headline(browser, viewer):
    browser.open(viewer.address)
    shown = browser.find("#runs").text
    for text in ("little", "good, weak", "finished", "34 answers", "good scores 75.0 points"):
        assert text in shown
    browser.press("j", "j")
    second = browser.all("#runs a")[1].get_attribute("href")
    assert browser.run("return document.activeElement.href") == second


def test_the_matrix_is_filtered_by_keys_by_category_and_by_words(browser, pages):
    def rows():
        return [row.text for row in browser.all(".matrix tbody th a")]

    browser.open(pages["matrix"])
    assert len(rows()) == 17
    follow(browser, "f", "show=failed")
    assert rows() == ["choices_001", "facts_001", "facts_003", "hard_001"]
    browser.open(f"{pages['matrix']}?category=facts&show=unscored")
    assert rows() == ["facts_002"]
    assert "request failed" in browser.find(".matrix").text
    browser.open(pages["matrix"])
    browser.press("/")
    follow(browser, "mango\ue007", "q=mango")
    assert rows() == ["choices_001"]
    browser.open(f"{pages['matrix']}?q=chair+so")  # words of an answer, whose ends may be missing
    assert rows() == ["choices_001"]
    browser.open(f"{pages['matrix']}?q=%22+%2A&page=99&show=nonsense&category=none")
    assert "No test fits this filter." in browser.text()


def test_a_sample_shows_what_was_asked_answered_read_and_expected(browser, pages):
    browser.open(pages["sample"])
    text = browser.text()
    for shown in ("You are terse.", "What is 2 + 2?", 'Read "4", as expected.', "temperature"):
        assert shown in text
    assert "Two and two." not in text
    browser.press("r")
    assert "Two and two." in browser.text()
    follow(browser, "l", "model=1")
    assert browser.find("pre.answer").text == "5"
    follow(browser, "j", "facts_002")
    assert "The request failed: no route" in browser.text()
    follow(browser, "k", "facts_001")
    follow(browser, "k", "choices_001")
    for shown in ("B. mango", "The chair, so C.", "expected"):
        assert shown in browser.text()
    browser.press("?")
    assert "previous, next model" in browser.find("#help").text


def test_the_judges_questions_point_at_the_words_they_rest_on(browser, pages):
    browser.open(pages["judged"])
    quoted = browser.find("mark#quote-1")
    assert quoted.text.endswith("middle = (low + high) // 2")
    assert "A docstring is there." in browser.text()
    browser.find("a[href='#quote-1']").click()
    assert browser.run("return document.querySelector('mark:target') !== null")


def test_what_a_model_wrote_is_shown_and_never_obeyed(browser, pages):
    samples = {
        f"{pages['matrix']}/tests/attack_{number:03}?in=little": attack
        for number, attack in enumerate(ATTACKS)
    }
    for address, attack in {f"{pages['matrix']}?category=attacks": None, **samples}.items():
        browser.open(address)
        assert browser.run("return window.attacked") is None, address
        foreign = "main :is(script, style, iframe, svg, img, link, meta, base)"
        assert browser.all(foreign) == [], address
        assert browser.complaints() == [], address
        if attack and attack.isprintable():
            assert browser.find("pre.answer").text == attack


def test_pages_work_without_the_script_and_wrong_addresses_are_said(viewed, viewer, pages):
    path = pages["sample"].removeprefix(viewer.address)
    assert 'rel="next"' in viewer.ask(path).text
    run = path.split("/")[2]
    for wrong in (
        "/runs/nothing",
        f"/runs/{run}/tests/none?in=little",
        f"/runs/{run}/tests/facts_001?in=little&model=7",
        f"/runs/{run}/tests/facts_001?in=%00%ff&model=-1&try=x",
    ):
        assert viewer.ask(wrong).status == 404, wrong


def test_a_run_of_another_process_appears_and_moves_by_itself(browser, viewed, viewer):
    slow = viewed.script("slow", default="4", delay_s=0.2)
    tests = {"slowly": [{"id": f"slowly_{n:03}", "prompt": f"{n}?", "eval_method": "exact_match",
                         "expected": "4"} for n in range(400)]}  # fmt: skip

    def read(selector, what):
        """In one step: the page puts new elements in place of those a driver has found."""
        return browser.run(
            "return document.querySelector(arguments[0])[arguments[1]]", selector, what
        )

    browser.open(viewer.address)
    assert "slowly" not in read("#runs", "innerText")
    started = viewed.start("run", slow, "-s", viewed.suite(tests, name="slowly"))
    try:
        browser.wait_for(lambda: "slowly" in read("#runs", "innerText"), every_s=0.2)
        first = read("#runs progress", "value")
        browser.wait_for(lambda: read("#runs progress", "value") != first, every_s=0.2)
        assert "running" in read("#runs li", "innerText")
        browser.open(read("#runs a", "href"))
        seen = len(browser.all(".matrix .chip.pass"))
        browser.wait_for(lambda: len(browser.all(".matrix .chip.pass")) > seen, every_s=0.2)
        assert browser.complaints() == []
    finally:
        os.kill(started.pid, signal.SIGINT)
        started.communicate()
