"""Pictures: what is drawn lies where its figure says, nothing overlaps, nothing escapes."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.decide.accept import accept
from assay.reports.checkpoints.figures import EvaluatedFolder
from assay.reports.pictures.canvas import TEXT, text_width
from assay.reports.pictures.quality import front
from assay.reports.pictures.steps import over_steps
from assay.types import Estimate
from assay.types.decisions import SuiteLimit
from tests.reports.evaluated_folders import (
    GATE,
    HOSTILE,
    checkpoint,
    evaluated,
    hostile,
    many,
    suite_of,
    three,
    twelve,
    weighted,
)

SVG = "{http://www.w3.org/2000/svg}"
ALL = [three, twelve, many, hostile]
every = pytest.mark.parametrize("folder", ALL)


def panel(svg: str, name: str) -> ET.Element:
    return next(g for g in ET.fromstring(svg).iter(f"{SVG}g") if g.get("data-figure") == name)


def panels(svg: str) -> list[str | None]:
    return [g.get("data-figure") for g in ET.fromstring(svg).iter(f"{SVG}g")]


def classed(element: ET.Element, *names: str) -> list[ET.Element]:
    return [each for each in element.iter() if set((each.get("class") or "").split()) & set(names)]


def texts(element: ET.Element) -> list[ET.Element]:
    return list(element.iter(f"{SVG}text"))


def at(element: ET.Element, name: str) -> float:
    return float(element.get(name, "nan"))


def dots(element: ET.Element) -> list[ET.Element]:
    return classed(element, "dot", "hollow")


def whiskers(element: ET.Element) -> list[float]:
    """Where each ends; all begin at their dot."""
    return [at(each, "y2") for each in classed(element, "whisker")]


def scale_of(drawn: ET.Element, *, log: bool = False) -> Callable[[float], float]:
    """Where a value must lie, by the lowest and highest number beside the grid."""
    ticks = [
        t for t in texts(drawn) if "soft" in t.get("class", "") and t.get("text-anchor") == "end"
    ]
    known = sorted((number(t.text), at(t, "y") - 4.5) for t in ticks)
    (low, bottom), (high, top) = known[0], known[-1]
    place = math.log if log else float
    return lambda value: (
        bottom + (top - bottom) * (place(value) - place(low)) / (place(high) - place(low))
    )


def number(text: str | None) -> float:
    return float((text or "").replace(",", "").replace("−", "-"))


# -------------------------------------------------------------------------------------- over steps


def test_lower_perplexity_is_lower_on_the_page() -> None:
    heights = [at(dot, "cy") for dot in dots(panel(over_steps(three()), "perplexity"))]
    assert heights[0] < heights[1] < heights[2]


def test_dots_whiskers_and_limit_lie_where_the_scale_says() -> None:
    drawn = panel(over_steps(three()), "perplexity")
    place = scale_of(drawn)
    assert [at(dot, "cy") for dot in dots(drawn)] == [
        pytest.approx(place(value), abs=0.2) for value in (137.1, 50.4, 46.8)
    ]
    # ±4, ±4 and ±3
    ends = (133.1, 141.1, 46.4, 54.4, 43.8, 49.8)
    assert whiskers(drawn) == [pytest.approx(place(end), abs=0.2) for end in ends]
    (limit,) = classed(drawn, "limit")
    assert at(limit, "y1") == at(limit, "y2") == pytest.approx(place(50), abs=0.2)
    assert [text.text for text in classed(drawn, "limit-text")] == ["< 50"]


def test_the_limit_of_a_suite_is_a_lower_one() -> None:
    drawn = panel(over_steps(three()), "os_benchmark.avg")
    (limit,) = classed(drawn, "limit")
    assert at(limit, "y1") == pytest.approx(scale_of(drawn)(0.7), abs=0.2)
    assert [text.text for text in classed(drawn, "limit-text")] == ["> 0.7"]


def test_a_range_of_more_than_five_fold_is_drawn_by_ratios() -> None:
    def with_lowest(perplexity: float) -> ET.Element:
        made = [
            checkpoint("a/1", 1, perplexity=1000, around=0.0),
            checkpoint("a/2", 2, perplexity=perplexity, around=0.0),
        ]
        no_limit = EvaluatedFolder(checkpoints=made, gate=replace(GATE, perplexity_max=None))
        return panel(over_steps(no_limit), "perplexity")

    def spread(drawn: ET.Element) -> tuple[list[float], bool]:
        title = next(text.text for text in texts(drawn) if "bold" in text.get("class", ""))
        return [at(dot, "cy") for dot in dots(drawn)], "log scale" in (title or "")

    heights, by_ratio = spread(with_lowest(10))
    assert by_ratio
    place = scale_of(with_lowest(10), log=True)
    assert heights == [pytest.approx(place(1000), abs=0.2), pytest.approx(place(10), abs=0.2)]
    assert not spread(with_lowest(201))[1]


def test_steps_lie_in_proportion() -> None:
    first, second, third = (at(d, "cx") for d in dots(panel(over_steps(three()), "perplexity")))
    # (3200 - 160) / (8000 - 160) of the way
    assert (second - first) / (third - first) == pytest.approx(3040 / 7840, abs=0.002)


def test_all_panels_have_the_same_steps() -> None:
    svg = over_steps(three())
    places = [[at(dot, "cx") for dot in dots(panel(svg, str(name)))] for name in panels(svg)]
    assert len(places) == 3
    assert places[0] == places[1] == places[2]


def test_final_stands_behind_the_last_step() -> None:
    drawn = panel(over_steps(twelve()), "perplexity")
    places = [at(dot, "cx") for dot in dots(drawn)]
    assert places[-1] == max(places)
    assert places[-1] - places[-2] > places[1] - places[0]
    assert "final" in [text.text for text in texts(ET.fromstring(over_steps(twelve())))]


def test_a_failed_checkpoint_is_a_gap() -> None:
    drawn = panel(over_steps(twelve()), "perplexity")
    lines = [e for e in classed(drawn, "curve") if e.tag == f"{SVG}polyline"]
    counts = [len(e.get("points", "").split()) for e in lines]
    assert counts == [5, 7]  # five before the failed one, seven behind it


def test_what_was_not_measured_is_a_gap() -> None:
    made = [
        checkpoint("a/1", 1, perplexity=40),
        checkpoint("a/2", 2, os=0.5),
        checkpoint("a/3", 3, perplexity=30),
    ]
    drawn = panel(over_steps(evaluated(made)), "perplexity")
    assert len(dots(drawn)) == 2
    assert classed(drawn, "curve") == []


def test_the_selected_one_is_ringed_in_every_panel_and_named_once() -> None:
    svg = over_steps(three())
    for name in panels(svg):
        drawn = panel(svg, str(name))
        (ring,) = classed(drawn, "ring")
        last = dots(drawn)[-1]
        assert (at(ring, "cx"), at(ring, "cy")) == (at(last, "cx"), at(last, "cy"))
    assert svg.count("ring: tiny/step_8000, selected") == 1
    assert classed(panel(over_steps(replace(three(), selected=None)), "perplexity"), "ring") == []


def test_marginal_ones_are_hollow_where_they_are_marginal() -> None:
    svg = over_steps(three())  # 50.4 ± 4 lies across 50; 46.8 ± 3 does not
    kinds = {
        name: [dot.get("class") for dot in dots(panel(svg, str(name)))] for name in panels(svg)
    }
    assert kinds == {
        "perplexity": ["dot", "hollow", "dot"],
        "os_benchmark.avg": ["dot", "dot", "dot"],
        "weighted_score": ["dot", "hollow", "dot"],
    }


def test_a_panel_without_figures_is_left_out() -> None:
    bare = evaluated([checkpoint("a/1", 1, perplexity=40)], scores=False)
    assert panels(over_steps(bare)) == ["perplexity"]
    suite = evaluated([checkpoint("a/1", 1, os=0.4)], scores=False)
    assert panels(over_steps(suite)) == ["os_benchmark.avg"]


@pytest.mark.parametrize("made", [[], [checkpoint("a/1", 1, failed="broken")]])
def test_without_any_figure_the_picture_says_so(made: list) -> None:
    (said,) = texts(ET.fromstring(over_steps(evaluated(made))))
    assert said.text == "No checkpoint has a figure that could be drawn."


def test_every_suite_of_the_gate_has_its_panel_and_its_limit() -> None:
    one = checkpoint("a/1", 1, os=0.8)
    one = replace(one, suites={**one.suites, "ewe": suite_of(0.4, ("greet", "count"))})
    gate = replace(
        GATE,
        suites=(
            SuiteLimit(name="ewe", min=0.45),
            SuiteLimit(name="os", min=0.6, categories=("installation",)),
        ),
    )
    svg = over_steps(evaluated([one], gate=gate, scores=False))
    assert panels(svg) == ["suite:ewe", "os_benchmark"]
    asked = [[t.text for t in classed(panel(svg, str(n)), "limit-text")] for n in panels(svg)]
    assert asked == [["> 0.45"], ["> 0.6"]]


def test_the_mean_of_a_suite_needs_all_its_categories() -> None:
    one = checkpoint("a/1", 1)
    one = replace(one, suites={"os": suite_of(0.9, ("hardware_id", "driver_select"))})
    assert panels(over_steps(evaluated([one], scores=False))) == []


def test_limits_of_two_size_classes_are_both_drawn_and_written_apart() -> None:
    made = [
        checkpoint("a/1", 1, perplexity=4000),
        replace(checkpoint("a/2", 2, perplexity=12), size_class="large"),
        replace(checkpoint("a/3", 3, perplexity=12), size_class="medium"),
    ]
    said = {each.name: accept(each, GATE) for each in made}
    drawn = panel(over_steps(replace(evaluated(made), acceptances=said)), "perplexity")
    labels = classed(drawn, "limit-text")
    assert [label.text for label in labels] == ["< 15", "< 20", "< 50"]
    heights = [at(label, "y") for label in labels]
    assert all(lower - upper >= 13 for lower, upper in pairwise(heights))


def test_the_limit_that_was_applied_is_the_one_that_is_drawn() -> None:
    one = checkpoint("a/1", 1, perplexity=40)
    unknown = replace(evaluated([one]), checkpoints=[replace(one, size_class=None)])
    drawn = panel(over_steps(unknown), "perplexity")
    assert [label.text for label in classed(drawn, "limit-text")] == ["< 50"]


def test_one_checkpoint_alone_is_a_dot_without_a_line() -> None:
    alone = evaluated([checkpoint("tiny/step_8000", 8000, perplexity=46.8, os=0.92)])
    drawn = panel(over_steps(alone), "perplexity")
    assert len(dots(drawn)) == 1
    assert classed(drawn, "curve") == []
    assert "8,000" in [text.text for text in texts(ET.fromstring(over_steps(alone)))]


def test_equal_steps_stand_above_each_other() -> None:
    made = [checkpoint(f"a/{n}", 7, perplexity=40 + n) for n in range(3)]
    places = [at(dot, "cx") for dot in dots(panel(over_steps(evaluated(made)), "perplexity"))]
    assert len(places) == 3
    assert len(set(places)) == 1


def test_many_checkpoints_have_small_dots_and_thin_whiskers() -> None:
    crowd = panel(over_steps(many()), "perplexity")
    assert {dot.get("r") for dot in dots(crowd)} == {"2.5"}
    assert len(classed(crowd, "thin")) == len(whiskers(crowd)) == 2 * len(dots(crowd)) == 400


def test_a_value_near_its_limit_is_written_so_that_its_side_is_seen() -> None:
    near = evaluated([checkpoint("a/1", 1, perplexity=49.97, around=2)], selected="a/1")
    shown = [text.text for text in texts(panel(over_steps(near), "perplexity"))]
    assert "49.97" in shown
    assert "50.0" not in shown


def test_a_bare_weighted_score_is_drawn_without_an_interval() -> None:
    scores = {"tiny/step_160": 0.04, "tiny/step_8000": 0.36}
    bare = replace(
        three(),
        weighted={
            name: weighted(
                Estimate(
                    value=score, low=None, high=None, n=1, unscored=0, unit="score", method="mover"
                )
            )
            for name, score in scores.items()
        },
    )
    drawn = panel(over_steps(bare), "weighted_score")
    assert len(dots(drawn)) == 2
    assert whiskers(drawn) == []


# ------------------------------------------------------------------------------- speed and quality


def test_the_front_holds_those_that_none_beats() -> None:
    # slow and good, quick and bad, between them; the last is beaten by the third
    assert front([(10, 0.9), (100, 0.2), (50, 0.6), (40, 0.5)]) == [0, 2, 1]
    assert front([(10, 0.5), (10, 0.5)]) == [0, 1]  # neither beats the other
    assert front([(10, 0.5), (10, 0.6)]) == [1]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_whoever_is_not_on_the_front_is_beaten_from_there(places: list[tuple[int, int]]) -> None:
    ahead = [places[n] for n in front(places)]
    for speed, good in places:
        beaten = any(s >= speed and g >= good and (s, g) != (speed, good) for s, g in ahead)
        assert ((speed, good) in ahead) != beaten


# ------------------------------------------------------------------------------------- both of them


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


@every
def test_labels_do_not_overlap(folder: Callable[[], EvaluatedFolder]) -> None:
    shown = [(text.text, box_of(text)) for text in texts(ET.fromstring(over_steps(folder())))]
    assert [(a, b) for (a, one), (b, other) in combinations(shown, 2) if meet(one, other)] == []


def meet(one: Box, other: Box) -> bool:
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom


def box_of(text: ET.Element) -> Box:
    anchor, bold = text.get("text-anchor", "start"), "bold" in text.get("class", "")
    x, y, width = at(text, "x"), at(text, "y"), text_width(text.text or "", bold=bold)
    left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return Box(left, y - 0.82 * TEXT, left + width, y + 0.26 * TEXT)


@every
def test_every_text_and_mark_lies_inside_the_picture(folder: Callable[[], EvaluatedFolder]) -> None:
    svg = ET.fromstring(over_steps(folder()))
    _, _, width, height = map(float, svg.get("viewBox", "").split())
    for text in texts(svg):
        left, top, right, bottom = box_of(text)
        assert min(left, top) >= 0, text.text
        assert right <= width, text.text
        assert bottom <= height, text.text
    for dot in dots(svg):
        assert 0 <= at(dot, "cx") <= width
        assert 0 <= at(dot, "cy") <= height


@every
def test_nothing_runs_and_nothing_is_loaded(folder: Callable[[], EvaluatedFolder]) -> None:
    svg = over_steps(folder())
    assert {each.tag.removeprefix(SVG) for each in ET.fromstring(svg).iter()} <= {
        "svg", "title", "desc", "style", "rect", "g", "line", "path", "polyline", "polygon",
        "circle", "text",
    }  # fmt: skip
    for word in ("url(", "@import", "@font-face", "href", "javascript:"):
        assert word not in svg
    keys = [key for each in ET.fromstring(svg).iter() for key in each.attrib]
    assert [key for key in keys if key.startswith("on")] == []


def test_hostile_names_are_shown_and_not_obeyed() -> None:
    svg = over_steps(hostile())
    svg.encode("utf-8")  # no half of a character
    assert "<script" not in svg
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in svg
    for raw in ("\x1b", "\x00", "\u202e", "\uffff"):
        assert raw not in svg
    for shown in ("\\u202e", "\\x1b", "\\x00", "\\uffff", "\\ud800"):
        assert shown in svg


def test_hostile_names_of_suites_are_escaped_in_attributes_too() -> None:
    one = replace(checkpoint("a/1", 1, speed=20), suites={HOSTILE: suite_of(0.5, (HOSTILE,))})
    gate = replace(GATE, suites=(SuiteLimit(name=HOSTILE, min=0.4, categories=(HOSTILE,)),))
    for svg in (over_steps(evaluated([one], gate=gate)),):
        assert "<script" not in svg
        ET.fromstring(svg)


@every
def test_the_same_folder_gives_the_same_picture(folder: Callable[[], EvaluatedFolder]) -> None:
    assert over_steps(folder()) == over_steps(folder())


def test_screen_readers_are_told_what_is_drawn() -> None:
    svg = ET.fromstring(over_steps(three()))
    assert svg.get("role") == "img"
    title, description = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert (title.text or "").startswith("tiny: ")
    assert "0.920 [0.885–0.943] n=300" in (description.text or "")
    assert "Selected: " in (description.text or "")
    assert all(dot.find(f"{SVG}title") is not None for dot in dots(svg))


def test_colours_stand_out_from_the_ground_in_light_and_in_dark() -> None:
    svg = over_steps(twelve())
    light, dark = (
        dict(re.findall(r"\.assay-picture \.([\w-]+)\{(?:fill|stroke):(#\w{6})", rules))
        for rules in svg.split("prefers-color-scheme:dark")
    )
    for colours in (light, dark):
        for name in ("ink", "soft", "limit-text"):
            assert contrast(colours[name], colours["ground"]) >= 4.5, name  # WCAG 2.1, text
        for name in ("dot", "limit", "whisker"):
            assert contrast(colours[name], colours["ground"]) >= 2.5, name
    assert set(light) == set(dark)


def contrast(one: str, other: str) -> float:
    """By WCAG 2.1: from 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[n : n + 2], 16) / 255) for n in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


numbers_of_any_size = st.floats(1e-300, 1e300) | st.sampled_from([1.0, 50.0, 1.7e308, 5e-324])


@given(
    st.lists(
        st.tuples(
            st.none() | st.floats(0, 1e18),
            st.none() | numbers_of_any_size,
            st.none() | st.floats(0, 1),
            st.none() | numbers_of_any_size,
        ),
        max_size=6,
    )
)
def test_numbers_of_any_size_are_drawn(
    rows: list[tuple[float | None, float | None, float | None, float | None]],
) -> None:
    made = [
        checkpoint(f"a/{n}", step, perplexity=perplexity, around=0.0, os=share, speed=speed)
        for n, (step, perplexity, share, speed) in enumerate(rows)
        if speed is None or speed < 1e308
    ]
    for svg in (over_steps(evaluated(made, scores=False)),):
        places = [value for each in ET.fromstring(svg).iter() for value in positions(each)]
        assert all(0 <= place <= 5000 for place in places)


def positions(element: ET.Element) -> Iterator[float]:
    for key in ("x", "y", "cx", "cy", "x1", "x2", "y1", "y2"):
        if element.get(key) is not None:
            yield at(element, key)


def test_an_interval_that_is_not_known_has_no_whisker() -> None:
    one = checkpoint("a/1", 1, perplexity=40)
    assert one.text is not None
    bare = Estimate(
        value=40, low=None, high=None, n=1, unscored=0, unit="perplexity", method="none"
    )
    made = [replace(one, text=replace(one.text, perplexity=bare))]
    plain = EvaluatedFolder(checkpoints=made, gate=GATE)
    assert whiskers(panel(over_steps(plain), "perplexity")) == []


def test_an_interval_with_one_known_end_reaches_from_the_dot_to_it() -> None:
    one = checkpoint("a/1", 1, perplexity=40, around=8)
    assert one.text is not None
    half = replace(one.text.perplexity, low=None)
    made = [replace(one, text=replace(one.text, perplexity=half))]
    drawn = panel(over_steps(EvaluatedFolder(checkpoints=made, gate=GATE)), "perplexity")
    (top,) = whiskers(drawn)
    assert top == pytest.approx(scale_of(drawn)(48), abs=0.2)
