"""Answers to DT-01, DT-02 and DT-03 that try to pass without solving them stay at 0.25."""

import json
from random import Random
from re import findall

import pytest

from assay.checkers import fill, gather, make_files
from assay.sandbox import open_sandbox
from assay.types.tests import SHIPPED_SUITES

FOLDERS = ("dt_01_sales_table", "dt_02_email_thread", "dt_03_three_sources")
SEEDS = range(4)  # each cheat is tried at one of them, in turn


def fence(value):
    return f"```json\n{value if isinstance(value, str) else json.dumps(value)}\n```\n"


def replace(value, new):
    """The block with every value that is no object replaced."""
    if isinstance(value, dict):
        return {key: replace(one, new) for key, one in value.items()}
    return new(value)


def double_keys(block):
    text = json.dumps(block)
    return f"{text[:-1]}, {text[1:]}"


def cheats(prompt, made, other):
    """Name to answer. Some know the right values, and give others beside them."""
    right, data = json.loads(made.truth["block"]), "\n".join(made.files.values())
    rng = Random(data)
    numbers, words = findall(r"\b\d+\b", data), findall(r"[A-Z][\w-]+\w", data)
    example = prompt[prompt.rindex("```json") :]

    def draw(value):
        return int(rng.choice(numbers)) if isinstance(value, int | float) else rng.choice(words)

    def with_numbers(value):
        return f"{value}, {', '.join(rng.sample(numbers, 5))}"

    answers = {
        "the prompt's example": example,
        "the right block of another seed": fence(other.truth["block"]),
        "several blocks": example + fence(made.truth["block"]) + fence(other.truth["block"]),
        "an empty block": fence({}),
        "every key twice": fence(double_keys(right)),
        "the right block as one text": fence({"answer": made.truth["block"]}),
        "the data again": fence({"data": data}) + data,
        "right values, wrong keys": fence(dict(zip(right, [*right.values()][::-1], strict=True))),
        "only prose": f"These are all figures: {', '.join(numbers)}; {', '.join(words)}.",
    }
    ways = {
        "lists of values": lambda value: [value, draw(value)],
        "lists of one value": lambda value: [[value]],
        "nested objects": lambda value: {"value": value},
        "ranges": lambda value: f"{value} - {draw(value)}",
        "hedges": lambda value: f"{value} or {draw(value)}",
        "many numbers": with_numbers,
        "everything": lambda value: words + numbers,
        "everything in a text": lambda value: data,
        "booleans": lambda value: True,
        "nulls": lambda value: None,
        "zeros": lambda value: 0,
        "ones": lambda value: 1,
        "huge numbers": lambda value: 10**280,
        "random values": draw,
    }
    return answers | {name: fence(replace(right, way)) for name, way in ways.items()}


@pytest.fixture(scope="module")
def sandbox():
    return open_sandbox()


def in_turn(answers: dict[str, str], seed: int) -> list[tuple[str, str]]:
    return [*answers.items()][seed :: len(SEEDS)]


@pytest.mark.parametrize("name", FOLDERS)
def test_no_cheat_gets_more_than_a_quarter(name, sandbox):
    folder = SHIPPED_SUITES / "data" / name
    prompt = (folder / "prompt.md").read_text("utf-8")
    made = make_files(folder, [*SEEDS, len(SEEDS)], None)
    reference = (folder / "reference.md").read_text("utf-8")
    right = [(fill(reference, one.files, one.truth), one) for one in made]
    right += [(fence(one.truth["block"]), one) for one in made]
    tried = [
        (seed, cheat, answer)
        for seed in SEEDS
        for cheat, answer in in_turn(cheats(prompt, made[seed], made[seed + 1]), seed)
    ]
    items = right + [(answer, made[seed]) for seed, _, answer in tried]
    found = gather(folder, items, sandbox)
    assert [one.share for one in found[: len(made)]] == [1] * len(made)
    assert all(0.2 < one.share < 0.3 for one in found[len(made) : len(right)])
    for (seed, cheat, _), evidence in zip(tried, found[len(right) :], strict=True):
        assert not evidence.missing
        if cheat == "only prose":  # left to a judge, and without one no answer
            assert evidence.share is None
            assert not any(check.passed for check in evidence.checks)
        else:
            assert evidence.share <= 0.25, (seed, cheat, evidence.share)
