"""What is really in GGUF files, and whether two of them are the same model: from headers, and the
norms that quantising leaves alone.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.models.local.gguf.families import family_of
from assay.models.local.gguf.header import GgufHeader, StoredTensor, read_gguf
from assay.models.local.gguf.numbers import numbers_of
from assay.models.local.gguf.stores import find_blob
from assay.types.measured.quants import Fallback, TensorKind

WHOLE = frozenset({"F64", "F32", "F16", "BF16"})
K_BLOCK = 256
OLLAMA = "ollama/"
NORMS_READ = 8  # of a model; one would do
NORMS_AGREE = 0.01  # 16 bits round by less
_ABOUT_SIZE = ("block_count", "embedding_length", "feed_forward_length", "attention.head_count",
               "attention.head_count_kv")  # fmt: skip


class Contents(NamedTuple):
    """`label`: the type that the file names for itself, else the one most weights have."""

    label: str
    bytes: int
    weights: int
    bits: float
    kinds: tuple[TensorKind, ...]
    fallbacks: tuple[Fallback, ...]
    quantised: bool


def find_gguf(name: str) -> Path:
    """A path, `gguf:PATH`, `gguf:ollama/NAME`, `ollama:NAME`, or a tag of Ollama's."""
    if name.startswith("ollama:"):
        return find_blob(name.removeprefix("ollama:"))
    path = name.removeprefix("gguf:")
    if path.startswith(OLLAMA) and not Path(path).exists():
        return find_blob(path.removeprefix(OLLAMA))
    if Path(path).exists() or path != name or _is_path(path):
        return Path(path)
    return find_blob(path)


def served_as(name: str) -> str:
    """The spec of Ollama's model that a tag names; "" for a file."""
    tag = name.removeprefix("gguf:").removeprefix("ollama:").removeprefix(OLLAMA)
    is_tag = name.startswith("ollama:") or not (_is_path(name) or Path(name).exists())
    return f"ollama:{tag}" if is_tag and not _is_path(tag) and not Path(tag).exists() else ""


def _is_path(name: str) -> bool:
    return name.endswith(".gguf") or name.startswith(("/", "./", "../", "~"))


def contents_of(path: Path) -> Contents:
    header = read_gguf(path)
    family_of(header)
    kinds = tuple(_kinds(header.tensors))
    matrices = [each for each in header.tensors.values() if len(each.shape) > 1]
    weights, stored = sum(k.weights for k in kinds), sum(k.bytes for k in kinds)
    label = _label(header.fields) or max(_kinds(header.tensors), key=lambda k: k.weights).kind
    return Contents(
        label=label,
        bytes=path.stat().st_size,
        weights=weights,
        bits=8 * stored / max(1, weights),
        kinds=kinds,
        fallbacks=tuple(_fallbacks(matrices)) if _has_blocks_of_256(label) else (),
        quantised=any(each.kind not in WHOLE for each in matrices),
    )


def _label(fields: Mapping[str, Any]) -> str:
    from gguf import LlamaFileType

    try:
        return LlamaFileType(fields["general.file_type"]).name.partition("_")[2]
    except (KeyError, ValueError, TypeError):
        return ""


def _has_blocks_of_256(label: str) -> bool:
    return "_K" in label or label.startswith(("IQ", "TQ"))


def _count(tensor: StoredTensor) -> int:
    found = 1
    for length in tensor.shape:
        found *= length
    return found


def _kinds(tensors: Mapping[str, StoredTensor]) -> Iterator[TensorKind]:
    """Those with most weights first."""
    by_kind: dict[str, list[StoredTensor]] = {}
    for each in tensors.values():
        by_kind.setdefault(each.kind, []).append(each)
    found = [
        TensorKind(kind=kind, tensors=len(of), weights=sum(map(_count, of)),
                   bytes=sum(each.bytes for each in of))
        for kind, of in by_kind.items()
    ]  # fmt: skip
    yield from sorted(found, key=lambda each: -each.weights)


def _fallbacks(matrices: list[StoredTensor]) -> Iterator[Fallback]:
    found: dict[tuple[str, int], int] = {}
    for each in matrices:
        if each.shape[-1] % K_BLOCK:
            found[each.kind, each.shape[-1]] = found.get((each.kind, each.shape[-1]), 0) + 1
    for (kind, row), count in sorted(found.items(), key=lambda each: -each[1]):
        yield Fallback(kind=kind, row=row, tensors=count)


def first_difference(one: Path, other: Path) -> str | None:
    """What shows that two files are of different models; None: nothing does."""
    a, b = read_gguf(one), read_gguf(other)
    kind = str(a.fields.get("general.architecture"))
    if kind != b.fields.get("general.architecture"):
        return "general.architecture"
    for name in (f"{kind}.{each}" for each in _ABOUT_SIZE):
        if a.fields.get(name) != b.fields.get(name):
            return name
    if a.fields.get("tokenizer.ggml.tokens") != b.fields.get("tokenizer.ggml.tokens"):
        return "tokenizer.ggml.tokens"
    both = a.tensors.keys() & b.tensors.keys()
    for name in sorted(both):
        if a.tensors[name].shape != b.tensors[name].shape:
            return name
    norms = [name for name in sorted(both) if _is_norm(a, name) and _is_norm(b, name)]
    return next((name for name in norms[:NORMS_READ] if _differ(a, b, name)), None)


def _is_norm(header: GgufHeader, name: str) -> bool:
    told = header.tensors[name]
    return len(told.shape) == 1 and told.kind in WHOLE and "norm" in name


def _differ(a: GgufHeader, b: GgufHeader, name: str) -> bool:
    first, second = numbers_of(a, name), numbers_of(b, name)
    largest = max(float(abs(first).max()), 1e-9)
    return float(abs(first - second).max()) > NORMS_AGREE * largest
