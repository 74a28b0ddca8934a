"""Whether a loaded tokenizer splits text as its tokenizer.json says, and how to see that it does.

transformers 5 rebuilds some tokenizers from their class and takes only vocabulary and merges from
the file: a Llama whose settings name GPT2Tokenizer, with a split at digits in its file, loses that
split without a word (allenai/open-instruct#1896, generative-computing/mellea#947). A model saved
together with its file was trained with what the file says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.models.local.folder import TOKENIZER_BYTES, read_object

_SPLITTING = ("normalizer", "pre_tokenizer")
# The first follows the settings beside the file, the second changes no token.
_OF_NO_ACCOUNT = {"add_prefix_space", "trim_offsets"}


def follow_file(rust: Any, folder: Path) -> bool:
    """Give a byte-level tokenizer the parts its file describes, where it has others."""
    file = folder / "tokenizer.json"
    if not file.is_file():
        return False
    written = read_object(file, TOKENIZER_BYTES)
    wanted = {name: written.get(name) for name in _SPLITTING}
    if not _is_byte_level(wanted["pre_tokenizer"]):
        return False
    loaded = {name: describe_part(getattr(rust, name)) for name in _SPLITTING}
    if _telling(wanted) == _telling(loaded):
        return False
    parts = _built(wanted)
    rust.normalizer, rust.pre_tokenizer = parts.normalizer, parts.pre_tokenizer
    return True


def _is_byte_level(pre_tokenizer: object) -> bool:
    if not isinstance(pre_tokenizer, Mapping):
        return False
    steps = pre_tokenizer.get("pretokenizers") or [pre_tokenizer]
    return isinstance(steps, list) and any(
        isinstance(step, Mapping) and step.get("type") == "ByteLevel" for step in steps
    )


def describe_part(part: Any) -> Any:
    """A part of a loaded tokenizer, as tokenizer.json has it."""
    return None if part is None else json.loads(part.__getstate__())


def _telling(part: object) -> object:
    """Without what a comparison should not see."""
    if isinstance(part, Mapping):
        return {key: _telling(part[key]) for key in part if key not in _OF_NO_ACCOUNT}
    if isinstance(part, list):
        return [_telling(each) for each in part]
    return part


def _built(parts: Mapping[str, object]) -> Any:
    from tokenizers import Tokenizer

    empty = {"model": {"type": "BPE", "vocab": {}, "merges": []}, "added_tokens": []}
    return Tokenizer.from_str(json.dumps({"version": "1.0", **empty, **parts}))
