"""What is known of a checkpoint before it is asked anything. Its fingerprint is over all weight
bytes, tokenizer, template, configs, number type and engine version; where it lies does not matter.
"""

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.adapter import Adapter
from assay.models.local.file_digests import digest_of
from assay.models.local.folder import (
    LONGEST_NAME,
    TOKENIZER_BYTES,
    TOKENIZER_FILES,
    Checkpoint,
    read_object,
)
from assay.models.local.loading.checkpoint import Examined, choose_dtype, examine
from assay.models.local.loading.skeleton import ORIGIN
from assay.text.document_starts import END_OF_TEXT
from assay.text.safe_text import one_line
from assay.types import ModelFacts
from assay.types.decisions import size_class_of

OF_OLLAMA = "gguf:ollama/"
# Names that say little without the folder they lie in.
_STEP = re.compile(
    r"(?:global[-_]?step|step|checkpoint|ckpt|iter|epoch)[-_]?\d.*|\d+|final|last|best",
    re.IGNORECASE,
)


def facts_of(
    checkpoint: Checkpoint,
    *,
    spec: str,
    device: str,
    dtype: str,
    examined: Examined | None = None,
    commit: str = "",
    adapter: Adapter | None = None,
) -> ModelFacts:
    """Reads all weight bytes once. With an adapter, the checkpoint is its base."""
    examined = examined or examine(checkpoint)
    rounded = _activations(checkpoint)
    return ModelFacts(
        spec=spec,
        name=_name(spec, commit) or name_of((adapter or checkpoint).path),
        fingerprint=fingerprint_of(checkpoint, dtype=dtype, adapter=adapter),
        capabilities=frozenset({"generate", "score_text"}),
        is_chat=checkpoint.chat_template is not None,
        has_template=checkpoint.chat_template is not None,
        parameters=examined.parameters,
        context_length=examined.context_length,
        vocabulary=examined.vocabulary,
        predicts_by="beam",
        end_ids=_end_ids(checkpoint),
        tokenizer=tokenizer_of(checkpoint),
        weights=_weights(checkpoint) if adapter is None else "",
        shape=f"{examined.shape} {choose_dtype(None, 'cpu', examined.dtype_on_disk)}",
        about={
            "architecture": _architecture(checkpoint),
            "size": _size(examined.parameters),
            "weights on disk": f"{_types(checkpoint, examined)}, {_bytes(examined.bytes_on_disk)}",
            "computed on": f"{_device(device)}, {' × '.join(filter(None, (dtype, rounded)))}",
            "prompts": tr("its chat template; plain text where likelihoods are compared")
            if checkpoint.chat_template is not None
            else tr("plain text, as it has no chat template"),
            **({"commit": commit} if commit else {}),
            **({"adapter": _about_adapter(adapter)} if adapter else {}),
        },
    )


def _weights(checkpoint: Checkpoint) -> str:
    """Of a GGUF file, which servers load too."""
    return _digest_of_file(checkpoint.weight_files[0]) if checkpoint.is_gguf else ""


def _name(spec: str, commit: str) -> str:
    """Of the hub, or of Ollama; a path's name is its own."""
    if spec.startswith(OF_OLLAMA) and not Path(spec.removeprefix("gguf:")).exists():
        return spec.removeprefix(OF_OLLAMA)
    return spec.removeprefix("hf:") if commit else ""


def _end_ids(checkpoint: Checkpoint) -> tuple[int, ...]:
    """Of its configs, and of the tokenizer's tokens those that are written as ends of texts."""
    named = [each.get("eos_token_id") for each in (checkpoint.config, checkpoint.generation)]
    found = [id for each in named for id in (each if isinstance(each, list) else [each])]
    settings = checkpoint.tokenizer_folder / "tokenizer_config.json"
    told = read_object(settings, TOKENIZER_BYTES) if settings.is_file() else {}
    added = told.get("added_tokens_decoder")
    for id, token in added.items() if isinstance(added, dict) else ():
        text = token.get("content") if isinstance(token, dict) else None
        if isinstance(text, str) and END_OF_TEXT.fullmatch(text) and id.isdecimal():
            found.append(int(id))
    return tuple(sorted({each for each in found if type(each) is int}))


def _types(checkpoint: Checkpoint, examined: Examined) -> str:
    """Of a GGUF file how many tensors have which: its label Q4_K_M alone says little."""
    if not checkpoint.is_gguf:
        return examined.dtype_on_disk
    counts, sizes = Counter[str](), Counter[str]()
    for tensor in examined.tensors.values():
        counts[tensor.dtype] += 1
        sizes[tensor.dtype] += tensor.bytes
    return ", ".join(f"{kind} ({counts[kind]})" for kind, _ in sizes.most_common())


def _activations(checkpoint: Checkpoint) -> str:
    """The types they are rounded to; none where they are not."""
    if not checkpoint.is_gguf:
        return ""
    from assay.models.local.gguf.weights import roundings_in

    return ", ".join(sorted({each.name for each in roundings_in(checkpoint).values()}))


def _about_adapter(adapter: Adapter) -> str:
    ranks = sorted({rank for rank, _ in adapter.layers.values()})
    return tr("LoRA of rank {rank} in {count} layers, on {base}", base=adapter.base,
              rank=", ".join(map(str, ranks)), count=len(adapter.layers))  # fmt: skip


def name_of(path: Path) -> str:
    """The folder's name; with that of its parent where it only says which step it is."""
    here = Path(os.path.abspath(path))
    if _STEP.fullmatch(here.name) and here.parent.name:
        return f"{here.parent.name}/{here.name}"
    return here.name or str(here)


def _architecture(checkpoint: Checkpoint) -> str:
    named = checkpoint.config.get("architectures")
    if isinstance(named, list) and named and isinstance(named[0], str):
        return one_line(named[0], longest=LONGEST_NAME)
    return one_line(str(checkpoint.config["model_type"]), longest=LONGEST_NAME)


def _size(parameters: int) -> str:
    words = {"tiny": tr("tiny"), "small": tr("small"), "medium": tr("medium"), "large": tr("large")}
    name = words[size_class_of(parameters)]
    return tr("{parameters} parameters ({name})", parameters=in_short(parameters), name=name)


def in_short(count: int) -> str:
    """124 M for 124,439,808; three digits at most."""
    for unit, size in (("B", 10**9), ("M", 10**6), ("k", 10**3)):
        # 999,600 is 1 M, not 1000 k
        if count >= size * 0.9995:
            return f"{float(f'{count / size:.3g}'):g} {unit}"
    return str(count)


def _bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def _device(device: str) -> str:
    if device == "cpu":
        return "CPU"
    if device == "mps":
        return "MPS"
    import torch

    return f"CUDA, {torch.cuda.get_device_name(torch.device(device))}"


# Raised when the engine begins to give other answers for the same files.
ENGINE_VERSION = 1


def fingerprint_of(checkpoint: Checkpoint, *, dtype: str, adapter: Adapter | None = None) -> str:
    """The same for a copy under another name, another for a single changed byte."""
    parts = [*_parts(checkpoint, dtype)]
    if adapter is not None:
        parts.append(("adapter", _digest_of_file(adapter.file)))
        settings = {key: bool(adapter.config.get(key)) for key in ("use_dora", "use_rslora")}
        parts.append(("adapter_config", _digest({**settings, "layers": adapter.layers})))
    return _digest_of_parts(parts)


def tokenizer_of(checkpoint: Checkpoint) -> str:
    """The same for checkpoints whose perplexities per token can be compared."""
    return _digest_of_parts(_of_tokenizer(checkpoint.tokenizer_folder))


def _digest_of_parts(parts: Iterable[tuple[str, str]]) -> str:
    text = "".join(f"{name}\0{digest}\n" for name, digest in parts)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _parts(checkpoint: Checkpoint, dtype: str) -> Iterator[tuple[str, str]]:
    yield "engine", str(ENGINE_VERSION)
    yield "dtype", dtype
    if rounded := _activations(checkpoint):
        yield "activations", rounded
    yield "config", _digest(_telling(checkpoint.config))
    ids = {k: v for k, v in checkpoint.generation.items() if k.endswith("_token_id")}
    yield "generation", _digest(ids)
    for file in checkpoint.weight_files:
        yield "weights", _digest_of_file(file)
    yield from _of_tokenizer(checkpoint.tokenizer_folder)
    yield "template", _digest(checkpoint.chat_template)


def _of_tokenizer(folder: Path) -> Iterator[tuple[str, str]]:
    for name in TOKENIZER_FILES:
        if (folder / name).is_file():
            yield name, _digest_of_file(folder / name)
    settings = folder / "tokenizer_config.json"
    if settings.is_file():
        told = _telling(read_object(settings, TOKENIZER_BYTES))
        told.pop("chat_template", None)  # the one in use is a part of its own
        yield "tokenizer_config", _digest(told)


def _telling(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in ORIGIN}


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _digest_of_file(path: Path) -> str:
    try:
        return digest_of(path)
    except OSError as error:
        raise ModelUnavailable(
            tr("{path} cannot be read: {why}", path=path, why=error.strerror or error),
            hint=tr("change its permissions, or copy the file again"),
        ) from error
