"""What a report tells without lines `name: value`: in tables, and in sentences that name a value.

In: the lines of a report as a reader sees them, and facts. Out: where each fact is told. A value
belongs to the fact whose name stands with it: in its row and the header of its column, or in its
part of the sentence. Names are the words of keys and of the statements for a judge, and a word
counts the more the fewer facts have it. What names another fact better belongs to that one.
"""

import calendar
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .comparing import UNITS, read_date, same_set
from .contradicting import is_number
from .facts import Fact
from .stating import is_readable, is_stated, key_of, read_lines
from .visible import ShownLine

LEAST_NAMED = 0.5  # of a key's words, by their weight
_LEAST_SAID = 0.6  # … or of the statement's
_LONGEST = 1_000  # characters of a sentence or a cell
_MOST_CLAIMS = 4_000
_MOST_COLUMNS = 20
_LEAST_ALIKE = 4  # letters that two forms of a word share
_MOST_APART = 3  # letters behind them
_WORD = re.compile(r"[^\W_]+")
_SIGNS = frozenset("+=\u2212")  # of all signs those that change no value
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_DATE = (
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}(?:st|nd|rd|th)?[ .]+[a-z]{3,9}\.?,? \d{4}"
    r"|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
)
_ID = r"(?:[^\W\d_]+-?\d[\w-]*|\d+(?:-?[^\W\d_][\w-]*|(?:-\d+)+))(?<!-)"
_NUMBER = (
    r"(?:(?<![^\W_])[-+\u2212] ?)?(?:[€$£¥] ?)?(?<![^\W_])"
    r"(?:\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*)"
    r"(?: ?[%€$£¥])?"
)
_COUNT = re.compile(r"(\d{1,4})\.?")
_LEAST_COUNTED = 3  # rows
_NO_VALUES = ("word", "stop")
_SYMBOLS = frozenset("%€$£¥")


class Token(NamedTuple):
    """A word, or a value with its kind: a number, a date, an ID, or a name."""

    kind: str
    text: str
    unit: str = ""


class ToldValue(NamedTuple):
    """Values that stand with words. `among`: how many values the words can be of."""

    kind: str
    values: tuple[str, ...]
    words: frozenset[str]  # those of names that they are
    where: str  # "table" or "sentence"
    row: int = -1  # claims of one row give a fact one value
    foreign: frozenset[str] = frozenset()  # units of a column


@dataclass(frozen=True, slots=True)
class _Name:
    """How a fact is called: the weight of each word of its key, and of its statement."""

    key: Mapping[str, float]
    says: Mapping[str, float]
    needed: frozenset[str]  # words of the key but those of its object and of units

    def match(self, words: frozenset[str]) -> tuple[float, int]:
        """The share of the key that words have, and how many of its words."""
        found = [weight for word, weight in self.key.items() if word in words]
        return sum(found) / (sum(self.key.values()) or 1), len(found)

    def is_in(self, words: frozenset[str]) -> bool:
        share, _ = self.match(words)
        said = sum(weight for word, weight in self.says.items() if word in words)
        whole = sum(self.says.values())
        return share >= LEAST_NAMED or (len(self.says) > 1 and said >= _LEAST_SAID * whole)

    def is_whole_in(self, words: frozenset[str]) -> bool:
        return words.issuperset(self.needed)

    def count(self, words: frozenset[str]) -> int:
        return len(words & {*self.key, *self.says})


class Telling:
    """What the tables and sentences of a report tell about facts."""

    def __init__(self, lines: Sequence[ShownLine], facts: Sequence[Fact]) -> None:
        self._facts = list(facts)
        keys = Counter(word for fact in facts for word in _words(fact.key))
        says = Counter(word for fact in facts for word in _said(fact))
        self._names = {
            fact.key: _Name(
                {word: 1 / keys[word] for word in _words(fact.key)},
                {word: 1 / says[word] for word in _said(fact)},
                _needed(fact),
            )
            for fact in facts
        }
        self._kinds = {fact.key: kind_of(fact) for fact in facts}
        self._key_words = frozenset(keys)
        self._known = frozenset(one for one in (*keys, *says) if len(one) > 1 or one.isdigit())
        self._keys = {key_of(fact.key) for fact in facts}
        self._own_units = {one.strip().casefold() for fact in facts for one in fact.units or ()}
        self._units = self._own_units | UNITS
        self._same_units: dict[str, set[str]] = {}
        for fact in facts:
            for unit in fact.units or ():
                self._same_units.setdefault(unit, set()).update(fact.units or ())
        self._of_word: dict[str, frozenset[str]] = {}
        self._tokens = _pattern(facts)
        self._claims: list[ToldValue] = []
        for claim in self._read(lines):
            self._claims.append(claim)
            if len(self._claims) >= _MOST_CLAIMS:
                break

    def where(self, fact: Fact) -> str:
        """Where the right value is told, "table" or "sentence"; "" where it is not, or where
        another value is told as well by as good a name.
        """
        name, kind = self._names[fact.key], self._kinds[fact.key]
        found: list[tuple[int, bool, ToldValue]] = []
        of_row: dict[int, int] = {}
        for claim in self._claims:
            if claim.kind != kind or not name.is_in(claim.words):
                continue
            if not all(is_readable(one, fact) for one in claim.values):
                continue
            if self._is_beaten(fact, claim):
                continue
            score = name.count(claim.words) - len(claim.foreign - {*(fact.units or ())})
            right = _is_right(claim, fact)
            # A wrong value takes the right one back if nothing else is named beside it.
            if right or not self._names_more(fact, claim):
                found.append((score, right, claim))
                if claim.row >= 0:
                    of_row[claim.row] = max(score, of_row.get(claim.row, score))
        found = [one for one in found if one[2].row < 0 or one[0] == of_row[one[2].row]]
        if _is_list(fact) and not any(right for _, right, _ in found):
            together = {value for _, _, claim in found for value in claim.values}
            return found[0][2].where if found and _is_set(together, fact) else ""
        best = max((score for score, _, _ in found), default=0)
        best_of = [one for one in found if one[0] == best]
        if not best_of or not all(right for _, right, _ in best_of):
            return ""
        return best_of[0][2].where

    def _is_beaten(self, fact: Fact, claim: ToldValue) -> bool:
        """Whether another fact is named better, by more words of its key."""
        _, mine = self._names[fact.key].match(claim.words)
        for other in self._facts:
            if other.key == fact.key or self._kinds[other.key] != claim.kind:
                continue
            name = self._names[other.key]
            is_better = name.is_whole_in(claim.words) and name.match(claim.words)[1] > mine
            if is_better and all(is_readable(one, other) for one in claim.values):
                return True
        return False

    def _names_more(self, fact: Fact, claim: ToldValue) -> bool:
        """Whether words beside a value are the whole name of another fact."""
        mine = self._names[fact.key]
        rest = claim.words - {*mine.key, *mine.says}
        return any(
            self._names[other.key].is_whole_in(claim.words)
            and any(word in rest for word in self._names[other.key].key)
            for other in self._facts
            if other.key != fact.key
        )

    def _read(self, lines: Sequence[ShownLine]) -> Iterator[ToldValue]:
        rows: list[list[str]] = []
        texts: list[str] = []
        before, number = 0, 0
        for line in (*lines, ShownLine("", "", -1, 0)):
            is_row = line.text.startswith("|")
            if rows and (not is_row or line.block != before):
                yield from self._read_table(rows, number)
                number += len(rows)
                rows = []
            if texts and (is_row or line.block != before or line.begins):
                yield from self._read_text(" ".join(texts))
                texts = []
            before = line.block
            if is_row:
                rows.append([one.strip() for one in line.text.strip().strip("|").split("|")])
            elif not line.text.startswith(("#", ">")) and not self._is_line(line.text):
                texts.append(line.text)

    def _is_line(self, text: str) -> bool:
        """Whether a line is one of a name and a value, which is read as such or not at all."""
        return any(
            key_of("".join(one for one in name if one.isalnum())) in self._letters
            for name, _ in read_lines(text)
        )

    @property
    def _letters(self) -> set[str]:
        return {"".join(filter(str.isalnum, key)) for key in self._keys}

    # Tables

    def _read_table(self, rows: Sequence[Sequence[str]], number: int) -> Iterator[ToldValue]:
        header, *body = rows
        counting = _counting_columns(body)
        heads = [self._words_in(one) if _is_plain(one) else None for one in header]
        for at, row in enumerate(body, number):
            cells = [self._scan(one) if _is_plain(one) else None for one in row[:_MOST_COLUMNS]]
            for column, cell in enumerate(row[:_MOST_COLUMNS]):
                head = heads[column] if column < len(heads) else frozenset[str]()
                tokens = cells[column]
                if not tokens or head is None or column in counting:
                    continue
                beside = self._beside(cells, heads, column)
                kind, values = self._value_of(tokens)
                if not kind:
                    yield from self._read_text(cell)
                else:
                    run = [at for at, one in enumerate(tokens) if one.kind == kind]
                    beside |= self._own(tokens, run)
                    foreign = self._units_in(header[column] if column < len(header) else "")
                    yield ToldValue(kind, values, head | beside, "table", at, foreign)

    def _beside(
        self,
        cells: Sequence[list[Token] | None],
        heads: Sequence[frozenset[str] | None],
        column: int,
    ) -> frozenset[str]:
        """The words of a row's other cells that are no numbers; of an ID in a later cell, those of
        the words around it as well.
        """
        found: set[str] = set()
        for at, cell in enumerate(cells):
            if at == column or cell is None:
                continue
            values, _ = self._value_of(cell)
            if values in ("number", "date"):
                continue
            found.update(*(self._match(one.text) for one in cell if one.kind != "number"))
            if at == 0 and values.startswith("id"):
                found |= (heads[0] if heads else None) or frozenset()
        return frozenset(found)

    def _value_of(self, cell: Sequence[Token]) -> tuple[str, tuple[str, ...]]:
        """The kind and the values of a cell that has nothing else."""
        kinds = {one.kind for one in cell if one.kind not in _NO_VALUES}
        if len(kinds) != 1:
            return "", ()
        (kind,) = kinds
        values = [one for one in cell if one.kind == kind]
        units = {one.unit for one in values}
        beside = [one.text.casefold() for one in cell if one.kind == "word"]
        if any(one not in units for one in beside) and (
            len(values) > 1 or not kind.startswith("id")
        ):
            beside = [one for one in beside if one not in units]
            if len(values) == 1 or len(beside) > len(values) - 1:
                return "", ()
        return kind, tuple(_shown(one) for one in values)

    def _units_in(self, text: str) -> frozenset[str]:
        found = [*_WORD.findall(text.casefold()), *filter(_SYMBOLS.__contains__, text)]
        return frozenset(one for one in found if one in self._own_units or one in _SYMBOLS)

    # Sentences

    def _read_text(self, text: str) -> Iterator[ToldValue]:
        for sentence in _SENTENCE.split(text):
            if len(sentence) <= _LONGEST and _is_plain(sentence) and sentence[-1:] != "?":
                yield from self._read_sentence(self._scan(sentence))

    def _read_sentence(self, tokens: Sequence[Token]) -> Iterator[ToldValue]:
        for kind in dict.fromkeys(one.kind for one in tokens if one.kind not in _NO_VALUES):
            runs = self._runs(tokens, kind)
            if not runs:
                continue
            # One way for all values of a sentence: the names before them, or those behind, up to a
            # comma if they stand there.
            ways = [
                self._windows(tokens, runs, kind, after=after, clipped=clipped)
                for clipped in (True, False)
                for after in (False, True)
            ]
            fits = [
                sum(self._fits(tokens, run, words) for run, words in zip(runs, one, strict=True))
                for one in ways
            ]
            labels = ways[fits.index(max(fits))]
            for run, words in zip(runs, labels, strict=True):
                values = tuple(_shown(tokens[at]) for at in run)
                yield ToldValue(kind, values, words, "sentence")

    def _runs(self, tokens: Sequence[Token], kind: str) -> list[list[int]]:
        """Places of values; those with a word between them at most that is no name are together."""
        runs: list[list[int]] = []
        for at, one in enumerate(tokens):
            if one.kind != kind:
                continue
            if runs:
                last = runs[-1][-1]
                unit = tokens[last].unit
                between = [each for each in tokens[last + 1 : at]
                           if each.kind != "stop" and each.text.casefold() != unit]  # fmt: skip
                is_named = any(self._match(each.text) & self._key_words for each in between)
                is_one = unit in ("", one.unit) and not is_named
                if is_one and len(between) <= 1:
                    runs[-1].append(at)
                    continue
            runs.append([at])
        return runs

    def _windows(
        self,
        tokens: Sequence[Token],
        runs: Sequence[Sequence[int]],
        kind: str,
        *,
        after: bool,
        clipped: bool,
    ) -> list[frozenset[str]]:
        found = []
        for number, run in enumerate(runs):
            first = runs[number - 1][-1] + 1 if number else 0
            last = runs[number + 1][0] if number + 1 < len(runs) else len(tokens)
            if len(runs) > 1:
                first, last = (run[-1] + 1, last) if after else (first, run[0])
                stops = [at for at in range(first, last) if tokens[at].kind == "stop"]
                if clipped and stops:
                    first, last = (first, stops[0]) if after else (stops[-1] + 1, last)
            inside = [one for at, one in enumerate(tokens[first:last], first) if at not in run]
            if not any(_is_a_thing(one.kind) for one in inside):
                # What the sentence is about goes on.
                about = [
                    one for one in tokens[: run[0]] if _is_a_thing(one.kind) and one.kind != kind
                ]
                inside += about[-1:]
            texts = [one.text for one in inside if one.kind not in ("number", kind)]
            found.append(frozenset().union(*map(self._match, texts), self._own(tokens, run)))
        return found

    def _own(self, tokens: Sequence[Token], run: Sequence[int]) -> frozenset[str]:
        """What values say of themselves: the letters of an ID, the unit of a number."""
        own = [tokens[at].kind.partition(" ")[2] for at in run]
        for at in run:
            symbols = filter(_SYMBOLS.__contains__, tokens[at].text)
            for unit in filter(None, (tokens[at].unit, *symbols)):
                own += [unit, *self._same_units.get(unit, ())]
        return frozenset().union(*map(self._match, own))

    def _fits(self, tokens: Sequence[Token], run: Sequence[int], words: frozenset[str]) -> bool:
        kind, values = tokens[run[0]].kind, [_shown(tokens[at]) for at in run]
        return any(
            self._kinds[fact.key] == kind
            and self._names[fact.key].match(words)[0] >= LEAST_NAMED
            and all(is_readable(one, fact) for one in values)
            for fact in self._facts
        )

    # Words

    def _scan(self, text: str) -> list[Token]:
        if len(text) > _LONGEST:
            return []
        found = []
        matches = list(self._tokens.finditer(text))
        for at, one in enumerate(matches):
            kind, given = str(one.lastgroup), one[0].strip()
            unit = ""
            if kind == "number":
                after = matches[at + 1] if at + 1 < len(matches) else None
                if after is not None and after.lastgroup == "word":
                    gap = text[one.end() : after.start()]
                    unit = after[0].casefold() if gap.strip() == "" else ""
                    unit = unit if unit in self._units else ""
            elif kind == "date" and read_date(given) is None:
                kind = "word"
            elif kind == "id":
                kind = _kind_of_id(given)
            found.append(Token(kind, given, unit))
        return found

    def _words_in(self, text: str) -> frozenset[str]:
        found = (self._match(one.text) for one in self._scan(text))
        return frozenset().union(*found)

    def _match(self, text: str) -> frozenset[str]:
        """The words of names that a text has, in whatever form."""
        if text not in self._of_word:
            words = _words(text)
            self._of_word[text] = frozenset(
                one for one in self._known if any(_is_form(word, one) for word in words)
            )
        return self._of_word[text]


def _counting_columns(rows: Sequence[Sequence[str]]) -> set[int]:
    """Columns that number the rows."""
    found = set()
    for column, cells in enumerate(zip(*rows, strict=False)):
        if len(cells) < _LEAST_COUNTED or not all(map(_COUNT.fullmatch, cells)):
            continue
        numbers = [int(_COUNT.sub(r"\1", one)) for one in cells]
        steps = {after - before for before, after in pairwise(numbers)}
        if steps == {1} or (column == 0 and min(steps) > 0):
            found.add(column)
    return found


def _is_a_thing(kind: str) -> bool:
    return kind == "name" or kind.startswith("id")


def kind_of(fact: Fact) -> str:
    """Of what kind its value is, or those of its list."""
    if is_number(fact.expected):
        return "number"
    texts = _texts(fact.expected)
    if texts and all(read_date(one) is not None for one in texts):
        return "date"
    has_digits = texts and all(re.search(r"\d", one) for one in texts)
    return _kind_of_id(texts[0]) if has_digits else "name"


def _kind_of_id(text: str) -> str:
    """IDs of other letters are of another kind: "PO 4100" and "SO-2"."""
    return "id " + "".join(one for one in text.casefold() if one.isalpha())


def _is_right(claim: ToldValue, fact: Fact) -> bool:
    if _is_list(fact):
        # The other names that a sentence has are not known, and what is not seen could be among.
        seen = claim.where == "table" or claim.kind != "name"
        return seen and _is_set(claim.values, fact)
    if len(claim.values) != 1:
        return False
    (value,) = claim.values
    # "fell by 12 %": the sign is in the verb.
    bare = claim.where == "sentence" and claim.kind == "number" and fact.expected < 0
    return is_stated(value, fact) or (bare and is_stated(f"-{value}", fact))


def _is_set(values: Iterable[str], fact: Fact) -> bool:
    return same_set(list(values), fact.expected)


def _is_list(fact: Fact) -> bool:
    return isinstance(fact.expected, list | tuple | set) and fact.same is None


def _shown(token: Token) -> str:
    return f"{token.text} {token.unit}" if token.unit else token.text


def _pattern(facts: Sequence[Fact]) -> re.Pattern[str]:
    """Values of every kind and words, in one pattern. Names and the forms of IDs are those of the
    facts: "PO 4101" is an ID where "PO 4100" is one.
    """
    names: set[str] = set()
    forms: set[str] = set()
    for fact in facts:
        parts = fact.key.split(".")[1:]
        texts = [] if is_number(fact.expected) else _texts(fact.expected)
        of_object = [one for one in facts if one.key.split(".")[0] == fact.key.split(".")[0]]
        are_alike = all(is_number(one.expected) for one in of_object)
        # Names of things, and no names of values.
        parts = parts[:1] if len(parts) > 1 or are_alike else []
        for text in (*texts, *parts):
            if re.search(r"\d", text):
                if read_date(text) is None:
                    forms.add(re.sub(r"\d+", r"\\d+", re.escape(text)).replace(r"\ ", "[ -]?"))
            else:
                names.add(text)
        # "week 1" of declining_week_1 is a part of a name, and no number.
        forms.update(rf"{one}[ -]?\d+" for one in re.findall(r"([^\W\d_]+)[_ ]\d+", fact.key))
    if {one.casefold() for one in names} & {one.casefold() for one in calendar.day_name}:
        names.update(calendar.day_name)
    listed = sorted(filter(_WORD.search, names), key=len, reverse=True)
    kinds = {
        "date": _DATE,
        "id": "|".join([*sorted(forms, key=len, reverse=True), _ID]),
        "name": "|".join(map(re.escape, listed)),
        "number": _NUMBER,
        "word": r"[^\W\d_]+",
        "stop": r"[,;:()\u2013\u2014]",
    }
    groups = []
    for kind, pattern in kinds.items():
        if pattern:
            is_free = kind in ("number", "stop")
            edge, end = ("", "") if is_free else (r"(?<![^\W_])", r"(?![^\W_])")
            groups.append(f"(?P<{kind}>{edge}(?:{pattern}){end})")
    return re.compile("|".join(groups), re.IGNORECASE)


def _is_plain(text: str) -> bool:
    """Whether a text has no signs but those of currencies and a few ("❌" and "¬" deny), and no
    letters with a stroke through them.
    """
    return len(text) <= _LONGEST and not any(
        unicodedata.category(one) in ("So", "Sm", "Sk", "Me") or unicodedata.combining(one) == 1
        for one in text
        if one not in _SIGNS
    )


def _needed(fact: Fact) -> frozenset[str]:
    words = frozenset(_words(fact.key.split(".", 1)[-1]))
    units = {word for unit in fact.units or () for word in _words(unit)}
    return words - units or words


def _said(fact: Fact) -> tuple[str, ...]:
    """The words of the statement, without its values."""
    says = fact.says.casefold()
    for text in _texts(fact.expected):
        says = says.replace(text.casefold(), " ")
    key = _words(fact.key)
    return tuple(one for one in _words(says) if not one.isdigit() or one in key)


def _texts(wanted: object) -> list[str]:
    many = wanted if isinstance(wanted, list | tuple | set | frozenset) else [wanted]
    return [str(one) for one in many]


@lru_cache(4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", text).casefold())))


def _is_form(word: str, other: str) -> bool:
    """Whether two words are forms of one: "completed" and "completion"."""
    if word == other:
        return True
    if min(len(word), len(other)) < _LEAST_ALIKE:
        return len(word) > 2 and word.removesuffix("s") == other.removesuffix("s")
    alike = next(
        (at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two),
        min(len(word), len(other)),
    )
    apart = max(len(word), len(other)) - alike
    return alike >= _LEAST_ALIKE and apart <= _MOST_APART and alike > apart
