"""The card of scores without a gate: who leads whom, or that nobody beats guessing."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.messages import joined, labelled, tr, trn
from assay.reports import sentences
from assay.reports.cards.one_model import methods_in, one_model_each
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.documents import Card, Line, Tone, make_card, one_sentence
from assay.types.results import (
    Cause,
    ModelReport,
    PairComparison,
    Report,
    SuiteComparison,
    SuiteSummary,
)

SHOWN_SUITES = 2  # in a decision
FEW_TESTS = 30  # below, intervals are wide whatever they say
MOST_MORE_TESTS = 100_000  # beyond, nobody writes so many: the two are as good as equal


@dataclass(frozen=True)
class _Finding:
    """What one suite says."""

    clause: str
    tone: Tone
    figures: str


def scores_card(report: Report, next: Line = "") -> Card:
    names = sentences.short_names(report)
    leads = {_led(pair, report): pair for pair in report.leads}
    scored = scored_suites(report)
    found = [_finding(suite, of, leads.get(suite), names) for suite, of in scored.items()]
    first, *others = [each.figures for each in found] or [""]
    return make_card(
        _decision([each.clause for each in found], list(names.values())),
        tone=_tone([each.tone for each in found]),
        reasons=(
            first,
            *cause_sentences(report.models, names),
            *letter_sentences(report.models, names),
            *others,
        ),
        caveats=_caveats(report, scored, names),
        next=next,
    )


def scored_suites(report: Report) -> dict[str, list[tuple[ModelReport, SuiteSummary]]]:
    """By suite; where letters were written by some and read by likelihood of others, by both."""
    scored: dict[str, list[tuple[ModelReport, SuiteSummary]]] = {}
    for model in report.models:
        for each in model.suites:
            if not each.own:
                apart = methods_in(report, each.suite) != [""] and each.method
                named = in_this_way(each.suite, each.method) if apart else each.suite
                scored.setdefault(named, []).append((model, replace(each, suite=named)))
    return scored


def in_this_way(suite: str, method: str) -> str:
    return tr("{suite} ({method})", suite=suite, method=method) if method else suite


def _led(pair: PairComparison, report: Report) -> str:
    """The name of what was led, as `scored_suites` has it."""
    suite = pair.suites[0].suite
    summaries = {model.spec: each for model in report.models for each in model.suites
                 if each.suite == suite}  # fmt: skip
    apart = methods_in(report, suite) != [""] and summaries[pair.b.model].method
    return in_this_way(suite, summaries[pair.b.model].method) if apart else suite


def _decision(clauses: Sequence[str], names: Sequence[str]) -> str:
    said = list(clauses) or [tr("nothing was scored")]
    if len(said) > SHOWN_SUITES:
        left = len(said) - SHOWN_SUITES
        rest = trn("{count} more suite below", "{count} more suites below", left)
        said = [*said[:SHOWN_SUITES], rest]
    return one_line(one_sentence(said, names))


def _tone(tones: Sequence[Tone]) -> Tone:
    return next((tone for tone in ("bad", "warning", "good") if tone in tones), "plain")


def beats_guessing(summary: SuiteSummary) -> bool | None:
    """Whether its interval lies above the best baseline; None: one of the two is not known."""
    guess = summary.baselines.best if summary.baselines else None
    low = summary.score.value if summary.score.low is None else summary.score.low
    return None if guess is None or low is None else low > guess


def _finding(
    suite: str,
    of: Sequence[tuple[ModelReport, SuiteSummary]],
    lead: PairComparison | None,
    names: Mapping[str, str],
) -> _Finding:
    complete = [each for each in of if _is_complete(each[1].score)]
    ranked = sorted(complete, key=lambda each: -(each[1].score.value or 0.0))
    if ranked and all(beats_guessing(summary) is False for _, summary in ranked):
        said = tr("no model beats guessing on {suite}", suite=suite)
        if len(of) == 1:
            name = names[of[0][0].spec]
            said = tr("{model} does not beat guessing on {suite}", model=name, suite=suite)
        return _Finding(said, "bad", _figures(suite, ranked, names))
    if lead is not None:
        found = replace(lead.suites[0], suite=suite)
        clause, tone = lead_clause(found, names[lead.a.model], names[lead.b.model])
        return _Finding(clause, tone, _figures(suite, ranked, names))
    shown = joined(_alone(names[model.spec], each) for model, each in (ranked or of))
    return _Finding(shown, "plain", _figures(suite, ranked, names, again=False))


def _is_complete(score: Estimate) -> bool:
    return score.value is not None and not score.incomplete


def lead_clause(found: SuiteComparison, second: str, first: str) -> tuple[str, Tone]:
    """`first` has the higher score."""
    gaps = {"first": first, "second": second, "suite": found.suite}
    if found.verdict == "better":
        by = numbers.with_unit(found.difference), numbers.ends(found.difference)
        return tr("{first} leads {second} by {by} on {suite}", by=" ".join(by), **gaps), "good"
    more = more_tests(found)
    if more is None:
        return tr("{first} shows no significant difference from {second} on {suite}",
                  **gaps), "warning"  # fmt: skip
    return trn("undecided on {suite}: {first} shows no significant difference from {second}; about "
               "{more} more test would decide it",
               "undecided on {suite}: {first} shows no significant difference from {second}; about "
               "{more} more tests would decide it",
               more, more=numbers.count(more), **gaps), "warning"  # fmt: skip


def more_tests(found: SuiteComparison) -> int | None:
    """How many more pairs find a difference as large as this one four times in five, in two
    digits; None where it is not known, or more than anybody would write.
    """
    by, n = abs(found.difference.value or 0.0), found.difference.n
    if not by or found.detectable is None or n < 2:
        return None
    needed = n * (found.detectable / by) ** 2 - n
    if not 1 <= needed <= MOST_MORE_TESTS:
        return None
    return max(1, int(round(needed, 1 - math.floor(math.log10(needed)))))


def _alone(name: str, summary: SuiteSummary) -> str:
    score = summary.score
    if score.value is None:
        total = numbers.count(score.n + score.unscored)
        return tr("{model} on {suite}: none of {total} tests has a score",
                  model=name, suite=summary.suite, total=total)  # fmt: skip
    return tr("{model} scores {score} on {suite}", model=name, score=numbers.figure(score),
              suite=summary.suite)  # fmt: skip


def _figures(
    suite: str,
    ranked: Sequence[tuple[ModelReport, SuiteSummary]],
    names: Mapping[str, str],
    *,
    again: bool = True,
) -> str:
    """The best two beside what guessing scores; `again`: the decision does not have them."""
    scores = [
        f"{names[model.spec]} {numbers.value(each.score)} {numbers.rests_on(each.score)}"
        for model, each in ranked[: 2 if again else 0]
    ]
    known = ranked[0][1].baselines if ranked else None
    if known is not None and known.best is not None:
        guesses = sentences.baselines(known)
        _, score = max(guesses, key=lambda each: each[1].value or 0.0)
        figure = f"{numbers.value(score)} {numbers.rests_on(score)}"
        scores.append(tr("guessing {figure}", figure=figure))
    return labelled(suite, ", ".join(scores)) if scores else ""


def cause_sentences(models: Sequence[ModelReport], names: Mapping[str, str]) -> Iterator[str]:
    """What explains a third of the failures of a model on a suite or more; the most first."""
    for cause, model, summary in causes_of(models):
        yield tr("{explains} of {failures} failures of {model} on {suite}: {cause}",
                 explains=numbers.count(cause.explains), failures=numbers.count(cause.failures),
                 model=names[model.spec], suite=summary.suite,
                 cause=sentences.cause(cause))  # fmt: skip


def letter_sentences(models: Sequence[ModelReport], names: Mapping[str, str]) -> Iterator[str]:
    """Letters as written beside the most likely ones, where a server tells both."""
    for model in models:
        for summary in (each for each in model.suites if each.letters and not each.own):
            written, likely = (
                f"{numbers.value(each)} {numbers.rests_on(each)}"
                for each in summary.letters.values()
            )
            yield tr("{model} on {suite}: right letters written {written} (follows the form), most "
                     "likely {likely} (knows the answer)", model=names[model.spec],
                     suite=summary.suite, written=written, likely=likely)  # fmt: skip


def causes_of(
    models: Sequence[ModelReport],
) -> list[tuple[Cause, ModelReport, SuiteSummary]]:
    """Return the main causes, those that explain most first."""
    found = [
        (cause, model, summary)
        for model in models
        for summary in model.suites
        if not summary.own
        for cause in summary.causes
        if cause.is_main
    ]
    return sorted(found, key=lambda each: -each[0].explains)


def same_weights(report: Report, names: Mapping[str, str]) -> Iterator[str]:
    for first, *others in one_model_each(report):
        if others:
            yield tr("{model} and {others} have the same weights: one model, one row.",
                     model=names[first.spec],
                     others=", ".join(names[each.spec] for each in others))  # fmt: skip
    suites = dict.fromkeys(each.suite for model in report.models for each in model.suites)
    for suite in suites:
        if methods_in(report, suite) != [""]:
            yield tr("{suite}: letters written are not ranked beside likelihoods.", suite=suite)


def _caveats(
    report: Report,
    scored: Mapping[str, Sequence[tuple[ModelReport, SuiteSummary]]],
    names: Mapping[str, str],
) -> Iterator[str]:
    """What has no score, then what is at guessing, few tests, and what is not known."""
    for failed in report.failed:
        yield tr("{name} could not be evaluated: {why}", name=failed.name, why=failed.why)
    yield from same_weights(report, names)
    for of in scored.values():
        for said in sentences.not_compared((names[model.spec], each) for model, each in of):
            yield f"{said}."
    yield from report.notes
    for model in report.models:
        yield from sentences.own_notes(model)
    for suite, of in scored.items():
        behind = [names[model.spec] for model, each in of if beats_guessing(each) is False]
        if behind and len(behind) < len(of):
            yield tr("Not above guessing on {suite}: {models}.", suite=suite,
                     models=", ".join(behind))  # fmt: skip
        n = max(each.score.n for _, each in of)
        if 0 < n < FEW_TESTS:
            yield trn("Only {count} test of {suite} has a score.",
                      "Only {count} tests of {suite} have a score.", n, suite=suite)  # fmt: skip
    for model in report.models:
        for cause in (cause for summary in model.suites for cause in summary.causes):
            if not cause.is_main:
                yield labelled(names[model.spec], sentences.cause(cause))
    for model in report.models:
        yield from sentences.speed_notes(model)
    for summary in (each for of in scored.values() for _, each in of[:1]):
        if summary.baselines is None:
            yield tr("What guessing would score on {suite} is not known.", suite=summary.suite)
