"""The numbers of one tensor in a GGUF file, dequantised exactly as they are stored."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from assay.messages import tr
from assay.models.local.gguf.header import GgufHeader, damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray


@cache
def readable_kinds() -> frozenset[str]:
    """Found by trying each on a row of zeros."""
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
    from gguf.quants import dequantize

    found = set()
    for kind in GGMLQuantizationType:
        try:
            dequantize(np.zeros((1, GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
        except (NotImplementedError, ValueError):
            continue
        found.add(kind.name)
    return frozenset(found)


def numbers_of(header: GgufHeader, name: str) -> NDArray[np.float32]:
    from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
    from gguf.quants import dequantize

    told = header.tensors[name]
    kind = GGMLQuantizationType[told.kind]
    raw = np.fromfile(header.path, np.uint8, told.bytes, offset=told.start)
    if len(raw) != told.bytes:
        raise damaged(header.path, tr("{name} lies outside the file", name=name))
    block, each = GGML_QUANT_SIZES[kind]
    rows = raw.reshape(*told.shape[:-1], told.shape[-1] // block * each)
    with np.errstate(all="ignore"):  # what is no number is found behind, and named
        if told.kind == "F64":
            return rows.view(np.float64).astype(np.float32)
        return np.asarray(dequantize(rows, kind), np.float32).reshape(told.shape)
