"""The fingerprint of a checkpoint, which stands for it in every request id.

`sha256:…` over all weight bytes, the tokenizer's files, the chat template, the configs, the number
type and the version of the engine. Where the folder lies and its name do not matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.folder import TOKENIZER_BYTES, Checkpoint, read_object

# Raised when the engine begins to give other answers for the same files.
ENGINE_VERSION = 1

_TOKENIZER_FILES = (
    "added_tokens.json",
    "merges.txt",
    "special_tokens_map.json",
    "spiece.model",
    "tokenizer.json",
    "tokenizer.model",
    "vocab.json",
    "vocab.txt",
)
# Where a file came from and what wrote it changes no answer.
_ORIGIN = {"_name_or_path", "name_or_path", "_commit_hash", "transformers_version"}


def fingerprint_of(checkpoint: Checkpoint, *, dtype: str) -> str:
    """The same for a copy under another name, another for a single changed byte."""
    return _digest_of_parts(_parts(checkpoint, dtype))


def tokenizer_of(checkpoint: Checkpoint) -> str:
    """The same for checkpoints whose perplexities per token can be compared."""
    return _digest_of_parts(_of_tokenizer(checkpoint.tokenizer_folder))


def _digest_of_parts(parts: Iterable[tuple[str, str]]) -> str:
    text = "".join(f"{name}\0{digest}\n" for name, digest in parts)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _parts(checkpoint: Checkpoint, dtype: str) -> Iterator[tuple[str, str]]:
    yield "engine", str(ENGINE_VERSION)
    yield "dtype", dtype
    yield "config", _digest(_telling(checkpoint.config))
    ids = {k: v for k, v in checkpoint.generation.items() if k.endswith("_token_id")}
    yield "generation", _digest(ids)
    for file in checkpoint.weight_files:
        yield "weights", _digest_of_file(file)
    yield from _of_tokenizer(checkpoint.tokenizer_folder)
    yield "template", _digest(checkpoint.chat_template)


def _of_tokenizer(folder: Path) -> Iterator[tuple[str, str]]:
    for name in _TOKENIZER_FILES:
        if (folder / name).is_file():
            yield name, _digest_of_file(folder / name)
    settings = folder / "tokenizer_config.json"
    if settings.is_file():
        told = _telling(read_object(settings, TOKENIZER_BYTES))
        told.pop("chat_template", None)  # the one in use is a part of its own
        yield "tokenizer_config", _digest(told)


def _telling(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in _ORIGIN}


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _digest_of_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(
            tr("{path} cannot be read: {why}", path=path, why=error.strerror or error),
            hint=tr("change its permissions, or copy the file again"),
        ) from error
