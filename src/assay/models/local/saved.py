"""A model that a program has loaded already, to a folder that is opened like any checkpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.models.local.loaded import name_of, split_loaded, tokenizer_of


@dataclass(frozen=True, slots=True)
class SavedModel:
    """`device`: where the program has it."""

    path: Path
    device: str


@contextmanager
def saved_model(given: Any) -> Iterator[SavedModel]:
    """A model, or the pair of it and its tokenizer, with the weights that it has now. The tokenizer
    of a model alone is that of the folder, or of the hub's cache, that it was loaded from.
    """
    model, tokenizer = split_loaded(given)
    if tokenizer is None:
        tokenizer = tokenizer_of(model)
    with TemporaryDirectory(prefix="assay-") as folder:
        path = Path(folder, "loaded", Path(name_of(model)).name or "model")
        model.save_pretrained(path)
        tokenizer.save_pretrained(path)
        yield SavedModel(path, str(getattr(model, "device", "cpu")))
