"""How long a model will take, by how long it took before.

In: the store, and what is left to ask. Out: a range of seconds and the words for what it rests on.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from assay.messages import trn
from assay.plan import Plan
from assay.store import Store
from assay.types import Answered, ChoiceLikelihoods, Request

MOST_EARLIER = 3000  # replies looked at, some 0.1 s; more would not change a rough figure
OTHER_TESTS = 2.0  # a test of another suite may take half as long, or twice

Range = tuple[float, float]


def earlier_seconds(store: Store, fingerprint: str) -> dict[str, list[float]]:
    """Of the newest replies of the same model, by suite; failed ones say little of good ones."""
    found: dict[str, list[float]] = {}
    for suite, seconds in islice(_seconds_of(store, fingerprint), MOST_EARLIER):
        found.setdefault(suite, []).append(seconds)
    return found


def _seconds_of(store: Store, fingerprint: str) -> Iterator[tuple[str, float]]:
    for run in reversed(store.read_runs()):
        for model in run.models:
            if model.facts.fingerprint != fingerprint:
                continue
            for kept in store.read_tries(run, model):
                reply = kept.reply
                if isinstance(reply, Answered | ChoiceLikelihoods) and reply.total_s is not None:
                    yield kept.suite, reply.total_s


def by_earlier(
    plan: Plan, pending: Sequence[tuple[Request, int]], earlier: Mapping[str, Sequence[float]]
) -> tuple[Range, str]:
    """Suite by suite, since one's tests take ten times as long as another's."""
    left: Counter[str] = Counter()
    for request, turns in pending:
        left[request.suite] += turns
    others = [seconds for suite in earlier.values() for seconds in suite]
    low = high = 0.0
    for suite, turns in left.items():
        alike = suite in earlier
        shortest, longest = _so_many_more(turns, earlier[suite] if alike else others)
        low += shortest if alike else shortest / OTHER_TESTS
        high += longest if alike else longest * OTHER_TESTS
    same = sum(len(earlier[suite]) for suite in left if suite in earlier)
    bases = []
    if same:
        bases.append(
            trn(
                "by {count} earlier answer of {model}",
                "by {count} earlier answers of {model}",
                same,
                model=plan.facts.name,
            )
        )
    if any(suite not in earlier for suite in left):
        bases.append(
            trn(
                "by {count} earlier answer of {model}, of other tests",
                "by {count} earlier answers of {model}, of other tests",
                len(others),
                model=plan.facts.name,
            )
        )
    return (low, high), "; ".join(bases)


def _so_many_more(left: int, seconds: Sequence[float]) -> Range:
    """Where their sum will lie, nineteen times in twenty if they are like these."""
    mean = statistics.fmean(seconds)
    if len(seconds) < 3:
        return left * mean / 2, left * mean * 2
    spread = statistics.stdev(seconds)
    aside = 2 * spread * math.sqrt(left + left**2 / len(seconds))
    return max(0.0, left * mean - aside), left * mean + aside
