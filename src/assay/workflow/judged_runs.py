"""What the verdicts of a run say, read back from the store.

In: the store and a run that was judged. Out: Judged, as reports draw it; None where nothing was.
Refuses to know: judges, prompts, and how a figure is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.judged_results import Judged
from assay.results import ModelReport
from assay.store import Run, RunModel, Store
from assay.summary.judged import EarlierRun, JudgedAnswer, JudgedModel, judged
from assay.types import Suite

MOST_EARLIER = 20  # runs that are looked at for a trend


def judged_of(
    store: Store, run: Run, suites: Sequence[Suite], reports: Sequence[ModelReport]
) -> Judged | None:
    """The judged tests of a run. `reports`: its models, in their order."""
    categories = {(suite.name, case.id): case.category for suite in suites for case in suite.cases}
    models = [
        JudgedModel(
            model=model.spec,
            answers=tuple(
                JudgedAnswer(
                    verdict=kept.verdict, category=categories.get((kept.suite, kept.test_id), "")
                )
                for kept in store.verdicts(run, model)
            ),
            performance=report.performance,
            memory_bytes=report.observed.memory_bytes if report.observed else None,
        )
        for model, report in zip(run.models, reports, strict=True)
    ]
    if run.judging is None or not any(model.answers for model in models):
        return None
    return judged(
        models,
        run=run.id,
        when=run.created,
        earlier=tuple(_earlier(store, run)),
        deviations=run.judging.deviations,
        notes=run.judging.notes,
    )


def _earlier(store: Store, run: Run) -> Iterator[EarlierRun]:
    """The runs before this one in which the same models were judged."""
    own = {model.facts.fingerprint: model.spec for model in run.models}
    before = [each for each in store.runs() if each.id != run.id and each.created <= run.created]
    for each in [other for other in before if other.judging][-MOST_EARLIER:]:
        for model in each.models:
            if spec := own.get(model.facts.fingerprint):
                yield from _verdicts(store, each, model, spec)


def _verdicts(store: Store, run: Run, model: RunModel, spec: str) -> Iterator[EarlierRun]:
    verdicts = tuple(kept.verdict for kept in store.verdicts(run, model))
    if verdicts:
        yield EarlierRun(run=run.id, when=run.created, model=spec, verdicts=verdicts)
