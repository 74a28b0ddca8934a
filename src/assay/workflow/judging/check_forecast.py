"""What checking a judge takes: how many requests, and about how long.

In: a judge's facts. Out: its requests as far as they are known before it answers, and the time for
them; a beginning that a request shares with the one before it is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.judge.likelihood.questionnaire import gives_likelihoods
from assay.judge.qualification.gold import GOLD_RUBRICS, gold_set
from assay.judge.qualification.injections import injections
from assay.judge.qualification.readings import (
    PAIRED,
    REPEATED,
    AnyQuestionnaire,
    GoldReadings,
    Way,
    WholeReadings,
)
from assay.messages import tr
from assay.text import number_format as numbers
from assay.types import ModelFacts, Request, ToAnswer, ToChoose
from assay.workflow.discover.pace import CHARACTERS_PER_TOKEN, ModelPace

WRITTEN = 150, 500  # tokens of a short and of a long judgement of a gold answer
# A judge of 1.5 B on two cores: docs/decisions/062-judge-forms.md.
SLOW_READING = 100  # tokens/s
SLOW_REQUEST_S = 0.5  # beside reading
FIRST_TOKENS = 200  # of the first question about a gold answer; further ones share its beginning
FURTHER_TOKENS = 40
REASONED_TOKENS = 940 + 10 * WRITTEN[0]


def check_cost(facts: ModelFacts) -> str:
    """What it would take to check a judge, as a sentence. Counted, not planned: a run says it
    before it starts, and planning takes a good part of a second.
    """
    requests, tokens = _rough_cost(by_likelihood=gives_likelihoods(facts))
    seconds = tokens / SLOW_READING + SLOW_REQUEST_S * requests
    return tr(
        "`assay judge-check {judge}` makes about {count} requests, which take a judge of 1.5 B on "
        "two cores about {minutes} minutes, and a large one on a GPU a few",
        judge=facts.spec,
        count=numbers.count(round(requests, -1)),
        minutes=max(1, round(seconds / 60)),
    )


def _rough_cost(*, by_likelihood: bool) -> tuple[int, float]:
    """Requests, and tokens to read or, at ten times the price, to write."""
    requests, tokens = 0, 0.0
    tasks = [task for name in GOLD_RUBRICS for task in gold_set(name).tasks]
    for task in tasks:
        questions = sum(map(len, task.questions.values())) if by_likelihood else 1
        readings = len(task.answer) + len(REPEATED)
        requests += readings * questions + 2 * len(PAIRED)
        tokens += readings * (FIRST_TOKENS + questions * FURTHER_TOKENS) + 4 * FIRST_TOKENS
        if by_likelihood and task.trial:
            asked = len(task.answer) * questions
            requests += 2 * asked + len(task.answer)
            tokens += 2.5 * asked * FIRST_TOKENS + len(task.answer) * REASONED_TOKENS
    on_correctness = 3 if by_likelihood else 1
    requests += 2 * len(injections()) * on_correctness
    tokens += 2 * len(injections()) * (FIRST_TOKENS + on_correctness * FURTHER_TOKENS)
    return requests, tokens if by_likelihood else requests * REASONED_TOKENS


def planned_readings(first: WholeReadings, others: Sequence[Way]) -> list[AnyQuestionnaire]:
    """Everything, as if the first way were the best."""
    planned = list(first.questionnaires())
    for way in others:
        planned += GoldReadings(first.judge, way, trials=True).questionnaires()
    return planned


def check_seconds(requests: Sequence[Request], pace: ModelPace) -> tuple[float, float]:
    reading = pace.load_s + pace.prompt_token_s * _new_tokens(requests)
    written = [WRITTEN if isinstance(each.work, ToAnswer) else (1, 1) for each in requests]
    low = reading + pace.token_s * sum(short for short, _ in written)
    high = 1.5 * reading + pace.token_s * sum(long for _, long in written)
    return low, high


def _new_tokens(requests: Iterable[Request]) -> float:
    """Tokens to read: the beginning that a request shares with the one before costs nothing."""
    before, total = "", 0
    for request in requests:
        if isinstance(request.work, ToAnswer | ToChoose):
            text = "".join(message.content for message in request.work.messages)
            total += len(text) - _shared(before, text)
            before = text
    return total / CHARACTERS_PER_TOKEN


def _shared(one: str, other: str) -> int:
    """Characters at the beginning of both."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
