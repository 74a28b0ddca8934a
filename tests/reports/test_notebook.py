"""What results show of themselves: one line, a small page, frames and figures."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from assay.errors import UsageError
from assay.reports.formats.notebook import (
    ComparisonResult,
    DriftResult,
    JudgeCheckResult,
    LeaderboardResult,
    RunResult,
    shown,
)
from assay.text.safe_text import one_line
from assay.types.judging.cards import CardMark, JudgeCard, JudgeCheck
from assay.types.measured.drift import Drift, DriftLimits, FlippedToken, ModelDrift
from assay.types.results import Report
from tests.reports.conftest import HOSTILE, share

LONGEST_REPR = 400
LARGEST_PAGE = 60_000


def drifted() -> Drift:
    figure = share(0.5, 0.4, 0.6, 9)
    names = ("kl", "kl_median", "kl_p99", "same_top", "perplexity", "perplexity_ratio")
    flip = FlippedToken(
        place=1, before=HOSTILE, follows="x", base="a", base_share=0.5, other="b",
        other_share=0.4, kl=0.1,
    )  # fmt: skip
    model = ModelDrift(
        model=HOSTILE, **dict.fromkeys(names, figure), flipped=300, flips=(flip,) * 300, blocks=()
    )
    return Drift(
        base="base", text="text", tokens=9, documents=1, window=9, perplexity=figure,
        models=(model,),
        limits=DriftLimits(), weights={},
    )  # fmt: skip


def checked() -> JudgeCheck:
    card = JudgeCard(
        judge=HOSTILE, name="judge", fingerprint="f", digest="d", made="2026-11-17T00:00:00Z",
        form="reasoned",
        marks=(CardMark(name="order", estimate=share(0.9, 0.8, 1.0, 40), limit=0.8),),
    )  # fmt: skip
    return JudgeCheck(card=card, file="card.json")


@pytest.fixture
def large_report(hostile_report: Report) -> Report:
    """A thousand tests with long answers."""
    model = hostile_report.models[0]
    suite = model.suites[0]
    tests = tuple(
        replace(suite.tests[0], id=f"facts_{n:04}", answer="word " * 1000) for n in range(1000)
    )
    return replace(hostile_report, models=(replace(model, suites=(replace(suite, tests=tests),)),))


KINDS = ("large_report", "served_report", "comparison", "leaderboard", "drift", "judge")


@pytest.fixture(params=KINDS)
def result(request):
    made = {"drift": drifted, "judge": checked}.get(request.param)
    found = made() if made else request.getfixturevalue(request.param)
    return shown(found)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name == "style"]


def test_every_result_is_one_short_line(result):
    said = repr(result)
    assert said.startswith("<Assay ")
    assert len(said) <= LONGEST_REPR
    assert said.isprintable()


def test_its_page_is_small_escaped_and_has_no_colours_of_its_own(result):
    page = result._repr_html_()
    tags = Tags()
    tags.feed(page)
    table = {"table", "thead", "tbody", "tr", "th", "td", "div", "span", "small", "code"}
    assert tags.seen <= {"p", "strong", "img", "ul", "li", *table}
    assert "table" in tags.seen
    assert len(page) < LARGEST_PAGE
    assert page.index("<strong>") < page.index("<table>")


def test_its_document_is_json_and_has_the_headline(result):
    document = result.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["headline"]
    assert one_line(result.headline) in one_line(document["headline"])


def test_every_frame_can_be_made(result):
    for name in result.frames:
        frame = result.to_pandas(name)
        assert len(frame.columns) == len(set(frame.columns))


def test_frames_have_the_documented_columns(compared_report, comparison, leaderboard):
    run = RunResult.of(compared_report)
    tests = run.to_pandas()
    assert list(tests.columns[:4]) == ["model", "suite", "id", "category"]
    assert len(tests) == sum(len(s.tests) for m in run.models for s in m.suites)
    suites = run.to_pandas("suites")
    assert {"model", "suite", "score", "score_low", "score_high", "score_n"} <= set(suites.columns)
    assert len(suites) == sum(len(m.suites) for m in run.models)
    compared = ComparisonResult.of(comparison).to_pandas()
    assert {"a_model", "b_model", "suite", "difference", "difference_low", "p_value"} <= set(
        compared
    )
    ranked = LeaderboardResult.of(leaderboard).to_pandas()
    assert {"suite", "rank", "model", "score", "score_low"} <= set(ranked.columns)
    assert len(ranked) == sum(len(each.rows) for each in leaderboard.suites)
    assert DriftResult.of(drifted()).to_pandas("flips")["model"].nunique() == 1
    assert JudgeCheckResult.of(checked()).to_pandas()["name"].tolist() == ["order"]


def test_a_run_without_tests_has_an_empty_frame_with_the_usual_columns(report):
    frame = RunResult.of(replace(report, models=())).to_pandas()
    assert list(frame.columns[:3]) == ["model", "suite", "id"]
    assert frame.empty


def test_a_frame_that_does_not_exist_is_refused_with_those_that_do(report):
    with pytest.raises(UsageError, match="suites"):
        RunResult.of(report).to_pandas("suite")


def test_figures_are_svg_by_their_title(compared_report):
    figures = RunResult.of(compared_report).figures()
    assert figures
    assert all(svg.startswith("<svg") for svg in figures.values())
    assert "data:image/svg+xml" in RunResult.of(compared_report)._repr_html_()
