"""What a report says, outside of its JSON block: sections, and figures on lines that name them.

In: an answer, and what its block was right about. Out: checks. A figure counts by its form alone:
on a line `name: value`, while nothing else in the answer gives that name another value. Sentences
earn nothing, so that lies in them gain nothing; what they say is a judge's to read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from .blocks import LONGEST_ANSWER, missing_block, object_in, objects_of, parts_of
from .contradicting import OtherValues, is_sentence
from .facts import Check, Fact
from .stating import have_notes, is_stated, key_of, member_of, read_lines
from .telling import Telling
from .visible import ShownLine, text_of, visible_lines

# Weight, as a share of what the block weighs. A right block alone is less than 0.3 of all, so that
# a judge that says 10 of everything cannot lift it above 4.0.
_OF_FIGURES, _OF_SECTIONS = 2.05, 0.38
_TOLD_OTHERWISE = 2 / 3  # of what a line earns, for a value that a table or a sentence tells
LEAST_TOLD = 0.25  # of the figures, for names to count: another seed's report has 0.15 by chance
_LEAST_WORDS = 20  # different ones beside figures, names and headings, for all values to count
_WITHOUT_WORDS = 0.3  # of the values, where they stand under all headings and nothing else does
_TEXT = ("", "markdown", "md", "text", "txt", "yaml", "csv", "json")  # fences without code
_MOST_ADDED = 3  # words that belong to the value above; more are a sentence
_MOST_BELOW = 8  # lines below a value that may take it back
_MOST_LEFT = 8  # keys in a reason


class ReportText:
    """The text around the blocks of an answer as a reader sees it, and what its lines state."""

    def __init__(self, answer: str) -> None:
        answer = answer[:LONGEST_ANSWER]
        self.missing_block = missing_block(answer)  # why, if there is none
        lines = visible_lines(answer)
        self.text = text_of(lines)
        self._shown_lines = lines
        self._telling: dict[tuple[str, ...], Telling] = {}
        # By key the values, each with its place: a line as it is shown, and which part of it.
        self._lines: dict[str, list[tuple[str, int, int]]] = {}
        self._shown: list[list[tuple[str, str]]] = []  # lines, by the names and values of parts
        self._reach: dict[frozenset[str], list[int]] = {}
        self._members: dict[str, set[str]] = {}
        below = []
        tables = _tables_with_notes(lines)
        for at, line in enumerate(lines):
            if line.begins:
                self._shown.append([])
            self._shown[-1].append(("", ""))
            for name, value in read_lines(line.text, has_notes=line.block in tables):
                rest = _rest(lines, at) if value else ""
                place = (len(self._shown) - 1, len(self._shown[-1]) - 1)
                self._lines.setdefault(key_of(name), []).append((value + rest, *place))
                self._shown[-1][-1] = (key_of(name), value)
                whole, member = member_of(name)
                if member and value:
                    self._members.setdefault(whole, set()).add(member)
                if value:
                    below += [(name, one.text) for one in _below(lines, at)]
        self._others = OtherValues(_raw_lines(answer), below, objects_of(answer))

    def states(self, fact: Fact, beside: Sequence[Fact] = ()) -> bool:
        """Whether a line names the value by its key, every such line gives the right one, and
        nothing else is on it: "- total: 5,400 euros" of "total", "- customers, Anna: 56" of
        "customers.Anna". A line without a value, such as a heading, or with a sentence says
        nothing; nor does one that a reader sees behind other text on the same line, unless this is
        of such lines too.
        """
        reach = self._reach_of((*beside, fact))
        given = [
            one
            for one, line, part in self._lines.get(key_of(fact.key), [])
            if one and not is_sentence(one, fact) and part <= reach[line]
        ]
        right = bool(given) and all(is_stated(one, fact) for one in given)
        return right and not self.contradicts(fact, beside)

    def told_otherwise(self, fact: Fact, beside: Sequence[Fact]) -> str:
        """Where the value is told but on a line: in a "table" or a "sentence" that has its name as
        well; "" where it is not, or where something gives its name another value.
        """
        on_lines = [
            one for one, *_ in self._lines.get(key_of(fact.key), [])
            if one and not is_sentence(one, fact)
        ]  # fmt: skip
        if not all(is_stated(one, fact) for one in on_lines):
            return ""
        keys = tuple(one.key for one in beside)
        if keys not in self._telling:
            self._telling[keys] = Telling(self._shown_lines, beside)
        where = self._telling[keys].where(fact)
        return "" if where and self.contradicts(fact, beside) else where

    def contradicts(self, fact: Fact, beside: Sequence[Fact] = ()) -> bool:
        """Whether anything in the answer, shown or not, gives the name another value in the form of
        a name and a value. `beside`: other facts, whose keys and values name other quantities.
        """
        return self._others.contradicts(fact, beside)

    def _reach_of(self, facts: Iterable[Fact]) -> list[int]:
        """Of each line as it is shown, how many parts from its beginning are names of facts with
        values.
        """
        known = {key_of(one.key): one for one in facts}
        if (keys := frozenset(known)) not in self._reach:
            self._reach[keys] = []
            for parts in self._shown:
                are_values = (
                    bool(value) and name in known and not is_sentence(value, known[name])
                    for name, value in parts[:-1]
                )
                self._reach[keys].append(sum(takewhile(bool, are_values)))
        return self._reach[keys]

    def withdraw(self, checks: Iterable[Check], facts: Iterable[Fact]) -> Iterator[Check]:
        """The checks of a block; those of facts that the answer also gives another value fail. A
        line of a member that an object has not takes back one of those that it has.
        """
        listed = list(facts)
        others = self._other_members(listed)
        of_name = {fact.name or fact.key: fact for fact in listed}
        for one in checks:
            fact = of_name.get(one.name)
            whole = member_of(fact.key)[0] if fact else ""
            if one.passed is None:
                yield replace(one, why=self.missing_block)
            elif not one.passed or fact is None:
                yield one
            elif self.contradicts(fact, listed):
                why = f"the answer gives {fact.key} another value as well; {one.fact}"
                yield replace(one, passed=False, why=why.strip("; "))
            elif others.get(whole):
                taken = others[whole].pop()
                why = f"not counted, since the answer also names {taken} in {whole}; {one.fact}"
                yield replace(one, passed=False, why=why.strip("; "))
            else:
                yield one

    def count_words(self, values: Iterable[Any], headings: Iterable[str]) -> int:
        """Different words that are no value, key or heading: a list of values has next to none."""
        known = set(_words(" ".join([*map(str, _leaves(values)), *headings])))
        return len(set(_words(self.text)) - known)

    def section(self, name: str, others: Sequence[str]) -> bool:
        """Whether a part is headed by this name, and has text before the next one."""
        is_inside = False
        for line in self.text.split("\n"):
            rest = _after_heading(line, name)
            if rest is not None:
                is_inside, line = True, rest
            elif is_inside and any(_after_heading(line, one) is not None for one in others):
                is_inside = False
            if is_inside and re.search(r"\w", line):
                return True
        return False

    def _other_members(self, facts: Sequence[Fact]) -> dict[str, list[str]]:
        """By object the members of lines that no fact is about."""
        known: dict[str, list[str]] = {}
        for fact in facts:
            whole, member = member_of(fact.key)
            if member:
                known.setdefault(whole, []).append(key_of(fact.key.split(".")[1]))
        return {
            whole: sorted(
                (m for m in self._members.get(whole, ()) if not m.startswith(tuple(members))),
                reverse=True,
            )
            for whole, members in known.items()
        }


def _tables_with_notes(lines: Sequence[ShownLine]) -> set[int]:
    rows: dict[int, list[str]] = {}
    for line in lines:
        if line.text.startswith("|"):
            rows.setdefault(line.block, []).append(line.text)
    return {block for block, texts in rows.items() if have_notes(texts)}


def _rest(lines: Sequence[ShownLine], at: int) -> str:
    """A few words that go on in the same paragraph: "36", and "minus 7" below it."""
    after = next(_below(lines, at), None)
    if after is None or after.block != lines[at].block:
        return ""
    is_short = len(after.text.split()) <= _MOST_ADDED
    return f" {after.text}" if is_short else ""


def _below(lines: Sequence[ShownLine], at: int) -> Iterator[ShownLine]:
    """What goes on below a line: in its paragraph, or further in, up to the next name and value."""
    for one in lines[at + 1 : at + 1 + _MOST_BELOW]:
        if one.block != lines[at].block and one.depth <= lines[at].depth:
            return
        if one.text.startswith("|") or any(value for _, value in read_lines(one.text)):
            return
        yield one


def _raw_lines(answer: str) -> Iterator[str]:
    """All lines but those of blocks that are objects; of code only those with a colon."""
    for opened, lines in parts_of(answer):
        if opened is not None and object_in("\n".join(lines)) is not None:
            continue
        is_text = opened is None or opened[3].strip().lower() in _TEXT
        for line in lines:
            if is_text or ":" in line:
                yield line if is_text else re.split(r" ?(?://|#)", line)[0]


def _after_heading(line: str, name: str) -> str | None:
    """The text behind a heading of this name; None where the line is none."""
    if name.casefold() not in line.casefold():
        return None
    bold = re.match(r"\s*(?:[-*+•]\s|\d+[.)]\s)?\s*(?:\*\*|__)(.+?)(?:\*\*|__)(.*)", line)
    heading = re.match(r"\s*#{1,6}\s+(.*)()", line) or bold
    named = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
    if heading and len(heading[1]) <= _LONGEST_HEADING and named.search(heading[1]):
        return heading[2]
    bare = re.sub(r"^[\W\d_]+", "", line)
    found = re.match(rf"{re.escape(name)}\b[*_ \t]*(?:$|[:.–—(|-])(.*)", bare, re.IGNORECASE)
    return found[1] if found else None


_LONGEST_HEADING = 80


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


def check_report(
    answer: str | ReportText,
    checks: Sequence[Check],
    facts: Iterable[Fact],
    sections: Sequence[str],
    *,
    beside: float = 2,
    worth: Mapping[str, float] | None = None,
) -> Iterator[Check]:
    """How much of the block is right and in the report as well, in one check for what is and one
    for what is not, and whether its sections are there: as many of them as the share of the values
    allows, so that no report earns more than it has right. `checks` are those of the block, found
    by the facts' names; `beside` is what other checks of the block weigh, and `worth`, by key, the
    share of a value that is only partly right. A right block alone is less than 0.3 of all; so is
    one with its values in a bare list: headings give half, and up to some words each one beside
    them adds its part.
    """
    report = answer if isinstance(answer, ReportText) else ReportText(answer)
    passed = {one.name: one.passed for one in checks}
    listed = list(facts)
    whole = sum(fact.weight for fact in listed)
    weight = whole + beside
    values = [[fact.expected, re.split(r"\W|_", fact.key)] for fact in listed]
    empty = "" if report.text.strip() else "there is no report beside the block"
    told = [fact for fact in listed
            if passed.get(fact.name or fact.key) and report.states(fact, listed)]  # fmt: skip
    otherwise = {
        fact.key: where
        for fact in listed
        if fact not in told
        and passed.get(fact.name or fact.key)
        and (where := report.told_otherwise(fact, listed))
    }
    share = sum(
        fact.weight
        * (worth or {}).get(fact.key, 1)
        * (_TOLD_OTHERWISE if fact.key in otherwise else 1)
        for fact in listed
        if fact in told or fact.key in otherwise
    ) / (whole or 1)
    said = empty or (
        f"{len(told)} of {len(listed)} values are right in the block and in the report, on a line "
        f"that names them{_say_otherwise(otherwise)}, {100 * share:.0f} % by weight"
    )
    words = report.count_words(values, sections)
    headed = [report.section(one, [each for each in sections if each != one]) for one in sections]
    if share and words < _LEAST_WORDS:
        alone = _WITHOUT_WORDS * sum(headed) / (len(sections) or 1)
        counted = alone + (1 - alone) * words / _LEAST_WORDS
        share *= counted
        said += (
            f"; beside values, keys and headings it has {words} different words, so that they "
            f"count {100 * counted:.0f} %"
        )
    if any(one is not None for one in passed.values()):
        left = [fact.key for fact in listed if fact not in told and fact.key not in otherwise]
        yield from _weigh("report_told", "report_untold", share, weight * _OF_FIGURES, said, left)
    no_block = None in passed.values()
    allowed = len(sections) if no_block else int(share * len(sections) + 1e-9)
    for number, section in enumerate(sections, 1):
        there = headed[number - 1]
        why = f"the section {section} is there" if there else f"no section {section} with text"
        if there and allowed <= 0:
            few = f"only {100 * share:.0f} % of the values, by weight, are right and told"
            why = f"not counted, since {empty or few}: the section {section}"
        yield Check(
            f"section_{number}",
            there and allowed > 0,
            why,
            weight * _OF_SECTIONS / len(sections),
        )
        allowed -= there


def _say_otherwise(otherwise: Mapping[str, str]) -> str:
    """How many values are told in a table or in a sentence, and what they count."""
    places = list(otherwise.values())
    counts = {"a table": places.count("table"), "sentences": places.count("sentence")}
    return "".join(
        f"; {count} told in {where}, not on lines, which counts two thirds"
        for where, count in counts.items()
        if count
    )


def _weigh(
    told: str, untold: str, share: float, weight: float, said: str, left: Sequence[str]
) -> Iterator[Check]:
    """One check that passes with the share of the weight, and one that fails with the rest."""
    if share < 1:
        names = f"; not so: {', '.join(left[:_MOST_LEFT])}" if left else ""
        more = f" and {len(left) - _MOST_LEFT} more" if len(left) > _MOST_LEFT else ""
        failed = untold if share else told
        yield Check(failed, False, said + names + more, round(weight * (1 - share), 6))
    if share:
        yield Check(told, True, said, round(weight * share, 6))
