"""What checking a judge takes: how many requests, and about how long.

In: a judge's facts. Out: its requests as far as they are known before it answers, and the time for
them; a beginning that a request shares with the one before it is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapidfuzz.distance import Prefix

from assay.judge.likelihood.questionnaire import gives_likelihoods
from assay.judge.qualification.readings import (
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
# Of the shipped gold set, by whether the judge gives likelihoods: requests, and minutes for a judge
# of 1.5 B on two cores (docs/decisions/062-judge-forms.md).
COSTS = {True: (1_400, 50), False: (280, 120)}


def check_cost(facts: ModelFacts) -> str:
    """What it would take to check a judge, as a sentence. Known, not planned: a run says it before
    it starts, and planning takes a second.
    """
    requests, minutes = COSTS[gives_likelihoods(facts)]
    return tr(
        "`assay judge-check {judge}` makes about {count} requests, which take a judge of 1.5 B on "
        "two cores about {minutes} minutes, and a large one on a GPU a few",
        judge=facts.spec,
        count=numbers.count(requests),
        minutes=minutes,
    )


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
            total += len(text) - Prefix.similarity(before, text)
            before = text
    return total / CHARACTERS_PER_TOKEN
