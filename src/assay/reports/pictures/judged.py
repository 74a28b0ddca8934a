"""The overall score of every test and model as one SVG, with what the evidence shows.

A filled dot is the score that counts, a hollow one what the judge alone would give where that is
something else, the bar how far single judgements are apart. On the right are the checks that hold.
Models are distinguished by their numbers, not by colour.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.messages import tr
from assay.reports.judged import sentences as said
from assay.reports.pictures import canvas as picture
from assay.reports.pictures.canvas import LINE, element, grid_line, soft_words, words
from assay.reports.pictures.labels import fitted
from assay.reports.pictures.scales import Scale
from assay.text import number_format as numbers
from assay.types.judged import DomainJudged, Judged, ModelJudged, TestJudged
from assay.types.judgements import BANDS, MOST, shown_tenths

LEFT, PLOT_RIGHT = 270, 560
TOP = 82
ROW, GAP = 20, 8
DOT, MEAN_DOT = 4.5, 5.5
BAR = 54  # pixels of a bar that is all

_ACROSS = Scale(0.0, float(MOST), LEFT, PLOT_RIGHT, log=False, ticks=())


def overall_by_test(of: Judged) -> str:
    """The picture. Where nothing was judged, one that says so."""
    title = tr("Overall score by test and model")
    if not any(test.tenths is not None for model in of.models for test in model.tests):
        sentence = tr("No judged test has a score that could be drawn.")
        return picture.nothing_drawn(title, sentence)
    drawing = _JudgedPicture(of.models)
    body: list[str] = []
    for domain in of.domains:
        body.extend(drawing.domain(domain))
    notes = _notes(of)
    bottom = drawing.y
    pieces = [words(16, 26, title, bold=True), *_axis(bottom), *body]
    pieces += [soft_words(16, bottom + 34 + LINE * n, note) for n, note in enumerate(notes)]
    description = said.closing_sentence(of)
    return picture.document(
        pieces, bottom + 34 + LINE * len(notes), title=title, description=description
    )


def _axis(bottom: float) -> Iterator[str]:
    """The edges of the bands, and their names between them."""
    above = 10 * MOST
    for place, (least, name) in enumerate(BANDS):
        x = _ACROSS.at(least / 10)
        yield grid_line(x, TOP - 8, x, bottom)
        yield soft_words(x, bottom + 15, f"{least / 10:g}", anchor="middle")
        middle = (_ACROSS.at(least / 10) + _ACROSS.at(above / 10)) / 2
        # A narrow band has no room for its name beside its neighbour's: they take turns in height.
        yield soft_words(middle, TOP - (14 if place % 2 else 30), name, anchor="middle")
        above = least
    yield grid_line(PLOT_RIGHT, TOP - 8, PLOT_RIGHT, bottom)
    yield soft_words(PLOT_RIGHT, bottom + 15, f"{MOST}", anchor="middle")
    yield soft_words(PLOT_RIGHT + 14, TOP - 14, tr("evidence"))


def _notes(of: Judged) -> list[str]:
    width = picture.WIDTH - 32
    names = [f"{number}  {model.model}" for number, model in enumerate(of.models, start=1)]
    legend = [
        tr("filled: the score that counts"),
        tr("hollow: the judge alone"),
        tr("line at a dot: by the lowest and highest scores given"),
        tr("line at a mean: 95 % interval"),
        tr("bar: checks that hold"),
    ]
    return [*picture.wrapped(names, width), *picture.wrapped(legend, width)]


class _JudgedPicture:
    def __init__(self, models: tuple[ModelJudged, ...]) -> None:
        self.models = models
        self.y: float = TOP

    def domain(self, domain: str) -> Iterator[str]:
        self.y += LINE
        yield words(16, self.y, fitted(said.domain_name(domain), LEFT - 30), bold=True)
        self.y += GAP
        for number, model in enumerate(self.models, start=1):
            if (judged := model.domain(domain)) is not None and judged.mean.value is not None:
                yield from self._mean(number, model.model, judged)
        keys = dict.fromkeys(
            (test.suite, test.test_id)
            for model in self.models
            for test in model.tests
            if test.domain == domain
        )
        for key in keys:
            yield from self._test(key)
        self.y += GAP

    def _mean(self, number: int, model: str, judged: DomainJudged) -> Iterator[str]:
        mean = judged.mean
        self.y += ROW
        y = self.y - 5
        if number == 1:
            yield words(16, self.y, tr("mean"))
        yield soft_words(LEFT - 16, self.y, str(number), anchor="end")
        if mean.low is not None and mean.high is not None:
            yield picture.lying_whisker(y, _ACROSS.at(mean.low), _ACROSS.at(mean.high))
        told = f"{model}: {numbers.figure(mean)}"
        x = _ACROSS.at(mean.value or 0.0)
        yield picture.dot_mark(x, y, MEAN_DOT, hollow=False, said=told)
        yield picture.ring(x, y, MEAN_DOT + 3)
        if judged.evidence_total:
            yield from _bar(y, judged.evidence_passed, judged.evidence_total)

    def _test(self, key: tuple[str, str]) -> Iterator[str]:
        self.y += GAP
        named = False
        for number, model in enumerate(self.models, start=1):
            test = next((each for each in model.tests if (each.suite, each.test_id) == key), None)
            if test is None:
                continue
            self.y += ROW
            if not named:
                named = True
                yield words(16, self.y, fitted(said.test_name(test), LEFT - 50))
            yield soft_words(LEFT - 16, self.y, str(number), anchor="end")
            yield from _score(self.y - 5, model, test)


def _score(y: float, model: ModelJudged, test: TestJudged) -> Iterator[str]:
    if test.tenths is None:
        yield soft_words(LEFT + 6, y + 5, tr("unscored"))
    else:
        if test.low is not None and test.high is not None and test.low < test.high:
            left, right = _ACROSS.at(test.low / 10), _ACROSS.at(test.high / 10)
            yield picture.lying_whisker(y, left, right, caps=False, wide=4)
        if test.judge_only_tenths is not None and test.judge_only_tenths != test.tenths:
            alone = tr(
                "{model}, {test}: {overall} by the judge alone",
                model=model.model,
                test=test.test_id,
                overall=shown_tenths(test.judge_only_tenths),
            )
            x = _ACROSS.at(test.judge_only_tenths / 10)
            yield picture.dot_mark(x, y, DOT, hollow=True, said=alone)
        told = f"{model.model}, {test.test_id}: {said.overall(test)}"
        x = _ACROSS.at(test.tenths / 10)
        yield picture.dot_mark(x, y, DOT, hollow=False, said=told)
        yield _beside(x, y, shown_tenths(test.tenths))
    if test.evidence_total:
        yield from _bar(y, test.evidence_passed, test.evidence_total)


def _beside(x: float, y: float, text: str) -> str:
    """The figure on that side of its dot where no hollow dot can lie: a cap only lowers."""
    if x - LEFT < 34:
        return words(x + 10, y + 5, text)
    return words(x - 10, y + 5, text, anchor="end")


def _bar(y: float, passed: int, total: int) -> Iterator[str]:
    """The checks that hold, as a part of a bar, and in figures."""
    left = PLOT_RIGHT + 14
    told = picture.told(tr("checks that hold: {passed} of {total}", passed=passed, total=total))
    yield element(
        "rect", told, x=left, y=y - 4, width=BAR, height=8, class_="hollow", fill=picture.GROUND,
        stroke=picture.CURVE,
    )  # fmt: skip
    if passed:
        yield element(
            "rect", x=left, y=y - 4, width=BAR * passed / total, height=8, class_="dot",
            fill=picture.CURVE,
        )  # fmt: skip
    yield soft_words(left + BAR + 6, y + 5, f"{passed}/{total}")
