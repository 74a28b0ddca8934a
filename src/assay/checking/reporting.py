"""What a report says, outside of its JSON block: sections, and figures as numbers or names.

In: an answer, and what its block was right about. Out: checks. Containment only: whether a name,
or a number in any format, stands in one paragraph with a word for what it is. What a sentence says
is a judge's to read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .blocks import parts_of
from .comparing import read_date, same_date
from .facts import Check, Fact, letters_of
from .visible import visible_text

STEPS = (0.15, 0.35, 0.6, 0.8, 0.95)  # shares of the figures, a check each
# Weight, as a share of what the block weighs. A right block alone is less than 0.3 of all, so that
# a judge that says 10 of everything cannot lift it above 4.0.
_OF_FIGURES, _OF_SECTIONS = 2.05, 0.38
LEAST_TOLD = 0.25  # of the figures, for sections to count: another seed's report has 0.15 by chance
_LEAST_WORDS = 20  # different ones beside figures, names and headings: a list of values is none
_MOST_NUMBERS = 500  # different ones: who writes every number states none
_TEXT = {"markdown", "md", "text", "txt"}
_SPACES = "\u00a0\u2007\u2009\u202f"
_NUMBER = re.compile(r"\d+(?:[.,'’ ]\d+)*")
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "mn": 1e6}
_SCALE = re.compile(r"\s?(k|thousand|m|mn|million)\b", re.IGNORECASE)
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty",
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


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
        self._numbers = list(_read_numbers(self.text))
        self._paragraphs = [
            (
                _stems(_words(text.replace("%", " percent "))),
                letters_of(text),
                list(_read_numbers(text)),
            )
            for text in _paragraphs(self.text)
        ]

    def has(self, value: Any, about: Iterable[str] = ()) -> bool:
        """Whether it has a value; of a list or an object each one. It counts in a paragraph or
        table with one of the words or names `about`, where there are any but the value itself.
        """
        if isinstance(value, dict):
            return all(self.has(one, about) for pair in value.items() for one in pair)
        if isinstance(value, list | tuple | set | frozenset):
            return all(self.has(one, about) for one in value)
        if isinstance(value, bool) or value is None:
            return True
        itself = letters_of(str(value))
        own = _stems(about) - _stems(_words(str(value)))
        names = {letters_of(one) for one in about if not one.isalpha()} - {itself}
        near = [
            (letters, numbers) for stems, letters, numbers in self._paragraphs
            if not own | names or own & stems or any(name in letters for name in names)
        ]  # fmt: skip
        if isinstance(value, int | float):
            return any(_is_number(*number, value) for _, numbers in near for number in numbers)
        forms = [letters_of(form) for form in _forms(value)]
        return any(form in letters for letters, _ in near for form in forms)

    def why_a_list(self, values: Iterable[Any], headings: Iterable[str]) -> str:
        """Why it is a list of values: next to no words beside these, or every number; else ""."""
        known = set(_words(" ".join([*map(str, _leaves(values)), *headings])))
        distinct = {number for number, _, _ in self._numbers}
        own = len(set(_words(self.text)) - known)
        if not self.text.strip():
            return "there is no report beside the block"
        if own < _LEAST_WORDS:
            return (
                f"the report has {own} different words that are no value, key or heading; with "
                f"fewer than {_LEAST_WORDS} it is a list, and no value counts as told"
            )
        if len(distinct) > _MOST_NUMBERS:
            return (
                f"more than {_MOST_NUMBERS} different numbers can be read in the report, so that "
                "no value counts as told"
            )
        return ""

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


def _forms(value: Any) -> list[str]:
    """How a text may be written: a date in several ways, anything else as it is."""
    day = read_date(value)
    if day is None or not same_date(value, day):
        return [str(value)]
    month, year = _MONTHS[day.month - 1], day.year
    forms = [str(value), f"{day.day} {month}", f"{month} {day.day}", f"{day:%d.%m.%Y}"]
    forms += [f"{day.day} {month[:3]}", f"{month[:3]} {day.day}", f"{day.month}/{day.day}"]
    return [*forms, f"{day.day}th of {month}", f"{day.day}.{day.month}.{year}"]


def _paragraphs(text: str) -> Iterator[str]:
    """Lines up to an empty one, each with the heading above it, or the line that ends in a colon:
    what a list is about stands there.
    """
    above = ""
    for found in re.split(r"\n\s*\n|\n(?=\s*#)", text):
        lines = [line for line in found.split("\n") if line.strip()]
        if not lines:
            continue
        yield "\n".join([above, *lines])
        if re.match(r"\s*(?:#{1,6}\s|\*\*)|.*:\W*$", lines[0]):
            above = lines[0]


_STEM = 4  # letters by which two words are the same: order, orders


def _stems(words: Iterable[str]) -> set[str]:
    return {word[:_STEM] for word in words if word.isalpha()}


def _words_for(fact: Fact) -> set[str]:
    """What a paragraph calls the figure by: a word of its key, a longer one of its statement, or
    the name of what it is a figure of ("orders.PO 4100.room").
    """
    of_key = {word for word in _words(re.sub(r"[._]", " ", fact.key)) if len(word) > 2}
    names = {part for part in fact.key.split(".")[1:-1] if not part.isalpha()}
    return of_key | names | {word for word in _words(fact.says) if len(word) > _STEM}


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
    for number, word in enumerate(_WORDS):
        if re.search(rf"\b{word}\b", text, re.IGNORECASE):
            yield number, 0, False


_LONGEST_NUMBER = 30


def _readings(text: str) -> set[str]:
    """5,400 is 5400 and 5.4; 6 120 is 6120, 6 and 120."""
    found: set[str] = set()
    pieces = text.split(" ")
    if len(pieces) > 1 and all(re.fullmatch(r"\d{3}(?:[.,]\d+)?", one) for one in pieces[1:]):
        found |= _readings("".join(pieces))
    for piece in pieces:
        marks = re.findall(r"[.,'’]", piece)
        if all(len(group) == 3 for group in re.split(r"[.,'’]", piece)[1:]):
            found.add(re.sub(r"[.,'’]", "", piece))
        if marks and marks[-1] in ".,":
            whole, _, fraction = piece.rpartition(marks[-1])
            found.add(re.sub(r"[.,'’]", "", whole) + "." + fraction)
        found |= {one for one in re.split(r"[,'’]", piece) if re.fullmatch(r"\d+(?:\.\d+)?", one)}
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
    with its values in a list that says nothing of them.
    """
    report = ReportText(answer)
    passed = {one.name: one.passed for one in checks}
    listed = list(facts)
    whole = sum(fact.weight for fact in listed)
    weight = whole + beside
    values = [[fact.shown, re.split(r"\W|_", fact.key)] for fact in listed]
    a_list = report.why_a_list(values, sections)
    told = [fact for fact in listed if not a_list
            and passed.get(fact.name or fact.key)
            and report.has(fact.shown, _words_for(fact))]  # fmt: skip
    share = sum(fact.weight for fact in told) / (whole or 1)
    said = a_list or (
        f"{len(told)} of {len(listed)} values are right in the block and occur in the text of "
        f"the report beside a word for what they are, {100 * share:.0f} % by weight"
    )
    if any(one is not None for one in passed.values()):
        for step in STEPS:
            why = said if a_list else f"{said}; this check needs {100 * step:.0f} %"
            name = f"report_{100 * step:.0f}"
            yield Check(name, share >= step, why, weight * _OF_FIGURES / len(STEPS))
    no_block = None in passed.values()
    for number, section in enumerate(sections, 1):
        there = report.section(section, [one for one in sections if one != section])
        why = f"the section {section} is there" if there else f"no section {section} with text"
        if there and share < LEAST_TOLD and not no_block:
            few = f"less than {100 * LEAST_TOLD:.0f} % of the values, by weight, are right and told"
            there, why = False, f"not counted, since {a_list or few}: the section {section}"
        yield Check(f"section_{number}", there, why, weight * _OF_SECTIONS / len(sections))
