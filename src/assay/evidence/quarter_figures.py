"""Checks a report on the quarter.

In: an answer and what `fixtures.quarter_figures` made. Out: Evidence: the figures of the quarter
and the one before, the line that grew most, the line that falls behind a good total, and the
sections that were asked for.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from assay.evidence.claims import FALLS, Fact, check_facts, evidence_of, take_apart
from assay.evidence.findings import check_sections
from assay.evidence.named_things import Named, check_named
from assay.evidence.phrases import Dimension
from assay.fixtures import Made
from assay.messages import tr
from assay.types.judgements import Evidence

if TYPE_CHECKING:
    from assay.sandbox import Sandbox

_SECTIONS = {
    "executive summary": ("executive summary", "management summary", "summary"),
    "key metrics": ("key metric", "key figure", "metric"),
    "what changed": ("what changed", "change", "what has changed"),
    "risks": ("risk",),
    "recommendations": ("recommendation", "recommended action", "next step"),
}
_SUBJECTS = Dimension(
    name="subject",
    owns_one=True,
    kinds={"revenue": ("money", "percent"), "margin": ("percent",), "cost": ("money",),
           "share": ("percent",)}
    | dict.fromkeys(("customers", "lost", "new"), ("count",)),
    phrases={
        "revenue": ("revenue", "total revenue", "sales", "turnover", "total sales",
                    "revenue change", "revenue growth", "total", "turned over", "took", "takings",
                    "income",
                    "generated", "brought in"),
        "margin": ("margin", "gross margin", "gross profit margin", "margin rate"),
        "cost": ("cost", "total cost"),
        "customers": ("customers at the end", "customers at the end of the quarter",
                      "closing customers", "customer base", "customers", "customer count",
                      "customers at quarter end", "customers (end of quarter)",
                      "customers at the quarter's end", "end-of-quarter customers", "customer",
                      "customers at end", "customers end", "ending customers",
                      "number of customers", "total customers", "active customers"),
        "lost": ("lost", "customers lost", "lost customers", "churn*", "left", "customers left",
                 "customer losses", "losses", "customer loss", "leaving", "departed", "lose",
                 "losing", "customer churn", "customers who left", "departures"),
        "new": ("new customers", "new", "gained", "won", "customers gained", "customers won"),
        "share": ("share", "of revenue", "share of revenue"),
    },
)  # fmt: skip
_ORDINALS = ("", "first", "second", "third", "fourth")
_BEST = (
    "strongest", "fastest", "best", "highest", "biggest", "largest", "leading", "top", "most",
    "greatest", "growth leader", "engine", "drove", "driv*", "lead*", "led", "star", "outperform*",
    "standout", "champion", "powered", "carried", "highlight",
)  # fmt: skip
_GROWTH = ("grow*", "grew", "growth", "increas*", "change", "rose", "gain*", "expan*", "up",
           "jump*", "surg*", "climb*", "improv*", "performance")  # fmt: skip
_LASTING = (
    "every month", "each month", "month after month", "month by month", "consecutive", "steadily",
    "steady", "continuous*", "six months", "five months", "6 months", "5 months", "all six",
    "in a row", "throughout",
    "monthly", "month on month", "without exception", "straight month", "persistent*", "sustained",
    "every one of", "half a year", "six-month", "month over month", "month-to-month", "successive",
    "ongoing", "uninterrupted", "six straight", "whole period", "entire period", "full period",
    "both quarters", "two quarters", "consistent*", "from january", "since january", "since july",
    "since april", "since october", "from april", "from july", "from october",
)  # fmt: skip


def examine(answer: str, made: Made, sandbox: Sandbox | None = None) -> Evidence:
    """What the report says, against what the figures give."""
    facts = made.facts
    parts = take_apart(answer, made.files.values())
    lines = Dimension(name="line", phrases={one["name"]: (one["name"],) for one in facts["lines"]})
    periods = Dimension(
        name="period",
        owns_one=True,
        phrases={
            "now": (*_quarter(facts["quarter"], facts["year"]), "this quarter", "current quarter",
                    "the quarter", "reporting quarter", "latest quarter", "current"),
            "before": (*_quarter(facts["previous"], facts["year"]), "previous quarter",
                       "last quarter", "prior quarter", "quarter before", "preceding quarter",
                       "the quarter before", "the one before", "quarter earlier", "previous",
                       "previously", "prior", "from", "compared with", "compared to", "against",
                       "versus", "vs", "earlier quarter", "three months before"),
        },
    )  # fmt: skip
    return evidence_of(
        [
            *check_facts(parts, _figures(facts), (lines, periods, _SUBJECTS)),
            *check_named(parts, _names(facts, lines)),
            *check_sections(parts, _SECTIONS),
        ]
    )


def _quarter(number: int, year: int) -> tuple[str, ...]:
    return (
        f"Q{number}", f"Q{number} {year}", f"{_ORDINALS[number]} quarter", f"{year} Q{number}",
        f"{year}-Q{number}", f"in the {_ORDINALS[number]}", f"quarter {number}",
    )  # fmt: skip


def _figures(facts: Any) -> list[Fact]:
    now, before = {"period": "now"}, {"period": "before"}
    revenue, margin, lost = {"subject": "revenue"}, {"subject": "margin"}, {"subject": "lost"}
    figures = [
        _money("revenue", tr("revenue of the quarter"), facts["revenue"], revenue | now),
        _money("previous revenue", tr("revenue of the quarter before"), facts["previous_revenue"],
               revenue | before),
        _percent("revenue change", tr("change of revenue"), facts["revenue_change"], revenue,
                 signed=True),
        _percent("margin", tr("gross margin"), facts["margin"], margin | now),
        _percent("previous margin", tr("gross margin of the quarter before"),
                 facts["previous_margin"], margin | before),
        _count("customers at the end", tr("customers at the end of the quarter"),
               facts["customers_end"], {"subject": "customers"}),
        _count("customers lost", tr("customers lost in the quarter"), facts["lost"], lost | now),
        _count("customers lost before", tr("customers lost in the quarter before"),
               facts["previous_lost"], lost | before),
    ]  # fmt: skip
    for number, one in enumerate(facts["lines"], 1):
        shown = tr("revenue of {line}", line=one["name"])
        names = {"line": one["name"]} | revenue | now
        figures.append(_money(f"line revenue {number}", shown, one["revenue"], names))
    for name, key in (
        ("change of the best line", "best"),
        ("change of the falling line", "falling"),
    ):
        line = next(one for one in facts["lines"] if one["name"] == facts[key])
        shown = tr("change of {line}", line=line["name"])
        names = {"line": line["name"]} | revenue
        figures.append(_percent(name, shown, line["change"], names, signed=True))
    return figures


def _optional(names: dict[str, str]) -> frozenset[str]:
    """The quarter meant is this one, and of a line it is the revenue, where nothing is said."""
    optional = {"subject"} if "line" in names else set()
    if names.get("period") == "now":
        optional.add("period")
    return frozenset(optional)


def _money(name: str, shown: str, value: int, names: dict[str, str]) -> Fact:
    return Fact(name=name, shown=shown, value=Decimal(value), kind="money", currency="$",
                names=names, optional=_optional(names))  # fmt: skip


def _percent(
    name: str, shown: str, value: Decimal, names: dict[str, str], *, signed: bool = False
) -> Fact:
    return Fact(name=name, shown=shown, value=value, kind="percent", names=names,
                optional=_optional(names), signed=signed)  # fmt: skip


def _count(name: str, shown: str, value: int, names: dict[str, str]) -> Fact:
    return Fact(name=name, shown=shown, value=Decimal(value), kind="count", names=names,
                optional=_optional(names))  # fmt: skip


def _names(facts: Any, lines: Dimension) -> list[Named]:
    return [
        Named(
            name="best line",
            shown=tr("line with the strongest growth"),
            right=facts["best"],
            dimension=lines,
            cues=(_BEST, _GROWTH),
            never=("decline", "fell", "falls", "falling"),
        ),
        Named(
            name="adverse trend",
            shown=tr("line that falls month after month"),
            right=facts["falling"],
            dimension=lines,
            cues=(FALLS, _LASTING),
        ),
    ]
