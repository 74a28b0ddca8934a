"""`assay quants` on four quantised files of the model of `quants_model.py`.

In: the folder that `quants_model.py export` filled. Out: four files beside its F16 file, and the
report with its time. By hand:

    python benchmarks/quants_table.py DIR

The numbers are made by llama.cpp's own functions, those of the package `xllamacpp`. Which tensor
gets which type is stated in RECIPES, which are ours: `llama-quantize` chooses for single layers.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gguf
import numpy as np

Kind = gguf.GGMLQuantizationType
# For each file: its type, the type of most matrices, of attn_v and ffn_down, and of the embeddings.
RECIPES = {
    "Q8_0": (gguf.LlamaFileType.MOSTLY_Q8_0, Kind.Q8_0, Kind.Q8_0, Kind.Q8_0),
    "Q5_K_M": (gguf.LlamaFileType.MOSTLY_Q5_K_M, Kind.Q5_K, Kind.Q6_K, Kind.Q6_K),
    "Q4_K_M": (gguf.LlamaFileType.MOSTLY_Q4_K_M, Kind.Q4_K, Kind.Q6_K, Kind.Q6_K),
    "Q2_K": (gguf.LlamaFileType.MOSTLY_Q2_K, Kind.Q2_K, Kind.Q3_K, Kind.Q6_K),
}


def library() -> Any:
    import xllamacpp

    (found,) = Path(xllamacpp.__file__).parent.glob("xllamacpp*.so")
    loaded = ctypes.CDLL(str(found))
    loaded.ggml_quantize_chunk.restype = ctypes.c_size_t
    return loaded


def quantised(loaded: Any, numbers: np.ndarray, kind: Kind) -> np.ndarray:
    """Rows of bytes, as the file has them."""
    block, each = gguf.GGML_QUANT_SIZES[kind]
    rows, width = numbers.shape
    source = np.ascontiguousarray(numbers, dtype=np.float32)
    made = np.zeros((rows, width // block * each), dtype=np.uint8)
    loaded.ggml_quantize_chunk(
        ctypes.c_int(kind.value),
        source.ctypes.data_as(ctypes.c_void_p),
        made.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int64(0),
        ctypes.c_int64(rows),
        ctypes.c_int64(width),
        None,
    )
    return made


def quantise(base: Path, out: Path, recipe: tuple[Any, ...]) -> None:
    loaded = library()
    label, most, finer, embeddings = recipe
    read = gguf.GGUFReader(base)
    writer = gguf.GGUFWriter(out, "llama")
    for name, field in read.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue
        kind, *inner = field.types
        writer.add_key_value(name, field.contents(), kind, inner[0] if inner else None)
    writer.add_file_type(label)
    for tensor in read.tensors:
        numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        if numbers.ndim == 1:
            writer.add_tensor(tensor.name, numbers.astype(np.float32))
            continue
        kind = most
        if any(part in tensor.name for part in ("attn_v", "ffn_down")):
            kind = finer
        if tensor.name == "token_embd.weight":
            kind = embeddings
        writer.add_tensor(tensor.name, quantised(loaded, numbers, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--text", type=Path, help="Default: DIR/held_out.jsonl")
    given = parser.parse_args()
    folder = given.folder
    base = folder / "model-F16.gguf"
    files = [base]
    for name, recipe in RECIPES.items():
        files.append(folder / f"model-{name}.gguf")
        quantise(base, files[-1], recipe)
    suites = [word for code in ("en", "fr") for word in ("-s", str(folder / f"facts-{code}"))]
    text = [
        "--text",
        str(given.text or folder / "held_out.jsonl"),
        "--out",
        str(folder / "assay-out"),
    ]
    began = time.monotonic()
    asked = [sys.executable, "-m", "assay", "quants", *map(str, files), *suites, *text]
    subprocess.run(asked, check=False)
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
