"""A GGUF file as a folder that every program reads: float32 weights, config, tokenizer, template.

A GGUF file that transformers has loaded cannot be saved again, and its tokenizer is not always the
right one. In: a GGUF file, read as `gguf:FILE` is. Out: a folder of transformers.

    python benchmarks/folder_of_gguf.py SmolLM2-135M-Instruct.Q4_1.gguf smollm2/
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

from assay.models.local.gguf.place import checkpoint_in
from assay.models.local.gguf.weights import load_gguf


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    checkpoint = checkpoint_in(options.file)
    read, _ = load_gguf(checkpoint, torch.float32)
    fresh = AutoModelForCausalLM.from_config(read.config, dtype=torch.float32)
    fresh.load_state_dict(read.state_dict())
    options.folder.mkdir(parents=True, exist_ok=True)
    fresh.save_pretrained(options.folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(checkpoint.tokenizer_folder / name, options.folder)
    print(f"{options.folder}: {sum(each.numel() for each in fresh.parameters()):,} parameters")


if __name__ == "__main__":
    main()
