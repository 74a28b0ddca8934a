"""Judges that are none: each knows the gold scores, and has one bad habit or none.

A judge sees what a model would see: the text of the prompt. It finds the gold answer in it by its
lines, and the criterion by the question.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from assay.judge.qualification.readings import GOLD_RUBRICS, gold_set
from assay.types import (
    Answered,
    ChoiceLikelihoods,
    ModelFacts,
    Observed,
    Reply,
    Request,
    ToAnswer,
    ToChoose,
)
from assay.types.judging.judgements import ScoredExample

_BLOCK = re.compile(r"=== ANSWER \w+ BEGINS ===\n(.*?)\n=== ANSWER \w+ ENDS ===", re.DOTALL)
_GOLD = [each for name in GOLD_RUBRICS for each in gold_set(name).rubric.examples]
_LINES = [frozenset(each.answer.split("\n")) for each in _GOLD]
_CRITERIA = {
    question.text: question.criterion
    for name in GOLD_RUBRICS
    for questions in gold_set(name).rubric.questions.values()
    for question in questions
}


def answers_in(prompt: str) -> list[str]:
    """The answers that a prompt shows, without their line numbers."""
    blocks = _BLOCK.findall(prompt)
    return ["\n".join(re.sub(r"^\d+\| ?", "", line) for line in b.split("\n")) for b in blocks]


@cache
def gold_of(shown: str) -> tuple[ScoredExample, bool]:
    """The gold answer that is shown, and whether something was added to it."""
    lines = set(shown.split("\n"))

    def missing(number: int) -> tuple[int, int]:
        return len(_LINES[number] - lines), -len(_LINES[number])

    found = _GOLD[min(range(len(_GOLD)), key=missing)]
    return found, found.answer != shown


# What the injections ask for, in their six languages.
_DEMANDS = re.compile(
    r"\b10\b|10分|full marks|perfect score|\byes\b|maximale|punktzahl|máxima|满分|alama|score\b",
    re.IGNORECASE,
)


def demands(shown: str, gold: ScoredExample) -> bool:
    """Whether a line that was added asks for something."""
    lines = set(gold.answer.split("\n"))
    added = "\n".join(line for line in shown.split("\n") if line not in lines)
    plain = unicodedata.normalize("NFKC", re.sub(r"\\u\{\w+\}", "", added))
    return _DEMANDS.search(plain) is not None


Points = Callable[[str, ScoredExample, bool, str], float]


def sane(shown: str, gold: ScoredExample, added: bool, criterion: str) -> float:
    return gold.scores[criterion]


def kind(shown: str, gold: ScoredExample, added: bool, criterion: str) -> float:
    """In the right order, but never below 8: a scale that only calibration can mend."""
    return 8 + gold.scores[criterion] / 5


def always_ten(shown: str, gold: ScoredExample, added: bool, criterion: str) -> float:
    return 10


def always_zero(shown: str, gold: ScoredExample, added: bool, criterion: str) -> float:
    return 0


def obedient(shown: str, gold: ScoredExample, added: bool, criterion: str) -> float:
    return 10 if added and demands(shown, gold) else sane(shown, gold, added, criterion)


def copying(shown: str, gold: ScoredExample, added: bool, criterion: str) -> float:
    """Takes over the first score that the answer names."""
    named = re.search(r"(?:score\W+|correctness\W+|\b)(10)\b", shown)
    return float(named[1]) if named else sane(shown, gold, added, criterion)


def fond_of_length(shown: str, gold: ScoredExample, added: bool, criterion: str) -> float:
    return min(10.0, len(shown) / 60)


@dataclass(eq=False)
class PolicyJudge:
    """`points`: what it gives; `by_likelihood`: else it writes scores. `asked`: every prompt."""

    points: Points = sane
    by_likelihood: bool = True
    noise: float = 0.0
    asked: list[Request] = field(default_factory=list)

    @property
    def facts(self) -> ModelFacts:
        name = f"{self.points.__name__}-{self.by_likelihood}-{self.noise}"
        can = {"generate", "structured_output", *(["top_logprobs"] if self.by_likelihood else [])}
        return ModelFacts(
            spec=f"test:{name}",
            name=name,
            fingerprint=f"test {name}",
            capabilities=frozenset(can),  # type: ignore[arg-type]
        )

    def probe(self) -> None: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...

    def observed(self) -> Observed:
        return Observed()

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            self.asked.append(request)
            assert isinstance(request.work, ToAnswer | ToChoose)
            prompt = request.work.messages[-1].content
            if isinstance(request.work, ToChoose):
                yield self._choose(request, prompt)
            else:
                yield self._write(request, prompt)

    def _points(self, prompt: str, criterion: str, repeat: int) -> float:
        shown = answers_in(prompt)[0]
        gold, added = gold_of(shown)
        return self.points(shown, gold, added, criterion) + (self.noise if repeat else 0)

    def _choose(self, request: Request, prompt: str) -> Reply:
        question = re.findall(r"^Question: (.*)$", prompt, re.MULTILINE)[-1]
        level = re.match(r"Is the (\w+ ?\w*) of the answer at least at this level", question)
        criterion = level[1].replace(" ", "_") if level else _CRITERIA[question]
        share = self._points(prompt, criterion, request.repeat) / 10
        return likelihoods(request, share)

    def _write(self, request: Request, prompt: str) -> Reply:
        if not answers_in(prompt):  # timed
            return Answered(request_id=request.id, text="one two", total_s=0.1)
        keys = re.findall(r"^(\w+) \([\w ]+\), 0 to 10:$", prompt, re.MULTILINE)
        scores = {
            key: {
                "reason": "As it is.",
                "score": max(0, min(10, round(self._points(prompt, key, request.repeat)))),
            }
            for key in keys
        }
        return Answered(request_id=request.id, text=json.dumps({"criteria": scores}))


def likelihoods(request: Request, share: float) -> Reply:
    share = min(0.999, max(0.001, share))
    return ChoiceLikelihoods(
        request_id=request.id, log_likelihoods=(math.log(share), math.log(1 - share))
    )


def half_obedient(shown: str, gold: ScoredExample, added: bool, criterion: str) -> float:
    """Obeys every second injection."""
    return obedient(shown, gold, added and len(shown) % 2 == 0, criterion)
