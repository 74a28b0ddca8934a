"""Imported evaluations: which answer of a run each is about.

In: evaluations in the standard format, a run and its suites. Out: judgements by answer, and a
sentence for everything about them that is not as it should be: wrong sums, unknown tests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from assay.messages import tr
from assay.reports.judged.evaluation_reading import Imported
from assay.store import Run, RunModel
from assay.types import Suite
from assay.types.judgements import Judgement

Assigned = dict[tuple[int, str, str, int], list[Judgement]]


def assigned(
    evaluations: Sequence[Imported], run: Run, suites: Sequence[Suite]
) -> tuple[Assigned, list[str]]:
    """Judgements by position of the model, suite, test and repeat (always the first)."""
    found: Assigned = defaultdict(list)
    notes = [str(finding) for each in evaluations for finding in each.findings]
    tests: dict[str, list[str]] = defaultdict(list)
    for suite in suites:
        for case in suite.cases:
            if case.check.judged:
                tests[case.id].append(suite.name)
    for evaluation in evaluations:
        model = _model_of(evaluation, run)
        its_suites = tests.get(evaluation.test_id, [])
        if not its_suites:
            notes.append(_left_out(evaluation, tr("the run has no such judged test")))
        elif len(its_suites) > 1:
            several = tr("{suites} have a test of this id", suites=", ".join(its_suites))
            notes.append(_left_out(evaluation, several))
        elif model is None:
            known = ", ".join(each.spec for each in run.models)
            why = tr("the run has no such model, only {known}", known=known)
            notes.append(_left_out(evaluation, why))
        elif not evaluation.duplicate:
            key = (model.position, its_suites[0], evaluation.test_id, 0)
            found[key].append(evaluation.judgement)
    return dict(found), notes


def _model_of(evaluation: Imported, run: Run) -> RunModel | None:
    """By its name, spec or folder; a run of one model needs no name."""
    said = evaluation.model.strip().casefold()
    for model in run.models:
        if said in (model.spec.casefold(), model.slug.casefold(), model.facts.name.casefold()):
            return model
    return run.models[0] if len(run.models) == 1 and not said else None


def _left_out(evaluation: Imported, why: str) -> str:
    return tr(
        "{file}:{line}: the evaluation of {test} for {model} is left out: {why}",
        file=evaluation.file,
        line=evaluation.line,
        test=evaluation.test_id or "-",
        model=evaluation.model or "-",
        why=why,
    )
