"""exact_match: the whole answer is one of the accepted texts."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Annotated, Literal

from assay.files.fields import Doc, OneOrMore
from assay.messages import tr
from assay.plugins import check
from assay.text.answer_words import ONE_CLAIM
from assay.text.claims import says_only
from assay.text.dressing import cut_next_question, cut_surroundings, undress
from assay.text.folding import fold_whole_answer
from assay.text.look_alikes import fold_look_alikes, look_alike_advice, ways_to_read
from assay.text.number_words import in_digits
from assay.text.safe_text import one_line
from assay.types import AnswerCheck, Case, Context, FieldProblem, Score

_DECIMAL_COMMA = frozenset({"fra"})  # languages whose suites write 1,5 for one and a half
_MOST_SHOWN = 200  # characters of an answer repeated in an explanation
_AS_WRITTEN: dict[str, Callable[[str], str]] = {"strict": str, "trim": str.strip}


@check("exact_match")
class ExactMatch(AnswerCheck):
    """The whole answer is one of the accepted texts: 1 or 0."""

    version = 5
    expected: Annotated[OneOrMore, Doc("The right answer: a text or a list of accepted texts.")]
    normalize: Annotated[
        Literal["strict", "trim", "text", "number"],
        Doc("What is made equal before comparing."),
    ] = "text"

    @property
    def reads_as_written(self) -> bool:
        return self.normalize in _AS_WRITTEN

    def score(self, answer: str, context: Context, /) -> Score:
        if self.normalize in _AS_WRITTEN:
            form = _AS_WRITTEN[self.normalize]
            read = form(answer)
            return self._scored(read in map(form, self.expected), read)
        answer = cut_next_question(answer, context.test)
        if self.normalize == "number":
            return self._score_number(answer, context)
        return self._score_text(answer, context)

    def _score_text(self, answer: str, context: Context) -> Score:
        read = fold_whole_answer(answer)
        accepted, has_number = _folded(self.expected)
        if read in accepted:
            return self._scored(True, read)
        test = context.test
        language, question = test.language_code, test.prompt
        bare = undress(cut_surroundings(fold_look_alikes(answer, language)[0], question))
        plain = fold_whole_answer(bare)
        ways = ways_to_read(plain, language)
        if has_number and len(plain) <= ONE_CLAIM and (read := in_digits(plain, language)) != plain:
            ways += ways_to_read(read, language)
        for text, spell in ways:
            spelled = [*map(spell, accepted)]
            if text in spelled or ("?" not in bare and says_only(text, spelled, question)):
                return self._scored(True, text)
        return self._scored(False, plain)

    def _score_number(self, answer: str, context: Context) -> Score:
        from assay.text.numbers import read_expected, read_number, show

        decimal_comma = context.language in _DECIMAL_COMMA
        readings = (read_expected(text, decimal_comma=decimal_comma) for text in self.expected)
        accepted = [number for number in readings if number is not None]
        if not accepted:
            return Score(
                unscored_reason="expected_not_a_number",
                explanation=tr(
                    "The test expects a number, but none can be read from {expected}; "
                    "correct `expected` or choose another `normalize`.",
                    expected=_quoted(self.expected),
                ),
            )
        number, seen = read_number(answer, context.test.prompt, context.language)
        if number is None:
            return self._no_number(seen)
        for wanted in accepted:
            value = number.reading_like(wanted)
            if value is not None:
                return self._scored(True, show(value))
        return self._scored(False, show(number.readings[0]))

    def _scored(self, right: bool, read: str) -> Score:
        if right:
            explanation = tr("Read {read}, as expected.", read=_quoted((read,)))
        else:
            explanation = tr(
                "Read {read}; expected {expected}.",
                read=_quoted((read,)),
                expected=_quoted(self.expected),
            )
        return Score(value=float(right), extracted=read, explanation=explanation)

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

    def problems(self, test: Case, /) -> Iterator[FieldProblem]:
        for index, text in enumerate(self.expected):
            if self.normalize == "number" and not any(map(str.isdigit, text)):
                message = tr(
                    '\'{text}\' contains no number, but "normalize" is "number"',
                    text=one_line(text, longest=60),
                )
                yield FieldProblem(("expected", index), message)

    def advice(self, test: Case, /) -> Iterator[FieldProblem]:
        yield from look_alike_advice("expected", ((text,) for text in self.expected), test)


@lru_cache(maxsize=1024)  # of each test, for its answers and baselines
def _folded(expected: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The accepted texts as they are compared, and whether one of them is a number."""
    folded = tuple(map(fold_whole_answer, expected))
    return folded, any(map(str.isdecimal, folded))


@lru_cache(maxsize=1024)
def _quoted(texts: tuple[str, ...]) -> str:
    shown = [text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…" for text in texts]
    return '"' + '", "'.join(shown) + '"' if shown else ""
