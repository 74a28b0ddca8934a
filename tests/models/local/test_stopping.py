"""Stop strings: found when they appear, whatever tokens they are made of; cut where they begin."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from assay.models.local.answering import StopStrings


class Pieces:
    """A tokenizer of byte strings that counts what it decodes."""

    def __init__(self, *pieces: str | bytes) -> None:
        self.pieces = [piece.encode() if isinstance(piece, str) else piece for piece in pieces]
        self.decoded = 0

    def decode(self, ids: Sequence[int]) -> str:
        self.decoded += len(ids)
        return b"".join(self.pieces[one] for one in ids).decode(errors="replace")


def stops_at(check: StopStrings, ids: Sequence[int]) -> int | None:
    """After how many ids."""
    return next((count for count in range(1, len(ids) + 1) if check(ids[:count])), None)


@pytest.mark.parametrize(
    ("pieces", "stops", "at"),
    [
        (["one", "\n", "\n", "two"], ["\n\n"], 3),
        (["one", "\n\n", "two"], ["\n\n"], 2),
        (["one", ".\n\nAnd", "two"], ["\n\n"], 2),
        (["Qu", "est", "ion", ": more"], ["Question:"], 4),
        (["Question:"], ["Question:"], 1),
        (["one", "two"], ["three"], None),
        (["one", "two"], [], None),
        (["one", "two"], [""], None),
        (["a", "b", "c"], ["xyz", "bc"], 3),
        (["a", " ", "b"], [" "], 2),
        (["caf", b"\xc3", b"\xa9", "s"], ["é"], 3),
        (["a", b"\xe2", b"\x82", b"\xac", "!"], ["€!"], 5),
        (["S", "", "", "", "", "", "", "", "T"], ["ST"], 9),
    ],
)
def test_a_text_stops_with_the_token_that_completes_a_stop(
    pieces: list[str | bytes], stops: list[str], at: int | None
) -> None:
    check = StopStrings(Pieces(*pieces).decode, stops)
    assert stops_at(check, range(len(pieces))) == at


@pytest.mark.parametrize("seed", range(30))
def test_it_stops_where_the_whole_text_first_holds_a_stop(seed: int) -> None:
    chance = random.Random(seed)
    letters = [
        "a",
        "b",
        "\n",
        "é",
        "  ",
        "ab",
        "ba\n",
        "",
        b"\xc3",
        b"\xa9",
        b"\xf0\x9f",
        b"\x98\x80",
    ]
    pieces = Pieces(*letters)
    stops = ["".join(chance.choices("ab\né 😀", k=chance.randint(1, 5))) for _ in range(3)]
    ids = chance.choices(range(len(letters)), k=60)
    wanted = next(
        (
            count
            for count in range(1, 61)
            if any(stop in pieces.decode(ids[:count]) for stop in stops)
        ),
        None,
    )
    assert stops_at(StopStrings(pieces.decode, stops), ids) == wanted


def test_a_long_text_is_not_decoded_again_for_every_token() -> None:
    pieces = Pieces("word ", "end\n")
    check = StopStrings(pieces.decode, ["\n\n"])
    ids = [0, 0, 0, 1] * 200
    assert stops_at(check, ids) is None
    assert pieces.decoded < 10 * len(ids)


@pytest.mark.parametrize(
    ("pieces", "at"),
    [
        (["one", "\n", "two"], 2),
        (["\n", "\n", " ", "one", "\n"], 5),
        (["\n", "\n", "\n"], None),
        (["one", *["   "] * 20, "\n"], 22),
        (["\none\n"], 1),
        (["one two"], None),
    ],
)
def test_the_first_line_ends_behind_some_text(pieces: list[str], at: int | None) -> None:
    check = StopStrings(Pieces(*pieces).decode, [], first_line=True)
    assert stops_at(check, range(len(pieces))) == at


@pytest.mark.parametrize(
    ("text", "stops", "first_line", "left"),
    [
        ("one\n\ntwo", ["\n\n"], False, "one"),
        ("one END two STOP", ["STOP", "END"], False, "one "),
        ("one", ["two"], False, "one"),
        ("one", [""], False, "one"),
        ("STOP", ["STOP"], False, ""),
        ("one\ntwo", [], True, "one"),
        ("\n\n one\ntwo", [], True, "\n\n one"),
        ("\n\n", [], True, "\n\n"),
        ("one; two\n", [";"], True, "one"),
        ("one\ntwo;", [";"], True, "one"),
    ],
)
def test_a_text_is_cut_at_its_first_stop(
    text: str, stops: list[str], first_line: bool, left: str
) -> None:
    assert StopStrings(Pieces("x").decode, stops, first_line=first_line).cut(text) == left


def test_stop_strings_and_the_first_line_end_a_text_together() -> None:
    check = StopStrings(Pieces("one", ";", "\n").decode, [";"], first_line=True)
    assert stops_at(check, [0, 0, 1, 2]) == 3
    assert stops_at(check, [0, 2, 1]) == 2
