"""Likelihoods from `tokenize` and `logits` of a user's own model, without torch. All rows of one
call have one length; the first token of a text is not scored.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.engine.layout.windows import PREFIX, windows
from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.base import TextReader, as_text, bytes_in, joint, words_in
from assay.plugins import describe_mistake
from assay.stats.documents import BLOCK, block_length
from assay.types import (
    ChoiceLikelihoods,
    Message,
    ReadText,
    Request,
    ToChoose,
    ToRead,
    ToScore,
)

DEFAULT_CONTEXT = 1024  # tokens, for a model that does not say
TOKENS_AT_ONCE = 1024
POSITIONS_AT_ONCE = 64  # in float64 at a time: 64 x 150,000 tokens take 77 MB


class UnusableResult(Exception):
    """A request cannot be answered; the message is a whole sentence."""


class TokenRow(NamedTuple):
    fed: list[int]
    wanted: list[int]  # what the last positions should predict


class ScoredRow(NamedTuple):
    """For each wanted token its log-likelihood, and how many tokens were likelier."""

    log_likelihoods: NDArray[np.float64]
    likelier: NDArray[np.int64]


class LogitsModel:
    def __init__(self, plugin: Any, context_length: int | None, stopped: threading.Event) -> None:
        self._plugin = plugin
        self._stopped = stopped
        self.window = context_length or DEFAULT_CONTEXT

    def tokenize(self, text: str) -> list[int]:
        ids = self._plugin.tokenize(text)
        try:
            return [index(token) for token in ids]
        except TypeError as error:
            why = tr("tokenize returned something other than a list of integers")
            raise UnusableResult(why) from error

    def reading(self, spec: str) -> TextReader:
        import torch

        def blaming(call: Callable[..., Any], *given: Any) -> Any:
            try:
                return call(*given)
            except Exception as error:
                raise ModelUnavailable(
                    tr("{name}: failed: {why}", name=spec, why=describe_mistake(error)),
                    hint=tr("fix the plugin"),
                ) from error

        def read(tokens: Sequence[int]) -> Callable[[int, int], torch.Tensor]:
            whole = blaming(self._logits, [list(tokens)])[0]
            return lambda start, end: torch.from_numpy(np.array(whole[start:end], np.float32))

        return TextReader(
            read=read,
            encode=partial(blaming, self.tokenize),
            decode=lambda ids: " ".join(f"#{token}" for token in ids),
            begin=(),
            vocabulary=read([0])(0, 1).shape[-1],
            context=self.window,
        )

    def choose(self, request: Request, work: ToChoose) -> ChoiceLikelihoods:
        rows, context, cut = self._rows_of(work)
        return self._chosen(request, self._score(rows), context, cut)

    def _chosen(
        self, request: Request, scored: Sequence[ScoredRow], context: int, cut: int
    ) -> ChoiceLikelihoods:
        return ChoiceLikelihoods(
            request_id=request.id,
            log_likelihoods=tuple(float(each.log_likelihoods.sum()) for each in scored),
            greedy=tuple(bool((each.likelier == 0).all()) for each in scored),
            tokens=tuple(len(each.likelier) for each in scored),
            cut=cut,
            prompt_tokens=context,
        )

    def _rows_of(self, work: ToChoose) -> tuple[list[TokenRow], int, int]:
        """Rows, tokens of the context, tokens cut. White space at its end is the choice's."""
        context = as_text(work.messages)
        has_examples = any(each.role == "assistant" for each in work.messages)
        between = joint(context, Message("assistant", "")) if has_examples else " "
        return self._rows_behind(context, [between + each for each in work.continuations])

    def _rows_behind(
        self, context: str, continuations: Sequence[str]
    ) -> tuple[list[TokenRow], int, int]:
        kept = context.rstrip()
        before = len(self.tokenize(kept)) if kept else 0
        rows, cut = [], 0
        for continuation in continuations:
            whole = self.tokenize(context + continuation)
            wanted = whole[max(before, 1) :]
            if not wanted or not continuation.strip():
                raise UnusableResult(tr("a choice has no token of its own"))
            if len(wanted) > self.window:
                raise UnusableResult(
                    tr("a choice of {size} tokens does not fit into {limit}",
                       size=len(wanted), limit=self.window)
                )  # fmt: skip
            cut = max(cut, len(whole) - 1 - self.window)
            rows.append(TokenRow(whole[:-1][-self.window :], wanted))
        return rows, before, cut

    def score(self, request: Request, work: ToScore) -> ChoiceLikelihoods:
        """Texts as they are. The first token of one without a context is not scored: there is no
        token before it.
        """
        if work.rolling:
            whole = self.read(request, ToRead(text=work.texts[0][1][0]))
            return ChoiceLikelihoods(request_id=request.id, log_likelihoods=(whole.log_likelihood,))
        rows: list[TokenRow] = []
        longest = most_cut = 0
        for context, continuations in work.texts:
            some, before, cut = self._rows_behind(context, continuations)
            rows += some
            longest, most_cut = max(longest, before), max(most_cut, cut)
        return self._chosen(request, self._score(rows), longest, most_cut)

    def _score(self, rows: Sequence[TokenRow]) -> list[ScoredRow]:
        found: dict[int, ScoredRow] = {}
        by_length: dict[int, list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            by_length[len(row.fed)].append(number)
        for length, numbers in by_length.items():
            most = max(1, TOKENS_AT_ONCE // max(1, length))
            for start in range(0, len(numbers), most):
                some = numbers[start : start + most]
                values = self._logits([rows[number].fed for number in some])
                for number, logits in zip(some, values, strict=True):
                    found[number] = _scored(logits, rows[number].wanted)
        return [found[number] for number in range(len(rows))]

    def read(self, request: Request, work: ToRead) -> ReadText:
        is_text = work.tokens is None
        ids = self.tokenize(work.text) if work.tokens is None else list(map(int, work.tokens))
        if len(ids) < 2:
            why = tr("the text has fewer than two tokens: there is nothing to predict")
            raise UnusableResult(why)
        parts: list[ScoredRow] = []
        rows = _windows(ids, self.window)
        while some := list(islice(rows, max(1, TOKENS_AT_ONCE // self.window))):
            if self._stopped.is_set():
                raise UnusableResult(tr("cancelled"))
            parts += self._score(some)
        values = np.concatenate([part.log_likelihoods for part in parts])
        likelier = np.concatenate([part.likelier for part in parts])
        size = block_length(len(values)) or BLOCK
        cuts = [slice(start, start + size) for start in range(0, len(values), size)]
        told: dict[str, Any] = {}
        if work.each_token:  # the first is not predicted here
            told["token_texts"] = tuple(f"#{each}" for each in ids)
            told["logprobs"] = (None, *map(float, values))
        return ReadText(
            **told,
            request_id=request.id,
            log_likelihood=float(values.sum()),
            tokens=len(values),
            words=words_in(work.text) if is_text else 0,
            bytes=bytes_in(work.text) if is_text else 0,
            top1=int((likelier < 1).sum()),
            top5=int((likelier < 5).sum()),
            blocks=tuple((float(values[cut].sum()), len(values[cut])) for cut in cuts),
            block_hits=tuple(
                (int((likelier[cut] < 1).sum()), int((likelier[cut] < 5).sum())) for cut in cuts
            ),
            window=self.window,
            stride=self.window,
        )

    def _logits(self, rows: list[list[int]]) -> Any:
        values = self._plugin.logits(rows)
        if hasattr(values, "detach"):  # torch; bfloat16 has no numpy type
            values = values.detach().cpu().float().numpy()
        try:
            array = np.asarray(values, dtype=None if hasattr(values, "dtype") else np.float64)
        except ValueError as error:
            raise UnusableResult(tr("logits returned rows of different lengths")) from error
        shape = (len(rows), len(rows[0]))
        if array.ndim != 3 or array.shape[:2] != shape:
            raise UnusableResult(
                tr("logits returned an array of the shape {found}; expected ({batch}, {length}, "
                   "vocabulary)", found=array.shape, batch=shape[0], length=shape[1])
            )  # fmt: skip
        return array


def _windows(ids: Sequence[int], longest: int) -> Iterator[TokenRow]:
    """The first token is the prefix of the others."""
    for window in windows(len(ids) - 1, longest):
        start = 0 if window.start == PREFIX else window.start + 1
        yield TokenRow(
            list(ids[start : window.end]), list(ids[window.first_predicted + 1 : window.end + 1])
        )


def _scored(logits: Any, wanted: Sequence[int]) -> ScoredRow:
    from scipy.special import log_softmax  # 0.2 s to load, and every model passes this module

    targets = np.asarray(wanted, dtype=np.int64)
    vocabulary = logits.shape[-1]
    if targets.min() < 0 or targets.max() >= vocabulary:
        raise UnusableResult(
            tr("the token {token} is not among the {count} that logits has values for",
               token=int(targets.max()), count=vocabulary)
        )  # fmt: skip
    logits = logits[-len(targets) :]
    values, likelier = [], []
    for start in range(0, len(targets), POSITIONS_AT_ONCE):
        some = targets[start : start + POSITIONS_AT_ONCE]
        with np.errstate(all="ignore"):  # what is not a number is found at the end
            found = log_softmax(logits[start : start + len(some)].astype(np.float64), axis=-1)
        picked = found[np.arange(len(some)), some]
        values.append(picked)
        likelier.append((found > picked[:, None]).sum(axis=1))
    scored = np.concatenate(values)
    if not np.isfinite(scored).all():
        raise UnusableResult(tr("logits returned NaN or infinity"))
    return ScoredRow(scored, np.concatenate(likelier))
