"""LoRA adapters: computed as peft does, on one base, and refused where they are no such."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import peft
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from assay.errors import AssayError, ModelUnavailable, in_one_line
from assay.models.local.model import LocalModel, _loaded
from assay.types import ReadText, Request, ToRead
from assay.types.options import LocalOptions
from tests.models.local.checkpoints import edit_json, make_checkpoint, make_model, make_tokenizer

TEXT = "The small dog and the old cat live in the same house."


def make_adapter(folder: Path, base: Path, *, seed: int = 1, **config) -> Path:
    """An adapter with random matrices, as a training with peft leaves it."""
    given = {"r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "down_proj"], **config}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        settings = peft.LoraConfig(task_type="CAUSAL_LM", init_lora_weights=False, **given)
        model = AutoModelForCausalLM.from_pretrained(base)
        model.name_or_path = str(base)
        peft.get_peft_model(model, settings).save_pretrained(folder)
    return folder


def opened(path: Path, **settings) -> LocalModel:
    return LocalModel(path, spec=str(path), settings=LocalOptions(device="cpu", **settings))


def likelihood(model: LocalModel) -> float:
    work = ToRead(text=TEXT)
    request = Request(id="1", suite="s", test_id="t", turn=0, repeat=0, work=work)
    (reply,) = model.answer([request])
    assert isinstance(reply, ReadText), reply
    return reply.log_likelihood


def by_peft(base: Path, adapter: Path) -> float:
    """The slow twin: matrices beside the weights, one plain forward pass."""
    model = AutoModelForCausalLM.from_pretrained(base)
    model = peft.PeftModel.from_pretrained(model, adapter).eval()
    ids = torch.tensor([make_tokenizer().encode(TEXT).ids])
    with torch.inference_mode():
        scores = model(input_ids=ids).logits[0, :-1].log_softmax(-1)
    return scores.gather(1, ids[0, 1:, None]).sum().item()


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("base") / "tiny", "llama")


@pytest.fixture(scope="module")
def adapter(base, tmp_path_factory):
    return make_adapter(tmp_path_factory.mktemp("adapters") / "one", base)


@pytest.mark.parametrize(
    ("shape", "config"),
    [
        ("llama", {"rank_pattern": {"down_proj": 2}, "alpha_pattern": {"down_proj": 3}}),
        ("llama", {"use_rslora": True, "target_modules": ["o_proj", "v_proj"]}),
        ("llama", {"use_dora": True}),
        ("gpt2", {"target_modules": ["c_attn", "c_fc"], "fan_in_fan_out": True}),
    ],
)
def test_merged_weights_answer_as_peft_does_beside_them(tmp_path, shape, config):
    base = make_checkpoint(tmp_path / "base", shape)
    adapter = make_adapter(tmp_path / "adapter", base, **config)
    model = opened(adapter)
    assert likelihood(model) == pytest.approx(by_peft(base, adapter), abs=1e-3)
    assert likelihood(model) != pytest.approx(likelihood(opened(base)), abs=0.1), "it does change"


def test_the_base_is_loaded_once_and_comes_back_to_the_bit(base, adapter, tmp_path):
    other = make_adapter(tmp_path / "other", base, seed=2, target_modules=["v_proj"])
    models = [opened(base), opened(adapter), opened(other)]
    loaded, found = [], []
    for model in (*models, *models):
        found.append(likelihood(model))
        loaded.append(_loaded.network.model)
    assert found[:3] == found[3:]
    assert len(set(found)) == 3
    assert all(each is loaded[0] for each in loaded)
    saved = load_file(base / "model.safetensors")
    likelihood(models[0])
    weights = _loaded.network.model.state_dict()
    assert all(torch.equal(weights[name], each) for name, each in saved.items())
    for model in models:
        assert _loaded.network is not None
        model.close()
    assert _loaded.network is None, "the last of them closes it"


def test_base_and_adapter_stand_for_it_in_every_request(base, adapter, tmp_path):
    copy = shutil.copytree(adapter, tmp_path / "copy")
    facts = opened(adapter).facts
    assert opened(copy).facts.fingerprint == facts.fingerprint
    assert facts.shape == opened(base).facts.shape
    edit_json(copy / "adapter_config.json", lambda config: config.update(lora_alpha=9))
    moved = make_checkpoint(tmp_path / "moved", "llama", seed=5)
    others = [opened(base), opened(copy), opened(adapter, base=str(moved))]
    assert len({facts.fingerprint, *(each.facts.fingerprint for each in others)}) == 4
    assert "rank 4 in 4 layers" in facts.about["adapter"]


# --------------------------------------------------------------------------------- what is refused


def set_config(**changes):
    return lambda folder: edit_json(folder / "adapter_config.json", lambda it: it.update(changes))


def pickled(folder):
    weights = folder / "adapter_model.safetensors"
    torch.save(load_file(weights), folder / "adapter_model.bin")
    weights.unlink()


def with_tensor(name, shape):
    def change(folder):
        tensors = load_file(folder / "adapter_model.safetensors")
        save_file({**tensors, name: torch.ones(shape)}, folder / "adapter_model.safetensors")

    return change


def not_a_number(folder):
    tensors = load_file(folder / "adapter_model.safetensors")
    next(iter(tensors.values()))[:] = float("nan")
    save_file(tensors, folder / "adapter_model.safetensors")


HEAD = "base_model.model.lm_head"
HOSTILE = {
    "no base": (set_config(base_model_name_or_path=None), "--base"),
    "a base that is nowhere": (set_config(base_model_name_or_path="/no/such/model"), "--base"),
    "another method": (set_config(peft_type="IA3"), "'IA3', not LORA"),
    "a pickle": (pickled, "no adapter_model.safetensors"),
    "code": (set_config(auto_mapping={"parent_library": "os"}), "code of its own, 'os'"),
    "a module to import": (set_config(megatron_config={"a": 1}), "megatron_config"),
    "whole layers": (set_config(modules_to_save=["lm_head"]), "modules_to_save"),
    "copied layers": (set_config(layer_replication=[[0, 2], [0, 2]]), "layer_replication"),
    "another start": (set_config(init_lora_weights="pissa"), "init_lora_weights"),
    "a pattern": (set_config(alpha_pattern={"(a+)+$": 2}), "alpha_pattern"),
    "no scale": (set_config(lora_alpha="8"), "lora_alpha"),
    "no scales": (set_config(alpha_pattern=8), "lora_alpha"),
    "an unknown tensor": (with_tensor("lm_head.weight", (2, 2)), "is no LoRA matrix"),
    "half a pair": (with_tensor(f"{HEAD}.lora_A.weight", (4, 32)), "a matrix is missing"),
    "an unknown layer": (with_tensor("base_model.model.no.lora_A.weight", (4, 32)), "no such"),
    "no JSON": (lambda folder: (folder / "adapter_config.json").write_text("{"), "cannot be used"),
    "damaged": (
        lambda folder: (folder / "adapter_model.safetensors").write_bytes(b"\xff" * 64),
        "damaged",
    ),
    "no numbers": (not_a_number, "or not numbers"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_plain_adapter_is_refused_with_a_sentence(adapter, tmp_path, what):
    change, why = HOSTILE[what]
    folder = shutil.copytree(adapter, tmp_path / "adapter")
    change(folder)
    with pytest.raises(AssayError) as refused:
        opened(folder).probe()
    assert why in in_one_line(refused.value)


def test_a_base_of_another_shape_is_refused_with_both_shapes(adapter, tmp_path):
    wider = make_checkpoint(tmp_path / "wider", "llama", intermediate_size=96)
    with pytest.raises(ModelUnavailable, match="it is 32×64 there, and 32×96 in the base"):
        opened(adapter, base=str(wider))


def test_layers_that_a_base_uses_at_both_ends_are_refused(tmp_path):
    """Merged, the change would count twice; beside the weights, once."""
    base = make_checkpoint(tmp_path / "base", "qwen")
    model = make_model("qwen")
    assert model.lm_head.weight is model.get_input_embeddings().weight
    adapter = make_adapter(tmp_path / "adapter", base, target_modules=["q_proj"])
    shape = tuple(model.lm_head.weight.shape)
    with_tensor(f"{HEAD}.lora_A.weight", (4, shape[1]))(adapter)
    with_tensor(f"{HEAD}.lora_B.weight", (shape[0], 4))(adapter)
    with pytest.raises(ModelUnavailable, match="both ends"):
        opened(adapter)


def test_what_peft_writes_by_default_is_nothing_to_refuse(adapter):
    written = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
    assert {"lora_alpha", "modules_to_save", "megatron_core"} <= written.keys()
    assert opened(adapter).facts.parameters
