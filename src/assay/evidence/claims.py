"""Compares the figures that an answer claims with those that the data give.

In: an answer, the source it was made from, and facts. Out: Outcome for each fact: right, wrong (a
figure stands where the fact is named, and it is another one) or missing; and Evidence of outcomes.
`findings` has claims that are no figures.

    plain text of a line -> Passage -> Bound (a figure and what it belongs to) -> Outcome
        passages               labels                                    here

A figure counts where it is named. A stated figure matches within its own precision ("1.2k" is
1,234, "1,200" is not), but never by more than a twentieth. Who states many figures for one fact
has stated none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Literal

from assay.evidence.figures import Figure, Reading
from assay.evidence.labels import Bound, Kind, bind
from assay.evidence.passages import Line, Passage, read_groups, read_lines, read_passages
from assay.evidence.phrases import Dimension, find_labels
from assay.messages import tr, trn
from assay.types.judgements import Evidence, EvidenceCheck

State = Literal["right", "wrong", "missing"]

_ROUGHEST = Decimal("0.05")  # a rounded figure may miss the true one by so much of it
_MOST_GUESSES = 6  # other figures for one fact; beyond that a right one is no claim

FALLS = (
    "fell", "fall*", "drop*", "declin*", "decreas*", "down", "lower", "lost", "loss", "shrank",
    "shrink*", "shrunk", "slid*", "slipp*", "reduc*", "dipp*", "contract*", "worse*", "downward*",
    "negative*", "minus",
    "↓", "▼",
)  # fmt: skip
RISES = (
    "rose", "rise*", "rising", "grew", "grow*", "increas*", "up", "higher", "gain*", "climb*",
    "improv*", "expand*", "jump*", "↑", "▲",
)  # fmt: skip
_DIRECTION = Dimension(name="direction", phrases={"falls": FALLS, "rises": RISES})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer taken apart; `groups` are lines with all that stands under them."""

    lines: tuple[Line, ...]
    passages: tuple[Passage, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A figure and how it is named. `names`: dimension to key; a dimension in `optional` may stay
    unnamed, and in `told_apart` another key rules the fact out, however loosely the sentence names
    it. `coarsest`: to such a unit it may be rounded without a word. `signed`: a fall is negative.
    `mistaken`: the figure of the data that this one puts right; who repeats it claims nothing.
    """

    name: str
    shown: str
    value: Decimal
    kind: Kind
    names: Mapping[str, str]
    optional: frozenset[str] = frozenset()
    told_apart: frozenset[str] = frozenset()
    tolerance: Decimal = Decimal(0)
    coarsest: Decimal = Decimal(1)
    signed: bool = False
    mistaken: Decimal | None = None
    currency: str = ""
    group: str = "figures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A check with the difference between wrong and missing."""

    check: EvidenceCheck
    state: State


def take_apart(text: str, source: Iterable[str]) -> Answer:
    """Read an answer; `source` are the texts that it was given."""
    lines = read_lines(text, source)
    return Answer(lines=lines, passages=read_passages(lines), groups=read_groups(lines))


# ------------------------------------------------------------------------------------- figures


def check_facts(
    answer: Answer, facts: Sequence[Fact], dimensions: Sequence[Dimension]
) -> list[Outcome]:
    """Each fact against the figures that are named like it."""
    bound = [one for passage in answer.passages for one in bind(passage, dimensions)]
    return [_check_fact(fact, bound) for fact in facts]


def _check_fact(fact: Fact, bound: Sequence[Bound]) -> Outcome:
    wrong: dict[str, None] = {}
    right = False
    for _, some in groupby(bound, key=lambda one: id(one.passage)):
        found, others = False, 0
        for one in some:
            claim = _claim(one, fact) if _is_kind(one.figure, fact) else None
            if claim is None:
                continue
            if matches(one.figure, fact, _turned(one, fact)):
                found = True
                continue
            others += 1
            if claim == "firm":
                wrong[one.figure.text] = None
        right = right or (found and others <= _MOST_GUESSES)
    value = shown_value(fact)
    if right and len(wrong) <= _MOST_GUESSES:
        said = tr("{fact}: stated, {value}.", fact=fact.shown, value=value)
        return outcome(fact.name, "right", said, fact.group)
    if wrong:
        stated = ", ".join(list(wrong)[:_MOST_GUESSES])
        said = tr(
            "{fact}: the answer says {stated}, the data give {value}.",
            fact=fact.shown, stated=stated, value=value,
        )  # fmt: skip
        return outcome(fact.name, "wrong", said, fact.group)
    said = tr("{fact}: not stated; the data give {value}.", fact=fact.shown, value=value)
    return outcome(fact.name, "missing", said, fact.group)


def _is_kind(figure: Figure, fact: Fact) -> bool:
    if any(one.value == fact.mistaken for one in figure.readings):
        return False
    if fact.kind == "money":
        return not figure.percent and figure.currency in ("", fact.currency)
    if fact.kind == "count":
        return not figure.percent and not figure.currency
    return not figure.currency


def _claim(one: Bound, fact: Fact) -> Literal["firm", "loose"] | None:
    """Whether the figure stands where the fact is named."""
    firm = not one.figure.loose
    has_unit = bool(one.figure.currency or one.figure.percent)
    for dimension, key in fact.names.items():
        if key in one.firm[dimension]:
            continue
        if key in one.loose[dimension]:
            firm = False
        elif dimension in fact.optional and (
            dimension in one.over
            or not (one.firm[dimension] or (dimension in fact.told_apart and one.loose[dimension]))
        ):
            # What a title or the sentence before names makes it loose at most.
            firm = firm and has_unit and not (one.firm[dimension] or one.loose[dimension])
        else:
            return None
    # "Total 12,345, of which Anna 1,234": a figure that belongs to something narrower is no claim
    # about the whole, but the reader may have bound it too eagerly.
    if any(dimension not in fact.names for dimension in one.here):
        firm = False
    if fact.kind == "percent" and not one.figure.percent:
        firm = False
    return "firm" if firm else "loose"


def _turned(one: Bound, fact: Fact) -> tuple[Reading, ...]:
    """The readings, turned negative where the words say that something fell."""
    if not fact.signed or one.figure.signed:
        return one.figure.readings
    text = one.passage.text
    for words in (text, *one.passage.context):
        labels = find_labels(words, _DIRECTION)
        if words is text and labels:
            start = one.figure.start
            nearest = min(labels, key=lambda label: abs(label.start - start))
        elif labels:
            nearest = labels[0]
        else:
            continue
        if "falls" in nearest.keys:
            return tuple(
                Reading(value=-abs(one.value), unit=one.unit) for one in one.figure.readings
            )
        return one.figure.readings
    return one.figure.readings


def matches(figure: Figure, fact: Fact, readings: Sequence[Reading] | None = None) -> bool:
    """Whether a figure, within its own precision, is the fact's."""
    ways = list(figure.readings if readings is None else readings)
    if fact.kind == "percent" and not figure.percent:  # 0.34 for 34 %
        ways += [
            Reading(value=one.value * 100, unit=one.unit * 100)
            for one in ways
            if abs(one.value) <= 1 and one.unit <= Decimal("0.01")
        ]
    return any(abs(one.value - fact.value) <= _slack(one, figure, fact) for one in ways)


def _slack(reading: Reading, figure: Figure, fact: Fact) -> Decimal:
    away = abs(fact.value) - abs(reading.value)
    whole = (figure.nearness == "above" and away > 0) or (figure.nearness == "below" and away < 0)
    allowed = reading.unit if whole else reading.unit / 2
    if reading.unit > fact.coarsest:
        allowed = min(allowed, abs(fact.value) * _ROUGHEST)
    return max(allowed, fact.tolerance)


def shown_value(fact: Fact) -> str:
    """A fact's value as it is printed."""
    value = fact.value.quantize(Decimal("0.01")) if fact.value % 1 else fact.value.to_integral()
    shown = f"{value:,f}"
    if fact.kind == "percent":
        return f"{shown} %"
    return f"{fact.currency}{shown}" if fact.kind == "money" else shown


# -------------------------------------------------------------------------------------- result


def outcome(name: str, state: State, explanation: str, group: str) -> Outcome:
    """A check, and whether what does not pass was wrong or missing."""
    check = EvidenceCheck(name=name, passed=state == "right", explanation=explanation, group=group)
    return Outcome(check=check, state=state)


def evidence_of(outcomes: Sequence[Outcome]) -> Evidence:
    """All checks, with a sentence on how many are wrong and how many are missing."""
    wrong = sum(one.state == "wrong" for one in outcomes)
    missing = sum(one.state == "missing" for one in outcomes)
    notes = []
    if wrong:
        notes.append(
            trn("{count} claim is wrong: {names}.", "{count} claims are wrong: {names}.", wrong,
                names=_names(outcomes, "wrong"))
        )  # fmt: skip
    if missing:
        notes.append(
            trn("{count} thing is missing: {names}.", "{count} things are missing: {names}.",
                missing, names=_names(outcomes, "missing"))
        )  # fmt: skip
    return Evidence(checks=tuple(one.check for one in outcomes), notes=tuple(notes))


def _names(outcomes: Sequence[Outcome], state: State) -> str:
    return ", ".join(one.check.name for one in outcomes if one.state == state)
