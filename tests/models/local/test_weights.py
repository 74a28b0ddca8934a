"""Damaged, hostile and mismatched weight files, found before anything is loaded."""

from __future__ import annotations

import json
import struct
from contextlib import suppress

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from assay.errors import AssayError, ModelUnavailable
from assay.models.local.finding import find_checkpoint
from assay.models.local.loading.checkpoint import examine
from assay.models.local.loading.weight_files import (
    main_dtype,
    read_header,
    tensors_in,
)
from assay.models.local.model import LocalModel
from assay.types.options import LocalOptions
from tests.models.local.checkpoints import (
    VOCABULARY,
    edit_json,
    make_checkpoint,
    save_tokenizer,
)
from tests.models.local.hostile import said_of

FLOATS = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.fixture
def folder(tmp_path):
    return make_checkpoint(tmp_path / "model")


def write(path, header, data=b"", length=None):
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(raw) if length is None else length) + raw + data)
    return path


def damaged(path):
    with pytest.raises(ModelUnavailable) as caught:
        read_header(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
    return caught.value.message


def refused(folder):
    with pytest.raises(AssayError) as caught:
        LocalModel(folder, spec=str(folder), settings=LocalOptions(device="cpu")).probe()
    assert caught.value.hint
    return caught.value.message


def change_tensors(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


# ----------------------------------------------------------------------------------- headers


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_sizes_and_types_are_those_of_the_tensors(tmp_path, dtype):
    path = make_checkpoint(tmp_path, dtype=dtype) / "model.safetensors"
    ours = read_header(path)
    with safe_open(path, "pt") as theirs:
        assert {name: tensor.bytes for name, tensor in ours.items()} == {
            name: theirs.get_tensor(name).nbytes
            for name in theirs.keys()  # noqa: SIM118
        }
    assert main_dtype(ours) == dtype


@pytest.mark.parametrize("kept", [0, 7, 100, -1, -1000])
def test_a_file_that_was_cut_off_is_refused(folder, kept):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    damaged(path)


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 200_000,
        {"a": FLOATS | {"dtype": "F33"}},
        {"a": FLOATS | {"shape": [2**62, 2**62]}},
        {"a": FLOATS | {"shape": [2**40], "data_offsets": [0, 2**42]}},
        {"a": FLOATS, "b": FLOATS},
    ],
)
def test_a_header_that_is_wrong_about_its_file_is_refused(tmp_path, header):
    damaged(write(tmp_path / "a", header, bytes(8)))


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    damaged(tmp_path / "gone.safetensors")


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(at=st.integers(0, 900), bit=st.integers(0, 7))
def test_no_flipped_bit_of_a_header_does_more_than_refuse(tmp_path_factory, at, bit):
    path = tmp_path_factory.getbasetemp() / "flipped.safetensors"
    save_file({"some.weight": torch.ones(3, 4), "some.bias": torch.ones(4)}, path)
    raw = bytearray(path.read_bytes())
    raw[at % (len(raw) - 64)] ^= 1 << bit  # the tensors themselves are the last 64 bytes
    path.write_bytes(raw)
    with suppress(ModelUnavailable):
        assert sum(tensor.bytes for tensor in read_header(path).values()) == 64


# ------------------------------------------------------------------------------- against the config


def test_files_that_fit_pass(folder):
    found = examine(find_checkpoint(folder))
    assert found.parameters == 43168
    assert found.bytes_on_disk == 4 * 43168
    assert found.dtype_on_disk == "float32"


def test_every_tensor_with_another_shape_is_named(folder):
    edit_json(folder / "config.json", lambda config: config.update(intermediate_size=80))
    message = refused(folder)
    assert str(folder) in message
    assert "model.layers.0.mlp.up_proj.weight has the shape 64×32" in message
    assert "asks for 80×32" in message
    assert "and 1 more" in message


def test_another_vocabulary_in_the_config_is_found(folder):
    edit_json(folder / "config.json", lambda config: config.update(vocab_size=400))
    assert "384×32" in refused(folder)


def test_every_missing_tensor_is_named(folder):
    gone = ("model.norm.weight", "lm_head.weight")
    change_tensors(folder, lambda tensors: [tensors.pop(name) for name in gone])
    message = refused(folder)
    assert all(name in message for name in gone)


def test_a_missing_layer_is_found(folder):
    edit_json(folder / "config.json", lambda config: config.update(num_hidden_layers=3))
    assert "model.layers.2" in refused(folder)


def test_a_config_with_a_billion_layers_is_refused_before_it_is_built(folder):
    edit_json(folder / "config.json", lambda config: config.update(num_hidden_layers=10**9))
    assert "1000000000 layers" in refused(folder)


def test_a_tied_head_need_not_be_in_the_file(tmp_path):
    folder = make_checkpoint(tmp_path, "qwen")
    assert "lm_head.weight" not in tensors_in(find_checkpoint(folder))
    assert examine(find_checkpoint(folder)).parameters == 31008


def test_a_body_saved_without_its_prefix_passes(tmp_path):
    folder = make_checkpoint(tmp_path, "gpt2")

    def bare(tensors):
        for name in list(tensors):
            tensors[name.removeprefix("transformer.")] = tensors.pop(name)

    change_tensors(folder, bare)
    assert examine(find_checkpoint(folder)).parameters == 41856


@pytest.mark.parametrize(
    "change",
    [
        {"hidden_size": "many"},
        {"num_attention_heads": 0},
        {"hidden_act": "no such function"},
        {"model_type": "no_such_family", "architectures": None},
        {"model_type": "t5", "architectures": None},
        {"rope_parameters": {"rope_type": "no such type"}},
    ],
)
def test_a_config_that_describes_no_model_is_refused(folder, change):
    edit_json(folder / "config.json", lambda config: config.update(change))
    assert str(folder) in refused(folder)


# ------------------------------------------------------------------------------------- vocabulary


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused(folder):
    save_tokenizer(folder, vocabulary=VOCABULARY + 16)
    message = refused(folder)
    assert "token ids up to 399" in message
    assert "384 tokens" in message


@pytest.mark.parametrize(
    ("model_has", "fits"), [(VOCABULARY, True), (VOCABULARY + 128, True), (VOCABULARY + 129, False)]
)
def test_a_tokenizer_may_lack_what_padding_explains_and_no_more(tmp_path, model_has, fits):
    folder = make_checkpoint(tmp_path, vocab_size=model_has)
    assert said_of(folder) == "" if fits else f"has {model_has}" in said_of(folder)


def test_a_token_at_the_highest_id_hides_no_gap_below_it(tmp_path):
    folder = make_checkpoint(tmp_path, vocab_size=2048)
    last = {"id": 2047, "content": "<last>", "special": True}
    last |= dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    edit_json(folder / "tokenizer.json", lambda document: document["added_tokens"].append(last))
    assert "has 385 tokens, but the model" in said_of(folder)


@pytest.mark.parametrize(
    "normalizer",
    [
        {"type": "Lowercase"},
        {"type": "NFKC"},
        {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]},
        {"type": "Replace", "pattern": {"Regex": "[^a-zA-Z .,;:?!'-]"}, "content": ""},
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
    ],
    ids=["case", "width", "accents", "digits, quotes and brackets", "line breaks"],
)
def test_a_tokenizer_may_lose_what_a_text_can_spare(tmp_path, normalizer):
    folder = make_checkpoint(tmp_path)
    edit_json(folder / "tokenizer.json", lambda document: document.update(normalizer=normalizer))
    assert said_of(folder) == ""


def test_a_tokenizer_that_loses_signs_is_refused_with_what_and_how_much(tmp_path):
    folder = make_checkpoint(tmp_path)
    normalizer = {"type": "Replace", "pattern": {"Regex": "[^a-zA-Z0-9 .,]"}, "content": ""}
    edit_json(folder / "tokenizer.json", lambda document: document.update(normalizer=normalizer))
    with pytest.raises(ModelUnavailable) as refusal:
        LocalModel(folder, spec="m", settings=LocalOptions(device="cpu")).probe()
    said = refusal.value
    assert "384 tokens" in said.message
    assert "has 384" in said.message
    assert "loses 17 of the 218 characters" in said.message
    assert '"' in said.message
    assert "--tokenizer DIR" in said.hint
