"""Bits per byte of the right answers to written tests: they say what a suite at chance cannot.

The figure belongs to each suite (`right_bits`); here is what is asked for it.
"""

from collections.abc import Iterator
from dataclasses import asdict

from assay.plugins import measure
from assay.types.measures import Asking, Measure, MeasureRequest, Places


@measure("answers", unit="bits per byte", better="lower")
class RightAnswerBits(Measure):
    """How likely the right answers are to it."""

    places = Places(keys=56, asking=20)
    kind = "answers"
    by_default = True

    def ask(self, asking: Asking) -> Iterator[MeasureRequest]:
        if "score_text" in asking.facts.capabilities:
            for name, likelihood in asking.right_answers():
                content = asdict(likelihood)
                yield MeasureRequest(test_id=name, work=likelihood, content=content)
