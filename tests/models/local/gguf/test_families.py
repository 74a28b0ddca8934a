"""The same weights from a checkpoint and from a GGUF file compute the same, to the bit; and what
llama.cpp computes from that file, as far as two programs agree.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from assay.engine.layout.packing import PackedRow, pack
from assay.engine.network import own_logits
from assay.errors import ModelUnavailable
from assay.models.local.facts import _digest_of_parts, _parts
from assay.models.local.finding import find_checkpoint
from assay.models.opening import open_model
from tests.models.local.checkpoints import _GROUPED, _WIDE_HEADS, SHAPES, make_checkpoint
from tests.models.local.gguf.gguf_files import llama_cpp, write_gguf
from tests.models.test_llama_cpp import AGREES

TOKENS = [*range(7, 47)]
_CONTEXT = "max_position_embeddings"
_FAR = {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0}
_NEAR = {"rope_type": "default", "rope_theta": 1e4}
MORE: dict[str, tuple[str, Any, str]] = {
    "llama linear": ("llama", {**_GROUPED, "rope_parameters": {**_FAR, "factor": 4.0}}, _CONTEXT),
    "llama tied": ("llama", {**_GROUPED, "tie_word_embeddings": True}, _CONTEXT),
    "gemma3": (
        "gemma3_text",
        {
            **_WIDE_HEADS,
            "num_hidden_layers": 6,
            "query_pre_attn_scalar": 16,
            "sliding_window": 16,
            "rope_parameters": {"sliding_attention": _NEAR, "full_attention": _FAR},
        },
        _CONTEXT,
    ),
    "phi3": ("phi3", _GROUPED, _CONTEXT),
}


def made(folder: Path, shape: str) -> Path:
    with pytest.MonkeyPatch.context() as patched:
        for name, told in MORE.items():
            patched.setitem(SHAPES, name, told)
        return make_checkpoint(folder, shape)


def logits_of(spec: str) -> torch.Tensor:
    model = open_model(spec)
    try:
        network = model._network()  # type: ignore[attr-defined]
        if not network.serves_trees:
            return own_logits(network, TOKENS).clone()
        return network.logits(network.hidden(pack([PackedRow(None, TOKENS)], {}, network.device)))
    finally:
        model.close()


@pytest.mark.parametrize(
    "shape", ["llama", "llama linear", "llama tied", "qwen", "qwen3", "gemma", "gemma2", "gemma3",
              "phi3"],
)  # fmt: skip
def test_a_file_computes_what_its_checkpoint_and_llama_cpp_compute(tmp_path, shape):
    checkpoint = made(tmp_path / "checkpoint", shape)
    file = write_gguf(checkpoint, tmp_path / "model.gguf")
    ours = logits_of(f"gguf:{file}")
    assert torch.equal(ours, logits_of(str(checkpoint)))
    pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")
    with llama_cpp(file) as ask:
        said = ask("completion", prompt=TOKENS, n_predict=1, n_probs=20, temperature=0.0)
    likely = said["completion_probabilities"][0]["top_logprobs"]
    mine = ours[-1].log_softmax(-1)
    assert max(abs(mine[each["id"]] - each["logprob"]) for each in likely) < AGREES


def test_factors_of_rotary_frequencies_are_those_of_llama_3(tmp_path):
    """Written as the converter writes them; transformers computes the same from its config."""
    scaled = {"rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0,
              "high_freq_factor": 4.0, "original_max_position_embeddings": 32}  # fmt: skip
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(SHAPES, "3.1", ("llama", {**_GROUPED, "rope_parameters": scaled}, _CONTEXT))
        checkpoint = make_checkpoint(tmp_path / "checkpoint", "3.1")
    plain = 5e5 ** -(np.arange(0, 8, 2) / 8)
    table = open_model(str(checkpoint))._network().model.base_model.rotary_emb.inv_freq  # type: ignore[attr-defined]
    factors = (plain / table.numpy()).astype(np.float32)
    assert factors.max() > 2
    file = write_gguf(checkpoint, tmp_path / "model.gguf", extra={"rope_freqs.weight": factors})
    assert torch.allclose(logits_of(f"gguf:{file}"), logits_of(str(checkpoint)), atol=1e-4)


@pytest.mark.parametrize("kind", ["Q8_0", "Q5_1", "Q6_K"])
def test_activations_are_rounded_as_llama_cpp_rounds_them(tmp_path, kind):
    """Two layers: in deeper models the last bits of sums, which no two programs share, become
    steps of their own in every layer (docs/decisions/gguf.md).
    """
    pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")
    wide = {"hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 4}
    checkpoint = make_checkpoint(tmp_path / "checkpoint", "llama", **wide)
    file = write_gguf(checkpoint, tmp_path / "model.gguf", kind)
    with llama_cpp(file) as ask:
        said = ask("completion", prompt=TOKENS, n_predict=1, n_probs=20, temperature=0.0)
    likely = said["completion_probabilities"][0]["top_logprobs"]
    ids = [each["id"] for each in likely]
    theirs = torch.tensor([each["logprob"] for each in likely])
    rounded = logits_of(f"gguf:{file}")[-1].log_softmax(-1)[ids]
    numbers = write_gguf(checkpoint, tmp_path / "numbers.gguf", kind, as_numbers=True)
    exact = logits_of(f"gguf:{numbers}")[-1].log_softmax(-1)[ids]
    apart, before = (rounded - theirs).abs().mean(), (exact - theirs).abs().mean()
    assert apart < before / 2


def test_tree_and_plain_way_round_alike(tmp_path):
    checkpoint = make_checkpoint(tmp_path / "checkpoint", "qwen")
    model = open_model(f"gguf:{write_gguf(checkpoint, tmp_path / 'model.gguf', 'Q8_0')}")
    network = model._network()  # type: ignore[attr-defined]
    ours = network.logits(network.hidden(pack([PackedRow(None, TOKENS)], {}, network.device)))
    assert network.serves_trees
    network.model.set_attn_implementation("eager")
    assert torch.allclose(ours, own_logits(network, TOKENS), atol=1e-2)
    model.close()


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16", "Q8_0"])
def test_a_quantised_file_is_another_model_than_before_its_activations_were_rounded(tmp_path, kind):
    checkpoint = make_checkpoint(tmp_path / "checkpoint", "llama")
    file = write_gguf(checkpoint, tmp_path / "model.gguf", kind)
    facts = open_model(f"gguf:{file}").facts
    parts = [*_parts(find_checkpoint(file), "float32")]
    assert facts.fingerprint == _digest_of_parts(parts)
    before = _digest_of_parts(part for part in parts if part[0] != "activations")
    is_rounded = kind == "Q8_0"
    assert (facts.fingerprint != before) == is_rounded
    assert facts.about["computed on"] == "CPU, float32" + " × Q8_0" * is_rounded


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q8_0", "Q4_0", "Q5_1"])
def test_stored_numbers_come_back_as_the_library_reads_them(tmp_path, kind):
    checkpoint = make_checkpoint(tmp_path / "checkpoint", "llama")
    whole = logits_of(str(checkpoint))
    file = write_gguf(checkpoint, tmp_path / "model.gguf", kind)
    facts = open_model(f"gguf:{file}").facts
    assert facts.about["weights on disk"].startswith(
        {"F16": "float16 (16), float32 (5)", "BF16": "bfloat16 (16)"}.get(kind, f"{kind} (16)")
    )
    stored = logits_of(f"gguf:{file}")
    rough = {"F16": 0.02, "BF16": 0.2, "Q8_0": 0.4}.get(kind, 4.0)
    assert 0 < (stored - whole).abs().max() < rough


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"general.architecture": "mamba"}, "'mamba', which Assay does not compute"),
        ({"split.count": 3}, "one of 3 parts"),
        ({"llama.block_count": 4000}, "21 tensors for 4000 layers"),
        ({"llama.embedding_length": 64}, "lm_head.weight"),
        ({"llama.attention.head_count": 0}, "llama.attention.head_count is 0"),
        ({"llama.context_length": None}, "llama.context_length is None"),
        ({"llama.rope.dimension_count": 4}, "turns 4 of the 8 numbers"),
        ({"llama.rope.scaling.type": "odd"}, "rotary scaling is 'odd'"),
    ],
)
def test_what_cannot_be_computed_is_refused_by_name(tmp_path, fields, words):
    checkpoint = make_checkpoint(tmp_path / "checkpoint", "llama")
    file = write_gguf(checkpoint, tmp_path / "model.gguf", fields=fields)
    with pytest.raises(ModelUnavailable) as caught:
        open_model(f"gguf:{file}").probe()
    assert words in caught.value.message
    assert caught.value.hint


def test_a_tensor_without_a_place_is_refused(tmp_path):
    checkpoint = make_checkpoint(tmp_path / "checkpoint", "llama")
    more = {"blk.0.ffn_gate_inp.weight": np.ones((4, 32), np.float32)}
    file = write_gguf(checkpoint, tmp_path / "model.gguf", extra=more)
    with pytest.raises(ModelUnavailable, match=r"no place for 1 of its tensors"):
        open_model(f"gguf:{file}")
