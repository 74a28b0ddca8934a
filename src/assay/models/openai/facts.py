"""What a server says of a model, and what it does: an answer's shape counts, never its status."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Literal
from urllib.parse import urlsplit

from assay.messages import tr
from assay.models.http.faults import Fault, readable, reported_count
from assay.models.openai.bodies import BEYOND_OPENAI, Dialect, first_token, to_echo
from assay.models.openai.client import OpenAIAnswer, OpenAIClient
from assay.models.openai.likelihoods import NEXT, are_likeliest, is_right
from assay.models.openai.props import ServerProps, weights_behind
from assay.types import Capability, Message, ModelFacts, Sampling, Thinking
from assay.types.inventory import ServerKind
from assay.types.models import NATIVE
from assay.types.options import OpenAIForm

SHOWN = 10
NOTHING_TOLD = ServerProps()
OF_CHAT: frozenset[Capability] = frozenset({"structured_output", "tools"})  # until it refuses
_SERVERS: dict[object, ServerKind] = {
    "llamacpp": "llama.cpp", "vllm": "vLLM", "library": "Ollama"
}  # fmt: skip
_LEVELS: tuple[Thinking, ...] = ("low", "medium", "high")

Entry = Mapping[str, Any]


def entries_of(document: object) -> list[Entry]:
    data = document.get("data") if isinstance(document, dict) else document
    if not isinstance(data, list):
        return []
    return [one for one in data if isinstance(one, dict) and isinstance(one.get("id"), str)]


def entry_of(name: str, entries: Sequence[Entry]) -> Entry | None:
    """llama.cpp serves its one model under any name; others add `:latest` or `models/`, and a
    router takes a provider's name behind them, as in `Qwen/Qwen3-8B:nebius`.
    """
    if len(entries) == 1 and entries[0].get("owned_by") == "llamacpp":
        return entries[0]
    listed = {entry["id"]: entry for entry in reversed(entries)}
    names = (name, f"{name}:latest", f"models/{name}", name.rpartition(":")[0])
    return next((listed[one] for one in names if one in listed), None)


def server_kind(entries: Sequence[Entry]) -> ServerKind:
    """By whom it calls the owner of its models."""
    owners = (entry.get("owned_by") for entry in entries)
    known = (_SERVERS.get(owner) for owner in owners if isinstance(owner, str))
    return next(filter(None, known), "OpenAI-compatible")


def near_names(name: str, listed: Iterable[str]) -> str:
    from rapidfuzz import process, utils  # only a mistake needs it

    names = sorted(set(listed))
    found = process.extract(name, names, processor=utils.default_process, limit=SHOWN)
    return tr("the server has {names}", names=readable(", ".join(one for one, *_ in found)))


def facts_of(
    spec: str,
    name: str,
    *,
    url: str,
    entry: Entry | None,
    form: Literal["chat", "completions"],
    props: ServerProps = NOTHING_TOLD,
) -> ModelFacts:
    entry = entry or {}
    meta = _meta(entry)
    capabilities: set[Capability] = {"generate"}
    if form == "chat":
        capabilities |= OF_CHAT
    may_think = form == "chat" and props.thinks is not False
    return ModelFacts(
        spec=spec,
        name=name,
        fingerprint=fingerprint(url, name, form),
        fingerprint_is_weak=True,
        capabilities=frozenset(capabilities),
        is_chat=form == "chat",
        parameters=reported_count(meta.get("n_params")),
        slots=props.slots,
        context_length=props.context
        or reported_count(meta.get("n_ctx"))
        or reported_count(entry.get("max_model_len")),
        predicts_by="sampled",
        thinks=_LEVELS if may_think else (),
        may_think=("on", "off") if may_think else (),
        weights=weights_behind(props, url, bytes_told(entry)),
        about={
            "server": server_kind([entry]),
            "address": url,
            **({"slots": str(props.slots)} if props.slots else {}),
        },
    )


def bytes_told(entry: Entry | None) -> int | None:
    """Of the weights, as llama.cpp counts them."""
    return reported_count(_meta(entry or {}).get("size")) or None


def _meta(entry: Entry) -> Mapping[str, Any]:
    meta = entry.get("meta")
    return meta if isinstance(meta, dict) else {}


def fingerprint(url: str, name: str, form: Literal["chat", "completions"]) -> str:
    """URL and name; and the form, where it is the rarer one: it gives other answers."""
    return f"openai:{url} {name}" + (" completions" if form == "completions" else "")


QUESTION = (Message("user", "Say yes."),)
SHORT = Sampling(temperature=0.0, seed=0, max_tokens=1)
OLLAMA = "fp_ollama"
# Answers of a form that a server does not have, or of a model that cannot do it.
NOT_THIS_FORM = (400, 404, 405, 415, 422, 501)


def learn(form: OpenAIForm, client: OpenAIClient) -> tuple[frozenset[Capability], bool]:
    """`auto` takes chat, else completions. What the server can do, and whether it is an Ollama."""
    if form == "completions":
        return _learn_as("completions", client)
    try:
        return _learn_as("chat", client)
    except Fault as fault:
        if form == "chat" or not (fault.cause == "unreadable" or fault.status in NOT_THIS_FORM):
            raise
        with suppress(Fault):
            return _learn_as("completions", client)
        raise


def _learn_as(
    form: Literal["chat", "completions"], client: OpenAIClient
) -> tuple[frozenset[Capability], bool]:
    client.dialect = Dialect(form) if form == "chat" else Dialect(form, likeliest=0)
    written = _settled(client)
    can: set[Capability] = {"generate"}
    if form == "chat":
        can |= OF_CHAT
        likeliest = client.dialect.likeliest and are_likeliest(written.first_logprobs)
        if likeliest and not written.thinks:  # its first token is not yet its answer
            can.add("top_logprobs")
    elif _echoes(client):
        can.add("score_text")
    return frozenset(can), written.fingerprint == OLLAMA


def _settled(client: OpenAIClient) -> OpenAIAnswer:
    """Fields that not every server knows are left out together, and put back one by one."""
    try:
        return _asked(client)
    except Fault as fault:
        if fault.cause != "refused" or fault.status not in (400, 422):
            raise
        try:
            client.dialect = client.dialect.without(*BEYOND_OPENAI)
            written = _asked(client)
        except Fault:
            raise fault from None
    for field in BEYOND_OPENAI:
        good = client.dialect
        client.dialect = replace(good, left_out=good.left_out - {field})
        try:
            written = _asked(client)
        except Fault:
            client.dialect = good
    return written


def _asked(client: OpenAIClient) -> OpenAIAnswer:
    return client.whole(
        lambda dialect: first_token(client.name, QUESTION, SHORT, dialect), probing=True
    )


def _echoes(client: OpenAIClient) -> bool:
    def told(text: str, *, likeliest: int, echo: bool) -> object:
        return client.whole(
            lambda dialect: to_echo(
                client.name, text, likeliest=likeliest, dialect=dialect, echo=echo
            )
        ).logprobs

    with suppress(Fault):
        echoed = partial(told, likeliest=1, echo=True)
        return is_right(echoed, partial(told, likeliest=NEXT, echo=False))
    return False


def about_ollama(name: str, url: str, version: str) -> dict[str, str]:
    parts = urlsplit(url)
    return {
        "server": f"Ollama {version}".strip(),
        NATIVE: f"ollama:{name}@{parts.scheme}://{parts.netloc}",
    }
