"""Whether an answer is stuck in a loop: the check of the gate on top of `text/loops.py`."""

from assay.checks.health.reading import QUOTED_AT_MOST, READ_AT_MOST, AnswerWords, quote, read
from assay.messages import tr
from assay.text.loops import Loop, find_loops
from assay.text.number_format import exact
from assay.types.measured.samples import HealthCheck

NAME = "loop"
# Lines of tables, logs and code repeat themselves by nature.
FACTOR_IN_DATA = 2.0


def loop(text: str) -> HealthCheck:
    """Passes unless a unit is repeated back to back."""
    text = text[-READ_AT_MOST:]
    words = read(text)
    stuck = (found for found in find_loops(text) if found.is_stuck(_factor(found, words)))
    found = next(stuck, None)
    if found is None:
        return HealthCheck(name=NAME, passed=True, passage="", explanation=tr("Nothing loops."))

    unit = " ".join(quote(text, found.start, found.unit_end).split())
    shown_end = min(found.end, found.start + QUOTED_AT_MOST)
    return HealthCheck(
        name=NAME,
        passed=False,
        passage=quote(text, found.start, max(found.unit_end, shown_end)),
        explanation=tr(
            "The same unit comes {times} times in a row: {unit}",
            times=exact(round(found.times, 1)),
            unit=unit[:120],
        ),
        failure=True,
    )


def _factor(found: Loop, words: AnswerWords) -> float:
    """Return how much more often the unit must come than in prose."""
    return 1.0 if words.is_prose_at(found.start) else FACTOR_IN_DATA
