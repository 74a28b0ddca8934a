"""Why a judge's reply cannot be used, and what it is told about it.

In: a reply. Out: its Reading, or the Problem with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.judge.guards.trivial import is_refusal
from assay.judge.reasoned.reading import Reading, read_reply
from assay.messages import tr
from assay.text.json_in_prose import is_one_object
from assay.types import Answered, Failed, Reply
from assay.types.judgements import Criterion

Trouble = Literal["unreadable", "truncated", "refused", "empty", "failed"]

_REFUSED_BY_THE_SERVER = frozenset({"content_filter", "refusal", "safety"})

# Not translated: put to a judge, whose reply must not change with the user's language.
COMPLAINTS: Mapping[Trouble, str] = {
    "unreadable": "it was not one JSON object in the form above, with a whole number from 0 to 10 "
                  "as the score of every criterion",
    "truncated": "it was longer than there is room for",
    "refused": "it declined to judge; nothing is asked of you but to read the work and score it",
    "empty": "it was empty",
    "failed": "it did not arrive",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an attempt came to nothing: a code and a sentence."""

    trouble: Trouble
    sentence: str = ""


def heard(
    reply: Reply, criteria: Sequence[Criterion], answer: str = ""
) -> tuple[Reading, Problem | None]:
    """What a reply says of an answer by these criteria, and what is wrong with it."""
    if isinstance(reply, Failed):
        return Reading(), Problem("failed", reply.reason)
    if not isinstance(reply, Answered):
        return Reading(), Problem("failed", tr("the judge gave another kind of reply"))
    # Some servers close the object and fill what room is left with white space.
    cut = reply.truncated and not is_one_object(reply.text)
    if reply.reasoning_unclosed or cut:
        return Reading(), Problem("truncated")
    reading = read_reply(reply.text, criteria, answer)
    if reading.scores:
        return reading, None
    if reply.finish.casefold() in _REFUSED_BY_THE_SERVER or is_refusal(reply.text):
        return reading, Problem("refused")
    if not reply.text.strip():
        return reading, Problem("empty")
    return reading, Problem("unreadable", reading.problem)


def explain(problem: Problem, attempts: int) -> str:
    """The sentence a report has for it."""
    match problem.trouble:
        case "truncated":
            return tr("the judge's reply was cut off, in {count} attempts", count=attempts)
        case "refused":
            return tr("the judge declined to judge, in {count} attempts", count=attempts)
        case "empty":
            return tr("the judge's reply was empty, in {count} attempts", count=attempts)
        case "failed":
            return tr("the judge could not be asked: {why}", why=problem.sentence)
        case "unreadable":
            return tr(
                "the judge's reply could not be read, in {count} attempts: {why}",
                count=attempts,
                why=problem.sentence,
            )
