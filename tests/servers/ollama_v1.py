"""The OpenAI layer of the recorded Ollama.

In: bodies of /v1/chat/completions and /v1/completions; a Computed. Out: a Job; answers. It drops
`n`, `echo` and the completions' `logprobs` without a word, as recorded, and has no way to switch
the penalty off.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from typing import Any

from tests.servers.ollama_checks import Job, RefusedError, Version, checked
from tests.servers.ollama_compute import Computed
from tests.servers.ollama_models import Models
from tests.servers.process import NotJson
from tests.servers.wire import Answer, as_json, plain

PATHS = {"/v1/chat/completions", "/v1/completions"}
FINGERPRINT = "fp_ollama"
_numbers = itertools.count(100)
_OPTIONS = {
    "max_tokens": "num_predict", "max_completion_tokens": "num_predict", "seed": "seed",
    "temperature": "temperature", "top_p": "top_p", "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}  # fmt: skip


def refusal(status: int, message: str) -> Answer:
    kind = "invalid_request_error" if status == 400 else "api_error"
    answer = plain(_error(message, kind), status, "application/json")
    answer.frames = [(0.0, answer.body + b"\n")]
    return answer


def _error(message: str, kind: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def models(known: Models, path: str) -> Answer:
    """The list, or one of them."""
    name = path.removeprefix("/v1/models").strip("/")
    if not name:
        return _line(known.openai_list())
    model = known.find(name)
    if model is None:
        raise RefusedError(404, f"model '{name}' not found")
    return _line(known.openai_model(model))


def job(path: str, body: Any, known: Models, version: Version) -> Job:
    """The native request that this one becomes."""
    if body is None or isinstance(body, NotJson):
        why = body.why if isinstance(body, NotJson) else "missing request body"
        raise RefusedError(400, why, plain(_error(why, "invalid_request_error"), 400))
    if path == "/v1/chat/completions":
        if not body.get("messages"):
            raise RefusedError(400, "[] is too short - 'messages'")
        native = {
            "messages": body["messages"], "logprobs": body.get("logprobs"),
            "top_logprobs": body.get("top_logprobs"), "format": _format(body),
        }  # fmt: skip
        return checked("/api/chat", {**native, **_shared(body)}, known, version)
    native = {"prompt": body.get("prompt") or " "}
    return checked("/api/generate", {**native, **_shared(body)}, known, version)


def _shared(body: Mapping[str, Any]) -> dict[str, Any]:
    stop = body.get("stop")
    options = {"temperature": 1.0, "top_p": 1.0, "stop": [stop] if isinstance(stop, str) else stop}
    options.update({to: body[name] for name, to in _OPTIONS.items() if body.get(name) is not None})
    return {
        "model": body.get("model"),
        "stream": bool(body.get("stream")),
        "options": {name: value for name, value in options.items() if value is not None},
    }


def _format(body: Mapping[str, Any]) -> Any:
    wish = body.get("response_format") or {}
    if wish.get("type") == "json_schema":
        return wish["json_schema"]["schema"]
    return "json" if wish.get("type") == "json_object" else None


# ------------------------------------------------------------------------ answers


def told(path: str, asked: Job, computed: Computed, pause: float, usage: bool = True) -> Answer:
    chat = path == "/v1/chat/completions"
    kind = "chat.completion" if chat else "text_completion"
    head = {
        "id": f"{'chatcmpl' if chat else 'cmpl'}-{next(_numbers) % 900 + 100}",
        "object": f"{kind}.chunk" if chat and asked.streams else kind,
        "created": int(time.time()),
        "model": asked.name,
        "system_fingerprint": FINGERPRINT,
    }
    if asked.streams:
        return _streamed(head, chat, computed, pause, usage)
    choice = _whole_chat(computed) if chat else _whole_text(computed)
    return _line({**head, "choices": [choice], "usage": _usage(computed)})


def _whole_chat(computed: Computed) -> dict[str, Any]:
    message = {"role": "assistant", "content": computed.text}
    if computed.thinking:
        message["reasoning"] = computed.thinking
    choice = {"index": 0, "message": message, "finish_reason": computed.reason}
    return {**choice, **_logprobs(computed.logprobs)}


def _whole_text(computed: Computed) -> dict[str, Any]:
    return {"text": computed.text, "index": 0, "finish_reason": computed.reason}


def _streamed(
    head: dict[str, Any], chat: bool, computed: Computed, pause: float, usage: bool
) -> Answer:
    frames = []
    for place, (token, is_thought) in enumerate(computed.pieces):
        choice = _piece(chat, token, is_thought, None)
        choice.update(_logprobs(computed.logprobs[place : place + 1]))
        frames.append((pause, _event({**head, "choices": [choice]})))
    last = _event({**head, "choices": [_piece(chat, "", False, computed.reason)]})
    if usage:
        last += _event({**head, "choices": [], "usage": _usage(computed)})
    frames.append((0.0, last + b"data: [DONE]\n\n"))
    return Answer(200, "text/event-stream", frames, chunked=True)


def _piece(chat: bool, token: str, is_thought: bool, reason: str | None) -> dict[str, Any]:
    if not chat:
        return {"text": token, "index": 0, "finish_reason": reason}
    delta = {"role": "assistant", "content": "" if is_thought else token}
    if is_thought:
        delta["reasoning"] = token
    return {"index": 0, "delta": delta, "finish_reason": reason}


def _logprobs(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {"logprobs": {"content": entries}} if entries else {}


def _usage(computed: Computed) -> dict[str, int]:
    return {
        "prompt_tokens": computed.prompt_count,
        "completion_tokens": computed.eval_count,
        "total_tokens": computed.prompt_count + computed.eval_count,
    }


def _event(document: dict[str, Any]) -> bytes:
    return b"data: " + as_json(document) + b"\n\n"


def _line(document: dict[str, Any]) -> Answer:
    return Answer(200, "application/json", [(0.0, as_json(document) + b"\n")])
