"""What is made of a benchmark: the files of a suite, and what was left out of it.

Two items are the same question if their words, their options in any order and their right answers
are, white space and punctuation at the end of words aside.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.suites.fetching.rows import BenchmarkItem, RowPlace
from assay.suites.suite_file import SUITE_FILE

HARNESS = "lm-evaluation-harness 0.4.13"


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
    dropped: Sequence["Dropped"] = ()
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
    files = {
        SUITE_FILE: json.dumps(about, ensure_ascii=False, indent=2) + "\n",
        "dropped.tsv": _dropped_lines(made.dropped),
    }
    for name, tests in made.categories.items():
        # One test a line: an editor opens it, and a difference shows the test that changed.
        rows = ",\n".join(json.dumps(test, ensure_ascii=False) for test in tests)
        files[f"{name}.json"] = f"[\n{rows}\n]\n"
    return files


def _dropped_lines(dropped: Sequence["Dropped"]) -> str:
    rows = [("subject", "file", "row", "reason", "like_file", "like_row")]
    for one in dropped:
        like = ("", "") if one.like is None else (one.like.name, str(one.like.row))
        rows.append((one.subject, one.place.name, str(one.place.row), one.reason, *like))
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)


Reason = Literal["repeated", "shown", "equal_options"]

# A mark at the end of a word is prose; inside one it may be mathematics: (1,2) is not (12).
_PROSE = re.compile(r"[.,;:?]+(?=\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """An item that is not asked, why, and the one that it is too much like."""

    subject: str
    place: RowPlace
    reason: Reason
    like: RowPlace | None = None


def drop_repeats(
    items: Sequence[BenchmarkItem], shots: Sequence[BenchmarkItem] = ()
) -> tuple[list[BenchmarkItem], list[Dropped]]:
    """The items that ask something of their own, and the others. `shots`: the worked examples of
    all subjects; an item is compared with those of its own.
    """
    examples = {(shot.subject, *_key(shot)): shot.place for shot in shots}
    first: dict[tuple[str, ...], RowPlace] = {}
    kept: list[BenchmarkItem] = []
    dropped: list[Dropped] = []
    for item in items:
        key, like = _key(item), None
        reason: Reason | None = None
        if len(set(map(_plain, item.options))) < len(item.options):
            reason = "equal_options"
        elif like := examples.get((item.subject, *key)):
            reason = "shown"
        elif like := first.get(key):
            reason = "repeated"
        first.setdefault(key, item.place)
        if reason is None:
            kept.append(item)
        else:
            dropped.append(
                Dropped(subject=item.subject, place=item.place, reason=reason, like=like)
            )
    return kept, dropped


def _key(item: BenchmarkItem) -> tuple[str, ...]:
    texts = [_plain(text) for text in item.options]
    return _plain(item.question), texts[item.answer], *sorted(texts)


def _plain(text: str) -> str:
    spaced = " ".join(text.split())
    return " ".join(_PROSE.sub(" ", spaced).split()) or spaced
