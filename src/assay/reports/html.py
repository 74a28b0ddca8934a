"""A run as one HTML file that needs no network and runs no script.

In: a Report. Out: HTML. The template escapes every value, and its content policy forbids scripts
and loading, should an escape ever be missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from assay.messages import tr
from assay.reports import (
    decision,
    judge_deviation,
    judged_sentences,
    quantities,
    samples_shown,
    sentences,
    surroundings,
)
from assay.reports.checkpoint_figures import verdict
from assay.reports.checkpoint_table import checkpoint_cells
from assay.reports.decision_sentences import Mark
from assay.reports.pictures.curves import over_steps, speed_against_quality
from assay.reports.pictures.judged import overall_by_test
from assay.reports.pictures.quality import draw_quality
from assay.text import number_format as numbers
from assay.text.safe_text import visible
from assay.types import Estimate
from assay.types.decisions import Measured
from assay.types.judged import ModelJudged
from assay.types.results import Report

CHART_WIDTH = 200  # units of the view box in the template
EDGE = 6  # room for the dot at 0 and at 1
CLASS_OF: Mapping[Mark, str] = {"pass": "pass", "fail": "fail", "unknown": "unscored"}
SIGN_OF: Mapping[Mark, str] = {"pass": "✓", "fail": "✗", "unknown": "?"}
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'  # an SVG inside a page needs none


class Chart(NamedTuple):
    """Where the dot and the ends of the interval lie."""

    low: str
    at: str
    high: str


def report(document: Report, *, language: str = "en") -> str:
    """One self-contained page."""
    groups = decision.groups(document)
    # Checkpoints have a picture of their own, by the speed that the gate asks for.
    pictures = () if groups else tuple(draw_quality(document))
    return _template().render(
        report=document,
        language=language,
        numbers=numbers,
        sentences=sentences,
        quantities=quantities,
        surroundings=surroundings,
        chart=_chart,
        pictures=pictures,
        groups=groups,
        judged=document.judged,
        judged_drawn=_drawn_judged(document),
        judged_said=judged_sentences,
        judge_deviation=judge_deviation,
        judged_means=_judged_means,
        cells=checkpoint_cells,
        verdict=verdict,
        drawn=_drawn,
        written=_written,
        samples=samples_shown.samples,
        samples_heading=samples_shown.samples_heading,
        samples_legend=samples_shown.samples_legend,
        checks_told=samples_shown.checks_told,
        class_of=CLASS_OF,
        sign_of=SIGN_OF,
        drawn_picture=_picture,
        tr=tr,
        every_test=tr("Every test"),
        question_and_answer=tr("question and answer"),
        performance_heading=tr("Performance"),
        picture_heading=tr("Quality against speed"),
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


def _picture(svg: str) -> Markup:
    """An SVG of our own, whose texts are escaped already."""
    return Markup(svg.replace(NAMESPACE, "", 1))


def _drawn(group: decision.Group) -> Iterator[Markup]:
    """Both pictures of a folder. They are SVG of our own, whose texts are escaped already."""
    if group.drawn is not None and group.table is not None:
        for draw in (over_steps, speed_against_quality):
            yield _picture(draw(group.table))


def _drawn_judged(document: Report) -> Markup | None:
    """Overall scores test by test, as SVG of our own, whose texts are escaped already."""
    if document.judged is None:
        return None
    return _picture(overall_by_test(document.judged))


def _judged_means(model: ModelJudged) -> list[tuple[str, Estimate]]:
    return [(judged_sentences.domain_name(each.domain), each.mean) for each in model.domains]


def _written(group: decision.Group) -> list[Measured]:
    """The checkpoints of a group that wrote samples."""
    if group.table is None:
        return []
    return [checkpoint for checkpoint in group.table.checkpoints if checkpoint.samples]


def _chart(estimate: Estimate) -> Chart | None:
    if estimate.unit not in ("share", "points"):
        return None
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    whole = 100.0 if estimate.unit == "points" else 1.0
    places = (estimate.low / whole, estimate.value / whole, estimate.high / whole)
    return Chart(*(f"{EDGE + place * (CHART_WIDTH - 2 * EDGE):.1f}" for place in places))
