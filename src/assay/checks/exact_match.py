"""exact_match: the whole answer is one of the accepted texts."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from assay.files.fields import Doc, OneOrMore
from assay.messages import tr, written
from assay.plugins import check
from assay.text.announced import announced_values
from assay.text.dressing import (
    cut_next_question,
    cut_surroundings,
    plain_reply,
    undress,
    without_signs,
)
from assay.text.folding import fold_whole_answer
from assay.text.look_alikes import (
    fold_look_alikes,
    look_alike_advice,
    ways_to_read,
    without_marks,
)
from assay.text.safe_text import one_line
from assay.types import AnswerCheck, Case, Context, FieldProblem, Score

_DECIMAL_COMMA = frozenset({"fra"})  # languages whose suites write 1,5 for one and a half
_ASKED_FOR_TEXT = "text only"
_MOST_SHOWN = 200  # characters of an answer repeated in an explanation
_YEAR = re.compile(r"[12]\d{3}")
_SMALL = frozenset("₀₁₂₃₄₅₆₇₈₉")
_AS_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_ELIDED = re.compile(r"(?<=\w)['’](?=\w)")
_AS_WRITTEN: dict[str, Callable[[str], str]] = {"strict": str, "trim": str.strip}


@check("exact_match")
class ExactMatch(AnswerCheck):
    """The whole answer is one of the accepted texts: 1 or 0."""

    version = 7
    expected: Annotated[OneOrMore, Doc("The right answer: a text or a list of accepted texts.")]
    normalize: Annotated[
        Literal["strict", "trim", "text", "number"] | None,
        Doc(
            "What is made equal before comparing; without it `number` where every accepted text is "
            "a number or a number with a unit, else `text`."
        ),
    ] = None

    @property
    def reads_as_written(self) -> bool:
        return self.normalize in _AS_WRITTEN

    @property
    def compares(self) -> str:
        """What is made equal: as the test says, else by what it expects."""
        return self.normalize or ("number" if _are_quantities(self.expected) else "text")

    def score(self, answer: str, context: Context, /) -> Score:
        if self.normalize is not None and self.normalize in _AS_WRITTEN:
            form = _AS_WRITTEN[self.normalize]
            read = form(answer)
            return self._scored(read in map(form, self.expected), read)
        answer = cut_next_question(answer, context.test)
        if self.compares == "number":
            return self._score_number(answer, context)
        return self._score_text(answer, context)

    def _score_text(self, answer: str, context: Context) -> Score:
        read = fold_whole_answer(answer)
        if read in _folded(self.expected):
            return self._scored(True, read)
        # Imported where it is needed: the patterns take longer than a small suite.
        from assay.text.commitment import LEFT_OUT, lexicon
        from assay.text.structure import shorten
        from assay.text.text_reading import accepted_texts

        test = context.test
        language, question = test.language_code, test.prompt
        text = cut_surroundings(fold_look_alikes(shorten(answer), language)[0], question)
        if "<" not in "".join(self.expected):  # else a tag may be the answer
            text = announced_values(text) or without_signs(text)
        words = lexicon(test.words, test.language)
        competes = False
        read_before: set[tuple[str, tuple[str, ...]]] = set()
        for way, accepted in self._ways(text, language or test.language):
            if (way, accepted) in read_before:
                continue
            read_before.add((way, accepted))
            reading = accepted_texts(accepted, question, words, frozenset(LEFT_OUT))
            right, competing = reading.read(way)
            if right:
                return self._scored(True, fold_whole_answer(undress(way)))
            competes = competes or competing
        if self.normalize is None and (numbers := _quantities(self.expected)):
            score = self._score_number(answer, context, numbers)
            if score.value:
                return score
        if competes:
            return self._several()
        return self._scored(False, fold_whole_answer(undress(text)))

    def _ways(self, text: str, language: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The answer and the accepted texts, spelled in each way in which they may be compared."""
        for way, spell in ways_to_read(text, language):
            yield way, tuple(map(spell, self.expected))
        if not text.isascii():
            if not _SMALL.isdisjoint(text):  # "CO₂"
                yield text.translate(_AS_DIGITS), self.expected
            names = tuple(each for each in self.expected if " " in each)
            if names and (plain := without_marks(text)) != text:  # "Mehmet Âkif"
                yield plain, tuple(map(without_marks, names))
        if any(map(_ELIDED.search, self.expected)):  # "ngombe" for "ng'ombe"
            yield _ELIDED.sub("", text), tuple(_ELIDED.sub("", each) for each in self.expected)

    def _score_number(self, answer: str, context: Context, expected: tuple[str, ...] = ()) -> Score:
        whole = fold_whole_answer(answer)
        if whole in _folded(self.expected):
            return self._scored(True, whole)
        from assay.text.commitment import lexicon
        from assay.text.number_reading import (
            expected_unit,
            read_expected,
            read_number,
            unit_agrees,
        )
        from assay.text.numbers import show

        decimal_comma = context.language in _DECIMAL_COMMA
        readings = (
            (read_expected(text, decimal_comma=decimal_comma), text)
            for text in expected or self.expected
        )
        accepted = [(number, text) for number, text in readings if number is not None]
        if not accepted:
            return Score(
                unscored_reason="expected_not_a_number",
                explanation=tr(
                    "The test expects a number, but none can be read from {expected}; "
                    "correct `expected` or choose another `normalize`.",
                    expected=_quoted(self.expected),
                ),
            )
        test = context.test
        words = lexicon(test.words, test.language)
        read = read_number(
            answer,
            test.prompt,
            context.language or test.language,
            words,
            with_units=any(expected_unit(text) for _, text in accepted),
            is_year=all(_YEAR.fullmatch(text.strip()) for _, text in accepted),
        )
        number = read.number
        if number is None:
            return self._no_number(read.seen)
        other_unit = False
        for wanted, text in accepted:
            value = number.reading_like(wanted)
            if value is not None and unit_agrees(expected_unit(text), read.units, test.prompt):
                return self._scored(True, show(value), written(show(value)))
            other_unit = other_unit or value is not None
        plain = show(number.readings[0])
        unit = f" {read.units[0]}" if other_unit else ""
        return self._scored(False, plain + unit, written(plain) + unit)

    def _scored(self, right: bool, read: str, shown: str = "") -> Score:
        if right:
            explanation = tr("Read {read}, as expected.", read=_quoted((shown or read,)))
        else:
            explanation = tr(
                "Read {read}; expected {expected}.",
                read=_quoted((shown or read,)),
                expected=_quoted(self.expected),
            )
        return Score(value=float(right), extracted=read, explanation=explanation)

    def _several(self) -> Score:
        explanation = tr(
            "Several answers, and nothing says which is meant; expected {expected}.",
            expected=_quoted(self.expected),
        )
        return Score(value=0.0, no_answer=True, explanation=explanation)

    def _no_number(self, seen: int) -> Score:
        wanted = _quoted(self.expected)
        if seen:
            explanation = tr(
                "{count} different numbers and no word that says which is the answer; "
                "expected {expected}.",
                count=seen,
                expected=wanted,
            )
        else:
            explanation = tr("No number in the answer; expected {expected}.", expected=wanted)
        return Score(value=0.0, no_answer=True, explanation=explanation)

    def gold(self) -> str:
        return self.expected[0]

    def baselines(self) -> Iterable[str]:
        return self.expected

    def stored(self) -> Mapping[str, Any]:
        """Runs of before have "text" where nothing was asked for: so the one asked for is named."""
        normalize = _ASKED_FOR_TEXT if self.normalize == "text" else self.normalize or "text"
        return {**AnswerCheck.stored(self), "normalize": normalize}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> Self:
        normalize = {"text": None, _ASKED_FOR_TEXT: "text"}
        given = stored.get("normalize")
        return cls.from_fields({**stored, "normalize": normalize.get(str(given), given)})

    def problems(self, test: Case, /) -> Iterator[FieldProblem]:
        for index, text in enumerate(self.expected):
            if self.compares == "number" and not any(map(str.isdigit, text)):
                message = tr(
                    '\'{text}\' contains no number, but "normalize" is "number"',
                    text=one_line(text, longest=60),
                )
                yield FieldProblem(("expected", index), message)

    def advice(self, test: Case, /) -> Iterator[FieldProblem]:
        yield from look_alike_advice("expected", ((text,) for text in self.expected), test)


@lru_cache(maxsize=1024)  # of each test, for its answers and baselines
def _folded(expected: tuple[str, ...]) -> frozenset[str]:
    """The accepted texts as they are compared: as written, and as a reply would be read."""
    forms = (form for text in expected for form in (text, plain_reply(text)))
    return frozenset(map(fold_whole_answer, forms))


@lru_cache(maxsize=1024)
def _are_quantities(expected: tuple[str, ...]) -> bool:
    if not all(any(map(str.isdecimal, text)) for text in expected):
        return False
    from assay.text.number_reading import is_quantity

    return all(map(is_quantity, expected))


@lru_cache(maxsize=1024)
def _quantities(expected: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the accepted texts that are numbers, beside others in words: "7", "seven"."""
    some = [text for text in expected if any(map(str.isdecimal, text))]
    if not some:
        return ()
    from assay.text.number_reading import is_quantity

    return tuple(filter(is_quantity, some))


@lru_cache(maxsize=1024)
def _quoted(texts: tuple[str, ...]) -> str:
    shown = [text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…" for text in texts]
    return '"' + '", "'.join(shown) + '"' if shown else ""
