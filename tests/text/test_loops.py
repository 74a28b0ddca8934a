"""Which texts are stuck in a loop, and how soon that is seen; which only look as if."""

from __future__ import annotations

import hashlib
import random
import re
from pathlib import Path

import pytest

from assay.text.loops import TOKENS, TOKENS_IF_NUMBERS_DIFFER, LoopWatch, find_loop

ROOT = Path(__file__).parents[2]
ROUNDS = [
    "）",
    "Yo! ",
    "hahaha",
    "\n",
    "print(x)\n",
    "今天天气很好，我们去公园散步。",
    "Open the file, read the first line and close it again. ",
    "| Lomé | 12.5 | 3 |\n",
    "## Step\n\nRun the tests, then run them once more, and look at what has changed since.\n\n",
    " ".join(f"word{n}" for n in range(120)) + ".\n",
]


def stopped_after(text: str, piece: str = r"\s*\w{1,6}|\s*[^\w\s]|\s") -> int | None:
    """How many tokens had come when the answer was stopped."""
    watch = LoopWatch()
    pieces = re.findall(piece, text)
    return next((n for n, each in enumerate(pieces, 1) if watch.is_stuck_after(each)), None)


@pytest.mark.parametrize("unit", ROUNDS)
def test_a_loop_is_stopped_within_400_tokens_of_its_second_round(unit):
    before = "The answer begins well and says a few true things. "
    first = len(re.findall(r"\s*\w{1,6}|\s*[^\w\s]|\s", before + unit))
    found = stopped_after(before + unit * 3000)
    assert found is not None
    assert first + TOKENS - 40 <= found <= first + TOKENS


def test_if_only_numbers_differ_it_takes_1000():
    rows = "".join(f"| row {n} | {n * 37 % 101} |\n" for n in range(900))
    found = stopped_after(rows)
    assert found is not None
    assert abs(found - TOKENS_IF_NUMBERS_DIFFER) <= 40


def test_large_pieces_are_counted_by_their_words():
    found = stopped_after("Open the file and read the first line.\n" * 500, piece=r".*\n")
    assert found is not None
    assert 35 <= found <= 60, "lines of nine words and signs"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{n}. {w} the {w}er, then {w} again\n" for n, w in enumerate("abcdefghij" * 9)),
        "And the wind sang low by the river.\n".join(
            f"The {word} boat came down at {word} light, and nobody knew its name; "
            for word in ("red", "blue", "green", "gold", "grey", "white", "black", "old", "young")
        ),
        "| a | b |\n|---|---|\n" + "| 0 | 0 |\n" * 30,
        "-" * 300,
        "x = 1\n" * 60,
    ],
)
def test_lists_refrains_tables_and_rulers_are_not_stopped(text):
    assert stopped_after(text) is None


def test_95_of_100_loops_of_any_length_in_real_text_are_stopped_in_time():
    draw = random.Random(0)
    pages = [page.read_text("utf-8") for page in sorted((ROOT / "docs").rglob("*.md"))]
    in_time = 0
    for _ in range(100):
        tokens = re.findall(r" ?\w{1,7}|[^\w\s]|\s+", draw.choice(pages)[:9000])
        start = draw.randrange(300)
        size = draw.choice([1, 2, 3, 5, 8, 13, 20, 30, 50, 80, 120, 200, 300])
        before, unit = tokens[:start], tokens[start : start + size]
        text = "".join(before + unit * (800 // size + 2))
        found = stopped_after(text, piece=r" ?\w{1,7}|[^\w\s]|\s+")
        in_time += found is not None and found <= start + size + TOKENS
    assert in_time >= 95


def test_no_page_of_the_documentation_is_stopped():
    pages = sorted((ROOT / "docs").rglob("*.md"))
    assert len(pages) > 20
    assert [page.name for page in pages if stopped_after(page.read_text("utf-8")[:20_000])] == []


# Three hundred different words, in no order.
DIFFERENT = " ".join(hashlib.md5(bytes([n % 256, n // 256])).hexdigest()[:5] for n in range(300))


@pytest.mark.parametrize(
    "text",
    [
        "I am sure that it is so. " * 8 + "I am su",
        "ha " * 60,
        "Well. " + "Step by step, we look at it again, " * 5,
        "Je pense que oui. " * 6,
        "Here is the code:\n\ndef tell(name):\n    return table[name]\n\n" + "id[" * 40,
        DIFFERENT + "_to_path" * 40,
        DIFFERENT + '\n    "Line ZZZZ",' * 20,
        DIFFERENT + "!" * 81,
        DIFFERENT + "ab" * 600,
        DIFFERENT + " 今天天气很好" * 9,
        "0" * 40,
        "No. " * 40,
    ],
)
def test_a_text_that_ends_in_one_unit_over_and_over_is_stuck(text: str) -> None:
    assert find_loop(text, factor=1.5) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no no",
        "No. No. No.",
        DIFFERENT + "\n| 0 | 0 | 0 |" * 7,
        DIFFERENT + "\n" + "-" * 80,
        "The answer is a list of things, which I name one by one: apples, pears and pl",
        "la la la la la la, " + DIFFERENT,
        "I am sure. I am sure. " + DIFFERENT[:60] + " I am sure. I am sure",
        "".join(f"{n}. {word}\n" for n, word in enumerate("abcdefghijklmnop")),
    ],
)
def test_other_texts_are_not_stuck(text: str) -> None:
    assert find_loop(text, factor=1.5) is None


def test_the_places_of_a_loop_are_those_of_its_first_unit_and_of_its_end() -> None:
    before, unit = "It begins well. ", "Then check the cable. "
    found = find_loop(before + unit * 9 + "Done, and nothing more is to be said.")
    assert found is not None
    text = before + unit * 9
    assert text[found.start : found.unit_end].startswith("Then check the cable")
    assert found.end >= len(text.rstrip())
    assert 9 <= found.times <= 9.5
    assert not found.is_at_end


def test_only_the_end_of_a_long_text_is_read_in_time_that_grows_with_it() -> None:
    draw = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz "
    noise = "".join(draw.choice(letters) for _ in range(200_000))
    assert find_loop("x y z. " * 50_000 + noise) is None
    assert find_loop(noise + "The same again. " * 30) is not None
