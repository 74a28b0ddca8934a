"""multiple_choice: which option did the model choose, and is it the right one?

In: a test, its check, and either an answer or the log-likelihood of each option. Out: a Score.
Refuses to know: how a letter is found (`letters`) and which ones there are (`options`).
"""

from __future__ import annotations

import math

from assay.messages import tr
from assay.scorers.choice.letters import How, read_letter
from assay.scorers.choice.options import options_of
from assay.types import Answered, Case, Chosen, MultipleChoice, Score

MULTIPLE_CHOICE = "multiple_choice"
MULTIPLE_CHOICE_VERSION = 1


def multiple_choice(case: Case, check: MultipleChoice, reply: Answered) -> Score:
    """1 where the letter read from the answer is the expected one, else 0."""
    options = options_of(case, check)
    reading = read_letter(reply.text, options)
    expected = check.expected.strip().upper()
    if reading.letter is None:
        return Score(
            scorer=MULTIPLE_CHOICE,
            version=MULTIPLE_CHOICE_VERSION,
            value=0.0,
            no_answer=True,
            explanation=_why_none(reading.how, expected),
        )
    if reading.letter not in options.letters:
        explanation = tr(
            "Read {letter} ({how}), which is none of {allowed}; expected {expected}.",
            letter=reading.letter,
            how=_how(reading.how),
            allowed=", ".join(options.letters),
            expected=expected,
        )
    else:
        explanation = tr(
            "Read {letter} ({how}); expected {expected}.",
            letter=reading.letter,
            how=_how(reading.how),
            expected=expected,
        )
    return _score(reading.letter, expected, explanation)


def multiple_choice_by_likelihood(case: Case, check: MultipleChoice, reply: Chosen) -> Score:
    """1 where the most likely option is the expected one, else 0.

    With `score_by: text` the log-likelihood is divided by the characters of the option, because a
    longer text is less likely whatever it says.
    """
    options = options_of(case, check)
    likelihoods = reply.log_likelihoods
    if len(likelihoods) != len(options.letters) or not likelihoods:
        raise ValueError(
            f"{case.id!r} has {len(options.letters)} options and {len(likelihoods)} likelihoods"
        )
    if any(math.isnan(value) for value in likelihoods):
        raise ValueError(f"a likelihood of {case.id!r} is not a number")
    by_text = check.score_by == "text"
    if by_text:
        lengths = (max(1, len(text)) for text in check.choices)
        likelihoods = tuple(
            value / length for value, length in zip(likelihoods, lengths, strict=True)
        )
    best = max(likelihoods)
    letter = options.letters[likelihoods.index(best)]
    expected = check.expected.strip().upper()
    if by_text:
        explanation = tr(
            "{letter} has the most likely text per character ({best:.3f}); expected {expected}.",
            letter=letter,
            best=best,
            expected=expected,
        )
    else:
        explanation = tr(
            "{letter} is the most likely letter ({best:.3f}); expected {expected}.",
            letter=letter,
            best=best,
            expected=expected,
        )
    if likelihoods.count(best) > 1:
        tied = ", ".join(
            other
            for other, value in zip(options.letters, likelihoods, strict=True)
            if value == best
        )
        explanation += " " + tr("Equally likely: {tied}; the first counts.", tied=tied)
    return _score(letter, expected, explanation)


def _score(letter: str, expected: str, explanation: str) -> Score:
    return Score(
        scorer=MULTIPLE_CHOICE,
        version=MULTIPLE_CHOICE_VERSION,
        value=1.0 if letter == expected else 0.0,
        extracted=letter,
        explanation=explanation,
    )


def _how(how: How) -> str:
    phrases = {
        "whole": tr("the whole answer"),
        "cue": tr("the last letter announced as the answer"),
        "alone": tr("the only letter standing alone"),
        "lead": tr("the letter the answer begins with"),
        "hint": tr("the only letter pointed to"),
        "text": tr("the only option whose text is given"),
        "end": tr("the only letter that ends a clause"),
    }
    return phrases.get(how, how)


def _why_none(how: How, expected: str) -> str:
    if how == "several":
        return tr(
            "Several letters, and nothing says which is the answer; expected {expected}.",
            expected=expected,
        )
    return tr("No letter can be read from the answer; expected {expected}.", expected=expected)
