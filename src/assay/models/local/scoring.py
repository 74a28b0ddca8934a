"""Texts scored and written as they are given, by lm-evaluation-harness's rules: no template, no
test, no store. In: strings. Out: results with the position of what they belong to, as they come.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from assay.engine.choose import Likelihood, Question, choose
from assay.engine.generate import Prompt, Written, generate
from assay.engine.network import Network
from assay.engine.read import read_all
from assay.models.local.answering import StopStrings
from assay.models.local.tokens.encoding import encode_pairs, encode_prompts, encode_whole
from assay.models.local.tokens.tokenizer import LocalTokenizer

Ids = Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRules:
    """None: as the model and its tokenizer have it. `max_length`: tokens of the window; `add_bos`:
    whether special tokens are added to a text; `prefix`: the token before an empty context.
    """

    max_length: int | None = None
    add_bos: bool | None = None
    prefix: int | None = None


@dataclass(frozen=True, slots=True)
class WantedText:
    """A prompt that is too long for the window and the tokens to come loses its beginning."""

    prompt: str
    max_tokens: int
    stop: tuple[str, ...] = ()
    temperature: float = 0.0
    seed: int = 0
    top_k: int = 0
    top_p: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScorer:
    network: Network
    tokenizer: LocalTokenizer  # by the user's rules
    writing: LocalTokenizer  # the same, but for the prefix, which is for likelihoods only
    ends: frozenset[int]
    generation: dict[str, Any]  # generation_config.json

    @classmethod
    def of(
        cls,
        network: Network,
        tokenizer: LocalTokenizer,
        rules: TextRules,
        *,
        ends: frozenset[int],
        generation: dict[str, Any],
    ) -> "TextScorer":
        if rules.max_length is not None:
            network = replace(network, context_length=rules.max_length)
        adds = rules.add_bos is not False
        return cls(
            network=network,
            tokenizer=tokenizer.with_rules(adds=adds, prefix=rules.prefix),
            writing=tokenizer.with_rules(adds=adds),
            ends=ends,
            generation=generation,
        )

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """One that begins with the prefix as text gets no special tokens."""
        return encode_prompts(self.tokenizer, texts)

    def encode_pairs(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[Ids, Ids]]:
        """(context, continuation) of each; equal contexts that follow each other are coded once."""
        together = [
            (context, [continuation for _, continuation in some])
            for context, some in groupby(pairs, key=lambda pair: pair[0])
        ]
        coded = encode_pairs(self.tokenizer, together, swallowed=True)
        return [(each.context, choice) for each in coded for choice in each.choices]

    def likelihoods(self, pairs: Sequence[tuple[Ids, Ids]]) -> Iterator[tuple[int, Likelihood]]:
        """Of every continuation behind its context, both as token ids."""
        questions: list[Question] = []
        first: list[int] = []
        numbered = enumerate(pairs)
        for context, some in groupby(numbered, key=lambda one: one[1][0]):
            held = list(some)
            first.append(held[0][0])
            questions.append(Question(context, tuple(choice for _, (_, choice) in held)))
        for number, found in choose(self.network, questions):
            yield from enumerate(found, start=first[number])

    def rolling(self, texts: Sequence[str]) -> Iterator[tuple[int, float]]:
        """The log-likelihood of each whole text, window by window."""
        prefix = self.tokenizer.prefix_token_id
        coded = encode_whole(self.tokenizer, texts)
        for found in read_all(self.network, coded, prefix=0 if prefix is None else prefix):
            yield found.number, found.log_likelihood

    def scores_bos(self, text: str) -> bool:
        """Whether the tokenizer puts a token before a text that rolling likelihoods then score."""
        ids = next(iter(encode_whole(self.tokenizer, [text[:1]])))
        return len(ids) > 0 and ids[0] == self.tokenizer.prefix_token_id

    def begins_with_bos(self, text: str) -> bool:
        bos = self.tokenizer.of_transformers.bos_token
        return bool(bos) and text.startswith(bos)

    def write(self, wanted: Sequence[WantedText]) -> Iterator[tuple[int, Written]]:
        """The tokens behind each prompt, up to and with those that complete a stop string."""
        prompts = []
        stops = {texts: self.stops(texts) for texts in {each.stop for each in wanted if each.stop}}
        coded = encode_prompts(self.writing, [each.prompt for each in wanted])
        for each, ids in zip(wanted, coded, strict=True):
            kept, limit = self.fit(ids, each.max_tokens)
            prompts.append(
                Prompt(
                    tokens=kept or [self.tokenizer.prefix_token_id or 0],
                    most_new=limit,
                    temperature=each.temperature,
                    seed=each.seed,
                    top_k=each.top_k,
                    top_p=each.top_p,
                    ends=self.ends,
                    stopped=stops.get(each.stop),
                )
            )
        return generate(self.network, prompts)

    def fit(self, ids: list[int], limit: int) -> tuple[list[int], int]:
        """What is left of a prompt, and of the limit. Where the limit alone fills the window, which
        lm-eval refuses, the answer is shortened.
        """
        window = self.network.context_length
        if limit >= window:
            limit = max(1, window - len(ids))
        return ids[-(window - limit) :], limit

    def stops(self, texts: Sequence[str]) -> StopStrings:
        """A special token written out, such as <|im_end|>, is a stop too."""
        return StopStrings(
            lambda ids: self.tokenizer.as_transformers_writes(ids, special=True), texts
        )

    def decode(self, ids: Sequence[int], *, special: bool = False) -> str:
        return self.tokenizer.as_transformers_writes(ids, special=special)
