"""Stored tries of a suite's tests as Attempts."""

from collections.abc import Iterator, Sequence

from assay.store import StoredTry
from assay.types import Attempt, Suite


def trials_of(suite: Suite, tries: Sequence[StoredTry]) -> Iterator[Attempt]:
    cases = {case.id: case for case in suite.cases}
    for kept in tries:
        if kept.suite == suite.name:
            yield Attempt(
                case=cases[kept.test_id],
                repeat=kept.repeat,
                request_id=kept.request_id,
                reply=kept.reply,
                score=kept.score,
                sent=kept.sent,
            )
