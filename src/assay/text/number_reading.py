"""Which number an answer commits to, and in which unit; what an expected one asks for.

A number of the question is not the answer's unless nothing else is there. Announced: behind a cue
word, "=" or in a box; set off: bold, behind a colon, a line of its own; said: the only new one of
its clause. A later announced one is the result of the steps before it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from assay.text.announced import announced_values
from assay.text.answer_words import NEGATION, UNITS, WORDS, is_denied, may_deny
from assay.text.commitment import (
    ANNOUNCED,
    SAID,
    SET_OFF,
    Commitment,
    Lexicon,
    applies,
    asked_by,
    decide,
    hesitates,
    is_listed,
    lexicon,
    takes_back,
)
from assay.text.folding import fold_for_matching
from assay.text.late_pattern import late_pattern
from assay.text.number_words import has_number_words, in_digits
from assay.text.numbers import Number, WrittenNumber, all_numbers, plainly_written
from assay.text.structure import WORD, Sentence, sentences, set_off, shorten, words_in

# A cue word announces the number right behind it ("Total: 7"), or the one behind the verb
# ("the sum of 3 and 4 is 7"); signs announce only what follows them.
_CUE = late_pattern(
    r"""(?: (?<!\w)(?:answers?|ans|results?|total|sum|equals?|réponses?|reponse|résultat|resultat
          |somme|égale?|antwort|ergebnis|summe|gesamt|respuesta|resultado|suma|ŋuɖoɖo\w*)(?!\w)
          (?: [\s*_:"'(\[{`-]{0,12}
            | (?:[^.!?;\n]|\.(?=\d)){0,60}?
              (?:(?<!\w)(?:is|are|was|be|(?<!answer\ )to|est|sont|sera|à|ist|beträgt|es|son
              |nye|enye)(?!\w)|:)
              [^\d.!?;]{0,30}
          )
        | (?: (?<![!<>=])= | ≈ | \#{4} | \\boxed\{ | ->|→|⇒ ) [\s*_`"'\\({\[~≈]{0,12}
        )\Z""",
    re.VERBOSE,
)
_PLAIN_CUES = ("answer", "result", "total", "réponse", "résultat")  # the commonest of them
_CUE_AFTER = late_pattern(
    r"[\s*_`\"')\]}$]*(?:\w+ )?(?:is|est|ist|es) (?:the |la |le |die |das )?(?:\w+ )?"
    r"(?:answer|total|result|sum|réponse|résultat|somme|antwort|ergebnis|respuesta|resultado)\b"
)
# "The product of 17 and 23 is 391": the last number, behind a verb, all others in its subject.
_STATED = late_pattern(
    r"(?<!\w)(?:is|makes|gives|est|font|fait|donne|ist|ergibt|es|nye)[\s*_`\"'\\({\[$~≈]{1,8}\Z"
)
_SENTENCE_END = late_pattern(r"[.!?](?:\s|\Z)|[;\n]")
_LABEL = late_pattern(
    r"(?<!\w)(?:question|problem|exercise|step|part|étape|exercice|problème|partie|schritt|frage"
    r"|aufgabe|pregunta|paso)s?\s*(?:no\.?|n°|\#)?\s*\Z"
)
_COMPARED = late_pattern(r"(?<![-=])[<>≠≤≥]\s?\Z")
_DIGIT = re.compile(r"\d")
# The day of a date with a year: "27 avril 1960", "April 27th, 1960".
_ASKS_YEAR = late_pattern(rf"(?<!\w){WORDS['year']}(?!\w)", re.IGNORECASE)
_DAY = late_pattern(
    rf"(?<!\d)\d{{1,2}}(?:er|st|nd|rd|th)?(?: of)?(?= {WORDS['month']},? [12]\d{{3}}\b)"
    rf"|(?P<month>\b{WORDS['month']}) \d{{1,2}}(?:st|nd|rd|th)?(?=,? [12]\d{{3}}\b)",
    re.IGNORECASE,
)
_DAY_OF_ANY = late_pattern(
    r"(?<![\d.,])\d{1,2}(?:\.|º|er)?(?= (?:de )?[^\W\d_]{3,12}(?: de)?,? [12]\d{3}\b)"
)
_RELATIVE = late_pattern(rf"\s*{WORDS['relative']}(?!\w)", re.IGNORECASE)
_OFFERED = late_pattern(rf"\d\W{{0,5}}\s{WORDS['or']}\s[^.!?;\n]{{0,30}}\d", re.IGNORECASE)
_CUE_REACH, _LABEL_REACH = 90, 30  # characters before a number in which these are looked for


_CLAUSE = late_pattern(r",(?!\d)|[;()：，、]|:(?!\d)|\s[–—]\s")
_UNIT = late_pattern(
    r"\s?(°\s?[a-z]|[%€$£¥]|[^\W\d_]{1,20}(?:[²³]|/[^\W\d_]{1,10})?)", re.IGNORECASE
)
_UNIT_BEFORE = late_pattern(r"([€$£¥]|(?<!\w)[^\W\d_]{1,20})\s?\Z", re.IGNORECASE)
# A number, perhaps with a unit: one word, no name, no month.
_QUANTITY = late_pattern(
    r"\s*(?:(?:R\$|US\$|Rp\.?|[$€£¥])\s?)?"
    r"[-+\u2212]?[\d.,'\u00a0\u202f /½¼¾]*\d[\d.,'\u00a0\u202f /]*"
    r"(?:[eE][-+]?\d+)?\s?(%|°\s?[A-Za-z]|[€$£¥]|[A-Z]{2,5}|Euros?|Dollars?|[a-zµ][^\W\d_]{0,15}(?:[²³]|/[a-z]{1,5})?)?\s*"
)
_CODE = late_pattern(r"[-+]?0\d")
_SAME_UNIT = {name: units[0] for units in UNITS for name in units}
_MOST_WORDS = 4  # beside a number that is set off or a line of its own


@dataclass(frozen=True, slots=True)
class NumberReading:
    """The number an answer commits to, the words that may be its unit, and, where there is none,
    how many differ.
    """

    number: Number | None
    seen: int
    units: tuple[str, ...] = ()


def read_number(
    text: str,
    question: str = "",
    language: str | None = None,
    words: Lexicon | None = None,
    *,
    with_units: bool = False,
    is_year: bool = False,
) -> NumberReading:
    """The number an answer commits to. Words are read where there are no digits, or only those of
    the question. `is_year`: a year is expected, so that the day of a date is no other answer.
    """
    text = plainly_written(shorten(text))
    text = announced_values(text) or text
    if not _DIGIT.search(text):
        text = in_digits(text, language)
    if is_year:
        text = _DAY_OF_ANY.sub("", text)
    if question and _asks_year(question) and _DAY.search(text):
        text = _DAY.sub(lambda day: day["month"] or "", text)
    asked = _asked_numbers(question, language)
    reading = _read(text, asked, question, words or lexicon(), with_units)
    if (reading.number is None or reading.number in asked) and has_number_words(text, language):
        spelled = in_digits(text, language)
        if spelled != text:
            other = _read(spelled, asked, question, words or lexicon(), with_units)
            if other.number is not None and other.number not in asked:
                return other
    return reading


@lru_cache(maxsize=512)
def _asks_year(question: str) -> bool:
    return _ASKS_YEAR.search(question) is not None


def _asked_numbers(question: str, language: str | None) -> frozenset[Number]:
    if not question or not applies("question words"):
        return frozenset()
    return _numbers_of(question[:4_000], language)


@lru_cache(maxsize=512)
def _numbers_of(question: str, language: str | None) -> frozenset[Number]:
    return frozenset(
        item.number for item in all_numbers(in_digits(plainly_written(question), language))
    )


def _read(
    text: str, asked: frozenset[Number], question: str, words: Lexicon, with_units: bool
) -> NumberReading:
    every = sentences(text)
    if not with_units and (announced_last := _announced_last(every, words)) is not None:
        return NumberReading(announced_last, 1)
    claims: list[Commitment[Number]] = []
    units: dict[Number, list[str]] = {}
    seen: dict[Number, None] = {}
    is_back = False  # the sentence before took back what was said, and said nothing itself
    counted = [
        (index, sentence, [*_counted(sentence.text, words)])
        for index, sentence in enumerate(every)
        if not sentence.asks or len(every) == 1
    ]
    if (only := _only_one(counted)) is not None:  # no other can compete with it
        sentence, item = only
        near = tuple(_units_at(sentence.text, item)) if with_units else ()
        return NumberReading(item.number, 1, near)
    for index, sentence, written in counted:
        for item in written:
            seen.setdefault(item.number)
            if with_units:
                units.setdefault(item.number, []).extend(_units_at(sentence.text, item))
        if not written:
            is_back = is_back or takes_back(sentence.text)
            continue
        is_last = index == len(every) - 1 and sentence.alone and index > 0
        made = [*_claims(sentence, written, asked, question, words, is_last)]
        claims += [replace(claim, takes_back=True) for claim in made] if is_back else made
        is_back = hesitates(sentence.text)
    new = [claim for claim in claims if claim.value not in asked or claim.strength == ANNOUNCED]
    if _OFFERED.search(text):
        new = claims
    announced = [claim for claim in new if claim.strength == ANNOUNCED]
    if announced:  # steps do not compete with their result
        number: Number | None = announced[-1].value
    else:
        number = decide(new or claims)[0]
    return NumberReading(number, len(seen), tuple(units.get(number, ())) if number else ())


def _announced_last(every: Sequence[Sentence], words: Lexicon) -> Number | None:
    """The number that the last sentence announces, which no step before it can change; None also
    where more has to be read: asides, equations, a question.
    """
    text = every[-1].text if every else ""
    if not text or "(" in text or "=" in text or every[-1].asks or not applies("announced"):
        return None
    folded = text.casefold()
    if not any(map(folded.__contains__, _PLAIN_CUES)):
        return None
    denies = may_deny(folded) or bool(words.denies)
    written = reversed(all_numbers(text))
    return next(
        (
            item.number
            for item in written
            if _is_counted(text, item, words, denies) and _is_announced(text, item, words)
        ),
        None,
    )


def _only_one(
    counted: Sequence[tuple[int, Sentence, Sequence[WrittenNumber]]],
) -> tuple[Sentence, WrittenNumber] | None:
    """The only number of an answer, and its sentence."""
    every = [(sentence, item) for _, sentence, written in counted for item in written]
    return every[0] if len(every) == 1 else None


def _counted(text: str, words: Lexicon) -> Iterator[WrittenNumber]:
    """The numbers of a sentence that are neither labels nor denied."""
    folded = text.casefold()
    denies = may_deny(folded) or bool(words.denies)
    for item in all_numbers(text):
        if _is_counted(text, item, words, denies):
            yield item


def _is_counted(text: str, item: WrittenNumber, words: Lexicon, denies: bool) -> bool:
    before = text[max(0, item.start - _CUE_REACH) : item.start].casefold()
    if _LABEL.search(before[-_LABEL_REACH:]) or _COMPARED.search(before[-3:]):
        return False
    if not denies or not applies("denied"):
        return True
    behind = text[item.end : item.end + _CUE_REACH].casefold()
    return not (is_denied(before) or words.is_denied(before, behind))


def _claims(
    sentence: Sentence,
    written: Sequence[WrittenNumber],
    asked: Collection[Number],
    question: str,
    words: Lexicon,
    is_last: bool,
) -> Iterator[Commitment[Number]]:
    text = sentence.text
    if "(" in text:  # an aside, unless nothing else is there
        outside = [item for item in written if not _is_aside(text, item.start)]
        written = outside if any(item.number not in asked for item in outside) else written
    announced = _last_announced(text, written, words) if applies("announced") else None
    if announced:
        told = _told_first(text, written, asked) if "=" in text else None
        yield Commitment(told or announced.number, ANNOUNCED)
        return
    matched = asked_by(question).matches(words_in(text))
    back = takes_back(text)
    distinct = {item.number for item in written}
    others = [word for word in words_in(text) if not word.isdecimal()]
    if len(distinct) == 1 and len(others) <= (1 if len(written) == 1 else 0) and sentence.alone:
        strength = ANNOUNCED if is_last and applies("last line") else SET_OFF
        yield Commitment(written[0].number, strength, matched, bare=True, takes_back=back)
        return
    spans = (
        [span for span in set_off(text) if len(words_in(span)) <= _MOST_WORDS]
        if applies("set off")
        else []
    )
    emphasised = {item.number for span in spans for item in all_numbers(span)} & distinct
    emphasised -= set(asked) if len(emphasised) > 1 else set()
    if len(emphasised) == 1:
        yield Commitment(emphasised.pop(), SET_OFF, matched, takes_back=back)
        return
    colon = [item for item in written if re.search(r"[:：]\s*[$€£¥]?\Z", text[: item.start])]
    if colon and any(item.number not in asked for item in written if item.end < colon[0].start):
        colon = []  # "26 letters: 5 vowels": it is told before, and these are its parts
    if len({item.number for item in colon}) == 1 and applies("colon"):
        yield Commitment(colon[0].number, SET_OFF, matched, takes_back=back)
        return
    new = [item for item in written if item.number not in asked]
    if _OFFERED.search(text):
        yield from (Commitment(item.number, SAID, matched, takes_back=back) for item in written)
        return
    for number in _said(text, new or list(written), question):
        yield Commitment(number, SAID, matched, takes_back=back)


def _is_aside(text: str, at: int) -> bool:
    opened = text.rfind("(", 0, at)
    return opened > 0 and text.rfind(")", 0, at) < opened and WORD.search(text[:opened]) is not None


def _told_first(
    text: str, written: Sequence[WrittenNumber], asked: Collection[Number]
) -> Number | None:
    """The result told before its steps: "the answer is X, because 12 × 10 = 120"."""
    cut = _CLAUSE.search(text)
    first = [item for item in written if cut and item.end <= cut.start()]
    if cut is None or "=" in text[: cut.start()] or len(first) != 1 or first[0].number in asked:
        return None
    ends = not text[first[0].end : cut.start()].strip(" *_`\"'")
    return first[0].number if ends and WORD.search(text[: first[0].start]) else None


def _said(text: str, written: Sequence[WrittenNumber], question: str) -> list[Number]:
    """The numbers of the clause that has most of the question's words; several compete."""
    if len({item.number for item in written}) <= 1:
        return [item.number for item in written[:1]]
    if _STATED.search(text[: written[-1].start][-_CUE_REACH:].casefold()):
        subject = text[written[0].start : written[-1].start]
        if not _SENTENCE_END.search(subject):
            return [written[-1].number]
    if not applies("clauses"):
        return [item.number for item in written]
    cuts = [0, *(cut.end() for cut in _CLAUSE.finditer(text)), len(text)]
    frame = asked_by(question)
    clauses = [
        (
            frame.matches(words_in(text[a:b])),
            -a,
            [item for item in written if a <= item.start < b],
            text[a:b],
        )
        for a, b in pairwise(cuts)
    ]
    with_numbers = [each for each in clauses if each[2]]
    told = [each for each in with_numbers if not _RELATIVE.match(each[3])]
    with_numbers = told or with_numbers
    best = max(with_numbers, key=lambda each: each[:2])
    is_listing = any(
        len([w for w in words_in(each[3]) if not w.isdecimal() and not is_listed(w)]) == 0
        for each in with_numbers
        if each is not best
    )
    chosen = [item.number for item in best[2]]
    return [item.number for item in written] if is_listing else chosen


def _last_announced(
    text: str, written: Sequence[WrittenNumber], words: Lexicon
) -> WrittenNumber | None:
    return next((item for item in reversed(written) if _is_announced(text, item, words)), None)


def _is_announced(text: str, item: WrittenNumber, words: Lexicon) -> bool:
    before = text[max(0, item.start - _CUE_REACH) : item.start].casefold()
    cue = _CUE.search(before)
    if (cue and not NEGATION.search(cue[0])) or _CUE_AFTER.match(
        text[item.end : item.end + _CUE_REACH].casefold()
    ):
        return True
    if words.announces is None:
        return False
    ends = [found.end() for found in words.announces.finditer(before)]
    return bool(ends) and len(words_in(before[ends[-1] :])) <= 1


def _units_at(text: str, item: WrittenNumber) -> Iterator[str]:
    """The words right behind a number, and the one before it, that may be its unit."""
    behind = text[item.end : item.end + 60]
    for found in (
        _UNIT.match(behind),
        _UNIT_BEFORE.search(text[max(0, item.start - 24) : item.start]),
    ):
        if found:
            yield fold_for_matching(found[1])
    yield from (fold_for_matching(word) for word in WORD.findall(behind)[1:3])


# ---------------------------------------------------------------------------- what is expected


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
