"""The pages on which people compare, choose and review, in a browser, over a real store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from assay import api
from assay.interfaces.web.compare import sides_to_compare
from assay.types.views import RunRow
from tests.browser import BY_STYLE, Browser
from tests.interfaces.web.conftest import Viewer, view
from tests.interfaces.web.judged_store import fill_store
from tests.workflow.judged_work import Court

PAGES = ("/runs/latest/review?author=Ama", "/compare", "/checkpoints", "/leaderboard", "/judge")


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Court:
    return fill_store(tmp_path_factory.mktemp("people"))


@pytest.fixture(scope="module")
def people(court: Court) -> Iterator[Viewer]:
    with view(court) as started:
        yield started


class Steps:
    """What a person does from the first page on, counted."""

    def __init__(self, browser: Browser, viewer: Viewer) -> None:
        self.browser = browser
        self.taken = 0
        browser.open(viewer.address)

    def click(self, text: str, inside: str = "a") -> Steps:
        found = [each for each in self.browser.all(inside) if text in each.text]
        assert found, f"no {inside} with {text!r} on\n{self.browser.text()}"
        leave(self.browser, found[0].click)
        self.taken += 1
        return self

    def sees(self, *texts: str) -> bool:
        return all(text in self.browser.text() for text in texts)


def test_the_page_of_checkpoints_names_the_gate_that_decided(people: Viewer, court: Court) -> None:
    gate = court.folder / "gate.toml"
    assert f"<h2>At the gate {gate}</h2>" in people.ask("/checkpoints").text


def leave(browser: Browser, action: Callable[[], None]) -> None:
    """Do what leads to another page, and wait for it."""
    browser.run("window.old = true")
    action()
    loaded = "return !window.old && document.readyState === 'complete'"
    browser.wait_for(lambda: browser.run(loaded))


def reviews(court: Court) -> Any:
    return json.loads(api.render(api.report(out=court.out), "json")).get("reviews")


# ------------------------------------------------------------------------------ people's questions


def test_is_the_judge_right_here(browser: Browser, people: Viewer) -> None:
    steps = Steps(browser, people).click("Judge").click("own_001")
    assert steps.sees("A docstring is there.", "✓ yes", "The reason for correctness.")
    assert "def find():" in browser.find("mark").text
    assert steps.taken <= 3


def test_what_changed_since_yesterday(browser: Browser, people: Viewer) -> None:
    steps = Steps(browser, people).click("Compare")
    assert steps.sees("is better than", "7 tests flipped", "sum_001")
    steps.click("sum_001")
    assert [each.text for each in browser.all("#answers del, #answers ins")] == ["2", "3"]
    assert steps.taken <= 3


def test_which_checkpoint(browser: Browser, people: Viewer) -> None:
    steps = Steps(browser, people).click("Checkpoints")
    assert browser.find("h1").text.startswith("Ship training/step_")
    assert steps.sees("perplexity passes", "selected")
    width = browser.run("return document.querySelector('figure.picture img').naturalWidth")
    assert width > 0
    assert steps.taken <= 3


def test_what_would_guessing_score(browser: Browser, people: Viewer) -> None:
    steps = Steps(browser, people).click("Leaderboard")
    assert steps.sees("guessing", "Guessing is the best of")
    assert steps.taken <= 3


# ------------------------------------------------------------------------------- reviewing


def test_a_review_goes_from_the_queue_to_the_report_by_keys_alone(
    browser: Browser, people: Viewer, court: Court
) -> None:
    browser.open(f"{people.address}/runs/latest/review?author=Kofi")
    assert "20" in browser.find("a[data-key=r]").text
    leave(browser, lambda: browser.press("r"))
    answer = browser.driver.current_url
    assert "unscored" in browser.find("h1").text
    assert not any(name in browser.text() for name in ("model.json", "other.json"))
    browser.press("7", "6", "t", "w")
    browser.press("It works, and is short.")
    leave(browser, lambda: browser.press("\ue00c", "s"))  # Escape, save
    assert browser.driver.current_url != answer, browser.text()
    leave(browser, lambda: browser.press("n"))
    assert "failed" in browser.find("h1").text
    leave(browser, lambda: browser.press("a"))
    shown = reviews(court)
    assert shown["reviewers"] == {"Kofi": 2}
    (row,) = [each for each in shown["suites"] if each["changed"]]
    assert row["people"]["n"] == row["machine"]["n"] + 1
    browser.open(f"{people.address}/runs/latest/review?author=Kofi")
    assert "Kofi (2)" in browser.text()
    leave(browser, lambda: browser.press("z"))
    assert "Kofi (1)" in browser.text()
    assert reviews(court)["reviewers"] == {"Kofi": 1}
    assert browser.complaints() == []


def test_a_correction_without_a_reason_waits_for_one(
    browser: Browser, people: Viewer, court: Court
) -> None:
    browser.open(f"{people.address}/runs/latest/review?author=Esi")
    links = [each for each in browser.all(".card a") if "sum_" in each.text]
    leave(browser, links[0].click)
    here = browser.driver.current_url
    browser.press("p", "s")
    assert browser.driver.current_url == here
    assert browser.run("return document.activeElement.name") == "reason"
    assert "Esi" not in (reviews(court) or {}).get("reviewers", {})


def test_a_review_is_stored_only_with_the_token_of_the_page(people: Viewer, court: Court) -> None:
    item = api.review_queue(out=court.out).items[-1].id
    path = f"/runs/latest/review/{item}"
    form = {"author": "Eve", "do": "accept"}
    assert people.ask(path, "POST", urlencode(form)).status == 403
    page = people.ask(path).text
    token = page.partition('name="csrf" value="')[2].partition('"')[0]
    hostile = {"author": "<b>\x1b[31mEve", "do": "accept", "csrf": token}
    refused = people.ask(path, "POST", urlencode(hostile)).text
    assert "visible characters" in refused
    assert "<b>" not in refused.partition("Your review")[2]
    assert "Eve" not in str(reviews(court))
    assert people.ask(path, "POST", urlencode({**form, "csrf": token})).status == 303
    assert "Eve" in reviews(court)["reviewers"]
    assert people.ask("/runs/latest/review/nothing").status == 400
    assert "no run in" in people.ask("/leaderboard?suite=nothing").text
    assert people.ask("/judge?run=nothing").status == 404


# ------------------------------------------------------------------------------- all pages


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_accessible_narrow_and_dark(
    browser: Browser, people: Viewer, path: str
) -> None:
    browser.open(people.address + path)
    assert browser.find_faults() == []
    browser.show(width=400, dark=True)
    assert not browser.scrolls_sideways()
    assert browser.find_faults(*BY_STYLE) == []
    assert len(browser.all("h1")) == 1
    assert browser.complaints() == []


def test_the_answer_to_review_is_accessible_and_text(browser: Browser, people: Viewer) -> None:
    Steps(browser, people).click("Judge").click("own_001")
    assert "<img src=x onerror=alert(1)><script>alert(2)</script>" in browser.text()
    assert browser.find_faults() == []
    browser.show(width=400, dark=True)
    assert not browser.scrolls_sideways()
    assert browser.find_faults(*BY_STYLE) == []
    assert browser.complaints() == []


def test_what_is_compared_where_nobody_says() -> None:
    def run(name: str, *specs: str, suite: str = "s") -> RunRow:
        return RunRow(
            id=name, created="", finished="", models=specs, specs=specs,
            suites=(suite,), planned=1, answered=1, repeats=1, command="", decided=False,
            judged=False,
        )  # fmt: skip

    new, other, old = run("3", "b", "a"), run("2", "c"), run("1", "a")
    assert sides_to_compare([new, other, old]) == ("1/a", "3/a")  # the same model, before
    assert sides_to_compare([new, other]) == ("2/c", "3/b")  # else the same suite
    assert sides_to_compare([new, run("2", "a", suite="t")]) == ("3/b", "3/a")  # else its own two
    assert sides_to_compare([new, other, old], "2") == ("1/a", "2/c")
    assert sides_to_compare([old]) == sides_to_compare([]) == ("", "")
