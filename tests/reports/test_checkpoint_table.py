"""The table of checkpoints: whole numbers at any width, the important columns first."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from assay.reports.checkpoints.figures import EvaluatedFolder
from assay.reports.checkpoints.table import checkpoint_table
from assay.reports.formats.markdown import render_markdown
from assay.reports.formats.terminal import console_for, draw
from assay.types import Health
from assay.types.decisions import Acceptance, GateCriterion, Sample, SuiteLimit
from tests.reports.evaluated_folders import (
    GATE,
    checkpoint,
    estimate,
    evaluated,
    hostile,
    many,
    samples,
    suite_of,
    three,
    twelve,
)


def drawn(of: EvaluatedFolder, width: int) -> list[str]:
    stream = io.StringIO()
    draw([checkpoint_table(of)], console_for(stream, width=width))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def heads(of: EvaluatedFolder, width: int) -> list[str]:
    """The words above the rule; a long head takes two lines."""
    lines = drawn(of, width)
    above = lines[: next(place for place, line in enumerate(lines) if "──" in line)]
    return [word for line in above for word in line.split()]


def checkpoint_markdown(of: EvaluatedFolder) -> str:
    return render_markdown([checkpoint_table(of)])


def everything() -> EvaluatedFolder:
    """Every figure there can be."""
    of = three()
    return replace(
        of,
        checkpoints=[
            replace(
                each,
                mmlu_cs=estimate(0.271, 0.24, 0.3, 500),
                hellaswag=estimate(0.311, 0.28, 0.33, 400),
                samples=samples(failing=3, of=12),
                suites={**each.suites, "technical": suite_of(0.6, ("basic", "hard"))},
            )
            for each in of.checkpoints
        ],
    )


def test_eighty_columns_hold_what_the_gate_asks_for() -> None:
    """With intervals, which are never left out; what has no room is counted below."""
    lines = drawn(everything(), 80)
    assert lines[0].split() == ["checkpoint", "accepted", "perplexity", "os_benchmark"]
    assert lines[2].split() == ["step_160", "no", "137.1", "[133.1–141.1]", "0.040",
                                "[0.017–0.063]"]  # fmt: skip
    assert lines[4].startswith("step_8000 (selected)  yes")
    assert lines[5] == "9 more columns with -v"


def test_wide_terminals_have_every_figure_and_the_intervals() -> None:
    assert heads(everything(), 400) == [
        "checkpoint", "accepted", "perplexity", "top-1", "top-5", "os_benchmark", "technical,",
        "points", "mmlu_cs", "hellaswag", "tokens/s", "MB", "failures",
        "coherent",
    ]  # fmt: skip
    assert "137.1 [133.1–141.1] n=27" in drawn(everything(), 400)[2]


def test_more_room_never_costs_a_column() -> None:
    before: set[str] = set()
    for width in range(80, 250, 12):
        now = set(heads(everything(), width))
        assert before <= now, width
        before = now


@pytest.mark.parametrize("width", [40, 80, 132])
@pytest.mark.parametrize("folder", [three, twelve, hostile, everything, many])
def test_no_line_is_too_long_and_no_number_broken(folder, width: int) -> None:
    lines = drawn(folder(), width)
    assert max(cell_len(line) for line in lines) <= width
    assert "…" not in "".join(lines[:1])


def test_accepted_is_yes_no_or_unknown_and_marginal_in_words() -> None:
    of = three()
    unknown = Acceptance(accepted=None, criteria={})
    shown = replace(of, acceptances={**of.acceptances, "tiny/step_160": unknown})
    assert [accepted(line) for line in drawn(shown, 250)[2:5]] == ["?", "no, marginal", "yes"]


def accepted(row: str) -> str:
    return re.split(" {2,}", row)[1]


def test_a_refusal_is_marginal_only_if_every_missed_limit_is() -> None:
    near = GateCriterion(passed=True, marginal=True, value=49, limit=50, reasons=())
    missed = GateCriterion(passed=False, marginal=False, value=0.5, limit=0.9, reasons=())
    of = evaluated([checkpoint("a/1", 1)])
    words = []
    for second in (missed, replace(missed, marginal=True)):
        criteria = {"perplexity": near, "os_benchmark": second}
        refused = {"a/1": Acceptance(accepted=False, criteria=criteria)}
        words.append(accepted(drawn(replace(of, acceptances=refused), 80)[-1]))
    assert words == ["no", "no, marginal"]


def test_a_failed_checkpoint_has_no_figures_and_says_so() -> None:
    (row,) = [line for line in drawn(twelve(), 250) if "step_6000" in line]
    assert set(row.split()) == {"step_6000", "–", "failed"}


def test_samples_that_fail_are_counted_where_no_gate_did() -> None:
    one = replace(checkpoint("a/1", 1), samples=(*samples(failing=1, of=2), broken()))
    assert drawn(evaluated([one]), 120)[-1].split()[:4] == ["1", "?", "1", "n=2"]


def test_the_count_of_the_gate_is_the_one_that_is_shown() -> None:
    one = replace(checkpoint("a/1", 1), samples=samples(failing=1, of=2))
    asked = GateCriterion(passed=False, marginal=False, value=2, limit=0, reasons=())
    refused = Acceptance(accepted=False, criteria={"generation": asked})
    of = replace(evaluated([one]), acceptances={"a/1": refused})
    assert drawn(of, 80)[-1].split()[:4] == ["1", "no", "2", "n=2"]


def broken() -> Sample:
    return Sample(id="b", prompt="p", text="", health=None, failed="out of memory")


def test_a_sample_with_notes_only_is_no_failure() -> None:
    fine = Sample(id="b", prompt="p", text="", health=Health(checks=()))
    one = replace(checkpoint("a/1", 1), samples=(fine,))
    assert drawn(evaluated([one]), 120)[-1].split()[:4] == ["1", "?", "0", "n=1"]


def test_a_suite_of_ones_own_takes_the_place_of_os() -> None:
    gate = replace(GATE, suites=(SuiteLimit(name="ewe", min=0.4),))
    one = checkpoint("a/1", 1, perplexity=40, os=0.25)
    one = replace(one, suites={**one.suites, "ewe": suite_of(0.5, ("greet", "count"))})
    of = evaluated([one], gate=gate)
    assert heads(of, 72) == ["checkpoint", "accepted", "perplexity", "suite:ewe"]
    assert "os_benchmark" in heads(of, 160)


def test_hostile_names_are_shown_and_not_obeyed() -> None:
    text = "\n".join(drawn(hostile(), 200))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "<script>alert(1)" in text


def test_markdown_has_every_figure_with_interval_and_n() -> None:
    head, rule, *rows = checkpoint_markdown(everything()).splitlines()
    assert head.split(" | ")[1:4] == ["accepted", "perplexity", "top-1"]
    assert len(head.split(" | ")) == len(rule.split(" | ")) == len(rows[0].split(" | "))
    assert rows[0].startswith(r"| step_160 | no | 137.1 \[133.1–141.1\] n=27 | ")
    assert rows[2].startswith(r"| **step_8000 (selected)** | ")
    assert " | no, marginal | " in rows[1]


def test_markdown_of_hostile_names_stays_a_table() -> None:
    lines = checkpoint_markdown(hostile()).splitlines()
    assert len(lines) == 2 + len(hostile().checkpoints)
    assert not [line for line in lines if "<script" in line.replace(r"\<", "")]
    named = replace(hostile(), checkpoints=[checkpoint("a | b ` *c*", 1)])
    assert r"| a \| b \` \*c\* |" in checkpoint_markdown(named)
