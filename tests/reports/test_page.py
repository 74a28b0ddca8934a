"""The page of a real run, in a browser: every width, both colour schemes, filters, print, size."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import assay
from assay.api.rendering import render
from assay.reports.formats.html import render_html
from assay.reports.run_report import run_document
from assay.types.results import Report
from tests.browser import BY_STYLE, Browser
from tests.reports.test_decision import decided, three

TESTS, FAILED = 1000, 599  # by one model or both
PROSE = " ".join(["every answer is text, and none of it becomes a part of the page"] * 20)
# As the answer of a model: what has become script somewhere before.
MARKUP = (
    "<script>document.title = 'owned'</script>",
    "<img src=x onerror=\"document.title = 'owned'\">",
    "</pre></details></table></main><h1>owned</h1>",
    "<svg onload=\"document.title = 'owned'\"></svg>",
    "<a href=\"javascript:document.title = 'owned'\">look</a>",
    "<style>body { display: none }</style>",
    "<iframe srcdoc=\"<script>parent.document.title = 'owned'</script>\"></iframe>",
    "{{ 7 * 7 }}{% for x in y %}",
    "]]><!--",
    '" autofocus onfocus="document.title = \'owned\'" x="',
)
# What no page of ours has.
FOREIGN = (
    "main script, main img, main iframe, main style:not(figure *), main pre *, "
    "a:not([href^='#']), [onload], [onerror], [onfocus]"
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Two models, a thousand tests, answers of 300 words, a tenth of them hostile."""
    folder = tmp_path_factory.mktemp("page")
    suite = folder / "mixed"
    suite.mkdir()
    about = {"system": "You are brief.", "version": "2.1", "weights": {"choices": 3, "words": 1}}
    (suite / "suite.json").write_text(json.dumps({"language": "en", **about}))
    for category in ("choices", "words"):
        cases = [
            {
                "id": f"{category}_{number:03d}",
                "prompt": f"Question {number} of {category}?",
                **(
                    {
                        "eval_method": "keywords",
                        "expected_keywords": ["page"],
                        "reviewed": "Ama, 2026-11-18",
                    }
                    if category == "words"
                    else {
                        "eval_method": "multiple_choice",
                        "expected": "B",
                        "choices": ["the first <b>option</b>", "second", "third"],
                    }
                ),
            }
            for number in range(TESTS // 2)
        ]
        (suite / f"{category}.json").write_text(json.dumps(cases))
    for name, right in (("careful", 9), ("hasty", 4)):
        answers = {}
        for number in range(TESTS // 2):
            said = MARKUP[number // 10 % len(MARKUP)] if number % 10 == 5 else PROSE
            letter = "B" if number % 10 < right else "C"
            answers[f"choices_{number:03d}"] = f"{said}\nAnswer: {letter}"
            answers[f"words_{number:03d}"] = PROSE if number % 10 < right else "no idea"
        fails = {"words_007": "connection reset"} if name == "hasty" else {}
        script = {"answers": answers, "fail": fails}
        (folder / f"{name}.json").write_text(json.dumps(script))
    specs = [f"scripted:{folder / name}.json" for name in ("careful", "hasty")]
    return assay.run(specs, suites=[str(suite)], out=folder / "out")


@pytest.fixture(scope="module")
def whole(run: Report) -> Path:
    return Path(run.out, "runs", run.run, "reports/report.html")


@pytest.fixture(scope="module")
def small(run: Report) -> Path:
    """Of every suite ten tests."""
    models = [
        replace(
            model,
            suites=tuple(
                replace(each, tests=(*each.tests[:10], *each.tests[-10:])) for each in model.suites
            ),
        )
        for model in run.models
    ]
    page = Path(run.out) / "small.html"
    page.write_text(render_html(run_document(replace(run, models=tuple(models)))), "utf-8")
    return page


class Matrix(HTMLParser):
    """Of each test: whether its row says that it failed, and whether its answers are there."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.failed: list[bool] = []
        self.with_answers = 0
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag == "tbody" and classes:
            self.failed.append("failed" in classes)
        self.with_answers += "more" in classes


def seen(browser: Browser, selector: str) -> list[str]:
    """The texts of those that can be seen."""
    script = (
        "return [...document.querySelectorAll(arguments[0])]"
        ".filter(each => each.checkVisibility()).map(each => each.innerText)"
    )
    return list(browser.run(script, selector))


def test_a_thousand_tests_are_less_than_3_mb_and_keep_every_failure(
    run: Report, whole: Path
) -> None:
    source = whole.read_text("utf-8")
    assert whole.stat().st_size < 3_000_000
    shown = Matrix(source)
    assert sum(shown.failed) == FAILED
    left_out = "this page has 599 of 599 failed tests, 0 of them without their answers, and {} of"
    assert left_out.format(len(shown.failed) - FAILED) in source
    assert 0 < len(shown.failed) - FAILED < TESTS - FAILED
    assert f"<code>assay view {run.run}</code>" in source


def test_one_model_with_a_thousand_short_answers_is_shown_whole(run: Report) -> None:
    short = [
        replace(each, tests=tuple(replace(row, answer="B", turns=()) for row in each.tests))
        for each in run.models[0].suites
    ]
    alone = replace(run, models=(replace(run.models[0], suites=tuple(short)),), leads=())
    source = render_html(run_document(alone))
    assert len(Matrix(source).failed) == TESTS
    assert "To stay small" not in source


def test_where_even_the_failures_are_too_much_their_rows_stay(run: Report) -> None:
    long = [
        replace(each, tests=tuple(replace(row, answer="x" * 9000) for row in each.tests))
        for each in run.models[1].suites
    ]
    alone = replace(run, models=(replace(run.models[1], suites=tuple(long)),), leads=())
    source = render_html(run_document(alone))
    assert len(source) < 3_000_000
    shown = Matrix(source)
    assert sum(shown.failed) == FAILED
    assert 200 < shown.with_answers < FAILED
    assert "[… 3,000 characters more]" in source


def test_the_page_of_checkpoints_is_less_than_1_mb(run: Report) -> None:
    source = render_html(run_document(replace(decided(three()), models=run.models)))
    assert len(source.encode()) < 1_000_000
    assert "To stay small" in source
    assert "Ship tiny/step_300." in source


@pytest.mark.parametrize(("width", "dark"), [(400, False), (1280, True), (1600, False)])
def test_the_page_fits_every_window_and_axe_finds_nothing_serious(
    browser: Browser, small: Path, width: int, dark: bool
) -> None:
    browser.show(width, dark=dark)
    browser.open(small.as_uri())
    assert not browser.scrolls_sideways()
    browser.unfold_all()
    assert not browser.scrolls_sideways()
    if width != 1600:  # a light page and a dark one; axe finds the same in a wider window
        assert browser.find_faults(*(BY_STYLE if dark else ())) == []
    assert browser.complaints() == []


def test_the_headline_the_scores_and_the_failures_are_what_one_sees_first(
    browser: Browser, small: Path
) -> None:
    browser.open(small.as_uri())
    assert browser.driver.title == "mixed: careful, hasty"
    (headline,) = seen(browser, "h1")
    assert headline == "careful leads hasty by 50.0 points [46.4–53.3] on mixed."
    assert seen(browser, ".decision .part") == ["Why", "Caveats", "Next"]
    contents = ["Failures that matter most", "Each model", "Every test"]
    assert seen(browser, "nav a") == contents
    assert seen(browser, "h2") == contents
    for link in browser.run("return [...document.querySelectorAll('nav a')].map(a => a.hash)"):
        assert browser.run("return document.querySelector(arguments[0]).tagName", link) == "H2"


def test_filters_leave_what_failed_differs_or_is_of_a_category(
    browser: Browser, small: Path
) -> None:
    browser.open(small.as_uri())
    tests = ".matrix tbody:not(:empty) > tr:first-child th"
    every = seen(browser, tests)
    assert len(every) == 20
    browser.run("document.getElementById('show-differ').click()")
    differ = seen(browser, tests)
    assert differ == [test for test in every if "0" not in browser_outcome(browser, test)]
    assert 0 < len(differ) < len(every)
    browser.run("document.querySelector('input[name=show]').click()")
    browser.run("document.querySelector('select').value = 'g0'")
    (first,) = {test.split("_")[0] for test in seen(browser, tests)}
    assert first in ("choices", "words")
    assert len(seen(browser, tests)) == 10


def test_a_search_finds_words_of_questions_and_answers(browser: Browser, small: Path) -> None:
    browser.open(small.as_uri())
    tests = ".matrix tbody > tr:first-child th"
    browser.find("[type=search]").send_keys("Question 1 of  CHOICES")
    assert "choices_001" in seen(browser, tests)
    assert {test.split("_")[0] for test in seen(browser, tests)} == {"choices"}
    assert seen(browser, "output") == [f"{len(seen(browser, tests))} / 20"]
    browser.run("document.getElementById('show-differ').click()")
    assert "choices_001" not in seen(browser, tests), "both filters count"


def test_without_scripts_everything_can_be_read(browser: Browser, small: Path) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(small.as_uri())
        text = browser.text()
        assert not browser.find("[type=search]").is_displayed(), "it would find nothing"
        for said in (
            "careful leads hasty by 50.0 points",
            "Failures that matter most",
            "answered: no idea",
        ):
            assert said in text
        shown = [each for each in browser.all(".matrix tbody") if each.is_displayed()]
        assert len(shown) == 20
        browser.find("label:has(#show-failed)").click()
        assert sum(each.is_displayed() for each in shown) < 20, "filters are of the style"
        browser.find(".more summary").click()
        assert browser.find(".more pre").is_displayed()
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def browser_outcome(browser: Browser, test: str) -> str:
    """ "" where the models' cells differ, "0" where they are equal."""
    script = (
        "const row = [...document.querySelectorAll('.matrix tr')]"
        ".find(each => each.cells[0].innerText === arguments[0]);"
        "const words = [2, 3].map(place => row.cells[place].textContent.trim().split(/[ ]\\d/)[0]);"
        "return words[0] === words[1] ? '0' : ''"
    )
    return str(browser.run(script, test))


def test_a_question_is_shown_as_it_was_asked_with_its_options(
    browser: Browser, small: Path
) -> None:
    browser.open(small.as_uri())
    browser.unfold_all()
    # An opened fold is drawn a moment later on a busy machine.
    asked = browser.wait_for(
        lambda: [text for text in seen(browser, ".more pre") if "Question 1 of choices" in text]
    )
    assert asked[0] == (
        "system: You are brief.\n\nuser: Question 1 of choices?\n"
        "A. the first <b>option</b>\nB. second\nC. third"
    )


def test_no_answer_becomes_markup_or_runs(browser: Browser, whole: Path) -> None:
    browser.open(whole.as_uri())
    browser.unfold_all()
    assert browser.driver.title == "mixed: careful, hasty"
    script = "return document.querySelectorAll(arguments[0]).length"
    assert browser.run(script, FOREIGN) == 0
    # As text of the page, whether it is drawn already or not: a thousand folds take their time.
    script = "return [...document.querySelectorAll('.more pre')].map(each => each.textContent)"
    answers = "\n".join(browser.run(script))
    assert [each for each in MARKUP if each not in answers] == []
    assert browser.complaints() == []


def test_printing_gives_pages(browser: Browser, small: Path) -> None:
    browser.open(small.as_uri())
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {})
    sheet = base64.b64decode(printed["data"])
    assert sheet.startswith(b"%PDF-")
    assert sheet.count(b"/Type /Page\n") >= 2


def test_a_leaderboard_can_be_published(browser: Browser, run: Report) -> None:
    board = assay.api.leaderboard(out=Path(run.out))
    page = Path(run.out) / "leaderboard.html"
    page.write_text(render(board, "html"), "utf-8")
    browser.show(400)
    browser.open(page.as_uri())
    assert not browser.scrolls_sideways()
    assert browser.find_faults() == []
    assert browser.complaints() == []
    text = " ".join(browser.text().split())
    assert text.startswith("Leaderboard: mixed")
    assert "is first on mixed with" in text.partition(f"2 models, as of {run.created[:10]}")[0]
    assert "version 2.1 · tests reviewed by a person: 500 of 1,000" in text
    assert "by weight: choices 3, words 1." in text
    rows = [row.split("\t") for row in seen(browser, "tbody tr")]
    assert [row[1] for row in rows] == ["careful", "hasty", "guessing"]
    assert all(row[3].startswith("[") for row in rows)
    assert rows[2][2] == "75.0"  # always B
    browser.run("document.querySelector('details').open = true")
    assert f"assay run {run.models[0].spec}" in browser.text()
