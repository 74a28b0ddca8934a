"""Values of every size, length, kind and with every character that a task leaves free.

Whoever fits an answer to what is usually drawn is right for small numbers, short texts and lists of
a hundred items, and wrong beyond. Values are drawn here so that no region is left out: as many from
each power of ten, each doubling of a length, each kind and each script. With `named`, many are
values that the code itself names.
"""

import math
import random
from collections.abc import Callable, Hashable, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction

from .hidden import Named

_MOST_DIGITS = 30  # of a whole number
_LONGEST_TEXT = 200
# First and last letters of some scripts, and what is no letter.
_SCRIPTS = (
    ("a", "z"), ("A", "Z"), ("0", "9"), (" ", "/"), ("à", "ÿ"), ("α", "ω"), ("а", "я"),
    ("א", "ת"), ("अ", "ह"), ("一", "龥"), ("가", "힣"), ("😀", "🙏"), ("ɖ", "ʋ"),
)  # fmt: skip
_UPRIGHT = "a", "z"  # most letters are
_GOLDEN = (math.sqrt(5) - 1) / 2
_OFTEN = 0.75  # a value that the code names, where it names some
NOTHING_NAMED = Named((), ())


class WideDraw:
    """Draws from `random`, and where code is given by what it names, from that as well."""

    def __init__(self, random: random.Random, named: Named = NOTHING_NAMED) -> None:
        self.random = random
        near = {one + off for one in named.numbers for off in (-1, 0, 1)}
        self.numbers = self.random.sample(sorted(near), len(near))
        self.known = self.random.sample(named.texts, len(named.texts))
        self.at = self.random.random()

    def _spread(self) -> float:
        """From 0 to 1, each as far from those before as can be, so that few draws leave no gap."""
        self.at = (self.at + _GOLDEN) % 1
        return self.at

    def _named(self, least: int, most: int) -> int | None:
        """The next number within these bounds that the code names, or that is beside one."""
        at = next((at for at, one in enumerate(self.numbers) if least <= one <= most), None)
        if at is None or self.random.random() > _OFTEN:
            return None
        self.numbers.append(self.numbers.pop(at))
        return self.numbers[-1]

    def whole(self, least: int = -(10**_MOST_DIGITS), most: int = 10**_MOST_DIGITS) -> int:
        """A whole number within these bounds, as often of few digits as of many."""
        known = self._named(least, most)
        if known is not None:
            return known
        if least < 0 < most:
            return self.random.choice((-1, 1)) * self.whole(0, min(-least, most))
        width = most - least
        size = 10 ** int(self._spread() * (len(str(width)) + 1))
        return least + self.random.randrange(min(width, size) + 1)

    def number(self) -> int | float:
        """A whole number, or one with decimals that a float holds exactly."""
        if self.random.random() < 0.6:
            return self.whole()
        return self.whole(-(10**9), 10**9) + self.random.choice((0.5, 0.25, 0.125, 2**-20))

    def length(self, most: int, least: int = 0) -> int:
        """As many from each doubling."""
        known = self._named(least, most)
        if known is not None:
            return known
        return least - 1 + int(math.exp(self._spread() * math.log(most - least + 2)))

    def text(self, longest: int = _LONGEST_TEXT) -> str:
        """Letters of one or two scripts, digits, signs, blanks; sometimes none."""
        if self.known and self.random.random() < _OFTEN:
            self.known.append(self.known.pop(0))
            text = self.known[-1]
            other = self.random.choice((f"{text} ", text.swapcase(), text[:-1], text * 2))
            return text if self.random.random() < _OFTEN else other
        scripts = [self.random.choice((_UPRIGHT, *_SCRIPTS)) for _ in range(2)]
        found = (self.random.choice(scripts) for _ in range(self.length(longest)))
        return "".join(chr(self.random.randint(ord(one), ord(two))) for one, two in found)

    def texts(self, count: int, but: Sequence[str] = ()) -> list[str]:
        """Texts that all differ."""
        found: dict[str, None] = {}
        while len(found) < count:
            text = self.text()
            # What the code names runs out.
            text = text if text not in found else f"{text}{len(found)}"
            if text not in but:
                found[text] = None
        return [*found]

    def alike(self, kind: str) -> list[Hashable]:
        """Values of a kind of KINDS that differ in one part, wherever that is. Some are equal to
        others and do not look so, as 2, 2.0 and Fraction(2).
        """
        return KINDS[kind](self)

    def _places(self, length: int) -> list[int]:
        return sorted({self.random.randrange(length) for _ in range(5)} | {0, length - 1})

    def _alike_wholes(self) -> list[Hashable]:
        one = self.whole()
        far = (1 << self.random.randrange(1, 120) for _ in range(4))
        return [one, -one, one + 1, *(one + two for two in far), 10 * one, str(one)]

    def _alike_numbers(self) -> list[Hashable]:
        one = self.whole(-(2**40), 2**40)
        return [
            one, float(one), Fraction(one), Decimal(one), complex(one), one + 0.5, -one - 0.5,
            Fraction(2 * one + 1, 2), Fraction(one, 7), one + 2**-10, Decimal(one) + Decimal("0.1"),
            complex(one, 1), complex(0, one), math.inf, -math.inf, one * 1e-30, True, 1, False, 0.0,
        ]  # fmt: skip

    def _alike_texts(self) -> list[Hashable]:
        text = self.text() or "-"
        others = [text[:at] + chr(ord(text[at]) + 1) + text[at + 1 :]
                  for at in self._places(len(text))]  # fmt: skip
        return [text, *others, f"{text} ", f" {text}", text[:-1], text.swapcase(), f"{text}\u0301"]

    def _alike_bytes(self) -> list[Hashable]:
        return [str(one).encode() for one in self._alike_texts()] + [self.text(9)]

    def _alike_tuples(self) -> list[Hashable]:
        one = tuple(self._member() for _ in range(self.length(9, 1)))
        others = [(*one[:at], self._member(), *one[at + 1 :]) for at in self._places(len(one))]
        return [one, *others, one[:-1], (*one, None), (one, one), (one,), frozenset(one), str(one)]

    def _alike_sets(self) -> list[Hashable]:
        one = frozenset(self._member() for _ in range(self.length(9, 1)))
        others = [one - {two} for two in sorted(one, key=repr)[:3]]
        return [one, *others, one | {self._member()}, frozenset({one}), tuple(one)]

    def _alike_days(self) -> list[Hashable]:
        one = date.fromordinal(self.random.randrange(1000, 3_000_000))
        near = [date.fromordinal(one.toordinal() + off) for off in (-1, 1, 365, 28)]
        return [one, *near, one.isoformat(), one.toordinal(), None, "None"]

    def _member(self) -> Hashable:
        kinds = (self.number, self.text, lambda: None, lambda: (self.number(),))
        return self.random.choice(kinds)()


KINDS: dict[str, Callable[[WideDraw], list[Hashable]]] = {
    "whole numbers": WideDraw._alike_wholes,
    "numbers": WideDraw._alike_numbers,
    "texts": WideDraw._alike_texts,
    "bytes": WideDraw._alike_bytes,
    "tuples": WideDraw._alike_tuples,
    "sets": WideDraw._alike_sets,
    "days": WideDraw._alike_days,
}
