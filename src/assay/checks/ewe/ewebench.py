"""Scores answers by the rules of EweBench 1.0, so that results published with it stay comparable.

The faults are kept, because they are part of the published figures:

    - "Hello people. This is a simple example." contains Ewe: "le" is a substring of "people"
    - a flag set to false is scored as if it were true
    - an answer is whatever the server sent, an error text included
    - ʋ is not among the Ewe letters, and nothing is normalised to NFC
    - "réponse" is sought in an upper-cased text, so that cue for a letter never matches
"""

import re

from assay.checks.composite import Composite
from assay.checks.ewe_quality import EweQuality
from assay.checks.exact_match import ExactMatch
from assay.checks.format import Format, Rules
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.messages import tr
from assay.text.number_format import fixed
from assay.types import Answered, Case, Score, ScorePart

SCORER, VERSION = "ewebench-1.0", 1

CONTAINED = ("ɖe", "nye", "wò", "mí", "ɛ", "ɔ", "ƒe", "kple", "dzi", "le")
LETTERS = "ɖɛɔƒŋɣ"
WORDS = (
    "nye", "wò", "mí", "ɖe", "le", "kple", "dzi", "ƒe", "gbɔ", "aɖe", "ame", "esia", "eya",
    "mele", "woɖo", "afi", "nyo",
)  # fmt: skip
FRENCH = (
    "le", "la", "les", "de", "du", "des", "un", "une", "est", "sont", "pour", "dans", "avec",
    "cette", "voici",
)  # fmt: skip
FUNCTION_CALL = "<function_call>"


def score_ewebench(case: Case, reply: Answered) -> Score | None:
    """The score by the old rules, or None where they have no rule."""
    text, check = reply.text, case.check
    parts: dict[str, float] = {}
    match check:
        case ExactMatch():
            wanted = (expected.strip().lower() for expected in check.expected)
            value = float(text.strip().lower() in wanted)
        case Keywords():
            value = _keywords(text, check)
        case MultipleChoice():
            value = _letter(text, check.expected)
        case Format():
            parts = _format_rules(text, check.expected_format)
            value = _mean(parts)
        case EweQuality():
            value = _quality(text)
        case Composite():
            parts = {
                "keywords": _keywords(text, check.keywords),
                "ewe_quality": _quality(text),
                "format": _mean(_format_rules(text, check.expected_format)),
            }
            value = _mean(parts)
        case _:
            return None
    return Score(
        scorer=SCORER,
        version=VERSION,
        value=value,
        explanation=tr(
            "By the old rules of EweBench 1.0, their known faults included: {parts}.",
            parts=", ".join(
                f"{name} {fixed(part, 2)}" for name, part in (parts or {case.method: value}).items()
            ),
        ),
        parts=tuple(ScorePart(name=name, value=part) for name, part in parts.items()),
    )


def _mean(parts: dict[str, float]) -> float:
    return sum(parts.values()) / len(parts) if parts else 0.0


def _keywords(text: str, check: Keywords | None) -> float:
    """The old rules know no alternatives: an item that lists some is found if any is. They know no
    forbidden keywords either, so those are not looked at.
    """
    if check is None or not check.expected_keywords:
        return 0.0
    answer = text.lower()
    found = [any(word.lower() in answer for word in words) for words in check.expected_keywords]
    return sum(found) / len(found)


def _letter(text: str, expected: str) -> float:
    answer, letter = text.strip().upper(), expected.strip().upper()
    sought = re.escape(letter)
    found = letter in answer[:5] or re.search(rf"\b{sought}\b|{sought}[).]", answer)
    return float(bool(found))


def _format_rules(text: str, check: Rules | None) -> dict[str, float]:
    """One value for each of the five rules that is stated. Other rules are ignored."""
    rules: dict[str, float] = {}
    if check is None:
        return rules
    if check.contains_ewe is not None:
        rules["contains_ewe"] = float(any(piece in text.lower() for piece in CONTAINED))
    if check.min_length is not None:
        rules["min_length"] = float(len(text) >= check.min_length)
    if check.max_length is not None:
        rules["max_length"] = float(len(text) <= check.max_length)
    if check.contains_function_call is not None:
        rules["contains_function_call"] = float(FUNCTION_CALL in text)
    if check.markdown_elements:
        found = sum(_has_element(text, element) for element in check.markdown_elements)
        rules["markdown_elements"] = found / len(check.markdown_elements)
    return rules


def _has_element(text: str, element: str) -> bool:
    if element == "table":
        return "|" in text and "---" in text
    form = {"header": r"^#{1,3} ", "list": r"^[-*] ", "bold": r"\*\*"}.get(element)
    return form is not None and re.search(form, text, re.MULTILINE) is not None


def _quality(text: str) -> float:
    if not text.strip() or text.startswith("[ERROR]"):
        return 0.0
    lower = text.lower()
    twentieths = 6 * any(letter in text for letter in LETTERS)
    twentieths += min(8, sum(word in lower for word in WORDS))
    french = sum(re.search(rf"\b{word}\b", lower) is not None for word in FRENCH)
    twentieths -= 4 * (french > 5)
    twentieths += 4 * (len(text.split(".")) > 1)
    twentieths += 2 * (len(text) > 20)
    return min(20, max(0, twentieths)) / 20
