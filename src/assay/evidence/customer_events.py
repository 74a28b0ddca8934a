"""Checks which patterns an answer found in six weeks of a shop.

In: an answer and what `fixtures.customer_events` made. Out: Evidence: the busy weekday, the segment
that declines, the echo of each mailing, with their figures; a forecast that is called one; and that
no steady segment is said to decline.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from assay.evidence.claims import (
    FALLS,
    Answer,
    Fact,
    Outcome,
    check_facts,
    evidence_of,
    outcome,
    take_apart,
)
from assay.evidence.false_alarms import alarms, check_alarms
from assay.evidence.figures import read_figures
from assay.evidence.findings import Finding, check_findings
from assay.evidence.named_things import Named, check_named
from assay.evidence.phrases import Dimension, any_of
from assay.fixtures import Made
from assay.messages import tr
from assay.types.judgements import Evidence

if TYPE_CHECKING:
    from assay.sandbox import Sandbox

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OTHER = (
    "other days", "other weekdays", "remaining days", "rest of the week", "the rest", "otherwise",
    "all other days", "every other day", "any other day", "other day", "non-peak days",
    "remaining weekdays", "remaining day", "other * days", "other * weekdays", "remaining * days",
    "remaining * weekdays",
)  # fmt: skip
_DAYS = Dimension(
    name="day",
    owns_one=True,
    phrases={day: (day, day[:3]) for day in _WEEKDAYS} | {"other": _OTHER},
)
_NEXT_WEEK = ("week 7", "next week", "coming week", "week after", "following week", "seventh week")
_WEEKS = Dimension(
    name="week",
    owns_one=True,
    phrases={
        "first": ("week 1", "first week", "week one", "the first", "W1", "wk 1", "start"),
        "last": (
            "week 6",
            "last week",
            "final week",
            "week six",
            "sixth week",
            "the sixth",
            "the last",
            "W6",
            "wk 6",
        ),
        "next": _NEXT_WEEK,
        **{str(number): (f"week {number}",) for number in range(2, 6)},
    },
)
_SITUATIONS = Dimension(
    name="situation",
    owns_one=True,
    phrases={
        "after": ("after a mailing", "after each mailing", "after mailing", "after the mailing",
                  "days later", "day later", "lag*", "following a mailing", "days after",
                  "day after", "echo days", "mailing effect", "next day", "following day",
                  "after every mailing", "those days", "these days", "such days", "after",
                  "the mailing days", "echo", "on the day following", "response days",
                  "spike days", "affected days", "day * a mailing", "those * days", "these * days"),
        "otherwise": ("otherwise", "other days", "normal days", "usual", "usually", "baseline",
                      "without", "all other days", "remaining days", "typical days",
                      "ordinary days", "other day", "every other day", "rest of the time",
                      "the rest", "the others", "regular days", "all others", "non-mailing days",
                      "background", "other * days", "remaining * days",
                      "unaffected days"),
    },
)  # fmt: skip
_AVERAGE = ("average", "daily average", "mean", "averages", "averaged", "avg")
_MEASURES = Dimension(
    name="measure",
    owns_one=True,
    phrases={
        "mailings": ("mailing", "mailings sent", "number of mailings", "mailing count"),
        "contacts": ("contact*", "support contact", "average contacts", "contacts per day",
                     "contacts a day", *_AVERAGE),
        "orders": ("order", "average orders", "orders per day", "orders a day",
                   "average orders a day", "average orders per day", *_AVERAGE),
    },
    # A bare average is of what the sentence is about; a mailing is what contacts follow.
    narrowed_by=(
        Dimension(name="subject", phrases={"contacts": ("contact*",), "orders": ("order",)}),
        Dimension(name="subject", phrases={"contacts": ("mailing",)}),
    ),
)  # fmt: skip
_BUSIEST = (
    "busiest", "peak", "peaks", "strongest", "highest", "most orders", "best", "top", "spike",
    "stands out", "stand out", "liveliest", "most active", "most popular", "spikes", "the most",
    "strong", "high*", "dominat*", "lead*",
)  # fmt: skip
_MARKED = (
    "predict*", "forecast*", "expect*", "project*", "estimat*", "likely", "assum*", "if the trend",
    "would", "may", "might", "could", "extrapolat*", "if", "whether", "probably", "should",
    "trend", "prognos*", "anticipat*",
)  # fmt: skip
_SMALL = (
    "slight*", "stable", "steady", "flat", "little", "no", "not", "small", "minor", "hardly",
    "barely", "constant", "unchanged", "neither",
)  # fmt: skip
_SPELLED = ("", "one", "two", "three")
_ORDINALS = ("", "first", "second", "third")


def examine(answer: str, made: Made, sandbox: Sandbox | None = None) -> Evidence:
    """Which patterns the answer states, against those that are there."""
    facts = made.facts
    parts = take_apart(answer, made.files.values())
    segments = Dimension(
        name="segment",
        phrases={name: (name, name.removesuffix("s")) for name in facts["segments"]},
    )
    dimensions = (segments, _DAYS, _WEEKS, _SITUATIONS, _MEASURES)
    names = check_named(parts, _names(facts, segments))
    patterns = [*names, *check_findings(parts, [_lag(facts["lag"])])]
    false = alarms(parts, segments, FALLS, _SMALL) - {facts["declining"]["segment"]}
    found = sum(bool(one.check.passed) for one in patterns)
    return evidence_of(
        [
            *patterns,
            *check_facts(parts, _figures(facts, named=bool(names[1].check.passed)), dimensions),
            _forecast_is_marked(parts),
            check_alarms(false, found, len(patterns), tr("steady segments said to decline"),
                         "no false patterns"),
        ]
    )  # fmt: skip


def _names(facts: Any, segments: Dimension) -> list[Named]:
    return [
        Named(
            name="busiest weekday",
            shown=tr("weekday with the most orders"),
            right=facts["peak"]["day"],
            dimension=Dimension(name="day", phrases={day: (day, day[:3]) for day in _WEEKDAYS}),
            cues=(_BUSIEST,),
            never=("contact", "mailing"),
        ),
        Named(
            name="declining segment",
            shown=tr("segment that declines"),
            right=facts["declining"]["segment"],
            dimension=segments,
            cues=((*FALLS, *_signed(facts["declining"]["change"])),),
            never=("slight*", "stable", "steady"),
        ),
    ]


def _signed(change: Decimal) -> tuple[str, ...]:
    """A fall as a figure with its sign, in the roundings that are usual."""
    shown = [f"{abs(change):.{places}f}{end}" for places in (0, 1, 2) for end in ("%", " %")]
    return tuple(f"{sign}{one}" for one in shown for sign in "-−–")


def _lag(lag: int) -> Finding:
    ways = {number: [f"{number} day", f"{_SPELLED[number]} day", f"{24 * number} hours"]
            for number in (1, 2, 3)}  # fmt: skip
    for number, some in ways.items():
        some += [f"{lead}: {number}" for lead in ("lag", "lag days", "(days)", "delay", "after")]
        some += [f"lag of {number}", f"lag of {_SPELLED[number]}", f"day +{number}"]
        some += [f"day {shown} {after}" for shown in (number, _SPELLED[number])
                 for after in ("after", "following", "from")]  # fmt: skip
        some += [f"{_ORDINALS[number]} day {after}" for after in ("after", "following")]
    ways[1] += ["next day", "following day", "day after", "a day later"]
    return Finding(
        name="echo of mailings",
        shown=tr("days from a mailing to the rise in contacts: {lag}", lag=lag),
        needs=(("mailing",), ("contact*",), tuple(ways[lag])),
        rivals=tuple(way for number, some in ways.items() if number != lag for way in some
                     if not (lag > 1 and way == "day after")),
        group="patterns",
    )  # fmt: skip


def _figures(facts: Any, *, named: bool) -> list[Fact]:
    """What is to be stated. Of the week to come only one segment's orders were asked for, so who
    has `named` the one that declines need not do so again.
    """
    falling = facts["declining"]

    def figure(name: str, shown: str, value: Any, names: dict[str, str]) -> Fact:
        optional = frozenset({"measure"} if len(names) > 1 else ())
        return Fact(name=name, shown=shown, value=Decimal(value), kind="count", names=names,
                    optional=optional, told_apart=optional)  # fmt: skip

    segment = {"segment": falling["segment"]}
    return [
        figure("average of the busiest weekday", tr("average orders on the busiest weekday"),
               facts["peak"]["average"], {"day": facts["peak"]["day"], "measure": "orders"}),
        figure("average of other days", tr("average orders on other days"),
               facts["other_average"], {"day": "other", "measure": "orders"}),
        figure("first week", tr("orders of {segment} in week 1", segment=falling["segment"]),
               falling["weeks"][0], segment | {"week": "first"}),
        figure("last week", tr("orders of {segment} in week 6", segment=falling["segment"]),
               falling["weeks"][-1], segment | {"week": "last"}),
        Fact(name="change of the segment", shown=tr("change of {segment} from week 1 to week 6",
                                                    segment=falling["segment"]),
             value=falling["change"], kind="percent", names=segment, signed=True),
        figure("mailings", tr("number of mailings"), facts["mailings"], {"measure": "mailings"}),
        figure("contacts after mailings", tr("average contacts after a mailing"),
               facts["contacts_after"], {"situation": "after", "measure": "contacts"}),
        figure("contacts otherwise", tr("average contacts on other days"),
               facts["contacts_otherwise"], {"situation": "otherwise", "measure": "contacts"}),
        Fact(name="forecast", shown=tr("forecast for {segment} in week 7",
                                       segment=falling["segment"]),
             value=falling["next"], kind="count", tolerance=falling["next"] / 5,
             names=segment | {"week": "next"}, optional=frozenset({"segment"} if named else ())),
    ]  # fmt: skip


def _forecast_is_marked(parts: Answer) -> Outcome:
    """Whether each figure for the week to come is said to be a forecast."""
    name = "forecast is marked"
    coming = [
        passage
        for passage in parts.passages
        if any_of(_NEXT_WEEK).search(passage.text)
        and read_figures(any_of(_NEXT_WEEK).sub("", passage.text))
    ]
    if not coming:
        said = tr("There is no figure for the week to come.")
        return outcome(name, "missing", said, "forecast")
    for passage in coming:
        headers = [cell.header for cell in passage.cells]
        if not any_of(_MARKED).search("\n".join((passage.text, *headers, *passage.context))):
            said = tr("A figure for the week to come is given as if it were known.")
            return outcome(name, "wrong", said, "forecast")
    return outcome(name, "right", tr("What is to come is said to be a forecast."), "forecast")
