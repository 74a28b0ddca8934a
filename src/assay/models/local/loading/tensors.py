"""What a file says of a tensor, before its numbers are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# Name in the file: name in torch. Weights that are no such floats keep the file's name.
FLOATS = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
}


@dataclass(frozen=True, slots=True)
class Tensor:
    dtype: str
    shape: tuple[int, ...]
    bytes: int
    file: Path


Tensors = Mapping[str, Tensor]
