"""Prompts completed and scored as a server of the OpenAI protocol is asked for it. In: token ids.
Out: the text behind them, and of every token that was asked about its text, place and logarithm.
"""

import queue
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal

from assay.engine.generate import Prompt, Written, generate
from assay.engine.likeliest import ToldToken, tell
from assay.engine.network import NotFinite
from assay.messages import tr
from assay.models.local.scoring import TextScorer

BEFORE = 8  # tokens that decide how the next one is written: more than a character's four bytes
PART = "\N{REPLACEMENT CHARACTER}"


class Unanswerable(ValueError):
    """What is asked for cannot be had of this model; its text is for who asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToComplete:
    """`logprobs`: as many of the likeliest tokens are told for each one that is written, and with
    `echo` for each of the prompt; None tells nothing. `prompt_logprobs` are of the prompt alone.
    """

    ids: tuple[int, ...]
    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    top_k: int = 0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    echo: bool = False
    logprobs: int | None = None
    prompt_logprobs: int | None = None


@dataclass(frozen=True, slots=True)
class WrittenToken:
    """`offset`: where its text begins. `told` None: nothing comes before it."""

    id: int
    text: str
    offset: int
    told: ToldToken | None
    likeliest: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    text: str
    finish: Literal["stop", "length"]
    prompt_tokens: int
    written_tokens: int
    tokens: tuple[WrittenToken, ...] = ()
    prompt: tuple[WrittenToken, ...] = ()


class Completions:
    """All that wait are computed together, by one thread: the engine shares their beginnings."""

    def __init__(self, scorer: TextScorer) -> None:
        self._scorer = scorer
        self._waiting: queue.SimpleQueue[tuple[list[ToComplete], Future[list[Completed]]]]
        self._waiting = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def ask(self, asked: Sequence[ToComplete]) -> list[Completed]:
        """Waits for its turn. Raises Unanswerable before any work."""
        for each in asked:
            _refuse_unfit(self._scorer, each)
        answer: Future[list[Completed]] = Future()
        self._waiting.put((list(asked), answer))
        return answer.result()

    def _work(self) -> None:
        while True:
            together = [self._waiting.get()]
            while not self._waiting.empty():
                together.append(self._waiting.get())
            try:
                done = complete(self._scorer, [one for asked, _ in together for one in asked])
            except Exception as error:  # noqa: BLE001 - of one of them; who waits must hear of it
                for asked, answer in together:
                    self._alone(asked, answer, error if len(together) == 1 else None)
                continue
            for asked, answer in together:
                mine, done = done[: len(asked)], done[len(asked) :]
                answer.set_result(mine)

    def _alone(
        self, asked: list[ToComplete], answer: Future[list[Completed]], known: Exception | None
    ) -> None:
        try:
            if known is not None:
                raise known
            answer.set_result(complete(self._scorer, asked))
        except NotFinite:
            answer.set_exception(Unanswerable(tr("the model answers with NaN or infinity here")))
        except Exception as error:  # noqa: BLE001
            answer.set_exception(error)


def complete(scorer: TextScorer, asked: Sequence[ToComplete]) -> list[Completed]:
    window = scorer.network.context_length
    prompts = [
        Prompt(
            tokens=each.ids,
            most_new=min(each.max_tokens, window - len(each.ids)),
            temperature=each.temperature,
            seed=each.seed,
            top_k=each.top_k,
            top_p=each.top_p,
            ends=scorer.ends,
            stopped=scorer.stops(each.stop) if each.stop else None,
        )
        for each in asked
    ]
    writing = [number for number, each in enumerate(prompts) if each.most_new > 0]
    found = {
        writing[place]: written
        for place, written in generate(scorer.network, [prompts[number] for number in writing])
    }
    return [
        _completed(scorer, each, found.get(number) or Written((), "length", len(each.ids)))
        for number, each in enumerate(asked)
    ]


def _refuse_unfit(scorer: TextScorer, asked: ToComplete) -> None:
    vocabulary, window = scorer.network.vocabulary, scorer.network.context_length
    if not asked.ids:
        raise Unanswerable(tr("the prompt has no tokens"))
    if any(not 0 <= each < vocabulary for each in asked.ids):
        raise Unanswerable(tr("the prompt has a token id outside 0 to {last}", last=vocabulary - 1))
    most = window if asked.max_tokens else window + 1  # the last of a prompt need not be fed
    if len(asked.ids) > most or (len(asked.ids) == window and asked.max_tokens > 1):
        raise Unanswerable(
            tr("the prompt has {size} tokens, and this model's maximum context length is {limit}",
               size=len(asked.ids), limit=window)
        )  # fmt: skip


def _completed(scorer: TextScorer, asked: ToComplete, written: Written) -> Completed:
    ids = written.tokens
    whole = _decoded(scorer, ids)
    text = scorer.stops(asked.stop).cut(whole)
    if text == whole:
        text = scorer.decode(ids)
    tokens: tuple[WrittenToken, ...] = ()
    if asked.logprobs is not None:
        row = (*asked.ids, *ids, *_ending(scorer, asked, written))
        first = 0 if asked.echo else len(asked.ids)
        tokens = tuple(_tokens(scorer, row, first, asked.logprobs))
        if written.ended == "stop":
            end = len(text) + (len(_decoded(scorer, asked.ids)) if asked.echo else 0)
            tokens = tuple(each for each in tokens if each.offset < end)
    prompt: tuple[WrittenToken, ...] = ()
    if asked.prompt_logprobs is not None:
        prompt = tuple(_tokens(scorer, asked.ids, 0, asked.prompt_logprobs))
    return Completed(
        text=(_decoded(scorer, asked.ids) if asked.echo else "") + text,
        finish="stop" if written.ended in ("end", "stop") else "length",
        prompt_tokens=len(asked.ids),
        written_tokens=len(ids) + (written.ended == "end"),
        tokens=tokens,
        prompt=prompt,
    )


def _ending(scorer: TextScorer, asked: ToComplete, written: Written) -> tuple[int, ...]:
    """The token that ended a text, which is no part of it: the likeliest of those that can."""
    if written.ended != "end":
        return ()
    row = (*asked.ids, *written.tokens)
    told = {end: tell(scorer.network, (*row, end), first=len(row))[0] for end in scorer.ends}
    return (max(told, key=lambda end: told[end].log_likelihood),)


def _tokens(
    scorer: TextScorer, ids: Sequence[int], first: int, count: int
) -> Iterator[WrittenToken]:
    told: list[ToldToken | None] = [None] if first == 0 else []
    if len(ids) > max(first, 1):
        told += tell(scorer.network, ids, first=max(first, 1), count=count)
    offset = 0
    for place, one in enumerate(told, start=first):
        before = ids[max(0, place - BEFORE) : place]
        text = _piece(scorer, before, ids[place])
        likeliest = tuple(
            (_piece(scorer, before, other), value)
            for other, value in (one.likeliest if one else ())
        )
        yield WrittenToken(ids[place], text, offset, one, likeliest)
        offset += len(text)


def _piece(scorer: TextScorer, before: Sequence[int], token: int) -> str:
    """What a token adds to the text; the last part of a character adds the whole of it."""
    old = _decoded(scorer, before).rstrip(PART)
    new = _decoded(scorer, (*before, token)).rstrip(PART)
    return new[len(old) :]


def _decoded(scorer: TextScorer, ids: Sequence[int]) -> str:
    return scorer.decode(ids, special=True) if ids else ""
