"""Which questions of a benchmark ask what another one asks already.

Two items are the same question if their words are the same, white space and the punctuation of
prose aside, and their right answers are too. Letters and signs count as they are: putchar('A') is
not putchar('a'), and 10² is not 102. Only the capital of a word ("Planet Earth") does not, and only
where all options are the same. If the right answers differ, the options decide: with most of them
the same and both answers offered in both, the two contradict each other; else "Which of these is
true?" was asked of two different things. So it was where the answer is "none of the above" and
the options are others. Rewordings are not looked for.

Items that are the same share a key, and nothing is compared with everything: four thousand
questions with one wording take no longer than four thousand others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from assay.suites.fetching.source import BenchmarkItem, RowPlace

Reason = Literal["repeated", "other_options", "contradictory", "shown", "equal_options"]

# A mark at the end of a word is prose; inside one it may be mathematics: (1,2) is not (12).
_PROSE = re.compile(r"\s*[.,;:?]+(?=\s|$)")
_CAPITALISED = re.compile(r"(?<!\S)[A-Z][a-z]{2,}(?!\S)")
# "1.5 x 10^8 m/s" and "1.5 * 10^8 m/s" are one answer, and two copies of a question differ in it.
_TIMES = re.compile(r"(?<=\d)\s*[x×*·⋅]\s*(?=\d)")
_ABOUT_OTHERS = re.compile(
    r"(?:\w+ )?(?:of )?(?:the above|these|those)"
    r"|(?:both |neither )?[A-D](?:,? (?:and|or|nor) [A-D])+",
    re.IGNORECASE,
)

_Key = tuple[str, str, frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """An item that is not asked, why, and the one that it is too much like."""

    subject: str
    place: RowPlace
    reason: Reason
    like: RowPlace | None = None


class _ComparedItem:
    """An item as it is compared. Two that share one of `keys` are the same question."""

    def __init__(self, item: BenchmarkItem) -> None:
        self.item = item
        self.words = _plain(item.question)
        texts = [_plain(option) for option in item.options]
        self.right = texts[item.answer]
        self.options = frozenset(texts)
        self.keys = tuple(self._keys())

    @property
    def whole(self) -> _Key:
        """All of it, without the capitals of words unless only they distinguish the options."""
        options = frozenset(map(_uncapitalised, self.options))
        if len(options) < len(self.options):
            return self.words, self.right, self.options
        return _uncapitalised(self.words), _uncapitalised(self.right), options

    @property
    def offers(self) -> Iterator[frozenset[str]]:
        """More than half of the options, the right one among them."""
        size = len(self.options) // 2 + 1
        for some in combinations(sorted(self.options), size):
            if self.right in some:
                yield frozenset(some)

    def _keys(self) -> Iterator[_Key]:
        if not _ABOUT_OTHERS.fullmatch(self.right):
            yield self.words, self.right, frozenset()
        for offered in self.offers:
            yield self.words, "", offered
        right = _in_one_notation(self.right)
        for other in self.options - {self.right}:
            yield self.words, right, frozenset({_in_one_notation(other)})
        yield self.whole


class _Questions:
    """Items in the order they came, in clusters of those that are the same question."""

    def __init__(self, asked: Iterable[_ComparedItem] = ()) -> None:
        self.clusters: list[list[_ComparedItem]] = []
        self._of_key: dict[_Key, tuple[_ComparedItem, list[_ComparedItem]]] = {}
        for each in asked:
            self.add(each)

    def like(self, each: _ComparedItem) -> _ComparedItem | None:
        return next((self._of_key[key][0] for key in each.keys if key in self._of_key), None)

    def add(self, each: _ComparedItem) -> None:
        """To the cluster of one that is the same, or to a new one."""
        known = (self._of_key[key][1] for key in each.keys if key in self._of_key)
        cluster = next(known, None)
        if cluster is None:
            cluster = []
            self.clusters.append(cluster)
        cluster.append(each)
        for key in each.keys:
            self._of_key.setdefault(key, (each, cluster))


class Sieve:
    """Takes one category after another; a later one never takes anything from an earlier one."""

    def __init__(self) -> None:
        self._earlier = _Questions()

    def keep(
        self, items: Sequence[BenchmarkItem], shots: Sequence[BenchmarkItem] = ()
    ) -> tuple[list[BenchmarkItem], list[Dropped]]:
        """The items of a category that ask something of their own, and the others. `shots`: the
        worked examples of all its subjects; an item is compared with those of its own.
        """
        dropped: dict[RowPlace, Dropped] = {}
        examples = {
            subject: _Questions(_ComparedItem(shot) for shot in shots if shot.subject == subject)
            for subject in {shot.subject for shot in shots}
        }
        asked = [_ComparedItem(item) for item in items]
        sound = _Questions()
        for each in asked:
            if reason := self._wrong_by_itself(each, examples.get(each.item.subject)):
                dropped[each.item.place] = reason
            else:
                sound.add(each)
        for cluster in sound.clusters:
            dropped |= {one.place: one for one in _too_many(cluster)}
        for each in asked:
            self._earlier.add(each)
        kept = [item for item in items if item.place not in dropped]
        return kept, [dropped[item.place] for item in items if item.place in dropped]

    def _wrong_by_itself(self, each: _ComparedItem, shots: _Questions | None) -> Dropped | None:
        item = each.item
        if len({" ".join(option.split()) for option in item.options}) < len(item.options):
            return _dropped(item, "equal_options")
        if shots is not None and (shot := shots.like(each)) is not None:
            return _dropped(item, "shown", shot.item)
        if (other := self._earlier.like(each)) is not None:
            return _dropped(item, _how(other, each), other.item)
        return None


def _too_many(cluster: Sequence[_ComparedItem]) -> list[Dropped]:
    """All but the first; all of them where two disagree about the answer."""
    first, *others = cluster
    if others and _disagree(cluster):
        likes = [others[0], *([first] * len(others))]
        return [
            _dropped(each.item, "contradictory", like.item)
            for each, like in zip(cluster, likes, strict=True)
        ]
    return [_dropped(each.item, _how(first, each), first.item) for each in others]


def _disagree(cluster: Sequence[_ComparedItem]) -> bool:
    """Whether two right answers are offered among options that both items have most of."""
    right: dict[tuple[str, frozenset[str]], str] = {}
    return any(
        right.setdefault((each.words, offered), each.right) != each.right
        for each in cluster
        for offered in each.offers
    )


def _how(one: _ComparedItem, two: _ComparedItem) -> Reason:
    if one.whole == two.whole:
        return "repeated"
    return "contradictory" if _disagree((one, two)) else "other_options"


def _dropped(item: BenchmarkItem, reason: Reason, like: BenchmarkItem | None = None) -> Dropped:
    place = None if like is None else like.place
    return Dropped(subject=item.subject, place=item.place, reason=reason, like=place)


def _plain(text: str) -> str:
    spaced = " ".join(unicodedata.normalize("NFC", text).split())
    return " ".join(_PROSE.sub(" ", spaced).split()) or spaced


def _uncapitalised(words: str) -> str:
    return _CAPITALISED.sub(lambda word: word[0].lower(), words)


def _in_one_notation(text: str) -> str:
    return _TIMES.sub("*", text.replace("\N{MINUS SIGN}", "-"))
