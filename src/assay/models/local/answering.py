"""Requests to token ids, through the engine, and back to replies. What cannot be computed is Failed
with the reason, and never an answer.
"""

import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.engine.beams import Beam, beams
from assay.engine.choose import Likelihood, Question, choose
from assay.engine.generate import Prompt, Written, generate
from assay.engine.layout.batches import TooLittleMemory
from assay.engine.network import Network, NotFinite
from assay.engine.predicted import by_divisors, mean_entropies
from assay.engine.read import TextReading, UnknownToken, read_all
from assay.messages import tr
from assay.models.base import bytes_in, words_in
from assay.models.local.tokens.encoding import (
    continuation_joint,
    encode_pairs,
    encode_prompts,
    encode_texts,
    prompt_text,
)
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.models.reasoning import split_reasoning
from assay.text.token_losses import pack_losses
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    Failed,
    Message,
    ReadText,
    Reply,
    Request,
    ToAnswer,
    ToChoose,
    ToContinue,
    ToRead,
    ToScore,
)

_BROKEN = "\N{REPLACEMENT CHARACTER}"  # what decoders put for bytes that are not a whole character
READ_BACK_AT_ONCE = 32  # answers: they are read together, and wait for each other
_MORE_TOKENS = 4  # a character has up to four bytes, and each may be a token
SHIFTED_TOKENS, FEWEST_SHIFTED = 256, 50  # read again with other ids
# A tokenizer whose ids are shifted by one of these is read better once they are shifted back.
SHIFTS = (1, 2, 3, 4)
DIVIDED_TOKENS, FEWEST_DIVIDED = 512, 16  # read again with the logits divided; of one text a half
DIVISORS = tuple(2.0 ** (power / 2) for power in range(-4, 5))


class StopStrings:
    """The stop strings of one request; `first_line` also ends at a line's end behind some text."""

    def __init__(
        self,
        decode: Callable[[Sequence[int]], str],
        stops: Sequence[str],
        *,
        first_line: bool = False,
    ) -> None:
        self._decode = decode
        self._stops = tuple(stop for stop in dict.fromkeys(stops) if stop)
        self._first_line = first_line
        self._longest = max(map(len, self._stops), default=1)
        self._lasts = {stop[-1] for stop in self._stops} | ({"\n"} if first_line else set())
        self._pieces: dict[int, str] = {}
        self._may: dict[int, bool] = {}

    def __call__(self, ids: Sequence[int]) -> bool:
        """Whether the newest id completes a stop; it is asked after every id."""
        if not ids or not self._lasts or not self._may_end(ids[-1]):
            return False
        tail = self._tail(ids)
        if any(stop in tail for stop in self._stops):
            return True
        if not self._first_line or "\n" not in tail:
            return False
        # The text before a blank end may lie further back.
        near = _end_of_line(tail.lstrip(_BROKEN))
        return near is not None or _end_of_line(self._decode(ids)) is not None

    def read(self, ids: Sequence[int]) -> str:
        return self.cut(self._decode(ids)).strip()

    def cut(self, text: str) -> str:
        ends = [text.find(stop) for stop in self._stops]
        if self._first_line and (end := _end_of_line(text)) is not None:
            ends.append(end)
        return text[: min((end for end in ends if end >= 0), default=len(text))]

    def _may_end(self, newest: int) -> bool:
        """Alone, some decoders drop a leading space, and a piece of a character shows nothing."""
        known = self._may.get(newest)
        if known is None:
            piece = self._pieces[newest] = " " + self._decode([newest])
            unclear = piece == " " or _BROKEN in piece
            known = self._may[newest] = unclear or any(last in piece for last in self._lasts)
        return known

    def _tail(self, ids: Sequence[int]) -> str:
        """The newest token's text, and before it as many characters as the longest stop has."""
        wanted = self._longest + len(self._pieces[ids[-1]])
        count = self._longest + _MORE_TOKENS
        while True:
            text = self._decode(ids[-count:])
            # A tail may begin inside a character, and special ids have no text at all.
            if count >= len(ids) or len(text.lstrip(_BROKEN)) >= wanted:
                return text
            count *= 2


@dataclass(frozen=True, slots=True)
class _Written:
    """An answer whose tokens are read once more: behind its own prompt, and behind others."""

    answered: Answered
    prompt: Sequence[int]
    tokens: tuple[int, ...]
    others: Sequence[str]


def _margin(means: Sequence[float]) -> float | None:
    """Of the first to the largest of the others, as far as they are numbers."""
    known = [each for each in means[1:] if math.isfinite(each)]
    return means[0] - max(known) if known and math.isfinite(means[0]) else None


T = TypeVar("T")


class AnswersAsWritten(Protocol):
    """What answers requests whose texts are put to the model as they are."""

    def score(self, asked: Sequence[tuple[Request, ToScore]], /) -> Iterator[Reply]: ...

    def write(self, asked: Sequence[tuple[Request, ToContinue]], /) -> Iterator[Reply]: ...


@dataclass(slots=True, kw_only=True)
class Answering:
    network: Network
    tokenizer: LocalTokenizer
    ends: frozenset[int]
    is_chat: bool
    folder: Path
    stopped: threading.Event
    counts: Counter[str]  # "cut": prompts that lost their beginning
    written_texts: Callable[[], AnswersAsWritten]
    divided: int = 0  # tokens that were read with their logits divided
    fault: str | None = None  # of the tokenizer, once a text has shown whether there is one

    def replies(self, requests: Sequence[Request]) -> Iterator[Reply]:
        chosen = [(each, each.work) for each in requests if isinstance(each.work, ToChoose)]
        answered = [(each, each.work) for each in requests if isinstance(each.work, ToAnswer)]
        yield from self._in_parts(chosen, self._choose)
        for k in sorted({work.sampling.predictions for _, work in answered}):
            some = [one for one in answered if one[1].sampling.predictions == k]
            yield from self._in_parts(some, self._write)
        read = [(each, each.work) for each in requests if isinstance(each.work, ToRead)]
        yield from self._in_parts([one for one in read if not one[1].each_token], self._read)
        each_token = [one for one in read if one[1].each_token]
        yield from self._in_parts(each_token, partial(self._read, block=1))
        scored = [(each, each.work) for each in requests if isinstance(each.work, ToScore)]
        continued = [(each, each.work) for each in requests if isinstance(each.work, ToContinue)]
        if scored or continued:
            texts = self.written_texts()
            yield from self._in_parts(scored, texts.score)
            yield from self._in_parts(continued, texts.write)

    def _in_parts(
        self,
        asked: Sequence[tuple[Request, T]],
        compute: Callable[[Sequence[tuple[Request, T]]], Iterator[Reply]],
    ) -> Iterator[Reply]:
        """What goes wrong with one request is its own: the others go on, in ever smaller parts."""
        left = {request.id: (request, work) for request, work in asked}
        most = len(left)
        while left:
            if self.stopped.is_set():
                yield from (_failed(request, tr("cancelled")) for request, _ in left.values())
                return
            asking = list(left.values())[:most]
            try:
                for reply in compute(asking):
                    del left[reply.request_id]
                    yield reply
                    if self.stopped.is_set():
                        break
            except NotFinite as error:
                most = max(1, most // 2)
                request, _ = asking[error.args[0] if len(asking) > 1 else 0]
                del left[request.id]
                yield self._no_number(request)
            except UnknownToken as error:
                request, _ = asking[error.args[0]]
                del left[request.id]
                why = tr("token {place} of the text is none of the {count} that {folder} has: the "
                         "token ids are another tokenizer's", place=error.args[1] + 1,
                         count=self.network.vocabulary, folder=self.folder)  # fmt: skip
                yield _failed(request, why)
            except TooLittleMemory:
                most = 1  # whichever it was, the others may fit
                if len(asking) == 1:
                    request, _ = asking[0]
                    del left[request.id]
                    yield _failed(
                        request, tr("too little memory on the device, even for one at a time")
                    )

    def _choose(self, asked: Sequence[tuple[Request, ToChoose]]) -> Iterator[Reply]:
        coded = self._coded([work for _, work in asked])
        limit = self.network.context_length
        fitting = []
        for number, ((request, work), question) in enumerate(zip(asked, coded, strict=True)):
            longest = max(map(len, question.choices), default=0)
            if not all(work.continuations) or not all(question.choices):
                yield _failed(request, tr("a choice has no text"))
            elif longest > limit:
                yield too_long(request, longest, limit)
            else:
                fitting.append(number)
        for place, found in choose(self.network, [coded[number] for number in fitting]):
            number = fitting[place]
            yield self._chosen(asked[number][0], coded[number], found)

    def _coded(self, works: Sequence[ToChoose]) -> list[Question]:
        """As tokens, in their order."""
        found: dict[int, Question] = {}
        for templated in (False, True):
            numbers = [
                number
                for number, work in enumerate(works)
                if (self.is_chat and not work.plain) is templated
            ]
            pairs = [self._pair(works[number], templated) for number in numbers]
            coded = encode_pairs(self.tokenizer, pairs, templated=templated)
            found.update(zip(numbers, coded, strict=True))
        return [found[number] for number in range(len(works))]

    def _pair(self, work: ToChoose, templated: bool) -> tuple[str, Sequence[str]]:
        """The context and what may follow it."""
        text = prompt_text(work.messages, self.tokenizer, templated)
        joint = "" if templated else continuation_joint(work.messages)
        return text, [joint + continuation for continuation in work.continuations]

    def _chosen(self, request: Request, question: Question, found: tuple[Likelihood, ...]) -> Reply:
        if not all(math.isfinite(each.total) for each in found):
            return self._no_number(request)
        longest = max(map(len, question.choices), default=0)
        cut = max(0, len(question.context) + longest - 1 - self.network.context_length)
        self.counts["cut"] += cut > 0
        return ChoiceLikelihoods(
            request_id=request.id,
            log_likelihoods=tuple(each.total for each in found),
            greedy=tuple(each.greedy for each in found),
            tokens=tuple(len(each.tokens) for each in found),
            cut=cut,
            prompt_tokens=len(question.context),
        )

    def _prompts(
        self, asked: Sequence[tuple[Request, ToAnswer]], *, first_line: bool
    ) -> tuple[list[Reply], list[int], list[Prompt], list[StopStrings]]:
        texts = [prompt_text(work.messages, self.tokenizer, self.is_chat) for _, work in asked]
        refused: list[Reply] = []
        numbers, prompts, stops = [], [], []
        limit = self.network.context_length - 1
        for number, tokens in enumerate(encode_prompts(self.tokenizer, texts)):
            request, work = asked[number]
            how = work.sampling
            if work.schema is not None:
                refused.append(
                    _failed(request, tr("a checkpoint cannot be made to follow a JSON Schema"))
                )
            elif len(tokens) > limit:
                refused.append(too_long(request, len(tokens), limit))
            else:
                ending = StopStrings(self.tokenizer.decode, how.stop, first_line=first_line)
                numbers.append(number)
                stops.append(ending)
                prompts.append(
                    Prompt(
                        tokens=tokens or self._nothing_before(),
                        most_new=how.max_tokens,
                        temperature=how.temperature,
                        seed=how.seed,
                        ends=self.ends,
                        stopped=ending if how.stop or first_line else None,
                        same=ending.read if first_line else None,
                    )
                )
        return refused, numbers, prompts, stops

    def _nothing_before(self) -> list[int]:
        prefix = self.tokenizer.prefix_token_id
        return [prefix if prefix is not None else 0]

    def _write(self, asked: Sequence[tuple[Request, ToAnswer]]) -> Iterator[Reply]:
        """One text behind each prompt, or as many of the likeliest as all of them want."""
        k = asked[0][1].sampling.predictions
        refused, numbers, prompts, stops = self._prompts(asked, first_line=k > 1)
        yield from refused
        try:
            if k == 1:
                waiting: list[_Written] = []
                for place, written in generate(self.network, prompts):
                    request, work = asked[numbers[place]]
                    answered = self._answered(request, written, stops[place])
                    if not work.read_back:
                        yield answered
                        continue
                    one = _Written(answered, prompts[place].tokens, written.tokens, work.others)
                    waiting.append(one)
                    if len(waiting) == READ_BACK_AT_ONCE:
                        yield from self._read_back(waiting)
                        waiting = []
                yield from self._read_back(waiting)
                return
            for place, found in beams(self.network, prompts, k=k):
                request, _ = asked[numbers[place]]
                yield self._predicted(request, found, prompts[place], stops[place])
        except NotFinite as error:
            raise NotFinite(numbers[error.args[0]]) from error

    def _read_back(self, several: Sequence[_Written]) -> Iterator[Answered]:
        unsure = mean_entropies(self.network, [(one.prompt, one.tokens) for one in several])
        margins = self._margins(several)
        for one, entropy, margin in zip(several, unsure, margins, strict=True):
            yield replace(one.answered, uncertainty=entropy, margin=margin)

    def _margins(self, several: Sequence[_Written]) -> list[float | None]:
        """How much likelier what was written is after its own prompt than after any other."""
        questions, counts = [], []
        for one in several:
            texts = [
                prompt_text((Message("user", each),), self.tokenizer, self.is_chat)
                for each in one.others
            ]
            others = encode_prompts(self.tokenizer, texts) if texts and one.tokens else []
            prompts = [one.prompt, *filter(None, others)] if others else []
            room = self.network.context_length + 1 - max(map(len, prompts), default=0)
            questions += [Question(each, (one.tokens[:room],)) for each in prompts]
            counts.append(len(prompts))
        means = [math.nan] * len(questions)
        for number, (found,) in choose(self.network, questions):
            means[number] = found.total / len(found.tokens)
        each_mean = iter(means)
        return [_margin(list(islice(each_mean, count))) for count in counts]

    def _answered(self, request: Request, written: Written, ending: StopStrings) -> Answered:
        split = split_reasoning(ending.cut(self.tokenizer.decode(written.tokens)))
        return Answered(
            request_id=request.id,
            text=split.answer,
            reasoning=split.reasoning,
            reasoning_unclosed=split.unclosed,
            truncated=written.ended in ("length", "context"),
            prompt_tokens=written.prompt_tokens,
            output_tokens=len(written.tokens),
            finish=written.ended,
        )

    def _predicted(
        self, request: Request, found: Sequence[Beam], prompt: Prompt, ending: StopStrings
    ) -> Answered:
        texts = [
            split_reasoning(ending.cut(self.tokenizer.decode(each.tokens))).answer for each in found
        ]
        return Answered(
            request_id=request.id,
            text=texts[0],
            truncated=found[0].ended in ("length", "context"),
            predictions=tuple(texts),
            prediction_method="beam",
            prompt_tokens=len(prompt.tokens),
            output_tokens=sum(len(each.tokens) for each in found),
            finish=found[0].ended,
        )

    def _read(
        self, asked: Sequence[tuple[Request, ToRead]], block: int | None = None
    ) -> Iterator[Reply]:
        numbers = []
        for number, (request, work) in enumerate(asked):
            if len(work.text if work.tokens is None else work.tokens):
                numbers.append(number)
            else:
                yield _failed(request, tr("the text is empty"))
        works = [asked[number][1] for number in numbers]
        texts = encode_texts(self.tokenizer, (each.text for each in works if each.tokens is None))
        begin = self.tokenizer.begins_texts_with
        kept: deque[Sequence[int]] = deque()

        def tokens() -> Iterator[Sequence[int]]:
            for each in works:
                ids = next(texts) if each.tokens is None else each.tokens
                kept.append(ids[len(begin) if _is_begun(begin, ids) else 0 :])
                yield [*begin[1:], *kept[-1]] if len(begin) > 1 else kept[-1]

        try:
            found = read_all(self.network, tokens(), prefix=self._before_texts, block=block)
            for number, work, reading in zip(numbers, works, found, strict=True):
                ids = kept.popleft()
                whole = _read_text(asked[number][0], work, reading, self.network.context_length)
                if block == 1:
                    yield self._with_tokens(whole, ids)
                    continue
                yield replace(
                    whole,
                    losses=self._losses(work, reading, ids),
                    tokenizer_fault=self._tokenizer_fault(reading, ids),
                    by_divisor=self._by_divisor(ids),
                )
        except (NotFinite, UnknownToken) as error:
            place, number = error.args
            ids = works[number].tokens
            begun = ids is not None and _is_begun(begin, ids)
            skipped = 1 if begun else 1 - max(1, len(begin))
            raise type(error)(numbers[number], place + skipped) from error

    @property
    def _before_texts(self) -> int | None:
        """What a text is read behind: as transformers and llama.cpp read it, only a BOS that the
        tokenizer adds by itself. Models trained without one are not used to it.
        """
        begin = self.tokenizer.begins_texts_with
        return begin[0] if begin else None

    def _with_tokens(self, read: ReadText, ids: Sequence[int]) -> ReadText:
        """A reading in blocks of one token; the first is said to follow nothing."""
        texts = tuple(self.tokenizer.decode([int(each)]) for each in ids)
        behind_first = read.blocks[len(read.blocks) - len(ids) + 1 :]
        logprobs = (None, *(value for value, _ in behind_first))
        return replace(read, blocks=(), token_texts=texts, logprobs=logprobs)

    def _losses(self, work: ToRead, found: TextReading, ids: Sequence[int]) -> str:
        """Of every token, where its bytes are known; a first one that nothing precedes has none."""
        widths = self.tokenizer.widths(work.text, ids) if work.text and found.each else None
        if widths is None:
            return ""
        nats = -np.concatenate(found.each)
        missing = np.zeros(max(0, len(ids) - len(nats)), np.float32)
        return pack_losses(np.concatenate((missing, nats))[-len(ids) :], widths)

    def _by_divisor(self, ids: Sequence[int]) -> tuple[tuple[float, float, int], ...]:
        """Of the first texts, as many tokens as show whether the head has the right scale."""
        length = min(len(ids), DIVIDED_TOKENS - self.divided, DIVIDED_TOKENS // 2)
        length = min(length, self.network.context_length)
        if length < FEWEST_DIVIDED:
            return ()
        self.divided += length
        tokens = [*self.tokenizer.begins_texts_with, *map(int, ids[:length])]
        return tuple(by_divisors(self.network, tokens, DIVISORS))

    def _tokenizer_fault(self, found: TextReading, ids: Sequence[int]) -> str:
        """Of a model that does no better than drawing tokens: whether it reads other ids better,
        or the tokenizer's are not in the order of its merges.
        """
        vocabulary = self.network.vocabulary
        some = np.asarray(ids[:SHIFTED_TOKENS])
        if len(some) < FEWEST_SHIFTED or not _predicts_nothing(found, vocabulary):
            return ""
        if self.fault is None:
            self.fault = self._find_fault(some)
        return self.fault

    def _find_fault(self, some: NDArray[np.int64]) -> str:
        vocabulary = self.network.vocabulary
        shifts = [each for distance in SHIFTS for each in (distance, -distance)]
        texts = [some, *((some - shift) % vocabulary for shift in shifts)]
        as_is, *shifted = [
            -each.log_likelihood / each.tokens
            for each in read_all(self.network, texts, prefix=self._before_texts)
        ]
        best = min(range(len(shifts)), key=shifted.__getitem__)
        if shifted[best] < min(as_is - 1.0, 0.9 * math.log(vocabulary)):
            return f"shifted:{shifts[best]}"
        return "" if self.tokenizer.follows_merges else "permuted"

    def _no_number(self, request: Request) -> Failed:
        why = tr("{folder} answers with NaN or infinity here: its numbers overflow; try --dtype "
                 "float32, or an earlier checkpoint", folder=self.folder)  # fmt: skip
        return _failed(request, why)


def _predicts_nothing(found: TextReading, vocabulary: int) -> bool:
    """As well as equal chances for all tokens, or worse."""
    return -found.log_likelihood > 0.98 * math.log(vocabulary) * found.tokens


def _is_begun(begin: Sequence[int], ids: Sequence[int]) -> bool:
    """Whether a text has already what its tokenizer puts before one."""
    size = len(begin)
    return 0 < size < len(ids) and list(ids[:size]) == list(begin)


def _read_text(request: Request, work: ToRead, found: TextReading, window: int) -> ReadText:
    is_text = work.tokens is None
    return ReadText(
        request_id=request.id,
        log_likelihood=found.log_likelihood,
        tokens=found.tokens,
        words=words_in(work.text) if is_text else 0,
        bytes=bytes_in(work.text) if is_text else 0,
        top1=found.top1,
        top5=found.top5,
        blocks=tuple(found.blocks),
        block_hits=tuple(found.hits),
        by_context=tuple(found.by_context),
        window=window,
        stride=window,
    )


def _failed(request: Request, reason: str) -> Failed:
    return Failed(request_id=request.id, reason=reason)


def too_long(request: Request, size: int, limit: int) -> Failed:
    return Failed(
        request_id=request.id,
        reason=tr("{size} tokens do not fit into the model's context, which takes {limit}",
                  size=size, limit=limit),
        cause="prompt_too_long",
    )  # fmt: skip


def _end_of_line(text: str) -> int | None:
    begins = len(text) - len(text.lstrip())
    end = text.find("\n", begins)
    return end if begins < len(text) and end >= 0 else None
