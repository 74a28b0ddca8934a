"""Trivial answers are scored 0: empty phrases earn high scores from language models, so no judge is
asked about them.
"""

import re
import unicodedata
from typing import Literal

from assay.judge.questionnaire import Assignment
from assay.messages import tr
from assay.text import answer_words
from assay.text.answer_words import LONGEST_REFUSAL, declines
from assay.text.echo import is_echo
from assay.types import Case
from assay.types.judging.judgements import CriterionScore, Judgement

Trivial = Literal["empty", "announcement", "punctuation", "echo", "refusal"]
NOTHING_SAID: frozenset[str] = frozenset({"empty", "refusal"})  # these are no answers

_LONGEST_COMPARED = 100_000
# Words that promise an answer and stop: many judges give them the best score (arXiv:2507.08794).
_ANNOUNCES = re.compile(r"[^\n]{0,60}:|let[’']?s [^\n]{0,40}step by step\.?", re.IGNORECASE)
_FENCE = re.compile(r"`{3,}|~{3,}")
_LINE_OF_CODE = re.compile(
    r"^[ \t]*(?:(?:async +)?def +\w+ *\(|class +\w+ *[:(]|import +\w|from +[\w.]+ +import\b"
    r"|return\b|\w[\w.]* *[-+*/|]?= )",
    re.MULTILINE,
)


def why_trivial(answer: str, case: Case) -> Trivial | None:
    """Why an answer need not be judged; None where it must be."""
    characters = answer[:_LONGEST_COMPARED]
    seen = "".join(c for c in characters if unicodedata.category(c)[0] not in "CZ")
    if not seen:
        return "empty"
    if _ANNOUNCES.fullmatch(answer.strip()):
        return "announcement"
    if not any(c.isalnum() for c in seen):
        return "punctuation"
    if is_echo(answer, (message.content for message in case.messages)):
        return "echo"
    if len(answer) > LONGEST_REFUSAL:
        return None
    return "refusal" if is_refusal(answer) or declines(answer, only=True) else None


def is_refusal(text: str) -> bool:
    """Whether a text declines, at its beginning, to do what was asked. One with code does not."""
    head = text.strip()[:LONGEST_REFUSAL]
    return answer_words.is_refusal(head) and not _has_code(head)


def explain(why: Trivial) -> str:
    return {
        "empty": tr("the answer is empty"),
        "announcement": tr("the answer only announces an answer"),
        "punctuation": tr("the answer has no letter and no digit"),
        "echo": tr("the answer only repeats the task"),
        "refusal": tr("the answer only declines the task"),
    }[why]


def trivial_judgement(why: Trivial, about: Assignment) -> Judgement:
    """0 for each criterion, with the reason. The judge was asked nothing."""
    reason = explain(why)
    return about.judgement(
        scores=tuple(
            CriterionScore(criterion=each.key, score=0, reason=reason)
            for each in about.rubric.criteria
        ),
        explanation=tr("Scored 0 without asking the judge: {why}.", why=reason),
        attempts=0,
        trivial=why,
    )


def _has_code(text: str) -> bool:
    """Whether there is something in a fence, or a line that reads as code."""
    for block in _FENCE.split(text)[1::2]:
        language, _, code = block.partition("\n")
        if any(c.isalnum() for c in code or language):
            return True
    return _LINE_OF_CODE.search(text) is not None
