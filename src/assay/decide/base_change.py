"""What an adapter changed: every figure against that of its base, on the same text and tests."""

from collections.abc import Iterator

from assay.decide.trend import SMALLEST, Unit, beyond_noise, change_by_tests, paired_nats
from assay.types import Estimate
from assay.types.decisions import ChangeFromBase, Measurements


def changes_from_base(base: Measurements, adapted: Measurements) -> tuple[ChangeFromBase, ...]:
    """Perplexity, then the suites. Intervals are widened for all the figures looked at."""
    found = [*_changes(base, adapted)]
    return tuple(
        ChangeFromBase(
            measure=measure,
            change=change,
            gain=(change.value or 0.0) * (1 if unit == "points" else -1),
            counts=beyond_noise(change, len(found)) and abs(change.value or 0.0) >= SMALLEST[unit],
        )
        for measure, unit, change in found
    )


def _changes(base: Measurements, adapted: Measurements) -> Iterator[tuple[str, Unit, Estimate]]:
    before, after = base.text, adapted.text
    if before and after and before.text == after.text:
        same_cut = [n for _, n in before.blocks] == [n for _, n in after.blocks]
        change = paired_nats(before, after) if same_cut else None
        if change is not None and change.value is not None:
            yield "perplexity", "nats", change
    for name in sorted(base.suites.keys() & adapted.suites.keys()):
        change = change_by_tests(base.suites[name], adapted.suites[name])
        if change is not None and change.n:
            yield f"suite:{name}", "points", change
