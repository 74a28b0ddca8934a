"""Recorded calls as a suite: the entries of its categories, and the recorded answers as a script.

Equal calls are one test. A call that goes on from another, with the results of tools, is one test
with it. What the test format cannot say is left out and counted by its reason.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeGuard

from assay.files.notes import Notes
from assay.messages import tr
from assay.suites.test_format.case import Shared, read_case
from assay.types import Answered, Case, Context, Score, ToolCall, ToolStep
from assay.types.recorded import RecordedCall, RecordedTurn

TOOLS, JSON, SHORT, OPEN = "tools", "json", "short", "open"
KINDS = (TOOLS, JSON, SHORT, OPEN)
RUBRIC = "rubric"  # a folder of the suite
# An answer of a sentence is rarely repeated word by word, even by a good model.
MOST_CHARACTERS, MOST_WORDS = 40, 6  # of an answer that can be compared word by word
LONGEST_CALL = 1_000_000  # characters of a test; no model that Assay is for reads more

Entry = dict[str, Any]


class NoTest(Exception):
    """Why a call can be no test."""


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A turn that called tools, and what each of them returned."""

    turn: RecordedTurn
    results: tuple[str, ...]


Asked = tuple[RecordedTurn | RecordedStep, ...]


@dataclass(slots=True)
class _Asked:
    """The calls that ask the same: `steps` and `last` are of the one that went furthest."""

    kind: str
    asked: Asked
    last: RecordedCall
    steps: tuple[RecordedStep, ...] = ()
    count: int = 0
    answers: list[str] = field(default_factory=list)

    def add(self, call: RecordedCall, steps: tuple[RecordedStep, ...]) -> None:
        self.count += 1
        if not steps and call.answer not in self.answers:
            self.answers.append(call.answer)
        if len(steps) > len(self.steps):
            self.steps, self.last = steps, call

    @property
    def answer(self) -> object:
        """As a scripted model gives it, turn by turn."""
        turns = [_said(step.turn.content, step.turn.calls) for step in self.steps]
        last = _said(self.last.answer, self.last.calls)
        if turns:
            return [*turns, last]
        return {"cut": last} if self.last.cut else last


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSuite:
    """`answers`: of the recorded model, by test. `left_out`: calls by the reason why they are no
    test; `settings`: calls that had a setting which no test has.
    """

    categories: Mapping[str, list[Entry]]
    answers: Mapping[str, object]
    models: tuple[str, ...]
    left_out: Mapping[str, int]
    settings: Mapping[str, int]

    @property
    def tests(self) -> int:
        return len(self.answers)


class SuiteMaker:
    """Makes the suite of a list of calls. It remembers which entries are sound, so that the suite
    can be made again after every call.
    """

    def __init__(self) -> None:
        self._problems: dict[str, str] = {}

    def make(self, calls: Iterable[RecordedCall]) -> RecordedSuite:
        groups: dict[str, _Asked] = {}
        left_out: Counter[str] = Counter()
        settings: Counter[str] = Counter()
        models: dict[str, None] = {}
        for call in calls:
            try:
                asked, steps = _split(call)
                group = groups.setdefault(_key(call, asked), _Asked(_kind(call), asked, call))
            except NoTest as why:
                left_out[str(why)] += 1
                continue
            group.add(call, steps)
            settings.update(call.left_out)
            models.setdefault(call.model)
        categories: dict[str, list[Entry]] = {kind: [] for kind in KINDS}
        answers: dict[str, object] = {}
        for group in groups.values():
            entries = categories[group.kind]
            test_id = f"{group.kind}_{len(entries) + 1:03}"
            try:
                entry, answer = self._entry(test_id, group), group.answer
            except NoTest as why:
                left_out[str(why)] += group.count
                continue
            entries.append(entry)
            answers[test_id] = answer
        return RecordedSuite(
            categories={kind: entries for kind, entries in categories.items() if entries},
            answers=answers,
            models=tuple(models),
            left_out=left_out,
            settings=settings,
        )

    def _entry(self, test_id: str, group: _Asked) -> Entry:
        entry = _common(group) | _CHECKS[group.kind](group)
        text = json.dumps(entry, sort_keys=True)
        if len(text) > LONGEST_CALL:
            raise NoTest(tr("larger than {count} MB", count=1))
        if (problem := self._problems.get(text)) is None:
            problem = self._problems[text] = _problem(entry, group)
        if problem:
            raise NoTest(problem)
        return {"id": test_id, **entry, **_about(group)}


def _split(call: RecordedCall) -> tuple[Asked, tuple[RecordedStep, ...]]:
    """What was asked, up to the last turn of the user, and the tools called since."""
    at = max((n for n, turn in enumerate(call.turns, 1) if turn.role == "user"), default=0)
    if not at:
        raise NoTest(tr("without a question"))
    if any(turn.role == "system" for turn in call.turns):
        raise NoTest(tr("with a system turn in the middle"))
    asked, since = tuple(_joined(_with_results(call.turns[:at]))), _with_results(call.turns[at:])
    if not call.tools and any(isinstance(turn, RecordedStep) for turn in asked):
        raise NoTest(tr("with tools called before, and none to call now"))
    steps = []
    for turn in since:
        if not isinstance(turn, RecordedStep):
            raise NoTest(tr("that continue a turn of the assistant"))
        steps.append(turn)
    return asked, tuple(steps)


def _with_results(turns: Iterable[RecordedTurn]) -> Iterator[RecordedTurn | RecordedStep]:
    """Each turn that called tools with what they returned, which servers are sent as turns."""
    waiting = list(turns)
    while waiting:
        turn = waiting.pop(0)
        results = []
        while waiting and waiting[0].role == "tool":
            results.append(waiting.pop(0).content)
        if turn.role == "tool" or len(results) != len(turn.calls):
            raise NoTest(tr("with another number of results than of tools called"))
        if turn.calls:
            yield RecordedStep(turn, tuple(results))
        elif turn.content.strip():
            yield turn
        else:
            raise NoTest(tr("with an empty turn"))


def _joined(turns: Iterable[RecordedTurn | RecordedStep]) -> Iterator[RecordedTurn | RecordedStep]:
    """Two turns of the user in a row are one: a test has them one after the other, or joined."""
    before: RecordedTurn | RecordedStep | None = None
    for turn in turns:
        if _is_user(before) and _is_user(turn):
            turn = RecordedTurn(role="user", content=f"{before.content}\n\n{turn.content}")
        elif before is not None:
            yield before
        before = turn
    if before is not None:
        yield before


def _is_user(turn: RecordedTurn | RecordedStep | None) -> TypeGuard[RecordedTurn]:
    return isinstance(turn, RecordedTurn) and turn.role == "user"


def _key(call: RecordedCall, asked: Asked) -> str:
    """Equal for calls that ask the same."""
    named = {
        each.name: getattr(call, each.name)
        for each in fields(call)
        if each.name not in (*call.of_the_answer, "turns")
    }
    text = json.dumps(named, sort_keys=True, default=list)
    return hashlib.sha256(f"{text}{asked!r}".encode("utf-8", "replace")).hexdigest()


def _kind(call: RecordedCall) -> str:
    if call.tools:
        return TOOLS
    if call.is_json:
        return JSON
    text = call.answer.strip()
    if not text:
        raise NoTest(tr("answered with nothing"))
    is_short = len(text) <= MOST_CHARACTERS and len(text.split()) <= MOST_WORDS
    return SHORT if is_short and "\n" not in text and text[-1] != "?" and not call.cut else OPEN


def _common(group: _Asked) -> Entry:
    """What every test may have. The one turn of the user is a prompt."""
    call = group.last
    entry: Entry = {}
    turns = [_message(turn) for turn in group.asked]
    if len(turns) == 1:
        entry["prompt"] = turns[0]["content"]
    else:
        entry["messages"] = turns
    if call.system:
        entry["system"] = call.system
    for name in ("temperature", "max_tokens"):
        if (value := getattr(call, name)) is not None:
            entry[name] = value
    if call.stop:
        entry["stop"] = list(call.stop)
    return entry


def _message(turn: RecordedTurn | RecordedStep) -> Entry:
    if isinstance(turn, RecordedTurn):
        return {"role": turn.role, "content": turn.content}
    content = {"content": turn.turn.content} if turn.turn.content.strip() else {}
    called = [
        {"name": call["name"], "arguments": _arguments(call), "result": result}
        for call, result in _pairs(turn)
    ]
    return {"role": "assistant", **content, "tool_calls": called}


def _arguments(call: Mapping[str, Any]) -> object:
    if not isinstance(call["arguments"], dict):
        raise NoTest(tr("with arguments that are no JSON object"))
    return call["arguments"]


def _about(group: _Asked) -> Entry:
    """For people: neither changes what a test asks or scores."""
    about = tr("recorded {count} times", count=group.count) if group.count > 1 else ""
    model = group.last.model.strip()
    return ({"description": about} if about else {}) | ({"tags": [model]} if model else {})


def _open_check(group: _Asked) -> Entry:
    return {"eval_method": "judge", "rubric": RUBRIC}


def _short_check(group: _Asked) -> Entry:
    short = [text.strip() for text in group.answers if len(text.strip()) <= MOST_CHARACTERS]
    return {"eval_method": "exact_match", "expected": [text for text in short if text]}


def _json_check(group: _Asked) -> Entry:
    schema = group.last.schema
    rules = {"json": True} if schema is None else {"json_schema": schema}
    return {"eval_method": "format", "expected_format": rules}


def _tools_check(group: _Asked) -> Entry:
    called = [call for step in group.steps for call in step.turn.calls]
    called += group.last.calls
    checked: Entry = {
        "eval_method": "tool_calls",
        "tools": list(group.last.tools),
        "expected_calls": [
            {"name": call["name"], "arguments": _arguments(call)} for call in called
        ],
    }
    if group.steps:
        named = ((call, result) for s in group.steps for call, result in _pairs(s))
        checked["tool_results"] = [
            {"name": call["name"], "result": result} for call, result in named
        ]
        if not _uses_results(checked, group):
            for each in checked["tool_results"]:
                each["use"] = []
    return checked


_CHECKS = {TOOLS: _tools_check, JSON: _json_check, SHORT: _short_check, OPEN: _open_check}


def _pairs(step: RecordedStep) -> Iterator[tuple[Mapping[str, Any], str]]:
    return zip(step.turn.calls, step.results, strict=True)


def _uses_results(checked: Entry, group: _Asked) -> bool:
    """Whether the recorded answer states what it was given; else nobody else has to."""
    case = _read(_common(group) | checked, group.kind, Notes())
    if case is None or group.last.calls:
        return True
    steps = tuple(
        ToolStep(tuple(_tool_call(call) for call in step.turn.calls), step.results)
        for step in group.steps
    )
    reply = Answered(request_id="", text=group.last.answer, steps=steps)
    score = case.check.score(reply.text, Context(case, reply))
    parts = score.parts if isinstance(score, Score) else ()
    return all(part.value == 1 for part in parts if part.name == "result")


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    return ToolCall(str(call["name"]), json.dumps(call["arguments"]))


def _said(text: str, calls: Iterable[Mapping[str, Any]]) -> str:
    """A turn as a script writes it."""
    called = list(calls)
    if not called:
        return text
    content = {"content": text} if text else {}
    return json.dumps({"tool_calls": called, **content}, ensure_ascii=False)


def _problem(entry: Entry, group: _Asked) -> str:
    """Why the loader would refuse it; empty where it would not."""
    notes = Notes()
    _read(entry, group.kind, notes)
    return notes.all[0].message if notes.all else ""


def _read(entry: Entry, category: str, notes: Notes) -> Case | None:
    shared = Shared(suite="recorded", category=category, shown={})
    return read_case({"id": f"{category}_001", **entry}, (), shared, notes)
