"""The HTML page: self-contained, and no text of a model becomes markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from assay.reports import html
from assay.reports.pictures.quality import LEFT, RIGHT, WIDTH, pictures
from assay.types.results import Report
from tests.reports.conftest import nothing, speed


class Page(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def test_the_page_shows_every_figure_and_every_test(report: Report) -> None:
    page = Page(html.report(report))
    for text in (
        "score 72.5 points [61.0–81.4] n=38, 2 unscored",
        "[0.490–0.943]",
        "2 incomplete",
        "always “B”",
        "facts_003",
        "timed out after 120 s",
        "9 answers, 1 failed for good.",
        "not measured",
    ):
        assert text in page.texts


def test_intervals_are_drawn_as_pictures_with_words_beside(report: Report) -> None:
    source = html.report(report)
    # five shares and points with an interval; seconds and empty ones have no scale to lie on
    assert source.count("<svg") == 5
    assert 'aria-label="0.800 [0.490–0.943] n=10"' in source
    assert 'cx="156.4"' in source


def test_the_page_loads_nothing_and_runs_nothing(report: Report) -> None:
    page = Page(html.report(report))
    assert not set(page.tags) & {"script", "link", "img", "iframe", "object", "form", "a", "base"}
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert not re.search(r"https?:|@import|url\(", html.report(report))


def test_hostile_text_adds_no_tag_and_is_no_template(
    hostile_report: Report, compared_report: Report
) -> None:
    source = html.report(hostile_report)
    assert set(Page(source).tags) <= set(Page(html.report(compared_report)).tags)
    assert "&lt;script&gt;" in source
    assert "{{ 7*7 }}" in source
    source.encode("utf-8")
    assert not set(source) & {"\x1b", "\u202e", "\x07", "\x9b"}


def test_repeats_are_on_the_page(repeated_report: Report) -> None:
    assert "try 1" in html.report(repeated_report)


def test_an_accepted_model_is_called_so(report: Report) -> None:
    model = replace(report.models[0], accepted=False)
    assert "not accepted" in html.report(replace(report, models=(model,)))


def test_the_page_says_what_asked_whom_and_how_quick_it_was(served_report: Report) -> None:
    texts = Page(html.report(served_report)).texts
    for text in (
        "Machine: Linux 6.1 · Some CPU · 8 cores · 16.0 GiB · Some GPU, 24 GiB",
        "server: Ollama 0.17.4 · quantisation: Q4_K_M",
        "memory: 4.0 GiB · on the GPU: 75 %, the rest on the CPU · context length: 4,096 tokens",
        "The context was cut to 4,096 tokens.",
        "seconds per answer",
        "decode tokens per second, warm",
        "Decode speeds are by the server's clock.",
        "Why answers ended: stop 7, length 1, not told 1.",
    ):
        assert text in texts
    assert "seconds waiting at the server, mean" not in texts, "it was not measured"


# ------------------------------------------------------------------------------ quality and speed


def circles(source: str) -> list[tuple[float, float]]:
    found = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="9"', source)
    return [(float(x), float(y)) for x, y in found]


def test_two_models_are_drawn_by_quality_and_speed(compared_report: Report) -> None:
    source = html.report(compared_report)
    (good, quick) = circles(source)
    assert good[0] < quick[0], "quicker is further right"
    assert good[1] < quick[1], "better is further up"
    # 41.5 of a scale to 100 across 574 units, 72.5 of 100 over 278 units
    assert good[0] == pytest.approx(46 + 0.415 * 574, abs=0.06)
    assert good[1] == pytest.approx(294 - 0.725 * 278, abs=0.06)
    texts = Page(source).texts
    assert "decode tokens per second, by the server's clock (further right is faster)" in texts
    assert "83.0 tokens/s [74.7–91.3] n=8" in texts
    assert "40.0 points [30.0–52.0] n=40" in texts


def test_whiskers_are_the_intervals(compared_report: Report) -> None:
    source = html.report(compared_report)
    low, high = 294 - 0.61 * 278, 294 - 0.814 * 278
    assert f'y1="{low:.1f}" y2="{high:.1f}"' in source


def test_one_model_alone_is_no_picture(served_report: Report) -> None:
    assert circles(html.report(served_report)) == []


def test_two_clocks_are_never_on_one_axis(compared_report: Report) -> None:
    first, second = compared_report.models
    other = replace(second, performance=replace(second.performance, decode_clock="client"))
    source = html.report(replace(compared_report, models=(first, other)))
    assert "seconds per answer, mean (further left is faster)" in Page(source).texts
    assert len(circles(source)) == 2


def test_a_model_without_a_speed_or_a_score_is_named_and_not_drawn(
    compared_report: Report,
) -> None:
    first, second = compared_report.models
    untimed = replace(second.performance, decode_clock=None, seconds_mean=nothing("s"))
    third = replace(second, spec="scripted:untimed", performance=untimed)
    source = html.report(replace(compared_report, models=(first, second, third)))
    assert len(circles(source)) == 2
    missing = "Not drawn, because a score or a speed is missing: scripted:untimed"
    assert missing in Page(source).texts


def test_an_incomplete_score_is_a_hollow_dot(compared_report: Report) -> None:
    first, second = compared_report.models
    suite = replace(second.suites[0], score=replace(second.suites[0].score, unscored=30))
    changed = replace(second, suites=(suite,))
    source = html.report(replace(compared_report, models=(first, changed)))
    assert source.count('fill="Canvas"') == 1
    assert "A hollow dot is an incomplete score." in source
    assert "hollow" not in html.report(compared_report)


@pytest.mark.parametrize("fastest", [0.004, 0.7, 3.0, 61.0, 100.0, 12_345.0, 1e15])
def test_every_dot_and_whisker_stays_inside_the_picture(
    compared_report: Report, fastest: float
) -> None:
    first, second = compared_report.models
    decode = replace(second.performance.decode, all=speed(fastest))
    changed = replace(second, performance=replace(second.performance, decode=decode))
    (picture,) = pictures(replace(compared_report, models=(first, changed)))
    for dot in picture.dots:
        across = [float(dot.x_low), float(dot.x), float(dot.x_high)]
        assert across == sorted(across)
        assert LEFT <= across[0] <= across[2] <= WIDTH - RIGHT
    assert 2 <= len(picture.across) <= 8
