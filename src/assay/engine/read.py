"""How likely a long text is, token by token. Windows of all texts are put together up to a budget;
no more than one batch of a text is in memory, and on a processor two for each core.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from assay.engine.layout.batches import by_tokens, halved_when_full, one_behind
from assay.engine.layout.cores import core_by_core
from assay.engine.layout.packing import PackedRow, pack
from assay.engine.layout.windows import PREFIX, Window, windows
from assay.engine.network import Network, NotFinite
from assay.engine.predicted import Predicted, predicted_alone, predicted_at, together
from assay.stats.documents import BLOCK, block_length

Tokens = Sequence[int] | NDArray[np.integer]
# On two cores two windows at once take as long as one after the other, and twice the memory.
TOKENS_AT_ONCE_CPU = 1024
MOST_KEPT = 1_000_000  # tokens of a text of which each log-likelihood is kept


class UnknownToken(ValueError):
    """A text holds a token id that the model has not; `args[0]` is its place."""


@dataclass(slots=True)
class TextReading:
    """Log-likelihoods are natural. `length`: predicted tokens; `given`: those before them that are
    not. `blocks`: log-likelihood and tokens of every `block` tokens; `hits`: of each block the
    tokens that were the first guess, and among the first five. `by_context`: log-likelihood and
    tokens of those with 1 token before them, 2 to 3, 4 to 7, …; `each`: log-likelihoods of all
    predicted tokens in order, of a text that is not too long for it.
    """

    number: int
    length: int
    block: int
    given: int = 0
    blocks: list[tuple[float, int]] = field(default_factory=list)
    hits: list[tuple[int, int]] = field(default_factory=list)
    tokens: int = 0
    top1: int = 0
    top5: int = 0
    by_context: list[tuple[float, int]] = field(default_factory=list)
    each: list[NDArray[np.float32]] = field(default_factory=list, compare=False)

    @property
    def log_likelihood(self) -> float:
        return sum(total for total, _ in self.blocks)

    def add(
        self, window: Window, log_likelihoods: NDArray[np.float64], likelier: NDArray[np.int64]
    ) -> None:
        if not np.isfinite(log_likelihoods).all():
            place = window.first_predicted + int(np.argmin(np.isfinite(log_likelihoods)))
            raise NotFinite(self.given + place, self.number)
        if self.length <= MOST_KEPT:
            self.each.append(log_likelihoods.astype(np.float32))
        self._add_by_context(window.first_predicted - window.start, log_likelihoods)
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

    def _add_by_context(self, before: int, log_likelihoods: NDArray[np.float64]) -> None:
        """`before`: how many tokens the first of them is predicted from."""
        start = 0
        while start < len(log_likelihoods):
            row = (before + start).bit_length() - 1
            end = min(len(log_likelihoods), (2 << row) - before)
            self.by_context += [(0.0, 0)] * (row + 1 - len(self.by_context))
            total, tokens = self.by_context[row]
            some = log_likelihoods[start:end]
            self.by_context[row] = (total + float(some.sum()), tokens + len(some))
            start = end


def read_all(
    network: Network, texts: Iterable[Tokens], *, prefix: int | None, block: int | None = None
) -> Iterator[TextReading]:
    """In blocks of so many tokens, or as long as an interval inside one text needs. `prefix`: the
    token before every text; without one the first token of a text is not predicted.

    Raises NotFinite or UnknownToken with the place of the first such token.
    """
    given = 0 if prefix is not None else 1
    unfinished: deque[TextReading] = deque()

    def pieces() -> Iterator[_WindowPiece]:
        for number, tokens in enumerate(texts):
            length = max(0, len(tokens) - given)
            size = block or block_length(length) or BLOCK
            reading = TextReading(number, length, size, given)
            unfinished.append(reading)
            for window in windows(length, network.context_length):
                yield _WindowPiece(tokens, window, reading, given)

    for part, found in one_behind(_computed(network, prefix, pieces())):
        for piece, (log_likelihoods, likelier) in zip(part, _fetched(part, found), strict=True):
            piece.reading.add(piece.window, log_likelihoods, likelier)
        while unfinished and unfinished[0].tokens == unfinished[0].length:
            yield unfinished.popleft()
    yield from unfinished  # texts without tokens, behind the last batch


@dataclass(frozen=True, slots=True)
class _WindowPiece:
    """`given`: how many of the text's first tokens are not predicted; the window's places are those
    of the others.
    """

    tokens: Tokens
    window: Window
    reading: TextReading
    given: int

    def fed(self, prefix: int | None) -> NDArray[np.int64]:
        start, end = self.window.start + self.given, self.window.end - 1 + self.given
        fed = np.asarray(self.tokens[max(start, 0) : end], np.int64)
        if prefix is None or self.window.start != PREFIX:
            return fed
        return np.insert(fed, 0, prefix)

    def wanted(self) -> NDArray[np.int64]:
        start, end = self.window.first_predicted + self.given, self.window.end + self.given
        return np.asarray(self.tokens[start:end], np.int64)

    def check(self, vocabulary: int) -> None:
        """Every token of a text is given or predicted once, so that all are checked."""
        start = 0 if self.window.start == PREFIX else self.window.first_predicted + self.given
        tokens = np.asarray(self.tokens[start : self.window.end + self.given], np.int64)
        unknown = (tokens < 0) | (tokens >= vocabulary)
        if unknown.any():
            raise UnknownToken(start + int(np.argmax(unknown)), self.reading.number)


def _computed(
    network: Network, prefix: int | None, pieces: Iterable[_WindowPiece]
) -> Iterator[tuple[list[_WindowPiece], Predicted]]:
    budget = network.tokens_at_once
    if network.device.type == "cpu":
        budget = min(budget, TOKENS_AT_ONCE_CPU)
    cores = network.cores(max(budget, network.context_length))

    def run(batch: list[_WindowPiece]) -> list[tuple[list[_WindowPiece], Predicted]]:
        return list(halved_when_full(batch, lambda part: _predicted(network, prefix, part, cores)))

    batches = by_tokens(pieces, lambda piece: piece.window.length, budget)
    for found in core_by_core(batches, run, cores=cores):
        yield from found


@torch.inference_mode()
def _predicted(
    network: Network, prefix: int | None, pieces: Sequence[_WindowPiece], threads: int
) -> Predicted:
    wanted = [piece.wanted() for piece in pieces]
    for piece in pieces:
        piece.check(network.vocabulary)
    fed = [piece.fed(prefix) for piece in pieces]
    if not network.serves_trees:
        alone = zip(fed, wanted, strict=True)
        return together(predicted_alone(network, one.tolist(), each) for one, each in alone)
    rows = [PackedRow(None, tokens) for tokens in fed]
    order = sorted(range(len(fed)), key=lambda row: -len(fed[row]))  # of one length side by side
    hidden = network.hidden(pack([rows[row] for row in order], {}, network.device))
    ends = np.empty(len(fed), np.int64)
    ends[order] = np.cumsum([len(fed[row]) for row in order])
    places = [np.arange(end - len(tokens), end) for end, tokens in zip(ends, wanted, strict=True)]
    return predicted_at(network, hidden, np.concatenate(places), np.concatenate(wanted), threads)


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
