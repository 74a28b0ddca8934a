"""Layers of Llama's kind in fewer passes, against their own way."""

import os

import pytest
import torch

from assay.engine.kernels import layers
from assay.engine.kernels.arrangements import LEAST_RUN, in_blocks
from assay.engine.kernels.layers import BY_PASSES, lengthen, shorten
from assay.engine.layout.packing import PackedRow, pack
from assay.engine.network import make_ready, own_logits
from assay.engine.read import read_all
from assay.engine.rounding import Q8_0, round_inputs
from tests.engine.shapes import random_model

OF_THE_KIND = ("llama", "qwen2", "qwen3")
OF_ANOTHER = ("gpt2", "gemma", "gpt_neox", "opt", "phi", "gemma2", "mamba", "gptj")
TOKENS = [(7 * each) % 211 for each in range(60)]


def logits_of(network, tokens):
    hidden = network.hidden(pack([PackedRow(None, tokens)], {}, network.device))
    return network.logits(hidden)


@pytest.mark.parametrize("shape", OF_THE_KIND)
def test_the_same_logits_as_by_the_layers_own_way(shape):
    network = make_ready(random_model(shape), context_length=128)
    expected = logits_of(network, TOKENS)
    short = shorten(network.model, BY_PASSES)
    assert len(short) == 2
    torch.testing.assert_close(logits_of(network, TOKENS), expected, rtol=1e-4, atol=1e-4)
    lengthen(short)
    assert torch.equal(logits_of(network, TOKENS), expected)


@pytest.mark.parametrize("shape", OF_ANOTHER)
def test_layers_of_another_kind_stay_as_they_are(shape):
    assert shorten(random_model(shape), BY_PASSES) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("residual_multiplier", 0.9), ("attention_bias", True), ("hidden_act", "gelu")],
)
def test_what_a_family_does_besides_is_noticed(name, value):
    import transformers

    from tests.engine.shapes import _LLAMA

    kind = transformers.GraniteConfig if name == "residual_multiplier" else transformers.LlamaConfig
    config = kind(**{**_LLAMA, name: value})
    model = transformers.AutoModelForCausalLM.from_config(config)
    assert shorten(model, BY_PASSES) == []


def test_a_layer_without_turns_among_others_is_noticed():
    import transformers

    from tests.engine.shapes import _LLAMA

    config = transformers.SmolLM3Config(**_LLAMA, no_rope_layers=[1, 0])
    model = transformers.AutoModelForCausalLM.from_config(config)
    assert shorten(model, BY_PASSES) == []
    config = transformers.SmolLM3Config(**_LLAMA, no_rope_layers=[1, 1])
    assert shorten(transformers.AutoModelForCausalLM.from_config(config), BY_PASSES)


def test_the_models_own_forward_is_its_own():
    model = random_model("llama")
    network = make_ready(model, context_length=128)
    model.set_attn_implementation(network.own_attention)
    expected = own_logits(network, TOKENS)
    shorten(model, BY_PASSES)
    assert torch.equal(own_logits(network, TOKENS), expected)


def test_weights_that_are_put_in_later_are_used():
    one, other = random_model("qwen2"), random_model("qwen2", seed=1)
    network = make_ready(one, context_length=128)
    assert shorten(one, BY_PASSES)
    for name, weights in one.named_parameters():
        weights.data.copy_(other.get_parameter(name).data)
    expected = logits_of(make_ready(other, context_length=128), TOKENS)
    torch.testing.assert_close(logits_of(network, TOKENS), expected, rtol=1e-4, atol=1e-4)


def test_inputs_of_products_that_are_rounded_are_still_rounded():
    network = make_ready(random_model("llama"), context_length=128)
    names = [f"model.layers.{layer}.mlp.down_proj" for layer in range(2)]
    plain = logits_of(network, TOKENS)
    round_inputs(network, dict.fromkeys(names, Q8_0))
    rounded = logits_of(network, TOKENS)
    assert shorten(network.model, BY_PASSES)
    assert torch.equal(logits_of(network, TOKENS), rounded)
    assert not torch.equal(rounded, plain)


def test_rows_of_one_length_lie_where_they_are():
    """As many as make a run, and others in a block."""
    many = LEAST_RUN // 128 + 1
    long = [(11 * each) % 211 for each in range(129)]
    network = make_ready(random_model("llama"), context_length=128)
    rows = [PackedRow(None, long[:size]) for size in (*[128] * many, 17, 5)]
    blocks = in_blocks(pack(rows, {}, network.device)).blocks
    assert [block.run for block in blocks] == [slice(0, 128 * many), None]
    texts = [TOKENS[:17], *[long[:128]] * many, long, TOKENS[:5]]
    expected = list(read_all(network, texts, prefix=0))
    network.by_blocks = True
    found = list(read_all(network, texts, prefix=0))
    assert [each.tokens for each in found] == [each.tokens for each in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-3)


@pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning")
@pytest.mark.skipif(
    not torch.cuda.is_available() and os.environ.get("TRITON_INTERPRET") != "1",
    reason="needs a GPU or TRITON_INTERPRET=1",
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("size", [64, 80, 128])
def test_the_kernels_tell_what_the_passes_tell(dtype, size):
    pytest.importorskip("triton")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    assert layers._tell_the_same(device, dtype, size)
