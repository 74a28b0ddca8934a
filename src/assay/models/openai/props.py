"""What a server says of itself beside `/v1`. Of llama.cpp `/props`, and `/slots` where that lacks
them; of Ollama its version. Other servers have no such paths, and say nothing.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.models.http.connection import Connection, is_this_machine
from assay.models.http.faults import Fault, readable, reported_count
from assay.models.http.served_memory import cache_bytes, resident_bytes
from assay.models.local.file_digests import digest_of
from assay.models.local.gguf.header import is_gguf
from assay.types import Observed

SOON_S = 2.0
HEADER_LEAVES = 0.3  # of a file for its weights; a tiny model's vocabulary takes more than they do
# In a template that knows them.
THOUGHTS = ("think", "reasoning", "<|channel|>", "<thought>")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProps:
    """None and "" are not told. `slots`: requests answered at once, each in a `context` of tokens.
    `file`: as the server was given it.
    """

    slots: int | None = None
    context: int | None = None
    file: str = ""
    template: str = ""
    tools: bool | None = None
    build: str = ""

    @property
    def thinks(self) -> bool | None:
        known = self.template.lower()
        return any(word in known for word in THOUGHTS) if known else None


def read_props(connection: Connection) -> ServerProps | None:
    """None: this server has no `/props`."""
    try:
        said = connection.beside("/props", timeout_s=SOON_S)
    except Fault:
        return None
    if not isinstance(said, dict):
        return None
    settings, caps = said.get("default_generation_settings"), said.get("chat_template_caps")
    tools = caps.get("supports_tools") if isinstance(caps, dict) else None
    return ServerProps(
        slots=reported_count(said.get("total_slots")) or _count_slots(connection),
        context=reported_count(settings.get("n_ctx")) if isinstance(settings, dict) else None,
        file=_text(said, "model_path"),
        template=_text(said, "chat_template"),
        tools=tools if isinstance(tools, bool) else None,
        build=_text(said, "build_info"),
    )


def ollama_version(connection: Connection) -> str:
    """Empty for a server that is no Ollama."""
    try:
        said = connection.beside("/api/version", timeout_s=SOON_S)
    except Fault:
        return ""
    return readable(_text(said, "version"))[:40] if isinstance(said, dict) else ""


def weights_behind(props: ServerProps, url: str, size: int | None) -> str:
    """The SHA-256 of the file that a server on this machine has loaded, where we may read it.
    `size`: bytes of its weights as the server counts them, nearly all of the file.
    """
    path = file_behind(props, url, size)
    try:
        return digest_of(path) if path else ""
    except OSError:
        return ""


def memory_behind(props: ServerProps, url: str, size: int | None) -> Observed:
    """Weights as the server counts them, else those of its file; a cache for every slot; and what
    the process has resident. All together is weights and cache, else what is resident.
    """
    path = file_behind(props, url, size)
    weights, cache, resident = size, None, resident_bytes(url)
    if path is not None:
        with suppress(OSError):
            weights = size or path.stat().st_size
        if props.context and props.slots:
            cache = cache_bytes(path, props.context * props.slots)
    counted = weights + cache if weights and cache is not None else None
    return Observed(
        memory_bytes=counted or resident,
        weights_bytes=weights,
        cache_bytes=cache,
        resident_bytes=resident,
    )


def file_behind(props: ServerProps, url: str, size: int | None) -> Path | None:
    """The file that a server of this machine has loaded, where it can be read here."""
    path = Path(props.file) if props.file else None
    if path is None or not is_this_machine(urlsplit(url).hostname or ""):
        return None
    try:
        whole = path.stat().st_size
        if size is not None and not HEADER_LEAVES * whole <= size <= whole:
            return None  # a relative path, and another file of this name
        return path if path.is_file() and is_gguf(path) else None
    except (OSError, ValueError):
        return None


def _count_slots(connection: Connection) -> int | None:
    try:
        said = connection.beside("/slots", timeout_s=SOON_S)
    except Fault:
        return None
    return len(said) or None if isinstance(said, list) else None


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""
