"""What a server's list of models says, as ModelFacts.

In: the document of GET /models, whatever its shape. Out: ModelFacts; or that the model is not
there, and which are near.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from assay.messages import tr
from assay.models.http.faults import readable
from assay.models.openai.reading import count
from assay.types import Capability, ModelFacts, Thinking

SHOWN = 10
NEAR_ENOUGH = 60
MOST_PARAMETERS = 10**15
_SERVERS = {"llamacpp": "llama.cpp", "vllm": "vLLM", "library": "Ollama"}
_LEVELS: tuple[Thinking, ...] = ("low", "medium", "high")

Entry = Mapping[str, Any]


def entries_of(document: object) -> list[Entry]:
    """The models of a list; none where it is empty or of another shape."""
    data = document.get("data") if isinstance(document, dict) else document
    if not isinstance(data, list):
        return []
    return [one for one in data if isinstance(one, dict) and isinstance(one.get("id"), str)]


def entry_of(name: str, entries: Sequence[Entry]) -> Entry | None:
    """A model in the list. llama.cpp serves its one model under any name; Ollama adds `:latest`,
    Google puts `models/` before its names, and a router takes a provider's name behind them, as in
    `Qwen/Qwen3-8B:nebius`.
    """
    if len(entries) == 1 and entries[0].get("owned_by") == "llamacpp":
        return entries[0]
    listed = {entry["id"]: entry for entry in reversed(entries)}
    names = (name, f"{name}:latest", f"models/{name}", name.rpartition(":")[0])
    return next((listed[one] for one in names if one in listed), None)


def near_names(name: str, listed: Iterable[str]) -> str:
    """What to write instead: the names most like it, or else the first of all."""
    # Only a mistake needs it.
    from rapidfuzz import fuzz, process, utils

    names = sorted(set(listed))
    found = process.extract(
        name,
        names,
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        score_cutoff=NEAR_ENOUGH,
        limit=SHOWN,
    )
    if found:
        return tr("near it are {names}", names=readable(", ".join(one for one, *_ in found)))
    return tr("the server has {names}", names=readable(", ".join(names[:SHOWN])))


def facts_of(
    spec: str,
    name: str,
    *,
    url: str,
    entry: Entry | None,
    form: Literal["chat", "completions"],
) -> ModelFacts:
    """What is known before the first question; the probe adds to it."""
    entry = entry or {}
    meta = entry.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    owner = entry.get("owned_by")
    capabilities: set[Capability] = {"generate"}
    if form == "chat":
        capabilities.add("structured_output")
    return ModelFacts(
        spec=spec,
        name=name,
        fingerprint=fingerprint(url, name, form),
        fingerprint_is_weak=True,
        capabilities=frozenset(capabilities),
        is_chat=form == "chat",
        parameters=count(meta.get("n_params"), most=MOST_PARAMETERS),
        context_length=count(meta.get("n_ctx")) or count(entry.get("max_model_len")),
        predicts_by="sampled",
        thinks=_LEVELS if form == "chat" else (),
        about={
            "server": _SERVERS.get(owner if isinstance(owner, str) else "", "OpenAI-compatible"),
            "address": url,
        },
    )


def fingerprint(url: str, name: str, form: Literal["chat", "completions"]) -> str:
    """URL and name; and the form, where it is the rarer one: it gives other answers."""
    return f"openai:{url} {name}" + (" completions" if form == "completions" else "")
