"""multiple_choice: which option did the model choose, and is it the right one?

In: a test, its check, and either an answer or the log-likelihood of each option. Out: a Score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.checks.choice.letters import How, read_letter
from assay.checks.choice.options import options_of
from assay.messages import tr, trn
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
    longer text is less likely whatever it says. An option that is only bounded is never the most
    likely one: it was not among the likeliest tokens, and one that was is there.
    """
    letters = options_of(case, check).letters
    _refuse_impossible(case, check, reply, len(letters))
    likelihoods = reply.log_likelihoods
    if check.score_by == "text":
        lengths = (max(1, len(text)) for text in check.choices)
        likelihoods = tuple(
            value / length for value, length in zip(likelihoods, lengths, strict=True)
        )
    bounded = reply.bounded or (False,) * len(letters)
    seen = {
        letter: value
        for letter, value, only_bounded in zip(letters, likelihoods, bounded, strict=True)
        if not only_bounded
    }
    best = max(seen.values())
    tied = [letter for letter, value in seen.items() if value == best]
    expected = check.expected.strip().upper()
    said = [_most_likely(tied[0], best, expected, check, reply)]
    if len(tied) > 1:
        said.append(tr("Equally likely: {tied}; the first counts.", tied=", ".join(tied)))
    unseen = [letter for letter in letters if letter not in seen]
    if unseen:
        said.append(_not_told(unseen))
    return _score(tied[0], expected, " ".join(said))


def _refuse_impossible(case: Case, check: MultipleChoice, reply: Chosen, options: int) -> None:
    likelihoods, bounded = reply.log_likelihoods, reply.bounded
    if len(likelihoods) != options or not likelihoods:
        raise ValueError(f"{case.id!r} has {options} options and {len(likelihoods)} likelihoods")
    if any(math.isnan(value) for value in likelihoods):
        raise ValueError(f"a likelihood of {case.id!r} is not a number")
    if bounded and len(bounded) != options:
        raise ValueError(f"{len(bounded)} of {options} likelihoods of {case.id!r} are told apart")
    if bounded and all(bounded):
        raise ValueError(f"no likelihood of {case.id!r} is known, only bounds")
    if reply.method == "first_token" and check.score_by == "text":
        raise ValueError(
            f"the likelihood of a first token says nothing of the texts of {case.id!r}"
        )


def _most_likely(
    letter: str, best: float, expected: str, check: MultipleChoice, reply: Chosen
) -> str:
    if check.score_by == "text":
        return tr(
            "{letter} has the most likely text per character ({best:.3f}); expected {expected}.",
            letter=letter,
            best=best,
            expected=expected,
        )
    if reply.method == "first_token":
        return tr(
            "{letter} is the most likely letter by the likelihood of the first token "
            "({best:.3f}); expected {expected}.",
            letter=letter,
            best=best,
            expected=expected,
        )
    return tr(
        "{letter} is the most likely letter ({best:.3f}); expected {expected}.",
        letter=letter,
        best=best,
        expected=expected,
    )


def _not_told(letters: Sequence[str]) -> str:
    *others, last = letters
    return trn(
        "{letters} was not among the tokens the server told.",
        "{letters} were not among the tokens the server told.",
        len(letters),
        letters=tr("{letters} and {last}", letters=", ".join(others), last=last)
        if others
        else last,
    )


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
