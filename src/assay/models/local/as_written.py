"""Texts that are put to a checkpoint as they are, by the rules of `scoring.py`: how likely they
are behind a context or as a whole, and what the model writes behind them.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.engine.choose import Likelihood
from assay.engine.generate import Written
from assay.engine.network import NotFinite
from assay.messages import tr
from assay.models.base import cut_at_stops
from assay.models.local.scoring import TextScorer, WantedText
from assay.types import Answered, ChoiceLikelihoods, Failed, Reply, Request, ToContinue, ToScore

TOP_K = 50  # what transformers does where nothing says otherwise
LONGEST_SHOWN = 60


@dataclass(slots=True)
class _Scored:
    """One request on its way: `left` likelihoods are still to come."""

    request: Request
    left: int
    context: int = 0
    cut: int = 0
    found: dict[int, Likelihood] = field(default_factory=dict)

    def reply(self) -> ChoiceLikelihoods:
        ordered = [self.found[place] for place in sorted(self.found)]
        return ChoiceLikelihoods(
            request_id=self.request.id,
            log_likelihoods=tuple(each.total for each in ordered),
            greedy=tuple(each.greedy for each in ordered),
            tokens=tuple(len(each.tokens) for each in ordered),
            cut=self.cut,
            prompt_tokens=self.context,
        )


@dataclass(slots=True)
class WrittenTexts:
    """`counts`: "cut" prompts, and what the harness is known to do to results."""

    scorer: TextScorer
    counts: Counter[str]

    def score(self, asked: Sequence[tuple[Request, ToScore]]) -> Iterator[Reply]:
        rolling = [number for number, (_, work) in enumerate(asked) if work.rolling]
        behind = [number for number, (_, work) in enumerate(asked) if not work.rolling]
        yield from self._behind_contexts(asked, behind)
        yield from self._whole(asked, rolling)

    def _behind_contexts(
        self, asked: Sequence[tuple[Request, ToScore]], numbers: Sequence[int]
    ) -> Iterator[Reply]:
        pairs: list[tuple[str, str]] = []
        owners: list[int] = []
        for number in numbers:
            for context, continuations in asked[number][1].texts:
                pairs += ((context, each) for each in continuations)
                owners += [number] * len(continuations)
        coded = self.scorer.encode_pairs(pairs)
        window = self.scorer.network.context_length
        refused: dict[int, str] = {}
        for owner, pair, (before, continuation) in zip(owners, pairs, coded, strict=True):
            if not before or not continuation:
                refused[owner] = tr("no token is left to score of {continuation!r} behind "
                                    "{context!r}", continuation=pair[1],
                                    context=pair[0][-LONGEST_SHOWN:])  # fmt: skip
            elif len(continuation) > window:
                refused[owner] = tr("a continuation of {size} tokens does not fit into {limit}: "
                                    "{text!r}", size=len(continuation), limit=window,
                                    text=pair[1][:LONGEST_SHOWN])  # fmt: skip
        yield from (Failed(request_id=asked[n][0].id, reason=why) for n, why in refused.items())
        kept = [place for place, owner in enumerate(owners) if owner not in refused]
        waiting: dict[int, _Scored] = {}
        for place in kept:
            before, continuation = coded[place]
            one = waiting.setdefault(owners[place], _Scored(asked[owners[place]][0], 0))
            one.left += 1
            one.context = max(one.context, len(before))
            one.cut = max(one.cut, len(before) + len(continuation) - 1 - window)
        tokens = [(tuple(coded[place][0]), coded[place][1]) for place in kept]
        for at, likelihood in self.scorer.likelihoods(tokens):
            one = waiting[owners[kept[at]]]
            one.found[kept[at]] = likelihood
            one.left -= 1
            if not one.left:
                self.counts["cut"] += one.cut > 0
                yield _checked(one.reply(), owners[kept[at]])

    def _whole(
        self, asked: Sequence[tuple[Request, ToScore]], numbers: Sequence[int]
    ) -> Iterator[Reply]:
        texts = [asked[number][1].texts[0][1][0] for number in numbers]
        self.counts["scored_bos"] += sum(map(self.scorer.scores_bos, texts))
        try:
            for at, value in self.scorer.rolling(texts):
                request = asked[numbers[at]][0]
                reply = ChoiceLikelihoods(request_id=request.id, log_likelihoods=(value,))
                yield _checked(reply, numbers[at])
        except NotFinite as error:
            raise NotFinite(numbers[error.args[-1]]) from error

    def write(self, asked: Sequence[tuple[Request, ToContinue]]) -> Iterator[Reply]:
        wanted: list[WantedText] = []
        owners: list[int] = []
        for number, (_, work) in enumerate(asked):
            wanted += self._wanted(work)
            owners += [number] * (len(work.seeds) if work.temperature > 0 else 1)
        begun = [self.scorer.begins_with_bos(work.text) for _, work in asked]
        self.counts["mixed_bos"] += sum(begun) if len(set(begun)) > 1 else 0
        waiting = Counter(owners)
        texts: dict[int, dict[int, Written]] = {}
        try:
            for place, written in self.scorer.write(wanted):
                owner = owners[place]
                texts.setdefault(owner, {})[place] = written
                waiting[owner] -= 1
                if not waiting[owner]:
                    request, work = asked[owner]
                    ordered = [each for _, each in sorted(texts.pop(owner).items())]
                    yield self._answered(request, work, ordered)
        except NotFinite as error:
            raise NotFinite(owners[error.args[0]]) from error

    def _wanted(self, work: ToContinue) -> Iterator[WantedText]:
        stop = self._stops(work)
        if not work.temperature > 0:
            yield WantedText(work.text, work.max_tokens, stop)
            return
        told = self.scorer.generation
        top_k = int(told.get("top_k") or TOP_K) if work.top_k is None else work.top_k
        top_p = float(told.get("top_p") or 1.0) if work.top_p is None else work.top_p
        for seed in work.seeds:
            yield WantedText(
                work.text, work.max_tokens, stop, temperature=work.temperature, seed=seed,
                top_k=top_k, top_p=top_p,
            )  # fmt: skip

    def _stops(self, work: ToContinue) -> tuple[str, ...]:
        """And the text of the token that ends answers, as the harness adds it."""
        end = self.scorer.tokenizer.of_transformers.eos_token_id
        own = () if end is None else (self.scorer.decode([end], special=True),)
        return (*work.stop, *(each for each in own if each not in work.stop))

    def _answered(self, request: Request, work: ToContinue, written: Sequence[Written]) -> Answered:
        stop = self._stops(work)
        texts = [cut_at_stops(self.scorer.decode(each.tokens), stop) for each in written]
        return Answered(
            request_id=request.id,
            text=texts[0],
            truncated=any(each.ended in ("length", "context") for each in written),
            predictions=tuple(texts) if len(texts) > 1 else (),
            prediction_method="sampled" if work.temperature > 0 and len(texts) > 1 else None,
            prompt_tokens=written[0].prompt_tokens,
            output_tokens=sum(len(each.tokens) for each in written),
            finish=written[0].ended,
        )


def _checked(reply: ChoiceLikelihoods, number: int) -> ChoiceLikelihoods:
    if not all(map(math.isfinite, reply.log_likelihoods)):
        raise NotFinite(number)
    return reply
