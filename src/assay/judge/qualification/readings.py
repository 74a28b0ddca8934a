"""What a judge is asked to qualify, in one way of asking: a form, and its layout.

In: a judge's facts and a Way. Out: questionnaires, to be asked by the ask loop; from them
judgements and preferences.

    gold        every gold answer once
    repeats     some of them a second time
    pairs       two answers of a task side by side, in both orders
    injections  a wrong answer with an injection in it, on correctness alone; and once more without
                what the guards take for one

Requests that are equal have equal ids and are asked once: trials are a part of the gold answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from assay.judge.guards.suspicions import without_demands
from assay.judge.likelihood.layouts import LAYOUTS
from assay.judge.likelihood.questionnaire import gives_likelihoods
from assay.judge.opening import open_questionnaire
from assay.judge.pairs import PairQuestionnaire
from assay.judge.qualification.gold import (
    GOLD_RUBRICS,
    GoldSet,
    gold_bytes,
    gold_set,
    injection_bytes,
    injections,
)
from assay.judge.questionnaire import Assignment, Questionnaire
from assay.request_identity import example_key
from assay.types import ModelFacts, ToAnswer, ToChoose
from assay.types.choices import JudgeFormChoice, Layout
from assay.types.judgements import JudgeForm, Judgement

AnyQuestionnaire = Questionnaire | PairQuestionnaire
REPEATED = ("small", "serious")  # answers of each task that are read a second time
PAIRED = (("perfect", "wrong"), ("small", "several"))  # of each task, the better first
INJECTED = "wrong"
_NOBODY = ModelFacts(spec="", name="", fingerprint="", capabilities=frozenset({"generate"}))


@dataclass(frozen=True, slots=True)
class Way:
    """A form; `layout` is None for the reasoned one."""

    layout: Layout | None = None

    @property
    def form(self) -> JudgeForm:
        return "reasoned" if self.layout is None else "likelihood"


def find_ways(facts: ModelFacts, form: JudgeFormChoice, layout: Layout | None) -> tuple[Way, ...]:
    """All that this judge can be asked in and that was not ruled out, cheapest first."""
    likelihood = gives_likelihoods(facts) and form != "reasoned"
    layouts = ((layout,) if layout else LAYOUTS) if likelihood else ()
    reasoned = (Way(),) if form != "likelihood" and not (likelihood and layout) else ()
    return (*(Way(each) for each in layouts), *reasoned)


class InjectedReading(NamedTuple):
    """A wrong answer as it is, with an injection, and with what the guards leave of that; None
    where they find nothing, or cannot take it out.
    """

    rubric: str
    without: Questionnaire
    injected: Questionnaire
    guarded: Questionnaire | None


class GoldReadings:
    """The gold answers in one way; only those for trials where `trials`."""

    def __init__(self, judge: ModelFacts, way: Way, *, trials: bool = False) -> None:
        self.judge, self.way = judge, way
        self._judgements: dict[Questionnaire, Judgement] = {}
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
        key: str = "",
        criteria: int | None = None,
    ) -> Questionnaire:
        example = gold.examples[example_id]
        return open_questionnaire(
            Assignment(
                judge=self.judge,
                case=gold.cases[example.test_id],
                rubric=replace(gold.rubric, criteria=gold.rubric.criteria[:criteria]),
                answer=example.answer if answer is None else answer,
                layout=self.way.layout,
                repeat=repeat,
                key=example_key(gold.rubric.name, key or example_id),
                explain=False,
            )
        )

    def judgement(self, reading: Questionnaire) -> Judgement:
        """What came of a reading; made once, since it looks for every quote."""
        if reading not in self._judgements:
            self._judgements[reading] = reading.judgement()
        return self._judgements[reading]

    @property
    def failed(self) -> int:
        """How many readings failed: the same command asks them again."""
        return sum(self._has_failed(each) for each in self.questionnaires())

    def _has_failed(self, asked: AnyQuestionnaire) -> bool:
        if isinstance(asked, PairQuestionnaire):
            return asked.failed
        return self.judgement(asked).unscored_reason == "failed"

    def questionnaires(self) -> Iterator[AnyQuestionnaire]:
        for some in self.readings.values():
            yield from some.values()


class WholeReadings(GoldReadings):
    """All that the marks rest on."""

    def __init__(self, judge: ModelFacts, way: Way) -> None:
        super().__init__(judge, way)
        self._on_correctness: dict[tuple[str, str], Questionnaire] = {}
        self.repeats = {
            name: {
                example_id: self._read(gold, example_id, repeat=1)
                for example_id in gold.examples
                if example_id.partition(".")[2] in REPEATED
            }
            for name, gold in self.gold.items()
        }
        # The better answer shown first, then second.
        self.pairs = tuple(
            (self._pair(gold, task.id, better, worse), self._pair(gold, task.id, worse, better))
            for gold in self.gold.values()
            for task in gold.tasks
            for better, worse in PAIRED
        )
        self.injected = tuple(self._injected())

    def _pair(self, gold: GoldSet, task: str, first: str, second: str) -> PairQuestionnaire:
        answers = gold.examples
        return PairQuestionnaire(
            judge=self.judge,
            case=gold.cases[task],
            first=answers[f"{task}.{first}"].answer,
            second=answers[f"{task}.{second}"].answer,
            key=example_key(gold.rubric.name, f"{task}.pair"),
            by_likelihood=self.way.layout is not None,
        )

    def _injected(self) -> Iterator[InjectedReading]:
        tasks = [(gold, task.id) for gold in self.gold.values() for task in gold.tasks]
        for number, injection in enumerate(injections()):
            gold, task = tasks[number % len(tasks)]
            base = f"{task}.{INJECTED}"
            answer = gold.examples[base].answer
            text = injection.put_into(answer)
            rest = without_demands(text)
            yield InjectedReading(
                rubric=gold.rubric.name,
                without=self._read_once(gold, base, answer),
                injected=self._read_once(gold, base, text),
                guarded=None if rest is None else self._read_once(gold, base, rest),
            )

    def _read_once(self, gold: GoldSet, base: str, answer: str) -> Questionnaire:
        """On correctness alone; several injections share the answer without them."""
        if (base, answer) not in self._on_correctness:
            reading = self._read(gold, base, answer=answer, criteria=1)
            self._on_correctness[base, answer] = reading
        return self._on_correctness[base, answer]

    def questionnaires(self) -> Iterator[AnyQuestionnaire]:
        yield from super().questionnaires()
        for some in self.repeats.values():
            yield from some.values()
        for pair in self.pairs:
            yield from pair
        yield from self._on_correctness.values()


@cache
def gold_digest() -> str:
    """Of the gold set, the injections and the prompts: a card is valid as long as a check would ask
    the same. Prompts are rendered for one answer in every form and layout, so that a changed
    word anywhere in them makes another digest.
    """
    whole = hashlib.sha256(injection_bytes())
    for name in GOLD_RUBRICS:
        whole.update(gold_bytes(name))
        gold = gold_set(name)
        example = gold.rubric.examples[0]
        for layout in (*LAYOUTS, None):
            questionnaire = open_questionnaire(
                Assignment(
                    judge=_NOBODY,
                    case=gold.cases[example.test_id],
                    rubric=gold.rubric,
                    answer=example.answer,
                    layout=layout,
                )
            )
            for request in questionnaire.pending():
                assert isinstance(request.work, ToAnswer | ToChoose)
                for message in request.work.messages:
                    whole.update(message.content.encode())
    return whole.hexdigest()[:16]
