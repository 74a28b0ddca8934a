"""Tokenizers out of GGUF files, beside llama.cpp's own on the same file."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from assay.errors import ModelUnavailable
from assay.models.local.gguf.header import read_gguf
from assay.models.local.gguf.place import unpack_tokenizer
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.models.opening import open_model
from assay.types import Message
from assay.types.options import LocalOptions
from tests.models.local.checkpoints import CHAT_TEMPLATE, make_checkpoint
from tests.models.local.gguf.gguf_files import (
    byte_level_fields,
    llama_cpp,
    sentence_piece_fields,
    write_gguf,
)
from tests.models.local.gguf.hard_strings import hard_strings

STRINGS = hard_strings(1_000)
SIZE = 2_000


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("tiny") / "checkpoint", "llama")


@pytest.mark.parametrize("pre", ["gpt-2", "smollm", "llama-bpe", "qwen2", "spm", "spm unspaced"])
def test_token_ids_are_those_of_llama_cpp(checkpoint, tmp_path, pre):
    pytest.importorskip("xllamacpp", reason="the wheel is made for Linux only")
    if pre.startswith("spm"):
        fields = sentence_piece_fields(STRINGS, SIZE, spaced=pre == "spm")
    else:
        fields = byte_level_fields(STRINGS, pre, SIZE)
    file = write_gguf(checkpoint, tmp_path / "model.gguf", fields=fields, rows=SIZE)
    ours = LocalTokenizer.load(unpack_tokenizer(read_gguf(file)))
    found = ours.encode_batch(STRINGS, special=False)
    with llama_cpp(file) as ask:
        theirs = [ask("tokenize", content=text, parse_special=True)["tokens"] for text in STRINGS]
    assert [text for text, a, b in zip(STRINGS, found, theirs, strict=True) if a != b] == []
    assert sum(map(len, found)) < 0.7 * sum(len(text.encode()) for text in STRINGS)


def test_what_the_file_says_of_begin_end_and_chat_is_followed(checkpoint, tmp_path):
    fields = {"tokenizer.ggml.add_bos_token": True, "tokenizer.chat_template": CHAT_TEMPLATE,
              "tokenizer.ggml.eot_token_id": 7}  # fmt: skip
    file = write_gguf(checkpoint, tmp_path / "model.gguf", fields=fields)
    model = open_model(f"gguf:{file}")
    tokenizer = model._tokens()  # type: ignore[attr-defined]
    assert model.facts.is_chat
    assert tokenizer.encode_batch(["a"], special=True)[0][0] == 0
    assert model._ends() == [0, 7]  # type: ignore[attr-defined]
    assert "[user]\nHi" in tokenizer.render_chat([Message("user", "Hi")])
    model.close()


def test_an_unknown_pre_tokenizer_is_refused_by_name_and_another_tokenizer_taken(
    checkpoint, tmp_path
):
    file = write_gguf(
        checkpoint, tmp_path / "model.gguf", fields={"tokenizer.ggml.pre": "brand-new"}
    )
    with pytest.raises(ModelUnavailable) as caught:
        open_model(f"gguf:{file}")
    assert "'brand-new' (tokenizer.ggml.pre)" in caught.value.message
    assert "--tokenizer DIR" in caught.value.hint
    model = open_model(f"gguf:{file}", local=LocalOptions(tokenizer=checkpoint))
    assert model.count_tokens(["the machine"])[0][0] > 0
    model.close()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"tokenizer.ggml.model": "bert"}, "'bert' (tokenizer.ggml.model)"),
        ({"tokenizer.ggml.tokens": ["a"] * 385}, "385 tokens and 384 rows"),
        ({"tokenizer.ggml.token_type": [1, 1]}, "tokenizer.ggml.token_type is no list"),
        ({"tokenizer.ggml.eos_token_id": 10**6}, "eos token is 1000000"),
        ({"tokenizer.ggml.merges": ["x y z"]}, "cannot be loaded"),
    ],
)
def test_a_broken_vocabulary_ends_in_one_sentence(checkpoint, tmp_path, fields, words):
    file = write_gguf(checkpoint, tmp_path / "model.gguf", fields=fields)
    with pytest.raises(ModelUnavailable) as caught:
        open_model(f"gguf:{file}").probe()
    assert words in caught.value.message


def test_the_tokenizer_is_the_same_for_the_same_vocabulary(checkpoint, tmp_path):
    one = write_gguf(checkpoint, tmp_path / "one.gguf")
    other = write_gguf(checkpoint, tmp_path / "other.gguf", "Q8_0")
    assert open_model(f"gguf:{one}").facts.tokenizer == open_model(f"gguf:{other}").facts.tokenizer
    written = json.loads((unpack_tokenizer(read_gguf(one)) / "tokenizer.json").read_text("utf-8"))
    assert written["model"]["vocab"]["<|endoftext|>"] == 0


def test_a_run_that_is_refused_leaves_no_folder_behind(checkpoint, tmp_path):
    file = write_gguf(checkpoint, tmp_path / "model.gguf")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = [
        sys.executable,
        "-W",
        "default::ResourceWarning",
        "-m",
        "assay",
        "run",
        f"gguf:{file}",
    ]
    ended = subprocess.run(
        [*command, "-s", "there_is_no_such_suite"],
        env={**os.environ, "TMPDIR": str(temporary)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "ResourceWarning" not in ended.stderr
    assert not [*temporary.glob("assay-*")]
