"""What a run says before its first request: how many there are, and how long they take if the store
knows the speed of this model.
"""

import statistics
from collections import Counter
from collections.abc import Sequence

from assay.messages import labelled, tr, trn
from assay.request_identity import JUDGE_SUITE
from assay.store import AnswerTime, Store
from assay.text import number_format as numbers
from assay.types import ModelFacts, Request

SERVED = ("ollama:", "openai:", "http://", "https://")
ENOUGH = 3  # answers of a suite, from which on those left are taken to be like them


def announce_requests(store: Store, facts: ModelFacts, requests: Sequence[Request]) -> str:
    """Return a sentence; empty if nothing is left to ask, or no server answers for the model."""
    if not requests or not facts.spec.startswith(SERVED):
        return ""
    count = trn("{count} request", "{count} requests", len(requests))
    return _announce(facts.spec, count, estimate_seconds(store, facts.fingerprint, requests))


def announce_judging(store: Store, facts: ModelFacts, answers: int) -> str:
    """Return a sentence; a judge is asked several questions about an answer."""
    if not answers or not facts.spec.startswith(SERVED):
        return ""
    count = trn("{count} answer to judge", "{count} answers to judge", answers)
    times = store.find_times(facts.fingerprint, JUDGE_SUITE)
    judged = len({time.test for time in times})
    if judged < ENOUGH:
        return _announce(facts.spec, count, None)
    return _announce(facts.spec, count, seconds_per_answer(times) * len(times) / judged * answers)


def _announce(spec: str, work: str, seconds: float | None) -> str:
    if seconds is None:
        return labelled(spec, work)
    time = numbers.duration(seconds)
    about = tr("{work}, about {time} by its earlier answers", work=work, time=time)
    return labelled(spec, about)


def estimate_seconds(store: Store, fingerprint: str, requests: Sequence[Request]) -> float | None:
    """Return None if the model has answered too little of one of the suites."""
    seconds = 0.0
    for suite, left in Counter(request.suite for request in requests).items():
        times = store.find_times(fingerprint, suite)
        if len(times) < ENOUGH:
            return None
        seconds += left * seconds_per_answer(times)
    return seconds


def seconds_per_answer(times: Sequence[AnswerTime]) -> float:
    """Return the mean time of an answer, divided by how many came at once.

    The last of a few answers have the server to themselves: with the mean number, 8 slots came out
    1.5 to 2 times too slow; the median is that of a server with all its slots taken.
    """
    width = statistics.median(time.seconds / time.wall_s for time in times)
    return statistics.fmean(time.seconds for time in times) / max(1.0, width)
