"""What is right is found right in answers as people and models write them.

The answers in natural/ were written from the facts, before their author had seen the readers: with
headings and tables, terse, in bullets, in steps, in prose, as JSON. All they state is right.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.evidence.json_blocks import with_json_written_out
from assay.fixtures import make
from tests.evidence.data.references import examine, failed

_LEAST = 0.95  # of what there is to find
_FIGURE = re.compile(
    r"(?<![\w.,/])(?<!\w-)[0-9][0-9,]*(?:\.[0-9]+)?(?=[kK]\b|(?![\w/-]|[.,][0-9]))"
)
_SPELLED = re.compile(
    r"\b(?:twenty-four|fifty-seven|thirty-eight|two|three|four|five|six|seven|eight|eleven)\b",
    re.IGNORECASE,
)


class Natural(NamedTuple):
    generator: str
    seed: int
    style: str
    text: str


def _answers() -> list[Natural]:
    found = []
    for path in sorted((Path(__file__).parent / "natural").glob("*.md")):
        generator, seed = path.stem.split(".")
        _, *parts = re.split(r"<!-- (\w+) -->\n\n", path.read_text(encoding="utf-8"))
        found += [
            Natural(generator, int(seed), style, text)
            for style, text in zip(parts[::2], parts[1::2], strict=True)
        ]
    return found


ANSWERS = _answers()
IDS = [f"{one.generator}-{one.seed}-{one.style}" for one in ANSWERS]


def test_each_task_is_answered_in_many_ways() -> None:
    assert len(ANSWERS) == 90
    assert len(set(IDS)) == 90


@pytest.mark.parametrize("one", ANSWERS, ids=IDS)
def test_what_is_right_is_found_and_nothing_right_is_called_wrong(one: Natural) -> None:
    evidence = examine(one.generator, one.text, one.seed)
    assert evidence.passed >= _LEAST * evidence.total, failed(evidence)
    assert not [note for note in evidence.notes if "wrong" in note]


@pytest.mark.parametrize("one", ANSWERS[::4], ids=IDS[::4])
def test_the_same_words_with_other_figures_are_not_right(one: Natural) -> None:
    changed = _SPELLED.sub("several", _FIGURE.sub(_another, one.text))
    checks = [
        check
        for check in examine(one.generator, changed, one.seed).checks
        if check.group == "figures"
    ]
    passed = [check.explanation for check in checks if check.passed]
    assert not passed


def _another(match: re.Match[str]) -> str:
    shown = match[0]
    places = len(shown.partition(".")[2])
    value = float(shown.replace(",", "")) * 1.37 + 5113
    return f"{value:,.{places}f}" if "," in shown else f"{value:.{places}f}"


def _turned(text: str, names: list[str]) -> str:
    """The text with each name replaced by the next one."""
    after = dict(zip((one.casefold() for one in names), names[1:] + names[:1], strict=True))
    pattern = "|".join(rf"\b{re.escape(one)}" for one in names)
    return re.sub(pattern, lambda match: after[match[0].casefold()], text, flags=re.IGNORECASE)


@pytest.mark.parametrize(
    ("generator", "things", "lost"),
    [
        ("sales_table", "customers", ["top customer", "customer amount 1", "customer amount 5"]),
        ("sales_table", "products", ["top product by amount", "top product by units", "most units",
                                     "product amount 1", "product amount 4"]),
        ("quarter_figures", "lines", ["line revenue 1", "line revenue 2", "adverse trend"]),
        ("dirty_records", "records", ["duplicate record", "impossible date", "wrong total",
                                      "delivered before ordered", "wrong unit", "unknown customer",
                                      "negative quantity", "right total", "right weight"]),
        ("customer_events", "segments", ["first week", "last week"]),
    ],
)  # fmt: skip
def test_what_is_said_of_another_thing_is_not_right(
    generator: str, things: str, lost: list[str]
) -> None:
    for one in ANSWERS[::2]:
        if one.generator == generator:
            named = make(generator, one.seed).facts[things]
            names = [each if isinstance(each, str) else each["name"] for each in named]
            evidence = examine(generator, _turned(one.text, names), one.seed)
            assert set(lost) <= failed(evidence), (one.seed, one.style)


@pytest.mark.parametrize(
    ("generator", "answer", "name"),
    [
        ("sales_table", "Share of completed orders: 45.8%", "completed share"),
        ("sales_table", "The largest order is A2432 with an amount of €616.", "largest order"),
        ("sales_table", "- Largest order\n  - Number: A2432\n  - Amount: €616", "largest order"),
        ("sales_table", "The top product by amount is the task chair, and the top product by "
         "units is the foot rest.", "top product by amount"),
        ("sales_table", "The top product by amount is the task chair, and the top product by "
         "units is the foot rest.", "top product by units"),
        ("sales_table", "# Orders\n| Product | Units | € |\n|---|---|---|\n"
         "| foot rest | 89 | 979 |", "product amount 3"),
        ("email_thread", "2 lamps (PO 4706) got wet. The matter is still open.", "open issue"),
        ("quarter_figures", "We ended with 607 customers. Review it after six months.",
         "customers at the end"),
        ("quarter_figures", "We lost 57 customers, up from 38.", "customers lost before"),
        ("customer_events", "## Cyclists\n| Week | 1 | 2 | 6 |\n|---|---|---|---|\n"
         "| Orders | 101 | 90 | 47 |", "last week"),
    ],
)  # fmt: skip
def test_a_single_sentence_is_enough(generator: str, answer: str, name: str) -> None:
    evidence = examine(generator, answer, 3)
    assert name not in failed(evidence)
    assert not [note for note in evidence.notes if "wrong" in note]


def test_json_is_read_as_a_list() -> None:
    block = [
        '{"top": [1, 2], "largest_order": {"order": "A1", "amount": 5.50},',
        ' "rows": [{"id": "A", "n": 1}, {"id": "B", "n": 2}],',
        ' "deep": {"a": {"b": 1}}}',
    ]
    written = [
        "- top: 1, 2",
        "- largest order: order: A1, amount: 5.50",
        "- rows:",
        "  - id: A, n: 1",
        "  - id: B, n: 2",
        "- deep:",
        "  - a: b: 1",
    ]
    assert with_json_written_out(block, lambda line: False) == written
    fenced = ["So:", "```json", *block, "```"]
    assert with_json_written_out(fenced, lambda line: False)[2:-1] == written
    assert with_json_written_out(fenced, lambda line: "rows" in line) == fenced
    for rubbish in (
        ["{"],
        ["[" * 9_000],
        ["[" * 900 + "]" * 900],
        ["```", "{"],
        ["```json", "[1", "```"],
        [],
    ):
        assert with_json_written_out(rubbish, lambda line: False) == rubbish
