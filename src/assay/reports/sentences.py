"""Sentences that several reports share.

In: parts of a Report. Out: whole, translated sentences and names, as plain text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.messages import tr, trn
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate, Outcome
from assay.types.results import (
    Baselines,
    ModelReport,
    Report,
    SuiteSummary,
)

SHOWN_CONSTANT = 40  # characters of a constant answer that are shown


def outcome(which: Outcome) -> str:
    """An outcome as a reader says it."""
    return {
        Outcome.PASS: tr("pass"),
        Outcome.FAIL: tr("fail"),
        Outcome.NO_ANSWER: tr("no answer"),
        Outcome.UNSCORED: tr("unscored"),
        Outcome.FAILED: tr("failed"),
    }[which]


def outcomes(summary: SuiteSummary) -> str:
    """Every outcome with its count."""
    counted = (
        f"{numbers.count(summary.outcomes.get(which, 0))} {outcome(which)}" for which in Outcome
    )
    return trn(
        "{count} test: {outcomes}",
        "{count} tests: {outcomes}",
        len(summary.tests),
        outcomes=" · ".join(counted),
    )


def baselines(known: Baselines) -> Iterator[tuple[str, Estimate]]:
    """The three baselines, named."""
    yield tr("an empty answer"), known.empty
    yield tr("the prompt echoed"), known.echoed
    constant = one_line(known.constant_answer, longest=SHOWN_CONSTANT)
    yield tr("always “{constant}”", constant=constant), known.constant


def baselines_sampled(known: Baselines) -> str | None:
    """Said where the baselines were computed on a sample."""
    asked = known.empty.n + known.empty.unscored
    if asked >= known.tests:
        return None
    return tr(
        "Baselines from a seeded sample of {asked} of {tests} tests.",
        asked=numbers.count(asked),
        tests=numbers.count(known.tests),
    )


def state(report: Report) -> str:
    """When a run began and ended, or that it has not."""
    if report.finished is None:
        return tr("started {created}, unfinished", created=report.created)
    return tr("{created} to {finished}", created=report.created, finished=report.finished)


def _why_requests_failed(model: ModelReport) -> Iterator[str]:
    """The commonest reason, once: forty lines of it help nobody."""
    reasons = Counter(
        row.explanation
        for summary in model.suites
        for row in summary.tests
        if row.outcome is Outcome.FAILED and row.explanation
    )
    for reason, count in reasons.most_common(1):
        yield trn(
            "{count} test failed: {reason}",
            "{count} tests failed: {reason}",
            count,
            reason=reason,
        )


def model_notes(model: ModelReport) -> Iterator[str]:
    """What to know about one model and its scores."""
    yield from speed_notes(model)
    yield from _why_requests_failed(model)
    for summary in model.suites:
        if summary.own:
            yield tr(
                "{suite}: own prompts; their answers are kept and not scored", suite=summary.suite
            )
        elif summary.score.incomplete:
            yield tr(
                "The score of {suite} is incomplete: {unscored} of {total} tests are unscored, "
                "and no gate passes on it.",
                suite=summary.suite,
                unscored=numbers.count(summary.score.unscored),
                total=numbers.count(summary.score.n + summary.score.unscored),
            )


def speed_notes(model: ModelReport) -> Iterator[str]:
    """What to know about one model whatever it scored."""
    if model.fingerprint_is_weak:
        yield tr(
            "The fingerprint of {model} is weak: its server does not say which weights it runs, "
            "so a change of weights behind the name goes unnoticed.",
            model=model.spec,
        )
    yield from model.notes
    if model.observed is not None:
        yield from model.observed.notes


def acceptance(model: ModelReport) -> str | None:
    """Accepted or not, where a gate was asked."""
    if model.accepted is None:
        return None
    return tr("accepted") if model.accepted else tr("not accepted")
