"""How likely a long text is, token by token. Windows of all texts are put together up to a budget;
no more than one batch of a text is in memory.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from assay.engine.layout.batches import by_tokens, halved_when_full, one_behind
from assay.engine.layout.packing import PackedRow, pack
from assay.engine.layout.windows import PREFIX, Window, windows
from assay.engine.network import Network, NotFinite
from assay.engine.predicted import Predicted, predicted_alone, predicted_at, together
from assay.stats.documents import BLOCK, block_length

Tokens = Sequence[int] | NDArray[np.integer]
# On two cores two windows at once take as long as one after the other, and twice the memory.
TOKENS_AT_ONCE_CPU = 1024


class UnknownToken(ValueError):
    """A text holds a token id that the model has not; `args[0]` is its place."""


@dataclass(slots=True)
class TextReading:
    """Log-likelihoods are natural. `blocks`: log-likelihood and tokens of every `block` tokens;
    `hits`: of each block the tokens that were the first guess, and among the first five.
    """

    number: int
    length: int
    block: int
    blocks: list[tuple[float, int]] = field(default_factory=list)
    hits: list[tuple[int, int]] = field(default_factory=list)
    tokens: int = 0
    top1: int = 0
    top5: int = 0

    @property
    def log_likelihood(self) -> float:
        return sum(total for total, _ in self.blocks)

    def add(
        self, window: Window, log_likelihoods: NDArray[np.float64], likelier: NDArray[np.int64]
    ) -> None:
        if not np.isfinite(log_likelihoods).all():
            place = window.first_predicted + int(np.argmin(np.isfinite(log_likelihoods)))
            raise NotFinite(place, self.number)
        start = 0
        while start < len(log_likelihoods):
            if self.tokens % self.block == 0:
                self.blocks.append((0.0, 0))
                self.hits.append((0, 0))
            end = start + self.block - self.tokens % self.block
            some, ranks = log_likelihoods[start:end], likelier[start:end]
            total, tokens = self.blocks[-1]
            self.blocks[-1] = (total + float(some.sum()), tokens + len(some))
            first, five = int((ranks < 1).sum()), int((ranks < 5).sum())
            self.hits[-1] = (self.hits[-1][0] + first, self.hits[-1][1] + five)
            self.top1, self.top5 = self.top1 + first, self.top5 + five
            self.tokens += len(some)
            start += len(some)


def read_all(
    network: Network, texts: Iterable[Tokens], *, prefix: int, block: int | None = None
) -> Iterator[TextReading]:
    """In blocks of so many tokens, or as long as an interval inside one text needs.

    Raises NotFinite or UnknownToken with the place of the first such token.
    """
    unfinished: deque[TextReading] = deque()

    def pieces() -> Iterator[_WindowPiece]:
        for number, tokens in enumerate(texts):
            size = block or block_length(len(tokens)) or BLOCK
            reading = TextReading(number, len(tokens), size)
            unfinished.append(reading)
            for window in windows(len(tokens), network.context_length):
                yield _WindowPiece(tokens, window, reading)

    for part, found in one_behind(_computed(network, prefix, pieces())):
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
        fed = np.asarray(self.tokens[max(start, 0) : self.window.end - 1], np.int64)
        return np.insert(fed, 0, prefix) if start == PREFIX else fed

    def wanted(self) -> NDArray[np.int64]:
        return np.asarray(self.tokens[self.window.first_predicted : self.window.end], np.int64)

    def check(self, wanted: NDArray[np.int64], vocabulary: int) -> None:
        """Every token of a text is predicted once, so that all are checked."""
        unknown = (wanted < 0) | (wanted >= vocabulary)
        if unknown.any():
            place = self.window.first_predicted + int(np.argmax(unknown))
            raise UnknownToken(place, self.reading.number)


def _computed(
    network: Network, prefix: int, pieces: Iterable[_WindowPiece]
) -> Iterator[tuple[list[_WindowPiece], Predicted]]:
    budget = network.tokens_at_once
    if network.device.type == "cpu":
        budget = min(budget, TOKENS_AT_ONCE_CPU)
    for batch in by_tokens(pieces, lambda piece: piece.window.length, budget):
        yield from halved_when_full(batch, lambda part: _predicted(network, prefix, part))


@torch.inference_mode()
def _predicted(network: Network, prefix: int, pieces: Sequence[_WindowPiece]) -> Predicted:
    wanted = [piece.wanted() for piece in pieces]
    for piece, tokens in zip(pieces, wanted, strict=True):
        piece.check(tokens, network.vocabulary)
    fed = [piece.fed(prefix) for piece in pieces]
    rows = [PackedRow(None, tokens.tolist()) for tokens in fed]
    if not network.serves_trees:
        alone = zip(rows, wanted, strict=True)
        return together(predicted_alone(network, row.context, each) for row, each in alone)
    hidden = network.hidden(pack(rows, {}, network.device))
    ends = np.cumsum([len(tokens) for tokens in fed])
    places = [np.arange(end - len(tokens), end) for end, tokens in zip(ends, wanted, strict=True)]
    return predicted_at(network, hidden, np.concatenate(places), np.concatenate(wanted))


def _fetched(
    pieces: Sequence[_WindowPiece], found: Predicted
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Of each window log-likelihoods and likelier tokens, in one transfer from a GPU."""
    log_likelihood, likelier = found
    if log_likelihood.device.type != "cpu":
        log_likelihood, likelier = torch.stack((log_likelihood, likelier.float())).cpu()
    cuts = np.cumsum([piece.window.predicted for piece in pieces])[:-1]
    return zip(
        np.split(log_likelihood.double().numpy(), cuts),
        np.split(likelier.long().numpy(), cuts),
        strict=True,
    )
