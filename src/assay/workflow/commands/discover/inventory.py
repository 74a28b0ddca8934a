"""Models that can be asked on this machine: of servers, GGUF files, checkpoints; and judges."""

import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from assay.machine import available_memory, gpu_memory, installed_version
from assay.messages import tr, trn
from assay.models.http.connection import is_this_machine
from assay.models.inventory.servers import find_servers
from assay.models.local.gguf.stores import find_files
from assay.models.local.loading.skeleton import INSTALL
from assay.text.number_format import count, exact, memory
from assay.types.inventory import FileFound, Fits, ModelFound, ServerFound
from assay.workflow.checkpoints.places import CONFIG, places_of

# Beside the weights stand the context's memory and the program: by estimate, not measured.
ROOM_PER_BYTE = 1.2
ROOM_BESIDE = 500_000_000
COMFORTABLE = 0.8  # of the memory there is; above it other programs get in the way
# Parameters. One of 1.5 B, asked by likelihood, agrees with published grades as GPT-3.5 did; one of
# 0.5 B does not (docs/decisions/judging.md).
LEAST_TO_JUDGE = 1.5e9
MOST_JUDGES = 3
THOUSANDS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
MOST_FOUND = 50
USUAL_CHECKPOINTS = Path("SLM", "models", "checkpoints")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The memory a model must fit into."""

    free_bytes: int
    gpu_bytes: int | None = None
    """None if no GPU has a memory of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The models of servers and files."""

    ollama: ServerFound
    servers: tuple[ServerFound, ...] = ()
    """The other addresses that were looked at, those where nobody is too."""

    files: tuple[FileFound, ...] = ()

    @property
    def unlisted_files(self) -> tuple[FileFound, ...]:
        """The files, less those that Ollama lists as its models."""
        listed = {f"gguf:ollama/{model.name}" for model in self.ollama.models}
        return tuple(file for file in self.files if file.spec not in listed)

    @property
    def models(self) -> tuple[ModelFound, ...]:
        """Each model once, those of Ollama first."""
        models: dict[str, ModelFound] = {}
        for server in (self.ollama, *self.servers):
            for model in server.models:
                models.setdefault(model.spec, model)
        return (*models.values(), *self.unlisted_files)


def this_room() -> Room:
    return Room(free_bytes=available_memory(), gpu_bytes=gpu_memory())


def find_everything(folder: Path, room: Room) -> Inventory:
    """Find servers and GGUF files, and tell of each model whether it fits."""
    ollama, *others = find_servers()
    servers = tuple(_with_fits(server, room) for server in others)
    files = tuple(_with_place(file, servers, room) for file in find_files(folder))
    return Inventory(ollama=_with_fits(ollama, room), servers=servers, files=files)


def _with_fits(server: ServerFound, room: Room) -> ServerFound:
    host = urlsplit(server.url).hostname or ""
    here = is_this_machine(host)
    models = []
    for model in server.models:
        if model.elsewhere:
            models.append(model)
        elif model.loaded:
            models.append(replace(model, fits="yes", reason=tr("loaded now")))
        elif server.kind == "Ollama":
            fits, reason = will_it_fit(model.size_bytes, room if here else None)
            models.append(replace(model, fits=fits, reason=reason))
        elif here:  # other servers have loaded what they list
            reason = tr("served by {server}", server=describe_kind(server))
            models.append(replace(model, reason=reason))
        else:
            reason = tr("computed at {host}, not here", host=host)
            models.append(replace(model, reason=reason, elsewhere=True))
    return replace(server, models=tuple(models))


def _with_place(file: FileFound, servers: Sequence[ServerFound], room: Room) -> FileFound:
    place = {
        "folder": "",
        "LM Studio": tr("of LM Studio"),
        "Ollama": tr("of Ollama"),
    }[file.store]
    for server in servers:
        with suppress(OSError):
            if server.file and os.path.samefile(server.file, file.path):
                place = tr("served at {url} too", url=server.url)
    reason = ", ".join(filter(None, (tr("on our engine"), place)))
    fits, _ = will_it_fit(file.size_bytes, room)
    return replace(file, fits="no" if fits == "no" else "unknown", reason=reason)


def describe_kind(server: ServerFound) -> str:
    """Say which program answers where, and how much at once."""
    kind: str = server.kind
    if server.kind == "OpenAI-compatible":
        kind = tr("an OpenAI-compatible server")
    parts = [tr("{kind} at {url}", kind=kind, url=server.url)]
    if server.slots:
        parts.append(trn("{count} slot", "{count} slots", server.slots))
    if server.context:
        parts.append(tr("{count} tokens of context", count=count(server.context)))
    return ", ".join(parts)


def will_it_fit(size_bytes: int | None, room: Room | None) -> tuple[Fits, str]:
    """Estimate it: the weights, a fifth on top for the context, and half a gigabyte beside."""
    if size_bytes is None:
        return "unknown", tr("the server does not report its size")
    if room is None:
        return "unknown", tr("the server is on another machine")
    needed = int(size_bytes * ROOM_PER_BYTE) + ROOM_BESIDE
    space = room.free_bytes if room.gpu_bytes is None else room.gpu_bytes
    where = tr("free memory") if room.gpu_bytes is None else tr("GPU memory")
    whole = tr("{whole} ({factor} × weights + {rest})", whole=memory(needed),
               factor=exact(ROOM_PER_BYTE), rest=memory(ROOM_BESIDE))  # fmt: skip
    gaps = {"needed": whole, "space": memory(space), "where": where}
    if needed <= COMFORTABLE * space:
        return "yes", tr("by estimate {needed} of {space} {where}", **gaps)
    if needed <= space:
        return "tight", tr("by estimate {needed} of {space} {where}: close other programs", **gaps)
    if room.gpu_bytes is not None and needed <= room.gpu_bytes + room.free_bytes:
        return "tight", tr(
            "by estimate {needed}, and {space} {where}: partly on the CPU, slowly", **gaps
        )
    return "no", tr("by estimate {needed}, and {space} {where}", **gaps)


def find_judges(
    models: Sequence[ModelFound], tested: Collection[str] = ()
) -> tuple[ModelFound, ...]:
    """Return the largest that fit here and are not tested, since judging is the harder task."""
    able = [
        model
        for model in models
        if not (model.why_not or model.elsewhere or model.fits == "no")
        and model.spec not in tested
        and _count_parameters(model.parameters) >= LEAST_TO_JUDGE
    ]
    able.sort(key=lambda model: model.size_bytes or 0, reverse=True)
    return tuple(able[:MOST_JUDGES])


def _count_parameters(text: str) -> float:
    """Read 8.0B and 134.52M; what a server writes in another way counts as none."""
    read = re.fullmatch(r"(\d+(?:\.\d+)?)([KMBT])", text.strip().upper())
    return float(read[1]) * THOUSANDS[read[2]] if read else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFound:
    """A folder with a config.json."""

    path: Path
    why_not: str = ""
    """What is missing here to ask any checkpoint."""


def find_checkpoints(folder: Path) -> tuple[CheckpointFound, ...]:
    """Look in a folder, and where the specification has them below a project's root."""
    lacking = any(installed_version(package) is None for package in ("torch", "transformers"))
    why_not = tr("needs: {command}", command=INSTALL) if lacking else ""
    usual = folder / USUAL_CHECKPOINTS
    folders = [folder, *([usual] if usual.is_dir() else [])]
    places = [place for _, place in places_of([f"hf:{each}" for each in folders]) if place]
    return tuple(
        CheckpointFound(path=place.path, why_not=why_not)
        for place in places[:MOST_FOUND]
        if (place.path / CONFIG).is_file() and place.path not in folders
    )
