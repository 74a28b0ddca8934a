"""Every block in every renderer, with hostile text in every place that takes text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from assay.reports.formats.html import render_html
from assay.reports.formats.markdown import render_markdown
from assay.reports.formats.terminal import render_text
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
                (Span(text, "name"), ("1.5", Span(" [1.0–2.0] n=4", "basis")), sign(True), "7"),
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


def test_a_narrow_terminal_leaves_out_the_basis_then_columns_then_the_table() -> None:
    document = every_block("a name")
    wide, narrow, least = (render_text(document, width=width) for width in (80, 30, 20))
    assert "n=4" in wide
    assert "least" in wide
    assert "n=4" not in narrow
    assert "least" in narrow
    assert "least" not in least
    assert "1.5" in least
    for width, text in ((80, wide), (30, narrow)):
        drawn = [line for line in text.splitlines() if "assay run" not in line]
        assert max(map(len, drawn)) <= width


def test_markdown_links_files_and_pictures_from_the_page() -> None:
    text = render_markdown(every_block("plain"), out="results")
    assert "- [a/b.json](results/a/b.json)" in text
    assert "![plain](results/p.svg)" in text
