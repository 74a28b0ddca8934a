"""Several trainings of one recipe, as with other seeds: how far their last checkpoints lie apart.

Beside the standard deviation between trainings is the standard error of one figure over tests or
documents: a difference between two recipes must exceed both to mean anything.
"""

import math
import statistics
from collections.abc import Mapping, Sequence

from assay.stats.intervals import Z95
from assay.types import Estimate
from assay.types.decisions import Measurements, TrainingSpread


def spread_of_trainings(
    folders: Mapping[str, Sequence[Measurements]],
) -> tuple[TrainingSpread, ...]:
    """Nothing where there are fewer than two, or the models are not of one shape."""
    last = [found for each in folders.values() if (found := _last(each)) is not None]
    if len(last) < 2 or len({each.shape for each in last}) > 1 or not last[0].shape:
        return ()
    figures: dict[str, list[Estimate]] = {}
    for each in last:
        if each.text is not None and each.text.perplexity.value is not None:
            figures.setdefault("perplexity", []).append(each.text.perplexity)
        for name, suite in each.suites.items():
            if suite.score.value is not None:
                figures.setdefault(f"suite:{name}", []).append(suite.score)
    return tuple(_spread(name, found) for name, found in figures.items() if len(found) == len(last))


def _last(checkpoints: Sequence[Measurements]) -> Measurements | None:
    """Of a folder; `final` comes after every step."""
    known = [each for each in checkpoints if not each.failed]
    return max(known, key=lambda each: math.inf if each.step is None else each.step, default=None)


def _spread(name: str, found: Sequence[Estimate]) -> TrainingSpread:
    values = [each.value or 0.0 for each in found]
    errors = [
        (each.high - each.low) / (2 * Z95)
        for each in found
        if each.low is not None and each.high is not None
    ]
    whole = len(errors) == len(found)
    return TrainingSpread(
        figure=name,
        trainings=len(values),
        mean=statistics.fmean(values),
        between=statistics.stdev(values),
        within=math.sqrt(statistics.fmean(each**2 for each in errors)) if whole else None,
    )
