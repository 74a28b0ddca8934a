"""Reference answers, filled in from the facts of any seed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import jinja2

from assay.fixtures import Made, make
from assay.types.judgements import Evidence

FOLDER = Path(__file__).parent / "reference"
GENERATORS = (
    "sales_table", "email_thread", "three_sources", "dirty_records", "quarter_figures",
    "customer_events",
)  # fmt: skip
PHRASINGS = ("tables", "prose", "chatty")
_SPELLED = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight",
    24: "twenty-four",
}  # fmt: skip
_MONTHS = "January February March April May June July August September October November December"


def rounded(value: Any, places: int) -> Decimal:
    return Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def french(value: Any, places: int) -> str:
    return f"{rounded(value, places):,}".replace(",", "\u202f").replace(".", ",")


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS.split()[day.month - 1]} {day.year}"


FILTERS: dict[str, Callable[[Any], str]] = {
    "euro": lambda value: f"€{rounded(value, 2):,}",
    "euro_fr": lambda value: f"{french(value, 2)}\u00a0€",
    "dollar": lambda value: f"${int(value):,}",
    "thousands": lambda value: f"${rounded(Decimal(value) / 1000, 1)}k",
    "percent": lambda value: f"{rounded(value, 1)}%",
    "percent_fr": lambda value: f"{french(value, 1)} %",
    "signed_percent": lambda value: f"{rounded(value, 1):+}%",
    "one": lambda value: str(rounded(value, 1)),
    "one_fr": lambda value: french(value, 1),
    "spelled": lambda value: _SPELLED[int(value)],
    "day": _day,
}


@cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), undefined=jinja2.StrictUndefined, autoescape=False
    )
    environment.filters.update(FILTERS)
    return environment.get_template(name)


def reference(generator: str, phrasing: str, seed: int) -> str:
    """The answer to a test in one of its phrasings, right for the seed."""
    return _template(f"{generator}.{phrasing}.md").render(**_values(generator, seed))


def _values(generator: str, seed: int) -> dict[str, Any]:
    facts: dict[str, Any] = dict(make(generator, seed).facts)
    if generator == "email_thread":
        facts["events"] = {one["event"]: one["date"] for one in facts["events"]}
        facts |= {one["trouble"]: one for one in facts["orders"]}
    if generator == "quarter_figures":
        for key in ("best", "falling"):
            line = next(one for one in facts["lines"] if one["name"] == facts[key])
            facts[f"{key}_change"] = line["change"]
    return facts


def examine(generator: str, answer: str, seed: int) -> Evidence:
    examiner: Callable[[str, Made, None], Evidence]
    examiner = import_module(f"assay.evidence.{generator}").examine
    return examiner(answer, make(generator, seed), None)


def failed(evidence: Evidence) -> set[str]:
    return {check.name for check in evidence.checks if not check.passed}
