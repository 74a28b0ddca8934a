"""The page of one sample: what was asked, what came, how it was scored, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from assay.interfaces.web.matrix import filter_of, filter_query
from assay.interfaces.web.pages import PageView, Shown, page
from assay.interfaces.web.words import cut
from assay.messages import tr
from assay.text import number_format
from assay.types import (
    LETTERS,
    Answered,
    ChoiceLikelihoods,
    Failed,
    Message,
    Reply,
    ToAnswer,
    ToChoose,
)
from assay.types.judging.judgements import FinalJudgement, Judgement, Quote
from assay.types.views import TestKey, ViewedSample


@page("/runs/{run}/tests/{test}", "sample.html.j2", place="run", rank=30)
def sample(view: PageView) -> Shown:
    run = view.run()
    key = TestKey(suite=view.query.get("in", ""), test_id=view.request.path_params["test"])
    wanted = filter_of(view.query)
    with view.viewing.open() as store:
        found = store.read_sample(run.id, key, view.number("model"), view.number("try"))
        place = store.find_place(run.id, key, wanted)
    return {
        **shown_sample(found),
        "run": run,
        "place": place,
        "wanted": wanted,
        "kept": filter_query(wanted),
        "timing": list(timing_of(found)),
        "raw": {
            tr("Answer as it came"): pretty(found.reply),
            tr("Request as it was sent"): pretty(found.work),
            tr("Test as the suite has it"): pretty(found.test),
        },
    }


def shown_sample(found: ViewedSample) -> dict[str, Any]:
    """What the templates answer.html.j2 and scored.html.j2 show."""
    answer, asked = answer_of(found.reply), asked_turns(found)
    quotes = quotes_in(found.judgement, answer)
    return {
        "sample": found,
        "asked": asked,
        "shots": count_shots(found, asked),
        "choices": list(asked_choices(found)),
        "reasoning": found.reply.reasoning if isinstance(found.reply, Answered) else "",
        "answer": answer,
        "segments": list(segments_of(answer, quotes)),
        "quotes": {each.quote: each.number for each in quotes},
        "failure": found.reply.reason if isinstance(found.reply, Failed) else "",
        "expected": list(expected_fields(found.test)),
    }


def asked_turns(found: ViewedSample) -> list[Message]:
    """As it was sent, or, while it was not, as the test has it."""
    if not isinstance(found.work, ToAnswer | ToChoose):
        system = [Message("system", found.test["system"])] if found.test.get("system") else []
        own = (Message(each["role"], each["content"]) for each in found.test["messages"])
        return [*system, *own]
    steps = found.work.steps if isinstance(found.work, ToAnswer) else ()
    called = (Message("assistant", step.text, called=step) for step in steps)
    return [Message(turn.role, turn.in_words) for turn in (*found.work.messages, *called)]


def count_shots(found: ViewedSample, asked: Sequence[Message]) -> int:
    """How many turns of worked examples come before the test's own."""
    own = sum(each["role"] == "user" for each in found.test["messages"])
    users = [place for place, turn in enumerate(asked) if turn.role == "user"]
    return users[-own] - users[0] if own < len(users) else 0


def asked_choices(found: ViewedSample) -> Iterator[tuple[str, str, float | None]]:
    """Letter, text and log-likelihood of each option, where the question does not show them all."""
    options = found.test["check"].get("choices") or ()
    sent = found.work.continuations if isinstance(found.work, ToChoose) else ()
    reply = found.reply
    likely = reply.log_likelihoods if isinstance(reply, ChoiceLikelihoods) else ()
    shown = asked_turns(found)[-1].content
    if not likely and all(text in shown for text in options):
        return
    for place, text in enumerate(options or sent):
        number = likely[place] if place < len(likely) else None
        yield LETTERS[place] if place < len(LETTERS) else str(place + 1), text, number


def answer_of(reply: Reply | None) -> str:
    if isinstance(reply, Answered):
        return reply.transcript or "\n".join(reply.predictions)
    return reply.partial if isinstance(reply, Failed) else ""


def expected_fields(test: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """What the test's check has to compare with, field by field."""
    check = test["check"]
    for name, value in check.items() if isinstance(check, Mapping) else ():
        if name not in ("method", "choices") and value and value is not True:
            yield name, plainly(value)


def plainly(value: object) -> str:
    """Alternatives as `a | b`, the rules that are set one a line, the rest as JSON."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return " | ".join(value)
    if isinstance(value, list) and all(isinstance(each, list) for each in value):
        return ", ".join(map(plainly, value))
    if isinstance(value, dict):
        rules = {name: each for name, each in value.items() if name != "method"}
        return "\n".join(
            f"{name}: {plainly(each)}" for name, each in rules.items() if each not in (None, [], {})
        )
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class NumberedQuote:
    quote: Quote
    number: int
    start: int
    end: int


def quotes_in(judgement: FinalJudgement | None, answer: str) -> list[NumberedQuote]:
    """What the judges quote and the answer has, in the order of their questions."""
    found: dict[Quote, NumberedQuote] = {}
    for each in judgement.judgements if judgement else ():
        for quote in all_quotes(each):
            start, end = quote.start, quote.end
            if start is None or end is None or end > len(answer):
                start = answer.find(quote.text) if quote.text else -1
                end = start + len(quote.text)
            if start >= 0 and quote not in found:
                found[quote] = NumberedQuote(quote, len(found) + 1, start, end)
    return list(found.values())


def all_quotes(judgement: Judgement) -> Iterator[Quote]:
    for each in (*judgement.checklist, *judgement.facts):
        if each.quote is not None:
            yield each.quote
    yield from judgement.quotes


def segments_of(
    answer: str, quotes: Sequence[NumberedQuote]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The answer in parts, each with the numbers of the quotes that it belongs to."""
    cuts = sorted({0, len(answer), *(q.start for q in quotes), *(q.end for q in quotes)})
    for start, end in pairwise(cuts):
        yield (
            answer[start:end],
            tuple(quote.number for quote in quotes if quote.start <= start and end <= quote.end),
        )


def timing_of(found: ViewedSample) -> Iterator[tuple[str, str]]:
    """What is known of times and tokens, and the options it was asked with."""
    seconds = {
        "total_s": tr("time"),
        "first_token_s": tr("first token after"),
        "first_answer_s": tr("answer began after"),
    }
    others = {
        "prompt_tokens": tr("tokens read"),
        "output_tokens": tr("tokens written"),
        "attempts": tr("attempts"),
        "finish": tr("ended by"),
        "cause": tr("cause"),
    }
    for name, label in {**seconds, **others}.items():
        value = getattr(found.reply, name, None)
        if value not in (None, ""):
            yield label, number_format.duration(value) if name in seconds else str(value)
    sampling = found.work.sampling if isinstance(found.work, ToAnswer) else None
    for name in ("temperature", "seed", "max_tokens", "think"):
        if getattr(sampling, name, None) is not None:
            yield name, str(getattr(sampling, name))


def pretty(value: object) -> str:
    """As JSON for people."""
    plain = asdict(value) if hasattr(value, "__dataclass_fields__") else value  # type: ignore[call-overload]
    return cut(json.dumps(plain, indent=2, ensure_ascii=False, default=str))
