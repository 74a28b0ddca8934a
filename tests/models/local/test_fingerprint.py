"""An overwritten checkpoint is a new model; a moved one is the same."""

from __future__ import annotations

import shutil

import pytest

from assay.models.local.facts import fingerprint_of
from assay.models.local.finding import find_checkpoint
from tests.models.local.checkpoints import CHAT_TEMPLATE, edit_json, make_checkpoint


def fingerprint(folder, dtype="float32"):
    return fingerprint_of(find_checkpoint(folder), dtype=dtype)


@pytest.fixture
def folder(tmp_path):
    return make_checkpoint(tmp_path / "run" / "step_1", chat_template=CHAT_TEMPLATE)


def test_a_moved_and_renamed_folder_is_the_same_model(folder, tmp_path):
    before = fingerprint(folder)
    moved = shutil.move(folder, tmp_path / "elsewhere")
    assert fingerprint(moved) == before
    assert before.startswith("sha256:")


def test_what_wrote_the_files_and_where_they_came_from_is_no_matter(folder):
    before = fingerprint(folder)
    origin = {"_name_or_path": "other/place", "transformers_version": "0"}
    edit_json(folder / "config.json", lambda config: config.update(origin))
    assert fingerprint(folder) == before


def test_the_place_of_the_same_template_is_no_matter(folder):
    before = fingerprint(folder)
    (folder / "chat_template.jinja").unlink()
    edit_json(
        folder / "tokenizer_config.json", lambda config: config.update(chat_template=CHAT_TEMPLATE)
    )
    assert fingerprint(folder) == before


def test_one_changed_bit_of_a_weight_is_another_model(folder):
    before = fingerprint(folder)
    raw = bytearray((folder / "model.safetensors").read_bytes())
    raw[-1] ^= 1
    (folder / "model.safetensors").write_bytes(raw)
    assert fingerprint(folder) != before


def test_any_shard_counts(tmp_path):
    folder = make_checkpoint(tmp_path, max_shard_size="30KB")
    seen = {fingerprint(folder)}
    files = find_checkpoint(folder).weight_files
    for file in files:
        raw = bytearray(file.read_bytes())
        raw[-1] ^= 1
        file.write_bytes(raw)
        seen.add(fingerprint(folder))
    assert len(seen) == len(files) + 1


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tokenizer.json", "{", "{ "),
        ("chat_template.jinja", "[assistant]", "[model]"),
        ("config.json", '"rms_norm_eps": 1e-06', '"rms_norm_eps": 1e-05'),
        ("tokenizer_config.json", '"eos_token": "<|endoftext|>"', '"eos_token": "."'),
        ("generation_config.json", '"eos_token_id": 0', '"eos_token_id": 1'),
    ],
)
def test_tokenizer_template_and_configs_are_part_of_the_model(folder, name, old, new):
    before = fingerprint(folder)
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), "utf-8")
    assert fingerprint(folder) != before


def test_a_template_makes_another_model_than_none(folder):
    before = fingerprint(folder)
    (folder / "chat_template.jinja").unlink()
    assert fingerprint(folder) != before


def test_another_number_type_is_another_model(folder):
    assert len({fingerprint(folder, dtype) for dtype in ("float32", "bfloat16", "float16")}) == 3
