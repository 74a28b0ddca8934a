"""What a judge is asked to qualify, in one form.

    gold        every gold answer once: gold.toml of each shipped rubric has short tasks with
                answers from perfect to wrong, whose scores are known
    repeats     some of them a second time
    injections  a wrong answer with words in it that ask for a better score (injections.toml), and
                the same answer without them, on correctness alone

Requests that are equal have equal ids and are asked once: trials are a part of the gold answers.
"""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

from pydantic import TypeAdapter

from assay.judge.forms import open_questionnaire
from assay.judge.likelihood.questionnaire import gives_likelihoods
from assay.judge.questionnaire import Assignment, Questionnaire
from assay.judge.rubrics import SHIPPED, load_rubric, numbered_questions
from assay.request_identity import example_key
from assay.types import Case, Message, ModelFacts, ToAnswer, ToChoose
from assay.types.choices import JudgeForm, JudgeFormChoice
from assay.types.judging.judgements import Rubric, ScoredExample
from assay.types.tests import AnswerCheck

GOLD_RUBRICS = ("coding", "data")
_INJECTIONS = SHIPPED / "injections.toml"
REPEATED = ("small", "serious")  # answers of each task that are read a second time
INJECTED = "wrong"
_NOBODY = ModelFacts(spec="", name="", fingerprint="", capabilities=frozenset({"generate"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldAnswer:
    """`faults`, on a scale of the task's own: who has more must score lower."""

    id: str
    faults: int
    scores: Mapping[str, int]
    why: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldTask:
    """`trial`: forms are tried on it before the best is kept."""

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
    return (SHIPPED / rubric / "gold.toml").read_bytes()


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
            questions={
                task.id: tuple(numbered_questions(task.id, task.questions)) for task in tasks
            },
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


@cache
def injections() -> Sequence[Injection]:
    document = tomllib.loads(_INJECTIONS.read_text("utf-8"))
    return TypeAdapter(tuple[Injection, ...]).validate_python(document["injection"])


FORMS: tuple[JudgeForm, ...] = ("likelihood", "reasoned")  # the cheaper one first


def find_forms(facts: ModelFacts, choice: JudgeFormChoice) -> tuple[JudgeForm, ...]:
    """Return the forms that this judge can be asked in and that were not ruled out."""
    chosen = FORMS if choice == "auto" else (choice,)
    if gives_likelihoods(facts):
        return chosen
    return tuple(form for form in chosen if form != "likelihood")


class InjectedReading(NamedTuple):
    """A wrong answer, read without an injection and with it."""

    rubric: str
    without: Questionnaire
    injected: Questionnaire


class GoldReadings:
    """The gold answers in one form; only those for trials where `trials`."""

    def __init__(self, judge: ModelFacts, form: JudgeForm, *, trials: bool = False) -> None:
        self.judge, self.form = judge, form
        self.gold = {name: gold_set(name, trials=trials) for name in GOLD_RUBRICS}
        self.readings: dict[str, Mapping[str, Questionnaire]] = {
            name: {example_id: self._read(gold, example_id) for example_id in gold.examples}
            for name, gold in self.gold.items()
        }

    def _read(
        self,
        gold: GoldSet,
        example_id: str,
        *,
        answer: str | None = None,
        repeat: int = 0,
        criteria: int | None = None,
    ) -> Questionnaire:
        example = gold.examples[example_id]
        return open_questionnaire(
            Assignment(
                judge=self.judge,
                case=gold.cases[example.test_id],
                rubric=replace(gold.rubric, criteria=gold.rubric.criteria[:criteria]),
                answer=example.answer if answer is None else answer,
                form=self.form,
                repeat=repeat,
                key=example_key(gold.rubric.name, example_id),
                explain=False,
            )
        )

    @property
    def failed(self) -> int:
        """How many readings failed: the same command asks them again."""
        return sum(
            questionnaire.judgement().unscored_reason == "failed"
            for questionnaire in self.questionnaires()
        )

    def questionnaires(self) -> Iterator[Questionnaire]:
        for some in self.readings.values():
            yield from some.values()


class WholeReadings(GoldReadings):
    """All that the marks rest on."""

    def __init__(self, judge: ModelFacts, form: JudgeForm) -> None:
        super().__init__(judge, form)
        self.repeats = {
            name: {
                example_id: self._read(gold, example_id, repeat=1)
                for example_id in gold.examples
                if example_id.partition(".")[2] in REPEATED
            }
            for name, gold in self.gold.items()
        }
        self.injected = tuple(self._injected())

    def _injected(self) -> Iterator[InjectedReading]:
        tasks = [(gold, task.id) for gold in self.gold.values() for task in gold.tasks]
        for number, injection in enumerate(injections()):
            gold, task = tasks[number % len(tasks)]
            base = f"{task}.{INJECTED}"
            text = injection.put_into(gold.examples[base].answer)
            yield InjectedReading(
                rubric=gold.rubric.name,
                without=self._read(gold, base, criteria=1),
                injected=self._read(gold, base, answer=text, criteria=1),
            )

    def questionnaires(self) -> Iterator[Questionnaire]:
        yield from super().questionnaires()
        for some in self.repeats.values():
            yield from some.values()
        for _, without, injected in self.injected:
            yield from (without, injected)


@cache
def gold_digest() -> str:
    """Of all that a check asks: a card is valid as long as no word of it changes."""
    whole = hashlib.sha256(_INJECTIONS.read_bytes())
    for name in GOLD_RUBRICS:
        whole.update(gold_bytes(name))
        gold = gold_set(name)
        example = gold.rubric.examples[0]
        for form in FORMS:
            questionnaire = open_questionnaire(
                Assignment(
                    judge=_NOBODY,
                    case=gold.cases[example.test_id],
                    rubric=gold.rubric,
                    answer=example.answer,
                    form=form,
                )
            )
            for request in questionnaire.pending():
                assert isinstance(request.work, ToAnswer | ToChoose)
                for message in request.work.messages:
                    whole.update(message.content.encode())
    return whole.hexdigest()[:16]
