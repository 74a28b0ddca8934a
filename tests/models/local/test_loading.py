"""A checkpoint on its device, or one clear reason why not."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.utils import logging as transformers_logging

from assay.errors import ModelUnavailable, UsageError
from assay.models.local.finding import find_checkpoint
from assay.models.local.loading.checkpoint import (
    check_finite,
    choose_device,
    choose_dtype,
    examine,
    load,
)
from assay.models.local.loading.skeleton import quiet
from tests.models.local.checkpoints import SHAPES, edit_json, make_checkpoint


@pytest.fixture
def folder(tmp_path):
    return make_checkpoint(tmp_path / "model")


def loaded(folder, dtype="float32", **more):
    return load(find_checkpoint(folder), "cpu", dtype, **more)


def refused(folder, dtype="float32", **more):
    with pytest.raises(ModelUnavailable) as caught:
        loaded(folder, dtype, **more)
    assert caught.value.hint
    assert str(folder) in caught.value.message
    return caught.value


def change_tensors(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def as_pickle(folder):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def are_alike(one, other):
    """Whether two models have the same weights."""
    ours, theirs = dict(one.named_parameters()), dict(other.named_parameters())
    return ours.keys() == theirs.keys() and all(
        torch.equal(ours[name], theirs[name]) for name in ours
    )


# ----------------------------------------------------------------------------------- what loads


@pytest.mark.parametrize("shape", SHAPES)
def test_every_family_loads_with_its_own_weights(tmp_path, shape):
    folder = make_checkpoint(tmp_path, shape)
    network = loaded(folder)
    with quiet():
        plain = AutoModelForCausalLM.from_pretrained(folder).eval()
    assert are_alike(network.model, plain)
    assert network.context_length == 128
    assert network.dtype == torch.float32
    assert not any(parameter.requires_grad for parameter in network.model.parameters())


@pytest.mark.parametrize("form", ["shards", "pickle", "pickle shards"])
def test_every_form_of_weight_files_gives_the_same_model(tmp_path, folder, form):
    other = make_checkpoint(tmp_path / "other", max_shard_size="30KB" if form == "shards" else None)
    if form != "shards":
        as_pickle(other)
    if form == "pickle shards":
        tensors = list(torch.load(other / "pytorch_model.bin", weights_only=True).items())
        parts = {"one.bin": dict(tensors[::2]), "two.bin": dict(tensors[1::2])}
        for name, part in parts.items():
            torch.save(part, other / name)
        named = {tensor: name for name, part in parts.items() for tensor in part}
        index = {"metadata": {}, "weight_map": named}
        (other / "pytorch_model.bin.index.json").write_text(json.dumps(index))
        (other / "pytorch_model.bin").unlink()
    assert are_alike(loaded(other).model, loaded(folder).model)


def test_stories260k_loads(shared):
    folder = shared / "models" / "stories260K"
    network = loaded(folder)
    assert network.serves_trees
    assert network.context_length == 512
    assert sum(parameter.numel() for parameter in network.model.parameters()) == 260_032


def test_the_wished_number_type_is_what_is_computed_in(folder):
    network = loaded(folder, "bfloat16")
    assert network.dtype == torch.bfloat16
    assert {parameter.dtype for parameter in network.model.parameters()} == {torch.bfloat16}


def test_an_old_gpt2_file_with_masks_and_without_prefix_loads(tmp_path):
    folder = make_checkpoint(tmp_path / "old", "gpt2")

    def as_long_ago(tensors):
        for name in list(tensors):
            tensors[name.removeprefix("transformer.")] = tensors.pop(name)
        for layer in range(2):
            tensors[f"h.{layer}.attn.bias"] = torch.ones(1, 1, 128, 128)
            tensors[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)

    change_tensors(folder, as_long_ago)
    new = make_checkpoint(tmp_path / "new", "gpt2")
    assert are_alike(loaded(folder).model, loaded(new).model)


def test_a_file_without_metadata_loads(folder):
    tensors = load_file(folder / "model.safetensors")
    save_file(tensors, folder / "model.safetensors")
    assert loaded(folder).serves_trees


def test_links_to_files_elsewhere_load(folder, tmp_path):
    """As in the cache of the Hugging Face hub."""
    blobs = tmp_path / "blobs"
    folder.rename(blobs)
    folder.mkdir()
    for file in blobs.iterdir():
        (folder / file.name).symlink_to(file)
    assert loaded(folder).serves_trees


def test_a_head_the_model_does_not_have_is_left_alone(folder):
    change_tensors(folder, lambda t: t.update({"v_head.summary.weight": torch.ones(1, 32)}))
    assert loaded(folder).serves_trees


def test_nothing_is_said_on_the_terminal_and_settings_come_back(folder, capfd):
    transformers_logging.enable_progress_bar()
    before = transformers_logging.get_verbosity()
    edit_json(folder / "config.json", lambda config: config.update(bos_token_id=9999))
    change_tensors(folder, lambda t: t.update({"v_head.summary.weight": torch.ones(1, 32)}))
    loaded(folder)
    assert capfd.readouterr() == ("", "")
    assert transformers_logging.get_verbosity() == before
    assert transformers_logging.is_progress_bar_enabled()


# ------------------------------------------------------------------------------- what does not fit


def test_layers_that_the_config_forgot_are_refused(folder):
    edit_json(folder / "config.json", lambda config: config.update(num_hidden_layers=1))
    error = refused(folder)
    assert "no place for" in error.message
    assert "model.layers.1." in error.message


def test_a_bias_that_the_config_forgot_is_refused(folder):
    name = "model.layers.0.self_attn.q_proj.bias"
    change_tensors(folder, lambda t: t.update({name: torch.ones(32)}))
    assert name in refused(folder).message


def test_names_nobody_knows_are_found_when_loading(folder):
    def renamed(tensors):
        tensors["strange"] = tensors.pop("model.norm.weight")

    change_tensors(folder, renamed)
    assert "model.norm.weight" in refused(folder).message


@pytest.mark.parametrize("form", ["safetensors", "pickle"])
def test_mismatched_files_of_either_form_are_refused(folder, form):
    if form == "pickle":
        as_pickle(folder)
    edit_json(folder / "config.json", lambda config: config.update(vocab_size=400))
    assert "384×32" in refused(folder).message


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_weight_that_is_no_number_is_named_with_its_file(tmp_path, number):
    folder = make_checkpoint(tmp_path, max_shard_size="30KB")
    name = "model.layers.1.mlp.down_proj.weight"
    named = json.loads((folder / "model.safetensors.index.json").read_text())["weight_map"]
    file = folder / named[name]
    tensors = load_file(file)
    tensors[name][3, 5] = number
    save_file(tensors, file, metadata={"format": "pt"})
    error = refused(folder)
    assert str(file) in error.message
    assert name in error.message
    assert "1 value " in error.message


def test_numbers_too_large_for_float16_come_with_the_remedy(folder):
    def large(tensors):
        tensors["model.norm.weight"][0] = 1e6

    change_tensors(folder, large)
    assert loaded(folder).dtype == torch.float32
    assert "--dtype float32" in refused(folder, "float16").hint


def test_large_numbers_whose_sum_overflows_are_fine(folder):
    def large(tensors):
        tensors["model.norm.weight"][:] = 3e38

    change_tensors(folder, large)
    examined = examine(find_checkpoint(folder))
    with quiet():
        model = AutoModelForCausalLM.from_pretrained(folder)
    assert model.model.norm.weight.sum().isinf()
    check_finite(find_checkpoint(folder), examined, model, "float32")


# ------------------------------------------------------------------------------------ bad pickles


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self):
        return (os.mkdir, (str(self.target),))


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_with_code_in_it_is_refused_and_not_run(folder, tmp_path, zipped):
    (folder / "model.safetensors").unlink()
    sprung = tmp_path / "sprung"
    torch.save(
        {"model.norm.weight": torch.ones(32), "bomb": Bomb(sprung)},
        folder / "pytorch_model.bin",
        _use_new_zipfile_serialization=zipped,
    )
    assert "pytorch_model.bin" in refused(folder).message
    assert not sprung.exists()
    torch.load(folder / "pytorch_model.bin", weights_only=False)
    assert sprung.exists(), "the bomb was a dud, and the test shows nothing"


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x04N."])
def test_what_is_no_pickle_of_weights_is_refused(folder, content):
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(content)
    assert "pytorch_model.bin" in refused(folder).message


@pytest.mark.parametrize("found", [[torch.ones(2)], {}, {"a": 1}, {1: torch.ones(2)}])
def test_a_pickle_must_hold_tensors_under_names(folder, found):
    (folder / "model.safetensors").unlink()
    torch.save(found, folder / "pytorch_model.bin")
    assert "pytorch_model.bin" in refused(folder).message


def test_a_pickle_cut_short_is_refused(folder):
    as_pickle(folder)
    file = folder / "pytorch_model.bin"
    file.write_bytes(file.read_bytes()[:-5000])
    assert "pytorch_model.bin" in refused(folder).message


def test_a_safetensors_file_cut_short_is_refused(folder):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-5000])
    assert "model.safetensors" in refused(folder).message


def test_a_weight_file_the_config_names_is_not_loaded_in_place_of_the_one_found(folder, tmp_path):
    other = make_checkpoint(tmp_path / "other", seed=1)
    shutil.copy(other / "model.safetensors", folder / "hidden.safetensors")
    expected = loaded(folder).model
    edit_json(
        folder / "config.json",
        lambda config: config.update(transformers_weights="hidden.safetensors"),
    )
    assert are_alike(loaded(folder).model, expected)
    assert not are_alike(loaded(other).model, expected)


# -------------------------------------------------------------------------------- code and extras


def test_code_in_a_folder_runs_only_when_it_is_trusted(folder, tmp_path):
    sprung = tmp_path / "sprung"
    (folder / "own.py").write_text(
        f"import os\nos.mkdir({str(sprung)!r})\n"
        "from transformers import LlamaConfig, LlamaForCausalLM\n"
        "class OwnConfig(LlamaConfig):\n    model_type = 'own_kind'\n"
        "class OwnModel(LlamaForCausalLM):\n    config_class = OwnConfig\n"
    )
    own = {
        "model_type": "own_kind",
        "architectures": ["OwnModel"],
        "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"},
    }
    edit_json(folder / "config.json", lambda config: config.update(own))
    refused(folder)
    assert not sprung.exists()


@pytest.mark.parametrize("package", ["torch", "transformers", "safetensors"])
def test_without_the_extra_the_error_says_what_to_install(folder, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    error = refused_for_want_of_packages(folder)
    assert package in error.message
    assert "pip install 'slm-assay[local]'" in error.hint


def refused_for_want_of_packages(folder):
    with pytest.raises(ModelUnavailable) as caught:
        examine(find_checkpoint(folder))
    return caught.value


# ----------------------------------------------------------------------------------------- memory


def test_a_model_larger_than_the_memory_is_refused_before_it_is_read(tmp_path):
    """A file of 3 TB with nothing in it: only its header takes room on the disk."""
    folder = make_checkpoint(tmp_path)
    wide = {"hidden_size": 2**19, "intermediate_size": 2**19, "num_hidden_layers": 1}
    edit_json(folder / "config.json", lambda config: config.update(wide))
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder))
    header, end = {}, 0
    for name, parameter in model.named_parameters():
        size = parameter.numel() * 2
        about = {"dtype": "BF16", "shape": list(parameter.shape), "data_offsets": [end, end + size]}
        header[name], end = about, end + size
    raw = json.dumps(header).encode()
    try:
        with (folder / "model.safetensors").open("wb") as file:
            file.write(struct.pack("<Q", len(raw)) + raw)
            file.truncate(8 + len(raw) + end)
    except OSError:
        pytest.skip("needs a disk with sparse files")
    error = refused(folder)
    assert "GB of memory in float32" in error.message
    assert "GB are free" in error.message
    assert "--dtype bfloat16" in error.hint
    assert "--dtype" not in refused(folder, "bfloat16").hint


# ------------------------------------------------------------------------------- device and dtype


def test_the_device_is_the_wish_or_one_that_is_there():
    assert choose_device("cpu") == "cpu"
    assert torch.device(choose_device(None)).type in ("cpu", "cuda", "mps")
    assert choose_device("auto") == choose_device()


@pytest.mark.parametrize("wish", ["gpu", "cuda:99", "tpu", "", "CPU"])
def test_a_device_that_is_not_there_is_refused_with_those_that_are(wish):
    with pytest.raises(UsageError) as caught:
        choose_device(wish)
    assert "cpu" in caught.value.hint


@pytest.mark.parametrize(
    ("wish", "device", "on_disk", "dtype"),
    [
        (None, "cpu", "bfloat16", "float32"),
        ("auto", "cpu", "float16", "float32"),
        (None, "cuda", "float32", "float32"),
        (None, "cuda", "float16", "float16"),
        (None, "mps", "float64", "float32"),
        (None, "mps", "float8_e4m3fn", "float32"),
        ("bfloat16", "cpu", "float32", "bfloat16"),
        ("bf16", "cpu", "float32", "bfloat16"),
        ("fp16", "cuda", "bfloat16", "float16"),
        ("float32", "cuda", "bfloat16", "float32"),
    ],
)
def test_the_number_type_is_the_wish_or_what_suits_the_device(wish, device, on_disk, dtype):
    assert choose_dtype(wish, device, on_disk) == dtype


def test_bfloat16_is_kept_where_the_device_has_it():
    assert choose_dtype(None, "meta", "bfloat16") == "bfloat16"


@pytest.mark.parametrize("wish", ["int8", "float64", "double", "", "FLOAT32"])
def test_a_number_type_nobody_knows_is_refused_with_those_that_are(wish):
    with pytest.raises(UsageError) as caught:
        choose_dtype(wish, "cpu", "float32")
    assert "float32, bfloat16, float16" in caught.value.hint


def test_help_loads_neither_torch_nor_transformers():
    code = (
        "import sys\nimport assay.models.local.loading.checkpoint\nimport assay.interfaces.cli\n"
        "sys.exit(str({'torch', 'transformers'} & set(sys.modules) or ''))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stderr.strip() == ""
