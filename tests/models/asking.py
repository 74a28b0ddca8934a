"""How the tests of `openai:` ask: requests made short, and what the server saw."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.types import Answered, Message, Model, Reply, Request, Sampling, ToAnswer, ToChoose, Work
from assay.types.options import ServerOptions
from tests.servers.fixtures import Server

KEY = "sk-planted-0123456789-abcdef"
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"
QUICK = ServerOptions(timeout=30, first_pause_s=0.01)
AS_TEXT = replace(QUICK, form="completions")
PLAIN = Sampling(temperature=0.0, seed=0, max_tokens=40)
QUESTION = "Which planet is red?\nA. Venus\nB. Mars\nC. Saturn\nD. Earth\nAnswer with one letter."
_numbers = itertools.count()


def request_of(work: Work) -> Request:
    return Request(id=f"r{next(_numbers)}", suite="s", test_id="t", turn=0, repeat=0, work=work)


def said(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


def only(model: Model, work: Work) -> Reply:
    (reply,) = model.answer([request_of(work)])
    return reply


def answered(
    model: Model, text: str = "Say something.", sampling: Sampling = PLAIN, **more: Any
) -> Answered:
    reply = only(model, ToAnswer(messages=said(text), sampling=sampling, **more))
    assert isinstance(reply, Answered), reply
    return reply


def choose(
    text: str = QUESTION,
    letters: Sequence[str] = "ABCD",
    otherwise: Sampling | None = PLAIN,
) -> ToChoose:
    return ToChoose(messages=said(text), continuations=tuple(letters), otherwise=otherwise)


def last_body(server: Server) -> dict[str, Any]:
    return dict(server.asked[-1].body)


def legacy(tokens: list[Any], values: list[Any], **more: Any) -> dict[str, Any]:
    """Log-probabilities in the shape of the old completions."""
    return {"tokens": tokens, "token_logprobs": values, **more}
