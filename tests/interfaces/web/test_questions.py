"""What people come with, each answered in at most three clicks or keys from the list of runs."""

from __future__ import annotations

import pytest

MOST = 3


class Visitor:
    """Opens the list of runs and counts what it does from there."""

    def __init__(self, browser, viewer):
        self.browser = browser
        self.actions = 0
        browser.open(viewer.address)

    def click(self, selector, text=""):
        self.actions += 1
        page = self.browser.driver.current_url
        chosen = next(each for each in self.browser.all(selector) if text in each.text)
        chosen.click()
        self.browser.wait_for(lambda: self.browser.driver.current_url != page)

    def press(self, key):
        self.actions += 1
        page = self.browser.driver.current_url
        self.browser.press(key)
        self.browser.wait_for(lambda: self.browser.driver.current_url != page)

    def sees(self, *texts):
        assert self.actions <= MOST
        self.browser.wait_for(lambda: all(text in self.browser.text() for text in texts))


@pytest.fixture
def visitor(browser, viewer):
    return Visitor(browser, viewer)


def test_which_failed_on_both(visitor):
    visitor.click("#runs a", "little")
    visitor.press("b")
    visitor.sees("1 test", "hard_001")
    assert [each.text for each in visitor.browser.all(".matrix tbody th a")] == ["hard_001"]


def test_why_did_this_fail(visitor):
    visitor.click("#runs a", "little")
    visitor.press("f")
    visitor.click(".matrix tbody tr:nth-child(2) td:nth-child(3) a", "fail")
    visitor.sees("What is 2 + 2?", "expected 4", 'Read "5"')


def test_is_the_judge_right_here(visitor):
    visitor.click("#runs a", "judged")
    visitor.click(".matrix td a")
    visitor.sees("A docstring is there.", "The reason for correctness.", "O(log n)")
    assert len(visitor.browser.all("mark")) == 2


def test_what_would_guessing_score(visitor):
    visitor.click("#runs a", "little")
    visitor.sees("guessing (best baseline)", "always “B”")
