"""What is allowed in a test but likely a slip of its author.

In: a sound test object. Out: warnings in the notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.files.notes import Notes
from assay.files.places import Path
from assay.files.wording import shown
from assay.messages import tr
from assay.suites.methods import alternatives, folded

Raw = dict[str, Any]
_USUAL_ID = re.compile(r"[\w-]+_[0-9]{3,}")
_MARKER = re.compile(r"(?:^|(?<=[\s(]))([A-Z])(?=[.):]\s)", re.MULTILINE)
_LETTERS_WITHOUT_MARKERS = "ABCDE"


def advise(raw: Raw, path: Path, notes: Notes) -> None:
    """Note every likely slip."""
    if not _USUAL_ID.fullmatch(raw["id"]):
        notes.warning((*path, "id"), tr("the usual form of an id is category_001"))
    match raw["eval_method"]:
        case "keywords":
            _advise_on_keywords(raw, path, raw.get("keyword_match", "word"), notes)
            _advise_on_short(raw, path, "forbidden_keywords", notes)
        case "composite":
            _advise_on_keywords(raw, path, "word", notes)
        case "multiple_choice" if "choices" not in raw:
            _advise_on_letter(raw, path, notes)


def _advise_on_keywords(raw: Raw, path: Path, match: str, notes: Notes) -> None:
    asked = folded("\n".join(_user_texts(raw)))
    seen: set[tuple[str, ...]] = set()
    for index, words in enumerate(alternatives(raw.get("expected_keywords", []))):
        where = (*path, "expected_keywords", index)
        plain = tuple(folded(word) for word in words)
        if plain in seen:
            notes.warning(where, tr("'{word}' is asked for twice", word=shown(words[0])))
        seen.add(plain)
        for word, form in zip(words, plain, strict=True):
            if form in asked and stands_in(form, asked, match):
                message = tr(
                    "'{word}' already stands in the prompt; repeating the prompt would score",
                    word=shown(word),
                )
                notes.warning(where, message)
    _advise_on_short(raw, path, "expected_keywords", notes)


def _advise_on_short(raw: Raw, path: Path, field: str, notes: Notes) -> None:
    for index, words in enumerate(alternatives(raw.get(field, []))):
        for word in words:
            if len(folded(word)) <= 2 and any(letter.isalpha() for letter in word):
                message = tr(
                    "'{word}' is so short that it may be found by chance", word=shown(word)
                )
                notes.warning((*path, field, index), message)


def _advise_on_letter(raw: Raw, path: Path, notes: Notes) -> None:
    found = {letter for text in _user_texts(raw) for letter in _MARKER.findall(text)}
    marked = found if {"A", "B"} <= found else set(_LETTERS_WITHOUT_MARKERS)
    if raw["expected"].upper() not in marked:
        message = tr(
            "'{letter}' is not among the letters offered ({letters})",
            letter=raw["expected"],
            letters=", ".join(sorted(marked)),
        )
        notes.warning((*path, "expected"), message)


def _user_texts(raw: Raw) -> Iterator[str]:
    if "prompt" in raw:
        yield raw["prompt"]
    for turn in raw.get("messages", ()):
        if turn["role"] == "user":
            yield turn["content"]


def stands_in(word: str, text: str, match: str) -> bool:
    """Whether a keyword would be found in a text, both folded: edges count only between letters."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        opens = match == "substring" or not (start and _joined(text[start - 1], word[0]))
        closes = match != "word" or not (end < len(text) and _joined(word[-1], text[end]))
        if opens and closes:
            return True
        start = text.find(word, start + 1)
    return False


def _joined(left: str, right: str) -> bool:
    return _is_word(left) and _is_word(right)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
