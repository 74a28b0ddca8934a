"""What is right of a list, or beside a wrong neighbour, keeps its share; to list all earns none."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from assay.checkers import Made, gather, make_files
from assay.sandbox import open_sandbox
from assay.types.judging.judgements import Evidence
from assay.types.tests import SHIPPED_SUITES
from tests.builtin.test_partly_right import FOLDERS, write
from tests.builtin.told_otherwise import block_of

DATA = SHIPPED_SUITES / "data"
PROSE = (
    "Whoever reads these lines should compare them with the records that they came from, because "
    "nobody else has done so yet, and some parts may still need a second look before the meeting."
)


def report_on(block: dict[str, Any], made: Made) -> str:
    """The lines of a block of DT-04, as its prompt asks for them."""
    lines = []
    for key, label in (("problems", "kind"), ("odd_but_sound", "reason")):
        for name in dict.fromkeys(one[label] for one in block[key]):
            records = [r for one in block[key] if one[label] == name for r in one["records"]]
            lines.append(f"- {name}: {', '.join(records)}")
    for one in block["problems"]:
        if one["value"] is not None:
            name = "right_total" if one["kind"] == "wrong_total" else "right_weight"
            lines.append(f"- {name}, {one['records'][0]}: {one['value']}")
    lines.append(f"- sound_records: {block['sound_records']}")
    heads = "\n".join(
        f"## {one}\n\n{PROSE}\n" for one in ("Problems", "Odd but sound", "Prevention")
    )
    return heads + "\n".join(lines) + f"\n\n```json\n{json.dumps(block)}\n```\n"


def measure(name: str, answers: list[str], made: Made) -> list[Evidence]:
    return gather(DATA / name, [(one, made) for one in answers], open_sandbox())


def with_false(block: dict[str, Any], kind: str, records: list[str]) -> dict[str, Any]:
    false = [{"records": [one], "kind": kind, "value": None} for one in records]
    return block | {"problems": [*block["problems"], *false]}


@pytest.mark.parametrize("seed", range(3))
def test_false_records_cost_their_own_share_and_to_list_all_earns_nothing(seed: int) -> None:
    name = "dt_04_data_validation"
    (made,) = make_files(DATA / name, [seed], None)
    right = block_of(made)
    faulty = {r for one in right["problems"] for r in one["records"]}
    sound = [one for one in made.truth["records"] if one not in faulty]
    blocks = [with_false(right, "impossible_date", sound[:count]) for count in (0, 1, 2, 4, 9)]
    everything = right
    for kind in dict.fromkeys(one["kind"] for one in right["problems"]):
        everything = with_false(everything, kind, list(made.truth["records"]))
    answers = [report_on(one, made) for one in (*blocks, everything)]
    *found, all_listed = measure(name, answers, made)
    shares = [float(one.share or 0) for one in found]
    assert shares[0] == 1
    assert all(before > after for before, after in pairwise(shares))
    assert shares[2] > 0.85  # two false ones of a kind that weighs 1 of 20
    assert "impossible_date_right" in {one.name for one in found[2].checks if one.passed}
    assert float(all_listed.share or 0) < 0.25


def test_one_of_two_right_records_keeps_half_of_its_kind() -> None:
    name = "dt_04_data_validation"
    (made,) = make_files(DATA / name, [4], None)
    right = block_of(made)
    kinds = [one["kind"] for one in right["problems"]]
    kind = next(one for one in kinds if kinds.count(one) > 1)
    first = next(one for one in right["problems"] if one["kind"] == kind)
    fewer = right | {"problems": [one for one in right["problems"] if one is not first]}
    none = right | {"problems": [one for one in right["problems"] if one["kind"] != kind]}
    full, half, nothing = (
        float(one.share or 0)
        for one in measure(name, [report_on(one, made) for one in (right, fewer, none)], made)
    )
    assert full == 1 > half > nothing
    section = 0.38 / 3.43 / 3  # as many count as the share allows, and both lack one
    assert abs((half - nothing) - (full - half - section)) < 0.005


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "wrong",
    ["busiest_weekday_average", "contacts_after_mailing_average", "declining_week_6",
     "declining_segment", "lag_days"],
)  # fmt: skip
def test_one_wrong_neighbour_takes_no_right_fact_along(wrong: str, seed: int) -> None:
    name = "dt_06_patterns"
    (made,) = make_files(DATA / name, [seed], None)
    right = block_of(made)
    other = "Norwick" if isinstance(right[wrong], str) else round(1.7 * right[wrong] + 11, 1)
    block = right | {wrong: other}
    (found,) = measure(name, [write(block, FOLDERS[name])], made)
    failed = {one.name for one in found.checks if one.passed is False}
    assert failed - {"report_untold", "section_5", "section_4", "nothing_invented"} == {wrong}
