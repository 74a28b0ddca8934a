"""A path to a Checkpoint: a folder, or a GGUF file."""

from pathlib import Path

from assay.errors import AssayError, raise_all, tried
from assay.models.local.folder import (
    CONFIG_BYTES,
    Checkpoint,
    chat_template_of,
    find_tokenizer,
    read_config,
    read_object,
    refuse_others,
    weight_files_of,
)
from assay.models.local.gguf.header import is_gguf
from assay.models.local.gguf.place import checkpoint_in


def find_checkpoint(
    path: Path, *, tokenizer: Path | None = None, trust_remote_code: bool = False
) -> Checkpoint:
    """A folder, or a GGUF file. Raises ModelUnavailable with the remedy, for all mistakes."""
    if path.is_file() and is_gguf(path):
        return checkpoint_in(path, tokenizer)
    refuse_others(path)
    mistakes: list[AssayError] = []
    own = path / "generation_config.json"
    config = tried(mistakes, read_config, path / "config.json", trust_remote_code)
    generation = tried(mistakes, read_object, own, CONFIG_BYTES) if own.exists() else [{}]
    files = tried(mistakes, weight_files_of, path)
    folder = tried(mistakes, find_tokenizer, path, tokenizer) or [path]
    template = tried(mistakes, chat_template_of, folder[0])
    raise_all(mistakes)
    return Checkpoint(
        path=path,
        config=config[0],
        weight_files=files[0],
        tokenizer_folder=folder[0],
        chat_template=template[0],
        generation=generation[0],
        trust_remote_code=trust_remote_code,
    )
