"""How likely a long text is, token by token: perplexity, and how often the model guessed right.

Windows of all texts are put together up to a budget of tokens and fetched once a batch; no more
than one batch of a text is in memory. Blocks of a text are summed up too: intervals are drawn from
them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from assay.engine.kernels.attention import attend
from assay.engine.layout.batches import by_tokens, halved_when_full, one_behind, token_budget
from assay.engine.layout.packing import PackedRow, on_device, pack
from assay.engine.layout.windows import PREFIX, Window, windows
from assay.engine.network import Network, NotFinite, own_logits
from assay.engine.predicted import Predicted, from_logits, predicted_at, together

Tokens = Sequence[int] | NDArray[np.integer]
# On two cores two windows at once take as long as one after the other, and twice the memory.
TOKENS_AT_ONCE_CPU = 1024
BLOCK = 1000  # tokens; neighbours are alike, so intervals are drawn from blocks of them


class UnknownToken(ValueError):
    """A text holds a token id that the model has not; `args[0]` is its place."""


@dataclass(slots=True)
class TextReading:
    """A text as a model reads it, window by window. Log-likelihoods are natural; `top1` and `top5`
    count tokens that were the likeliest and among the five likeliest. `blocks`: log-likelihood and
    tokens of every thousand, in order.
    """

    number: int
    length: int
    block: int
    blocks: list[tuple[float, int]] = field(default_factory=list)
    tokens: int = 0
    top1: int = 0
    top5: int = 0

    @property
    def log_likelihood(self) -> float:
        return sum(total for total, _ in self.blocks)

    def add(
        self, window: Window, log_likelihoods: NDArray[np.float64], likelier: NDArray[np.int64]
    ) -> None:
        """Windows come in the order of the text."""
        if not np.isfinite(log_likelihoods).all():
            place = window.first_predicted + int(np.argmin(np.isfinite(log_likelihoods)))
            raise NotFinite(place, self.number)
        self.top1 += int((likelier < 1).sum())
        self.top5 += int((likelier < 5).sum())
        start = 0
        while start < len(log_likelihoods):
            if self.tokens % self.block == 0:
                self.blocks.append((0.0, 0))
            some = log_likelihoods[start : start + self.block - self.tokens % self.block]
            total, tokens = self.blocks[-1]
            self.blocks[-1] = (total + float(some.sum()), tokens + len(some))
            self.tokens += len(some)
            start += len(some)


def read_all(
    network: Network, texts: Iterable[Tokens], *, prefix: int, block: int = BLOCK
) -> Iterator[TextReading]:
    """Readings in the order of the texts, which are taken as they are needed. `prefix` stands
    before the first token of each.

    Raises:
        NotFinite: with the place of the first token whose likelihood is no number; what causes it
            may stand later in the same window.
        UnknownToken: with the place of the first token that the model has not.
    """
    reader = _Reader(network, prefix)
    unfinished: deque[TextReading] = deque()

    def pieces() -> Iterator[_WindowPiece]:
        for number, tokens in enumerate(texts):
            reading = TextReading(number, len(tokens), block)
            unfinished.append(reading)
            for window in windows(len(tokens), network.context_length):
                yield _WindowPiece(tokens, window, reading)

    for part, found in one_behind(reader.computed(pieces())):
        for piece, (log_likelihoods, likelier) in zip(part, _fetched(part, found), strict=True):
            piece.reading.add(piece.window, log_likelihoods, likelier)
        while unfinished and unfinished[0].tokens == unfinished[0].length:
            yield unfinished.popleft()
    yield from unfinished  # texts without tokens, behind the last batch


@dataclass(frozen=True, slots=True)
class _WindowPiece:
    tokens: Tokens
    window: Window
    reading: TextReading

    def fed(self, prefix: int) -> NDArray[np.int64]:
        start = self.window.start
        fed = _whole_numbers(self.tokens[max(start, 0) : self.window.end - 1])
        return np.insert(fed, 0, prefix) if start == PREFIX else fed

    def wanted(self) -> NDArray[np.int64]:
        return _whole_numbers(self.tokens[self.window.first_predicted : self.window.end])

    def check(self, wanted: NDArray[np.int64], vocabulary: int) -> None:
        """Every token of a text is predicted once, so that all are checked."""
        unknown = (wanted < 0) | (wanted >= vocabulary)
        if unknown.any():
            place = self.window.first_predicted + int(np.argmax(unknown))
            raise UnknownToken(place, self.reading.number)


def _whole_numbers(tokens: Tokens) -> NDArray[np.int64]:
    return np.asarray(tokens, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _SideBySide:
    """Windows of one length in a packed row: nothing is copied to tell them apart."""

    rows: int

    def attend(self, module: nn.Module, q: Tensor, k: Tensor, v: Tensor, scale: float) -> Tensor:
        q, k, v = (self._apart(given) for given in (q, k, v))
        seen = attend(q, k, v, scale, None)  # [rows, heads, tokens, size]
        return seen.transpose(1, 2).flatten(0, 1)[None]

    def _apart(self, given: Tensor) -> Tensor:
        _, heads, tokens, size = given.shape
        return given.view(heads, self.rows, tokens // self.rows, size).transpose(0, 1)


class _Reader:
    """Windows to likelihoods, as many at once as one forward takes."""

    def __init__(self, network: Network, prefix: int) -> None:
        self._network = network
        self._prefix = prefix

    def computed(
        self, pieces: Iterable[_WindowPiece]
    ) -> Iterator[tuple[list[_WindowPiece], Predicted]]:
        budget = token_budget(self._network)
        if self._network.device.type == "cpu":
            budget = min(budget, TOKENS_AT_ONCE_CPU)
        for batch in by_tokens(pieces, lambda piece: piece.window.length, budget):
            yield from halved_when_full(batch, self._computed)

    @torch.inference_mode()
    def _computed(self, pieces: list[_WindowPiece]) -> Predicted:
        wanted = [piece.wanted() for piece in pieces]
        for piece, tokens in zip(pieces, wanted, strict=True):
            piece.check(tokens, self._network.vocabulary)
        fed = [piece.fed(self._prefix) for piece in pieces]
        if self._network.serves_trees:
            return self._together(fed, wanted)
        parts = [self._alone(*each) for each in zip(fed, wanted, strict=True)]
        return together(parts)

    def _together(
        self, fed: Sequence[NDArray[np.int64]], wanted: Sequence[NDArray[np.int64]]
    ) -> Predicted:
        ends = np.cumsum([len(tokens) for tokens in fed])
        places = [
            np.arange(end - len(tokens), end) for end, tokens in zip(ends, wanted, strict=True)
        ]
        targets = np.concatenate(wanted)
        return predicted_at(self._network, self._hidden(fed), np.concatenate(places), targets)

    def _hidden(self, fed: Sequence[NDArray[np.int64]]) -> Tensor:
        length = len(fed[0])
        if any(len(tokens) != length for tokens in fed):
            rows = [PackedRow(None, tokens.tolist()) for tokens in fed]
            return self._network.hidden(pack(rows, {}, self._network.device))
        ids = self._on_device(np.concatenate(fed))
        positions = torch.arange(length, device=ids.device).repeat(len(fed))
        return self._network.run(ids[None], positions[None], _SideBySide(len(fed)))

    def _alone(self, fed: NDArray[np.int64], wanted: NDArray[np.int64]) -> Predicted:
        logits = own_logits(self._network, fed.tolist())[-len(wanted) :]
        targets = self._on_device(wanted)
        step = self._network.positions_at_once
        found = [
            from_logits(logits[start : start + step], targets[start : start + step])
            for start in range(0, len(targets), step)
        ]
        return together(found)

    def _on_device(self, numbers: NDArray[np.int64]) -> Tensor:
        return on_device(numbers, self._network.device)


def _fetched(
    pieces: Sequence[_WindowPiece], found: Predicted
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Of each window the log-likelihoods of its tokens, and how many tokens were likelier: in one
    transfer where they are not in the computer's own memory.
    """
    log_likelihood, likelier = found
    if log_likelihood.device.type != "cpu":
        log_likelihood, likelier = torch.stack((log_likelihood, likelier.float())).cpu()
    cuts = np.cumsum([piece.window.predicted for piece in pieces])[:-1]
    return zip(
        np.split(log_likelihood.double().numpy(), cuts),
        np.split(likelier.long().numpy(), cuts),
        strict=True,
    )
