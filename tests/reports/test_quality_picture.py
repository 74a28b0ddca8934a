"""Quality against speed: one picture a suite, a dot a model."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from assay.reports.formats.html import render_html
from assay.reports.pictures.canvas import TEXT, WIDTH
from assay.reports.pictures.plot import Dot, Extent, Panel, draw_panels
from assay.reports.pictures.quality import draw_quality
from assay.reports.run_report import run_document
from assay.types import Estimate
from assay.types.results import Report

CIRCLE = re.compile(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="4.5" class="(\w+)"')


def dots(report: Report) -> list[tuple[float, float, str]]:
    svgs = [picture.draw() for picture in draw_quality(report)]
    return [(float(x), float(y), kind) for svg in svgs for x, y, kind in CIRCLE.findall(svg)]


def test_quicker_is_further_right_and_better_is_further_up(compared_report: Report) -> None:
    good, quick = dots(compared_report)
    assert good[0] < quick[0]
    assert good[1] < quick[1]
    (picture,) = draw_quality(compared_report)
    assert "decode tokens per second, by the server's figures" in picture.draw()
    assert "83.0 tokens/s [74.7–91.3] n=8; 40.0 points [30.0–52.0] n=40" in picture.draw()
    assert "95 % intervals" in picture.draw()


def test_the_page_holds_the_picture(compared_report: Report) -> None:
    assert len(CIRCLE.findall(render_html(run_document(compared_report)))) == 2


def test_one_model_alone_is_no_picture(served_report: Report) -> None:
    assert not list(draw_quality(served_report))


def test_two_clocks_are_never_on_one_axis(compared_report: Report) -> None:
    first, second = compared_report.models
    other = replace(second, performance=replace(second.performance, decode_clock="client"))
    (picture,) = draw_quality(replace(compared_report, models=(first, other)))
    assert "seconds per answer, mean; faster to the right" in picture.draw()


def test_a_model_without_a_speed_is_counted_and_not_drawn(compared_report: Report) -> None:
    first, second = compared_report.models
    nothing = Estimate(value=None, low=None, high=None, n=0, unscored=0, unit="s", method="none")
    untimed = replace(second.performance, decode_clock=None, seconds_mean=nothing)
    third = replace(second, spec="scripted:untimed", performance=untimed)
    report = replace(compared_report, models=(first, second, third))
    assert len(dots(report)) == 2
    (picture,) = draw_quality(report)
    assert "not drawn, because a figure is missing: 1" in picture.draw()


def test_an_incomplete_score_is_a_hollow_dot(compared_report: Report) -> None:
    first, second = compared_report.models
    suite = replace(second.suites[0], score=replace(second.suites[0].score, unscored=30))
    report = replace(compared_report, models=(first, replace(second, suites=(suite,))))
    assert [kind for *_, kind in dots(report)] == ["dot", "hollow"]


@pytest.mark.parametrize("fastest", [0.004, 0.7, 61.0, 12_345.0, 1e15])
def test_every_dot_lies_inside_the_picture(compared_report: Report, fastest: float) -> None:
    first, second = compared_report.models
    pace = replace(second.performance.decode.all, value=fastest, low=fastest / 2, high=fastest * 2)
    decode = replace(second.performance.decode, all=pace)
    changed = replace(second, performance=replace(second.performance, decode=decode))
    for x, _, _ in dots(replace(compared_report, models=(first, changed))):
        assert 0 < x < WIDTH


def test_where_lower_is_faster_the_front_goes_through_the_quick_ones(
    compared_report: Report,
) -> None:
    first, second = compared_report.models
    other = replace(second, performance=replace(second.performance, decode_clock="client"))
    (picture,) = draw_quality(replace(compared_report, models=(first, other)))
    assert "stepped line: Pareto front" in picture.draw()


def test_names_of_curves_that_end_close_to_each_other_are_apart_and_in_order() -> None:
    values = [30.0, 31.0, 53.0, 30.5]
    curves = [[Dot("", Extent(x), Extent(y), "") for x in (0, 1)] for y in values]
    panel = Panel("decode", "decode", curves, drawn=(0.0,), ends=["1", "2", "3", "4"])
    svg = draw_panels([panel], [], "", legend=[], title="", description="")
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>([1-4])</text>', svg)
    assert [name for _, _, name in found] == ["1", "4", "2", "3"], "the lowest first"
    heights = [float(y) for _, y, _ in found]
    assert all(low - high >= TEXT for low, high in pairwise(heights))
    assert all(float(x) > max(float(cx) for cx, _, _ in CIRCLE.findall(svg)) for x, _, _ in found)
