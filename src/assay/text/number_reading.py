"""Which number an answer commits to, and in which unit; what an expected one asks for.

A number of the question is not the answer's unless nothing else is there. Announced: behind a cue
word, "=" or in a box; set off: bold, behind a colon, a line of its own; said: the only new one of
its clause. A later announced one is the result of the steps before it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from assay.text.announced import announced_values
from assay.text.answer_words import NEGATION, WORDS, is_denied, may_deny
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
# How each of them begins: only these places are tried.
_CUE_STARTS = late_pattern(
    r"(?:answers?|ans|results?|total|sum|equals?|réponses?|reponse|résultat|resultat|somme|égale?|antwort|ergebnis|summe"
    r"|gesamt|respuesta|resultado|suma|ŋuɖoɖo\w*)(?!\w)|[=≈→⇒]|->|\#{4}|\\boxed\{"
)
_CUE_WORDS = frozenset({
    "answer", "answers", "ans", "result", "results", "total", "sum", "equal", "equals", "réponse",
    "réponses", "reponse", "résultat", "resultat", "somme", "égal", "égale", "antwort", "ergebnis",
    "summe", "gesamt", "respuesta", "resultado", "suma",
})  # fmt: skip
_CUE_SIGN = re.compile(r"[=≈→⇒>#\\ŋ]")
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
_LABELS = (
    "question", "problem", "exercise", "step", "part", "étape", "exercice", "problème", "schritt",
    "frage", "aufgabe", "pregunta", "paso",
)  # fmt: skip
_COMPARES = frozenset("<>≠≤≥ ")
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
_OR_WORDS = frozenset(WORDS["or"][3:-1].split("|"))
_OFFERED = late_pattern(rf"\d\W{{0,5}}\s{WORDS['or']}\s[^.!?;\n]{{0,30}}\d", re.IGNORECASE)
_CUE_REACH, _LABEL_REACH = 90, 30  # characters before a number in which these are looked for


_COLON = re.compile(r"[:：]\s*[$€£¥]?\Z")
_CLAUSE = late_pattern(r",(?!\d)|[;()：，、]|:(?!\d)|\s[–—]\s")
_UNIT = late_pattern(
    r"\s?(°\s?[a-z]|[%€$£¥]|[^\W\d_]{1,20}(?:[²³]|/[^\W\d_]{1,10})?)", re.IGNORECASE
)
_UNIT_BEFORE = late_pattern(r"([€$£¥]|(?<!\w)[^\W\d_]{1,20})\s?\Z", re.IGNORECASE)
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
    if len(claims) > 1 and _is_offered(text):
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
    denies = bool(words.denies) or may_deny(folded)
    cues = _Cues(text, words)
    for item in reversed(all_numbers(text)):
        if cues.announce(item) and _is_counted(text, item, words, True, denies):
            return item.number
    return None


def _only_one(
    counted: Sequence[tuple[int, Sentence, Sequence[WrittenNumber]]],
) -> tuple[Sentence, WrittenNumber] | None:
    """The only number of an answer, and its sentence."""
    every = [(sentence, item) for _, sentence, written in counted for item in written]
    return every[0] if len(every) == 1 else None


def _counted(text: str, words: Lexicon) -> Iterator[WrittenNumber]:
    """The numbers of a sentence that are neither labels nor denied."""
    written = all_numbers(text)
    if not written:
        return
    folded = text.casefold()
    is_labelled = any(map(folded.__contains__, _LABELS))
    denies = bool(words.denies) or may_deny(folded)
    for item in written:
        if _is_counted(text, item, words, is_labelled, denies):
            yield item


def _is_counted(
    text: str, item: WrittenNumber, words: Lexicon, is_labelled: bool, denies: bool
) -> bool:
    """`is_labelled`, `denies`: whether the sentence has a word by which a number may be so."""
    if text[item.start - 1 : item.start] in _COMPARES and _COMPARED.search(
        text, max(0, item.start - 3), item.start
    ):
        return False
    if not is_labelled and not denies:
        return True
    before = text[max(0, item.start - _CUE_REACH) : item.start].casefold()
    if is_labelled and _LABEL.search(before[-_LABEL_REACH:]):
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
    announced = _Cues(text, words).last_of(written) if applies("announced") else None
    if announced:
        told = _told_first(text, written, asked) if "=" in text else None
        yield Commitment(told or announced.number, ANNOUNCED)
        return
    matched = asked_by(question).matches(words_in(text))
    back = takes_back(text)
    is_one = all(item.number == written[0].number for item in written)
    if is_one and sentence.alone and _is_bare(text, len(written)):
        strength = ANNOUNCED if is_last and applies("last line") else SET_OFF
        yield Commitment(written[0].number, strength, matched, bare=True, takes_back=back)
        return
    set_apart = _emphasised(text, written, asked) or _behind_colon(text, written, asked)
    if set_apart is not None:
        yield Commitment(set_apart, SET_OFF, matched, takes_back=back)
        return
    if _is_offered(text):
        numbers = [item.number for item in written]
    else:
        new = [item for item in written if item.number not in asked]
        numbers = _said(text, new or written, question)
    for number in numbers:
        yield Commitment(number, SAID, matched, takes_back=back)


def _is_bare(text: str, count: int) -> bool:
    """Whether a line is a number and no more than a word beside it: its unit."""
    others = sum(not word.isdecimal() for word in words_in(text))
    return others <= (1 if count == 1 else 0)


def _emphasised(
    text: str, written: Sequence[WrittenNumber], asked: Collection[Number]
) -> Number | None:
    """The only number that is in bold, in quotes or as code."""
    spans = set_off(text) if applies("set off") else []
    if not spans:
        return None
    short = [span for span in spans if len(words_in(span)) <= _MOST_WORDS]
    found = {item.number for span in short for item in all_numbers(span)}
    found &= {item.number for item in written}
    found -= set(asked) if len(found) > 1 else set()
    return found.pop() if len(found) == 1 else None


def _behind_colon(
    text: str, written: Sequence[WrittenNumber], asked: Collection[Number]
) -> Number | None:
    """The only number behind a colon."""
    if not (":" in text or "：" in text) or not applies("colon"):
        return None
    colon = [item for item in written if _COLON.search(text, 0, item.start)]
    if colon and any(item.number not in asked for item in written if item.end < colon[0].start):
        return None  # "26 letters: 5 vowels": it is told before, and these are its parts
    numbers = {item.number for item in colon}
    return numbers.pop() if len(numbers) == 1 else None


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


def _is_offered(text: str) -> bool:
    """Whether a number is one of several: "3 or 4"."""
    return not _OR_WORDS.isdisjoint(words_in(text)) and _OFFERED.search(text) is not None


class _Cues:
    """Where a sentence may announce a number, and which it announces."""

    def __init__(self, text: str, words: Lexicon) -> None:
        folded = text.casefold()
        self._folded = folded if len(folded) == len(text) else text.lower()
        self._places: list[int] = []
        if not _CUE_WORDS.isdisjoint(words_in(text)) or _CUE_SIGN.search(self._folded):
            self._places = [found.start() for found in _CUE_STARTS.finditer(self._folded)]
        self._announces = words.announces

    def last_of(self, written: Sequence[WrittenNumber]) -> WrittenNumber | None:
        """The last number that is announced."""
        if not self._places and self._announces is None:
            return None
        return next(filter(self.announce, reversed(written)), None)

    def announce(self, item: WrittenNumber) -> bool:
        """Whether a cue before a number, or right behind it, announces it."""
        folded, start = self._folded, item.start
        reach = max(0, start - _CUE_REACH)
        for place in self._places:
            if reach <= place < start and (cue := _CUE.match(folded, place, start)):
                if not NEGATION.search(cue[0]):
                    return True
                break
        if self._places and _CUE_AFTER.match(folded, item.end, item.end + _CUE_REACH):
            return True
        if self._announces is None:
            return False
        before = folded[reach:start]
        ends = [found.end() for found in self._announces.finditer(before)]
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
