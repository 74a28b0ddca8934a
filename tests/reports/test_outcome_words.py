"""An answer without its block is not checked; one that says nothing is no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.interfaces.web import words
from assay.reports.sentences import outcome_of, outcomes
from assay.stats.estimates import nothing
from assay.summary.comparisons import _flips
from assay.types import OutcomeKind
from assay.types.results import SuiteSummary, TestRow


@pytest.mark.parametrize(("unread", "said"), [(True, "not checked"), (False, "no answer")])
def test_a_report_that_lacks_its_block_is_not_called_no_answer(unread: bool, said: str) -> None:
    row = TestRow(
        id="CT-01",
        category="coding",
        outcome=OutcomeKind.NO_ANSWER,
        score=0.0,
        answer="",
        extracted=None,
        explanation="no block",
        unread=unread,
    )
    assert outcome_of(row) == said
    summary = SuiteSummary(
        suite="coding",
        score=nothing(),
        categories={},
        tests=(row,),
        outcomes={OutcomeKind.NO_ANSWER: 1},
    )
    assert outcomes(summary) == f"1 test: 1 {said}"
    assert words.outcome(row.outcome, row.unread) == said
    (flip,) = _flips([(row, replace(row, outcome=OutcomeKind.PASS, score=1.0, unread=False))])
    assert (flip.unread_a, flip.unread_b) == (said == "not checked", False)
