"""Curves as CSV: one row a checkpoint, nothing rounded, nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from assay.reports.checkpoints.curves import curves_csv
from assay.reports.checkpoints.figures import EvaluatedFolder
from tests.reports.evaluated_folders import (
    GATE,
    checkpoint,
    evaluated,
    samples,
    suite_of,
    three,
    twelve,
)


def rows(of: EvaluatedFolder) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(curves_csv(of), newline="")))


def test_every_checkpoint_is_a_row_in_step_order() -> None:
    found = rows(twelve())
    assert [row["step"] for row in found] == [*(str(1000 * n) for n in range(1, 13)), ""]
    assert found[-1]["checkpoint"] == "tiny/final"


def test_a_figure_has_its_value_both_limits_and_n() -> None:
    first = rows(three())[0]
    assert [first[f"perplexity{part}"] for part in ("", "_low", "_high", "_n")] == [
        "137.1", "133.1", "141.1", "27",
    ]  # fmt: skip
    assert float(first["os_benchmark.avg"]) == pytest.approx(0.04)
    assert first["os_benchmark.installation_n"] == "100"
    assert [first[f"inference_speed{part}"] for part in ("", "_n")] == ["410", "3"]
    assert first["bits_per_byte"] == "1.5"
    assert float(first["weighted_score"]) == 4 / 137.1


def test_what_was_not_measured_is_empty_and_never_0() -> None:
    found = rows(twelve())[5]
    assert found["failed"] == "weights are not finite"
    assert {found[name] for name in found} == {
        "tiny/step_6000", "6000", "", "false", "weights are not finite",
    }  # fmt: skip
    assert rows(three())[0]["mmlu_cs"] == ""


def test_the_decision_stands_beside_the_figures() -> None:
    found = rows(three())
    assert [row["accepted"] for row in found] == ["false", "false", "true"]
    assert [row["selected"] for row in found] == ["false", "false", "true"]
    assert rows(EvaluatedFolder(checkpoints=[checkpoint("a", 1)], gate=GATE))[0]["accepted"] == ""


def test_samples_that_loop_are_counted() -> None:
    one = replace(checkpoint("a/1", 1), samples=samples(failing=2, of=12))
    (row,) = rows(evaluated([one]))
    assert (row["generation_failures"], row["generation_failures_n"]) == ("2", "12")


def test_suites_of_later_checkpoints_have_columns_too() -> None:
    late = replace(checkpoint("a/2", 2), suites={"ewe": suite_of(0.5, ("greet",))})
    found = rows(evaluated([checkpoint("a/1", 1), late]))
    assert [row["suite:ewe.greet"] for row in found] == ["", "0.5"]
    assert [row["suite:ewe.score"] for row in found] == ["", "50"]


@pytest.mark.parametrize("name", ["=1+1", "+cmd|'/c calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx"])
def test_a_name_is_no_formula(name: str) -> None:
    suites = {name: suite_of(0.5, ("a",))}
    one = replace(checkpoint(name, 1, failed=name), suites=suites)
    text = curves_csv(evaluated([one]))
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["checkpoint"] == "'" + name
    assert row["failed"] == "'" + name
    cells = [cell for line in csv.reader(io.StringIO(text, newline="")) for cell in line]
    assert [c for c in cells if c.startswith(("=", "+", "-", "@", "\t", "\r"))] == []


def test_a_name_that_is_a_plain_number_stays_one() -> None:
    (row,) = rows(evaluated([checkpoint("-5", 1)]))
    assert row["checkpoint"] == "-5"


def test_names_with_commas_quotes_and_broken_characters_can_be_written() -> None:
    text = curves_csv(evaluated([checkpoint('a,"b"\nc\ud800', 1)]))
    text.encode("utf-8")
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["checkpoint"] == 'a,"b"\nc\\ud800'


def test_no_checkpoints_leave_a_heading() -> None:
    assert curves_csv(evaluated([])) == "checkpoint,step,accepted,selected,failed\r\n"
