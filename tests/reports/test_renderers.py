"""Every block in every renderer, with hostile text in every place that takes text."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from assay.reports.formats.html import render_html
from assay.reports.formats.markdown import render_markdown
from assay.reports.formats.terminal import console_for, draw, render_text
from assay.types.documents import (
    Beside,
    Bullets,
    Column,
    Document,
    Figures,
    Files,
    Fold,
    Heading,
    Hint,
    Item,
    Note,
    Paragraph,
    Picture,
    Row,
    Span,
    Table,
    Verbatim,
    sign,
    table,
)
from tests.reports.conftest import HOSTILE, nothing, share


def drawing() -> str:
    return '<svg xmlns="http://www.w3.org/2000/svg"></svg>'


def every_block(text: str) -> Document:
    table = Table(
        columns=(
            Column(head=text),
            Column(head="value", align="right"),
            Column(head="", align="left"),
            Column(head="least", align="right", weight=1),
        ),
        rows=(
            Row(
                (
                    Span(text, "name"),
                    ("1.5", Span(" [1.0–2.0]", "basis"), Span(" n=4", "count")),
                    sign(True),
                    "7",
                ),
                details=(Fold(text, (Verbatim(text, title=text),)),),
            ),
            Row((text, "–", sign(None), "8"), tone="strong"),
        ),
    )
    return Document(
        title=text,
        out="/out",
        blocks=(
            Heading(text, 1),
            Heading((text, Span(" accepted", "good"))),
            Paragraph(text, "strong"),
            Paragraph((text, Span("assay run x", "code"))),
            Note(text),
            Hint(text),
            Bullets((text, Item(text, (text,))), numbered=True),
            Verbatim(text),
            Files(("a/b.json", text)),
            table,
            Figures(((text, share(0.8, 0.4, 0.9, 10)), ("none", nothing("share", 2)))),
            Picture(title=text, draw=drawing, path="p.svg"),
            Fold(text, (Paragraph("inside the fold"),)),
            Beside(((text, (Verbatim(text),)), ("two", (Paragraph("second part"),)))),
        ),
    )


class Tags(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("verbose", [False, True])
def test_a_terminal_obeys_no_text(width: int, verbose: bool) -> None:
    text = render_text(every_block(HOSTILE), width=width, verbose=verbose)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800]", text)
    assert "[red]markup[/red]" in re.sub(r"\s+", " ", text)


def test_markdown_takes_no_text_for_markup() -> None:
    def kinds(text: str) -> list[str]:
        tokens = MarkdownIt("commonmark").enable("table").parse(render_markdown(every_block(text)))
        inside = [child.type for token in tokens for child in token.children or []]
        kept = ("heading_open", "table_open", "th_open", "link_open", "html_inline", "image")
        return [kind for kind in [t.type for t in tokens] + inside if kind in kept]

    assert kinds(HOSTILE) == kinds("plain")


def test_a_page_takes_no_text_for_a_tag() -> None:
    source = render_html(every_block(HOSTILE))
    assert Tags(source).tags == Tags(render_html(every_block("plain"))).tags
    assert "{{ 7*7 }}" in source
    assert not set(source) & {"\x1b", "\u202e", "\x07", "\x9b"}


def test_folds_and_details_are_shown_on_a_terminal_only_when_asked_for() -> None:
    document = every_block("plain")
    assert "inside the fold" not in render_text(document, width=80)
    assert "inside the fold" in render_text(document, width=80, verbose=True)
    assert "inside the fold" in render_markdown(document)
    assert "inside the fold" in render_html(document)


def test_a_narrow_terminal_breaks_a_table_and_keeps_names_and_intervals() -> None:
    document = every_block("a name")
    for width in (80, 30, 20):
        text = render_text(document, width=width)
        drawn = [line for line in text.splitlines() if "assay run" not in line]
        assert max(map(len, drawn)) <= width
        assert "n=4" in text
        assert "a name" in text


def suites_beside_models(*, suites: int) -> Table:
    figure = ("72.5", Span(" [61.0–81.4] n=300", "basis"))
    names = ("medium_150M/step_100000", "medium_150M/step_150000", "baseline: always “B”")
    heads = ("", *(f"suite{number}, points" for number in range(suites)))
    rows = [(name, *(figure for _ in range(suites))) for name in names]
    return table(heads, rows, right=range(1, suites + 1))


@pytest.mark.parametrize(("width", "suites"), [(80, 5), (80, 9), (60, 5), (120, 5), (200, 5)])
def test_every_part_of_a_wide_table_has_the_names_and_whole_headings(
    width: int, suites: int
) -> None:
    stream = io.StringIO()
    draw([suites_beside_models(suites=suites)], console_for(stream, width=width))
    text = stream.getvalue()
    lines = text.splitlines()
    parts = sum(line.startswith("─") for line in lines) or 1
    for name in ("medium_150M/step_100000", "medium_150M/step_150000", "baseline: always “B”"):
        assert sum(line.startswith(name) for line in lines) == parts
    for number in range(suites):
        assert len(re.findall(rf"suite{number},", text)) in (1, 3)  # once, or under each name
    assert text.count("points") in (suites, 3 * suites)
    assert text.count("[61.0–81.4]") == 3 * suites
    assert max(map(cell_len, lines)) <= width


def test_markdown_links_files_and_pictures_from_the_page() -> None:
    text = render_markdown(every_block("plain"), out="results")
    assert "- [a/b.json](results/a/b.json)" in text
    assert "![plain](results/p.svg)" in text
