"""What a served model takes: weights and cache, and what its server's process has resident."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import assay
from assay import api
from assay.api.rendering import render
from assay.machine import gpu_memory
from assay.models.http.served_memory import cache_bytes
from tests.servers.llama_cpp import llama_cpp_server

UINT32, STRING, ARRAY = 4, 8, 9
LLAMA = {
    "general.architecture": "llama",
    "llama.block_count": 4,
    "llama.embedding_length": 256,
    "llama.attention.head_count": 8,
}
WEIGHTS = 1_040_128  # as llama.cpp counts those of stories260K
CACHE = 655_360  # "KV buffer size = 0.62 MiB" of its log: two slots of 512 tokens


def header(file: Path, fields: dict[str, object]) -> Path:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    def value_of(value: object) -> bytes:
        if isinstance(value, str):
            return struct.pack("<I", STRING) + text(value)
        if isinstance(value, list):
            numbers = struct.pack(f"<{len(value)}I", *value)
            return struct.pack("<IIQ", ARRAY, UINT32, len(value)) + numbers
        return struct.pack("<II", UINT32, value)

    told = b"".join(text(name) + value_of(value) for name, value in fields.items())
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(fields)) + told)
    return file


@pytest.mark.parametrize(
    ("more", "layers_times_heads", "of_a_head"),
    [
        ({}, 4 * 8, 2 * 32),
        ({"llama.attention.head_count_kv": 2}, 4 * 2, 2 * 32),
        ({"llama.attention.head_count_kv": [2, 2, 4, 0]}, 8, 2 * 32),
        ({"llama.attention.key_length": 64, "llama.attention.value_length": 16}, 4 * 8, 64 + 16),
    ],
    ids=["a key for each head", "heads that share keys", "layers that differ", "lengths told"],
)
def test_a_cache_has_keys_and_values_of_every_token_and_layer(
    tmp_path: Path, more: dict[str, object], layers_times_heads: int, of_a_head: int
):
    file = header(tmp_path / "a.gguf", LLAMA | more)
    assert cache_bytes(file, 1000) == 1000 * layers_times_heads * of_a_head * 2


@pytest.mark.parametrize(
    "more",
    [
        {"llama.ssm.state_size": 16},
        {"llama.attention.kv_lora_rank": 512},
        {"llama.attention.head_count": 0},
        {"llama.block_count": "four"},
        {"llama.attention.head_count_kv": "two"},
    ],
    ids=["a state", "compressed keys", "no heads", "a word for layers", "a word for heads"],
)
def test_a_cache_of_another_kind_is_not_known(tmp_path: Path, more: dict[str, object]):
    assert cache_bytes(header(tmp_path / "a.gguf", LLAMA | more), 1000) is None
    (tmp_path / "b.gguf").write_bytes(b"GGUF and no more")
    assert cache_bytes(tmp_path / "b.gguf", 1000) is None


@pytest.fixture(scope="module")
def file(shared: Path) -> Path:
    return shared / "models" / "stories260K" / "gguf" / "stories260K-f32.gguf"


def test_a_real_server_takes_weights_and_the_cache_of_its_slots(file: Path, tmp_path: Path):
    suite = tmp_path / "one"
    suite.mkdir()
    (suite / "t.json").write_text(
        '[{"id": "t_001", "prompt": "Tim had a", "eval_method": "exact_match", "expected": "x",'
        ' "max_tokens": 4}]'
    )
    out = tmp_path / "out"
    with llama_cpp_server(file) as port:
        url = f"http://127.0.0.1:{port}/v1"
        (model,) = assay.run(url, suites=str(suite), out=out).models
        measured = api.speed([url], context="0", repeats=1, out=out)
    seen = model.observed
    assert (seen.weights_bytes, seen.cache_bytes) == (WEIGHTS, CACHE)
    assert seen.memory_bytes == WEIGHTS + CACHE
    if gpu_memory() is None:
        assert seen.resident_bytes > seen.memory_bytes, "the program itself is resident too"
    (depth,) = measured.models[0].depths
    assert depth.memory.value == pytest.approx((WEIGHTS + CACHE) / 1e6)
    page = render(measured, "md")
    assert "memory: weights 1,016 KiB, cache 640 KiB" in page
    board = assay.leaderboard(out=out, max_memory="2MB")
    (row,) = board.suites[0].rows
    assert row.footprint.memory.value == depth.memory.value, "and not what is resident"


def test_of_a_server_elsewhere_the_file_is_not_read(file: Path):
    from assay.models.openai.props import ServerProps, memory_behind

    props = ServerProps(file=str(file), context=512, slots=2)
    seen = memory_behind(props, "http://192.0.2.7:8080/v1", WEIGHTS)
    assert (seen.weights_bytes, seen.cache_bytes, seen.memory_bytes) == (WEIGHTS, None, None)
