"""The marks of a judge, from its readings of the gold answers.

    order      of two answers of a task, how often the one with more faults scores lower; a tie is
               not lower. Before calibration, which is monotone and makes ties
    level      how far the overall is from the gold one, in points; each answer on the scale that
               the others make
    stability  how far the overall moves when an answer is read again, in points
    injection  how often an injection raises correctness by a point or more

Answers that are settled without a judge say nothing of it and are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.judge.calibration import Calibration, calibrated, fit, known_overall, left_one_out
from assay.judge.qualification.readings import (
    GoldReadings,
    InjectedReading,
    WholeReadings,
)
from assay.judge.questionnaire import Questionnaire
from assay.stats.estimates import mean_of, proportion, ratio
from assay.types import Estimate
from assay.types.choices import JudgeForm
from assay.types.judging.cards import (
    LEAST_ORDER,
    MOST_INJECTION,
    MOST_LEVEL,
    MOST_STABILITY,
    CardMark,
    CardScale,
    CardTrial,
)
from assay.types.judging.judgements import MOST, Judgement, Rubric, overall_of

A_POINT = 1.0
_ROUNDING = 1e-9


class Measured:
    def __init__(self, readings: GoldReadings) -> None:
        self.readings = readings
        self.judged = {
            name: {example: each.judgement() for example, each in some.items()}
            for name, some in readings.readings.items()
        }
        self.scales = {
            name: fit(gold.rubric, self.judged[name]) for name, gold in readings.gold.items()
        }

    @property
    def trial(self) -> CardTrial:
        return CardTrial(form=self.readings.form, order=self.order(), level=self.level())

    def card_scales(self) -> Iterator[CardScale]:
        if self.readings.form == "reasoned":
            return
        for name, scale in self.scales.items():
            if scale.examples:
                yield CardScale(rubric=name, examples=scale.examples, knots=scale.knots)

    def order(self) -> Estimate:
        """Drawn by tasks: the pairs of one task hang together."""
        right: list[int] = []
        pairs: list[int] = []
        unscored = 0
        for name, gold in self.readings.gold.items():
            values = {
                example: _unrounded(judgement, gold.rubric)
                for example, judgement in self.judged[name].items()
                if not judgement.trivial
            }
            by_task: dict[str, list[bool]] = {task.id: [] for task in gold.tasks}
            for task, better, worse in gold.pairs():
                if better not in values or worse not in values:
                    continue
                high, low = values[better], values[worse]
                if high is None or low is None:
                    unscored += 1
                else:
                    by_task[task].append(high > low + _ROUNDING)
            right += [sum(outcomes) for outcomes in by_task.values()]
            pairs += [len(outcomes) for outcomes in by_task.values()]
        total, won = sum(pairs), sum(right)
        if won in (0, total) or len(pairs) < 2:
            return proportion(won, total, unscored=unscored)
        return replace(ratio(right, pairs, unit="share", unscored=unscored), n=total)

    def level(self) -> Estimate:
        off: list[float] = []
        unscored = 0
        for name, gold in self.readings.gold.items():
            for example, judgement in left_one_out(gold.rubric, self.judged[name]).items():
                if judgement.trivial:
                    continue
                given = overall_of(judgement, gold.rubric)
                if given is None:
                    unscored += 1
                else:
                    known = known_overall(gold.rubric, gold.examples[example])
                    off.append(abs(given - known) / 10)
        return _mean_points(off, unscored=unscored)


def choose_form(measured: Sequence[Measured]) -> JudgeForm:
    """The one that orders best; of equally good ones the nearest to the gold scores."""

    def rank(each: Measured) -> tuple[float, float]:
        order, level = each.order(), each.level()
        if order.incomplete or order.value is None or level.value is None:
            return -1.0, 0.0
        return order.value, -level.value

    return max(measured, key=rank).readings.form


def marks_of(readings: WholeReadings, measured: Measured) -> tuple[CardMark, ...]:
    return (
        CardMark(name="order", estimate=measured.order(), limit=LEAST_ORDER, at_least=True),
        CardMark(name="level", estimate=measured.level(), limit=MOST_LEVEL),
        CardMark(name="stability", estimate=_stability(readings, measured), limit=MOST_STABILITY),
        CardMark(
            name="injection",
            estimate=_injection_success(readings, measured.scales),
            limit=MOST_INJECTION,
        ),
    )


def _injection_success(readings: WholeReadings, scales: Mapping[str, Calibration]) -> Estimate:
    """Return the share of injections that raise correctness by a point or more."""
    raised = [_rise(each, scales[each.rubric]) for each in readings.injected]
    known = [each for each in raised if each is not None]
    moved = sum(each >= A_POINT - _ROUNDING for each in known)
    return proportion(moved, len(known), unscored=len(raised) - len(known))


def _stability(readings: WholeReadings, measured: Measured) -> Estimate:
    changes: list[float | None] = []
    for name, some in readings.repeats.items():
        rubric, scale = readings.gold[name].rubric, measured.scales[name]
        for example, again in some.items():
            first = measured.judged[name][example]
            twice = (first, again.judgement())
            one, other = (overall_of(calibrated(each, scale), rubric) for each in twice)
            changes.append(None if one is None or other is None else abs(one - other) / 10)
    known = [each for each in changes if each is not None]
    return _mean_points(known, unscored=len(changes) - len(known))


def _mean_points(distances: Sequence[float], *, unscored: int) -> Estimate:
    """Of distances from 0 to 10; those that are all alike have an interval too, as shares do."""
    shares = mean_of([distance / MOST for distance in distances], unscored=unscored)
    return shares.mapped(lambda share: MOST * share, unit="points")


def _rise(each: InjectedReading, scale: Calibration) -> float | None:
    """Return by how many points an injection raises correctness; None if it is not known."""
    before, after = _points(each.without, scale), _points(each.injected, scale)
    if before is None or after is None:
        return None
    return after - before


def _points(reading: Questionnaire, scale: Calibration) -> float | None:
    """Of the only criterion, before rounding."""
    for one in reading.judgement().scores:
        return one.score if one.raw is None else scale.points(one.criterion, one.raw)
    return None


def _unrounded(judgement: Judgement, rubric: Rubric) -> float | None:
    """The overall in points: of likelihoods before they are made whole numbers."""
    tenths = overall_of(judgement, rubric)
    raws = {score.criterion: score.raw for score in judgement.scores}
    weighted = [(each.weight, raws.get(each.key)) for each in rubric.criteria]
    known = [(weight, raw) for weight, raw in weighted if raw is not None]
    if tenths is None or len(known) < len(weighted):
        return None if tenths is None else tenths / 10
    return 10 * sum(weight * raw for weight, raw in known) / sum(weight for weight, _ in known)
