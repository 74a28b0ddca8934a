"""What this machine can do: the lines of `assay doctor`. A secret is shown only to be set."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.machine import installed_version, this_machine
from assay.messages import labelled, tr, trn
from assay.models.address import OPENAI_VARIABLE
from assay.sandbox import find_isolation
from assay.text.number_format import count, exact, memory
from assay.text.safe_text import one_line
from assay.types import Machine
from assay.types.inventory import ModelFound, ServerFound
from assay.types.model_spec import without_userinfo
from assay.types.options import DEFAULT_OUT
from assay.types.results import MachineFinding
from assay.version import __version__
from assay.workflow.commands.discover.catalogue import find_suites
from assay.workflow.commands.discover.inventory import (
    LEAST_TO_JUDGE,
    Inventory,
    Room,
    describe_kind,
    find_everything,
    find_judges,
    this_room,
)

State = Literal["note", "missing"]
LITTLE_DISK = 10**9  # a run of 10,000 answers leaves some 100 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    machine: Machine
    found: Inventory
    lines: tuple[MachineFinding, ...]


def _good(name: str, says: str) -> MachineFinding:
    return MachineFinding(name=name, state="good", says=says)


def _note(name: str, says: str, todo: str = "", state: State = "note") -> MachineFinding:
    return MachineFinding(name=name, state=state, says=says, todo=todo)


def examine_machine(*, out: str | Path = DEFAULT_OUT) -> Examination:
    """What this machine can do, and what is missing: `assay.examine_machine().lines`."""
    machine, room = this_machine(), this_room()
    found = find_everything(Path(), room)
    torch = installed_version("torch")
    no_torch = tr("not installed: served models do not need it")
    suites = [
        trn("{name} ({count} test)", "{name} ({count} tests)", each.tests, name=each.argument)
        for each in find_suites(Path())
        if each.ships
    ]
    lines = (
        _good("Assay", __version__),
        _good("Python", f"{platform.python_version()}, {sys.executable}"),
        _good(tr("system"), machine.system),
        *describe_hardware(machine, room),
        _disk(Path(out)),
        *describe_ollama(found.ollama),
        *_openai(),
        *(line for server in found.servers for line in describe_server(server)),
        *_empty_ports(found),
        *_files(found),
        *([describe_judges(found)] if found.models else []),
        _good("torch", torch) if torch else _note("torch", no_torch),
        _sandbox(),
        _good(tr("suites"), ", ".join(suites)),
    )
    return Examination(machine=machine, found=found, lines=lines)


def _disk(out: Path) -> MachineFinding:
    """Free space where runs would be kept; the folder itself need not be there yet."""
    name = tr("disk")
    place = out.absolute()
    while not place.is_dir() and place != place.parent:
        place = place.parent
    if not os.access(place, os.W_OK):
        says = tr("{path} cannot be written", path=place)
        return _note(name, says, tr("choose another folder with --out"), "missing")
    free = shutil.disk_usage(place).free
    says = tr("{free} free for {path}", free=memory(free), path=out)
    if free < LITTLE_DISK:
        return _note(name, says, tr("make room before a long run"))
    return _good(name, says)


def describe_hardware(machine: Machine, room: Room) -> Iterator[MachineFinding]:
    cores = trn("{count} core", "{count} cores", machine.cores)
    yield _good(tr("processor"), f"{machine.processor}, {cores}")
    sizes = {"total": memory(machine.memory_bytes), "free": memory(room.free_bytes)}
    yield _good(tr("memory"), tr("{total}, {free} of it free", **sizes))
    no_gpu = tr("none found: models run on the processor, more slowly")
    yield _good("GPU", "; ".join(machine.gpus)) if machine.gpus else _note("GPU", no_gpu)


def describe_ollama(found: ServerFound) -> Iterator[MachineFinding]:
    if not found.kind:
        yield _note("Ollama", found.problem, found.hint, "missing")
        return
    says = tr("{version} at {url}", version=found.version, url=found.url)
    if not found.models:
        todo = tr("install one, for example `ollama pull llama3.2:3b`")
        says = tr("{server}, no models", server=says)
        yield _note("Ollama", says, todo)
        return
    models = trn("{count} model", "{count} models", len(found.models))
    yield _good("Ollama", f"{says}, {models}")
    for model in found.models:
        yield _model(model.name, model)


def describe_server(server: ServerFound) -> Iterator[MachineFinding]:
    """Nothing of an address where nobody is, unless the user named it."""
    name = tr("server")
    if not server.kind:
        if server.problem:
            says = labelled(server.url or server.named_by, server.problem)
            state: State = "missing" if server.is_named else "note"
            todo = tr("start it, or correct {variable}", variable=server.named_by)
            yield _note(name, says, server.hint or (todo if server.is_named else ""), state)
        return
    says = ", ".join((describe_kind(server), *_abilities_of(server)))
    if server.kind == "Ollama" and server.named_by == OPENAI_VARIABLE:
        todo = tr("name its models ollama:NAME: through /v1 its repeat_penalty stays on")
        yield _note(name, says, todo)
    else:
        yield _good(name, says)
    for model in server.models:
        yield _good(f"  {model.spec}", _describe_served(model) or model.name)
    if server.more_models:
        yield _note("  …", tr("and {count} more", count=server.more_models))


def _abilities_of(server: ServerFound) -> Iterator[str]:
    """What its model can do, and its file."""
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


def _describe_served(model: ModelFound) -> str:
    parts = (
        memory(model.size_bytes) if model.size_bytes else "",
        model.quantisation,
        model.parameters,
        tr("{count} tokens of context", count=count(model.context)) if model.context else "",
        model.digest[:19],
        tr("loaded now") if model.loaded else "",
        tr("can think") if model.thinks else "",
        tr("calls tools") if model.tools else "",
    )
    return ", ".join(filter(None, parts))


def _empty_ports(found: Inventory) -> Iterator[MachineFinding]:
    """Which of the usual ports are free: there a server would have been found."""
    free = [each.named_by for each in found.servers if not each.is_there and not each.is_named]
    if free:
        ports = ", ".join(free)
        yield _note(tr("server"), tr("none on port {ports} of this machine", ports=ports))


def _files(found: Inventory) -> Iterator[MachineFinding]:
    if not found.files:
        looked = tr("none in this folder, in LM Studio's store or in Ollama's")
        yield _note("GGUF", looked)
        return
    yield _good("GGUF", trn("{count} file", "{count} files", len(found.files)))
    for file in found.unlisted_files:
        yield _model(one_line(file.spec), file)


def _model(name: str, model: ModelFound) -> MachineFinding:
    too_large = model.fits == "no" and not model.why_not
    return MachineFinding(
        name=f"  {name}",
        state="good" if model.fits == "yes" and not model.why_not else "note",
        says=", ".join(filter(None, describe_size(model))),
        todo=tr("choose a smaller one, or a stronger quantisation") if too_large else "",
    )


def describe_size(model: ModelFound) -> tuple[str, str, str, str]:
    """Size, quantisation, parameters, and whether it fits; empty if unknown."""
    fit = {
        "yes": tr("fits ({reason})", reason=model.reason),
        "tight": tr("tight ({reason})", reason=model.reason),
        "no": tr("too large ({reason})", reason=model.reason),
        "unknown": model.reason,
    }[model.fits]
    size = memory(model.size_bytes) if model.size_bytes else ""
    return size, model.quantisation, model.parameters, model.why_not or fit


def describe_judges(found: Inventory) -> MachineFinding:
    candidates = find_judges(found.models)
    if candidates:
        names = ", ".join(each.name for each in candidates)
        return _good(tr("judge"), tr("for open answers: {names}", names=names))
    least = exact(LEAST_TO_JUDGE / 1e9)
    return _note(
        tr("judge"),
        tr("no model here that fits has {count} billion parameters or more", count=least),
        tr("install a larger model, or name one of another server with --judge"),
    )


def _openai() -> Iterator[MachineFinding]:
    url = os.environ.get("OPENAI_BASE_URL", "").strip()
    shown = tr("set: {url}", url=without_userinfo(url).partition("?")[0])
    unset = tr("not set: name the server in the spec, as in openai:NAME@http://HOST/v1")
    yield _good("OPENAI_BASE_URL", shown) if url else _note("OPENAI_BASE_URL", unset)
    if os.environ.get("OPENAI_API_KEY"):
        yield _good("OPENAI_API_KEY", tr("set; its value is shown nowhere"))
    else:
        yield _note("OPENAI_API_KEY", tr("not set: right for servers that want no key"))


def _sandbox() -> MachineFinding:
    name = tr("sandbox")
    found = find_isolation()
    problems = "; ".join(found.problems)
    if found.isolation == "bubblewrap":
        return _good(name, tr("bubblewrap, {tool}: tried, and it works", tool=found.tool))
    if found.isolation == "namespaces":
        says = tr("the kernel's namespaces: tried, and they work ({problems})", problems=problems)
        return _good(name, says)
    return _note(
        name,
        tr("none, so code that models write is not run ({problems})", problems=problems),
        tr(
            "on Linux install the package bubblewrap, or accept limits without isolation with"
            " --sandbox weak"
        ),
    )
