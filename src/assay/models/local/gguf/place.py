"""A GGUF file as a Checkpoint, and the file of a local Ollama model."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from assay.errors import ModelUnavailable
from assay.messages import tr
from assay.models.local.folder import (
    CONFIG_BYTES,
    Checkpoint,
    chat_template_of,
    find_tokenizer,
    read_object,
)
from assay.models.local.gguf.families import config_in, family_of
from assay.models.local.gguf.header import read_gguf
from assay.models.local.gguf.vocabulary import special_ids, unpack_tokenizer
from assay.text.safe_text import one_line

_WEIGHTS = "application/vnd.ollama.image.model"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# Where the service of Linux packages keeps its models; a Mac's are the user's own.
_OF_SERVICE = ("/usr/share/ollama/.ollama/models", "/var/lib/ollama/.ollama/models")


def checkpoint_in(path: Path, tokenizer: Path | None = None) -> Checkpoint:
    header = read_gguf(path)
    family_of(header)
    folder = find_tokenizer(path, tokenizer) if tokenizer else unpack_tokenizer(header)
    ids = special_ids(header)
    return Checkpoint(
        path=path,
        config=config_in(header, ids),
        weight_files=(path,),
        tokenizer_folder=folder,
        chat_template=chat_template_of(folder),
        generation=ids,
        is_gguf=True,
    )


def find_blob(name: str) -> Path:
    """The file of `NAME[:TAG]`, through the manifest Ollama keeps of it."""
    model, _, tag = name.partition(":")
    parts = (*(("library",) if "/" not in model else ()), *model.split("/"), tag or "latest")
    if not all(re.fullmatch(r"[\w.-]+", part) and part.strip(".") for part in parts):
        raise _no_model(name, ())
    host = () if len(parts) > 3 else ("registry.ollama.ai",)
    looked = [*_stores()]
    for store in looked:
        manifest = store.joinpath("manifests", *host, *parts)
        if manifest.is_file():
            layers = read_object(manifest, CONFIG_BYTES).get("layers")
            for layer in layers if isinstance(layers, list) else ():
                if isinstance(layer, dict) and layer.get("mediaType") == _WEIGHTS:
                    digest = str(layer.get("digest"))
                    blob = store / "blobs" / digest.replace(":", "-")
                    if _DIGEST.fullmatch(digest) and blob.is_file():
                        return blob
            raise ModelUnavailable(
                tr("{manifest} names no weights that are here", manifest=manifest),
                hint=tr("fetch the model again: ollama pull {name}", name=name),
            )
    raise _no_model(name, looked)


def _stores() -> Iterator[Path]:
    told = os.environ.get("OLLAMA_MODELS", "").strip()
    if told:
        yield Path(told)
        return
    yield Path.home() / ".ollama" / "models"
    yield from map(Path, _OF_SERVICE)


def _no_model(name: str, looked: tuple[Path, ...] | list[Path]) -> ModelUnavailable:
    return ModelUnavailable(
        tr("Ollama has no model {name!r} here (looked in {places})",
           name=one_line(name, longest=80), places=", ".join(map(str, looked)) or "-"),
        hint=tr("`ollama list` shows the names; where its models lie elsewhere, set OLLAMA_MODELS"),
    )  # fmt: skip
