"""What a report says, outside of its JSON block: sections, and figures on lines that name them.

In: an answer, and what its block was right about. Out: checks. A figure counts by its form alone:
on a line `name: value`, which no other line of that name contradicts. Sentences earn nothing, so
that lies in them gain nothing; what they say is a judge's to read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .blocks import parts_of
from .comparing import read_number, same_number, same_set, same_value
from .facts import Check, Fact, letters_of
from .visible import visible_text

STEPS = (0.15, 0.35, 0.6, 0.8, 0.95)  # shares of the figures, a check each
# Weight, as a share of what the block weighs. A right block alone is less than 0.3 of all, so that
# a judge that says 10 of everything cannot lift it above 4.0.
_OF_FIGURES, _OF_SECTIONS = 2.05, 0.38
LEAST_TOLD = 0.25  # of the figures, for sections to count: another seed's report has 0.15 by chance
_LEAST_WORDS = 20  # different ones beside figures, names and headings, for all values to count
_TEXT = {"markdown", "md", "text", "txt"}
_SPACES = "\u00a0\u2007\u2009\u202f"
_NUMBER = re.compile(r"\d+(?:[.,'’ ]\d+)*")
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "mn": 1e6,
           "bn": 1e9, "billion": 1e9, "tn": 1e12, "trillion": 1e12}  # fmt: skip
_SCALE = re.compile(rf"\s?({'|'.join(_SCALES)})\b", re.IGNORECASE)


class ReportText:
    """The text around the blocks of an answer as a reader sees it, and the numbers in it."""

    def __init__(self, answer: str) -> None:
        parts = []
        for opened, lines in parts_of(answer):
            if opened is None or opened[3].strip().lower() in _TEXT:
                parts.append("\n".join(lines))
        # A block may lack its fence.
        text = re.sub(r"(?ms)^[ \t]*\{[ \t]*$.*?^[ \t]*\}[ \t]*$", "", "\n".join(parts))
        text = re.sub(r'(?m)^[ \t]*\{".*\}[ \t]*$', "", text)
        self.text = visible_text(text).replace("\u2212", "-")
        self._lines: dict[str, list[str]] = {}
        for label, value in _read_lines(self.text):
            self._lines.setdefault(label, []).append(value)

    def states(self, fact: Fact) -> bool:
        """Whether a line names the value by its key, every such line gives the right one, and
        nothing else is on it: "- total: 5,400 euros" of "total", "- customers, Anna: 56" of
        "customers.Anna".
        """
        given = self._lines.get(letters_of(fact.key), [])
        return bool(given) and all(_is_value(one, fact) for one in given)

    def count_words(self, values: Iterable[Any], headings: Iterable[str]) -> int:
        """Different words that are no value, key or heading: a list of values has next to none."""
        known = set(_words(" ".join([*map(str, _leaves(values)), *headings])))
        return len(set(_words(self.text)) - known)

    def section(self, name: str, others: Sequence[str]) -> bool:
        """Whether a part is headed by this name, and has text before the next one."""
        lines = self.text.split("\n")
        for at, line in enumerate(lines):
            rest = _after_heading(line, name)
            if rest is None:
                continue
            following = [rest]
            for later in lines[at + 1 :]:
                if any(_after_heading(later, other) is not None for other in others):
                    break
                following.append(later)
            if re.search(r"\w", " ".join(following)):
                return True
        return False


def _after_heading(line: str, name: str) -> str | None:
    """The text behind a heading of this name; None where the line is none."""
    bold = re.match(r"\s*(?:[-*+•]\s|\d+[.)]\s)?\s*(?:\*\*|__)(.+?)(?:\*\*|__)(.*)", line)
    heading = re.match(r"\s*#{1,6}\s+(.*)()", line) or bold
    named = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    if heading and len(heading[1]) <= _LONGEST_HEADING and named.search(heading[1]):
        return heading[2]
    bare = re.sub(r"^[\W\d_]+", "", line)
    found = re.match(rf"{re.escape(name)}\b[*_ \t]*(?:$|[:.–—(|-])(.*)", bare, re.IGNORECASE)
    return found[1] if found else None


_LONGEST_HEADING = 80


# A list's marker may be before it, and marks of Markdown around each part.
_LINE = re.compile(r"\s*(?:[-*+•]\s+|\d+[.)]\s+)?([^:=|]{1,120}?)\s*(?:[:=]|\s[–—-]\s)(.*)")
_MARKS = " \t*_`"


def _read_lines(text: str) -> Iterator[tuple[str, str]]:
    """Letters of the name, and the value, of each line `name: value`, and of each row of a table
    with two cells.
    """
    for line in text.split("\n"):
        cells = [one.strip(_MARKS) for one in line.strip(" \t").strip("|").split("|")]
        if line.lstrip().startswith("|") and len(cells) == 2:
            yield letters_of(cells[0]), cells[1]
        elif found := _LINE.fullmatch(line):
            yield letters_of(found[1]), found[2].strip(_MARKS)


def _is_value(text: str, fact: Fact) -> bool:
    """Whether a line gives the right value: a number in any format with its unit, a name, a date,
    or a list of them.
    """
    wanted = fact.expected
    if fact.same is not None:
        return bool(fact.same(text, wanted))
    if isinstance(wanted, list | tuple | set | frozenset):
        if not wanted:
            return letters_of(text) in _NOTHING
        given = [one.strip(_MARKS) for one in re.split(r"[,;]|\band\b", text.strip(" .[]{}()"))]
        return same_set([one for one in given if one], wanted, same_value)
    if isinstance(wanted, bool) or not isinstance(wanted, int | float):
        return same_value(text, wanted)
    number = read_number(text)
    if number is None or number * wanted < 0:
        return False
    return same_number(text, wanted, fact.tolerance) or any(
        _is_number(*one, wanted) for one in _read_numbers(text)
    )


_NOTHING = ("", "none", "nothing", "no")


def state_lines(values: Mapping[str, Any]) -> dict[str, str]:
    """For each key the lines that state its value in a report; for make.py and its reference."""
    return {key: "\n".join(_state(key, value)) for key, value in values.items()}


def _state(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _state(f"{name}, {key}", one)
    elif isinstance(value, list):
        yield f"- {name}: {', '.join(map(str, value)) or 'none'}"
    else:
        yield f"- {name}: {value}"


def _words(text: str) -> Iterator[str]:
    return (word.casefold() for word in re.findall(r"[^\W\d_]{2,}", text))


def _leaves(value: Any) -> Iterator[Any]:
    """What a value holds, names too."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _leaves(one)
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


def _read_numbers(text: str) -> Iterator[tuple[float, float, bool]]:
    """Every reading of every number, half a unit of its last digit, and whether it has a scale."""
    for space in _SPACES:
        text = text.replace(space, " ")
    for found in _NUMBER.finditer(text[:200_000]):
        scaled = _SCALE.match(text, found.end())
        scale = _SCALES[scaled[1].lower()] if scaled else 1
        for reading in _readings(found[0]):
            decimals = len(reading.partition(".")[2])
            if len(reading) < _LONGEST_NUMBER:
                yield float(reading) * scale, 0.5 * 10**-decimals * scale, bool(scaled)


_LONGEST_NUMBER = 30


def _readings(text: str) -> set[str]:
    """5,400 is 5400 and 5.4; 6 120 is 6120; no part of a number is a number."""
    marks, groups = re.findall(r"[.,'’ ]", text), re.split(r"[.,'’ ]", text)
    found = set()
    if all(len(group) == 3 for group in groups[1:]):
        found.add("".join(groups))
    if marks and marks[-1] in ".," and all(len(group) == 3 for group in groups[1:-1]):
        found.add("".join(groups[:-1]) + "." + groups[-1])
    return found


def _is_number(number: float, unit: float, is_scaled: bool, expected: float) -> bool:
    """Equal but for the sign, which words may say. A fraction, and 1.7 million, may be rounded."""
    wanted = abs(float(expected))
    may_round = is_scaled or wanted != int(wanted)
    return abs(number - wanted) <= (unit if may_round else 0) + 1e-9 * max(1.0, wanted)


def check_report(
    answer: str,
    checks: Sequence[Check],
    facts: Iterable[Fact],
    sections: Sequence[str],
    *,
    beside: float = 2,
) -> Iterator[Check]:
    """How many of the right figures of the block are in the report as well, and whether its
    sections are there. `checks` are those of the block, found by the facts' names; `beside` is what
    other checks of the block weigh. A right block alone is less than 0.3 of all; so is one
    with its values in a bare list: up to some words each one beside them adds its part.
    """
    report = ReportText(answer)
    passed = {one.name: one.passed for one in checks}
    listed = list(facts)
    whole = sum(fact.weight for fact in listed)
    weight = whole + beside
    values = [[fact.expected, re.split(r"\W|_", fact.key)] for fact in listed]
    empty = "" if report.text.strip() else "there is no report beside the block"
    told = [fact for fact in listed
            if passed.get(fact.name or fact.key) and report.states(fact)]  # fmt: skip
    share = sum(fact.weight for fact in told) / (whole or 1)
    said = empty or (
        f"{len(told)} of {len(listed)} values are right in the block and in the report, on a line "
        f"that names them, {100 * share:.0f} % by weight"
    )
    words = report.count_words(values, sections)
    if told and words < _LEAST_WORDS:
        share *= words / _LEAST_WORDS
        said += (
            f"; beside values, keys and headings it has {words} different words, so that they "
            f"count {words}/{_LEAST_WORDS}"
        )
    if any(one is not None for one in passed.values()):
        for step in STEPS:
            why = empty or f"{said}; this check needs {100 * step:.0f} %"
            name = f"report_{100 * step:.0f}"
            yield Check(name, share >= step, why, weight * _OF_FIGURES / len(STEPS))
    no_block = None in passed.values()
    for number, section in enumerate(sections, 1):
        there = report.section(section, [one for one in sections if one != section])
        why = f"the section {section} is there" if there else f"no section {section} with text"
        if there and share < LEAST_TOLD and not no_block:
            few = f"less than {100 * LEAST_TOLD:.0f} % of the values, by weight, are right and told"
            there, why = False, f"not counted, since {empty or few}: the section {section}"
        yield Check(f"section_{number}", there, why, weight * _OF_SECTIONS / len(sections))
