"""Files that were made to break a program that reads them, and the scene that holds them."""

from __future__ import annotations

import json
import os
import shutil
import struct
from pathlib import Path

from tests.oracle.scenes import LITTLE, TINY, write_json, write_suite, write_text

HUGE = 10**12
# Each would do something in a page or a terminal that took a model's words for its own.
ATTACKS = (
    "<script>window.attacked = 1</script>",
    "<img src=x onerror='window.attacked = 2'>",
    "\"><iframe srcdoc='<script>parent.attacked = 4</script>'></iframe>",
    "</pre></textarea></title><style>body { display: none }</style>",
    "[click](javascript:window.attacked=6) ![x](http://127.0.0.1:9/leak.png)",
    "{{ 7 * 7 }} {% raw %} ${alert(1)} <%= 1 %>",
    "\u202eesrever\u202c \x1b[2J\x1b]0;owned\x07 \x9b31m \x00 &lt;b&gt; &amp;",
    "| a | b |\n|---|---|\n`````\n# heading\n<!-- x -->",
)


def build_hostile(folder: Path) -> None:
    """Suites, gates, checkpoints, GGUF files, stores and answers that are hostile."""
    _write_suites(folder / "suites")
    _write_gates(folder / "gates")
    _write_checkpoints(folder / "checkpoints")
    _write_gguf(folder / "gguf")
    _write_stores(folder / "stores")
    tests = [
        {
            "id": f"attack_{number:03d}",
            "prompt": f"Say {attack}",
            "eval_method": "exact_match",
            "expected": "nothing",
            "description": attack,
        }
        for number, attack in enumerate(ATTACKS)
    ]
    write_suite(folder / "attacks", {"attacks": tests}, title=ATTACKS[0])
    answers = {f"attack_{number:03d}": attack for number, attack in enumerate(ATTACKS)}
    write_json(folder / "says.json", {"answers": answers})


def _write_suites(folder: Path) -> None:
    good = LITTLE["sums"][0]
    documents: dict[str, object] = {
        "duplicate_ids": [good, good],
        "unknown_field": [{**good, "expcted": "2"}],
        "wrong_types": [{**good, "expected": {"a": 1}, "temperature": "hot", "max_tokens": -5}],
        "path_as_id": [{**good, "id": "../../etc/passwd"}],
        "both": [{**good, "messages": [{"role": "user", "content": "x"}]}],
        "checks_nothing": [{**good, "eval_method": "keywords", "expected_keywords": []}],
        "no_tests": {},
        "escape_in_id": [{**good, "id": "\x1b[31mred"}],
        "schema_bomb": [
            {
                "id": "bomb_001",
                "prompt": "x",
                "eval_method": "format",
                "expected_format": {"json_schema": {"$ref": "http://127.0.0.1:9/x.json"}},
            }
        ],
    }
    for name, document in documents.items():
        write_json(folder / f"{name}.json", document)
    write_text(folder / "deep.json", "[" * 100_000)
    write_text(folder / "number.json", '[{"id": "n_001", "max_tokens": 1e999, "prompt": NaN}]')
    write_text(folder / "twice.json", '[{"id": "a_001", "id": "a_002", "prompt": "x"}]')
    write_text(folder / "cut.json", json.dumps([good])[:-9])
    (folder / "not_text.json").write_bytes(b"[\xff\xfe\x00]")
    (folder / "circle.json").symlink_to(folder / "circle.json")


def _write_gates(folder: Path) -> None:
    texts = {
        "empty": "",
        "unknown_table": "[perplexty]\nmax = 3\n",
        "unknown_key": "[perplexity]\nmaximum = 3\n",
        "not_a_number": "[perplexity]\nmax = nan\n[memory]\nmax_mb = -1\n",
        "wrong_kind": '[generation]\nmax_failures = "none"\nseeds = 1000000\n',
        "suite_twice": '[[suite]]\nname = "os"\nmin = 2\n[[suite]]\nname = "os"\nmin = 0.5\n',
        "not_toml": "perplexity: max: 3\n",
        "outside": '[generation]\nmax_failures = 0\nsamples = "../../../etc/passwd"\n',
    }
    for name, text in texts.items():
        write_text(folder / f"{name}.toml", text)
    write_text(folder / "deep.toml", "a = " + "[" * 50_000)


def _write_checkpoints(folder: Path) -> None:
    good = TINY / "step_008000"

    def copy(name: str) -> Path:
        copied = folder / name
        shutil.copytree(good, copied)
        for file in ("tokenizer.json", "tokenizer_config.json"):
            shutil.copy(TINY / file, copied)
        return copied

    def change(file: Path, **fields: object) -> None:
        document = json.loads(file.read_text("utf-8"))
        document.update(fields)
        file.write_text(json.dumps(document), "utf-8")

    change(copy("remote_code") / "config.json", auto_map={"AutoModelForCausalLM": "m.M"})
    change(copy("enormous") / "config.json", hidden_size=10**9, vocab_size=10**9)
    change(copy("unknown_kind") / "config.json", model_type="\x1b[2Jbert", architectures=["X"])
    looks = "{{ messages.__class__.__mro__ }}"
    change(copy("template") / "tokenizer_config.json", chat_template=looks)
    (copy("cut_weights") / "model.safetensors").write_bytes(struct.pack("<Q", 10**15) + b"{}")
    pickled = copy("pickle")
    (pickled / "model.safetensors").unlink()
    # What a pickle would run: os.system("touch owned").
    (pickled / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")


def _text(words: str) -> bytes:
    return struct.pack("<Q", len(words.encode())) + words.encode()


def _header(fields: bytes, count: int, tensors: bytes = b"", tensor_count: int = 0) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensor_count, count) + fields + tensors


def _write_gguf(folder: Path) -> None:
    tokens = _text("tokenizer.ggml.tokens")
    place = _text("token_embd.weight") + struct.pack("<IQQIQ", 2, 4, 4, 0, HUGE)
    files = {
        "cut": b"GGUF",
        "version": b"GGUF" + struct.pack("<I", 99) + bytes(16),
        "fields": _header(b"", HUGE),
        "entries": _header(tokens + struct.pack("<IIQ", 9, 8, 10**9), 1),
        "lists": _header(tokens + struct.pack("<IIQ", 9, 9, 5), 1),
        "text": _header(_text("a") + struct.pack("<IQ", 8, HUGE), 1),
        "place": _header(b"", 0, place, 1),
        "not_gguf": b"<html>",
    }
    folder.mkdir()
    for name, content in files.items():
        (folder / f"{name}.gguf").write_bytes(content)


def _write_stores(folder: Path) -> None:
    for name in ("garbage", "cut", "folder", "empty"):
        (folder / name).mkdir(parents=True)
    (folder / "garbage" / "assay.db").write_bytes(b"not a store" * 1000)
    (folder / "cut" / "assay.db").write_bytes(b"SQLite format 3\x00" + bytes(84))
    (folder / "folder" / "assay.db").mkdir()
    os.close(os.open(folder / "empty" / "assay.db", os.O_CREAT))
