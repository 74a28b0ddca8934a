"""A report earns no more than it has right; a guess counts only beside what is computed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from assay.checkers import Made, gather, make_files
from assay.checking import state_lines
from assay.sandbox import open_sandbox
from assay.types.judging.judgements import Evidence
from assay.types.tests import SHIPPED_SUITES

DATA = SHIPPED_SUITES / "data"
FOLDERS = {
    "dt_01_sales_table": ("Summary", "Customers", "Products", "Status", "Insight"),
    "dt_02_email_thread": ("Orders", "Timeline", "Issues"),
    "dt_03_three_sources": (
        "Shortages", "Late orders", "Damage", "Broken references", "Lost shipment",
        "Amount at risk", "Customers", "Conclusions",
    ),
    "dt_05_quarterly_report": (
        "Executive summary", "Key metrics", "What changed", "Risks", "Recommendations",
    ),
    "dt_06_patterns": ("Weekly pattern", "Segments", "Mailings", "Forecast", "Advice"),
}  # fmt: skip
PROSE = (
    "Whoever reads these lines should compare them with the records that they came from, because "
    "nobody else has done so yet, and some parts may still need a second look before the meeting."
)


def garble(value: Any, rng: Random, right: float) -> Any:
    """The same with some values wrong: each stays right with this probability."""
    if isinstance(value, dict):
        return {key: garble(one, rng, right) for key, one in value.items()}
    if rng.random() < right:
        return value
    if isinstance(value, list):
        return ["1999-12-31"]
    return round(1.7 * value + 11, 1) if isinstance(value, int | float) else "Norwick"


def write(block: dict[str, Any], headings: tuple[str, ...]) -> str:
    lines = "\n".join(state_lines(block).values())
    parts = [f"## {name}\n\n{PROSE}\n" for name in headings]
    return "\n".join([*parts, lines, "\n```json", json.dumps(block), "```"])


def values_right(found: Evidence) -> float:
    """The weight of the values that are right, by that of all."""
    other = ("report_", "section_", "only_asked_keys", "nothing_invented", "length")
    values = [one for one in found.checks if not one.name.startswith(other)]
    return sum(one.weight for one in values if one.passed) / sum(one.weight for one in values)


def answers(made: Made, headings: tuple[str, ...]) -> Iterator[str]:
    block = made.truth.get("block") or made.truth["right"]
    right = json.loads(block) if isinstance(block, str) else block
    for number in range(12):
        yield write(garble(right, Random(number), (number + 1) / 12), headings)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_report_earns_no_more_than_it_has_right(name: str) -> None:
    (made,) = make_files(DATA / name, [3], None)
    items = [(answer, made) for answer in answers(made, FOLDERS[name])]
    found = gather(DATA / name, items, open_sandbox())
    shares = [one.share or 0 for one in found]
    rights = [values_right(one) for one in found]
    assert shares[-1] == rights[-1] == 1
    assert min(rights) < 0.3 < max(rights[:-1])
    for share, right in zip(shares, rights, strict=True):
        assert share <= right + 0.02  # that nothing was invented counts a little beside


@pytest.mark.parametrize("seed", range(3))
def test_what_could_be_guessed_earns_nothing_without_what_is_computed(seed: int) -> None:
    """The segment, the days and the word in the prompt, in DT-06, with every figure wrong."""
    (made,) = make_files(DATA / "dt_06_patterns", [seed], None)
    right = made.truth["block"]
    guessed = garble(right, Random(0), 0) | {
        key: right[key] for key in ("busiest_weekday", "declining_segment", "mailings", "lag_days")
    }
    guessed["week_7"] |= {"segment": right["declining_segment"], "status": "forecast"}
    answer = write(guessed, FOLDERS["dt_06_patterns"])
    (found,) = gather(DATA / "dt_06_patterns", [(answer, made)], open_sandbox())
    assert found.share == 0
    computed = guessed | {"declining_week_6": right["declining_week_6"]}
    answer = write(computed, FOLDERS["dt_06_patterns"])
    (found,) = gather(DATA / "dt_06_patterns", [(answer, made)], open_sandbox())
    told = {one.name for one in found.checks if one.passed}
    assert {"declining_segment", "declining_week_6"} <= told
    assert "lag_days" not in told


def test_one_slip_in_the_e_mails_takes_along_what_follows_from_it_alone() -> None:
    """Two consignments exchanged, and the missing pieces counted wrong."""
    folder = DATA / "dt_02_email_thread"
    (made,) = make_files(folder, [3], None)
    block = json.loads(made.truth["block"])
    first, second, *_ = block["orders"].values()
    first["consignment"], second["consignment"] = second["consignment"], first["consignment"]
    block["missing_pieces"] += 1
    answer = write(block, FOLDERS["dt_02_email_thread"])
    (found,) = gather(folder, [(answer, made)], open_sandbox())
    wrong = {one.name for one in found.checks if not one.passed}
    assert wrong - {"report_untold", "section_3"} == {
        "order_1_consignment", "order_2_consignment", "missing_pieces"
    }  # fmt: skip


def of_quarter(*, prose: str, headings: tuple[str, ...]) -> float:
    """The share of a right block and right lines, behind headings with this text."""
    folder = DATA / "dt_05_quarterly_report"
    (made,) = make_files(folder, [3], None)
    block = made.truth.get("block") or made.truth["right"]
    right = json.loads(block) if isinstance(block, str) else block
    answer = write(right, headings).replace(PROSE, prose)
    (found,) = gather(folder, [(answer, made)], open_sandbox())
    assert found.share is not None
    return float(found.share)


def test_right_values_under_their_headings_are_half_a_report_and_in_a_bare_list_none() -> None:
    headings = FOLDERS["dt_05_quarterly_report"]
    assert of_quarter(prose="", headings=()) <= 0.4
    assert 0.4 < of_quarter(prose="Seen.", headings=headings) < 0.7
    assert of_quarter(prose=PROSE, headings=headings) == 1


def test_a_report_that_is_far_too_long_is_not_among_the_best() -> None:
    headings = FOLDERS["dt_05_quarterly_report"]
    assert of_quarter(prose=f"{PROSE} " * 10, headings=headings) < 0.9
