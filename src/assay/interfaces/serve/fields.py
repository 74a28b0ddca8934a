"""What a client may send, read field by field. In: a JSON object. Out: what the engine is asked; a
value that cannot be had is refused by the field's name, never passed over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.api.serving import OfferedModel, ToComplete, Unanswerable
from assay.messages import tr
from assay.types import Message

MOST_LIKELIEST = 20
MOST_PROMPTS = 2048
DEFAULT_TOKENS = 16  # OpenAI's, of completions; a chat goes on to the end of the window
ROLES = ("system", "user", "assistant")
# Fields that change nothing at these values. Others than these, and than those read below, are of
# no account to what a model writes, or unknown, and are passed over.
NEUTRAL: Mapping[str, tuple[Any, ...]] = {
    "n": (1,),
    "best_of": (1,),
    "min_p": (0,),
    "repeat_penalty": (1,),
    "repetition_penalty": (1,),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "suffix": ("",),
    "logit_bias": ({},),
    "response_format": ({"type": "text"},),
    "tools": ([],),
    "reasoning_effort": (),
    "min_tokens": (0,),
    "ignore_eos": (False,),
}


@dataclass(frozen=True)
class AskedCompletions:
    """`likeliest` and `tells`: how many a chat wants for each token, and whether it wants any."""

    wanted: list[ToComplete]
    streams: bool
    counts: bool  # the tokens, at the end of a stream
    tells: bool = False
    likeliest: int = 0


def read_completions(body: Mapping[str, Any], model: OfferedModel) -> AskedCompletions:
    _refuse_neutral(body)
    likeliest = _count(body, "logprobs", MOST_LIKELIEST)
    prompts = _prompts(body.get("prompt"), model)
    common: dict[str, Any] = {
        "max_tokens": _limit(body, DEFAULT_TOKENS),
        "echo": _flag(body, "echo"),
        "logprobs": likeliest,
        "prompt_logprobs": _count(body, "prompt_logprobs", MOST_LIKELIEST),
        **_drawing(body),
    }
    wanted = [ToComplete(ids=tuple(ids), **common) for ids in prompts]
    return AskedCompletions(wanted, _flag(body, "stream"), _counts(body))


def read_chat(body: Mapping[str, Any], model: OfferedModel) -> AskedCompletions:
    _refuse_neutral(body)
    if not model.facts.is_chat:
        raise Unanswerable(
            tr("{model} has no chat template: ask it at /v1/completions", model=model.facts.name)
        )
    ids = model.encode(model.render(_messages(body.get("messages"))))
    tells = _flag(body, "logprobs")
    likeliest = _count(body, "top_logprobs", MOST_LIKELIEST) or 0
    one = ToComplete(
        ids=tuple(ids),
        max_tokens=_limit(body, model.context_length),
        logprobs=likeliest if tells else None,
        **_drawing(body),
    )
    return AskedCompletions([one], _flag(body, "stream"), _counts(body), tells, likeliest)


def read_tokenize(body: Mapping[str, Any], model: OfferedModel) -> list[int]:
    """VLLM's words, and llama.cpp's: `content` and `add_special`, which is off by default there."""
    if "messages" in body:
        return model.encode(model.render(_messages(body["messages"])))
    text = body.get("prompt", body.get("content"))
    if not isinstance(text, str):
        raise _refused("prompt", tr("a text"))
    special = body.get("add_special_tokens", body.get("add_special", "prompt" in body))
    return model.encode(text, special=bool(special))


def _refused(field: str, expected: str) -> Unanswerable:
    return Unanswerable(tr("{field}: expected {expected}", field=field, expected=expected))


def _refuse_neutral(body: Mapping[str, Any]) -> None:
    for field, values in NEUTRAL.items():
        value = body.get(field)
        if value is not None and value not in values:
            raise Unanswerable(
                tr("{field}: {value!r} is not supported by this server", field=field, value=value)
            )


def _prompts(given: Any, model: OfferedModel) -> list[Sequence[int]]:
    """One text, several, the tokens of one, or of several."""
    several = given if isinstance(given, list) else [given]
    if several and all(type(each) is int for each in several):
        several = [several]
    if not several or len(several) > MOST_PROMPTS:
        raise _refused("prompt", tr("1 to {most} texts", most=MOST_PROMPTS))
    return [_tokens(each, model) for each in several]


def _tokens(given: Any, model: OfferedModel) -> Sequence[int]:
    if isinstance(given, str):
        return model.encode(given) or model.encode(" ", special=False)
    if isinstance(given, list) and given and all(type(each) is int for each in given):
        return given
    raise _refused("prompt", tr("texts or lists of token ids"))


def _messages(given: Any) -> list[Message]:
    expected = tr("a list of objects with role and content")
    if not isinstance(given, list) or not given:
        raise _refused("messages", expected)
    turns = []
    for each in given:
        role = each.get("role") if isinstance(each, dict) else None
        content = _content(each.get("content")) if isinstance(each, dict) else None
        if role not in ROLES or content is None:
            raise _refused("messages", expected)
        turns.append(Message(role, content))
    return turns


def _content(given: Any) -> str | None:
    """A text, or parts that are texts; pictures cannot be shown to a text model."""
    if isinstance(given, str):
        return given
    if not isinstance(given, list):
        return None
    told = [each.get("text") if isinstance(each, dict) else None for each in given]
    texts = [each for each in told if isinstance(each, str)]
    return "".join(texts) if len(texts) == len(told) else None


def _drawing(body: Mapping[str, Any]) -> dict[str, Any]:
    top_k = body.get("top_k")
    return {
        "temperature": _number(body, "temperature", 1.0, 0.0, 100.0),
        "top_p": _number(body, "top_p", 1.0, 0.0, 1.0),
        "top_k": 0 if top_k in (None, -1) else _count(body, "top_k", 1 << 20) or 0,
        "seed": _seed(body.get("seed")),
        "stop": _stops(body.get("stop")),
    }


def _limit(body: Mapping[str, Any], default: int) -> int:
    for field in ("max_completion_tokens", "max_tokens"):
        if (found := _count(body, field, 1 << 20)) is not None:
            return found
    return default


def _seed(given: Any) -> int:
    if given is None:
        return 0
    if type(given) is not int:
        raise _refused("seed", tr("a whole number"))
    return given


def _stops(given: Any) -> tuple[str, ...]:
    """As many as are wanted: OpenAI's four are too few for some tasks."""
    stops = [] if given is None else [given] if isinstance(given, str) else given
    if not isinstance(stops, list) or not all(isinstance(each, str) for each in stops):
        raise _refused("stop", tr("a text or a list of texts"))
    return tuple(each for each in stops if each)


def _flag(body: Mapping[str, Any], field: str) -> bool:
    given = body.get(field)
    if given is not None and not isinstance(given, bool):
        raise _refused(field, tr("true or false"))
    return bool(given)


def _counts(body: Mapping[str, Any]) -> bool:
    told = body.get("stream_options")
    return isinstance(told, dict) and bool(told.get("include_usage"))


def _count(body: Mapping[str, Any], field: str, most: int) -> int | None:
    given = body.get(field)
    if given is None:
        return None
    if type(given) is not int or not 0 <= given <= most:
        raise _refused(field, tr("a whole number from 0 to {most}", most=most))
    return given


def _number(
    body: Mapping[str, Any], field: str, default: float, least: float, most: float
) -> float:
    given = body.get(field)
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise _refused(field, tr("a number from {least} to {most}", least=least, most=most))
    return float(given)
