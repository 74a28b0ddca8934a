"""Which questions are dropped, and which only look alike."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assay.suites.fetching.made import Dropped, Sieve
from assay.suites.fetching.rows import BenchmarkItem, RowPlace
from assay.workflow.benchmarks import fetch

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


def sifted(
    *items: BenchmarkItem, shots: tuple[BenchmarkItem, ...] = ()
) -> dict[int, tuple[str, int | None]]:
    """Dropped rows with their reason and the row they are like."""
    kept, dropped = Sieve().keep(items, shots)
    assert [i.place.row for i in kept] == [
        i.place.row for i in items if i.place not in {d.place for d in dropped}
    ]
    return {d.place.row: (d.reason, d.like.row if d.like else None) for d in dropped}


@pytest.mark.parametrize(
    "second",
    [
        ask(2),
        ask(2, options=tuple(reversed(RIGHT)), answer=3),
        ask(2, "  Which   colour "),
        ask(2, "Which Colour?"),
        ask(2, options=("Amber.", "blue", "cyan", "dun;")),
    ],
    ids=["same", "other_order", "spaces", "capital_of_a_word", "full_stops"],
)
def test_the_same_question_with_the_same_options_is_asked_once(second: BenchmarkItem) -> None:
    assert sifted(ask(1), second) == {2: ("repeated", 1)}


def test_with_other_options_and_the_same_answer_the_first_stays() -> None:
    assert sifted(ask(1), ask(2, options=("red", "grey", "white", "amber"), answer=3)) == {
        2: ("other_options", 1)
    }


def test_the_same_options_with_another_answer_contradict_each_other_and_all_go() -> None:
    assert sifted(ask(1), ask(2, answer=1), ask(3)) == {
        1: ("contradictory", 2),
        2: ("contradictory", 1),
        3: ("contradictory", 2),
    }


def test_common_words_over_other_options_are_two_questions() -> None:
    one = ask(1, "Which of the following is FALSE?", ("Pi is 3.", "e is 3.", "1 is 1.", "2 is 2."))
    two = ask(2, "Which of the following is FALSE?", ("A cat barks.", "b", "c", "2 is 2."))
    assert sifted(one, two) == {}


def test_the_same_answer_in_another_notation_is_the_same_question() -> None:
    one = ask(1, "How fast?", ("1.5 x 10^8 m/s", "3.0 x 10^8 m/s", "1 x 10^8 m/s", "0"))
    two = ask(2, "How fast?", ("1.5 * 10^8 m/s", "3.0 * 10^8 m/s", "1 * 10^8 m/s", "9"))
    assert sifted(one, two) == {2: ("other_options", 1)}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("What does putchar('A') print?", "What does putchar('a') print?"),
        ("How much is 10²?", "How much is 102?"),
        ("Which ports are open?", "WHICH ports are open?"),
        ("What is K in chemistry?", "What is k in chemistry?"),
    ],
)
def test_letters_and_signs_of_a_question_count_as_they_are(one: str, two: str) -> None:
    assert sifted(ask(1, one), ask(2, two)) == {}


def test_a_word_whose_capital_differs_over_other_options_is_another_question() -> None:
    other = ("amber", "red", "grey", "white")
    assert sifted(ask(1, "Does Swift compile?"), ask(2, "Does swift compile?", other)) == {}
    kinds = ("String", "string", "int", "char")
    assert sifted(ask(1, options=kinds), ask(2, "Which Colour?", kinds)) == {}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("TCP 8080", "TCP 8081"),
        ("10240 bytes", "10241 bytes"),
        ("an increase in voltage", "a decrease in voltage"),
        ("putchar('A')", "putchar('a')"),
        ("-40 V", "40 V"),
    ],
)
@pytest.mark.parametrize("others", [RIGHT[1:], ("red", "grey", "white")], ids=["same", "other"])
def test_answers_that_differ_a_little_are_two_answers(
    one: str, two: str, others: tuple[str, ...]
) -> None:
    first, second = ask(1, options=(one, *RIGHT[1:])), ask(2, options=(two, *others))
    assert sifted(first, second) == {}


def test_none_of_the_above_is_the_same_answer_only_over_the_same_options() -> None:
    one = ask(1, "Which is true?", ("Pi is 3", "e is 3", "2 is 1", "None of the above"), 3)
    two = ask(2, "Which is true?", ("A cat barks", "b", "c", "None of the above"), 3)
    again = ask(3, "Which is true?", ("b", "A cat barks", "c", "None of the above"), 3)
    assert sifted(one, two, again) == {3: ("repeated", 2)}


def test_thousands_of_questions_with_one_wording_are_sifted() -> None:
    """Compared two by two, these would take minutes."""
    other = [ask(row, options=(f"a{row}", f"b{row}", f"c{row}", "all")) for row in range(5_000)]
    same = [ask(row) for row in range(5_000, 10_000)]
    kept, dropped = Sieve().keep([*other, *same])
    assert [item.place.row for item in kept] == [*range(5_001)]
    assert len(dropped) == 4999


def test_punctuation_inside_a_word_may_be_mathematics() -> None:
    assert sifted(ask(1, "What is the order of (1,2)?"), ask(2, "What is the order of (12)?")) == {}
    assert sifted(ask(1, "Find 3 + 4."), ask(2, "Find 3 - 4.")) == {}
    assert sifted(ask(1, "In a loop, what is on?"), ask(2, "In a loop what is on ?")) == {
        2: ("repeated", 1)
    }


def test_a_question_that_its_own_examples_answer_is_dropped() -> None:
    shots = (ask(1, "Shown?"), ask(2, "Which colour?", subject="other"))
    assert sifted(ask(1), ask(2, "Shown?"), shots=shots) == {2: ("shown", 1)}


def test_options_that_are_the_same_but_for_white_space_cannot_be_asked() -> None:
    items = ask(1, options=("amber", "blue", " amber", "dun")), ask(2, "No?", ("x", "x", "y", "z"))
    assert sifted(*items) == {1: ("equal_options", None), 2: ("equal_options", None)}


def test_a_later_category_takes_nothing_from_an_earlier_one() -> None:
    sieve = Sieve()
    first, none = sieve.keep([ask(1)])
    later, dropped = sieve.keep(
        [ask(1, answer=1, subject="later"), ask(2, "Other?", subject="later")]
    )
    assert (len(first), none) == (1, [])
    assert [i.place.row for i in later] == [2]
    place, like = ask(1, subject="later").place, ask(1).place
    assert dropped == [Dropped(subject="later", place=place, reason="contradictory", like=like)]


def test_the_known_repeats_of_the_shared_copy_are_found(shared: Path, tmp_path: Path) -> None:
    """As many as shared/data/README.md counts: 19, 5 and 1."""
    (benchmark,) = fetch(
        ["mmlu"], source=shared / "data", benchmarks=tmp_path, every=True, tell=lambda _: None
    ).benchmarks
    assert Counter(one.subject for one in benchmark.dropped) == {
        "college_physics": 19, "conceptual_physics": 5, "machine_learning": 1,
    }  # fmt: skip
    assert Counter(one.reason for one in benchmark.dropped) == {"repeated": 16, "other_options": 9}
    assert {name: len(tests) for name, tests in benchmark.categories.items()} == {
        "computer_science": 311,
        "computer_science_cloze": 311,
        "college_mathematics": 100,
        "college_physics": 83,
        "conceptual_physics": 230,
    }
