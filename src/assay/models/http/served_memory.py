"""What a served model takes: its weights, and the cache of its context as its file describes it.
Beside them what the server's process has resident, where that can be seen.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay.errors import ModelUnavailable
from assay.machine import gpu_memory, memory_of_listener
from assay.models.http.connection import is_this_machine
from assay.models.local.gguf.header import read_beginning

NUMBER_BYTES = 2  # of the cache: 16 bits, unless its server was started with another type
# Of models that keep something else than keys and values of every token.
OTHER_STATE = ("ssm.", "wkv.", "attention.kv_lora_rank")


def cache_bytes(file: Path, tokens: int) -> int | None:
    """Of keys and values of that many tokens in every layer; less where layers look back over a
    window only. None for a file that does not say how large they are.
    """
    try:
        fields = read_beginning(file)
    except ModelUnavailable:
        return None
    return _cache_by(fields, tokens)


def _cache_by(fields: Mapping[str, Any], tokens: int) -> int | None:
    prefix = f"{fields.get('general.architecture')}."
    told = {name.removeprefix(prefix): value for name, value in fields.items()}
    if any(name.startswith(OTHER_STATE) for name in told):
        return None
    layers, heads = _count(told.get("block_count")), _count(told.get("attention.head_count"))
    per_layer = told.get("attention.head_count_kv", heads)
    if isinstance(per_layer, list):
        kept = sum(map(_count, per_layer))
    else:
        kept = layers * _count(per_layer)
    head = _count(told.get("embedding_length")) // heads if heads else 0
    key = _count(told.get("attention.key_length")) or head
    value = _count(told.get("attention.value_length")) or head
    return tokens * kept * (key + value) * NUMBER_BYTES if kept and key and value else None


def resident_bytes(url: str) -> int | None:
    """Where a GPU may hold a part of the model, the process alone says nothing."""
    parts = urlsplit(url)
    if not is_this_machine(parts.hostname or "") or gpu_memory() is not None:
        return None
    return memory_of_listener(parts.port or (443 if parts.scheme == "https" else 80))


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
