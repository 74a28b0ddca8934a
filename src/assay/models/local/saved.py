"""A model that a program has loaded already, to a folder that is opened like any checkpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from assay.errors import AssayError, ModelUnavailable, UsageError
from assay.messages import tr
from assay.models.local.folder import find_tokenizer


@dataclass(frozen=True, slots=True)
class SavedModel:
    """`device`: where the program has it; `beside`: a folder that goes with it."""

    path: Path
    device: str
    beside: Path


def is_loaded(given: object) -> bool:
    """Whether it is a model of transformers, alone or with its tokenizer, and not a name."""
    model = given[0] if isinstance(given, tuple) and len(given) == 2 else given
    return hasattr(model, "save_pretrained") and hasattr(model, "config")


@contextmanager
def saved_model(given: Any) -> Iterator[SavedModel]:
    """A model, or the pair of it and its tokenizer, with the weights that it has now. The tokenizer
    of a model alone is that of the folder, or of the hub's cache, that it was loaded from.
    """
    model, tokenizer = given if isinstance(given, tuple) else (given, None)
    if tokenizer is None:
        tokenizer = _tokenizer_of(model)
    with TemporaryDirectory(prefix="assay-") as folder:
        path = Path(folder, "loaded", Path(_name_of(model)).name or "model")
        model.save_pretrained(path)
        tokenizer.save_pretrained(path)
        yield SavedModel(path, str(getattr(model, "device", "cpu")), Path(folder))


def _name_of(model: Any) -> str:
    return str(getattr(model, "name_or_path", "") or "")


def _tokenizer_of(model: Any) -> Any:
    from transformers import AutoTokenizer

    name = _name_of(model)
    hint = tr("give the pair (model, tokenizer)")
    if not name:
        raise UsageError(tr("the loaded model does not say where its tokenizer is"), hint=hint)
    auto: Any = AutoTokenizer
    try:
        found = str(find_tokenizer(Path(name))) if Path(name).is_dir() else name
        return auto.from_pretrained(found, local_files_only=True)
    except (AssayError, OSError, ValueError) as error:
        raise ModelUnavailable(
            tr("there is no tokenizer of the loaded model at '{path}'", path=name), hint=hint
        ) from error
