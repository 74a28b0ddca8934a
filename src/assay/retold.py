"""A stored sentence in the language that is spoken now: the reason of a score was written in that
of its run. The catalogue is read backwards: a sentence that one of its messages could have made is
taken apart at the gaps and made again. What no message made stays as it is.
"""

import re
import string
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from assay.messages import CATALOGUES, LANGUAGES_OFFERED, SEPARATORS, language

_LONGEST = 4_000  # characters; a longer reason quotes what no message made
_DEEPEST = 4  # a reason in a list of reasons in a part of a score
_LEAST = 3  # letters of a message beside its gaps: fewer would be found in any text
_STOP = re.compile(r"[.!?)…\"”»](?=\s)|\Z")
_NUMBER = r"([-−+]?\d[\d.,\u202f]*)"
_INDEX = 6  # letters that a message begins with, by which it is found


@dataclass(frozen=True)
class _Message:
    """A message as a pattern of one language, and as the template of the other."""

    parts: tuple[tuple[str, str, str], ...]  # a text, and the name and the form of the gap after it
    template: str
    begins: str  # the text before its first gap
    holds: str  # its longest text between gaps
    weight: int

    @cached_property
    def gaps(self) -> tuple[str, ...]:
        return tuple(f"{name}:{form}" if form else name for _, name, form in self.parts if name)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Made when a text may be of this message: all of them would take half a second."""
        body = "".join(
            re.escape(literal) + ("" if not name else _NUMBER if form else "(.+?)")
            for literal, name, form in self.parts
        )
        if body.startswith("(.+?)"):  # a name or a number: else it would be found in any text
            body = body.replace("(.+?)", r"((?:\S+ )?\S+?)", 1)
        return re.compile(body, re.DOTALL)


def retold(text: str) -> str:
    """The text with every sentence of ours in the language that is spoken."""
    return _retold(text, language()) if 0 < len(text) <= _LONGEST else text


@lru_cache(maxsize=4096)  # the same few reasons, test after test
def _retold(text: str, spoken: str) -> str:
    for written in LANGUAGES_OFFERED:
        if written != spoken and (again := _tell(text, written, spoken, 0)) is not None:
            return again
    return text


def _tell(text: str, written: str, spoken: str, depth: int) -> str | None:
    """All of a text, sentence by sentence; None where a part of it is no message."""
    if depth > _DEEPEST:
        return None
    ends = [stop.end() for stop in _STOP.finditer(text)]
    for message in _candidates(text, written, spoken):
        for end in ends:  # the first behind which all can be read: a gap may hold a stop
            found = message.pattern.fullmatch(text, 0, end)
            if found is None:
                continue
            rest = text[end:].lstrip()
            after = _tell(rest, written, spoken, depth) if rest else ""
            if after is not None:
                said = _filled(message, found, written, spoken, depth)
                return f"{said} {after}".rstrip()
    return None


def _filled(message: _Message, found: re.Match[str], written: str, spoken: str, depth: int) -> str:
    values = {}
    for at, name in enumerate(message.gaps, start=1):
        key, _, form = name.partition(":")
        value = found[at]
        if form:
            value = _renumbered(value, written, spoken)
        elif (again := _clauses(value, written, spoken, depth + 1)) is not None:
            value = again
        else:
            value = _QUOTED[written].sub(_QUOTES[spoken], value)
        values[key] = value
    return re.sub(r"\{(\w+)[^{}]*\}", lambda gap: values.get(gap[1], gap[0]), message.template)


def _clauses(text: str, written: str, spoken: str, depth: int) -> str | None:
    """What a gap holds: a message, or several behind labels: "min_words: 3, at least 5 …"."""
    whole = _tell(text, written, spoken, depth)
    if whole is not None:
        return whole
    told = []
    for clause in text.split(_SEMICOLON[written]):
        label, colon, rest = clause.partition(_COLON[written])
        is_label = colon and re.fullmatch(r"[\w ]{1,40}", label)
        again = _tell(rest, written, spoken, depth) if is_label else None
        if again is None:
            return None
        told.append(f"{label}{_COLON[spoken]}{again}")
    return _SEMICOLON[spoken].join(told)


_QUOTED = {
    "en": re.compile("“([^“”]{1,200})”"),
    "fr": re.compile("«\N{NO-BREAK SPACE}([^«»]{1,200})\N{NO-BREAK SPACE}»"),
}
_QUOTES = {"en": r"“\1”", "fr": "«\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}»"}
_COLON = {"en": ": ", "fr": "\N{NO-BREAK SPACE}: "}
_SEMICOLON = {"en": "; ", "fr": "\N{NO-BREAK SPACE}; "}


def _renumbered(value: str, written: str, spoken: str) -> str:
    back = {to: chr(sign) for sign, to in SEPARATORS.get(written, {}).items()}
    plain = "".join(back.get(sign, sign) for sign in value)
    return plain.translate(SEPARATORS[spoken]) if spoken in SEPARATORS else plain


def _candidates(text: str, written: str, spoken: str) -> Iterator[_Message]:
    """The messages that may have made the beginning of a text, those with most text first."""
    by_beginning, begun_by_gap = _messages(written, spoken)
    some = [each for each in by_beginning.get(text[:_INDEX], ()) if text.startswith(each.begins)]
    for size in range(1, _INDEX):
        some += [
            each
            for each in by_beginning.get(text[:size], ())
            if len(each.begins) == size and each.holds in text
        ]
    some += [each for each in begun_by_gap if each.holds in text]
    yield from sorted(some, key=lambda each: -each.weight)


@cache
def _messages(written: str, spoken: str) -> tuple[dict[str, list[_Message]], list[_Message]]:
    """By what they begin with, and those that begin with a gap."""
    by_beginning: dict[str, list[_Message]] = {}
    begun_by_gap: list[_Message] = []
    for english, other in _pairs(written if written != "en" else spoken):
        pair = (english, other) if written == "en" else (other, english)
        message = _read(*pair)
        if message is None:
            continue
        if message.begins:
            by_beginning.setdefault(message.begins[:_INDEX], []).append(message)
        else:
            begun_by_gap.append(message)
    return by_beginning, begun_by_gap


def _read(source: str, target: str) -> _Message | None:
    try:
        fields = [*string.Formatter().parse(source)]
    except ValueError:
        return None
    parts = tuple((literal, name or "", form or "") for literal, name, form, _ in fields)
    literals = [literal for literal, _, _ in parts]
    least = max(_LEAST, sum(bool(name) for _, name, _ in parts))
    if sum(map(str.isalpha, "".join(literals))) < least or "\n" in source:
        return None
    longest = max(literals, key=len, default="")
    return _Message(parts, target, literals[0], longest, sum(map(len, literals)))


def _pairs(code: str) -> Iterator[tuple[str, str]]:
    """The messages of a catalogue with their translations, each form of a plural by itself."""
    path = CATALOGUES / code / "LC_MESSAGES" / "assay.mo"
    try:
        data = path.read_bytes()
        count, at, to = struct.unpack("<3I", data[8:20])
        for index in range(count):
            english = _entry(data, at + 8 * index).split("\0")
            other = _entry(data, to + 8 * index).split("\0")
            for form, text in enumerate(english):
                if text:
                    yield text.rpartition("\4")[2], other[min(form, len(other) - 1)]
    except (OSError, struct.error, UnicodeDecodeError):
        return  # as `speak`, which then speaks English


def _entry(data: bytes, at: int) -> str:
    length, start = struct.unpack("<2I", data[at : at + 8])
    return data[start : start + length].decode("utf-8")
