"""One pattern for many phrases finds what a pattern written phrase by phrase finds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.evidence import customer_events, email_thread, quarter_figures, sales_table
from assay.evidence.phrases import Dimension, any_of

HERE = Path(__file__).parent
TEXTS = [file.read_text("utf-8") for file in sorted(HERE.glob("[nr]*/**/*.md"))]
VOCABULARIES = {
    f"{module.__name__}.{name}": tuple(p for some in value.phrases.values() for p in some)
    for module in (customer_events, email_thread, quarter_figures, sales_table)
    for name, value in vars(module).items()
    if isinstance(value, Dimension)
} | {
    "all endings": ("order", "orders placed", "q3", "q 3", "grow*", "%", "€", "first-time", "§ 3"),
}  # fmt: skip


def plainly(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Each phrase with its own ending."""
    ordered = sorted(phrases, key=lambda phrase: (not phrase[0].isalnum(), -len(phrase)))
    words = [f"({one_phrase(one)})" for one in ordered if one[0].isalnum()]
    signs = [f"({one_phrase(one)})" for one in ordered if not one[0].isalnum()]
    parts = [rf"(?<![^\W_])(?:{'|'.join(words)})"] if words else []
    return re.compile("|".join(parts + signs), re.IGNORECASE)


def one_phrase(phrase: str) -> str:
    words = [re.escape(word).replace(r"\*", r"\w*") for word in re.split(r"[\s-]+", phrase)]
    body = r"[\s\-_/]{1,3}".join(words)
    if phrase[-1] == "*":
        return body
    plural = r"(?:['’]?s)?" if phrase[-1].isalpha() else ""
    fraction = "|[.,][0-9]" if phrase[-1].isdigit() else ""
    return f"{body}{plural}" + (rf"(?![^\W_]{fraction})" if phrase[-1].isalnum() else "")


def found(pattern: re.Pattern[str], text: str) -> list[tuple[int, int, int | None]]:
    return [(*match.span(), match.lastindex) for match in pattern.finditer(text)]


@pytest.mark.parametrize("phrases", VOCABULARIES.values(), ids=VOCABULARIES.keys())
def test_the_short_and_the_plain_pattern_agree(phrases):
    fast, plain = any_of(phrases), plainly(phrases)
    for text in (*TEXTS, "Orders’ first_time Q3.5 q3s growth, 3% orders/placed q-3; § 3a; reorder"):
        assert found(fast, text) == found(plain, text)


def test_the_texts_say_what_the_phrases_name():
    assert len(TEXTS) >= 12
    assert len(VOCABULARIES) >= 5
    for phrases in VOCABULARIES.values():
        assert sum(len(found(any_of(phrases), text)) for text in TEXTS) >= 10
