"""Two models' losses on the same bytes, taken apart: figures that can be worked out on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.reports.formats.html import render_html
from assay.reports.formats.markdown import render_markdown
from assay.reports.losses import losses_document, losses_headline
from assay.summary.losses import CLASSES, ReadDocument, class_characters, take_apart
from assay.types.measured.losses import LossComparison
from assay.types.results import Side

BIT = math.log(2)


def read(text: str, first: list[tuple[float, int]], second: list[tuple[float, int]], **more):
    """Bits and bytes of every token, by two tokenizers."""

    def side(tokens):
        bits, widths = zip(*tokens, strict=True)
        return np.array(bits) * BIT, np.array(widths)

    return ReadDocument(
        name=more.pop("name", "d"), text=text, first=side(first), second=side(second), **more
    )


def test_tokenizers_may_cut_the_text_differently():
    """Eight bits over four bytes on one side, four tokens of one bit on the other."""
    found = take_apart([read("abcd", [(8.0, 4)], [(1.0, 1)] * 4)] * 2)
    assert (found.whole.first, found.whole.second) == pytest.approx((2.0, 1.0))
    assert found.whole.change.value == pytest.approx(-1.0)
    assert found.whole.bytes == 8


def test_every_byte_has_one_class_and_code_is_nothing_else():
    text = "Ab 12!\n\n    x = 1\nand `y` é"
    names = [CLASSES[number] for number in class_characters(text)]
    assert names[:7] == [
        "letters", "letters", "white space", "digits", "digits", "punctuation", "white space",
    ]  # fmt: skip
    assert set(names[8:17]) == {"code"}
    assert names[text.index("`y`") + 1] == "code"
    assert names[-1] == "letters"


def test_a_loss_that_moved_in_digits_is_found_there():
    one = "abc 123 "
    tokens = [(1.0, 1)] * 8
    worse = [(3.0, 1) if sign.isdigit() else (1.0, 1) for sign in one]
    found = take_apart([read(one, tokens, worse)] * 12)
    changes = {each.name: each.change.value for each in found.classes}
    assert changes == pytest.approx({"letters": 0.0, "digits": 2.0, "white space": 0.0})
    assert sum(each.bytes for each in found.classes) == found.whole.bytes == 96


def documents(count: int = 24) -> list[ReadDocument]:
    """Two kinds: the second model gains a bit a byte on one and loses half a bit on the other."""
    made = []
    for number in range(count):
        kind = "news" if number % 2 else "code"
        text = f"{kind} of number {number:02} " * 20
        change = -1.0 if kind == "news" else 0.5
        noise = 0.02 * (number % 3 - 1)
        first = [(2.0, 1)] * len(text)
        second = [(2.0 + change + noise, 1)] * len(text)
        made.append(read(text, first, second, name=str(number), fields={"kind": kind}))
    return made


def test_slices_have_intervals_over_their_documents():
    found = take_apart(documents())
    code, news = found.slices["kind"]
    assert (code.name, news.name) == ("code", "news")
    assert code.change.value == pytest.approx(0.5, abs=0.02)
    assert news.change.value == pytest.approx(-1.0, abs=0.02)
    for part in (code, news):
        assert part.change.n == 12
        assert part.change.low < part.change.value < part.change.high
    assert found.whole.change.low < 0 < found.whole.change.high
    unique = [read("abcd", [(1.0, 4)], [(1.0, 4)], fields={"id": str(n)}) for n in range(4)]
    assert take_apart(unique).slices == {}, "a field that tells each from each is no slice"


def test_the_passages_that_changed_most_come_first_and_do_not_overlap():
    text = "".join(chr(97 + place % 26) for place in range(2000))
    first = [(2.0, 1)] * 2000
    second = list(first)
    for place in range(500, 560):
        second[place] = (6.0, 1)
    for place in range(1200, 1260):
        second[place] = (0.5, 1)
    found = take_apart([read(text, first, second), read("abcd", [(1.0, 4)], [(1.0, 4)])])
    worst, best = found.lost[0], found.gained[0]
    assert worst.start <= 500
    assert worst.start + len(worst.text) >= 560
    assert text[worst.start :].startswith(worst.text)
    assert max(worst.second) == pytest.approx(6.0)
    assert best.start <= 1200 < 1260 <= best.start + len(best.text)
    assert len(found.lost) == len(found.gained) == 1, "elsewhere nothing changed"


def test_a_single_document_is_cut_into_blocks():
    text = "word " * 2000
    tokens = [(1.0, 5)] * 2000
    (document,) = [read(text, tokens, [(2.0, 5)] * 2000)]
    found = take_apart([document])
    assert found.whole.change.method == "leave-one-out over blocks"
    assert found.whole.change.n == 12


def test_tokens_that_are_not_the_text_are_refused():
    with pytest.raises(ValueError, match="d"):
        take_apart([read("abcd", [(1.0, 3)], [(1.0, 4)])])


def test_both_losses_are_drawn_along_the_text_in_every_form():
    found = take_apart(documents())
    whole = LossComparison(
        a=Side(run="1", model="a", name="old"),
        b=Side(run="2", model="b", name="new"),
        text="text.jsonl",
        whole=found.whole,
        classes=found.classes,
        slices=found.slices,
        documents=found.documents,
        gained=found.gained,
        lost=found.lost,
    )
    document = losses_document(whole)
    page, text = render_html(document), render_markdown(document)
    assert "no significant difference from" in losses_headline(whole)
    assert page.count("<polyline") >= 40
    assert "By kind" in text
    assert "news of number" in text
    assert "█" in text
