"""The numbers that a test expects, their units, and which of them an answer gives."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from assay.text.answer_words import UNITS, WORDS
from assay.text.commitment import asked_by, is_listed, lexicon
from assay.text.folding import fold_for_matching
from assay.text.late_pattern import late_pattern
from assay.text.number_reading import NumberReading, read_number
from assay.text.numbers import Exact, Number, all_numbers, plainly_written
from assay.text.structure import words_in
from assay.types.tests import LANGUAGES, SuiteWords

# A number, perhaps with a unit: one word, no name, no month.
_QUANTITY = late_pattern(
    r"\s*(?:(?:R\$|US\$|Rp\.?|[$€£¥])\s?)?"
    r"[-+\u2212]?[\d.,'\u00a0\u202f /½¼¾]*\d[\d.,'\u00a0\u202f /]*"
    r"(?:[eE][-+]?\d+)?\s?(%|°\s?[A-Za-z]|[€$£¥]|[A-Z]{2,5}|Euros?|Dollars?|[a-zµ][^\W\d_]{0,15}(?:[²³]|/[a-z]{1,5})?)?\s*"
)
_CODE = late_pattern(r"[-+]?0\d")
_SAME_UNIT = {name: units[0] for units in UNITS for name in units}
_YEAR = re.compile(r"[12]\d{3}")
_DECIMAL_COMMA = frozenset({"fra"})  # languages whose suites write 1,5 for one and a half


class ExpectedNumbers:
    """The numbers that a test accepts; `accepted` is empty where none can be read."""

    def __init__(
        self,
        expected: Sequence[str],
        question: str,
        words: SuiteWords | None,
        language: str | None,
    ) -> None:
        code = LANGUAGES.get(language or "")
        readings = (
            (read_expected(text, decimal_comma=code in _DECIMAL_COMMA), text) for text in expected
        )
        known = [(number, text) for number, text in readings if number is not None]
        self.accepted = [(number, expected_unit(text)) for number, text in known]
        self._question = question
        self._language = code or language
        self._words = lexicon(words, language)
        self._has_unit = any(unit for _, unit in self.accepted)
        self._is_year = all(_YEAR.fullmatch(text.strip()) for _, text in known)

    def read(self, answer: str) -> NumberReading:
        """The number that an answer commits to."""
        return read_number(
            answer,
            self._question,
            self._language,
            self._words,
            with_units=self._has_unit,
            is_year=self._is_year,
        )

    def compare(self, read: NumberReading, number: Number) -> tuple[Exact | None, bool]:
        """The value that is accepted of a number, else None and whether only its unit is wrong."""
        other_unit = False
        for wanted, unit in self.accepted:
            value = number.reading_like(wanted)
            if value is not None and unit_agrees(unit, read.units, self._question):
                return value, False
            other_unit = other_unit or value is not None
        return None, other_unit


def is_quantity(text: str) -> bool:
    """Whether an expected text is a number, or a number with a unit; a code ("007") is neither."""
    found = _QUANTITY.fullmatch(text)
    if found is None or _CODE.match(text.strip()) or re.search(r"\d\s+\d(?!\d{2}(?!\d))", text):
        return False
    unit = fold_for_matching(found[1] or "")
    if re.fullmatch(WORDS["month"], unit):
        return False
    return len({item.number for item in all_numbers(plainly_written(text))}) == 1


@lru_cache(maxsize=1024)
def expected_unit(text: str) -> str:
    """The unit of an expected quantity, folded; "" where it has none."""
    found = _QUANTITY.fullmatch(text)
    sign = re.match(r"\s*([$€£¥])", text)
    return fold_for_matching(found[1]) if found and found[1] else sign[1] if sign else ""


def unit_agrees(expected: str, units: Sequence[str], question: str) -> bool:
    """Whether a number has this unit or none; another one is wrong."""
    if not expected or not units:
        return True
    wanted = _SAME_UNIT.get(expected, expected)
    names = [_SAME_UNIT.get(each, each) for each in units]
    if wanted in names:
        return True
    nearest = names[0]
    if nearest in _SAME_UNIT.values() and units[0] in _SAME_UNIT and nearest not in ("f", "s"):
        return nearest in words_in(question)
    if expected in _SAME_UNIT or is_listed(nearest):
        return True
    return asked_by(question).knows(nearest) or len(nearest) < 2


@lru_cache(maxsize=1024)
def read_expected(text: str, *, decimal_comma: bool) -> Number | None:
    """An expected number in digits: "1.234" is a decimal; "1,234" a thousand, or in French one."""
    number = read_number(text).number if any(map(str.isnumeric, text)) else None
    if number is None or len(number.readings) == 1:
        return number
    is_decimal = "," not in text or decimal_comma
    smaller, larger = sorted(number.readings, key=lambda value: abs(Fraction(value)))
    return replace(number, readings=(smaller if is_decimal else larger,))
