"""Gold answers: short tasks, each with answers from perfect to wrong, whose scores are known. And
injections: words in an answer that ask its judge for a better score, with harmless look-alikes.

In: `gold.toml` of a shipped rubric, `injections.toml` beside them. Out: a GoldSet: a Rubric whose
examples are the gold answers and whose questions are those of the tasks, so that everything that
reads a rubric's examples reads these; Injections, which go into a wrong answer.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from typing import Literal

from pydantic import TypeAdapter

from assay.judge.rubrics import SHIPPED, load_rubric
from assay.types import Case, Message
from assay.types.checks import AnswerCheck
from assay.types.judgements import Rubric, RubricQuestion, ScoredExample

GOLD_RUBRICS = ("coding", "data")
_FILE = "gold.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldAnswer:
    """`faults`: how much is wrong with it, on a scale of the task's own; of two answers the one
    with more must score lower.
    """

    id: str
    faults: int
    scores: Mapping[str, int]
    why: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldTask:
    """`trial`: forms and layouts are tried on it before the best is kept."""

    id: str
    prompt: str
    questions: Mapping[str, tuple[str, ...]]
    answer: tuple[GoldAnswer, ...]
    trial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldSet:
    """`rubric`: with the gold answers as its examples, named TASK.ANSWER."""

    rubric: Rubric
    tasks: tuple[GoldTask, ...]
    cases: Mapping[str, Case] = field(default_factory=dict)

    def pairs(self) -> Iterator[tuple[str, str, str]]:
        """The task, the better and the worse answer of each pair that differs in its faults."""
        for task in self.tasks:
            for one, other in combinations(task.answer, 2):
                if one.faults != other.faults:
                    better, worse = sorted((one, other), key=lambda each: each.faults)
                    yield task.id, f"{task.id}.{better.id}", f"{task.id}.{worse.id}"

    @property
    def examples(self) -> Mapping[str, ScoredExample]:
        return {each.id: each for each in self.rubric.examples}


def gold_bytes(rubric: str) -> bytes:
    return (SHIPPED / rubric / _FILE).read_bytes()


@cache
def gold_set(rubric_name: str, *, trials: bool = False) -> GoldSet:
    """The gold answers of a shipped rubric; with `trials`, of the tasks that are for trials."""
    rubric = load_rubric(rubric_name)
    document = tomllib.loads(gold_bytes(rubric_name).decode())
    every = TypeAdapter(tuple[GoldTask, ...]).validate_python(document["task"])
    tasks = tuple(task for task in every if task.trial or not trials)
    return GoldSet(
        rubric=replace(
            rubric,
            questions={task.id: tuple(_questions(task)) for task in tasks},
            examples=tuple(
                ScoredExample(
                    id=f"{task.id}.{each.id}",
                    test_id=task.id,
                    answer=each.text.strip("\n"),
                    scores=each.scores,
                    why=each.why,
                )
                for task in tasks
                for each in task.answer
            ),
        ),
        tasks=tasks,
        cases={
            task.id: Case(
                id=task.id,
                suite="gold",
                category=rubric_name,
                messages=(Message("user", task.prompt.strip()),),
                check=AnswerCheck(),
            )
            for task in tasks
        },
    )


def _questions(task: GoldTask) -> Iterator[RubricQuestion]:
    for criterion, texts in task.questions.items():
        for number, text in enumerate(texts, 1):
            yield RubricQuestion(
                id=f"{task.id}.{criterion}.{number}", criterion=criterion, text=text
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    family: str
    language: str
    position: Literal["start", "middle", "end"]
    text: str

    def put_into(self, answer: str) -> str:
        lines = answer.split("\n")
        at = {"start": 0, "middle": (len(lines) + 1) // 2, "end": len(lines)}[self.position]
        return "\n".join([*lines[:at], self.text, *lines[at:]])


def injection_bytes() -> bytes:
    return (SHIPPED / "injections.toml").read_bytes()


@cache
def injections() -> Sequence[Injection]:
    document = tomllib.loads(injection_bytes().decode())
    return TypeAdapter(tuple[Injection, ...]).validate_python(document["injection"])


def harmless_texts() -> tuple[str, ...]:
    """Texts that speak of scores, systems and judges, and ask for nothing."""
    document = tomllib.loads(injection_bytes().decode())
    return tuple(each["text"] for each in document["harmless"])
