"""A test, a rubric, a judge and answers, for the tests of judging."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from assay.checks.judge import Judge
from assay.judge.questionnaire import Questionnaire
from assay.judge.rubrics import load_rubric
from assay.types import Answered, Case, Message, ModelFacts, Reply, Request
from assay.types.judging.judgements import (
    CriterionScore,
    Evidence,
    EvidenceCheck,
    Judgement,
    Quote,
    QuoteStatus,
)

CODING = load_rubric("coding")
DATA = load_rubric("data")

CASE = Case(
    id="CT-01",
    suite="coding",
    category="writing",
    messages=(Message("user", "Write a binary search in Python and say how it scales."),),
    check=Judge(
        rubric="coding",
        requirements=("a function", "its complexity"),
        evaluation_points=("edge cases",),
        checklist=("The function has a docstring.", "Is the complexity stated?"),
    ),
    description="Binary search",
)

ANSWER = '''Here is the function:

```python
def find(items, wanted):
    """Index of wanted in sorted items, or -1; O(log n)."""
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        if items[middle] == wanted:
            return middle
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1
```

It halves the range with each comparison, so it is O(log n).
'''

JUDGE = ModelFacts(spec="scripted:judge.json", name="judge", fingerprint="sha256:1")
STRICT_JUDGE = ModelFacts(
    spec="ollama:judge",
    name="judge",
    fingerprint="sha256:2",
    capabilities=frozenset({"generate", "structured_output"}),
)
NOTHING_RUN = Evidence(missing="nothing was run")


def evidence(passed: int, total: int) -> Evidence:
    """So many checks, the first of which pass."""
    return Evidence(
        checks=tuple(
            EvidenceCheck(name=f"case {n}", passed=n < passed, explanation=f"case {n} was run")
            for n in range(total)
        )
    )


def form(correctness: int = 8, completeness: int = 7, quality: int = 9, **more: Any) -> str:
    """A reply in our form."""
    said = {
        "evidence": [
            {"criterion": "correctness", "quote": "middle = (low + high) // 2", "note": "halves"}
        ],
        "checklist": [
            {"id": "q1", "quote": "Index of wanted in sorted items", "answer": "yes"},
            {"id": "q2", "quote": "so it is O(log n)", "answer": "yes"},
        ],
        "criteria": {
            "correctness": {"reason": "It finds all.", "score": correctness},
            "completeness": {"reason": "All there.", "score": completeness},
            "code_quality": {"reason": "Clear names.", "score": quality},
        },
        "strengths": ["clear"],
        "weaknesses": ["no tests"],
        "assessment": "A sound answer.",
        "verdict": "Good work.",
        "assumptions": ["the list is sorted"],
        "unusual": [],
        "confidence": "high",
    }
    return json.dumps(said | more)


def answered(request: Request, text: str, **more: Any) -> Answered:
    """A reply with this text."""
    return Answered(request_id=request.id, text=text, **more)


def play(questionnaire: Questionnaire, replies: Sequence[Any]) -> tuple[Judgement, list[Request]]:
    """Answer a questionnaire with texts, or functions from a request to a reply, the last one again
    and again; returns what was asked as well.
    """
    asked: list[Request] = []
    while pending := questionnaire.pending():
        for request in pending:
            said = replies[min(len(asked), len(replies) - 1)]
            asked.append(request)
            reply: Reply = said(request) if callable(said) else answered(request, said)
            questionnaire.take(request, reply)
        assert len(asked) < 20, "the ladder has no end"
    return questionnaire.judgement(), asked


def judgement(*scores: int, statuses: Sequence[QuoteStatus] = ("exact",), **more: Any) -> Judgement:
    """A scored judgement of the coding rubric."""
    return Judgement(
        judge="j",
        fingerprint="f",
        form="reasoned",
        scores=tuple(
            CriterionScore(criterion=each.key, score=score, reason=f"why {score}")
            for each, score in zip(CODING.criteria, scores, strict=True)
        ),
        quotes=tuple(Quote(text="some words", status=status) for status in statuses),
        **more,
    )
