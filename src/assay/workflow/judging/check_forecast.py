"""What checking a judge takes: how many requests, and about how long.

In: a judge's facts. Out: its requests as far as they are known before it answers, and the time for
them; a beginning that a request shares with the one before it is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.judge.qualification.readings import (
    AnyQuestionnaire,
    GoldReadings,
    Way,
    WholeReadings,
    find_ways,
)
from assay.messages import tr
from assay.text import number_format as numbers
from assay.types import ModelFacts, Request, ToAnswer, ToChoose
from assay.workflow.discover.pace import CHARACTERS_PER_TOKEN, ModelPace

WRITTEN = 150, 500  # tokens of a short and of a long judgement of a gold answer
# A judge of 1.5 B on two cores: docs/decisions/062-judge-forms.md.
SLOW_READING = 100  # tokens/s
SLOW_REQUEST_S = 0.5  # beside reading


def check_cost(facts: ModelFacts) -> str:
    """What it would take to check a judge, as a sentence; nothing is asked."""
    first, *others = find_ways(facts, "auto", None)
    planned = planned_readings(WholeReadings(facts, first), others)
    requests = {each.id: each for one in planned for each in one.pending()}
    seconds = _new_tokens(requests.values()) / SLOW_READING + SLOW_REQUEST_S * len(requests)
    return tr(
        "`assay judge-check {judge}` makes about {count} requests, which take a judge of 1.5 B on "
        "two cores about {minutes} minutes, and a large one on a GPU a few",
        judge=facts.spec,
        count=numbers.count(len(requests)),
        minutes=max(1, round(seconds / 60)),
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
            total += len(text) - _shared(before, text)
            before = text
    return total / CHARACTERS_PER_TOKEN


def _shared(one: str, other: str) -> int:
    """Characters at the beginning of both."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
