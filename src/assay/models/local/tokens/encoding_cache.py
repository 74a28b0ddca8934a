"""Token ids of texts, kept for all checkpoints of a process; each distinct text is encoded once.

A training run is scored checkpoint by checkpoint with one tokenizer: the second one encodes
nothing. Tokenizers are the same if their fingerprints are.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from threading import RLock

from assay.messages import tr
from assay.models.local.tokens.cuts import Cuts
from assay.models.local.tokens.tokenizer import LocalTokenizer

Ids = tuple[int, ...]

CHECKED = 16  # texts of a batch that are encoded whole beside their pieces
REMEMBERED_TOKENS = 4_000_000  # of one tokenizer, 36 bytes each; all of MMLU has half as many
REMEMBERED_TOKENIZERS = 4


class Remembered:
    """The texts of one tokenizer. `cuts` becomes None for good when a check finds them wrong."""

    def __init__(self, cuts: Cuts | None) -> None:
        self.cuts = cuts
        self.notes: list[str] = []
        self._with_special: dict[str, Ids] = {}
        self._without: dict[str, Ids] = {}
        self.long_texts: dict[str, array[int]] = {}
        self.remembered_tokens = 0
        self.lock = RLock()

    def tokens(
        self, tokenizer: LocalTokenizer, texts: Iterable[str], *, special: bool
    ) -> dict[str, Ids]:
        known = self._with_special if special else self._without
        found, new = _known(known, texts)
        if new:
            coded = map(tuple, tokenizer.encode_batch(new, special=special))
            found |= self._kept(known, dict(zip(new, coded, strict=True)))
        return found

    def pieces(
        self, tokenizer: LocalTokenizer, pieces: Iterable[str], texts: Sequence[Sequence[str]]
    ) -> dict[str, Ids] | None:
        """The tokens of each distinct piece, without special ones. If anything had to be encoded,
        some of `texts`, each the pieces it is made of, are encoded whole as well. None if one of
        them comes out otherwise.
        """
        found, new = _known(self._without, pieces)
        if not new:
            return found
        several = [parts for parts in texts if len(parts) > 1]
        samples = several[:: max(1, -(-len(several) // CHECKED))]
        coded = tokenizer.encode_batch([*new, *map("".join, samples)], special=False)
        found |= self._kept(self._without, dict(zip(new, map(tuple, coded), strict=False)))
        for parts, whole in zip(samples, coded[len(new) :], strict=True):
            if joined((), parts, found) != whole:
                self.give_up_cuts(tokenizer)
                return None
        return found

    def give_up_cuts(self, tokenizer: LocalTokenizer) -> None:
        self.cuts = None
        self.notes.append(
            tr(
                "the tokenizer in {folder} encodes some texts otherwise than their parts, so "
                "texts are encoded whole, which takes longer",
                folder=tokenizer.folder,
            )
        )

    def keep_long_text(self, digest: str, ids: array[int]) -> None:
        if len(ids) <= REMEMBERED_TOKENS // 2:
            self.long_texts[digest] = ids
            self._grown(len(ids))

    def _kept(self, known: dict[str, Ids], added: dict[str, Ids]) -> dict[str, Ids]:
        known |= added
        self._grown(sum(map(len, added.values())))
        return added

    def _grown(self, tokens: int) -> None:
        self.remembered_tokens += tokens
        while self.remembered_tokens > REMEMBERED_TOKENS:
            for known in (self._with_special, self._without, self.long_texts):
                self.remembered_tokens -= _drop_older_half(known)


def _known(known: dict[str, Ids], texts: Iterable[str]) -> tuple[dict[str, Ids], list[str]]:
    """What is known of the distinct texts, and those of which nothing is."""
    distinct = dict.fromkeys(texts)
    found = {text: known[text] for text in distinct if text in known}
    return found, [text for text in distinct if text not in found]


def _drop_older_half(known: dict[str, Ids] | dict[str, array[int]]) -> int:
    oldest = list(islice(known, (len(known) + 1) // 2))
    return sum(len(known.pop(text)) for text in oldest)


def joined(before: Sequence[int], pieces: Iterable[str], found: dict[str, Ids]) -> list[int]:
    ids = list(before)
    for piece in pieces:
        ids += found[piece]
    return ids


_ALL: dict[str, Remembered] = {}
_ALL_LOCK = RLock()


@contextmanager
def remembered(tokenizer: LocalTokenizer) -> Iterator[Remembered]:
    """The memory of a tokenizer and all like it, for one thread at a time."""
    with _ALL_LOCK:
        memory = _ALL.pop(tokenizer.fingerprint, None) or Remembered(tokenizer.cuts)
        _ALL[tokenizer.fingerprint] = memory  # now the last one used
        while len(_ALL) > REMEMBERED_TOKENIZERS:
            del _ALL[next(iter(_ALL))]
    with memory.lock:
        yield memory


def forget_all() -> None:
    with _ALL_LOCK:
        _ALL.clear()
