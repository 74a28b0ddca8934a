"""How long a served model will take for what is left to ask, by its answers in the store: how long
each took, and how many were under way beside it, so that slots, queue and length are in it. Said
before the first request.
"""

import statistics
from collections import Counter
from collections.abc import Sequence

from assay.messages import tr, trn
from assay.request_identity import JUDGE_SUITE
from assay.store import AnswerTime, Store
from assay.text import number_format as numbers
from assay.types import ModelFacts, Request, ToAnswer, ToChoose

SERVED = ("ollama:", "openai:", "http://", "https://")
ENOUGH = 3  # answers of a suite, from which on those left are taken to be like them
UNSEEN = 50, 200  # tokens of a short and of a long answer to a suite that was never asked
Range = tuple[float, float]


def foretell(store: Store, facts: ModelFacts, requests: Sequence[Request]) -> str:
    """Empty for a model that no server answers for, and where nothing is left to ask."""
    if not requests or not facts.spec.startswith(SERVED):
        return ""
    found = seconds_left(store, facts.fingerprint, requests)
    count = trn("{count} request", "{count} requests", len(requests))
    return _said(facts.spec, count, found)


def foretell_judging(store: Store, facts: ModelFacts, answers: int) -> str:
    """A judge is asked several questions about an answer."""
    if not answers or not facts.spec.startswith(SERVED):
        return ""
    times = store.find_times(facts.fingerprint, JUDGE_SUITE)
    judged = {each.test for each in times}
    count = trn("{count} answer to judge", "{count} answers to judge", answers)
    if len(judged) < ENOUGH:
        return _said(facts.spec, count, None)
    requests = len(times) / len(judged) * answers
    seconds = _mean_seconds(times) * requests / beside(times, requests)
    return _said(facts.spec, count, (seconds, seconds))


def _said(spec: str, what: str, found: Range | None) -> str:
    if found is None:
        return tr("{model}: {what}; how long that takes is known after the first answers",
                  model=spec, what=what)  # fmt: skip
    times = dict.fromkeys(map(numbers.duration, found))
    return tr("{model}: {what}, about {time}, by its earlier answers", model=spec, what=what,
              time=tr(" to ").join(times))  # fmt: skip


def seconds_left(store: Store, fingerprint: str, requests: Sequence[Request]) -> Range | None:
    """None: too little is known of the model."""
    left = Counter(request.suite for request in requests)
    by_suite = {suite: store.find_times(fingerprint, suite) for suite in left}
    known = {suite: each for suite, each in by_suite.items() if len(each) >= ENOUGH}
    low = high = 0.0
    for suite, times in known.items():
        seconds = _mean_seconds(times) * left[suite] / beside(times, len(requests))
        low, high = low + seconds, high + seconds
    unseen = [request for request in requests if request.suite not in known]
    if not unseen:
        return low, high
    every = store.find_times(fingerprint, None)
    tokens = sum(each.tokens for each in every)
    if len(every) < ENOUGH or not tokens:
        return None
    token_s = sum(each.seconds for each in every) / tokens / beside(every, len(requests))
    for request in unseen:
        most = _most_tokens(request)
        low, high = (
            seconds + token_s * min(length, most)
            for seconds, length in zip((low, high), UNSEEN, strict=True)
        )
    return low, high


def beside(times: Sequence[AnswerTime], left: float) -> float:
    """How many answers come at once. The last of a few earlier ones had the server to themselves:
    the median is that of a server with all its slots taken, and the mean is not.
    """
    width = statistics.median(each.seconds / each.wall_s for each in times)
    return max(1.0, min(width, left))


def _mean_seconds(times: Sequence[AnswerTime]) -> float:
    return statistics.fmean(each.seconds for each in times)


def _most_tokens(request: Request) -> int:
    work = request.work
    if isinstance(work, ToAnswer):
        return work.sampling.max_tokens
    if isinstance(work, ToChoose) and work.written and work.otherwise:
        return work.otherwise.max_tokens
    return 1
