"""Which questions are dropped, and which only look alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.suites.fetching.made import drop_repeats
from assay.suites.fetching.rows import BenchmarkItem, RowPlace
from assay.workflow.commands.benchmarks import fetch

RIGHT = ("amber", "blue", "cyan", "dun")


def ask(
    row: int,
    question: str = "Which colour?",
    options: tuple[str, ...] = RIGHT,
    answer: int = 0,
    subject: str = "s",
) -> BenchmarkItem:
    place = RowPlace(name=f"{subject}.csv", shown=f"{subject}.csv", row=row, line=row)
    return BenchmarkItem(
        place=place, subject=subject, question=question, options=options, answer=answer
    )


def dropped(
    *items: BenchmarkItem, shots: tuple[BenchmarkItem, ...] = ()
) -> dict[int, tuple[str, int | None]]:
    """Dropped rows with their reason and the row they are like."""
    kept, gone = drop_repeats(items, shots)
    assert len(kept) + len(gone) == len(items)
    return {each.place.row: (each.reason, each.like and each.like.row) for each in gone}


@pytest.mark.parametrize(
    "second",
    [
        ask(2),
        ask(2, options=tuple(reversed(RIGHT)), answer=3),
        ask(2, "  Which   colour "),
        ask(2, options=("amber.", "blue", "cyan", "dun;")),
    ],
    ids=["same", "other_order", "spaces", "full_stops"],
)
def test_the_same_question_with_the_same_options_is_asked_once(second: BenchmarkItem) -> None:
    assert dropped(ask(1), second) == {2: ("repeated", 1)}


@pytest.mark.parametrize(
    "second",
    [
        ask(2, options=("red", "grey", "white", "amber"), answer=3),
        ask(2, answer=1),
        ask(2, "Which colours?"),
        ask(2, options=("amber (1,2)", "blue", "cyan", "dun")),
    ],
    ids=["other_options", "other_answer", "other_words", "other_option"],
)
def test_what_only_looks_alike_stays(second: BenchmarkItem) -> None:
    assert dropped(ask(1), second) == {}


def test_equal_options_and_what_its_own_examples_show_are_not_asked() -> None:
    assert dropped(ask(1, options=("a", "a ", "b", "c"))) == {1: ("equal_options", None)}
    assert dropped(ask(1), shots=(ask(7),)) == {1: ("shown", 7)}
    assert dropped(ask(1), shots=(ask(7, subject="other"),)) == {}


def test_the_shared_copy_repeats_one_question(shared: Path, tmp_path: Path) -> None:
    (suite,) = fetch(["mmlu"], source=shared / "data", benchmarks=tmp_path).benchmarks
    assert [(each.subject, each.reason) for each in suite.dropped] == [
        ("machine_learning", "repeated")
    ]
    assert suite.weights == {"computer_science": 311}
