"""What each eval_method asks of a test as a whole, and the Check it becomes.

In: a test object whose fields are of the right kinds. Out: notes; or a Check.

A test that checks nothing would pass every model, or none: it is an error, found here.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.files.notes import Notes
from assay.files.places import Path
from assay.files.wording import shown
from assay.messages import tr
from assay.suites.fields import COMPOSITE_PARTS
from assay.types import (
    Check,
    CommandSequence,
    Composite,
    EweQuality,
    ExactMatch,
    Format,
    Judge,
    Keywords,
    MultipleChoice,
    TopK,
)

Raw = dict[str, Any]
_PAIRS = (("min_length", "max_length"), ("min_words", "max_words"))
_EWE = ("ee", "ewe")


def check_method(raw: Raw, path: Path, language: str | None, notes: Notes) -> None:
    """Note what is wrong with the fields of a test's eval_method taken together."""
    rule = _RULES.get(raw["eval_method"])
    if rule is not None:
        rule(raw, path, language, notes)


def build_check(raw: Raw) -> Check:
    """The check that a sound test object stands for."""
    return _BUILDERS[raw["eval_method"]](raw)


def alternatives(items: list[Any]) -> tuple[tuple[str, ...], ...]:
    """Items that are each a text or a list of texts, as tuples of texts."""
    return tuple([(item,) if type(item) is str else tuple(item) for item in items])


# ------------------------------------------------------------------------------------------ rules


def _check_exact_match(raw: Raw, path: Path, _: str | None, notes: Notes) -> None:
    normalize = raw.get("normalize", "text")
    for where, text in _texts(raw["expected"], (*path, "expected")):
        if any(map(str.isalnum, text)) and normalize != "number":
            continue
        if normalize == "number" and not any(map(str.isdigit, text)):
            notes.error(
                where,
                tr('\'{text}\' holds no number, but "normalize" is "number"', text=shown(text)),
            )
        # Edge punctuation is dropped before comparing, so nothing would be left to compare.
        if normalize == "text" and all(map(_is_edge, text)):
            notes.error(
                where,
                tr(
                    "'{text}' is only punctuation, which is dropped before comparing; "
                    'add "normalize": "trim"',
                    text=shown(text),
                ),
            )


def _check_keywords(raw: Raw, path: Path, _: str | None, notes: Notes) -> None:
    expected = raw.get("expected_keywords", [])
    forbidden = raw.get("forbidden_keywords", [])
    if not expected and not forbidden:
        notes.error(
            path,
            tr("the test checks nothing; 'keywords' needs 'expected_keywords' or "
               "'forbidden_keywords' with at least one item"),
        )  # fmt: skip
        return
    if not forbidden:
        return
    banned = {folded(word) for words in alternatives(forbidden) for word in words}
    for index, words in enumerate(alternatives(expected)):
        if all(folded(word) in banned for word in words):
            notes.error(
                (*path, "expected_keywords", index),
                tr("'{word}' is both expected and forbidden", word=shown(words[0])),
            )


def _check_multiple_choice(raw: Raw, path: Path, _: str | None, notes: Notes) -> None:
    choices = raw.get("choices")
    if choices is None:
        if raw.get("score_by") == "text":
            message = tr('"score_by": "text" needs \'choices\'')
            notes.error((*path, "score_by"), message)
        return
    last = chr(ord("A") + len(choices) - 1)
    if raw["expected"].upper() > last:
        notes.error(
            (*path, "expected"),
            tr(
                "'expected' is '{letter}', but the choices are A to {last}",
                letter=raw["expected"],
                last=last,
            ),
        )


def _check_format(raw: Raw, path: Path, _: str | None, notes: Notes) -> None:
    _check_ranges(raw, path, notes)
    if not any(_effective(raw["expected_format"])):
        notes.error(
            (*path, "expected_format"),
            tr("the test checks nothing; 'expected_format' needs a rule that can fail"),
        )


def _check_ranges(raw: Raw, path: Path, notes: Notes) -> None:
    rules = raw.get("expected_format", {})
    for least, most in _PAIRS:
        if least in rules and most in rules and rules[least] > rules[most]:
            notes.error(
                (*path, "expected_format", least),
                tr(
                    "'{least}' ({low}) is above '{most}' ({high})",
                    least=least,
                    low=rules[least],
                    most=most,
                    high=rules[most],
                ),
            )


def _check_composite(raw: Raw, path: Path, language: str | None, notes: Notes) -> None:
    _check_ranges(raw, path, notes)
    rules = raw.get("expected_format", {})
    present = {
        "keywords": bool(raw.get("expected_keywords")),
        "format": any(_effective(rules)),
    }
    if not any(present.values()):
        notes.error(
            path,
            tr("the test checks nothing; 'composite' needs 'expected_keywords' or a rule in "
               "'expected_format'"),
        )  # fmt: skip
        return
    present["ewe_quality"] = rules.get("contains_ewe") is True or language in _EWE
    weights = raw.get("weights", {})
    if not any(weights.get(part, 1) for part in COMPOSITE_PARTS if present[part]):
        message = tr("the test checks nothing; every part that it has weighs 0")
        notes.error((*path, "weights"), message)
    for part in weights:
        if not present[part]:
            message = tr("'{part}' has a weight, but the test has no such part", part=part)
            notes.warning((*path, "weights", part), message, about_key=True)


_RULES: Mapping[str, Callable[[Raw, Path, str | None, Notes], None]] = {
    "exact_match": _check_exact_match,
    "keywords": _check_keywords,
    "multiple_choice": _check_multiple_choice,
    "format": _check_format,
    "composite": _check_composite,
}


def _effective(rules: Mapping[str, Any]) -> Iterator[str]:
    """The rules that some answer can break: a least length of 0 and an empty list are none."""
    for name, value in rules.items():
        if name == "markdown_elements" and not value:
            continue
        if name in ("min_length", "min_words") and value == 0:
            continue
        yield name


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    else:
        yield from (((*path, index), text) for index, text in enumerate(value))


def _is_edge(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter).startswith("P")


def folded(text: str) -> str:
    """A keyword as it is compared: NFKC, casefolded, white space as single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


# --------------------------------------------------------------------------------------- builders


def _exact_match(raw: Raw) -> Check:
    expected = raw["expected"]
    return ExactMatch(
        expected=(expected,) if isinstance(expected, str) else tuple(expected),
        normalize=raw.get("normalize", "text"),
    )


def _keywords(raw: Raw) -> Check:
    return Keywords(
        expected=alternatives(raw.get("expected_keywords", [])),
        forbidden=alternatives(raw.get("forbidden_keywords", [])),
        match=raw.get("keyword_match", "word"),
    )


def _multiple_choice(raw: Raw) -> Check:
    return MultipleChoice(
        expected=raw["expected"].upper(),
        choices=tuple(raw.get("choices", ())),
        score_by=raw.get("score_by", "letter"),
        render=raw.get("render", True),
    )


def _format_of(rules: Raw) -> Format:
    if "markdown_elements" not in rules:
        return Format(**rules)
    elements = tuple(dict.fromkeys(rules["markdown_elements"]))
    return Format(**{**rules, "markdown_elements": elements})


def _format(raw: Raw) -> Check:
    return _format_of(raw["expected_format"])


def _composite(raw: Raw) -> Check:
    keywords = alternatives(raw.get("expected_keywords", []))
    rules = raw.get("expected_format", {})
    weights = raw.get("weights")
    return Composite(
        keywords=Keywords(expected=keywords) if keywords else None,
        format=_format_of(rules) if any(_effective(rules)) else None,
        weights={part: float(weights.get(part, 1)) for part in COMPOSITE_PARTS} if weights else {},
    )


def _top_k(raw: Raw) -> Check:
    return TopK(
        expected_any=tuple(raw["expected_any"]),
        k=raw.get("k", 3),
        match=raw.get("match", "word"),
    )


def _command_sequence(raw: Raw) -> Check:
    return CommandSequence(expected_commands=alternatives(raw["expected_commands"]))


def _judge(raw: Raw) -> Check:
    return Judge(
        rubric=raw["rubric"],
        requirements=_remarks(raw, "requirements"),
        evaluation_points=_remarks(raw, "evaluation_points"),
        checklist=_remarks(raw, "checklist"),
        evidence=raw.get("evidence"),
        fixtures=tuple(raw.get("fixtures", ())),
    )


def _remarks(raw: Raw, field: str) -> tuple[str, ...]:
    return tuple(
        item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        for item in raw.get(field, ())
    )


_BUILDERS: Mapping[str, Callable[[Raw], Check]] = {
    "exact_match": _exact_match,
    "keywords": _keywords,
    "multiple_choice": _multiple_choice,
    "format": _format,
    "ewe_quality": lambda raw: EweQuality(),
    "composite": _composite,
    "top_k": _top_k,
    "command_sequence": _command_sequence,
    "judge": _judge,
}
