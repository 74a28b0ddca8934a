"""Ten adapters on one base, beside evaluations that load a checkpoint of that size each.

In: nothing; a random Llama of 45 M parameters and ten adapters on it are made here. Out: seconds of
processor time until base and adapters have been loaded, beside those of one whole checkpoint.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import peft
import torch
import transformers
from measuring import Figure

import assay
from assay.models.local.model import LocalModel
from assay.types.options import LocalOptions

TOKENIZER = Path(assay.__file__).parent / "builtin/checkpoints/tiny"
ADAPTERS = 10


def make(folder: Path) -> tuple[Path, list[Path]]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(TOKENIZER)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=640, intermediate_size=1728, num_hidden_layers=10,
        num_attention_heads=8, num_key_value_heads=4, tie_word_embeddings=True,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config)
    base = folder / "base"
    model.save_pretrained(base)
    tokenizer.save_pretrained(base)
    made = []
    for number in range(ADAPTERS):
        torch.manual_seed(number)
        settings = peft.LoraConfig(
            r=16, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM",
            init_lora_weights=False,
        )  # fmt: skip
        wrapped = peft.get_peft_model(model, settings)
        made.append(folder / "adapters" / f"step_{number}")
        wrapped.save_pretrained(made[-1])
        model = wrapped.unload()
        file = made[-1] / "adapter_config.json"
        about = json.loads(file.read_text("utf-8"))
        file.write_text(json.dumps({**about, "base_model_name_or_path": str(base)}), "utf-8")
    return base, made


def loaded(paths: list[Path]) -> float:
    """Processor time from opening until each of them was ready to be asked."""
    started = time.process_time()
    options = LocalOptions(device="cpu")
    models = [LocalModel(path, spec=str(path), settings=options) for path in paths]
    for model in models:
        model.probe()
        model.close()
    return time.process_time() - started


def figures(folder: Path) -> Iterator[Figure]:
    base, adapters = make(folder)
    loaded([base, adapters[0]])  # what is imported once is no part of it
    whole = min(loaded([base]) for _ in range(3))
    shared = loaded([base, *adapters]) - whole
    yield Figure(
        f"{ADAPTERS} adapters on a loaded base of 45 M parameters, ready to be asked",
        f"{shared:.1f} s of a core",
        f"one checkpoint of that size {whole:.1f} s: {shared / whole:.1f} times",
        "under 3 times",
    )


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        for figure in figures(Path(made)):
            print(figure)
