"""What is made of a benchmark: the files of a suite, and what was left out of it.

Two items are the same question if their words are the same, white space and the punctuation of
prose aside, and their right answers or all their options are too. Letters and signs count as they
are: putchar('A') is not putchar('a'), and 10² is not 102. Only the capital of a word ("Planet
Earth") does not, and only where all options are the same. The same options with another right
answer are a contradiction. "None of the above" is no answer by itself: there the options decide.
Rewordings are not looked for.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from assay.suites.fetching.rows import BenchmarkItem, RowPlace
from assay.suites.suite_file import SUITE_FILE

HARNESS = "lm-evaluation-harness 0.4.13"
DROPPED_FILE = "dropped.tsv"


ChoiceTest = dict[str, Any]  # a multiple-choice test of our format


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedBenchmark:
    """A benchmark in our format. `prompts` says in what form it asks, `source` what it was made of,
    `left_out` which of its parts were not there; `notes` are sentences for whoever fetched it.
    """

    name: str
    title: str
    prompts: str
    source: str
    categories: Mapping[str, Sequence[ChoiceTest]]
    weights: Mapping[str, int]
    dropped: Sequence[Dropped] = ()
    left_out: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def version(self) -> str:
        """What suite.json says: two versions of a benchmark must not be taken for each other."""
        return f"{self.prompts}; {self.source}"


def test_of(
    item: BenchmarkItem, test_id: str, prompt: str, score_by: Literal["letter", "text"]
) -> ChoiceTest:
    """A test that asks an item: the prompt is whole, and nothing is to be added to it."""
    return {
        "id": test_id,
        "prompt": prompt,
        "eval_method": "multiple_choice",
        "choices": list(item.options),
        "expected": item.letter,
        "score_by": score_by,
        "render": False,
        "temperature": 0,
        "description": str(item.place),
        "tags": [item.subject, *item.tags],
    }


def files_of_suite(made: ConvertedBenchmark) -> dict[str, str]:
    about = {
        "title": made.title,
        "version": made.version,
        "language": "en",
        "weights": dict(made.weights),
    }
    files = {f"{name}.json": _lines(tests) for name, tests in made.categories.items()}
    files[SUITE_FILE] = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
    files[DROPPED_FILE] = _dropped_lines(made.dropped)
    return files


def _lines(tests: Sequence[ChoiceTest]) -> str:
    """One test a line: an editor opens it, and a difference shows the test that changed."""
    rows = ",\n".join(json.dumps(test, ensure_ascii=False) for test in tests)
    return f"[\n{rows}\n]\n"


def _dropped_lines(dropped: Sequence[Dropped]) -> str:
    rows = [("subject", "file", "row", "reason", "like_file", "like_row")]
    for one in dropped:
        like = ("", "") if one.like is None else (one.like.name, str(one.like.row))
        rows.append((one.subject, one.place.name, str(one.place.row), one.reason, *like))
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)


Reason = Literal["repeated", "other_options", "contradictory", "shown", "equal_options"]

# A mark at the end of a word is prose; inside one it may be mathematics: (1,2) is not (12).
_PROSE = re.compile(r"\s*[.,;:?]+(?=\s|$)")
_CAPITALISED = re.compile(r"(?<!\S)[A-Z][a-z]{2,}(?!\S)")
# "1.5 x 10^8 m/s" and "1.5 * 10^8 m/s" are one answer, and two copies of a question differ in it.
_TIMES = re.compile(r"(?<=\d)\s*[x×*·⋅]\s*(?=\d)")
_ABOUT_OTHERS = re.compile(
    r"(?:\w+ )?(?:of )?(?:the above|these|those)"
    r"|(?:both |neither )?[A-D](?:,? (?:and|or|nor) [A-D])+",
    re.IGNORECASE,
)

_Key = tuple[str, str, frozenset[str]]  # words, right answer, all options


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """An item that is not asked, why, and the one that it is too much like."""

    subject: str
    place: RowPlace
    reason: Reason
    like: RowPlace | None = None


class Sieve:
    """Takes one category after another; a later one never takes anything from an earlier one."""

    def __init__(self) -> None:
        self._first: dict[_Key, BenchmarkItem] = {}
        self._rights: dict[tuple[str, frozenset[str]], dict[str, BenchmarkItem]] = {}

    def keep(
        self, items: Sequence[BenchmarkItem], shots: Sequence[BenchmarkItem] = ()
    ) -> tuple[list[BenchmarkItem], list[Dropped]]:
        """The items of a category that ask something of their own, and the others. `shots`: the
        worked examples of all its subjects; an item is compared with those of its own.
        """
        examples = {(shot.subject, key): shot for shot in reversed(shots) for key in _keys(shot)}
        for item in items:
            words, right, options = _whole(item)
            self._rights.setdefault((words, options), {}).setdefault(right, item)
        kept: list[BenchmarkItem] = []
        dropped: list[Dropped] = []
        for item in items:
            if reason := self._why_not(item, examples):
                dropped.append(reason)
            else:
                kept.append(item)
            for key in _keys(item):
                self._first.setdefault(key, item)
        return kept, dropped

    def _why_not(
        self, item: BenchmarkItem, examples: Mapping[tuple[str, _Key], BenchmarkItem]
    ) -> Dropped | None:
        if len({" ".join(option.split()) for option in item.options}) < len(item.options):
            return _dropped(item, "equal_options")
        words, right, options = _whole(item)
        for another, other in self._rights[words, options].items():
            if another != right:
                return _dropped(item, "contradictory", other)
        for key in _keys(item):
            if shot := examples.get((item.subject, key)):
                return _dropped(item, "shown", shot)
            if first := self._first.get(key):
                same = _whole(first) == _whole(item)
                return _dropped(item, "repeated" if same else "other_options", first)
        return None


def _dropped(item: BenchmarkItem, reason: Reason, like: BenchmarkItem | None = None) -> Dropped:
    place = None if like is None else like.place
    return Dropped(subject=item.subject, place=item.place, reason=reason, like=place)


def _keys(item: BenchmarkItem) -> Iterator[_Key]:
    """Two items that share one of these are the same question."""
    yield _whole(item)
    right = _plain(item.options[item.answer])
    if not _ABOUT_OTHERS.fullmatch(right):
        yield _plain(item.question), right, frozenset()


def _whole(item: BenchmarkItem) -> _Key:
    """All of it, without the capitals of words unless only they distinguish the options."""
    words, texts = _plain(item.question), [_plain(option) for option in item.options]
    small = [_uncapitalised(text) for text in texts]
    if len(set(small)) == len(set(texts)):
        words, texts = _uncapitalised(words), small
    return words, texts[item.answer], frozenset(texts)


@lru_cache(maxsize=100_000)
def _plain(text: str) -> str:
    text = _TIMES.sub("*", text.replace("\N{MINUS SIGN}", "-"))
    spaced = " ".join(unicodedata.normalize("NFC", text).split())
    return " ".join(_PROSE.sub(" ", spaced).split()) or spaced


def _uncapitalised(words: str) -> str:
    return _CAPITALISED.sub(lambda word: word[0].lower(), words)
