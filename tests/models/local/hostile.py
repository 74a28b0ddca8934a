"""Checkpoints that mean harm, or fit nothing, and what is said of each.

`python -m tests.models.local.hostile` opens each in a process of its own and prints the table of
docs/decisions: the sentence, the peak memory of that process and of the one that it started.
"""

from __future__ import annotations

import os
import resource
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from assay.errors import AssayError
from assay.models.local.model import LocalModel
from assay.types.options import LocalOptions
from tests.models.local.checkpoints import CHAT_TEMPLATE, edit_json, make_checkpoint, save_tokenizer

Spoil = Callable[[Path], object]


def _template(folder: Path, text: str) -> None:
    (folder / "chat_template.jinja").write_text(text, "utf-8")


def _tokenizer(folder: Path, **parts: Any) -> None:
    edit_json(folder / "tokenizer.json", lambda document: document.update(parts))


def _replace(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def _all_unknown(folder: Path) -> None:
    words = {
        "<|endoftext|>": 0,
        "[UNK]": 1,
        **{f"word{number}": number for number in range(2, 384)},
    }
    model = {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}
    _tokenizer(folder, model=model, pre_tokenizer={"type": "Whitespace"}, decoder=None)


def _config(folder: Path, **about: Any) -> None:
    edit_json(folder / "config.json", lambda document: document.update(about))


DOUBLING = {
    "type": "Sequence",
    "normalizers": [_replace({"String": "a"}, "aa") for _ in range(9)],
}
GROWING = (
    "{% set ns = namespace(x='a' * 1000) %}{% for i in range(60) %}"
    "{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}"
)
LOOPS = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
FLOOD = "{% for i in range(99999) %}{{ 'a' * 1000 }}{% endfor %}"
MACRO = "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}"
NAME = "\x1b]0;owned\x07\x1b[2J" + "Bert" * 50

# What it is, how it is made of a good checkpoint, and a part of what is said.
HOSTILE: dict[str, tuple[Spoil, str]] = {
    "template `{{ 'a'*(10**10) }}`": (
        partial(_template, text="{{ 'a'*(10**10) }}"), "too much memory"),
    "template with two nested loops of 99,999": (
        partial(_template, text=LOOPS), "takes more than"),
    "template that doubles a text 60 times": (
        partial(_template, text=GROWING), "too much memory"),
    "template that writes 100 MB": (
        partial(_template, text=FLOOD), "writes more than 4,000,000 characters"),
    "template whose macro calls itself": (
        partial(_template, text=MACRO), "maximum recursion depth"),
    "template that looks into Python": (
        partial(_template, text="{{ messages.__class__.__mro__ }}"), "unsafe"),
    "normaliser that doubles every a, 9 times": (
        partial(_tokenizer, normalizer=DOUBLING), "times as long"),
    "normaliser that puts 10,000 letters between any two": (
        partial(_tokenizer, normalizer=_replace({"Regex": ""}, "x" * 10_000)), "times as long"),
    "normaliser that puts a million letters before a text": (
        partial(_tokenizer, normalizer={"type": "Prepend", "prepend": "x" * 10**6}), "tokens of"),
    "pattern `(a|aa)+$` that tries every split": (
        partial(_tokenizer, normalizer=_replace({"Regex": "(a|aa)+$"}, "b")),
        "cannot be loaded"),
    "tokenizer that panics (pieces of length 0)": (
        partial(_tokenizer, pre_tokenizer={"type": "FixedLength", "length": 0}),
        "chunk size must be non-zero"),
    "tokenizer of a larger model": (
        lambda folder: save_tokenizer(folder, vocabulary=400), "up to 399.*knows only 384 tokens"),
    "tokenizer of a smaller model": (
        lambda folder: make_checkpoint(folder, vocab_size=4_000), "has 384 tokens.* has 4000"),
    "tokenizer that lost a part of its tokens": (
        lambda folder: make_checkpoint(folder, vocab_size=520), "has 384 tokens.* has 520"),
    "normaliser that deletes all signs but full stops and commas": (
        partial(_tokenizer, normalizer=_replace({"Regex": "[^a-zA-Z0-9 .,]"}, "")),
        r"384 tokens; the model .* has 384.*loses 17 of the 218 char"),
    "tokenizer that knows no word": (_all_unknown, r"384 tokens; the model .* has 384.*give back"),
    "architecture that is an escape code": (
        partial(_config, architectures=[NAME]), r"architecture is \['\\x1b"),
    "kind that is an escape code": (partial(_config, model_type=NAME), r"\\x1b|model type"),
}  # fmt: skip


def said_of(folder: Path) -> str:
    """The refusal, or nothing where the checkpoint opens."""
    model: LocalModel | None = None
    try:
        model = LocalModel(folder, spec=str(folder), settings=LocalOptions(device="cpu"))
        model.probe()
    except AssayError as error:
        return error.message
    finally:
        if model:
            model.close()
    return ""


def main() -> None:
    print("| checkpoint | what is said | memory | of the guest |", "|---|---|---|---|", sep="\n")
    good = {"a good one": (lambda folder: folder, ""), "a good chat model": (
        partial(_template, text=CHAT_TEMPLATE), "")}  # fmt: skip
    for name, (spoil, _) in (good | HOSTILE).items():
        with tempfile.TemporaryDirectory() as place:
            folder = make_checkpoint(Path(place) / "step_100")
            spoil(folder)
            child = os.fork()
            if not child:
                _print_row(name, folder)
                os._exit(0)
            os.wait4(child, 0)


def _print_row(name: str, folder: Path) -> None:
    peaks, done = [0], threading.Event()

    def watch() -> None:
        """The peak of each child. What getrusage says of one counts its parent, which it was."""
        while not done.wait(0.005):
            for child in psutil.Process().children():
                with suppress(OSError):
                    lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
                    found = [line.split()[1] for line in lines if line.startswith("VmHWM")]
                    peaks.extend(int(each) // 1024 for each in found)

    watching = threading.Thread(target=watch)
    watching.start()
    said = said_of(folder).replace(str(folder), "step_100").replace("|", "\\|")
    done.set()
    watching.join()
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"| {name} | {said or 'opens'} | {own} MB | {max(peaks)} MB |", flush=True)


if __name__ == "__main__":
    main()
