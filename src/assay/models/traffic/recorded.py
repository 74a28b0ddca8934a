"""An exchange of an application with a server, read as a call of a model.

In: what was sent and received. Out: a RecordedCall; None where no model was asked for an answer; or
Unreadable, with the reason why it can be no test.
"""

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from assay.messages import tr
from assay.models.http.served import answered_by
from assay.models.ollama.client import OllamaAnswer
from assay.models.openai.client import DONE, OpenAIAnswer
from assay.models.reasoning import as_unicode
from assay.text.json_in_prose import read_call
from assay.types import Answered
from assay.types.recorded import Exchange, RecordedCall, RecordedTurn

MOST_BYTES = 8 * 1024 * 1024  # of what is sent, and of what comes back unpacked
CHAT, GENERATE, OPENAI_CHAT = "/api/chat", "/api/generate", "/chat/completions"
# Paths that ask a model for something else than an answer, or in another protocol.
OTHER_CALLS = (
    "/completions", "/responses", "/v1/messages", "/embeddings", "/embedding", "/api/embed",
    "/api/embeddings", "/rerank", "/infill", "/audio/speech", "/audio/transcriptions",
    "/images/generations",
)  # fmt: skip
# Settings that a test can have, or that change nothing of what is asked.
KNOWN_OPTIONS = frozenset(
    {"temperature", "num_predict", "stop", "num_ctx", "num_thread", "num_gpu"}
)
KNOWN_OLLAMA = frozenset(
    {"model", "messages", "prompt", "system", "tools", "format", "options", "stream", "keep_alive",
     "images", "suffix", "raw", "template", "context", "truncate", "shift", "logprobs",
     "top_logprobs"}
)  # fmt: skip
KNOWN_OPENAI = frozenset(
    {"model", "messages", "tools", "response_format", "temperature", "max_tokens",
     "max_completion_tokens", "stop", "stream", "stream_options", "n", "user", "metadata", "store",
     "logprobs", "top_logprobs", "cache_prompt", "timings_per_token", "options", "keep_alive",
     "parallel_tool_calls"}
)  # fmt: skip


class Unreadable(Exception):
    """Why an exchange can be no test, in a few words that counts are kept by."""


def is_call(path: str) -> bool:
    """Whether a model is asked for something at this path."""
    return path.endswith((CHAT, GENERATE, OPENAI_CHAT, *OTHER_CALLS))


def read_exchange(exchange: Exchange) -> RecordedCall | None:
    path = exchange.path
    if not path.endswith((CHAT, GENERATE, OPENAI_CHAT)):
        raise Unreadable(tr("to {path}", path=path[:80]))
    sent = _json(exchange.sent)
    if not isinstance(sent, dict):
        raise Unreadable(tr("that are no JSON object"))
    if not path.endswith(OPENAI_CHAT) and not (sent.get("messages") or sent.get("prompt")):
        return None  # loads or unloads a model
    if exchange.status != 200:
        raise Unreadable(tr("refused by the server (status {status})", status=exchange.status))
    try:
        asked = _ollama(sent) if not path.endswith(OPENAI_CHAT) else _openai(sent)
        received = _unpacked(exchange.received, exchange.encoding)
        read = _ollama_answer if not path.endswith(OPENAI_CHAT) else _openai_answer
        answer = read(received.decode("utf-8", "replace"))
    except (TypeError, AttributeError, ValueError, KeyError, RecursionError) as error:
        raise Unreadable(tr("of a form that is not understood")) from error
    calls = tuple(call.document for call in answer.calls)
    return RecordedCall(**asked, answer=answer.text, calls=calls, cut=answer.truncated)


def _json(raw: bytes) -> Any:
    try:
        return _whole(json.loads(raw.decode("utf-8-sig", "replace")))
    except (ValueError, RecursionError) as error:
        raise Unreadable(tr("that are no JSON object")) from error


def _whole(value: Any) -> Any:
    """The value without halves of characters, which JSON can spell and no file can hold."""
    if isinstance(value, str):
        return as_unicode(value)
    if isinstance(value, dict):
        return {as_unicode(name): _whole(inner) for name, inner in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list) else value


def _unpacked(raw: bytes, encoding: str) -> bytes:
    if encoding in ("", "identity"):
        return raw
    if encoding not in ("gzip", "deflate"):
        raise Unreadable(tr("packed as {encoding}", encoding=encoding[:20]))
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
    try:
        whole = unpack.decompress(raw, MOST_BYTES + 1)
    except zlib.error as error:
        raise Unreadable(tr("packed as {encoding}", encoding=encoding)) from error
    if len(whole) > MOST_BYTES:
        raise Unreadable(tr("larger than {count} MB", count=MOST_BYTES // 2**20))
    return whole


def _ollama(sent: Mapping[str, Any]) -> dict[str, Any]:
    for field in ("images", "suffix", "raw", "template", "context"):
        if sent.get(field):
            raise Unreadable(tr("with {field}", field=field))
    options = sent.get("options") or {}
    if sent.get("messages"):
        turns = [_turn(each) for each in sent["messages"]]
    else:
        turns = [RecordedTurn(role="user", content=_text(sent["prompt"]))]
    wanted = sent.get("format") or None
    if wanted is not None and wanted != "json" and not isinstance(wanted, dict):
        raise TypeError
    others = [name for name in options if name not in KNOWN_OPTIONS]
    others += [name for name in sent if name not in KNOWN_OLLAMA]
    return _asked(
        model=sent.get("model"),
        turns=turns,
        system=sent.get("system") if "prompt" in sent else None,
        tools=sent.get("tools"),
        is_json=wanted is not None,
        schema=wanted if isinstance(wanted, dict) else None,
        temperature=options.get("temperature"),
        max_tokens=options.get("num_predict"),
        stop=options.get("stop"),
        left_out=others,
    )


def _openai(sent: Mapping[str, Any]) -> dict[str, Any]:
    if sent.get("n") not in (None, 1):
        raise Unreadable(tr("with {field}", field="n"))
    if sent.get("functions"):
        raise Unreadable(tr("with {field}", field="functions"))
    choice = sent.get("tool_choice")
    wanted = sent.get("response_format") or {}
    kind = wanted.get("type", "text")
    schema = None
    if kind == "json_schema":
        schema = wanted["json_schema"].get("schema")
    elif kind == "json_object":
        schema = wanted.get("schema")  # llama.cpp's way
    elif kind != "text":
        raise Unreadable(tr("with {field}", field="response_format"))
    others = [name for name in sent if name not in {*KNOWN_OPENAI, "tool_choice"}]
    if choice not in (None, "auto", "none"):
        others.append("tool_choice")
    return _asked(
        model=sent.get("model"),
        turns=[_turn(each) for each in sent.get("messages") or ()],
        system=None,
        tools=None if choice == "none" else sent.get("tools"),
        is_json=kind != "text",
        schema=schema,
        temperature=sent.get("temperature"),
        max_tokens=sent.get("max_completion_tokens") or sent.get("max_tokens"),
        stop=sent.get("stop"),
        left_out=others,
    )


def _asked(
    *,
    model: Any,
    turns: list[RecordedTurn],
    system: Any,
    tools: Any,
    is_json: bool,
    schema: Any,
    temperature: Any,
    max_tokens: Any,
    stop: Any,
    left_out: Iterable[str],
) -> dict[str, Any]:
    """System turns at the start are one system prompt."""
    said = [] if not system else [_text(system)]
    while turns and turns[0].role == "system":
        said.append(turns.pop(0).content)
    if not turns:
        raise Unreadable(tr("without a question"))
    if schema is not None and not isinstance(schema, dict):
        raise TypeError
    functions = [each["function"] for each in tools or ()]
    kept = ("name", "description", "parameters")
    is_count = isinstance(max_tokens, int) and not isinstance(max_tokens, bool) and max_tokens > 0
    stops = [stop] if isinstance(stop, str) else stop or ()
    return {
        "model": str(model or "")[:200],
        "turns": tuple(turns),
        "system": "\n\n".join(said) or None,
        "tools": tuple(
            {name: each[name] for name in kept if each.get(name) is not None} for each in functions
        ),
        "is_json": is_json,
        "schema": schema or None,
        "temperature": None if temperature is None else float(temperature),
        "max_tokens": max_tokens if is_count else None,
        "stop": tuple(_text(each) for each in stops if each),
        "left_out": tuple(sorted({name[:40] for name in left_out})),
    }


def _turn(sent: Mapping[str, Any]) -> RecordedTurn:
    role = {"developer": "system"}.get(sent["role"], sent["role"])
    if role not in ("system", "user", "assistant", "tool"):
        raise Unreadable(tr("with the role {role}", role=str(sent["role"])[:40]))
    if sent.get("images"):
        raise Unreadable(tr("with {field}", field="images"))
    calls = tuple(read_call(each).document for each in sent.get("tool_calls") or ())
    return RecordedTurn(role=role, content=_text(sent.get("content")), calls=calls)


def _text(content: Any) -> str:
    """A text, or parts of it. A picture or a sound is no text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    texts = []
    for part in content:
        if part.get("type") != "text":
            kind = str(part.get("type"))[:40]
            named = "images" if "image" in kind else kind
            raise Unreadable(tr("with {field}", field=named))
        texts.append(_text(part["text"]))
    return "\n".join(texts)


def _ollama_answer(received: str) -> Answered:
    answer = OllamaAnswer()
    for line in received.split("\n"):
        if not line.strip():
            continue
        document = _whole(json.loads(line))
        if document.get("error"):
            raise Unreadable(tr("with an error in the middle of the answer"))
        answer.take(document)
    if not answer.done:
        raise Unreadable(tr("broken off before the end of the answer"))
    return answered_by("", answer)


def _openai_answer(received: str) -> Answered:
    answer = OpenAIAnswer()
    if received.lstrip().startswith("{"):
        _take(answer, received, whole=True)
    else:
        for line in received.split("\n"):
            field, _, value = line.strip().partition(":")
            value = value.strip()
            if field == "data" and value.encode() == DONE:
                answer.ended = True
                break
            if field == "data" and value:
                _take(answer, value)
    if not answer.finished:
        raise Unreadable(tr("broken off before the end of the answer"))
    return answered_by("", answer)


def _take(answer: OpenAIAnswer, text: str, *, whole: bool = False) -> None:
    document = _whole(json.loads(text))
    if document.get("error") or document.get("object") == "error":
        raise Unreadable(tr("with an error in the middle of the answer"))
    answer.take(document, whole=whole)
