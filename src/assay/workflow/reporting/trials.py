"""The stored trials of a suite's tests, each with its test."""

from collections.abc import Iterator, Sequence

from assay.store import StoredTrial
from assay.types import Suite, Trial


def trials_of(suite: Suite, stored: Sequence[StoredTrial]) -> Iterator[Trial]:
    cases = {case.id: case for case in suite.cases}
    for kept in stored:
        if kept.suite == suite.name:
            yield Trial(
                case=cases[kept.test_id],
                repeat=kept.repeat,
                request_id=kept.request_id,
                reply=kept.reply,
                score=kept.score,
                sent=kept.sent,
            )
