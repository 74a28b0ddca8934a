"""Whether a tokenizer's files have token ids that the model does not know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.files import read_object, read_text
from assay.models.local.folder import TOKENIZER_BYTES, Checkpoint


def check_vocabulary(checkpoint: Checkpoint, vocabulary: int) -> None:
    check_highest(checkpoint, highest_token_id(checkpoint.tokenizer_folder), vocabulary)


def check_highest(checkpoint: Checkpoint, highest: int | None, vocabulary: int) -> None:
    """The same for an id that is known. A loaded tokenizer may have more than its files: special
    tokens that its settings name and its vocabulary lacks get ids behind all others.
    """
    if highest is None or highest < vocabulary:
        return
    raise ModelUnavailable(
        tr("the tokenizer in {folder} has token ids up to {highest}, but the model in {path} "
           "knows only {count} tokens (0 to {last})", folder=checkpoint.tokenizer_folder,
           highest=highest, path=checkpoint.path, count=vocabulary, last=vocabulary - 1),
        hint=tr("name the tokenizer the model was trained with: --tokenizer DIR; if tokens were "
                "added to it later, call resize_token_embeddings() and save the model again"),
    )  # fmt: skip


def highest_token_id(folder: Path) -> int | None:
    """Added tokens included; None where the files do not tell without loading them."""
    file = folder / "tokenizer.json"
    if file.is_file():
        return max(_ids_of(read_object(file, TOKENIZER_BYTES)), default=None)
    found: list[int] = []
    if (folder / "vocab.txt").is_file():
        lines = read_text(folder / "vocab.txt", TOKENIZER_BYTES).removesuffix("\n").split("\n")
        found.append(len(lines) - 1)
    for name in ("vocab.json", "added_tokens.json"):
        if (folder / name).is_file():
            found += _numbers(read_object(folder / name, TOKENIZER_BYTES).values())
    return max(found, default=None)


def _ids_of(document: dict[str, Any]) -> Iterator[int]:
    model = document.get("model")
    tokens = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(tokens, dict):
        yield from _numbers(tokens.values())
    elif isinstance(tokens, list):  # Unigram: a token's place is its id
        yield len(tokens) - 1
    added = document.get("added_tokens")
    if isinstance(added, list):
        yield from _numbers(each.get("id") for each in added if isinstance(each, dict))


def _numbers(values: Iterable[object]) -> Iterator[int]:
    return (one for one in values if isinstance(one, int) and not isinstance(one, bool))
