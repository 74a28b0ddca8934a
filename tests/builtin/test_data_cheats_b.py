"""Answers that try to pass DT-04, DT-05 and DT-06 without solving them end at a quarter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import assay
from assay.checkers import Made, fill, gather, make_files
from assay.sandbox import open_sandbox

SUITE = Path(assay.__file__).parent / "builtin/suites/data"
FOLDERS = ("dt_04_data_validation", "dt_05_quarterly_report", "dt_06_patterns")
SEEDS = range(4)  # each cheat is tried at one of them, in turn
HEADINGS = "".join(
    f"## {name}\n\nSee the block.\n\n"
    for name in ("Executive summary", "Key metrics", "What changed", "Risks", "Recommendations")
)


def change_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key: change_leaves(one, change) for key, one in value.items()}
    if isinstance(value, list):
        return [change_leaves(one, change) for one in value]
    return change(value)


def list_cheats(made: Made, right: dict[str, Any], prompt: str, other: str) -> Iterator[str]:
    data = "\n".join(made.files.values())
    words = sorted(set(re.findall(r"[^\s,]+", data)))
    numbers = [float(word) for word in words if re.fullmatch(r"-?\d+(\.\d+)?", word)]
    example = prompt.rpartition("```json")[2].partition("```")[0]
    rng = Random(0)

    def block(value: Any) -> str:
        return f"```json\n{json.dumps(value)}\n```\n"

    def is_number(leaf: Any) -> bool:
        return isinstance(leaf, int | float) and not isinstance(leaf, bool)

    changes: list[Callable[[Any], Any]] = [
        lambda leaf: [leaf, rng.choice(words)],  # a list of candidates
        lambda leaf: [leaf],
        lambda leaf: f"{leaf} or {rng.choice(words)}",
        lambda leaf: f"{leaf} to {leaf * 2}" if is_number(leaf) else f"{leaf} / {words[0]}",
        lambda leaf: f"between 0 and {leaf}",
        lambda leaf: True,
        lambda leaf: None,
        lambda leaf: {"value": leaf},
        lambda leaf: 10**400 if is_number(leaf) else leaf * 50 if leaf else leaf,
        lambda leaf: 1e300,
        lambda leaf: " ".join(words),  # texts with all numbers
        lambda leaf: words,
        lambda leaf: rng.choice(numbers) if is_number(leaf) else rng.choice(words),
        lambda leaf: 0 if is_number(leaf) else words[-1],
    ]
    for change in changes:
        yield HEADINGS + block(change_leaves(right, change))
    yield fill(prompt, made.files, made.truth)
    yield other
    yield HEADINGS + block({})
    yield HEADINGS + data
    yield block(right) + f"Or:\n```json{example}```\n"
    yield "".join(block({key: value}) for key, value in right.items())
    pairs = [(key, one) for key, value in right.items() for one in (value, [])]
    twice = ",".join(f"{json.dumps(key)}: {json.dumps(one)}" for key, one in pairs)
    yield f"```json\n{{{twice}}}\n```"
    yield block({"answer": right, "again": [right]})
    yield block([right])
    yield HEADINGS + block(list_everything(right, words))


def list_everything(right: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """Each list and each object holds all that it could."""
    if "problems" not in right:
        return {
            key: dict.fromkeys(words, 1) if isinstance(value, dict) else words
            for key, value in right.items()
        }
    records = [word for word in words if re.fullmatch(r"[RC]\d+", word)]
    kinds = {problem["kind"] for problem in right["problems"]}
    reasons = {one["reason"] for one in right["odd_but_sound"]}
    return right | {
        "problems": [{"records": [r], "kind": k, "value": 0} for r in records for k in kinds],
        "odd_but_sound": [{"records": [r], "reason": why} for r in records for why in reasons],
    }


@pytest.mark.parametrize("name", FOLDERS)
def test_no_cheat_gets_more_than_a_quarter(name: str) -> None:
    folder = SUITE / name
    prompt, reference = (folder / "prompt.md").read_text(), (folder / "reference.md").read_text()
    made = make_files(folder, (*SEEDS, len(SEEDS)), None)
    answers = [fill(reference, one.files, one.truth) for one in made]
    items = []
    for seed in SEEDS:
        right = json.loads(answers[seed].rpartition("```json")[2].partition("```")[0])
        cheats = list(list_cheats(made[seed], right, prompt, answers[seed + 1]))
        items += [(cheat, made[seed]) for cheat in cheats[seed :: len(SEEDS)]]
    found = gather(folder, items, open_sandbox())
    assert len(found) >= 10
    for (cheat, _), evidence in zip(items, found, strict=True):
        assert not evidence.missing
        assert (evidence.share or 0) <= Fraction(1, 4), cheat[:2000]
