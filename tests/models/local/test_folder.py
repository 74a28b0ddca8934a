"""What is a checkpoint, what is none, and what to do then."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import ModelUnavailable, Refusals
from assay.models.local.finding import find_checkpoint
from assay.models.local.folder import CONFIG_BYTES
from assay.types.decisions import size_class_of
from tests.models.local.checkpoints import (
    CHAT_TEMPLATE,
    edit_json,
    make_checkpoint,
    save_tokenizer,
)


def refusal(path, **more):
    with pytest.raises(ModelUnavailable) as caught:
        find_checkpoint(path, **more)
    assert caught.value.hint, "a refusal without a remedy"
    return caught.value


@pytest.fixture
def checkpoint(tmp_path):
    return make_checkpoint(tmp_path / "model")


def test_a_checkpoint_is_found_with_all_that_belongs_to_it(checkpoint):
    found = find_checkpoint(checkpoint)
    assert found.path == checkpoint
    assert found.config["model_type"] == "llama"
    assert found.weight_files == (checkpoint / "model.safetensors",)
    assert found.is_safetensors
    assert found.tokenizer_folder == checkpoint
    assert found.generation["eos_token_id"] == 0
    assert found.chat_template is None


def test_shards_are_those_of_the_index(tmp_path):
    folder = make_checkpoint(tmp_path, max_shard_size="60KB")
    (folder / "model-of-another-run.safetensors").write_bytes(b"")
    files = find_checkpoint(folder).weight_files
    assert len(files) > 1
    assert [file.name for file in files] == sorted(
        set(
            json.loads((folder / "model.safetensors.index.json").read_text())["weight_map"].values()
        )
    )


def test_safetensors_come_before_a_pickle_of_the_same_folder(checkpoint):
    (checkpoint / "pytorch_model.bin").write_bytes(b"pickle")
    assert find_checkpoint(checkpoint).is_safetensors
    (checkpoint / "model.safetensors").unlink()
    found = find_checkpoint(checkpoint)
    assert not found.is_safetensors
    assert found.weight_files == (checkpoint / "pytorch_model.bin",)


# ------------------------------------------------------------------------------- none at all


def test_a_folder_that_is_not_there_is_named(tmp_path):
    assert str(tmp_path / "gone") in refusal(tmp_path / "gone").message


def test_a_file_points_to_its_folder(checkpoint):
    error = refusal(checkpoint / "model.safetensors")
    assert "model.safetensors" in error.message
    assert str(checkpoint) in error.hint


def test_a_folder_without_config_is_named(checkpoint):
    (checkpoint / "config.json").unlink()
    error = refusal(checkpoint)
    assert str(checkpoint) in error.message
    assert "config.json" in error.message


def test_a_folder_of_checkpoints_names_five_of_them(tmp_path):
    for step in range(7):
        (tmp_path / f"step_{step}").mkdir()
        (tmp_path / f"step_{step}" / "config.json").write_text("{}")
    error = refusal(tmp_path)
    assert "folder of checkpoints" in error.message
    assert str(tmp_path / "step_4") in error.hint
    assert "step_5" not in error.hint


# ---------------------------------------------------------------------------------- config.json


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{", "Expecting"),
        (b"", "Expecting"),
        (b"[1]", "object"),
        (b'{"model_type": "\xff"}', "UTF-8"),
        (b"[" * 100_000, "nested"),
        (b" " * (CONFIG_BYTES + 1), "MB"),
    ],
)
def test_a_config_that_cannot_be_read_is_named(checkpoint, raw, why):
    (checkpoint / "config.json").write_bytes(raw)
    error = refusal(checkpoint)
    assert str(checkpoint / "config.json") in error.message
    assert why in error.message


def test_a_config_that_is_a_folder_is_refused(checkpoint):
    (checkpoint / "config.json").unlink()
    (checkpoint / "config.json").mkdir()
    assert "config.json" in refusal(checkpoint).message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_place_of_the_config_is_not_waited_for(checkpoint):
    (checkpoint / "config.json").unlink()
    os.mkfifo(checkpoint / "config.json")
    assert "config.json" in refusal(checkpoint).message


@pytest.mark.parametrize("kind", [None, "", 7])
def test_a_config_must_say_its_kind(checkpoint, kind):
    edit_json(checkpoint / "config.json", lambda config: config.update(model_type=kind))
    assert "model_type" in refusal(checkpoint).message


@pytest.mark.parametrize(
    "change",
    [
        {"architectures": ["BertModel"], "model_type": "bert"},
        {"architectures": ["LlamaForSequenceClassification"]},
        {"architectures": ["LlamaModel"]},
        {"architectures": "LlamaForCausalLM"},
        {
            "architectures": ["T5ForConditionalGeneration"],
            "model_type": "t5",
            "is_encoder_decoder": True,
        },
    ],
)
def test_what_is_no_causal_language_model_is_refused(checkpoint, change):
    edit_json(checkpoint / "config.json", lambda config: config.update(change))
    assert "causal language model" in refusal(checkpoint).message


def test_a_config_without_architectures_is_left_to_transformers(checkpoint):
    edit_json(checkpoint / "config.json", lambda config: config.pop("architectures"))
    assert find_checkpoint(checkpoint).config["model_type"] == "llama"


def test_code_in_a_checkpoint_is_not_run_unless_the_user_says_so(checkpoint):
    own = {
        "model_type": "own_kind",
        "architectures": ["OwnModel"],
        "auto_map": {"AutoModelForCausalLM": "modeling_own.OwnModel"},
    }
    edit_json(checkpoint / "config.json", lambda config: config.update(own))
    error = refusal(checkpoint)
    assert "code of its own" in error.message
    assert "--trust-remote-code" in error.hint
    assert find_checkpoint(checkpoint, trust_remote_code=True).path == checkpoint


def test_a_family_that_transformers_knows_needs_no_code_of_its_own(checkpoint):
    own = {"auto_map": {"AutoModelForCausalLM": "modeling_llama.LlamaForCausalLM"}}
    edit_json(checkpoint / "config.json", lambda config: config.update(own))
    assert find_checkpoint(checkpoint).path == checkpoint


def test_a_quantised_checkpoint_is_refused(checkpoint):
    quantised = {"quantization_config": {"quant_method": "gptq", "bits": 4}}
    edit_json(checkpoint / "config.json", lambda config: config.update(quantised))
    assert "quantised" in refusal(checkpoint).message


def test_a_broken_generation_config_is_named(checkpoint):
    (checkpoint / "generation_config.json").write_text("{")
    assert "generation_config.json" in refusal(checkpoint).message


# -------------------------------------------------------------------------------------- weights


def test_a_folder_without_weights_is_refused(checkpoint):
    (checkpoint / "model.safetensors").unlink()
    assert "no weights" in refusal(checkpoint).message


def test_every_missing_shard_is_named(tmp_path):
    folder = make_checkpoint(tmp_path, max_shard_size="30KB")
    gone = find_checkpoint(folder).weight_files[:2]
    for file in gone:
        file.unlink()
    with pytest.raises(Refusals) as caught:
        find_checkpoint(folder)
    assert all(file.name in caught.value.message for file in gone)


@pytest.mark.parametrize(
    "named",
    [{}, [], None, {"a": 1}, {"a": "../model.safetensors"}, {"a": "weights.bin"}, {"a": ""}],
)
def test_an_index_names_files_of_its_own_folder_only(checkpoint, named):
    (checkpoint / "model.safetensors").rename(checkpoint.parent / "model.safetensors")
    (checkpoint / "model.safetensors.index.json").write_text(json.dumps({"weight_map": named}))
    assert "model.safetensors.index.json" in refusal(checkpoint).message


# ------------------------------------------------------------------------------------ tokenizer


@pytest.mark.parametrize("levels", [1, 2])
def test_a_tokenizer_is_looked_for_in_the_parents(tmp_path, levels):
    folder = make_checkpoint(tmp_path / "run" / "step_1", with_tokenizer=False)
    above = folder.parents[levels - 1]
    save_tokenizer(above)
    assert find_checkpoint(folder).tokenizer_folder == above


def test_three_levels_up_is_too_far(tmp_path):
    folder = make_checkpoint(tmp_path / "a" / "b" / "c", with_tokenizer=False)
    save_tokenizer(tmp_path)
    error = refusal(folder)
    assert "tokenizer" in error.message
    assert "--tokenizer" in error.hint


def test_the_parents_of_a_relative_path_are_those_of_the_place(tmp_path, monkeypatch):
    make_checkpoint(tmp_path / "run" / "step_1", with_tokenizer=False)
    save_tokenizer(tmp_path / "run")
    monkeypatch.chdir(tmp_path / "run" / "step_1")
    assert find_checkpoint(Path()).tokenizer_folder == tmp_path / "run"


def test_the_tokenizer_a_user_names_wins(checkpoint, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    error = refusal(checkpoint, tokenizer=other)
    assert str(other) in error.message
    save_tokenizer(other)
    assert find_checkpoint(checkpoint, tokenizer=other).tokenizer_folder == other


def test_a_chat_template_may_lie_in_a_file_of_its_own(tmp_path):
    folder = make_checkpoint(tmp_path, chat_template=CHAT_TEMPLATE)
    assert (folder / "chat_template.jinja").is_file()
    assert find_checkpoint(folder).chat_template == CHAT_TEMPLATE


@pytest.mark.parametrize(
    ("value", "template"),
    [
        ("{{ messages }}", "{{ messages }}"),
        ([{"name": "tools", "template": "x"}, {"name": "default", "template": "y"}], "y"),
        ([{"name": "tools", "template": "x"}], None),
        ("", None),
        (None, None),
    ],
)
def test_a_chat_template_may_lie_in_the_tokenizers_config(checkpoint, value, template):
    edit_json(
        checkpoint / "tokenizer_config.json", lambda config: config.update(chat_template=value)
    )
    assert find_checkpoint(checkpoint).chat_template == template


# ---------------------------------------------------------------------------------- altogether


def test_everything_that_is_wrong_is_said_at_once(checkpoint):
    edit_json(checkpoint / "config.json", lambda config: config.update(architectures=["BertModel"]))
    (checkpoint / "model.safetensors").unlink()
    (checkpoint / "tokenizer.json").unlink()
    with pytest.raises(Refusals) as caught:
        find_checkpoint(checkpoint)
    assert len(caught.value.errors) == 3


def test_looking_into_a_folder_loads_neither_torch_nor_transformers(checkpoint):
    code = (
        "import sys, pathlib\n"
        "from assay.models.local import facts, finding\n"
        f"found = finding.find_checkpoint(pathlib.Path({str(checkpoint)!r}))\n"
        "facts.fingerprint_of(found, dtype='float32')\n"
        "sys.exit(str({'torch', 'transformers', 'safetensors'} & set(sys.modules) or ''))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.stderr.strip() == ""


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        (0, "tiny"),
        (49_999_999, "tiny"),
        (50_000_000, "small"),
        (149_999_999, "small"),
        (150_000_000, "medium"),
        (499_999_999, "medium"),
        (500_000_000, "large"),
    ],
)
def test_size_classes_begin_at_their_limits(parameters, name):
    assert size_class_of(parameters) == name
