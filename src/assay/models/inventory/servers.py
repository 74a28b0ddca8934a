"""Find servers of models: on the usual ports of this machine, and at OLLAMA_HOST and
OPENAI_BASE_URL.

What a server says is a stranger's word. A name that a terminal would obey is left out, and a
server that answers slowly, endlessly or in another language cannot be used.
"""

import hashlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from assay.errors import UsageError
from assay.messages import tr
from assay.models.address import OPENAI_VARIABLE, ollama_url, openai_url
from assay.models.http.connection import Connection, is_this_machine
from assay.models.http.faults import Fault, readable, reported_count
from assay.models.local.file_digests import known_digest
from assay.models.local.gguf.header import is_gguf
from assay.models.ollama.client import OllamaClient
from assay.models.openai.facts import entries_of, server_kind
from assay.models.openai.model import Key, key_for
from assay.models.openai.props import ServerProps, read_props
from assay.types.inventory import ModelFound, ServerFound
from assay.types.model_spec import without_userinfo
from assay.types.options import ServerOptions

PORTS_VARIABLE = "ASSAY_PORTS"  # instead of the usual ones; empty: none
USUAL_PORTS = (11434, 8080, 1234, 8000)  # of Ollama, llama.cpp, LM Studio, vLLM
PATIENCE_S = 2.0  # a server that is there answers each question in milliseconds
MOST_BYTES = 8 * 2**20  # of an answer; a list of a thousand models has some hundred kilobytes
MOST_MODELS = 200  # that are listed of one server
LONGEST_NAME = 200
CANNOT_WRITE = frozenset({"bert", "nomic-bert", "nomic-bert-moe"})  # embeddings only
BLOB = "sha256-"  # begins the name of a weight file in Ollama's store


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One address to look at."""

    root: str
    named_by: str
    """A variable, or the port."""

    api: str = ""
    """The address of `/v1` as the user wrote it; empty if only the port is known."""

    only_ollama: bool = False
    problem: str = ""
    hint: str = ""


def find_servers(places: Sequence[Address] | None = None) -> tuple[ServerFound, ...]:
    """Look at all addresses side by side, in PATIENCE_S at most; the usual ones by default."""
    places = usual_places() if places is None else places
    servers = [_late(place) for place in places]

    def look(number: int) -> None:
        servers[number] = look_at(places[number])

    # Threads of their own: no timeout of a connection ends a slow search for a host's address.
    threads = [
        threading.Thread(target=look, args=(number,), daemon=True) for number in range(len(places))
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + PATIENCE_S
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return tuple(servers)


def find_ollama(url: str | None = None) -> ServerFound:
    """Look for Ollama at this URL, by default where OLLAMA_HOST points."""
    (server,) = find_servers([ollama_place(url)])
    return server


def usual_places() -> tuple[Address, ...]:
    """Return Ollama's address, that of OPENAI_BASE_URL, then the ports that neither names."""
    named = [ollama_place(), *_openai_places()]
    ports = os.environ.get(PORTS_VARIABLE)
    words = map(str, USUAL_PORTS) if ports is None else ports.replace(",", " ").split()
    known = {_host_and_port(place.root) for place in named}
    places = [*named]
    for port in dict.fromkeys(words):
        if not port.isascii() or not port.isdigit() or not 0 < int(port) < 2**16:
            continue
        place = Address(root=f"http://127.0.0.1:{port}", named_by=port)
        if _host_and_port(place.root) not in known:
            places.append(place)
    return tuple(places)


def ollama_place(url: str | None = None) -> Address:
    """Return where Ollama should be; a wrong address is its problem."""
    named_by = "OLLAMA_HOST" if url or os.environ.get("OLLAMA_HOST") else "11434"
    try:
        root = ollama_url(url)
    except UsageError as error:
        shown = without_userinfo(url) if url else ""
        return Address(root=shown, named_by=named_by, problem=error.message, hint=error.hint)
    hint = tr("start it with `ollama serve`, or set OLLAMA_HOST to where it runs")
    return Address(root=root, named_by=named_by, only_ollama=True, hint=hint)


def _openai_places() -> Iterator[Address]:
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
    if not root:
        return ""
    parts = urlsplit(root)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{'127.0.0.1' if is_this_machine(host) else host}:{port}"


def _nobody(place: Address) -> ServerFound:
    url = without_userinfo(place.api or place.root)
    return ServerFound(url=url, named_by=place.named_by, problem=place.problem, hint=place.hint)


def _late(place: Address) -> ServerFound:
    nobody = _nobody(place)
    why = tr("{url} did not answer within {seconds:g} s", url=nobody.url, seconds=PATIENCE_S)
    return replace(nobody, problem=place.problem or why)


def look_at(place: Address) -> ServerFound:
    """Return what answers at one address; it never raises."""
    nobody = _nobody(place)
    if place.problem:
        return nobody
    try:
        return _look_for_ollama(place) or _look_for_openai(place)
    except Fault as fault:
        if fault.away and not (nobody.is_named or place.only_ollama):
            return nobody  # a free port is no problem
        instead = tr("try {url}", url=fault.instead) if fault.instead else ""
        hint = fault.hint or instead or place.hint
        return replace(nobody, problem=fault.sentence, hint=hint)
    except UsageError as error:
        return replace(nobody, problem=error.message, hint=error.hint)
    except Exception as error:  # noqa: BLE001 - what a stranger sends has no end
        kind = type(error).__name__
        return replace(nobody, problem=tr("an unexpected answer ({kind})", kind=kind))


@contextmanager
def _connected(url: str, key: Key | None = None) -> Iterator[Connection]:
    """Open a connection for short answers; no secret stays in its faults."""
    connection = Connection(
        url,
        timeout_s=PATIENCE_S,
        headers=key.headers if key else None,
        secrets=key.secrets if key else (),
        most_bytes=MOST_BYTES,
    )
    try:
        yield connection
    except Fault as fault:
        fault.sentence = connection.without_secrets(fault.sentence)
        raise
    finally:
        connection.close()


# ------------------------------------------------------------------------------------------ Ollama


def _look_for_ollama(place: Address) -> ServerFound | None:
    """Return None for a server of another kind."""
    with _connected(place.root) as connection:
        client = OllamaClient(connection)
        try:
            version = client.version()
        except Fault as fault:
            if place.only_ollama or fault.away or fault.cause == "timeout":
                raise
            return None
        installed, in_memory = client.models(), client.loaded()
        url = connection.url
    # A spec without a URL means the Ollama of OLLAMA_HOST.
    is_usual = _host_and_port(url) == _host_and_port(ollama_place().root)
    suffix = "" if is_usual else f"@{url}"
    contexts = {
        str(entry.get("name")): reported_count(entry.get("context_length")) for entry in in_memory
    }
    models = []
    for entry in installed:
        model = _ollama_model(entry, suffix, contexts)
        if _is_printable_name(model.name):
            models.append(model)
    # What can write comes first, and of that what is in memory.
    models.sort(key=lambda model: (bool(model.why_not), not model.loaded))
    return replace(
        _nobody(place),
        url=url,
        hint="",
        kind="Ollama",
        version=version,
        models=tuple(models[:MOST_MODELS]),
        more_models=len(installed) - len(models[:MOST_MODELS]),
    )


def _ollama_model(
    entry: Mapping[str, Any], suffix: str, contexts: Mapping[str, int | None]
) -> ModelFound:
    name = str(entry.get("name") or entry.get("model") or "")
    details = _mapping(entry.get("details"))
    family = _short_text(details.get("family"))
    listed = entry.get("capabilities")  # of newer servers
    abilities = listed if isinstance(listed, list) and listed else None
    writes = family not in CANNOT_WRITE if abilities is None else "completion" in abilities
    elsewhere = bool(entry.get("remote_host"))
    host = readable(str(entry.get("remote_host"))).rpartition("://")[2].partition(":")[0]
    return ModelFound(
        name=name,
        spec=f"ollama:{name}{suffix}",
        size_bytes=None if elsewhere else reported_count(entry.get("size")) or None,
        parameters=_short_text(details.get("parameter_size")),
        quantisation=_short_text(details.get("quantization_level")),
        family=family,
        context=contexts.get(name),
        digest=_short_text(entry.get("digest"), longest=80),
        loaded=name in contexts,
        thinks=None if abilities is None else "thinking" in abilities,
        tools=None if abilities is None else "tools" in abilities,
        elsewhere=elsewhere,
        reason=tr("computed at {host}, not here", host=host) if elsewhere else "",
        why_not="" if writes else tr("makes embeddings, writes no answers"),
    )


# ----------------------------------------------------------------------- OpenAI-compatible servers


def _look_for_openai(place: Address) -> ServerFound:
    # A key goes only where the user's own variable points.
    is_named = not place.named_by.isdigit()
    api = place.api or f"{place.root}/v1"
    key = key_for(api, ServerOptions(api_key_env=None if is_named else ""))
    no_models = tr("what answers there is no server of models")
    with _connected(api, key) as connection:
        url = connection.url
        nobody = replace(_nobody(place), url=url)
        try:
            document = connection.document("GET", "/models")
        except Fault as fault:
            if fault.status in (401, 403):
                why = tr("it wants a key ({status})", status=fault.status)
                return replace(nobody, problem=why, hint=key.how_to_set())
            if fault.cause in ("refused", "unreadable"):
                return replace(nobody, problem=no_models)
            raise
        if not isinstance(document, dict) or not isinstance(document.get("data"), list):
            return replace(nobody, problem=no_models)
        props = read_props(connection) or ServerProps()
    here = is_this_machine(urlsplit(place.root).hostname or "")
    entries = entries_of(document)
    kind = server_kind(entries)
    # llama.cpp answers to any name, so its only model is meant by the address alone.
    alone = url.removesuffix("/v1") if kind == "llama.cpp" and len(entries) == 1 else ""
    of_model = props if len(entries) == 1 else ServerProps()
    models = []
    for entry in entries:
        if _is_printable_name(entry["id"]):
            spec = alone or f"openai:{entry['id']}@{url}"
            models.append(_openai_model(entry, spec, kind == "llama.cpp", of_model))
    template = hashlib.sha256(props.template.encode("utf-8", "replace")).hexdigest()
    file = readable(props.file) if _is_printable_name(props.file) else ""
    return replace(
        nobody,
        kind=kind,
        version=readable(props.build)[:40],
        slots=props.slots,
        context=props.context,
        template=f"sha256:{template}" if props.template else "",
        file=file,
        digest=_digest_of(Path(file)) if file and here else "",
        thinks=props.thinks,
        tools=props.tools,
        models=tuple(models[:MOST_MODELS]),
        more_models=len(entries) - len(models[:MOST_MODELS]),
    )


def _openai_model(
    entry: Mapping[str, Any], spec: str, name_is_path: bool, props: ServerProps
) -> ModelFound:
    meta = _mapping(entry.get("meta"))
    context = props.context or reported_count(meta.get("n_ctx"))
    return ModelFound(
        name=os.path.basename(entry["id"]) if name_is_path else entry["id"],
        spec=spec,
        size_bytes=reported_count(meta.get("size")) or None,
        parameters=_in_short(reported_count(meta.get("n_params"))),
        quantisation=_short_text(meta.get("ftype")).removeprefix("all "),
        context=context or reported_count(entry.get("max_model_len")),
        thinks=props.thinks,
        tools=props.tools,
    )


def _in_short(parameters: int | None) -> str:
    """Write 260032 as 260.03K, as Ollama does."""
    if not parameters:
        return ""
    for letter, size in (("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if parameters >= size:
            return f"{parameters / size:.2f}{letter}"
    return str(parameters)


def _is_printable_name(name: str) -> bool:
    """Return whether a name is shown as it is, and can be typed as it is shown."""
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()


def _short_text(value: object, longest: int = 20) -> str:
    shown = readable(value)[:longest] if isinstance(value, str) else ""
    return "" if shown == "unknown" else shown


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _digest_of(path: Path) -> str:
    """Return a weight file's digest if its name, an earlier reading or a short look gives it."""
    if path.name.startswith(BLOB) and len(path.name) == len(BLOB) + 64:
        return path.name.replace("-", ":", 1)
    with suppress(OSError):
        # The path is the server's word: only a GGUF file is read.
        if path.is_file() and is_gguf(path) and (digest := known_digest(path)):
            return f"sha256:{digest}"
    return ""
