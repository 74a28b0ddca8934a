"""Likelihoods and texts from `tokenize` and `logits` of a model of one's own.

In: an object with `tokenize(text) -> list[int]` and `logits(ids) -> array (batch, length,
vocabulary)`, numpy, torch or nested lists; `detokenize(ids) -> str` where it writes. Out: how
likely choices and texts are, the text it writes, its k best first lines. Needs no torch.

Rows of one call have one length, so that a model needs no padding. The first token of a text has
nothing before it and is not scored. Every value is a log-softmax in float64.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.engine.layout.windows import PREFIX, windows
from assay.messages import tr
from assay.models.local.stopping import StopStrings
from assay.models.plain_text import as_text, joint
from assay.models.text_size import bytes_in, words_in
from assay.types import Message, Sampling

DEFAULT_CONTEXT = 1024  # tokens, for a model that does not say
TOKENS_AT_ONCE = 1024
POSITIONS_AT_ONCE = 64  # that are float64 at a time: 64 x 150,000 tokens take 77 MB
BLOCK = 1000  # tokens; intervals are drawn from blocks of them
LEAST_WIDTH = 4  # of a beam

Floats = NDArray[np.float64]


class WrongLogits(Exception):
    """What a plugin returned cannot be used; the message is a whole sentence."""


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Tokens that are fed, and those that the last positions should predict."""

    fed: list[int]
    wanted: list[int]


@dataclass(frozen=True, slots=True)
class Scored:
    """Of each wanted token its log-likelihood, and how many tokens were likelier."""

    log_likelihoods: Floats
    likelier: NDArray[np.int64]

    @property
    def total(self) -> float:
        return float(self.log_likelihoods.sum())


@dataclass(frozen=True, slots=True)
class ChoiceRows:
    """A context and its choices as rows; `cut`: tokens that the context lost at its beginning."""

    rows: list[TokenRow]
    context: int
    cut: int


@dataclass(frozen=True, slots=True)
class TextRead:
    """Sums over a text, and over every thousand tokens of it."""

    log_likelihood: float
    tokens: int
    words: int
    bytes: int
    top1: int
    top5: int
    blocks: tuple[tuple[float, int], ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """What was written; `full`: it ended at the most tokens allowed."""

    text: str
    tokens: int
    prompt_tokens: int
    full: bool


class LogitsModel:
    """Calls a plugin's two methods and checks what comes back."""

    def __init__(self, plugin: Any, context_length: int | None) -> None:
        self._plugin = plugin
        self.window = context_length or DEFAULT_CONTEXT
        ends = getattr(plugin, "eos_id", None)
        self._ends = frozenset() if ends is None else frozenset(np.atleast_1d(ends).tolist())

    @property
    def writes(self) -> bool:
        return callable(getattr(self._plugin, "detokenize", None))

    def tokenize(self, text: str) -> list[int]:
        ids = self._plugin.tokenize(text)
        found = [] if ids is None else list(ids)
        try:
            return [token.__index__() for token in found]
        except AttributeError:
            raise WrongLogits(tr("tokenize returned something other than a list of integers"))  # noqa: B904

    # ---------------------------------------------------------------------------------- likelihoods

    def question(self, messages: Sequence[Message], continuations: Sequence[str]) -> ChoiceRows:
        """Each choice behind the prompt, as lm-evaluation-harness joins them: white space at the
        end of the prompt belongs to the choice, and both are tokenized as one text.
        """
        context = as_text(messages)
        shown = any(each.role == "assistant" for each in messages)
        between = joint(context, Message("assistant", "")) if shown else " "
        kept = context.rstrip()
        moved = context[len(kept) :] + between
        before = self.tokenize(kept) if kept else []
        rows, cut = [], 0
        for continuation in continuations:
            whole = self.tokenize(kept + moved + continuation)
            wanted = whole[max(len(before), 1) :]
            if not wanted or not continuation:
                raise WrongLogits(tr("a choice has no token of its own"))
            if len(wanted) > self.window:
                raise WrongLogits(
                    tr("a choice of {size} tokens does not fit into {limit}",
                       size=len(wanted), limit=self.window)
                )  # fmt: skip
            cut = max(cut, len(whole) - 1 - self.window)
            rows.append(TokenRow(whole[:-1][-self.window :], wanted))
        return ChoiceRows(rows, len(before), cut)

    def score(self, rows: Sequence[TokenRow]) -> list[Scored | BaseException]:
        """Every row, those of one length together; what goes wrong with a row is its own."""
        found: dict[int, Scored | BaseException] = {}
        by_length: dict[int, list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            by_length[len(row.fed)].append(number)
        for length, numbers in by_length.items():
            most = max(1, TOKENS_AT_ONCE // max(1, length))
            for start in range(0, len(numbers), most):
                found |= self._score_batch(rows, numbers[start : start + most])
        return [found[number] for number in range(len(rows))]

    def _score_batch(
        self, rows: Sequence[TokenRow], numbers: Sequence[int]
    ) -> dict[int, Scored | BaseException]:
        try:
            values = self._logits([rows[number].fed for number in numbers])
            return {
                number: _scored(array, rows[number].wanted)
                for number, array in zip(numbers, values, strict=True)
            }
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything
            if len(numbers) == 1:
                return {numbers[0]: error}
        alone: dict[int, Scored | BaseException] = {}
        for number in numbers:
            alone |= self._score_batch(rows, [number])
        return alone

    def read(
        self, text: str, tokens: Sequence[int] | None, stopped: Callable[[], bool]
    ) -> TextRead | None:
        """A text, in windows of the model's context; None where it was stopped."""
        ids = self.tokenize(text) if tokens is None else [int(token) for token in tokens]
        if len(ids) < 2:
            raise WrongLogits(tr("the text has fewer than two tokens: there is nothing to predict"))
        parts: list[Scored] = []
        rows = _windows(ids, self.window)
        while some := list(islice(rows, max(1, TOKENS_AT_ONCE // self.window))):
            if stopped():
                return None
            for each in self.score(some):
                if isinstance(each, BaseException):
                    raise each
                parts.append(each)
        values = np.concatenate([part.log_likelihoods for part in parts])
        likelier = np.concatenate([part.likelier for part in parts])
        blocks = [values[start : start + BLOCK] for start in range(0, len(values), BLOCK)]
        return TextRead(
            log_likelihood=float(values.sum()),
            tokens=len(values),
            words=0 if tokens is not None else words_in(text),
            bytes=0 if tokens is not None else bytes_in(text),
            top1=int((likelier < 1).sum()),
            top5=int((likelier < 5).sum()),
            blocks=tuple((float(block.sum()), len(block)) for block in blocks),
        )

    def _logits(self, rows: list[list[int]]) -> Any:
        values = self._plugin.logits(rows)
        if hasattr(values, "detach"):  # torch; bfloat16 has no numpy type
            values = values.detach().cpu().float().numpy()
        try:
            array = np.asarray(values, dtype=None if hasattr(values, "dtype") else np.float64)
        except ValueError as error:
            raise WrongLogits(tr("logits returned rows of different lengths")) from error
        shape = (len(rows), len(rows[0]))
        if array.ndim != 3 or array.shape[:2] != shape:
            raise WrongLogits(
                tr("logits returned an array of the shape {found}; expected ({batch}, {length}, "
                   "vocabulary)", found=array.shape, batch=shape[0], length=shape[1])
            )  # fmt: skip
        return array

    # -------------------------------------------------------------------------------------- writing

    def write(
        self, messages: Sequence[Message], how: Sampling, stopped: Callable[[], bool]
    ) -> Draft | None:
        """One answer, token by token; None where it was stopped."""
        prompt = self._prompt(messages)
        ending = StopStrings(self._decode, how.stop)
        random = np.random.default_rng(how.seed)
        new: list[int] = []
        while len(new) < how.max_tokens:
            if stopped():
                return None
            values = self._next([[*prompt, *new]])[0]
            token = _drawn(values, how.temperature, random)
            if token in self._ends:
                break
            new.append(token)
            if ending(new):
                break
        full = len(new) >= how.max_tokens
        return Draft(ending.cut(self._decode(new)), len(new), len(prompt), full)

    def first_lines(
        self, messages: Sequence[Message], how: Sampling, stopped: Callable[[], bool]
    ) -> list[str] | None:
        """The k likeliest first lines by beam search, with the rules of `engine.beams`: the sum of
        log-likelihoods, no reward for length, max(4, 2k) live hypotheses.
        """
        prompt, k = self._prompt(messages), how.predictions
        ending = StopStrings(self._decode, how.stop, first_line=True)
        live: list[tuple[float, list[int]]] = [(0.0, [])]
        complete: dict[str, float] = {}
        width = max(LEAST_WIDTH, 2 * k)
        while live and not _enough(complete, k, live[0][0]):
            if stopped():
                return None
            found = self._next([[*prompt, *new] for _, new in live])
            extended: list[tuple[float, list[int]]] = []
            for worth, before, token in _best_first(live, found, width + k + len(self._ends)):
                if len(extended) == width or _enough(complete, k, worth):
                    break
                new = before if token in self._ends else [*before, token]
                if token in self._ends or ending(new) or len(new) >= how.max_tokens:
                    line = ending.cut(self._decode(new)).strip()
                    complete[line] = max(worth, complete.get(line, -np.inf))
                else:
                    extended.append((worth, new))
            live = extended
        return sorted(complete, key=lambda line: -complete[line])[:k]

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        prompt = self.tokenize(as_text(messages))
        if not prompt:
            raise WrongLogits(tr("the prompt has no tokens"))
        if len(prompt) >= self.window:
            raise WrongLogits(
                tr("{size} tokens do not fit into the model's context, which takes {limit}",
                   size=len(prompt), limit=self.window - 1)
            )  # fmt: skip
        return prompt

    def _next(self, rows: list[list[int]]) -> Floats:
        """Log-likelihoods of the next token behind rows of one length."""
        values = self._logits([row[-self.window :] for row in rows])[:, -1].astype(np.float64)
        return _checked(_log_softmax(values))

    def _decode(self, ids: Sequence[int]) -> str:
        text = self._plugin.detokenize(list(ids))
        if not isinstance(text, str):
            raise WrongLogits(tr("detokenize returned {kind}, not a text", kind=_kind(text)))
        return text


def _windows(ids: Sequence[int], longest: int) -> Iterator[TokenRow]:
    """The first token is the prefix of the others."""
    for window in windows(len(ids) - 1, longest):
        start = 0 if window.start == PREFIX else window.start + 1
        yield TokenRow(
            list(ids[start : window.end]), list(ids[window.first_predicted + 1 : window.end + 1])
        )


def _scored(logits: Any, wanted: Sequence[int]) -> Scored:
    """The last positions of one row."""
    targets = np.asarray(wanted, dtype=np.int64)
    vocabulary = logits.shape[-1]
    if targets.min() < 0 or targets.max() >= vocabulary:
        raise WrongLogits(
            tr("the token {token} is not among the {count} that logits has values for",
               token=int(targets.max()), count=vocabulary)
        )  # fmt: skip
    logits = logits[-len(targets) :]
    values, likelier = [], []
    for start in range(0, len(targets), POSITIONS_AT_ONCE):
        some = targets[start : start + POSITIONS_AT_ONCE]
        found = _log_softmax(logits[start : start + len(some)].astype(np.float64))
        picked = found[np.arange(len(some)), some]
        values.append(picked)
        likelier.append((found > picked[:, None]).sum(axis=1))
    return Scored(_checked(np.concatenate(values)), np.concatenate(likelier))


def _log_softmax(values: Floats) -> Floats:
    with np.errstate(all="ignore"):  # what is no number is found by _checked
        shifted = values - values.max(axis=-1, keepdims=True)
        found: Floats = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return found


def _checked(values: Floats) -> Floats:
    """-inf is a likelihood of 0 and may be meant among many, not for a token that is scored."""
    wrong = np.isnan(values).any() if values.ndim > 1 else not np.isfinite(values).all()
    if wrong:
        raise WrongLogits(tr("logits returned NaN or infinity"))
    return values


def _drawn(values: Floats, temperature: float, random: np.random.Generator) -> int:
    if temperature <= 0:
        return int(values.argmax())
    chances = np.exp(_log_softmax(values / temperature))
    return int(random.choice(len(chances), p=chances / chances.sum()))


def _best_first(
    live: Sequence[tuple[float, list[int]]], found: Floats, most: int
) -> list[tuple[float, list[int], int]]:
    extensions = []
    for (worth, new), values in zip(live, found, strict=True):
        best = np.argsort(-values, kind="stable")[:most]
        extensions += [(worth + float(values[token]), new, int(token)) for token in best]
    return sorted(extensions, key=lambda each: (-each[0], each[1], each[2]))


def _enough(complete: dict[str, float], k: int, worth: float) -> bool:
    return sum(value >= worth for value in complete.values()) >= k


def _kind(value: object) -> str:
    return type(value).__name__
