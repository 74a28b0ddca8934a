"""What is said of a checkpoint before it is asked anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.models.local.facts import facts_of, in_short, name_of
from assay.models.local.finding import find_checkpoint
from assay.models.local.loading.checkpoint import examine
from tests.models.local.checkpoints import CHAT_TEMPLATE, edit_json, make_checkpoint


def facts(folder, **more):
    return facts_of(
        find_checkpoint(folder), spec=f"hf:{folder}", device="cpu", dtype="float32", **more
    )


def test_a_base_model_gets_plain_prompts(tmp_path):
    found = facts(make_checkpoint(tmp_path / "llama", dtype="bfloat16"))
    assert found.spec == f"hf:{tmp_path / 'llama'}"
    assert found.name == "llama"
    assert found.capabilities == {"generate", "score_text"}
    assert found.predicts_by == "beam"
    assert not found.is_chat
    assert not found.fingerprint_is_weak
    assert found.about["architecture"] == "LlamaForCausalLM"
    assert found.about["size"] == "43.2 k parameters (tiny)"
    assert found.about["weights on disk"] == "bfloat16, 0.1 MB"
    assert found.about["computed on"] == "CPU, float32"
    assert found.about["prompts"] == "plain text, as it has no chat template"


def test_a_chat_model_gets_its_template(tmp_path):
    found = facts(make_checkpoint(tmp_path, chat_template=CHAT_TEMPLATE))
    assert found.is_chat
    template = "its chat template; plain text where likelihoods are compared"
    assert found.about["prompts"] == template


@pytest.mark.parametrize("shape", ["gpt2", "llama", "qwen", "opt"])
def test_parameters_are_those_of_the_loaded_model_tied_ones_once(tmp_path, shape):
    from transformers import AutoModelForCausalLM

    folder = make_checkpoint(tmp_path, shape)
    loaded = AutoModelForCausalLM.from_pretrained(folder)
    assert facts(folder).parameters == loaded.num_parameters()


def test_what_was_examined_already_is_not_examined_again(tmp_path):
    folder = make_checkpoint(tmp_path)
    examined = examine(find_checkpoint(folder))
    assert facts(folder, examined=examined) == facts(folder)


def test_a_shape_is_what_is_computed_and_not_what_was_learnt(tmp_path):
    first = facts(make_checkpoint(tmp_path / "first"))
    other = make_checkpoint(tmp_path / "other", seed=1, dtype="bfloat16")
    edit_json(other / "config.json", lambda config: config.update(trained_steps=500))
    assert facts(other).shape == first.shape
    assert facts(other).fingerprint != first.fingerprint
    # No weight has another size.
    edit_json(other / "config.json", lambda config: config.update(hidden_act="relu"))
    assert facts(other).shape != first.shape
    assert facts(make_checkpoint(tmp_path / "long", context=96)).shape != first.shape


@pytest.mark.parametrize("shape", ["gpt2", "llama", "neox", "opt"])
def test_the_context_length_is_the_configs(tmp_path, shape):
    assert facts(make_checkpoint(tmp_path, shape, context=96)).context_length == 96


@pytest.mark.parametrize(
    ("told", "length"), [(77, 77), (10**30, 2048), (None, 2048), (0, 2048), ("many", 2048)]
)
def test_without_one_in_the_config_the_tokenizers_counts_if_it_is_sane(tmp_path, told, length):
    folder = make_checkpoint(tmp_path, "bloom")
    edit_json(folder / "tokenizer_config.json", lambda config: config.update(model_max_length=told))
    assert facts(folder).context_length == length


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("models/tiny-llama", "tiny-llama"),
        ("models/tiny/step_1000", "tiny/step_1000"),
        ("models/tiny/checkpoint-500", "tiny/checkpoint-500"),
        ("models/tiny/global_step20", "tiny/global_step20"),
        ("models/tiny/final", "tiny/final"),
        ("models/tiny/2000", "tiny/2000"),
        ("models/tiny/x/../step_1/", "tiny/step_1"),
        ("models/stepwise", "stepwise"),
    ],
)
def test_the_name_of_a_step_is_that_of_its_run_too(path, name):
    assert name_of(Path(path)) == name


def test_the_folder_one_is_in_has_a_name(tmp_path, monkeypatch):
    (tmp_path / "run" / "step_5").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "run" / "step_5")
    assert name_of(Path()) == "run/step_5"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (999, "999"),
        (260_032, "260 k"),
        (999_600, "1 M"),
        (3_540_000, "3.54 M"),
        (124_439_808, "124 M"),
        (1_240_000_000, "1.24 B"),
    ],
)
def test_sizes_are_short(count, text):
    assert in_short(count) == text
