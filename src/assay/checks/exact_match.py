"""exact_match: the whole answer is one of the accepted texts."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal

from assay.files.fields import Doc, OneOrMore
from assay.messages import tr, written
from assay.plugins import check
from assay.text.dressing import cut_next_question, plain_reply, undress
from assay.text.folding import fold_whole_answer
from assay.text.look_alikes import look_alike_advice
from assay.text.numbers import show
from assay.text.safe_text import one_line
from assay.types import AnswerCheck, Case, Context, FieldProblem, Score
from assay.types.tests import SuiteWords

if TYPE_CHECKING:
    from assay.text.exact_reading import ExactReading
    from assay.text.quantities import ExpectedNumbers

_MOST_SHOWN = 200  # characters of an answer repeated in an explanation
_AS_WRITTEN: dict[str, Callable[[str], str]] = {"strict": str, "trim": str.strip}


@check("exact_match")
class ExactMatch(AnswerCheck):
    """The whole answer is one of the accepted texts: 1 or 0."""

    version = 7
    all_or_nothing = True
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
        test = context.test
        reading = exact_reading(self.expected, test.prompt, test.words, test.language)
        right, competes, text = reading.read(answer)
        if right:
            return self._scored(True, fold_whole_answer(undress(text)))
        if self.normalize is None and (numbers := _quantities(self.expected)):
            score = self._score_number(answer, context, numbers)
            if score.value:
                return score
        if competes:
            return self._several()
        return self._scored(False, fold_whole_answer(undress(text)))

    def _score_number(self, answer: str, context: Context, expected: tuple[str, ...] = ()) -> Score:
        whole = fold_whole_answer(answer)
        if whole in _folded(self.expected):
            return self._scored(True, whole)
        test = context.test
        numbers = _numbers(expected or self.expected, test.prompt, test.words, test.language)
        if not numbers.accepted:
            return Score(
                unscored_reason="expected_not_a_number",
                explanation=tr(
                    "The test expects a number, but none can be read from {expected}; "
                    "correct `expected` or choose another `normalize`.",
                    expected=_quoted(self.expected),
                ),
            )
        read = numbers.read(answer)
        number = read.number
        if number is None:
            return self._no_number(read.seen)
        value, other_unit = numbers.compare(read, number)
        if value is not None:
            return self._scored(True, show(value), written(show(value)))
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
                "{count} different numbers, and which is the answer cannot be read; "
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
def exact_reading(
    expected: tuple[str, ...], question: str, words: SuiteWords | None, language: str | None
) -> "ExactReading":
    """How answers to a test are read. Imported here: the lists take longer than a small suite."""
    from assay.text.exact_reading import ExactReading

    return ExactReading(expected, question, words, language)


@lru_cache(maxsize=1024)
def _numbers(
    expected: tuple[str, ...], question: str, words: SuiteWords | None, language: str | None
) -> "ExpectedNumbers":
    """The numbers that a test expects, read once."""
    from assay.text.quantities import ExpectedNumbers

    return ExpectedNumbers(expected, question, words, language)


@lru_cache(maxsize=1024)
def _are_quantities(expected: tuple[str, ...]) -> bool:
    if not all(any(map(str.isdecimal, text)) for text in expected):
        return False
    from assay.text.quantities import is_quantity

    return all(map(is_quantity, expected))


@lru_cache(maxsize=1024)
def _quantities(expected: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the accepted texts that are numbers, beside others in words: "7", "seven"."""
    some = [text for text in expected if any(map(str.isdecimal, text))]
    if not some:
        return ()
    from assay.text.quantities import is_quantity

    return tuple(filter(is_quantity, some))


@lru_cache(maxsize=1024)
def _quoted(texts: tuple[str, ...]) -> str:
    shown = [text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…" for text in texts]
    return '"' + '", "'.join(shown) + '"' if shown else ""
