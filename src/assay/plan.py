"""PLAN: suites and a model's facts in, everything that will be asked out. Refuses what the model
cannot do; nothing later says no. A later turn holds the model's own earlier replies.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from assay.errors import UsageError, raise_all
from assay.messages import tr
from assay.request_identity import make_test_request
from assay.types import (
    BASE_MODEL_MAX_TOKENS,
    DEFAULT_MAX_TOKENS,
    LETTERS,
    Case,
    Message,
    ModelFacts,
    Request,
    Requests,
    Sampling,
    SamplingMode,
    Suite,
    Thinking,
    ToAnswer,
    ToChoose,
    ToContinue,
    ToolStep,
    ToScore,
)
from assay.types.requests import OF_SERVERS

WITH_THE_LETTER = "Answer with the letter only."
# How a question is written for a base model; a person would only ask it.
_QUESTION = re.compile(r"Question:\s*((?:(?!\nAnswer:).)*\S)\s*\nAnswer:", re.DOTALL)
BETWEEN_EXAMPLES = "\n\n"  # as models/base.py joins them
# Samples of a colder model are near-copies of each other, and k of them say no more than one.
LEAST_SAMPLING_TEMPERATURE = 0.7
# English prose has about 4.5 bytes a token; a prompt with more than twice that is no text.
MOST_BYTES_PER_TOKEN = 10
NAMED = 3  # tasks in an error


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """How the user wants the tests to be asked. `max_tokens`: of every answer, whatever its test
    says.
    """

    seed: int = 0
    repeats: int = 1
    sampling: SamplingMode = "fixed"
    max_tokens: int | None = None
    think: Thinking | None = None
    loop_stop: bool = True
    num_ctx: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One test asked once of one model. `asked` are the indices of the turns put to the model."""

    case: Case
    repeat: int
    opening: tuple[Message, ...]
    asked: tuple[int, ...]

    @property
    def key(self) -> tuple[str, str, int]:
        return (self.case.suite, self.case.id, self.repeat)


@dataclass(frozen=True, slots=True)
class Plan:
    facts: ModelFacts
    options: AskOptions
    trials: tuple[PlannedTrial, ...]

    def request(
        self,
        trial: PlannedTrial,
        turn: int,
        replies: Sequence[str],
        steps: tuple[ToolStep, ...] = (),
    ) -> Request:
        """`replies`: to earlier turns; `steps`: the tools called since the last one."""
        asked = trial.case.check.requests()
        if asked.as_written:
            written = asked.as_written[turn]
            return make_test_request(
                self.facts.fingerprint, trial.case, written, turn=turn, repeat=trial.repeat,
            )  # fmt: skip
        work = self._work(trial, asked, turn, replies)
        if asked.tools and isinstance(work, ToAnswer):
            work = replace(work, tools=asked.tools, steps=steps)
        return make_test_request(
            self.facts.fingerprint,
            trial.case,
            work,
            turn=turn + len(steps),
            repeat=trial.repeat,
        )

    def right_answers(self) -> Iterator[tuple[Case, ToChoose]]:
        """Of each test that is answered in writing and in one turn, to read its likelihood."""
        for trial in self.trials:
            gold = trial.case.check.gold()
            asks_as_ever = len(trial.asked) == 1 and not trial.case.check.scored_together
            if gold and not trial.repeat and asks_as_ever:
                work = self._work(trial, trial.case.check.requests(), 0, ())
                if isinstance(work, ToAnswer):
                    yield trial.case, ToChoose(messages=work.messages, continuations=(gold,))

    @property
    def turns(self) -> int:
        return sum(len(trial.asked) for trial in self.trials)

    def _work(
        self, trial: PlannedTrial, asked: Requests, turn: int, replies: Sequence[str]
    ) -> ToAnswer | ToChoose:
        by_text = "score_text" in self.facts.capabilities
        spoken = _conversation(trial, asked, turn, replies, by_text=by_text)
        messages = (*trial.opening, *spoken)
        last = turn == len(trial.asked) - 1
        if last and asked.options:
            letters = tuple(LETTERS[: len(asked.options)])
            if by_text:
                continuations = asked.options if asked.by_text else letters
                # As lm-evaluation-harness asks by default, and as published figures were measured.
                return ToChoose(
                    messages=messages,
                    continuations=continuations,
                    plain=self.facts.has_template,
                )
            if self._tells_first_letters and not asked.by_text:
                otherwise = self._sampling(trial, asked.predictions)
                return ToChoose(
                    messages=messages, continuations=letters, otherwise=otherwise, written=True
                )
        sampling = self._sampling(trial, asked.predictions)
        told = asked.letters if last and self._tells_first_letters else ()
        return ToAnswer(messages=messages, sampling=sampling, letters=tuple(told))

    def _sampling(self, trial: PlannedTrial, several: int) -> Sampling:
        case, options = trial.case, self.options
        drawn = several > 1 and self.facts.predicts_by == "sampled"
        sampling = Sampling(
            temperature=max(case.temperature, LEAST_SAMPLING_TEMPERATURE)
            if drawn
            else case.temperature,
            seed=options.seed + trial.repeat,
            max_tokens=self._longest(case),
            stop=self._stops(trial),
            predictions=several,
            think=self._think,
            loop_stop=options.loop_stop,
            context=options.num_ctx,
        )
        return sampling if options.sampling == "fixed" else _left_to_the_server(sampling)

    @property
    def _think(self) -> Thinking | None:
        asked = self.options.think
        return None if asked == "off" and not can_be_told("off", self.facts) else asked

    def _stops(self, trial: PlannedTrial) -> tuple[str, ...]:
        """A base model goes on with the next example: the blank line before ends its answer."""
        shown = any(message.role == "assistant" for message in trial.opening)
        if self.facts.is_chat or not shown or BETWEEN_EXAMPLES in trial.case.stop:
            return trial.case.stop
        return (*trial.case.stop, BETWEEN_EXAMPLES)

    def _longest(self, case: Case) -> int:
        default = DEFAULT_MAX_TOKENS if self.facts.is_chat else BASE_MODEL_MAX_TOKENS
        return self.options.max_tokens or case.max_tokens or default

    @property
    def notes(self) -> tuple[str, ...]:
        """What the model is not asked although the user asked for it."""
        if self.options.think == "off" and not can_be_told("off", self.facts):
            return (tr("this model does not think: --think off was left out"),)
        return ()

    @property
    def _tells_first_letters(self) -> bool:
        """A model that thinks begins with a thought, whose first token chooses nothing."""
        thinks = "on" in self.facts.thinks and self.options.think != "off"
        return "top_logprobs" in self.facts.capabilities and not thinks


def _left_to_the_server(sampling: Sampling) -> Sampling:
    unset: dict[str, Any] = dict.fromkeys(OF_SERVERS)
    return replace(sampling, **unset)


def make_plan(suites: Sequence[Suite], facts: ModelFacts, options: AskOptions) -> Plan:
    raise_all([*_cannot(suites, facts, options)])
    by_text = "score_text" in facts.capabilities
    examples = {suite.name: worked_examples(suite, by_text=by_text) for suite in suites}

    @cache  # one tuple shared by all tests that have the same
    def opening(suite: str, category: str, system: str | None) -> tuple[Message, ...]:
        said = (Message("system", system),) if system else ()
        return (*said, *examples[suite].get(category, ()))

    trials = tuple(
        PlannedTrial(
            case,
            repeat,
            opening(suite.name, case.category, case.system),
            _asked(case),
        )
        for repeat in range(options.repeats)
        for suite in suites
        for case in suite.cases
    )
    return Plan(facts=facts, options=options, trials=trials)


def _cannot(
    suites: Sequence[Suite], facts: ModelFacts, options: AskOptions
) -> Iterator[UsageError]:
    yield from _cannot_as_written(suites, facts)
    writes = "generate" in facts.capabilities
    if not writes and any(needs_text(case) for suite in suites for case in suite.cases):
        yield UsageError(
            tr("{model} cannot write answers, and the tests ask for them", model=facts.spec),
            hint=tr("choose a model that generates text"),
        )
    asked = () if "tools" in facts.capabilities else suites
    calling = [case.id for suite in asked for case in suite.cases if case.check.requests().tools]
    if calling:
        yield UsageError(
            tr(
                "{model} cannot be given tools, and {test} ({count} in all) needs them",
                model=facts.spec,
                test=calling[0],
                count=len(calling),
            ),
            hint=tr("choose a model behind a server that calls tools, or leave them out with -c"),
        )
    yield from cannot_think(facts, options)
    if facts.context_length:
        yield from _too_long(suites, facts, facts.context_length)


def _cannot_as_written(suites: Sequence[Suite], facts: ModelFacts) -> Iterator[UsageError]:
    """What is put to a model as it is needs all of a kind: one that only writes scores nothing."""
    asked = [
        (suite.name, case.category, type(work))
        for suite in suites
        for case in suite.cases
        if case.check.scored_together
        for work in case.check.requests().as_written
    ]
    scored = list(dict.fromkeys(task for _, task, kind in asked if kind is ToScore))
    written = list(dict.fromkeys(task for _, task, kind in asked if kind is ToContinue))
    if scored and "score_text" not in facts.capabilities:
        yield UsageError(
            tr("{model} gives no likelihoods of a text, and {tasks} compare them",
               model=facts.spec, tasks=_some(scored)),
            hint=tr("choose a checkpoint, a GGUF file or a server that scores prompts, such as "
                    "vLLM; or tasks that generate text"),
        )  # fmt: skip
    if written and "generate" not in facts.capabilities:
        yield UsageError(
            tr("{model} cannot write text, and {tasks} need it",
               model=facts.spec, tasks=_some(written)),
            hint=tr("choose a model that generates text"),
        )  # fmt: skip


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    shown = ", ".join(names[:NAMED])
    return tr("{names} and {count} more", names=shown, count=more) if more > 0 else shown


def needs_text(case: Case) -> bool:
    asked = case.check.requests()
    return not asked.options and not asked.as_written


def can_be_told(think: str | None, facts: ModelFacts) -> bool:
    return think in facts.thinks or think in facts.may_think


def cannot_think(facts: ModelFacts, options: AskOptions) -> Iterator[UsageError]:
    """Known before a server is asked anything: thinking that the model does not offer. One that
    does not think at all is not asked to leave it, so that it can be compared with those that do.
    """
    if options.think == "off" and not facts.thinks and not facts.may_think:
        return
    if options.think is not None and not can_be_told(options.think, facts):
        known = ", ".join(dict.fromkeys((*facts.may_think, *facts.thinks)))
        yield UsageError(
            tr("{model} cannot be asked to think {how!r}", model=facts.spec, how=options.think),
            hint=tr("it takes --think {known}", known=known)
            if known
            else tr("leave --think out: this model does not think, or does not say so"),
        )


def _too_long(suites: Sequence[Suite], facts: ModelFacts, context: int) -> Iterator[UsageError]:
    by_text = "score_text" in facts.capabilities
    for suite in suites:
        for case in suite.cases:
            if case.check.scored_together or (by_text and case.check.requests().options):
                continue
            size = sum(len(message.content) for message in case.messages)
            if size > context * MOST_BYTES_PER_TOKEN:
                yield UsageError(
                    tr(
                        "the prompt of {test!r} ({size} characters) cannot fit into the "
                        "{context} tokens of {model}",
                        test=case.id,
                        size=size,
                        context=context,
                        model=facts.spec,
                    ),
                    hint=tr("leave its category out with -c, or choose a model with more context"),
                )


def rendered_prompt(case: Case, *, by_text: bool = False) -> str:
    """Choices included; `by_text`: for a model that gives likelihoods."""
    return _rendered(case, case.check.requests(), by_text=by_text)


def _rendered(case: Case, asked: Requests, *, by_text: bool) -> str:
    if not asked.options:
        return case.prompt
    lines = [f"{letter}. {text}" for letter, text in zip(LETTERS, asked.options, strict=False)]
    if asked.shown:
        return "\n".join((case.prompt, *lines))
    if asked.by_text and not by_text:
        # Not translated: it is put to a model, and an answer must not change with --lang.
        question = _QUESTION.fullmatch(case.prompt.strip())
        begun = f"Which ending fits this text best?\n\n{case.prompt.rstrip()} …"
        said = question[1] if question else begun
        return "\n".join((said, "", *lines, "", WITH_THE_LETTER))
    return case.prompt


def worked_examples(suite: Suite, *, by_text: bool = False) -> dict[str, tuple[Message, ...]]:
    """By category the turns sent before each of its tests; `by_text` as in rendered_prompt."""
    return {
        category: tuple(_worked(cases[: suite.shots], by_text=by_text))
        for category, cases in suite.few_shot.items()
    }


def _worked(examples: Sequence[Case], *, by_text: bool) -> Iterator[Message]:
    for example in examples:
        yield Message("user", rendered_prompt(example, by_text=by_text))
        yield Message("assistant", _gold_answer(example, by_text=by_text))


def _gold_answer(case: Case, *, by_text: bool) -> str:
    """The answer a worked example shows: of options compared by their texts, the text."""
    gold, asked = case.check.gold(), case.check.requests()
    if gold is None:
        raise ValueError(
            f"a worked example needs one right answer, which {case.method} does not have"
        )
    return asked.options[LETTERS.index(gold)] if by_text and asked.by_text else gold


def _asked(case: Case) -> tuple[int, ...]:
    if case.check.scored_together:
        return tuple(range(len(case.check.requests().as_written)))
    last = len(case.messages) - 1
    if not case.live:
        return (last,)
    return tuple(
        index
        for index, message in enumerate(case.messages)
        if message.role == "user"
        and (index == last or case.messages[index + 1].role != "assistant")
    )


def _conversation(
    trial: PlannedTrial, asked: Requests, turn: int, replies: Sequence[str], *, by_text: bool
) -> Iterator[Message]:
    end = trial.asked[turn]
    answered = dict(zip(trial.asked[:turn], replies, strict=True))
    last = len(trial.case.messages) - 1
    for index, message in enumerate(trial.case.messages[: end + 1]):
        if index == last and message.role == "user":
            yield Message("user", _rendered(trial.case, asked, by_text=by_text))
        else:
            yield message
        if index in answered:
            yield Message("assistant", answered[index])
