"""GGUF files that are cut off or claim what cannot be: one sentence, at once, in little memory."""

from __future__ import annotations

import resource
import struct

import pytest

from assay.errors import ModelUnavailable
from assay.models.local.gguf.header import read_gguf
from assay.models.opening import open_model
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.gguf.gguf_files import write_gguf

HUGE = 10**12


def text(words: str) -> bytes:
    return struct.pack("<Q", len(words.encode())) + words.encode()


def header(fields: bytes = b"", tensors: bytes = b"", *, counts: tuple[int, int] = (0, 0)) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, *counts) + fields + tensors


def array(inner: int, count: int, name: str = "tokenizer.ggml.tokens") -> bytes:
    return text(name) + struct.pack("<IIQ", 9, inner, count)


def tensor(shape: tuple[int, ...], kind: int = 0, start: int = 0) -> bytes:
    told = struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, start)
    return text("token_embd.weight") + told


HOSTILE = {
    "nothing behind the letters": (b"GGUF", "ends within its header"),
    "version": (b"GGUF" + struct.pack("<I", 99) + bytes(16), "its version is 99"),
    "fields": (header(counts=(0, HUGE)), "claims 1,000,000,000,000 fields"),
    "tensors": (header(counts=(HUGE, 0)), "claims 1,000,000,000,000 tensors"),
    "entries": (header(array(8, 10**9), counts=(0, 1)), "claims 1,000,000,000 entries"),
    "entries that are not there": (header(array(8, 10**6), counts=(0, 1)), "ends within tokenizer"),
    "numbers that are not there": (header(array(6, 10**6), counts=(0, 1)), "ends within tokenizer"),
    "lists of lists": (header(array(9, 5), counts=(0, 1)), "which is none"),
    "a long text": (
        header(text("a") + struct.pack("<IQ", 8, HUGE), counts=(0, 1)),
        "bytes in one text",
    ),
    "type of field": (header(text("a") + struct.pack("<I", 77), counts=(0, 1)), "which is none"),
    "alignment": (
        header(text("general.alignment") + struct.pack("<II", 4, 0), counts=(0, 1)),
        "alignment is 0",
    ),
    "place": (header(tensors=tensor((4, 4), start=HUGE), counts=(1, 0)), "outside the file"),
    "size": (header(tensors=tensor((2**40, 2**20)), counts=(1, 0)), "outside the file"),
    "no numbers": (header(tensors=tensor((0, 4)), counts=(1, 0)), "no possible shape: [4, 0]"),
    "half a block": (header(tensors=tensor((33, 1), kind=8), counts=(1, 0)), "no possible shape"),
    "dimensions": (header(tensors=tensor((1,) * 9), counts=(1, 0)), "claims 9 dimensions"),
    "kind": (header(tensors=tensor((4, 4), kind=250), counts=(1, 0)), "number type of token_embd"),
    "architecture": (header(), "architecture 'None'"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_ends_in_one_sentence(tmp_path, name):
    written, words = HOSTILE[name]
    file = tmp_path / "model.gguf"
    file.write_bytes(written)
    with pytest.raises(ModelUnavailable) as caught:
        open_model(f"gguf:{file}")
    assert words in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_a_tokenizer_of_very_many_entries_takes_no_memory(tmp_path):
    """A file with a hole of 8 GB, so that all entries it claims are there."""
    file = tmp_path / "model.gguf"
    file.write_bytes(header(array(8, 10**9), counts=(0, 1)))
    with file.open("r+b") as opened:
        opened.truncate(8 * 10**9)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelUnavailable, match="4,000,000 is the limit"):
        read_gguf(file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_a_file_cut_off_anywhere_is_refused(tmp_path):
    whole = write_gguf(make_checkpoint(tmp_path / "c", "llama"), tmp_path / "whole.gguf")
    content = whole.read_bytes()
    file = tmp_path / "cut.gguf"
    for share in (0.001, 0.01, 0.05, 0.1, 0.3, 0.9, 0.999):
        file.write_bytes(content[: int(len(content) * share)])
        with pytest.raises(ModelUnavailable):
            open_model(f"gguf:{file}")


def test_what_is_no_gguf_file_says_what_to_name(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"PK\3\4")
    with pytest.raises(ModelUnavailable, match="does not begin with the letters GGUF"):
        open_model(f"gguf:{tmp_path / 'model.gguf'}")
    with pytest.raises(ModelUnavailable) as caught:
        open_model(f"gguf:{tmp_path / 'none.gguf'}")
    assert "gguf:ollama/NAME" in caught.value.hint


@pytest.mark.parametrize("name", ["my model.GGUF", "blob-without-suffix"])
def test_a_gguf_file_named_as_a_checkpoint_comes_with_the_right_spec(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(b"GGUF\x03\0\0\0")
    with pytest.raises(ModelUnavailable) as caught:
        open_model(str(file))
    assert f"gguf:{file}" in caught.value.hint.replace("'", "")
