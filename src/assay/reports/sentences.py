"""What every renderer says in the same words.

In: parts of a Report or Comparison. Out: whole, translated sentences and names, as plain text; each
renderer escapes them its own way.
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
    Comparison,
    Leaderboard,
    ModelReport,
    Report,
    SuiteComparison,
    SuiteRanking,
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
    """The three answers that know nothing, named."""
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
                "The score of {suite} is incomplete: {unscored} of {total} tests could not be "
                "marked, and no gate passes on it.",
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


def verdict(compared: SuiteComparison) -> str:
    """What a comparison found, about the second side."""
    p = numbers.p_value(compared.adjusted_p)
    sign = "" if p.startswith("<") else "= "
    return {
        "better": tr("The second is better (p {p}).", p=sign + p),
        "worse": tr("The second is worse (p {p}).", p=sign + p),
        "undecided": tr("No difference can be told (p {p}).", p=sign + p),
        "nothing_in_common": tr("They share no test that both could mark."),
    }[compared.verdict]


def how_tested(compared: SuiteComparison) -> str:
    """The test behind the p-value and what it counted."""
    return trn(
        "{method} over {count} pair: {gained} higher, {lost} lower; p {p}, {adjusted} by Holm.",
        "{method} over {count} pairs: {gained} higher, {lost} lower; p {p}, {adjusted} by Holm.",
        compared.difference.n,
        method={
            "mcnemar": tr("Exact McNemar"),
            "stratified mcnemar": tr("McNemar by category"),
            "paired bootstrap": tr("Paired bootstrap"),
        }.get(compared.method, compared.method),
        gained=numbers.count(compared.gained),
        lost=numbers.count(compared.lost),
        p=numbers.p_value(compared.p_value),
        adjusted=numbers.p_value(compared.adjusted_p),
    )


def detectable(compared: SuiteComparison) -> str | None:
    """What so few tests could have found."""
    if compared.detectable is None:
        return None
    return trn(
        "With {count} test a true difference of about {points:.0f} points is found four times in "
        "five.",
        "With {count} tests a true difference of about {points:.0f} points is found four times in "
        "five.",
        compared.difference.n,
        points=compared.detectable,
    )


def left_out(compared: SuiteComparison) -> Iterator[str]:
    """Why tests could not be paired, one sentence a reason, naming the first few."""
    why = {
        "only_in_first": tr("only in the first"),
        "only_in_second": tr("only in the second"),
        "changed": tr("changed between the two"),
        "unscored": tr("not marked on one side"),
    }
    for reason, count in Counter(test.reason for test in compared.left_out).items():
        ids = [test.id for test in compared.left_out if test.reason == reason]
        shown = ", ".join(ids[:5]) + (", …" if count > 5 else "")
        yield trn(
            "Left out: {count} test {why} ({ids}).",
            "Left out: {count} tests {why} ({ids}).",
            count,
            why=why[reason],
            ids=shown,
        )


def nothing_to_show(document: Report | Comparison | Leaderboard) -> str | None:
    """Said where a document is empty, with what to do next."""
    if isinstance(document, Report):
        return None if document.models else tr("This run holds no model.")
    if isinstance(document, Comparison):
        return None if document.pairs else tr("There is nothing to compare.")
    if document.suites:
        return None
    return tr("No finished run in {out} has scores: `assay run` makes one.", out=document.out)


def ranking_legend(suite: SuiteRanking) -> Iterator[str]:
    """What = and – mean, where they occur."""
    if any(row.tie for row in suite.rows):
        yield tr("= cannot be told apart from the row above (95 %, unpaired; compare the runs).")
    if any(row.rank is None for row in suite.rows):
        yield tr("– not ranked: more than 5 % of its tests could not be marked.")
