"""Which servers of models answer, and what they say of themselves: on the usual ports of this
machine, and where OLLAMA_HOST and OPENAI_BASE_URL point. All are asked side by side.

What a server says is somebody else's word: names that a terminal would obey are left out, and a
server that answers slowly, endlessly or in another language is one that cannot be used.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from assay.errors import UsageError
from assay.messages import tr
from assay.models.address import OPENAI_VARIABLE, ollama_url, openai_url
from assay.models.http.connection import Connection, is_this_machine
from assay.models.http.faults import Fault, readable, reported_count
from assay.models.inventory.hurried import PATIENCE_S, HurriedConnection, side_by_side
from assay.models.local.file_digests import known_digest
from assay.models.local.gguf.header import is_gguf
from assay.models.ollama.client import OllamaClient
from assay.models.openai.facts import entries_of, server_kind
from assay.models.openai.model import key_for
from assay.models.openai.props import ServerProps, read_props
from assay.types.inventory import ServedFound, ServerFound
from assay.types.model_spec import without_userinfo
from assay.types.options import ServerOptions

PORTS_VARIABLE = "ASSAY_PORTS"  # instead of the usual ones; empty: none
USUAL_PORTS = (11434, 8080, 1234, 8000)  # of Ollama, llama.cpp, LM Studio, vLLM
MOST_MODELS = 200  # that are listed of one server
LONGEST_NAME = 200
_BLOB = "sha256-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address to look at. `api`: as it was named; "" where only the port is known."""

    root: str
    named_by: str
    api: str = ""
    problem: str = ""
    hint: str = ""

    @property
    def is_of_variable(self) -> bool:
        return not self.named_by.isdigit()


def find_servers(places: Sequence[Address] | None = None) -> tuple[ServerFound, ...]:
    """In the order of the places. None waits for another, and none is waited for longer than
    PATIENCE_S, not even for its name.
    """
    places = usual_places() if places is None else places
    return tuple(side_by_side([partial(look_at, each) for each in places], [*map(_silent, places)]))


def usual_places() -> tuple[Address, ...]:
    """Those of variables first, then the ports that they do not name."""
    named = [_of_ollama_host(), *_of_openai_variable()]
    told = os.environ.get(PORTS_VARIABLE)
    words = map(str, USUAL_PORTS) if told is None else told.replace(",", " ").split()
    ports = dict.fromkeys(
        Address(root=f"http://127.0.0.1:{port}", named_by=port)
        for port in words
        if port.isascii() and port.isdigit() and 0 < int(port) < 2**16
    )
    taken = {_host_and_port(each.root) for each in named}
    return (*named, *(each for each in ports if _host_and_port(each.root) not in taken))


def _of_ollama_host() -> Address:
    try:
        root = ollama_url()
    except UsageError as error:
        return Address(root="", named_by="OLLAMA_HOST", problem=error.message, hint=error.hint)
    return Address(root=root, named_by="OLLAMA_HOST" if os.environ.get("OLLAMA_HOST") else "11434")


def _of_openai_variable() -> Iterator[Address]:
    if not os.environ.get(OPENAI_VARIABLE, "").strip():
        return
    try:
        api = openai_url()
    except UsageError as error:
        yield Address(root="", named_by=OPENAI_VARIABLE, problem=error.message, hint=error.hint)
        return
    root = urlunsplit(urlsplit(api)._replace(path="", query="", fragment=""))
    yield Address(root=root, named_by=OPENAI_VARIABLE, api=api)


def _host_and_port(root: str) -> str:
    parts = urlsplit(root)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{'127.0.0.1' if is_this_machine(host) else host}:{port}" if root else ""


def _silent(place: Address) -> ServerFound:
    return ServerFound(
        url=without_userinfo(place.api or place.root),
        named_by=place.named_by,
        problem=place.problem or tr("did not answer within {seconds:g} s", seconds=PATIENCE_S),
        hint=place.hint,
    )


def look_at(place: Address) -> ServerFound:
    """One address, whatever answers there."""
    found = replace(_silent(place), problem=place.problem)
    if place.problem:
        return found
    try:
        return _of_ollama(place, found) or _of_openai(place, found)
    except Fault as fault:
        if fault.away and not place.is_of_variable:
            return found
        instead = tr("try {url}", url=fault.instead) if fault.instead else ""
        return replace(found, problem=fault.sentence, hint=fault.hint or instead)
    except UsageError as error:
        return replace(found, problem=error.message, hint=error.hint)
    except Exception as error:  # noqa: BLE001 - what a stranger sends has no end
        kind = type(error).__name__
        return replace(found, problem=tr("an unexpected answer ({kind})", kind=kind))


def _of_ollama(place: Address, found: ServerFound) -> ServerFound | None:
    """None for a server of another kind."""
    with closing(HurriedConnection(place.root)) as connection:
        client = OllamaClient(connection)
        try:
            version = client.version()
        except Fault as fault:
            if fault.away or fault.cause == "timeout":
                raise _in_words(connection, fault) from fault
            return None
        try:
            installed, loaded = client.models(), client.loaded()
        except Fault as fault:
            return replace(found, problem=_in_words(connection, fault).sentence)
        url = connection.url
    contexts = {str(one.get("name")): reported_count(one.get("context_length")) for one in loaded}
    in_memory = {str(one.get("name")) for one in loaded}
    suffix = "" if _host_and_port(url) == _host_and_port(_of_ollama_host().root) else f"@{url}"
    models = [
        _of_tag(entry, f"ollama:{name}{suffix}", contexts.get(name), loaded=name in in_memory)
        for entry in installed
        if _may_be_shown(name := str(entry.get("name") or ""))
    ]
    return replace(
        found,
        url=url,
        kind="Ollama",
        version=version,
        models=tuple(models[:MOST_MODELS]),
        more_models=len(installed) - len(models[:MOST_MODELS]),
    )


def _of_tag(
    entry: Mapping[str, Any], spec: str, context: int | None, *, loaded: bool
) -> ServedFound:
    """Newer servers list what a model can do."""
    details = _mapping(entry.get("details"))
    listed = entry.get("capabilities")
    can = listed if isinstance(listed, list) and listed else None
    return ServedFound(
        name=str(entry["name"]),
        spec=spec,
        size_bytes=reported_count(entry.get("size")) or None,
        quantisation=_word(details.get("quantization_level")),
        context=context,
        digest=_word(entry.get("digest"), longest=80),
        loaded=loaded,
        thinks=None if can is None else "thinking" in can,
        tools=None if can is None else "tools" in can,
    )


def _of_openai(place: Address, found: ServerFound) -> ServerFound:
    """A key goes only where the user's own variable points."""
    api = place.api or f"{place.root}/v1"
    key = key_for(api, ServerOptions(api_key_env=None if place.is_of_variable else ""))
    connection = HurriedConnection(api, headers=key.headers, secrets=key.secrets)
    with closing(connection):
        url = connection.url
        try:
            document = connection.document("GET", "/models")
        except Fault as fault:
            if fault.status in (401, 403):
                why = tr("it wants a key ({status})", status=fault.status)
                return replace(found, url=url, problem=why, hint=key.how_to_set())
            if fault.cause in ("refused", "unreadable"):
                return replace(found, url=url, problem=_no_server_of_models())
            raise _in_words(connection, fault) from fault
        if not isinstance(document, dict) or not isinstance(document.get("data"), list):
            return replace(found, url=url, problem=_no_server_of_models())
        props = read_props(connection) or ServerProps()
    entries = entries_of(document)
    named = [entry for entry in entries if _may_be_shown(entry["id"])]
    told = props if len(entries) == 1 else ServerProps()
    kind = server_kind(entries)
    # Of llama.cpp's only model the address alone is meant: it answers to any name.
    alone = url.removesuffix("/v1") if kind == "llama.cpp" and len(entries) == 1 else ""
    models = [_of_entry(entry, alone or f"openai:{entry['id']}@{url}", told) for entry in named]
    file = readable(props.file) if _may_be_shown(props.file) else ""
    here = is_this_machine(urlsplit(place.root).hostname or "")
    return replace(
        found,
        url=url,
        kind=kind,
        version=readable(props.build)[:40],
        slots=props.slots,
        context=props.context,
        template=_hash(props.template) if props.template else "",
        file=file,
        digest=_digest_of(Path(file)) if file and here else "",
        thinks=props.thinks,
        tools=props.tools,
        models=tuple(models[:MOST_MODELS]),
        more_models=len(entries) - len(models[:MOST_MODELS]),
    )


def _of_entry(entry: Mapping[str, Any], spec: str, props: ServerProps) -> ServedFound:
    meta = _mapping(entry.get("meta"))
    return ServedFound(
        name=entry["id"],
        spec=spec,
        size_bytes=reported_count(meta.get("size")) or None,
        parameters=reported_count(meta.get("n_params")) or None,
        quantisation=_word(meta.get("ftype")),
        context=props.context
        or reported_count(meta.get("n_ctx"))
        or reported_count(entry.get("max_model_len")),
        thinks=props.thinks,
        tools=props.tools,
    )


def _no_server_of_models() -> str:
    return tr("what answers there is no server of models")


def _may_be_shown(name: str) -> bool:
    """One that is shown as it is, and typed as it is shown."""
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()


def _in_words(connection: Connection, fault: Fault) -> Fault:
    fault.sentence = connection.without_secrets(fault.sentence)
    return fault


def _word(value: object, longest: int = 20) -> str:
    shown = readable(value)[:longest] if isinstance(value, str) else ""
    return "" if shown == "unknown" else shown


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _hash(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _digest_of(path: Path) -> str:
    """Of a weight file, where its name, an earlier reading or a short look tells it. A path is the
    server's word: only a GGUF file is read.
    """
    if path.name.startswith(_BLOB) and len(path.name) == len(_BLOB) + 64:
        return path.name.replace("-", ":", 1)
    with suppress(OSError):
        if path.is_file() and is_gguf(path) and (digest := known_digest(path)):
            return f"sha256:{digest}"
    return ""
