"""Lines of a report that state values, `name: value`, and whether a line gives the right one.

In: the text of a report as a reader sees it. Out: (name, value) of each such line, and whether a
value is the one that a fact expects. Every line is read once, by position and not by pattern; a
value has exactly one reading for each way of writing numbers, with the fact's unit or none.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import partial

from .comparing import UNITS, read_date, same_date, same_set
from .facts import Fact

_LONGEST_NAME, _LONGEST_VALUE, _LONGEST_NUMBER = 200, 1_000, 80  # letters
_LEAST_NOTE = 4  # words beside a number
_ASIDE = frozenset(" _,.")  # what a name may have beside its key's letters
_QUOTES = "\"'\u2018\u2019\u201c\u201d"
_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2212", "-----")
_NUMBER = re.compile(r"(-|\+)? ?([^\d+-]*?) ?(-|\+)? ?(\d+(?:[.,'’ ]\d+)*) ?(\D*?)[ .]*")
_NUMBERS = re.compile(
    r"(?<![^\W\d])(?<![^\W\d]-)(?<!\d)(-?)(\d+(?:[.,'’ ]\d{3})*(?:[.,]\d+)?)(?![^\W\d]{3})"
)
_NOTHING = ("none", "nothing", "no", "-")


def read_lines(text: str, *, has_notes: bool = False) -> Iterator[tuple[str, str]]:
    """The name and the value of each line `name: value`, and of each row of a table with two
    cells, or with more where the others are notes.
    """
    for given in text.split("\n"):
        line = given.strip()
        if line.startswith("|"):
            name, *rest = line.strip("|").split("|")
            value = rest[0] if len(rest) == 1 or (rest and has_notes) else None
        else:
            name, value = _split(_without_marker(line))
        if value is not None and len(name) <= _LONGEST_NAME:
            yield name, value.strip()


def have_notes(rows: Iterable[str]) -> bool:
    """Whether rows of a table have only notes behind a name and a value: nothing with a digit that
    is no sentence.
    """
    cells = (one for row in rows for one in row.strip().strip("|").split("|")[2:])
    return not any(
        re.search(r"\d", one) and len(re.findall(r"[^\W\d_]+", one)) < _LEAST_NOTE for one in cells
    )


def key_of(name: str) -> str:
    """A name or a key without case, white space, commas, full stops and underscores. Whatever else
    is in it makes it another name: "not total", "❌ total".
    """
    folded = unicodedata.normalize("NFC", name).casefold()
    return "".join(one for one in folded if one not in _ASIDE)


def member_of(name: str) -> tuple[str, str]:
    """An object and its member, as `key_of` has them: "customers, Anna" and "customers.Anna" are
    of customers and Anna; "" where there is no member.
    """
    parts = re.split("[,.]", name, maxsplit=1)
    return key_of(parts[0]), key_of(parts[1]) if len(parts) > 1 else ""


def _without_marker(line: str) -> str:
    """Without the mark of a list's item."""
    mark, space, rest = line.partition(" ")
    is_number = mark[:-1].isdigit() and mark[-1:] in ".)"
    return rest if space and (mark in ("-", "*", "+", "•") or is_number) else line


def _split(line: str) -> tuple[str, str | None]:
    """At the first colon or equals sign; where there is none, at a dash between spaces."""
    found = [at for at in (line.find(":"), line.find("=")) if at >= 0]
    if found:
        return line[: min(found)], line[min(found) + 1 :]
    for dash in (" – ", " — ", " - "):
        name, between, value = line.partition(dash)
        if between:
            return name, value
    return line, None


def is_stated(text: str, fact: Fact) -> bool:
    """Whether the value of a line is the right one and nothing else: a number with its unit, a
    name, a date, or a list of them.
    """
    wanted = fact.expected
    if len(text) > _LONGEST_VALUE or not _is_one_script(text):
        return False
    if fact.same is not None:
        return bool(fact.same(_tidy(text), wanted))
    if isinstance(wanted, list | tuple | set | frozenset):
        plain = _tidy(text)
        if plain[:1] + plain[-1:] in ("[]", "()", "{}"):
            plain = plain[1:-1]
        if not wanted:
            return plain.casefold() in _NOTHING
        given = [_tidy(one) for one in re.split(r"[,;]|\band\b", plain)]
        return same_set([one for one in given if one], wanted, partial(_is_one, fact=fact))
    return _is_one(text, wanted, fact=fact)


def _is_one(text: str, wanted: object, *, fact: Fact) -> bool:
    if isinstance(wanted, bool) or not isinstance(wanted, int | float):
        plain = _tidy(text)
        if plain.casefold() == " ".join(str(wanted).split()).casefold():
            return True
        in_parts = len(re.findall(r"\d+", plain)) <= 3
        return in_parts and read_date(wanted) is not None and same_date(plain, wanted)
    slack = fact.tolerance + 1e-9 * max(1.0, abs(wanted))
    has_three = abs(wanted - round(wanted, 2)) > 1e-9
    found = _readings(text, fact.units, f"{abs(wanted):.3f}" if has_three else "")
    return any(abs(one - wanted) <= slack for one in found)


def is_readable(text: str, fact: Fact) -> bool:
    """Whether a text can be a value of the fact's kind: a number has the fact's unit or none."""
    if not isinstance(fact.expected, int | float) or isinstance(fact.expected, bool):
        return True
    return bool(_readings(text, fact.units, "")) and _is_one_script(text)


def _is_one_script(text: str) -> bool:
    """Whether all digits are of one script: nobody reads others."""
    return len({ord(one) - unicodedata.decimal(one) for one in text if one.isdecimal()}) <= 1


def _tidy(text: str) -> str:
    """Without quotes around it, and a full stop."""
    return " ".join(text.split()).removesuffix(".").strip(" " + _QUOTES)


def _readings(text: str, units: tuple[str, ...] | None, decimals: str) -> list[float]:
    """The numbers that a text can be, written in any language: 5.400 is 5400 or 5.4, but 5,400 is
    5400 unless `decimals` has the right value to three of them. None where anything but one number
    and its unit is in the text.
    """
    if len(text) > _LONGEST_NUMBER:
        return []
    found = _NUMBER.fullmatch(text.translate(_DASHES).strip())
    if not found or (found[1] and found[3]):
        return []
    known = UNITS if units is None else units
    beside = (one.strip().casefold() for one in (found[2], found[5]))
    if any(one and one not in known and not (units is None and one in "€$£¥%") for one in beside):
        return []
    sign = -1 if "-" in (found[1], found[3]) else 1
    written = _written(found[4])
    if "," in found[4] and len(written) > 1:
        written = {one for one in written if "." not in one or one == decimals}
    return [sign * float(one) for one in sorted(written)]


def numbers_in(text: str) -> list[float]:
    """All that numbers in a text can be read as."""
    found = _NUMBERS.finditer(text[:_LONGEST_VALUE].translate(_DASHES))
    return [float(one[1] + each) for one in found for each in sorted(_written(one[2]))]


def _written(text: str) -> set[str]:
    """Groups of three digits with one mark between them, and a fraction behind another mark."""
    groups, marks = re.split(r"[.,'’ ]", text), re.findall(r"[.,'’ ]", text)
    if not marks:
        return {text}
    found = set()
    if _are_groups(groups, marks):
        found.add("".join(groups))
    if marks[-1] in ".," and _are_groups(groups[:-1], marks[:-1]) and marks[-1] not in marks[:-1]:
        found.add("".join(groups[:-1]) + "." + groups[-1])
    return found


def _are_groups(groups: list[str], marks: list[str]) -> bool:
    if len(groups) == 1:
        return True
    first, *rest = groups
    is_first = 0 < len(first) <= 3 and not first.startswith("0")
    return is_first and len(set(marks)) == 1 and all(len(one) == 3 for one in rest)
