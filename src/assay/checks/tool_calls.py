"""tool_calls: which tools a model calls, with which arguments, and what it makes of the results.

    tools offered -> calls -> scripted results -> … -> an answer without a call

Every turn that goes on uses up an expected call, so that no model can call for ever.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal

from annotated_types import MinLen

from assay.checks.format import sound_schema
from assay.checks.keywords import states
from assay.files.fields import Doc, Mistake, Rule, Text, form
from assay.messages import labelled, tr
from assay.plugins import check
from assay.text.folding import drop_invisible, fold_for_matching
from assay.text.json_in_prose import decode_all, find_function_call
from assay.text.safe_text import one_line
from assay.types import (
    AnswerCheck,
    Answered,
    Case,
    Context,
    FieldProblem,
    Requests,
    Score,
    ScorePart,
    ToolCall,
    ToolStep,
)

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_RESULT_KEYS = frozenset({"name", "result", "use"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFunction:
    """A function that the model may call."""

    name: Annotated[
        str,
        form(r"[A-Za-z0-9_.-]{1,64}", lambda: tr("a name of letters, digits, '_', '.' and '-'")),
        Doc("Its name."),
    ]
    description: Annotated[str, Doc("What it does, for the model to read.")] = ""
    parameters: Annotated[
        dict[str, Any],
        Rule(sound_schema),
        Doc("The JSON Schema of its arguments."),
    ] = field(default_factory=lambda: {"type": "object", "properties": {}})

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappedFunction:  # the same as servers take it
    type: Literal["function"]
    function: ToolFunction


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCall:
    """A call, whose arguments are compared as JSON values."""

    name: Annotated[Text, Doc("The function that is called.")]
    arguments: Annotated[dict[str, Any], Doc("Its arguments.")] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name}({json.dumps(self.arguments, ensure_ascii=False)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a call returns. `use`: what of it the final answer must state, of each item one;
    None: any value of it that is new. `name`: of the function; "": of the next expected call.
    """

    result: str
    use: tuple[tuple[str, ...], ...] | None = None
    name: str = ""

    def __str__(self) -> str:
        return self.result

    def wanted(self, said: str) -> tuple[tuple[str, ...], ...]:
        if self.use is not None:
            return self.use
        values = [value for value in _values(self.result) if not states(value, said)]
        return (tuple(values),) if values else ()


def _all_results(given: Any) -> tuple[ToolResult, ...]:
    """A list, one item for each expected call, or an object from the names of functions."""
    if isinstance(given, dict):
        given = [{"name": name, "result": value} for name, value in given.items()]
    return tuple(_one_result(each, place) for place, each in enumerate(given))


def _one_result(given: Any, place: int) -> ToolResult:
    """Any value is a result by itself; an object with `result` may say more about it."""
    if not isinstance(given, dict) or "result" not in given or given.keys() - _RESULT_KEYS:
        return ToolResult(result=_as_text(given))
    use = given.get("use")
    listed = use if isinstance(use, list | tuple) else [] if use is None else [None]
    items = [each if isinstance(each, list | tuple) else [each] for each in listed]
    words = [word for item in items for word in (item or [None])]
    if not all(isinstance(word, str) and word.strip() for word in words):
        raise Mistake(tr("'use' must be a list of phrases, or of lists of phrases"), (place, "use"))
    used = None if use is None else tuple(map(tuple, items))
    return ToolResult(result=_as_text(given["result"]), use=used, name=str(given.get("name", "")))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


Tool = Annotated[
    ToolFunction,
    Rule(lambda tool: getattr(tool, "function", tool), of=ToolFunction | WrappedFunction),
]
CallOrSeveral = Annotated[
    tuple[ExpectedCall, ...],
    Rule(
        lambda given: given if isinstance(given, tuple) else (given,),
        of=ExpectedCall | Annotated[tuple[ExpectedCall, ...], MinLen(1)],
    ),
]


@check("tool_calls")
class ToolCalls(AnswerCheck):
    """The share of name, arguments, using the result and stopping that are right."""

    version = 3
    scores_empty = True
    reports_parts = True
    may_decline = True

    tools: Annotated[
        tuple[Tool, ...], MinLen(1), Doc("The functions that the model may call, sent natively.")
    ]
    expected_calls: Annotated[
        tuple[CallOrSeveral, ...],
        Doc(
            "The calls that are right, in any order; an item may be a list of which one is enough. "
            "An empty list: the model must not call anything."
        ),
    ]
    tool_results: Annotated[
        tuple[ToolResult, ...],
        Rule(_all_results, of=dict[str, Any] | tuple[Any, ...]),
        Doc(
            "What the expected calls return, one item each: any value, or an object with 'result' "
            "and 'use', a list of what the final answer must state of it."
        ),
    ] = ()

    def score(self, answer: str, context: Context, /) -> Score:
        reply = context.reply
        assert isinstance(reply, Answered)
        calls = (*(call for step in reply.steps for call in step.calls), *reply.calls)
        parts = tuple(self._parts(reply, calls, context.test))
        if not calls and not drop_invisible(answer).strip():
            why = tr("The model called nothing and said nothing.")
            none = tuple(replace(part, value=0.0, explanation=why) for part in parts)
            return Score(value=0.0, no_answer=True, explanation=why, parts=none)
        wrong: dict[str, list[str]] = {}
        for part in parts:
            if part.value < 1:
                wrong.setdefault(part.explanation, []).append(part.name)
        return Score(
            value=min(1.0, sum(part.value for part in parts) / len(parts)),
            extracted=_shown(calls) or None,
            explanation=" ".join(
                f"{labelled(', '.join(names), why)}." for why, names in wrong.items()
            )
            or tr("All correct: {parts}.", parts=", ".join(part.name for part in parts)),
            parts=parts,
        )

    def _parts(self, reply: Answered, calls: Sequence[ToolCall], test: Case) -> Iterator[ScorePart]:
        as_text = None if calls else find_function_call(reply.text)
        if not self.expected_calls:
            yield _part("no_call", not calls and not as_text, _why_called(calls, as_text))
            return
        sent = sum(len(step.results) for step in reply.steps)
        ending = sent == len(self.expected_calls)
        calls = calls[:sent] if ending else calls  # calling on is another mistake
        right, named = self._matched(calls)
        most = max(len(calls), len(self.expected_calls))
        called = _why_called(calls, as_text)
        wanted = ", ".join(" / ".join(map(str, each)) for each in self.expected_calls)
        said = tr("{wanted} expected; {called}", wanted=wanted, called=called)
        yield _part("name", (len(right) + len(named)) / most, said)
        yield _part("arguments", len(right) / most, said)
        if ending:
            yield from self._ending(reply, test)
        elif all(self._results):
            missed = tr("it did not come so far")
            yield from (_part(name, 0.0, missed) for name in ("result", "stop"))

    def _ending(self, reply: Answered, test: Case) -> Iterator[ScorePart]:
        """After the last result: what of the results is stated, and whether that is the end."""
        text = fold_for_matching(reply.text)
        before = fold_for_matching("\n".join(message.content for message in test.messages))
        wanted = [item for each in self._results if each for item in each.wanted(before)]
        lost = [item for item in wanted if not any(states(word, text) for word in item)]
        if wanted:
            missing = ", ".join(" / ".join(item) for item in lost)
            said = tr("the answer does not state {missing}", missing=missing)
            yield _part("result", 1 - len(lost) / len(wanted), said)
        is_cut = reply.truncated or not reply.text.strip()
        why = _why_called(reply.calls, None) if reply.calls else tr("no finished answer")
        yield _part("stop", not reply.calls and not is_cut, why)

    def results(
        self, calls: tuple[ToolCall, ...], earlier: tuple[ToolStep, ...], /
    ) -> tuple[str, ...]:
        """Only where every call is of an expected function that has a result, and is not used up
        already. Its arguments may be wrong: using a result is another skill than asking for it.
        """
        used = [call for step in earlier for call in step.calls]
        right, named = self._matched([*used, *calls])
        places = [(right | named).get(len(used) + at) for at in range(len(calls))]
        found = [None if place is None else self._results[place] for place in places]
        return tuple(each.result for each in found if each) if all(found) else ()

    def _matched(self, calls: Sequence[ToolCall]) -> tuple[dict[int, int], dict[int, int]]:
        """By the place of a call the place of the expected one that it meets: in full, and in name
        only. Each is met once.
        """
        free = dict(enumerate(self.expected_calls))
        right: dict[int, int] = {}
        named: dict[int, int] = {}
        for found, meets in ((right, self._is_right), (named, _is_named)):
            for at, call in enumerate(calls):
                met = (place for place, of in free.items() if any(meets(call, one) for one in of))
                if at not in right and (place := next(met, None)) is not None:
                    found[at] = place
                    del free[place]
        return right, named

    def _is_right(self, call: ToolCall, expected: ExpectedCall) -> bool:
        given = decode_all(call.arguments.strip() or "{}", set())
        if not _is_named(call, expected) or not isinstance(given, dict):
            return False
        (schema,) = (tool.parameters for tool in self.tools if tool.name == call.name)
        return same_arguments(expected.arguments, given, schema)

    @property
    def _results(self) -> list[ToolResult | None]:
        """The result of each expected call; None where it has none."""
        found: list[ToolResult | None] = [None] * len(self.expected_calls)
        for result in self.tool_results:
            for place, calls in enumerate(self.expected_calls):
                names = ("", *(call.name for call in calls))
                if found[place] is None and result.name in names:
                    found[place] = result
                    break
        return found

    def requests(self) -> Requests:
        sent = [{"type": "function", "function": asdict(tool)} for tool in self.tools]
        return Requests(tools=json.dumps(sent, ensure_ascii=False))

    def problems(self, test: Case, /) -> Iterator[FieldProblem]:
        known = [tool.name for tool in self.tools]
        for place, name in enumerate(known):
            if name in known[:place]:
                message = tr("there are two tools '{name}'", name=name)
                yield FieldProblem(("tools", place), message)
        for place, calls in enumerate(self.expected_calls):
            for call in calls:
                if call.name not in known:
                    message = tr("'{name}' is not one of the tools", name=one_line(call.name))
                    yield FieldProblem(("expected_calls", place), message)
        given = sum(each is not None for each in self._results)
        if given < len(self.tool_results):
            message = tr("'tool_results' has a result that belongs to no expected call")
            yield FieldProblem(("tool_results",), message)
        if test.live:
            message = tr("'tool_calls' cannot be 'live'")
            yield FieldProblem(("live",), message)


def _is_named(call: ToolCall, expected: ExpectedCall) -> bool:
    return call.name == expected.name


def same_arguments(
    expected: Mapping[str, Any], given: Mapping[str, Any], schema: Mapping[str, Any]
) -> bool:
    """Whether arguments are the same JSON values. One that is left out, or null, has the default
    of its schema; one that is not expected may be given where that is its default.
    """
    for name in expected.keys() | given.keys():
        inner = _part_of(_part_of(schema, "properties"), name)
        both = (expected.get(name), given.get(name))
        wanted, got = (inner.get("default") if each is None else each for each in both)
        if not _same(wanted, got, inner):
            return False
    return True


def _part_of(schema: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Nothing where there is none, or `true`, which is a schema too."""
    found = schema.get(name)
    return found if isinstance(found, dict) else {}


def _same(expected: Any, given: Any, schema: Mapping[str, Any]) -> bool:
    if isinstance(expected, bool) or isinstance(given, bool):
        return expected is given
    if isinstance(expected, str) and isinstance(given, str):
        return unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", given)
    if isinstance(expected, dict) and isinstance(given, dict):
        return same_arguments(expected, given, schema)
    if isinstance(expected, list | tuple) and isinstance(given, list):
        inner = _part_of(schema, "items")
        return len(expected) == len(given) and all(
            _same(one, other, inner) for one, other in zip(expected, given, strict=True)
        )
    return bool(expected == given)


def _values(result: str) -> Iterator[str]:
    """The numbers of a result, and its texts without numbers."""
    whole = decode_all(result.strip(), set())
    waiting: list[Any] = [result if whole is None else whole]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            yield from _NUMBER.findall(value) or ([value] if value.strip() else [])
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield str(int(value) if value == int(value) else value)


def _part(name: str, value: float | bool, otherwise: str) -> ScorePart:
    return ScorePart(name=name, value=float(value), explanation="" if value == 1 else otherwise)


def _shown(calls: Sequence[ToolCall]) -> str:
    shown = [one_line(f"{call.name}({call.arguments})", longest=120) for call in calls[:5]]
    more = tr(" and {count} more", count=len(calls) - 5) if len(calls) > 5 else ""
    return ", ".join(shown) + more


def _why_called(calls: Sequence[ToolCall], as_text: str | None) -> str:
    if as_text:
        return tr("a call written as text ({shape}), not as a tool call", shape=as_text)
    return tr("it called {calls}", calls=_shown(calls)) if calls else tr("it called nothing")
