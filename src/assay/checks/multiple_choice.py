"""multiple_choice: the letter that the model chose, or its most likely option, is the right one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal

from annotated_types import Len

from assay.checks.letters.options import LikeliestOption, Options, most_likely, options_of
from assay.files.fields import Distinct, Doc, Rule, Texts, form
from assay.messages import fill, message, tr, trn
from assay.plugins import check
from assay.text.dressing import cut_next_question
from assay.text.look_alikes import fold_look_alikes, look_alike_advice, without_marks
from assay.types import (
    LETTERS,
    AnswerCheck,
    Case,
    ChoiceLikelihoods,
    Context,
    FieldProblem,
    Requests,
    Score,
)

_WITHOUT_MARKERS = "ABCDE"
_HOW = {
    "ticked": message("the only option with its box filled"),
    "announced": message("announced as the answer"),
    "set off": message("set off from the rest"),
    "text": message("the text of the option"),
    "said": message("said in the answer's sentence"),
}


@check("multiple_choice")
class MultipleChoice(AnswerCheck):
    """The letter that the model chose is the right one: 1 or 0."""

    version = 9
    all_or_nothing = True
    expected: Annotated[
        str,
        form("[A-Za-z]", lambda: tr("one letter from A to Z")),
        Rule(str.upper),
        Doc("The letter of the right option."),
    ]
    choices: Annotated[
        Texts,
        Len(2, 26),
        Distinct,
        Doc("The texts behind A, B, C and so on, appended to the prompt."),
    ] = ()
    score_by: Annotated[
        Literal["letter", "text"],
        Doc(
            "Whether a model that can score text compares the letters or the texts of the choices."
        ),
    ] = "letter"
    render: Annotated[bool, Doc("Whether the choices are appended to the prompt.")] = True

    def score(self, answer: str, context: Context, /) -> Score:
        if isinstance(context.reply, ChoiceLikelihoods):
            return self._score_choice(context.test, context.reply)
        # Imported when a letter is read: its patterns take longer than a small suite.
        from assay.checks.letters.reading import read_letter
        from assay.text.commitment import lexicon

        options = options_of(context.test, self.choices, self.expected)
        answer = cut_next_question(answer, context.test)
        if context.language == "ewe":
            answer, *texts = (fold_look_alikes(text, "ewe")[0] for text in (answer, *options.texts))
            options = Options(options.letters, tuple(texts), "stem")
        elif context.language == "fra" and answer.isascii():  # typed without any mark
            options = replace(options, texts=tuple(map(without_marks, options.texts)))
        words = lexicon(context.test.words, context.test.language)
        language = context.language or context.test.language
        reading = read_letter(answer, options, context.test.prompt, words, language)
        if reading.letter is None:
            explanation = tr(
                "No letter can be read from the answer; expected {expected}.",
                expected=self.expected,
            )
            if reading.how == "several":
                explanation = tr(
                    "Several letters, and nothing says which is the answer; expected {expected}.",
                    expected=self.expected,
                )
            return Score(value=0.0, no_answer=True, explanation=explanation)
        read = reading.letter
        if reading.how in _HOW:  # else the letter is all there is
            read = tr("{letter} ({how})", letter=read, how=fill(_HOW[reading.how], {}))
        gaps = {"read": read, "expected": self.expected}
        if reading.letter in options.letters:
            explanation = tr("Answered {read}; expected {expected}.", **gaps)
        else:
            explanation = tr(
                "Answered {read}, which is none of {allowed}; expected {expected}.",
                allowed=", ".join(options.letters),
                **gaps,
            )
        return self._scored(reading.letter, explanation)

    def _score_choice(self, test: Case, reply: ChoiceLikelihoods) -> Score:
        choice = most_likely(test.id, self.requests(), reply)
        sentences = [self._most_likely(choice, reply)]
        if len(choice.tied) > 1:
            tied = ", ".join(choice.tied)
            sentences.append(tr("Equally likely: {tied}; the first counts.", tied=tied))
        if choice.unseen:
            sentences.append(
                trn(
                    "{letters} was not among the tokens that the server returned.",
                    "{letters} were not among the tokens that the server returned.",
                    len(choice.unseen),
                    letters=", ".join(choice.unseen),
                )
            )
        return self._scored(choice.letter, " ".join(sentences))

    def _most_likely(self, choice: LikeliestOption, reply: ChoiceLikelihoods) -> str:
        gaps = {"letter": choice.letter, "best": choice.likelihood, "expected": self.expected}
        if self.score_by == "text":
            return tr(
                "{letter} has the most likely text per character ({best:.3f}); "
                "expected {expected}.",
                **gaps,
            )
        if reply.method == "first_token":
            return tr(
                "{letter} is the most likely letter by the likelihood of the first token "
                "({best:.3f}); expected {expected}.",
                **gaps,
            )
        return tr("{letter} is the most likely letter ({best:.3f}); expected {expected}.", **gaps)

    def _scored(self, letter: str, explanation: str) -> Score:
        return Score(
            value=float(letter == self.expected), extracted=letter, explanation=explanation
        )

    def gold(self) -> str:
        return self.expected

    def requests(self) -> Requests:
        offered = len(self.choices) or max(len(_WITHOUT_MARKERS), LETTERS.index(self.expected) + 1)
        return Requests(
            options=self.choices,
            by_text=self.score_by == "text",
            shown=self.render,
            letters=LETTERS[:offered],
        )

    def describe(self) -> Iterator[tuple[str, str]]:
        yield tr("right"), self.expected
        yield from zip(LETTERS, self.choices, strict=False)

    def problems(self, test: Case, /) -> Iterator[FieldProblem]:
        if not self.choices:
            if self.score_by == "text":
                yield FieldProblem(("score_by",), tr('"score_by": "text" needs \'choices\''))
            return
        last = LETTERS[len(self.choices) - 1]
        if self.expected > last:
            message = tr(
                "'expected' is '{letter}', but the choices are A to {last}",
                letter=self.expected,
                last=last,
            )
            yield FieldProblem(("expected",), message)

    def advice(self, test: Case, /) -> Iterator[FieldProblem]:
        yield from look_alike_advice("choices", ((text,) for text in self.choices), test)
        if self.choices:
            return
        offered = options_of(test, (), "A").letters
        if self.expected not in offered:
            message = tr(
                "'{letter}' is not among the letters offered ({letters})",
                letter=self.expected,
                letters=", ".join(offered),
            )
            yield FieldProblem(("expected",), message)
