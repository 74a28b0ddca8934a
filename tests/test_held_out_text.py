"""The text that perplexity is measured on: its form, its variety, that it is nobody else's text,
and that its README tells the truth.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import assay

BUILTIN = Path(assay.__file__).parent / "builtin"
TEXT = BUILTIN / "texts" / "held_out_english.txt"
README = TEXT.with_name("README.md")

LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
SENTENCE_END = re.compile(r"(?<=[.?!])[\"')]*\s+")

# Measured on version 1.0 (three stretches of WikiText-2 of the same length in brackets).
DISTINCT_WORDS = 0.24  # 0.248 of all words [0.199 to 0.257]
DISTINCT_IN_500 = 0.55  # 0.567 of 500 words in a row [0.448 to 0.491]
ZLIB_RATIO = 0.425  # 0.433 [0.336 to 0.372]; one piece repeated at once: 0.420
LZMA_RATIO = 0.398  # 0.404; one piece repeated anywhere: 0.392. zlib looks back 32 KiB only


@cache
def text() -> str:
    return TEXT.read_bytes().decode("utf-8")


def blocks(whole: str) -> list[str]:
    return whole.removesuffix("\n").split("\n\n")


def is_title(block: str) -> bool:
    return not block.startswith(" ") and block[-1] not in ".,:;?!"


def pieces(whole: str) -> list[str]:
    found: list[list[str]] = []
    for block in blocks(whole):
        if is_title(block):
            found.append([])
        found[-1].append(block)
    return ["\n\n".join(piece) for piece in found]


def words(passage: str) -> list[str]:
    return [word.lower() for word in LETTERS.findall(passage)]


def runs(passage: str, length: int = 8) -> Iterator[tuple[str, ...]]:
    found = re.findall(r"\w+", passage.lower())
    return zip(*(found[start:] for start in range(length)), strict=False)


def sentences(whole: str) -> Iterator[str]:
    for line in whole.splitlines():
        yield from SENTENCE_END.split(line.strip())


def test_the_text_is_about_sixty_kilobytes() -> None:
    assert 55_000 <= TEXT.stat().st_size <= 65_000


def test_the_text_is_plain_composed_unicode_without_stray_blanks() -> None:
    whole = text()
    assert unicodedata.is_normalized("NFC", whole)
    assert {c for c in whole if unicodedata.category(c) in {"Cc", "Cf", "Co", "Cn"}} == {"\n"}
    assert [line for line in whole.split("\n") if line != line.rstrip()] == []
    assert "\u00a0" not in whole
    assert "\n\n\n" not in whole
    assert not whole.startswith("\n")
    assert whole.endswith(".\n")


def test_a_paragraph_is_one_line_and_only_indented_blocks_have_several() -> None:
    for block in blocks(text()):
        lines = block.split("\n")
        assert len(lines) == 1 or all(line.startswith("    ") for line in lines), block


def test_every_piece_has_a_title_of_its_own_and_some_length() -> None:
    found = pieces(text())
    titles = [piece.split("\n", 1)[0] for piece in found]
    assert len(found) >= 20
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if len(title) > 100] == []
    assert [title for title, piece in zip(titles, found, strict=True) if len(piece) < 2000] == []


def test_no_sentence_of_eight_words_stands_twice() -> None:
    told = Counter(" ".join(re.findall(r"\w+", line.lower())) for line in sentences(text()))
    assert sum(told.values()) > 700  # the sentences were found at all
    assert [told_twice for told_twice, count in told.items()
            if count > 1 and told_twice.count(" ") >= 7] == []  # fmt: skip


def test_no_run_of_eight_words_stands_in_two_pieces() -> None:
    seen = Counter(run for piece in pieces(text()) for run in set(runs(piece)))
    assert [run for run, count in seen.items() if count > 1] == []


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        yield from strings(list(value.values()))


def shared_runs(passages: Iterator[str]) -> tuple[set[tuple[str, ...]], int]:
    """The runs of eight words that stand in both, and how many runs were compared."""
    ours, compared = set(runs(text())), 0
    common: set[tuple[str, ...]] = set()
    for passage in passages:
        for run in runs(passage):
            compared += 1
            if run in ours:
                common.add(run)
    return common, compared


def test_no_run_of_eight_words_is_shared_with_the_tests_that_ship() -> None:
    files = sorted((BUILTIN / "suites").rglob("*.json"))
    common, compared = shared_runs(
        passage for file in files for passage in strings(json.loads(file.read_text("utf-8")))
    )
    assert common == set()
    assert compared > 1000


@pytest.mark.parametrize(
    ("source", "at_least"),
    [
        ("wikitext2/wiki.test.raw", 200_000),
        ("tldr/tldr.tsv", 400_000),
        ("debian/server_packages.tsv", 20_000),
        ("hellaswag/hellaswag_val_2000.jsonl", 100_000),
        ("langid/eng.txt", 20_000),
    ],
)
def test_no_run_of_eight_words_is_shared_with_public_text(
    shared: Path, source: str, at_least: int
) -> None:
    common, compared = shared_runs(iter([(shared / "data" / source).read_text("utf-8")]))
    assert common == set()
    assert compared > at_least


def test_no_run_of_eight_words_is_shared_with_public_questions(shared: Path) -> None:
    lines = (shared / "data" / "sysadmin_qa" / "sysadmin_qa.jsonl").read_text("utf-8").splitlines()
    common, compared = shared_runs(
        passage for line in lines for passage in strings(json.loads(line))
    )
    assert common == set()
    assert compared > 5000


def ratio(compressed: bytes, whole: str) -> float:
    return len(compressed) / len(whole.encode())


def zlib_ratio(whole: str) -> float:
    return ratio(zlib.compress(whole.encode(), 9), whole)


def lzma_ratio(whole: str) -> float:
    return ratio(lzma.compress(whole.encode(), preset=9), whole)


def test_the_words_vary() -> None:
    told = words(text())
    rows = [told[start : start + 500] for start in range(0, len(told) - 499, 500)]
    assert len(set(told)) / len(told) > DISTINCT_WORDS
    assert sum(len(set(row)) for row in rows) / (500 * len(rows)) > DISTINCT_IN_500


def test_the_text_does_not_compress_as_repetition_would() -> None:
    assert zlib_ratio(text()) > ZLIB_RATIO
    assert lzma_ratio(text()) > LZMA_RATIO


def test_one_piece_that_stood_twice_would_be_noticed() -> None:
    found = pieces(text())
    assert zlib_ratio("\n\n".join([found[0], found[0], *found[2:]])) < ZLIB_RATIO
    assert lzma_ratio("\n\n".join([*found[:-1], found[0]])) < LZMA_RATIO


def figure(name: str) -> str:
    found = re.search(rf"^\| {name} \| (.+?) \|$", README.read_text("utf-8"), re.MULTILINE)
    assert found, name
    return found[1]


def test_the_readme_tells_the_true_digest_and_counts() -> None:
    assert figure("SHA-256") == hashlib.sha256(TEXT.read_bytes()).hexdigest()
    assert int(figure("bytes")) == TEXT.stat().st_size
    assert int(figure("words")) == len(text().split())
    assert int(figure("pieces")) == len(pieces(text()))


def test_the_readme_lists_every_piece_where_it_stands() -> None:
    rows = re.findall(
        r"^\| (\d+) \| (.+?) \| .+ \| .+ \|$", README.read_text("utf-8"), re.MULTILINE
    )
    found, start = [], 0
    for piece in pieces(text()):
        found.append((str(start), piece.split("\n", 1)[0]))
        start += len(f"{piece}\n\n".encode())
    assert rows == found


def test_the_canary_stands_in_the_readme_and_not_in_the_text() -> None:
    canaries = re.findall(r"canary GUID ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n",
                          README.read_text("utf-8"))  # fmt: skip
    assert len(canaries) == 1
    assert canaries[0] not in text()
    assert "canary" not in text()
