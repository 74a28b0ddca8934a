"""Hostile text is shown, never obeyed."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assay.text.safe_text import (
    markdown_block,
    markdown_code,
    markdown_inline,
    one_line,
    visible,
)

any_text = st.text(st.characters(exclude_categories=()), max_size=60)
risky_text = st.text(alphabet="`~|*_[]()<>!#\\&;$x \n-1.+=\"'", max_size=30)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\r\nb", "a\nb"),
        ("over\rwritten", "over\\x0dwritten"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("\ud800", "\\ud800"),
        ("\x9b1m", "\\x9b1m"),
        ("Ŋlɔ̃ ɖe Eʋegbe me", "Ŋlɔ̃ ɖe Eʋegbe me"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("می‌خواهم", "می‌خواهم"),  # a zero-width non-joiner belongs to the spelling
    ],
)
def test_control_characters_are_made_visible_and_languages_left_alone(
    text: str, shown: str
) -> None:
    assert visible(text) == shown


@given(any_text)
def test_nothing_that_moves_a_cursor_or_cannot_be_written_gets_through(text: str) -> None:
    shown = one_line(text)
    shown.encode("utf-8")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", shown)


def test_a_long_text_is_cut() -> None:
    assert one_line("a" * 50, longest=10) == "a" * 9 + "…"


@given(risky_text)
def test_escaped_text_is_plain_words_to_markdown(text: str) -> None:
    cell = markdown_inline(text)
    page = MarkdownIt("commonmark").enable("table").enable("strikethrough")
    tokens = page.parse(f"| a | b |\n| --- | --- |\n| {cell} | end |")
    cells = [token for token in tokens if token.type == "inline"]
    assert cells[3].content == "end"
    kinds = {child.type for token in cells for child in token.children or []}
    assert kinds <= {"text", "text_special"}


@pytest.mark.parametrize("before", ["", "- ", "# "])
@given(risky_text)
def test_escaped_text_is_plain_words_in_paragraphs_bullets_and_headings_too(
    before: str, text: str
) -> None:
    escaped = markdown_inline(text)
    tokens = MarkdownIt("commonmark").enable("strikethrough").parse(f"{before}{escaped}")
    plain = MarkdownIt("commonmark").parse(f"{before}x" if escaped else before)
    assert [token.type for token in tokens] == [token.type for token in plain]
    kinds = {child.type for token in tokens for child in token.children or []}
    assert kinds <= {"text", "text_special"}


@given(st.text(alphabet="`x -s", min_size=1, max_size=20).filter(str.strip))
def test_a_command_comes_out_of_markdown_as_it_went_in(command: str) -> None:
    tokens = MarkdownIt("commonmark").parseInline(markdown_code(command))
    (code,) = tokens[0].children or []
    assert (code.type, code.content) == ("code_inline", command.strip())


def test_names_of_tests_need_no_escapes() -> None:
    assert markdown_inline("facts_001 (a-b) 1.5") == "facts_001 (a-b) 1.5"


@given(st.text(alphabet="`x\n ~", max_size=40))
def test_a_block_cannot_be_closed_from_inside(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(markdown_block(text) + "\n\nafter")
    assert [token.type for token in tokens] == [
        "fence",
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]


def test_the_quick_pattern_escapes_what_unicode_calls_unsafe():
    hidden = {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
    hidden |= {*range(0xE0000, 0xE0080)}
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        unsafe = unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} or code in hidden
        assert (visible(sign) != sign) == (unsafe and sign not in "\n\t"), hex(code)
