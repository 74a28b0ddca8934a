"""Where the figures come from: the machine that asked, the server, and what it held in memory.

In: a Machine, and what is known and was seen of a model. Out: names with their texts, and short
lines, as plain text; each renderer escapes them its own way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.messages import tr, trn
from assay.text import number_format as numbers
from assay.types import Machine, Observed

SHOWN_IN_A_LINE = 6  # facts of a model that fit a short line


def machine(of: Machine) -> Iterator[tuple[str, str]]:
    """Every fact of a machine, named."""
    yield tr("system"), of.system
    yield tr("processor"), of.processor
    yield tr("cores"), numbers.count(of.cores)
    yield tr("memory"), numbers.memory(of.memory_bytes)
    yield tr("GPU"), ", ".join(of.gpus) if of.gpus else tr("none found")
    if of.versions:
        yield tr("versions"), ", ".join(f"{name} {v}" for name, v in of.versions.items())


def machine_line(of: Machine) -> str:
    """The same, short."""
    cores = trn("{count} core", "{count} cores", of.cores)
    gpus = ", ".join(of.gpus) if of.gpus else tr("no GPU found")
    parts = (of.system, of.processor, cores, numbers.memory(of.memory_bytes), gpus)
    return tr("Machine: {facts}", facts=" · ".join(part for part in parts if part))


def elsewhere() -> str:
    """What a machine's profile does not say."""
    return tr(
        "This is the machine that asked. A served model may run on another one, and its speed is "
        "that one's."
    )


def about_line(about: Mapping[str, str]) -> str | None:
    """What is known of a model, short."""
    facts = [f"{name}: {text}" for name, text in about.items() if text]
    return " · ".join(facts[:SHOWN_IN_A_LINE]) or None


def observed(seen: Observed) -> Iterator[tuple[str, str]]:
    """What was seen of a model while it was asked, named."""
    if seen.memory_bytes:
        yield tr("memory"), numbers.memory(seen.memory_bytes)
    offload = _offload(seen)
    if offload is not None:
        yield tr("on the GPU"), offload
    if seen.context_length is not None:
        length = numbers.count(seen.context_length)
        yield tr("context length"), tr("{length} tokens", length=length)


def observed_line(seen: Observed | None) -> str | None:
    """The same, short."""
    if seen is None:
        return None
    return " · ".join(f"{name}: {text}" for name, text in observed(seen)) or None


def _offload(seen: Observed) -> str | None:
    if not seen.memory_bytes or seen.gpu_bytes is None:
        return None
    on_gpu = max(0, min(seen.gpu_bytes, seen.memory_bytes))
    if on_gpu == 0:
        return tr("nothing, all on the CPU")
    if on_gpu == seen.memory_bytes:
        return tr("all")
    return tr("{share}, the rest on the CPU", share=numbers.share(on_gpu, seen.memory_bytes))
