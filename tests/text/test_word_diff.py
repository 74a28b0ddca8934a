from hypothesis import given
from hypothesis import strategies as some

from assay.text.word_diff import word_diff


def test_only_the_words_that_differ_are_marked():
    assert word_diff("the cat sat.", "the dog sat!") == (
        ("same", "the "),
        ("first", "cat"),
        ("second", "dog"),
        ("same", " sat"),
        ("first", "."),
        ("second", "!"),
    )


@given(some.text(), some.text())
def test_each_text_is_its_own_parts_and_the_common_ones(first, second):
    parts = word_diff(first, second)
    assert "".join(text for kind, text in parts if kind != "second") == first
    assert "".join(text for kind, text in parts if kind != "first") == second


def test_long_texts_are_compared_by_lines_and_endless_ones_not_at_all():
    lines = "".join(f"word {number} here\n" for number in range(2_000))
    changed = lines.replace("word 7 here\n", "word 8 here\n")
    assert [kind for kind, _ in word_diff(lines, changed)] == ["same", "first", "second", "same"]
    assert [kind for kind, _ in word_diff("a\n" * 3_001, "a\n" * 3_000)] == ["first", "second"]
