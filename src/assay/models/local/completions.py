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
from assay.engine.likeliest import ToldToken, ToTell, tell_all
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


class TokenTexts:
    """The texts of tokens, each looked up once for what begins alike."""

    def __init__(self, scorer: TextScorer) -> None:
        self._scorer = scorer
        self._known: dict[tuple[int, ...], str] = {}

    def of(self, ids: tuple[int, ...]) -> str:
        return self._scorer.decode(ids, special=True) if ids else ""

    def behind(self, before: tuple[int, ...], token: int) -> str:
        """What a token adds to the text; the last part of a character adds the whole of it."""
        return self._without_parts((*before, token))[len(self._without_parts(before)) :]

    def _without_parts(self, ids: tuple[int, ...]) -> str:
        found = self._known.get(ids)
        if found is None:
            found = self._known[ids] = self.of(ids).rstrip(PART)
        return found


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

    @property
    def waiting(self) -> int:
        """Requests that are not begun yet."""
        return self._waiting.qsize()

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
    """What several begin with is computed once, to write and to score."""
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
    done = [
        found.get(number) or Written((), "length", len(each.ids))
        for number, each in enumerate(asked)
    ]
    told = _told(scorer, asked, done)
    pieces = TokenTexts(scorer)
    return [
        _completed(scorer, pieces, each, written, *rows)
        for each, written, rows in zip(asked, done, told, strict=True)
    ]


def _told(
    scorer: TextScorer, asked: Sequence[ToComplete], done: Sequence[Written]
) -> list[tuple["_ToldRow", "_ToldRow"]]:
    """Of each what `logprobs` wants, and what `prompt_logprobs` does."""
    wanted: list[tuple[int, int, ToTell]] = []
    for number, (each, written) in enumerate(zip(asked, done, strict=True)):
        ids = each.ids
        if each.logprobs is not None:
            first = 1 if each.echo else len(ids)
            # The token that ended a text is no part of it: the likeliest of those that can.
            ends = [(end,) for end in sorted(scorer.ends)] if written.ended == "end" else [()]
            wanted += [
                (number, 0, ToTell((*ids, *written.tokens, *end), first, each.logprobs))
                for end in ends
            ]
        if each.prompt_logprobs is not None:
            wanted.append((number, 1, ToTell(ids, 1, each.prompt_logprobs)))
    found: list[list[_ToldRow]] = [[_ToldRow(), _ToldRow()] for _ in asked]
    for place, told in tell_all(scorer.network, [tell for _, _, tell in wanted]):
        number, which, tell = wanted[place]
        row = _ToldRow(tuple(tell.tokens), tuple(told))
        if row.ends_likelier(found[number][which]):
            found[number][which] = row
    return [(row, prompt) for row, prompt in found]


@dataclass(frozen=True, slots=True)
class _ToldRow:
    """The last of the ids are told; none, where nothing was asked."""

    ids: tuple[int, ...] = ()
    told: tuple[ToldToken, ...] = ()

    def ends_likelier(self, than: "_ToldRow") -> bool:
        return not than.told or self.told[-1].log_likelihood > than.told[-1].log_likelihood


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


def _completed(
    scorer: TextScorer,
    pieces: TokenTexts,
    asked: ToComplete,
    written: Written,
    row: _ToldRow,
    before: _ToldRow,
) -> Completed:
    ids = written.tokens
    whole = pieces.of(ids)
    text = scorer.stops(asked.stop).cut(whole)
    if text == whole:
        text = scorer.decode(ids)
    echoed = pieces.of(asked.ids) if asked.echo else ""
    tokens = tuple(_tokens(pieces, row, begins=0 if asked.echo else len(asked.ids)))
    if written.ended == "stop":
        tokens = tuple(each for each in tokens if each.offset < len(echoed) + len(text))
    return Completed(
        text=echoed + text,
        finish="stop" if written.ended in ("end", "stop") else "length",
        prompt_tokens=len(asked.ids),
        written_tokens=len(ids) + (written.ended == "end"),
        tokens=tokens,
        prompt=tuple(_tokens(pieces, before, begins=0)),
    )


def _tokens(pieces: TokenTexts, row: _ToldRow, *, begins: int) -> Iterator[WrittenToken]:
    """From `begins` on; nothing comes before the very first, and so nothing is told of it."""
    told: list[ToldToken | None] = [None] if begins == 0 and row.ids else []
    offset = 0
    for place, one in enumerate([*told, *row.told], start=begins):
        before = row.ids[max(0, place - BEFORE) : place]
        text = pieces.behind(before, row.ids[place])
        likeliest = tuple(
            (pieces.behind(before, other), value) for other, value in (one.likeliest if one else ())
        )
        yield WrittenToken(row.ids[place], text, offset, one, likeliest)
        offset += len(text)
