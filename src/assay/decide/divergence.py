"""Steps of a training that went wrong by themselves, found in order beside the last good step.

By the held-out text: the loss jumps by LEAST_JUMP nats or more, beyond the interval of the paired
difference, and the first guess is right less than LEFT times as often. Overfitting raises the loss
too, slowly, and leaves the guesses. By a suite, where a step has no text: its score falls to less
than LEFT of both neighbours', each beyond chance. The last step of a suite cannot be told from a
fall that stays.
"""

from collections.abc import Iterator, Sequence

from assay.stats.suite_changes import asked_alike, change_by_tests
from assay.types import Estimate
from assay.types.decisions import Measurements
from assay.types.measures import every_measure
from assay.types.trends import ComparedSteps, DivergedStep

# Both must hold: overfitting raises the loss too, and leaves the first guess right. A distance
# in median deviations of the curve was rejected, since a loss that falls steeply at first makes
# every later step an outlier, or none.
LEAST_JUMP = 0.5  # nats per token
LEFT = 0.5


def diverged_steps(steps: Sequence[Measurements]) -> tuple[DivergedStep, ...]:
    """In order; `steps` are those of one folder, in order."""
    found = {each.step: each for each in _by_suites(steps)} | {
        each.step: each for each in _by_text(steps)
    }
    return tuple(found[step] for step in sorted(found))


def _by_text(steps: Sequence[Measurements]) -> Iterator[DivergedStep]:
    right = {each.step or 0.0: each.text.top1.value or 0.0 for each in steps if each.text}
    for compared in _compared(steps):
        known = [place for place, point in enumerate(compared.points) if point.value.n]
        good = known[:1]
        for place in known[1:]:
            change = compared.compare(good[-1], place)
            before, here = compared.points[good[-1]].step, compared.points[place].step
            guesses = right.get(before, 0.0), right.get(here, 0.0)
            if _is_jump(change) and guesses[1] < LEFT * guesses[0]:
                yield DivergedStep(
                    step=here, before=before, measure=compared.measure, change=change,
                    guesses=guesses,
                )  # fmt: skip
            else:
                good.append(place)


def _compared(steps: Sequence[Measurements]) -> Iterator[ComparedSteps]:
    """The held-out text over the steps."""
    found = (each for measure in every_measure() for each in measure.steps(steps))
    return (each for each in found if each.measure == "perplexity")


def _is_jump(change: Estimate | None) -> bool:
    if change is None or change.value is None or change.value < LEAST_JUMP:
        return False
    return change.low is None or change.low > 0  # too few documents for an interval


def _by_suites(steps: Sequence[Measurements]) -> Iterator[DivergedStep]:
    without = {each.step for each in steps if each.text is None}
    for name in sorted({name for each in steps for name in each.suites}):
        asked = asked_alike(name, steps)
        for (before, a), (here, b), (_, c) in zip(asked, asked[1:], asked[2:], strict=False):
            scores = [each.score.value or 0.0 for each in (a, b, c)]
            fall, rise = change_by_tests(a, b), change_by_tests(b, c)
            if here not in without or scores[1] >= LEFT * min(scores[0], scores[2]):
                continue
            if fall and rise and (fall.high or 0.0) < 0 < (rise.low or 0.0):
                yield DivergedStep(
                    step=here, before=before, measure=f"suite:{name}", change=fall
                )  # fmt: skip
