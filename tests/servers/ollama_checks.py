"""From a request's JSON to a Job, or to the refusal that the recorded server gave.

In: the body of /api/chat or /api/generate, the models, the version. Out: Job. Raises RefusedError.
The order of the checks is the recorded server's: a mistake in the body before a missing model
before what that model cannot do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.servers import tokens
from tests.servers.ollama_models import BROKEN, Installed, Models, keep_alive_s
from tests.servers.process import NotJson
from tests.servers.speech import Draw
from tests.servers.wire import Answer, plain

TOO_LONG = "the input length exceeds the context length"
CUT_SHORT = 'tensor "blk.0.ffn_up.weight" offset+size (327552) exceeds file size (300000)'
TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
WHOLE = {"num_ctx", "num_predict", "seed", "top_k", "num_keep", "repeat_last_n", "num_batch",
         "num_gpu", "num_thread"}  # fmt: skip
REAL = {"temperature", "top_p", "min_p", "repeat_penalty", "presence_penalty",
        "frequency_penalty", "typical_p"}  # fmt: skip
# Tokens of the parts of the recorded template, counted in its `context`.
A_MESSAGE, THE_ANSWER, THINK, NO_THINK, SMOLLM_SYSTEM = 5, 4, 4, 9, 16


class RefusedError(Exception):
    """An answer other than 200. `answer` where its shape is special."""

    def __init__(self, status: int, message: str, answer: Answer | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.answer = answer


@dataclass(frozen=True)
class Version:
    """What a version can do."""

    name: str

    @property
    def parts(self) -> tuple[int, ...]:
        return tuple(int(part) for part in self.name.split("."))

    @property
    def is_old(self) -> bool:
        """Before truncate, shift and logprobs (2025-10)."""
        return self.parts < (0, 12, 6)

    @property
    def default_penalty(self) -> float:
        return 1.0 if self.parts >= (0, 32) else 1.1

    @property
    def tells_cached(self) -> bool:
        return self.parts >= (0, 34)


@dataclass(frozen=True)
class Job:
    """Everything that decides an answer."""

    name: str
    model: Installed
    question: str
    num_ctx: int
    keep_s: float
    draw: Draw
    rendered: str = ""
    prompt: list[str] = field(default_factory=list)
    prompt_count: int = 0
    num_predict: int = -1
    room: int | None = None  # how many tokens fit, where nothing is shifted out for them
    stop: tuple[str, ...] = ()
    top: int | None = None  # alternatives of each token; None: no log-probabilities asked for
    thinks: bool = False
    streams: bool = True
    raw: bool = False
    debug: bool = False
    loads_only: bool = False


def checked(path: str, body: Any, models: Models, version: Version) -> Job:
    """The job that this request asks for."""
    body = _readable(body)
    messages = _messages(path, body)
    keep_s = _keep(body)
    if body.get("think") is not None and not isinstance(body["think"], bool | str):
        raise RefusedError(
            400, 'think must be a boolean or string ("high", "medium", "low", true, or false)'
        )
    if not body.get("model"):
        raise RefusedError(400, "model is required")
    top = None if version.is_old else _top(body)
    model = models.find(body["model"])
    if model is None:
        raise RefusedError(404, f"model '{body['model']}' not found")
    options = body.get("options") or {}
    common = {
        "name": body["model"], "model": model, "keep_s": keep_s, "num_ctx": _num_ctx(options, model)
    }  # fmt: skip
    if not messages:
        return Job(**common, question="", draw=Draw(), loads_only=True)
    _refuse_what_it_cannot(body, model)
    _refuse_wrong_types(options)
    return _job(path, body, messages, {**common, "top": top}, version)


def _readable(body: Any) -> dict[str, Any]:
    if body is None:
        raise RefusedError(400, "missing request body")
    if isinstance(body, NotJson):
        raise RefusedError(400, body.why)
    if not isinstance(body, dict):
        raise RefusedError(400, "json: cannot unmarshal into Go value of type api.ChatRequest")
    return body


def _messages(path: str, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    if path == "/api/generate":
        prompt = body.get("prompt") or ""
        system = [{"role": "system", "content": body["system"]}] if body.get("system") else []
        return [*system, {"role": "user", "content": prompt}] if prompt else []
    messages = body.get("messages") or []
    if isinstance(messages, str):
        raise RefusedError(
            400,
            "json: cannot unmarshal string into Go struct field ChatRequest.messages of type "
            "[]api.Message",
        )
    return list(messages)


def _keep(body: Mapping[str, Any]) -> float:
    try:
        return keep_alive_s(body.get("keep_alive"))
    except ValueError as mistake:
        raise RefusedError(400, str(mistake)) from None


def _top(body: Mapping[str, Any]) -> int | None:
    top = body.get("top_logprobs") or 0
    if not 0 <= top <= 20:
        raise RefusedError(400, "top_logprobs must be between 0 and 20")
    return int(top) if body.get("logprobs") else None


def _num_ctx(options: Mapping[str, Any], model: Installed) -> int:
    asked = options.get("num_ctx")
    if not isinstance(asked, int) or asked <= 0:
        return model.num_ctx
    return min(asked, model.training_context)


def _refuse_what_it_cannot(body: Mapping[str, Any], model: Installed) -> None:
    if body.get("think") and "thinking" not in model.capabilities:
        raise RefusedError(400, f'"{model.name}" does not support thinking')
    for wish, ability in (("tools", "tools"), ("suffix", "insert")):
        if body.get(wish) and ability not in model.capabilities:
            where = f"registry.ollama.ai/library/{model.name}"
            raise RefusedError(400, f"{where} does not support {ability}")
    if model.name == BROKEN:
        raise RefusedError(500, CUT_SHORT)


def _refuse_wrong_types(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        real = isinstance(value, int | float) and not isinstance(value, bool)
        if name in REAL and not real:
            raise RefusedError(500, f'option "{name}" must be of type float32')
        if name in WHOLE and not real:
            raise RefusedError(500, f'option "{name}" must be of type integer')
        if name == "stop" and not isinstance(value, list):
            raise RefusedError(500, 'option "stop" must be of type array')


def _format(body: Mapping[str, Any]) -> Any:
    wish = body.get("format")
    if wish in (None, "", "json"):
        return wish or None
    if isinstance(wish, str):
        quoted = '"\\"' + wish + '\\""'
        raise RefusedError(
            500, f'invalid format: {quoted}; expected "json" or a valid JSON Schema object'
        )
    if not isinstance(wish, dict) or wish.get("type", "object") not in TYPES:
        raise RefusedError(500, "invalid JSON schema in format")
    return wish


# ------------------------------------------------------------------------ the prompt


def _job(
    path: str,
    body: Mapping[str, Any],
    messages: list[dict[str, Any]],
    common: dict[str, Any],
    version: Version,
) -> Job:
    options, model = body.get("options") or {}, common["model"]
    raw = bool(body.get("raw"))
    thinks = "thinking" in model.capabilities and body.get("think") is not False and not raw
    asked_off = body.get("think") is False and "thinking" in model.capabilities
    count = _fitted(messages, model, raw, thinks, asked_off, common["num_ctx"])
    if count is None and body.get("truncate") is False and not version.is_old:
        raise RefusedError(400, TOO_LONG, _too_long(body))
    if count is None:
        count = _cut(messages, model, raw, thinks, asked_off, common["num_ctx"])
    rendered = _render(messages, model, raw, thinks, asked_off)
    stays = body.get("shift") is False and not version.is_old
    seed = options.get("seed")
    return Job(
        **common,
        question=_question(messages),
        draw=Draw(
            temperature=options.get("temperature", 0.8),
            seed=None if seed is None or seed < 0 else int(seed),
            punishes_repetition=options.get("repeat_penalty", version.default_penalty) != 1.0,
            schema=_format(body),
            model=common["name"],
        ),
        rendered=rendered,
        prompt=tokens.read(rendered),
        prompt_count=count,
        num_predict=int(options.get("num_predict", -1)),
        room=common["num_ctx"] - count + 1 if stays else None,
        stop=tuple(options.get("stop") or ()),
        thinks=thinks,
        streams=body.get("stream") is not False,
        raw=raw,
        debug=bool(body.get("_debug_render_only")),
    )


def _question(messages: list[dict[str, Any]]) -> str:
    users = [m for m in messages if m.get("role") == "user"]
    return str((users or messages)[-1].get("content", ""))


def _too_long(body: Mapping[str, Any]) -> Answer:
    """Streamed, it comes in chunks and without a charset."""
    if body.get("stream") is False:
        return plain({"error": TOO_LONG}, 400)
    return plain({"error": TOO_LONG}, 400, "application/json", chunked=True)


def _content(message: Mapping[str, Any]) -> str:
    """An image to a model that sees none becomes text."""
    images = "".join(f"[img-{n}]" for n, _ in enumerate(message.get("images") or []))
    return images + str(message.get("content", ""))


def _count(
    messages: list[dict[str, Any]], model: Installed, raw: bool, thinks: bool, asked_off: bool
) -> int:
    contents = [_content(m) for m in messages]
    if raw:
        return sum(map(tokens.count, contents))
    if not model.has_template:
        return 1 + sum(map(tokens.count, contents))
    total = sum(A_MESSAGE + tokens.count(content) for content in contents) + THE_ANSWER
    if model.system and messages[0].get("role") != "system":
        total += A_MESSAGE + SMOLLM_SYSTEM
    return total + (THINK if thinks else NO_THINK if asked_off else 0)


def _fitted(
    messages: list[dict[str, Any]], model: Installed, raw: bool, thinks: bool, asked_off: bool,
    num_ctx: int,
) -> int | None:  # fmt: skip
    """The prompt's tokens; None where they are more than the context has."""
    count = _count(messages, model, raw, thinks, asked_off)
    return count if count <= num_ctx else None


def _cut(
    messages: list[dict[str, Any]], model: Installed, raw: bool, thinks: bool, asked_off: bool,
    num_ctx: int,
) -> int:  # fmt: skip
    """What is left: without the oldest messages; where the last alone is too long, all of it."""
    system = [m for m in messages if m.get("role") == "system"]
    others = [m for m in messages if m.get("role") != "system"]
    for first in range(1, len(others)):
        kept = [*system, *others[first:]]
        count = _fitted(kept, model, raw, thinks, asked_off, num_ctx)
        if count is not None:
            return count
    return num_ctx


def _render(
    messages: list[dict[str, Any]], model: Installed, raw: bool, thinks: bool, asked_off: bool
) -> str:
    if raw or not model.has_template:
        return "".join(map(_content, messages))
    if model.system and messages[0].get("role") != "system":
        messages = [{"role": "system", "content": model.system}, *messages]
    turns = [f"<|im_start|>{m.get('role')}\n{_content(m)}<|im_end|>\n" for m in messages]
    end = "<think>\n" if thinks else "<think>\n\n</think>\n\n" if asked_off else ""
    return "".join(turns) + "<|im_start|>assistant\n" + end
