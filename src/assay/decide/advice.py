"""What to change next: from what was measured only, and each recommendation with its figures.

The order: for each criterion that failed its first remedy, in the order in which they are worth
trying (a base that reads badly spoils all else); what is missing; the second remedies; a run that
goes wrong although this checkpoint passes; a part that the weighted score lacks.

What could help is in the file of each measure.
"""

from collections.abc import Collection, Iterator, Mapping

from assay.types.decisions import (
    OS_SUITE,
    Acceptance,
    CommandWords,
    Gate,
    Measurements,
    Recommendation,
    SuiteLimit,
    fact,
)
from assay.types.measures import by_advice
from assay.types.trends import Trend

MOST = 6


def advise(
    measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
) -> tuple[Recommendation, ...]:
    """At most MOST, the most useful first, no two alike. `trend`: over the steps of its folder."""
    if measured.failed:
        advice = fact("repair_one", checkpoint=measured.name)
        return (Recommendation("missing", advice, (fact("text", text=measured.failed),)),)
    asked = {
        key: limit for key, limit in gate.suite_criteria().items() if key in acceptance.criteria
    }
    measures = by_advice()
    remedies = [
        remedy for each in measures for remedy in each.remedies(measured, acceptance, trend, gate)
    ]
    found = [
        *(remedy for first in remedies for remedy in first[:1]),
        *_on_missing(measured, acceptance, asked),
        *(remedy for first in remedies for remedy in first[1:]),
        *(remedy for each in measures for remedy in each.on_the_run(acceptance, trend)),
        *(
            remedy
            for each in measures
            if not gate.score or any(map(each.has_part, gate.score))
            for remedy in each.on_lacking(measured)
        ),
    ]
    kept: list[Recommendation] = []
    for each in found:
        if each.figures and all(each.advice != other.advice for other in kept):
            kept.append(each)
    return tuple(kept[:MOST])


def _on_missing(
    measured: Measurements, acceptance: Acceptance, asked: Mapping[str, SuiteLimit]
) -> Iterator[Recommendation]:
    """What the gate asks for and was not measured, and what is incomplete."""
    unknown = {key: each for key, each in acceptance.criteria.items() if each.passed is None}
    reasons = {key: fact("reasons", reasons=each.reasons) for key, each in unknown.items()}
    absent = [key for key, each in unknown.items() if each.value is None]
    if absent:
        commands = tuple(_commands(measured, absent, asked))
        figures = tuple(reasons[key] for key in absent)
        yield Recommendation("missing", fact("measure_missing", commands=commands), figures)
    for key, each in unknown.items():
        if key not in absent:  # incomplete figures, failed requests, no size class
            advice = fact("complete", criterion=key, command=_run(measured))
            if each.limit is None:
                advice = fact("one_limit_for_all_sizes")
            yield Recommendation("missing", advice, (reasons[key],))


def _commands(
    measured: Measurements, absent: Collection[str], asked: Mapping[str, SuiteLimit]
) -> list[CommandWords]:
    """One for what a run measures anyway, and one for each suite that it does not."""
    own = [key for key in absent if key in asked and asked[key].name != OS_SUITE]
    commands = [_run(measured)] if len(own) < len(absent) else []
    commands += [_run(measured, "-s", asked[key].name) for key in own]
    return list(dict.fromkeys(commands))


def _run(measured: Measurements, *options: str) -> CommandWords:
    return CommandWords(
        "assay", "run", measured.path or measured.name.replace("/", ":", 1), *options
    )
