"""A run as one HTML file that needs no network and runs no script.

In: a Report. Out: HTML. Refuses to know: where it is opened. The template escapes every value, and
its content policy forbids scripts and loading, should an escape ever be missed.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from assay.messages import tr
from assay.reports import numbers, quality_picture, quantities, sentences, surroundings
from assay.reports.safe_text import visible
from assay.results import Report
from assay.types import Estimate

CHART_WIDTH = 200  # units of the view box in the template
EDGE = 6  # room for the dot at 0 and at 1


class Chart(NamedTuple):
    """Where the dot and the ends of the interval lie."""

    low: str
    at: str
    high: str


def report(document: Report, *, language: str = "en") -> str:
    """One self-contained page."""
    return _template().render(
        report=document,
        language=language,
        numbers=numbers,
        sentences=sentences,
        quantities=quantities,
        surroundings=surroundings,
        chart=_chart,
        pictures=tuple(quality_picture.pictures(document)),
        view=quality_picture,
        tr=tr,
        every_test=tr("Every test"),
        question_and_answer=tr("question and answer"),
        performance_heading=tr("Performance"),
        picture_heading=tr("Quality against speed"),
        picture_axis=tr("score, points"),
        whiskers=tr("Lines through a dot are 95 % intervals."),
        hollow_dot=tr("A hollow dot is an incomplete score."),
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters["shown"] = visible
    return environment.get_template("report.html.j2")


def _chart(estimate: Estimate) -> Chart | None:
    if estimate.unit not in ("share", "points"):
        return None
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    whole = 100.0 if estimate.unit == "points" else 1.0
    places = (estimate.low / whole, estimate.value / whole, estimate.high / whole)
    return Chart(*(f"{EDGE + place * (CHART_WIDTH - 2 * EDGE):.1f}" for place in places))
