"""The HTML page: self-contained, and no text of a model becomes markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

from assay.api.rendering import render_part
from assay.reports.formats.html import render_blocks, render_html
from assay.reports.run_report import run_document
from assay.types.documents import Document, Fold, Note, Verbatim
from assay.types.results import Report
from tests.reports.judged_run import judged_run


def page_of(report: Report) -> str:
    return render_html(run_document(report))


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
    page = Page(page_of(report))
    for text in (
        "72.5 points",
        "[0.490–0.943]",
        "2 incomplete",
        "baseline: always “B”",
        "facts_003",
        "timed out after 120 s",
        "9 answers",
        "not measured",
    ):
        assert text in page.texts


def test_folds_and_answers_are_drawn_with_every_value_escaped() -> None:
    hostile = "<b>&\u202e\x1b[0m'\""
    inside = (Verbatim(hostile, title=hostile), Fold(hostile, (Note(hostile),), open=False))
    drawn = render_blocks(Document("", (Fold(hostile, inside), Verbatim("after"))))
    assert drawn.count("<details>") == 2
    assert drawn.count("<pre>") == 2
    assert drawn.count("&lt;b&gt;&amp;") == 5
    assert "<b>" not in drawn
    assert "\u202e" not in drawn


def test_intervals_are_drawn_as_pictures_with_words_beside(report: Report) -> None:
    source = page_of(report)
    # six shares and points with an interval; seconds and empty ones have no scale to lie on
    assert source.count("<svg") == 6
    assert 'aria-label="0.800 [0.490–0.943] n=10"' in source
    assert 'cx="156.4"' in source


def test_the_page_loads_nothing_and_runs_its_own_script_alone(report: Report) -> None:
    page = Page(page_of(report))
    assert page.tags.count("script") == 1, "its own, which the policy names by its hash"
    assert not set(page.tags) & {"link", "img", "iframe", "object", "form", "base"}
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert all((to or "").startswith("#part-") for name, to in page.attributes if name == "href")
    assert not re.search(r"https?:|@import|url\(", page_of(report))


def test_hostile_text_adds_no_tag_and_is_no_template(
    hostile_report: Report, compared_report: Report
) -> None:
    source = page_of(hostile_report)
    assert set(Page(source).tags) <= {*Page(page_of(compared_report)).tags, "br"}
    assert "&lt;script&gt;" in source
    assert "{{ 7*7 }}" in source
    source.encode("utf-8")
    assert not set(source) & {"\x1b", "\u202e", "\x07", "\x9b"}


def test_repeats_are_on_the_page(repeated_report: Report) -> None:
    assert "try 1" in page_of(repeated_report)


def test_an_accepted_model_is_called_so(report: Report) -> None:
    model = replace(report.models[0], accepted=False)
    assert "not accepted" in page_of(replace(report, models=(model,)))


def test_the_page_says_what_asked_whom_and_how_quick_it_was(served_report: Report) -> None:
    texts = Page(page_of(served_report)).texts
    for text in (
        "Machine: Linux 6.1 · Some CPU · 8 cores · 16.0 GiB · Some GPU, 24 GiB · python 3.11.9 · "
        "assay 0.2.0",
        "server: Ollama 0.17.4 · quantisation: Q4_K_M",
        "memory: 4.0 GiB · on the GPU: 75 %, the rest on the CPU · context length: 4,096 tokens",
        "The context was cut to 4,096 tokens.",
        "seconds per answer",
        "decode tokens per second, warm",
        "Decode speeds are by the server's figures.",
        "Why answers ended: stop 7, length 1, not reported 1.",
    ):
        assert text in texts
    assert "other seconds at the server, mean" not in texts, "it was not measured"


def test_a_part_of_a_page_has_no_head_and_its_pictures_apart(report: Report) -> None:
    part = render_part(replace(report, judged=judged_run()), "judging")
    assert "<html" not in part.html
    assert "<style" not in part.html
    assert "How far the judge is from known scores" in part.html
    whole = render_part(report)
    assert "<svg xmlns" not in whole.html
    assert Page(whole.html).tags.count("h1") == 0
    assert Page(whole.card).tags.count("h1") == 1, "the decision"
    assert whole.title in page_of(report)
    assert render_part(report, "decision").html.strip() == ""
