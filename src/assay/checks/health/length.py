"""Whether an answer has a reasonable length.

In: an answer. Out: a HealthCheck; `length` is a note. Words are what white space separates, as the
specification counts them.
"""

from __future__ import annotations

from assay.checks.health.reading import quote
from assay.messages import trn
from assay.types.samples import HealthCheck

NAME = "length"
MORE_THAN, FEWER_THAN = 10, 200


def length(text: str) -> HealthCheck:
    """Passes with more than 10 and fewer than 200 words."""
    count = len(text.split())
    explanation = trn(
        "{count} word; more than {least} and fewer than {most} are asked for.",
        "{count} words; more than {least} and fewer than {most} are asked for.",
        count,
        least=MORE_THAN,
        most=FEWER_THAN,
    )
    passed = MORE_THAN < count < FEWER_THAN
    return HealthCheck(
        name=NAME,
        passed=passed,
        passage="" if passed else quote(text.strip(), 0, len(text)),
        explanation=explanation,
    )
