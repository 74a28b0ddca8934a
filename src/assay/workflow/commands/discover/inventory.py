"""Everything that can be asked on this machine: models behind Ollama, other servers, GGUF files."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from assay.messages import tr, trn
from assay.models.http.connection import is_this_machine
from assay.models.inventory.hurried import side_by_side
from assay.models.inventory.servers import find_servers, usual_places
from assay.models.local.gguf.stores import find_files
from assay.text.number_format import count, fixed, memory
from assay.text.safe_text import one_line
from assay.types.inventory import FileFound, ServedFound, ServerFound
from assay.workflow.commands.discover.discovery import (
    Fits,
    ModelFound,
    OllamaFound,
    Room,
    find_ollama,
    this_room,
    will_it_fit,
)

OF_OLLAMA = "gguf:ollama/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """`ollama`: where OLLAMA_HOST points, or its usual port; `servers`: the other addresses that
    were looked at, those where nobody is too.
    """

    ollama: OllamaFound
    servers: tuple[ServerFound, ...] = ()
    files: tuple[FileFound, ...] = ()
    room: Room

    @property
    def answering(self) -> tuple[ServerFound, ...]:
        return tuple(server for server in self.servers if server.kind)

    @property
    def served(self) -> tuple[ModelFound, ...]:
        known = {model.spec for model in self.ollama.models}
        return tuple(
            _of_server(model, server, self.room)
            for server in self.answering
            for model in server.models
            if model.spec not in known
        )

    @property
    def in_files(self) -> tuple[ModelFound, ...]:
        """Those of Ollama's store only where the server that has them does not answer."""
        listed = {f"{OF_OLLAMA}{model.name}" for model in self.ollama.models}
        return tuple(
            _of_file(file, self.answering, self.room)
            for file in self.files
            if file.spec not in listed
        )

    @property
    def models(self) -> tuple[ModelFound, ...]:
        return (*self.ollama.models, *self.served, *self.in_files)


def find_everything(folder: Path, room: Room | None = None) -> Inventory:
    """All addresses side by side: as long as the slowest takes, two seconds at most."""
    space = room or this_room()
    first, *others = usual_places()
    nobody = OllamaFound(url=first.root, reachable=False, problem=tr("it does not answer"))

    def ollama() -> OllamaFound:
        return find_ollama(room=space)

    def servers() -> tuple[ServerFound, ...]:
        return find_servers(others)

    looks: list[Callable[[], OllamaFound | tuple[ServerFound, ...]]] = [ollama, servers]
    at_ollama, elsewhere = side_by_side(looks, [nobody, ()])
    assert isinstance(at_ollama, OllamaFound)
    assert isinstance(elsewhere, tuple)
    return Inventory(ollama=at_ollama, servers=elsewhere, files=find_files(folder), room=space)


def _of_server(model: ServedFound, server: ServerFound, room: Room) -> ModelFound:
    host = urlsplit(server.url).hostname or ""
    here = is_this_machine(host)
    fits: Fits = "unknown"
    reason = tr("served by {server}", server=server_in_words(server))
    if not here:
        reason = tr("computed at {host}, not here", host=host)
    elif server.kind == "Ollama" and not model.loaded:
        fits, reason = will_it_fit(model.size_bytes, room)
    return ModelFound(
        name=os.path.basename(model.name) if server.kind == "llama.cpp" else model.name,
        spec=model.spec,
        size_bytes=model.size_bytes,
        quantisation=model.quantisation.removeprefix("all "),
        parameters=_in_short(model.parameters),
        fits=fits,
        reason=reason,
        loaded=here and fits == "unknown",
        elsewhere=not here,
    )


def _of_file(file: FileFound, servers: tuple[ServerFound, ...], room: Room) -> ModelFound:
    at = next((one.url for one in servers if one.file and _is_same(one.file, file.path)), "")
    in_store = {
        "folder": "",
        "LM Studio": tr("of LM Studio"),
        "Ollama": tr("of Ollama"),
    }[file.store]
    on_engine = tr("on our engine")
    where = tr("served at {url} too", url=at) if at else in_store
    name = file.spec.removeprefix("gguf:")
    fits, _ = will_it_fit(file.size_bytes, room)
    return ModelFound(
        name=os.path.relpath(name) if file.store == "folder" else name,
        spec=file.spec,
        size_bytes=file.size_bytes,
        quantisation=file.quantisation,
        parameters=file.parameters,
        fits="no" if fits == "no" else "unknown",
        reason=", ".join(filter(None, (on_engine, where))),
        why_not=file.why_not,
    )


def _is_same(served: str, path: str) -> bool:
    try:
        return os.path.samefile(served, path)
    except OSError:
        return False


def _in_short(parameters: int | None) -> str:
    """260032 as 260.03K, as Ollama writes it."""
    if not parameters:
        return ""
    for letter, size in (("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if parameters >= size:
            return f"{fixed(parameters / size, 2)}{letter}"
    return str(parameters)


def server_in_words(server: ServerFound) -> str:
    """Which program, where, and how much it answers at once."""
    return ", ".join(filter(None, (tr("{kind} at {url}", kind=_kind(server), url=server.url),
                                   *_room_in(server))))  # fmt: skip


def _kind(server: ServerFound) -> str:
    return tr("an OpenAI-compatible server") if server.kind == "OpenAI-compatible" else server.kind


def _room_in(server: ServerFound) -> Iterator[str]:
    if server.slots:
        yield trn("{count} slot", "{count} slots", server.slots)
    if server.context:
        yield tr("{count} tokens of context", count=count(server.context))


def what_a_server_says(server: ServerFound) -> Iterator[str]:
    """Beside its address: what its model can do, and its file."""
    if server.version:
        yield one_line(server.version)
    if server.template:
        yield tr("with a chat template")
    if server.tools is not None:
        yield tr("calls tools") if server.tools else tr("its template has no tools")
    if server.thinks is not None:
        yield tr("can think") if server.thinks else tr("does not think")
    if server.file:
        yield tr("file {path}", path=server.file)
    if server.digest:
        yield server.digest[: len("sha256:") + 12]


def what_a_model_says(model: ServedFound) -> str:
    parts = (
        memory(model.size_bytes) if model.size_bytes else "",
        model.quantisation,
        _in_short(model.parameters),
        tr("{count} tokens of context", count=count(model.context)) if model.context else "",
        model.digest[:19],
        tr("loaded now") if model.loaded else "",
        tr("can think") if model.thinks else "",
        tr("calls tools") if model.tools else "",
    )
    return ", ".join(filter(None, parts))


def named_place(server: ServerFound) -> bool:
    """Whether the user named it, by a variable."""
    return not server.named_by.isdigit()
