"""One JSON file to its value, and the place of anything in it.

The standard library reads the value. Only when something is to be reported, its decoder goes from
member to member once more: one mistake in 50 MB costs a second quick parse, not a slow one.
"""

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from assay.files.file_text import MAX_BYTES, Refused, decode, read_bytes, refusal, shown_path
from assay.files.notes import MAX_DIGITS, FileNote, Notes, Path, Spot, findings_of, place_of
from assay.files.wording import shown
from assay.messages import fill, message, tr
from assay.types import FileFinding

ID_FORM = re.compile(r"[\w-]+")
# Ids name files of a run, beside the model's name and the number of the repeat.
MAX_ID_CHARACTERS = 120

_ENDLESS = float("inf")  # for a number that is too long: no field allows it
# The first group is half a character; the rest are whole ones and other escapes.
_ESCAPE = re.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(\\u[dD][89a-fA-F]\w\w)|\\.")
_ODD_NUMBER = re.compile(
    rf'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)|(-?[0-9]{{{MAX_DIGITS},}}(?![0-9.eE]))'
)
_BLANK = re.compile(r"[ \t\n\r]*")
# By the beginning of what Python's parser says.
_MISTAKES = {
    "Extra data": message("the JSON ends before this; remove what follows"),
    "Unterminated string": message("this text is never closed; its '\"' is missing"),
    "Invalid control": message(
        "a text contains a control character; write it as an escape such as \\n or \\t, and close "
        "every text on the line where it starts"
    ),
    "Invalid \\": message("this is no JSON escape; write \\\\ for a backslash"),
    "Expecting ':'": message("a ':' is missing after a key"),
    "Expecting ','": message("a ',' or a closing bracket is missing before this"),
    "Expecting property name": message("a key in double quotes is expected here, not '{found}'"),
    "Expecting value": message(
        "a value is expected here, not '{found}'; JSON writes true, false and null"
    ),
}


@dataclass(slots=True)
class JsonFile:
    """`flawed`: it holds what JSON forbids and Python reads: a key twice, NaN, half a character."""

    shown: str
    text: str
    value: object
    flawed: bool
    digest: str = ""  # of its bytes
    notes: Notes = field(default_factory=Notes)

    def findings(self, notes: Notes) -> list[FileFinding]:
        """Every note and flaw with its place; notes about a value that is no JSON (NaN) are left
        out.
        """
        if not notes.all and not self.flawed:
            return []
        start = _after_blank(self.text, 0)
        paths = {note.path for note in notes.all}
        spots = dict(_find_spots(self.text, Spot(start, start), paths))
        flaws = _find_flaws(self.text) if self.flawed else []
        flawed = {offset for offset, _ in flaws}
        placed = [
            (note, spots[note.path].key if note.about_key else spots[note.path].value)
            for note in notes.all
        ]
        placed = [each for each in placed if each[0].about_key or each[1] not in flawed]
        members = _members(self.text, start, _StrictDecoder()) if flaws else ()
        rows = [spot.value for _, spot, _ in members]
        for offset, sentence in flaws:
            test = self.value
            if isinstance(test, list):
                test = test[bisect_right(rows, offset) - 1]
            note = FileNote((), sentence, "error", sound_id(test), about_key=False)
            placed.append((note, offset))
        return findings_of(self.shown, self.text, placed)


def sound_id(test: object) -> str | None:
    """A test's id, if it can appear in a line of findings."""
    name = test.get("id") if isinstance(test, dict) else None
    if isinstance(name, str) and len(name) <= MAX_ID_CHARACTERS and ID_FORM.fullmatch(name):
        return name
    return None


def read_json(path: FilePath) -> JsonFile:
    """Read a file, or raise Refused with the reason and the place."""
    name = shown_path(path)
    data = read_bytes(path, MAX_BYTES, kind=tr("a category is a JSON file"))
    text = decode(name, data)
    if not text.strip(" \t\r\n"):
        raise Refused(refusal(name, tr("the file is empty")))
    decoder = _StrictDecoder()
    try:
        value = decoder.decode(text)
    except (json.JSONDecodeError, RecursionError) as error:
        offset, reason = 0, tr("it is nested too deeply")
        if isinstance(error, json.JSONDecodeError):
            offset, reason = _syntax_mistake(text, error)
        message = tr("not valid JSON: {reason}", reason=reason)
        raise Refused(refusal(name, message, place_of(text, offset))) from error
    flawed = decoder.flaws > 0 or any(_half_characters(text))
    return JsonFile(name, text, value, flawed, hashlib.sha256(data).hexdigest())


def _half_characters(text: str) -> Iterator[int]:
    """Offsets of lone surrogates, which no model can be sent."""
    if "\\u" in text:
        yield from (escape.start() for escape in _ESCAPE.finditer(text) if escape[1])


class _StrictDecoder(json.JSONDecoder):
    """The standard library's parser, which counts what it should not have let pass."""

    def __init__(self) -> None:
        self.flaws = 0
        super().__init__(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_int=self._whole,
        )

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self.flaws += 1
        return made

    def _constant(self, word: str) -> float:
        self.flaws += 1
        return float(word)

    def _whole(self, digits: str) -> float:
        if len(digits) > MAX_DIGITS:
            self.flaws += 1
            return _ENDLESS
        return int(digits)


def _syntax_mistake(text: str, error: json.JSONDecodeError) -> tuple[int, str]:
    """Where the parser stopped, and what to do about it."""
    at = error.pos
    if error.msg.startswith("Illegal trailing comma"):  # since Python 3.13, at the comma
        at = _after_blank(text, at + 1)
    found = text[at : at + 1]
    if found in ("]", "}") and text[:at].rstrip(" \t\n\r").endswith(","):
        return at, tr("remove the comma before this '{closer}'", closer=found)
    if not found:
        return at, tr("the file ends here, but something is missing")
    if found == "'":
        return at, tr("JSON texts are in double quotes (\"), not in single ones (')")
    if found in "/#":
        return at, tr("JSON has no comments; remove this one")
    known = (each for begin, each in _MISTAKES.items() if error.msg.startswith(begin))
    sentence = next(known, error.msg)
    return at, fill(sentence, {"found": shown(found)})


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _members(text: str, at: int, decoder: _StrictDecoder) -> Iterator[tuple[str | int, Spot, bool]]:
    """What the list or object at an offset contains: step, place, and whether it has flaws."""
    if text[at] not in "[{":
        return
    is_object = text[at] == "{"
    at, index = _after_blank(text, at + 1), 0
    while text[at] not in "]}":
        key_at, step = at, index
        if is_object:
            step, colon = decoder.raw_decode(text, at)
            at = _after_blank(text, _after_blank(text, colon) + 1)
        decoder.flaws = 0
        end = decoder.raw_decode(text, at)[1]
        yield step, Spot(key_at, at), decoder.flaws > 0
        at, index = _after_blank(text, end), index + 1
        if text[at] == ",":
            at = _after_blank(text, at + 1)


def _find_spots(
    text: str, here: Spot, wanted: Collection[Path], depth: int = 0
) -> Iterator[tuple[Path, Spot]]:
    """Where paths lead, or the innermost thing on the way; of a key that appears twice the last."""
    by_step: dict[str | int | None, list[Path]] = {}
    for path in wanted:
        by_step.setdefault(path[depth] if depth < len(path) else None, []).append(path)
    inner: dict[str | int | None, Spot] = {}
    if by_step.keys() != {None}:
        members = _members(text, here.value, _StrictDecoder())
        inner = {step: spot for step, spot, _ in members if step in by_step}
    for step, paths in by_step.items():
        if step in inner:
            yield from _find_spots(text, inner[step], paths, depth + 1)
        else:
            yield from ((path, here) for path in paths)


def _find_flaws(text: str) -> list[tuple[int, str]]:
    """Offset and sentence of whatever JSON forbids, from top to bottom."""
    half = tr("half a character (a lone surrogate such as \\ud800); write a whole one")
    found = [(offset, half) for offset in _half_characters(text)]
    for number in _ODD_NUMBER.finditer(text):
        if number[1]:
            found.append((number.start(), tr("{word} is not JSON", word=number[1])))
        elif number[2] and len(number[2]) > MAX_DIGITS:
            message = tr("a number of {digits} digits is too long", digits=len(number[2]))
            found.append((number.start(), message))
    left, decoder = [_after_blank(text, 0)], _StrictDecoder()
    while left:
        names: set[str | int] = set()
        for step, spot, is_flawed in _members(text, left.pop(), decoder):
            if step in names:
                message = tr("the key '{key}' appears twice; keep one", key=shown(str(step)))
                found.append((spot.key, message))
            names.add(step)
            left += [spot.value] if is_flawed else []
    return sorted(found)
