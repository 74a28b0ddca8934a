"""Which questions of a benchmark ask what another one asks already.

In: items in the order of their source, and the worked examples that are shown before them.
Out: those to keep, and the others with the reason. Refuses to know: files and prompts.

Two items are the same question if their words are the same (NFKC, capitals, white space and the
punctuation of prose aside) and their right answers are too. Where those differ, the options tell:
if most of them are the same, it is one question, and contradictory if both right answers are
offered in both; else "Which of the following is true?" was asked of two different things, unless
the right answers differ by a character or so.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from assay.suites.fetching.source import Item, Place

Reason = Literal["repeated", "other_options", "contradictory", "shown", "equal_options"]

# "1.5 x 10^8 m/s" and "1.5 * 10^8 m/s" (0.93) are one answer, "radiation" and "coherence" are two.
ALIKE = 0.8
# A mark at the end of a word is prose; inside one it may be mathematics: (1,2) is not (12).
_PROSE = re.compile(r"\s*[.,;:?]+(?=\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """An item that is not asked, why, and the one that it is too much like."""

    subject: str
    place: Place
    reason: Reason
    like: Place | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """An item as it is compared."""

    item: Item
    words: str
    options: frozenset[str]
    right: str


class Sieve:
    """Takes one category after another; a later one never takes anything from an earlier one."""

    def __init__(self) -> None:
        self._earlier: dict[str, list[_Asked]] = defaultdict(list)

    def keep(
        self, items: Sequence[Item], shots: Sequence[Item] = ()
    ) -> tuple[list[Item], list[Dropped]]:
        """The items of a category that ask something of their own, and the others.

        Args:
            items: the category's questions.
            shots: the worked examples of all its subjects; an item is compared with its own's.
        """
        dropped: dict[Place, Dropped] = {}
        examples = [_asked(shot) for shot in shots]
        asked = [_asked(item) for item in items]
        by_words: dict[str, list[_Asked]] = defaultdict(list)
        for each in asked:
            if reason := self._wrong_by_itself(each, examples):
                dropped[each.item.place] = reason
            else:
                by_words[each.words].append(each)
        for alike in by_words.values():
            for cluster in _clusters(alike):
                dropped |= {one.place: one for one in _too_many(cluster)}
        for each in asked:
            self._earlier[each.words].append(each)
        kept = [item for item in items if item.place not in dropped]
        return kept, [dropped[item.place] for item in items if item.place in dropped]

    def _wrong_by_itself(self, each: _Asked, shots: Sequence[_Asked]) -> Dropped | None:
        item = each.item
        if len({" ".join(option.split()) for option in item.options}) < len(item.options):
            return _dropped(item, "equal_options")
        for shot in shots:
            if shot.item.subject == item.subject and _relation(shot, each) is not None:
                return _dropped(item, "shown", shot.item)
        for other in self._earlier[each.words]:
            if (reason := _relation(other, each)) is not None:
                return _dropped(item, reason, other.item)
        return None


def repeated_shots(shots: Sequence[Item]) -> list[tuple[Item, Item]]:
    """Worked examples that are shown twice: they stay, for the prompts must be everybody's."""
    first: dict[tuple[str, str], Item] = {}
    pairs = []
    for shot in shots:
        earlier = first.setdefault((shot.subject, _plain(shot.question)), shot)
        if earlier is not shot:
            pairs.append((earlier, shot))
    return pairs


def _clusters(alike: Sequence[_Asked]) -> list[list[_Asked]]:
    """Items with the same words, together where they are the same question."""
    clusters: list[list[_Asked]] = []
    for each in alike:
        for cluster in clusters:
            if any(_relation(other, each) is not None for other in cluster):
                cluster.append(each)
                break
        else:
            clusters.append([each])
    return clusters


def _too_many(cluster: Sequence[_Asked]) -> list[Dropped]:
    """All but the first; all of them where two disagree about the answer."""
    first, *others = cluster
    relations = [
        _relation(one, two) for index, one in enumerate(cluster) for two in cluster[index + 1 :]
    ]
    if "contradictory" in relations:
        likes = [others[0], *([first] * len(others))]
        return [
            _dropped(each.item, "contradictory", like.item)
            for each, like in zip(cluster, likes, strict=True)
        ]
    return [
        _dropped(each.item, _relation(first, each) or "other_options", first.item)
        for each in others
    ]


def _relation(one: _Asked, two: _Asked) -> Reason | None:
    """How the second repeats the first; None: it is a question of its own."""
    if one.words != two.words:
        return None
    if one.right == two.right:
        return "repeated" if one.options == two.options else "other_options"
    if 2 * len(one.options & two.options) > len(one.options):
        offered = one.right in two.options and two.right in one.options
        return "contradictory" if offered else "other_options"
    return "other_options" if _are_alike(one.right, two.right) else None


def _are_alike(one: str, two: str) -> bool:
    pair = SequenceMatcher(None, one, two, autojunk=False)
    bounds = (pair.real_quick_ratio, pair.quick_ratio, pair.ratio)  # upper ones, the cheapest first
    return all(bound() >= ALIKE for bound in bounds)


def _dropped(item: Item, reason: Reason, like: Item | None = None) -> Dropped:
    place = None if like is None else like.place
    return Dropped(subject=item.subject, place=item.place, reason=reason, like=place)


def _asked(item: Item) -> _Asked:
    options = [_plain(option) for option in item.options]
    return _Asked(item, _plain(item.question), frozenset(options), options[item.answer])


def _plain(text: str) -> str:
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return " ".join(_PROSE.sub(" ", folded).split()) or folded
