"""Where the documents of a text begin, and of a row of token ids."""

from __future__ import annotations

import numpy as np
import pytest

from assay.text.document_starts import FEWEST, split_documents, split_tokens

BODY = "It was late.\nNobody came, and the lamp went out.\n"


def joined(heads: list[str]) -> str:
    return "".join(f"{head}\n\n{BODY}\n" for head in heads)


@pytest.mark.parametrize(
    "head", ["# Part {n}", "= Part {n} =", "Part {n}", "Chapitre {n} : la lampe {n}", "第{n}章"]
)
def test_headings_of_every_kind_begin_a_document(head: str) -> None:
    text = joined([head.format(n=n) for n in range(FEWEST)])
    found = split_documents(text)
    assert len(found) == FEWEST
    assert "".join(found) == text
    assert found[3].startswith(head.format(n=3))


def test_only_the_highest_level_counts() -> None:
    text = joined([f"# Part {n}\n\n{BODY}\n## A\n\n{BODY}\n## B" for n in range(FEWEST)])
    assert len(split_documents(text)) == FEWEST


def test_what_comes_before_the_first_heading_is_a_document() -> None:
    found = split_documents(f"{BODY}\n{joined([f'# Part {n}' for n in range(FEWEST)])}")
    assert len(found) == FEWEST + 1
    assert found[0].startswith("It was late.")


def test_end_of_text_tokens_come_before_headings_and_are_left_out() -> None:
    text = "<|endoftext|>".join(f"# One\n\n{BODY}" for _ in range(FEWEST))
    found = split_documents(text)
    assert len(found) == FEWEST
    assert "<|" not in "".join(found)


def test_fewer_than_twelve_are_one_document() -> None:
    text = joined([f"# Part {n}" for n in range(FEWEST - 1)])
    assert split_documents(text) == [text]
    assert split_documents(BODY) == [BODY]


def test_a_title_without_a_text_belongs_to_what_follows() -> None:
    text = joined([f"Volume {n}\n\nChapter {n}" for n in range(FEWEST)])
    found = split_documents(text)
    assert len(found) == FEWEST
    assert found[1].startswith("Volume 1\n\nChapter 1")


@pytest.mark.parametrize("line", ["He said so.", "Is it?", "- a list", "12", "x" * 81])
def test_a_line_that_is_no_title_begins_nothing(line: str) -> None:
    text = joined([line] * FEWEST)
    assert split_documents(text) == [text]


def test_a_comment_in_a_fence_is_no_heading() -> None:
    text = "".join(f"```\n# set {n}\n```\n{BODY}" for n in range(FEWEST))
    assert split_documents(text) == [text]


def test_ids_end_a_document_with_every_end_in_a_row() -> None:
    ids = np.array([0, *[5, 6, 0, 0] * FEWEST, 7])
    found = split_tokens(ids, (0, 9))
    assert found[:2] == [(0, 5), (5, 9)], "what ends nothing belongs to the first document"
    assert found[-1] == (4 * FEWEST + 1, 4 * FEWEST + 2)
    assert len(found) == FEWEST + 1


def test_ids_without_an_end_or_with_few_are_one_document() -> None:
    ids = np.array([5, 6, 0] * (FEWEST - 1))
    assert split_tokens(ids, (0,)) == split_tokens(ids, (3,)) == [(0, len(ids))]
    assert split_tokens(np.zeros(40, np.int64), (0,)) == [(0, 40)]
