"""Reports as Markdown."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from assay.reports import markdown
from assay.reports.performance import performance
from assay.results import Comparison, Leaderboard, Report


def test_a_report_has_every_figure_and_every_test(report: Report) -> None:
    text = markdown.report(report)
    for line in (
        "# Run 20260102T030405Z-abc123",
        "## scripted:good.json",
        "### demo – A small suite",
        r"**score 72.5 points \[61.0–81.4\] n=38, 2 unscored**",
        r"| facts | 0.800 | \[0.490–0.943\] | 10 | 0 |  |",
        "| judged | not measured | – | 0 | 5 | incomplete |",
        r"| always “B” | 25.0 points | \[15.0–40.0\] | 38 | 0 |  |",
        "| facts_003 | facts | failed | – | timed out after 120 s |",
        "The same again: `assay run scripted:good.json -s demo`",
    ):
        assert line in text.splitlines()


def test_a_comparison_has_its_verdict_differences_and_flips(comparison: Comparison) -> None:
    text = markdown.comparison(comparison)
    for line in (
        "## scripted:good.json against scripted:weak.json",
        "**The second is better (p = 0.039).**",
        r"| points | 60.0 | 72.5 | \+12.5 \[−1.0 to +24.0\] | 40 | \< 0.001 |",
        "| facts_009 | facts | pass 1.00 | no answer 0.00 |",
    ):
        assert line in text.splitlines()


def test_a_leaderboard_is_a_table(leaderboard: Leaderboard) -> None:
    text = markdown.leaderboard(leaderboard)
    row = r"| =2 | fair | 70.0 | \[61.0–79.0\] | 40 | 0 | run-a | 2026-01-02T03:04:05Z |"
    assert row in text.splitlines()


def test_performance_says_what_was_not_measured(report: Report) -> None:
    text = performance(report)
    assert "9 answers, 1 failed for good." in text
    assert r"| seconds per answer, 95th percentile | 1.900 s | \[0.500–?\] | 9 | 0 |  |" in text
    assert "| tokens out per second | not measured | – | 0 | 0 |  |" in text


def rendered_kinds(text: str) -> set[str]:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    kinds = {token.type for token in tokens}
    return kinds | {child.type for token in tokens for child in token.children or []}


@pytest.mark.parametrize(
    ("which", "render"),
    [
        ("hostile_report", markdown.report),
        ("hostile_report", performance),
        ("hostile_comparison", markdown.comparison),
        ("hostile_leaderboard", markdown.leaderboard),
    ],
)
def test_hostile_text_stays_words_in_its_place(
    which: str, render: object, request: pytest.FixtureRequest
) -> None:
    assert callable(render)
    text = render(request.getfixturevalue(which))
    assert not rendered_kinds(text) & {"html_block", "html_inline", "image", "link_open", "fence"}
    assert not set(text) & {"\x1b", "\u202e", "\x07", "\ud800"}


def test_hostile_text_adds_no_column_and_no_row(hostile_report: Report, report: Report) -> None:
    def rows(of: Report) -> list[int]:
        page = MarkdownIt("commonmark").enable("table").parse(markdown.report(of))
        return [sum(t.type == kind for t in page) for kind in ("table_open", "h1", "heading_open")]

    assert rows(hostile_report) == rows(report)
    for line in markdown.report(hostile_report).splitlines():
        if line.startswith("| ") and "owned" in line:
            assert line.replace(r"\|", "").count("|") in (6, 7)
