"""The one way to a mark: a test and a reply in, a Score out.

In: a Case and a Reply. Out: a Score; None for a failed request, which has no score. Refuses to
know: models, stores, other tests. Pure: the same two give the same Score for ever, or a scorer's
version has changed.

Scorers are loaded when a test first needs them, so that a suite of letters and keywords loads no
parser and no language model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.checks.choice.marking import multiple_choice, multiple_choice_by_likelihood
from assay.checks.text import exact_match, keywords
from assay.checks.ticks import told
from assay.messages import tr
from assay.text.folding import visible
from assay.types import (
    Answered,
    Case,
    Chosen,
    CommandSequence,
    Composite,
    EweQuality,
    ExactMatch,
    Failed,
    Format,
    Judge,
    Keywords,
    MultipleChoice,
    NoCheck,
    Reply,
    Score,
    TopK,
)

SCORING_VERSION = 1

# Any: each function takes its own check type, which the table's key has just established.
Scorer = Callable[[Case, Any, Answered], Score]


def score_reply(case: Case, reply: Reply) -> Score | None:
    """Mark one reply; None where the request failed."""
    if isinstance(reply, Failed):
        return None
    if isinstance(reply, Chosen):
        check = case.check
        if not isinstance(check, MultipleChoice):
            raise ValueError(f"likelihoods cannot be marked by {case.method!r}")
        chosen = reply
        return _guarded(case, lambda: multiple_choice_by_likelihood(case, check, chosen))
    if not isinstance(reply, Answered):
        raise ValueError(f"a reply of kind {reply.kind!r} is a measurement and has no mark")
    answered = reply
    return _guarded(case, lambda: _mark_answer(case, answered))


def _guarded(case: Case, scorer: Callable[[], Score]) -> Score:
    try:
        return scorer()
    # A fault in a scorer must neither end the run nor pass for a wrong answer.
    except Exception as error:  # noqa: BLE001
        return Score(
            scorer=case.method,
            version=SCORING_VERSION,
            unscored_reason="scorer_error",
            explanation=tr(
                "The answer could not be marked: {kind}: {error}",
                kind=type(error).__name__,
                error=error,
            ),
        )


def _mark_answer(case: Case, reply: Answered) -> Score:
    if reply.reasoning_unclosed:
        return _no_answer(case, tr("The model was cut off while reasoning and gave no answer."))
    if case.scoring == "ewebench-1.0":
        from assay.checks.ewe.ewebench import score_ewebench

        score = score_ewebench(case, reply)
        if score is not None:
            return score
    if isinstance(case.check, Judge):
        return Score(
            scorer=case.method,
            version=SCORING_VERSION,
            unscored_reason="no_judge",
            explanation=tr("no_judge: a judge has to read this answer, and none has."),
        )
    if isinstance(case.check, NoCheck):
        return Score(
            scorer=case.method,
            version=SCORING_VERSION,
            unscored_reason="nothing_to_check",
            explanation=tr("nothing_to_check: nothing says what a right answer would be."),
        )
    if _is_empty(case, reply):
        return _no_answer(case, tr("The answer is empty."))
    score = SCORERS[type(case.check)](case, case.check, reply)
    if ticked := [*told(case.tags, reply.text)]:
        return replace(score, explanation=" ".join([score.explanation, *ticked]))
    return score


def _is_empty(case: Case, reply: Answered) -> bool:
    several = reply.predictions if isinstance(case.check, TopK) else ()
    return not any(visible(text).strip() for text in several or (reply.text,))


def _no_answer(case: Case, explanation: str) -> Score:
    return Score(
        scorer=case.method,
        version=SCORING_VERSION,
        value=0.0,
        no_answer=True,
        explanation=explanation,
    )


# --------------------------------------------------------------------- scorers loaded when needed


def _format(case: Case, check: Format, reply: Answered) -> Score:
    from assay.checks.format import format_rules

    return format_rules(case, check, reply)


def _composite(case: Case, check: Composite, reply: Answered) -> Score:
    from assay.checks.format import composite

    return composite(case, check, reply)


def _ewe_quality(case: Case, check: EweQuality, reply: Answered) -> Score:
    from assay.checks.ewe.quality import ewe_quality

    return ewe_quality(case, check, reply)


def _top_k(case: Case, check: TopK, reply: Answered) -> Score:
    from assay.checks.shell.marking import top_k

    return top_k(case, check, reply)


def _command_sequence(case: Case, check: CommandSequence, reply: Answered) -> Score:
    from assay.checks.shell.marking import command_sequence

    return command_sequence(case, check, reply)


SCORERS: Mapping[type, Scorer] = {
    ExactMatch: exact_match,
    Keywords: keywords,
    MultipleChoice: multiple_choice,
    Format: _format,
    Composite: _composite,
    EweQuality: _ewe_quality,
    TopK: _top_k,
    CommandSequence: _command_sequence,
}
