"""What to change next: from what was measured only, and each recommendation with its figures.

What is wrong with the checkpoint itself comes first, and then nothing about data, steps or size,
unless training may be what is wrong.
Else the order is: for each criterion that failed its first remedy, in the order in which they are
worth trying (a base that reads badly spoils all else); suites at guessing; what is missing; the
second remedies; a run that goes wrong although this checkpoint passes; a part that the weighted
score lacks. No two contradict each other: see `_without_contradictions`.

What could help is in the file of each measure.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from assay.decide.diagnosis import NOT_ALONE, find_faults, suites_at_chance
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
    """At most MOST, the most useful first, no two alike. `trend`: over the steps of its folder;
    None where it was named singly.
    """
    if measured.failed:
        advice = fact("repair_one", checkpoint=measured.name)
        return (Recommendation("missing", advice, (fact("text", text=measured.failed),)),)
    asked = {
        key: limit for key, limit in gate.suite_criteria().items() if key in acceptance.criteria
    }
    faults = find_faults(measured, trend)
    if any(each.advice.kind not in NOT_ALONE for each in faults):
        return (*faults, *_on_missing(measured, acceptance, asked))[:MOST]
    measures = by_advice()
    remedies = [
        remedy for each in measures for remedy in each.remedies(measured, acceptance, trend, gate)
    ]
    found = [
        *faults,
        *(remedy for first in remedies for remedy in first[:1]),
        *suites_at_chance(measured, acceptance),
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
    return tuple(_without_contradictions(kept)[:MOST])


# Which way an advice goes; "steps" of the same training, "size" of the model.
LONGER = {
    "train_longer",
    "train_longer_by",
    "train_on",
    "train_longer_first",
    "nonsense_still_learning",
}
NOT_LONGER = {"larger_model", "too_slow", "overfitting", "rising", "rising_without_training_loss"}
SMALLER = {"smaller_model", "smaller_or_quantised"}
LARGER = {"larger_model", "too_slow"}
AT_SIZE = {"better_data_at_size"}


def _without_contradictions(found: Sequence[Recommendation]) -> list[Recommendation]:
    """Of two that go opposite ways the first stays. A model that is too large or too slow already
    is not to grow: better data take the place of a larger one.
    """
    kinds = {each.advice.kind for each in found}
    kept: list[Recommendation] = []
    for each in found:
        if each.advice.kind in LARGER and kinds & SMALLER:
            each = Recommendation(each.concern, fact("better_data_at_size"), each.figures)
        before = {one.advice.kind for one in kept}
        ways = ((LONGER, NOT_LONGER), (NOT_LONGER, LONGER), ({"better_data"}, AT_SIZE))
        opposed = any(each.advice.kind in one and before & other for one, other in ways)
        if not opposed and all(each.advice != one.advice for one in kept):
            kept.append(each)
    return kept


def agree_over_steps(
    advice: Sequence[tuple[Recommendation, ...]],
) -> list[tuple[Recommendation, ...]]:
    """Return the advice of the steps of one run, in their order, without what contradicts it.

    Whether more steps help is one question about the run, so the last step that has an answer
    gives it for all.
    """
    answers = [
        each.advice.kind
        for of_step in advice
        for each in of_step
        if each.advice.kind in LONGER | NOT_LONGER
    ]
    if not answers:
        return list(advice)
    opposed = NOT_LONGER if answers[-1] in LONGER else LONGER
    return [
        tuple(each for each in of_step if each.advice.kind not in opposed) for of_step in advice
    ]


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
