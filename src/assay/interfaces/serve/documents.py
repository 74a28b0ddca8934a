"""What a client gets: the documents of the OpenAI protocol, whole or as the events of a stream."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a recording says errors in the same words, and loads no model
    from assay.api.serving import Completed, OfferedModel, WrittenToken
    from assay.interfaces.serve.fields import AskedCompletions


def models_document(model: OfferedModel) -> dict[str, Any]:
    entry = {
        "id": model.facts.name,
        "object": "model",
        "created": 0,
        "owned_by": "assay",
        "max_model_len": model.context_length,
        "meta": {"n_params": model.facts.parameters, "n_ctx": model.context_length},
    }
    return {"object": "list", "data": [entry]}


def tokens_document(ids: Sequence[int], model: OfferedModel) -> dict[str, Any]:
    return {"tokens": list(ids), "count": len(ids), "max_model_len": model.context_length}


def error_document(message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def completion_document(
    asked: AskedCompletions, done: Sequence[Completed], model: OfferedModel
) -> dict[str, Any]:
    choices = []
    for index, (wanted, one) in enumerate(zip(asked.wanted, done, strict=True)):
        choice: dict[str, Any] = {
            "index": index,
            "text": one.text,
            "finish_reason": one.finish,
            "logprobs": None if wanted.logprobs is None else _logprobs(one.tokens),
        }
        if wanted.prompt_logprobs is not None:
            choice["prompt_logprobs"] = [_by_id(each) for each in one.prompt]
        choices.append(choice)
    return _document("cmpl", "text_completion", choices, done, model)


def chat_document(
    asked: AskedCompletions, done: Sequence[Completed], model: OfferedModel
) -> dict[str, Any]:
    (one,) = done
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": one.text},
        "finish_reason": one.finish,
        "logprobs": {"content": [_of_chat(each) for each in one.tokens]} if asked.tells else None,
    }
    return _document("chatcmpl", "chat.completion", [choice], done, model)


def events(document: dict[str, Any], *, counts: bool) -> Iterator[str]:
    """The answer in one piece: the engine gives texts when they are whole."""
    usage = document.pop("usage")
    if document["object"] == "chat.completion":
        document["object"] = "chat.completion.chunk"
        for choice in document["choices"]:
            choice["delta"] = choice.pop("message")
    yield _event(document)
    if counts:
        yield _event({**document, "choices": [], "usage": usage})
    yield "data: [DONE]\n\n"


def _event(document: dict[str, Any]) -> str:
    return f"data: {json.dumps(document, ensure_ascii=False)}\n\n"


def _document(
    kind: str, name: str, choices: list[dict[str, Any]], done: Sequence[Completed], model: Any
) -> dict[str, Any]:
    read, written = (
        sum(getattr(one, each) for one in done) for each in ("prompt_tokens", "written_tokens")
    )
    return {
        "id": f"{kind}-{uuid.uuid4().hex[:24]}",
        "object": name,
        "created": int(time.time()),
        "model": model.facts.name,
        "choices": choices,
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        },
    }


def _logprobs(tokens: Sequence[WrittenToken]) -> dict[str, Any]:
    return {
        "tokens": [each.text for each in tokens],
        "token_logprobs": [each.told.log_likelihood if each.told else None for each in tokens],
        "top_logprobs": [_by_text(each) for each in tokens],
        "text_offset": [each.offset for each in tokens],
    }


def _by_text(token: WrittenToken) -> dict[str, float] | None:
    """The token's own is among them, whatever its rank, as OpenAI has it. Of several that are
    written alike (parts of a character) the likeliest counts.
    """
    if token.told is None:
        return None
    found: dict[str, float] = {}
    for text, value in (*token.likeliest, (token.text, token.told.log_likelihood)):
        found[text] = max(value, found.get(text, value))
    return found


def _by_id(token: WrittenToken) -> dict[str, Any] | None:
    """VLLM's form: by token id, the token itself first."""
    if token.told is None:
        return None
    own = {"logprob": token.told.log_likelihood, "rank": token.told.rank + 1}
    found = {str(token.id): {**own, "decoded_token": token.text}}
    named = zip(token.told.likeliest, token.likeliest, strict=True)
    for rank, ((other, value), (text, _)) in enumerate(named, start=1):
        found.setdefault(str(other), {"logprob": value, "rank": rank, "decoded_token": text})
    return found


def _of_chat(token: WrittenToken) -> dict[str, Any]:
    return {
        **_named(token.text, token.told.log_likelihood if token.told else 0.0),
        "top_logprobs": [_named(text, value) for text, value in token.likeliest],
    }


def _named(text: str, value: float) -> dict[str, Any]:
    return {"token": text, "logprob": value, "bytes": list(text.encode("utf-8", "replace"))}
