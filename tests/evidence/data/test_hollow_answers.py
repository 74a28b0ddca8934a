"""Answers that say nothing score nothing, and answers that are anything break nothing."""

from __future__ import annotations

import json
import random
import re
from importlib import resources
from typing import Any

import pytest

from assay.fixtures import make
from tests.evidence.data.references import GENERATORS, examine, reference

_SUITE = resources.files("assay") / "builtin" / "suites" / "data"


def _tests() -> dict[str, Any]:
    return {
        test["evidence"]: test
        for name in ("extracting", "connecting", "reporting")
        for test in json.loads((_SUITE / f"{name}.json").read_text(encoding="utf-8"))
    }


def _prompt(generator: str, seed: int) -> str:
    prompt: str = _tests()[generator]["prompt"]
    for name, text in make(generator, seed).files.items():
        assert f"{{{{{name}}}}}" in prompt
        prompt = prompt.replace(f"{{{{{name}}}}}", text)
    return prompt


def _share(generator: str, answer: str, seed: int = 0) -> float:
    evidence = examine(generator, answer, seed)
    return evidence.passed / evidence.total


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("answer", ["", "   \n", ".", "I cannot help with that.", "42", "{}"])
def test_an_empty_or_constant_answer_passes_nothing(generator: str, answer: str) -> None:
    assert _share(generator, answer) == 0


@pytest.mark.parametrize("generator", GENERATORS)
def test_the_echoed_prompt_passes_next_to_nothing(generator: str) -> None:
    for seed in range(3):
        assert _share(generator, _prompt(generator, seed), seed) <= 0.1


@pytest.mark.parametrize("generator", GENERATORS)
def test_the_data_in_another_layout_are_no_answer(generator: str) -> None:
    lines = [line for text in make(generator, 0).files.values() for line in text.splitlines()]
    table = "\n".join(f"| {line.replace(',', ' | ')} |" for line in lines)
    assert _share(generator, table) <= 0.1


@pytest.mark.parametrize("generator", GENERATORS)
def test_figures_at_random_are_no_answer(generator: str) -> None:
    rng = random.Random(generator)
    asked = _tests()[generator]["prompt"].splitlines()
    answer = "\n".join(
        re.sub("[,;:.]", lambda match: f" {rng.randrange(1, 3000)}{match[0]}", line)
        for line in asked
        if line.startswith(("-", "1", "2", "3", "State"))
    )
    assert _share(generator, answer) <= 0.1
    assert _share(generator, " ".join(map(str, range(1, 3000)))) == 0


def test_who_states_every_figure_for_a_fact_has_stated_none() -> None:
    total = make("sales_table", 0).facts["total"]
    answer = "\n".join(f"Total amount: €{value}" for value in range(total - 20, total + 20))
    checks = {check.name: check.passed for check in examine("sales_table", answer, 0).checks}
    assert not checks["total amount"]


@pytest.mark.parametrize("generator", ["dirty_records", "three_sources"])
def test_who_calls_everything_faulty_has_found_nothing(generator: str) -> None:
    names = sorted(set(re.findall(r"\b[A-Z]{1,2}-?\d{2,4}\b", _prompt(generator, 0))))
    faults = (
        "duplicate, wrong total, impossible date, delivered before ordered, unknown customer, "
        "negative quantity, weight in grams, short, late, damaged, not found, not arrived"
    )
    each = "\n".join(f"- {name}: suspicious, {faults}" for name in names)
    assert _share(generator, each) == 0
    assert _share(generator, f"{', '.join(names)} are suspicious: {faults}.") <= 0.15


@pytest.mark.parametrize("generator", GENERATORS)
def test_repeating_the_data_first_does_not_spoil_a_right_answer(generator: str) -> None:
    files = "\n".join(make(generator, 0).files.values())
    assert _share(generator, files + "\n\n" + reference(generator, "tables", 0)) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "1" * 70_000, "1," * 40_000, "|" * 70_000, "*" * 70_000, "(" * 70_000, "_a" * 40_000,
        "\ud800\x00\x1b[31m5 " * 5_000, "```\n" * 9_000, "- total 5\n" * 9_000,
        "| a |\n|---|\n| 5 |\n" * 3_000,
    ],
    ids=["digits", "commas", "pipes", "stars", "brackets", "underscores", "rubbish", "fences",
         "items", "tables"],
)  # fmt: skip
def test_rubbish_passes_nothing_and_breaks_nothing(answer: str) -> None:
    assert _share("sales_table", answer) == 0
