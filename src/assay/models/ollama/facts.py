"""What Ollama says of a model: ModelFacts, its stop sequences and the size of its own prompt."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.messages import tr
from assay.models.http.faults import readable, reported_count
from assay.models.reasoning import as_unicode
from assay.types import Capability, ModelFacts, Thinking

TOOLS_SINCE = (0, 3, 0)
STRUCTURED_SINCE = (0, 5, 0)
LOGPROBS_SINCE = (0, 12, 11)
OBEYS_TRUNCATE_SINCE = (0, 12, 4)
BARE_TEMPLATE = "{{ .Prompt }}"
_BLOB = re.compile(r"^FROM \S*\bsha256[-:]([0-9a-f]{64})\s*$", re.MULTILINE)
_ADAPTER = re.compile(r"^ADAPTER ", re.MULTILINE)
_STOP_LINE = re.compile(r'^stop\s+(".*"|\S+)\s*$', re.MULTILINE)


def version_of(text: str) -> tuple[int, ...]:
    """0.17.4-rc1 is (0, 17, 4); what is no version is older than everything."""
    return tuple(int(number) for number in re.findall(r"\d+", text.partition("-")[0])[:3])


def entry_of(name: str, models: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    wanted = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
    for entry in models:
        names = (entry.get("name"), entry.get("model"))
        if any(isinstance(one, str) and one.lower() == wanted.lower() for one in names):
            return entry
    return None


def facts_of(
    spec: str,
    name: str,
    *,
    url: str,
    version: str,
    entry: Mapping[str, Any] | None,
    shown: Mapping[str, Any],
) -> ModelFacts:
    info = _mapping(shown.get("model_info"))
    digest = digest_of(entry)
    elsewhere = shown.get("remote_host") or (entry or {}).get("remote_host")
    local = digest is not None and not elsewhere
    return ModelFacts(
        spec=spec,
        name=name,
        fingerprint=f"ollama:{digest}" if local else f"ollama:{url} {name}",
        fingerprint_is_weak=not local,
        capabilities=_capabilities(shown, version, elsewhere=bool(elsewhere)),
        is_chat=is_chat(shown),
        parameters=_positive(info.get("general.parameter_count")),
        context_length=_positive(info.get(f"{info.get('general.architecture')}.context_length")),
        predicts_by="sampled",
        thinks=thinking_of(shown),
        weights=weights_of(shown) if local else "",
        about=_about(version, entry or {}, shown, elsewhere),
    )


def is_chat(shown: Mapping[str, Any]) -> bool:
    return str(shown.get("template") or "").strip() != BARE_TEMPLATE


def digest_of(entry: Mapping[str, Any] | None) -> str | None:
    """What stands for the weights, template and parameters."""
    digest = (entry or {}).get("digest")
    return as_unicode(digest) if isinstance(digest, str) and digest else None


def weights_of(shown: Mapping[str, Any]) -> str:
    """The SHA-256 of the weight file, which is the name of its blob. A model of several files, or
    with an adapter, is none of them alone.
    """
    modelfile = shown.get("modelfile")
    told = modelfile if isinstance(modelfile, str) else ""
    found = set(_BLOB.findall(told))
    return found.pop() if len(found) == 1 and not _ADAPTER.search(told) else ""


def _capabilities(
    shown: Mapping[str, Any], version: str, *, elsewhere: bool
) -> frozenset[Capability]:
    """None are listed before 0.6.4. One that always thinks chooses nothing with its first token."""
    listed = shown.get("capabilities")
    writes = "completion" in listed if isinstance(listed, list) and listed else True
    if not writes:
        return frozenset()
    found: set[Capability] = {"generate"}
    calls = "tools" in listed if isinstance(listed, list) and listed else is_chat(shown)
    if calls and version_of(version) >= TOOLS_SINCE:
        found.add("tools")
    if version_of(version) >= STRUCTURED_SINCE and not elsewhere:
        found.add("structured_output")
    always_thinks = bool(thinking_of(shown)) and "off" not in thinking_of(shown)
    if version_of(version) >= LOGPROBS_SINCE and not elsewhere and not always_thinks:
        found.add("top_logprobs")
    return frozenset(found)


def thinking_of(shown: Mapping[str, Any]) -> tuple[Thinking, ...]:
    """The settings of `think` a model takes. GPT-OSS has levels and cannot be switched off."""
    listed = shown.get("capabilities")
    if not isinstance(listed, list) or "thinking" not in listed:
        return ()
    family = _mapping(shown.get("details")).get("family")
    return ("low", "medium", "high") if family in ("gptoss", "gpt-oss") else ("on", "off")


def _about(
    version: str, entry: Mapping[str, Any], shown: Mapping[str, Any], elsewhere: object
) -> dict[str, str]:
    details = _mapping(shown.get("details"))
    found = {
        "server": f"Ollama {version}",
        "parameters": details.get("parameter_size"),
        "quantisation": details.get("quantization_level"),
        "family": details.get("family"),
        "size": _in_words(_positive(entry.get("size"))),
        "runs at": elsewhere,
    }
    return {
        key: readable(value) for key, value in found.items() if isinstance(value, str) and value
    }


def _in_words(size: int | None) -> str | None:
    if size is None:
        return None
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def own_stops(shown: Mapping[str, Any]) -> tuple[str, ...]:
    parameters = shown.get("parameters")
    found = []
    for text in _STOP_LINE.findall(parameters) if isinstance(parameters, str) else ():
        try:
            found.append(str(json.loads(text)) if text.startswith('"') else text)
        except ValueError:
            continue
    return tuple(found)


def own_bytes(shown: Mapping[str, Any]) -> int:
    texts = (str(shown.get(key) or "") for key in ("system", "template"))
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def how_to_get(name: str, models: Sequence[Mapping[str, Any]]) -> str:
    names = sorted(str(entry.get("name")) for entry in models)
    hint = tr("run `ollama pull {name}`", name=name)
    if names:
        hint += tr("; installed are {names}", names=readable(", ".join(names[:20])))
    return hint


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _positive(value: object) -> int | None:
    return reported_count(value) or None
