"""Where GGUF files lie: in a folder, in LM Studio's store and in Ollama's, where a manifest names
the file of a model.

OLLAMA_MODELS and LMSTUDIO_MODELS name another folder than the usual ones.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from assay.errors import AssayError, ModelUnavailable
from assay.machine import installed_version
from assay.messages import tr
from assay.models.local.folder import CONFIG_BYTES, read_object
from assay.models.local.gguf.families import FAMILIES
from assay.models.local.gguf.header import INSTALL, is_gguf, read_beginning
from assay.text.safe_text import one_line
from assay.types.inventory import FileFound, FileStore

MOST_FILES = 100  # that are looked into
MOST_ENTRIES = 2_000  # of one folder
LEVELS = {"folder": 1, "LM Studio": 3}  # of subfolders: PUBLISHER/MODEL/FILE.gguf
NO_MODELS = frozenset({"clip", "mmproj"})  # eyes and ears of a model, in files beside it
_PACKAGES = ("torch", "transformers", "gguf")
_NUMBERS = re.compile(
    r"(?<![A-Z0-9])(IQ\d\w*|T?Q\d\w*|MXFP4|BF16|F16|F32|FP16|FP32)", re.IGNORECASE
)
_PART = re.compile(r"-(\d{5})-of-\d{5}$")

_WEIGHTS = "application/vnd.ollama.image.model"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_BLOB = re.compile(r"sha256-([0-9a-f]{64})")
_LIBRARY = ("registry.ollama.ai", "library")
# Where the service of Linux packages keeps its models; a Mac's are the user's own.
_OF_SERVICE = ("/usr/share/ollama/.ollama/models", "/var/lib/ollama/.ollama/models")
_OF_LM_STUDIO = (".lmstudio/models", ".cache/lm-studio/models")


def find_files(folder: Path) -> tuple[FileFound, ...]:
    """Those of a folder first, then those of the stores; each file once."""
    lacking = any(installed_version(package) is None for package in _PACKAGES)
    needs = tr("needs: {command}", command=INSTALL) if lacking else ""
    found: dict[str, FileFound] = {}
    for path, store, name in islice(_everywhere(folder), MOST_FILES):
        with suppress(OSError):
            real = os.path.realpath(path)
            if real not in found and (one := _found(path, store, name, needs)):
                found[real] = one
    return tuple(found.values())


def _everywhere(folder: Path) -> Iterator[tuple[Path, FileStore, str]]:
    """Each file, and what `gguf:` calls it."""
    for path in _files_below(folder, LEVELS["folder"]):
        yield path, "folder", str(path)
    for store in _lm_studio_stores():
        for path in _files_below(store, LEVELS["LM Studio"]):
            yield path, "LM Studio", str(path)
    for store in _ollama_stores():
        for name, manifest in _models_in(store):
            if blob := _blob_of(store, manifest):
                yield blob, "Ollama", f"ollama/{name}"


def _files_below(folder: Path, levels: int) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            listed = sorted(islice(entries, MOST_ENTRIES), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in listed:
        if entry.name.lower().endswith(".gguf") and entry.is_file():
            yield folder / entry.name
    for entry in listed:
        if levels and entry.name[0] != "." and entry.is_dir(follow_symlinks=False):
            yield from _files_below(folder / entry.name, levels - 1)


def _found(path: Path, store: FileStore, name: str, needs: str) -> FileFound | None:
    """None for what is no model, or a later part of one."""
    part = _PART.search(path.stem)
    if not name.isprintable() or not is_gguf(path) or (part and part[1] != "00001"):
        return None
    blob = _BLOB.fullmatch(path.name)
    try:
        fields, why_not = read_beginning(path), needs
    except AssayError as error:
        fields, why_not = {}, error.message
    architecture = _text(fields, "general.architecture")
    if architecture in NO_MODELS or _text(fields, "general.type") in NO_MODELS:
        return None
    if architecture and architecture not in FAMILIES:
        why_not = tr("architecture {name}: serve it with llama-server", name=architecture)
    elif part:
        why_not = tr("one of several parts: put them together with llama-gguf-split")
    context = fields.get(f"{architecture}.context_length")
    numbers = _NUMBERS.findall(name.rpartition("/")[2])
    return FileFound(
        name=os.path.relpath(name) if store == "folder" else name,
        spec=f"gguf:{name}",
        path=str(path),
        store=store,
        size_bytes=path.stat().st_size,
        architecture=architecture,
        quantisation=numbers[-1].upper() if numbers else "",
        parameters=_text(fields, "general.size_label"),
        context=context if isinstance(context, int) else None,
        digest=f"sha256:{blob[1]}" if blob else "",
        why_not=why_not,
    )


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return one_line(value, longest=40) if isinstance(value, str) else ""


def _lm_studio_stores() -> Iterator[Path]:
    """Where it was told to keep everything elsewhere, it leaves the name of that folder."""
    if told := os.environ.get("LMSTUDIO_MODELS", "").strip():
        yield Path(told)
        return
    with suppress(OSError, UnicodeDecodeError):
        told = (Path.home() / ".lmstudio-home-pointer").read_text("utf-8").strip()
        if told and told.isprintable():
            yield Path(told) / "models"
    for usual in _OF_LM_STUDIO:
        yield Path.home() / usual


def _models_in(store: Path) -> Iterator[tuple[str, Path]]:
    """`NAME:TAG` as a user would write it, and its manifest."""
    manifests = store / "manifests"
    for path in sorted(islice(manifests.glob("*/*/*/*"), MOST_ENTRIES)):
        host, owner, name, tag = path.relative_to(manifests).parts
        before: tuple[str, ...] = (host, owner)
        if before == _LIBRARY:
            before = ()
        elif host == _LIBRARY[0]:
            before = (owner,)
        if tag[0] != ".":
            yield "/".join((*before, f"{name}:{tag}")), path


def _blob_of(store: Path, manifest: Path) -> Path | None:
    """The weights that a manifest names; None where they are not here."""
    try:
        layers = read_object(manifest, CONFIG_BYTES).get("layers")
    except AssayError:
        return None
    for layer in layers if isinstance(layers, list) else ():
        if isinstance(layer, dict) and layer.get("mediaType") == _WEIGHTS:
            digest = str(layer.get("digest"))
            blob = store / "blobs" / digest.replace(":", "-")
            if _DIGEST.fullmatch(digest) and blob.is_file():
                return blob
    return None


def find_blob(name: str) -> Path:
    """The file of `NAME[:TAG]`, through the manifest Ollama keeps of it."""
    model, _, tag = name.partition(":")
    parts = (*(("library",) if "/" not in model else ()), *model.split("/"), tag or "latest")
    if not all(re.fullmatch(r"[\w.-]+", part) and part.strip(".") for part in parts):
        raise _no_model(name, ())
    host = () if len(parts) > 3 else _LIBRARY[:1]
    looked = [*_ollama_stores()]
    for store in looked:
        manifest = store.joinpath("manifests", *host, *parts)
        if manifest.is_file():
            if blob := _blob_of(store, manifest):
                return blob
            raise ModelUnavailable(
                tr("{manifest} names no weights that are here", manifest=manifest),
                hint=tr("fetch the model again: ollama pull {name}", name=name),
            )
    raise _no_model(name, looked)


def _ollama_stores() -> Iterator[Path]:
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
