"""Which suites carry signal over the steps of a model folder.

The noise is the standard error of the difference between neighbouring steps, paired by test, or the
largest step back, if that is larger. A suite carries signal where the interval of the change leaves
out 0, the change is at least LEAST times the noise, and some step is above guessing.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from assay.decide.coverage import beside_guessing, is_above
from assay.decide.trend import FEWEST, asked_alike, change_by_tests, steps_of
from assay.stats.intervals import Z95
from assay.types.decisions import Measurements, SuiteFigures, SuiteSignal

LEAST = 2.0


def find_signals(candidates: Sequence[Measurements]) -> tuple[SuiteSignal, ...]:
    """Of every suite that three steps or more were asked alike."""
    steps = steps_of(candidates)
    names = sorted({name for each in steps for name in each.suites})
    asked = {name: [suite for _, suite in asked_alike(name, steps)] for name in names}
    found = (_signal(name, suites) for name, suites in asked.items() if len(suites) >= FEWEST)
    return tuple(each for each in found if each is not None)


def _signal(name: str, suites: Sequence[SuiteFigures]) -> SuiteSignal | None:
    change = change_by_tests(suites[0], suites[-1])
    between = [change_by_tests(a, b) for a, b in pairwise(suites)]
    if change is None or change.value is None or None in between:
        return None
    known = [each for each in between if each is not None]
    widths = [(each.high or 0.0) - (each.low or 0.0) for each in known]
    error = math.sqrt(math.fsum(width**2 for width in widths) / len(widths)) / (2 * Z95)
    direction = math.copysign(1.0, change.value)
    noise = max(error, *(-direction * (each.value or 0.0) for each in known))
    guesses = not any(_above_guessing(suite) for suite in suites)
    beyond = change.low is not None and change.high is not None and change.low * change.high > 0
    return SuiteSignal(
        suite=name,
        change=change,
        noise=noise,
        guesses=guesses,
        carries=beyond and abs(change.value) >= LEAST * noise and not guesses,
        bits=(suites[0].right_bits, suites[-1].right_bits),
    )


def _above_guessing(suite: SuiteFigures) -> bool:
    """Where the baseline is not known, nothing says that it guesses."""
    share, guess = beside_guessing(suite)
    return guess is None or (share is not None and is_above(share, guess))
