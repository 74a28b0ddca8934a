"""Finds out what a server does with what it is asked.

In: a name, the form wanted, a way to ask. Out: Learned: the server's dialect, what it can do, what
to tell the user; or the Fault that says why it cannot be asked at all.

Judged is the shape of an answer, never its status: servers drop in silence what they do not know.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from assay.messages import tr
from assay.models.http.faults import Fault
from assay.models.openai import echo
from assay.models.openai.asking import Asking
from assay.models.openai.bodies import first_token, to_echo
from assay.models.openai.dialect import BEYOND_OPENAI, Dialect
from assay.models.openai.reading import Written
from assay.types import Capability, Message, Sampling
from assay.types.options import OpenAIForm

QUESTION = (Message("user", "Say yes."),)
SHORT = Sampling(temperature=0.0, seed=0, max_tokens=1)
OLLAMA = "fp_ollama"
MOST_SHARED = 1.01  # of one probability, with room for what was rounded
# Said of a form that a server does not have, or of a model that cannot do it.
NOT_THIS_FORM = (400, 404, 405, 415, 422, 501)


@dataclass(frozen=True, slots=True)
class Learned:
    """What one server turned out to be."""

    dialect: Dialect
    capabilities: frozenset[Capability]
    is_ollama: bool = False


def learn(name: str, form: OpenAIForm, asking: Asking) -> Learned:
    """Ask one token in the form wanted; `auto` takes chat, else completions."""
    if form == "completions":
        return _as_completions(name, asking)
    try:
        return _as_chat(name, asking)
    except Fault as fault:
        if form == "chat" or not _may_lack_chat(fault):
            raise
        with suppress(Fault):
            return _as_completions(name, asking)
        raise


def _as_chat(name: str, asking: Asking) -> Learned:
    asking.dialect = Dialect("chat")
    written = _settled(name, asking)
    can: set[Capability] = {"generate", "structured_output"}
    likeliest = asking.dialect.likeliest and are_likeliest(written.first_logprobs)
    if likeliest and not written.thinks:  # its first token is not yet its answer
        can.add("top_logprobs")
    return Learned(asking.dialect, frozenset(can), written.fingerprint == OLLAMA)


def _as_completions(name: str, asking: Asking) -> Learned:
    asking.dialect = Dialect("completions", likeliest=0)
    written = _settled(name, asking)
    can: set[Capability] = {"generate"}
    if _echoes(name, asking):
        can.add("score_text")
    return Learned(asking.dialect, frozenset(can), written.fingerprint == OLLAMA)


def _settled(name: str, asking: Asking) -> Written:
    """Ask until no field is refused. Where a refusal names none, the fields that not every server
    knows are left out together, and put back one by one.
    """
    try:
        return _asked(name, asking)
    except Fault as fault:
        if fault.cause != "refused" or fault.status not in (400, 422):
            raise
        try:
            asking.dialect = asking.dialect.without(*BEYOND_OPENAI)
            written = _asked(name, asking)
        except Fault:
            raise fault from None
    for field in BEYOND_OPENAI:
        good = asking.dialect
        asking.dialect = good.with_again(field)
        try:
            written = _asked(name, asking)
        except Fault:
            asking.dialect = good
    return written


def _asked(name: str, asking: Asking) -> Written:
    written, _ = asking.whole(
        lambda dialect: first_token(name, QUESTION, SHORT, dialect), probing=True
    )
    return written


def _may_lack_chat(fault: Fault) -> bool:
    return fault.cause == "unreadable" or fault.status in NOT_THIS_FORM


def are_likeliest(entry: Mapping[str, Any] | None) -> bool:
    """Whether this is a token with the likeliest others, in the shape and with numbers as they
    should be: shares of one probability, and not all the same.
    """
    told = (entry or {}).get("top_logprobs")
    if not isinstance(told, list):
        return False
    shares: dict[str, float] = {}
    for one in told:
        token = one.get("token") if isinstance(one, dict) else None
        if not isinstance(token, str) or not echo.is_logprob(one.get("logprob")):
            return False
        shares[token] = math.exp(one["logprob"])
    return len(set(shares.values())) > 1 and math.fsum(shares.values()) <= MOST_SHARED


def _echoes(name: str, asking: Asking) -> bool:
    def told(text: str, *, echoed: bool) -> object:
        written, _ = asking.whole(
            lambda dialect: to_echo(
                name, text, likeliest=1 if echoed else echo.NEXT, dialect=dialect, echo=echoed
            )
        )
        return written.logprobs

    with suppress(Fault):
        return echo.is_right(
            lambda text: told(text, echoed=True), lambda text: told(text, echoed=False)
        )
    return False


def about_ollama(name: str, url: str) -> str:
    """What the native API would do better."""
    parts = urlsplit(url)
    return tr(
        "this is an Ollama, and its repeat_penalty cannot be switched off through this URL; "
        "{spec} would switch it off, set the context so that no prompt is cut in silence, measure "
        "load, prefill and decode times, and unload the model after a time-out",
        spec=f"ollama:{name}@{parts.scheme}://{parts.netloc}",
    )
