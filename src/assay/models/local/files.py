"""Small files of a checkpoint, JSON and text that others wrote; mistakes name the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.errors import ModelUnavailable
from assay.messages import tr


def read_object(path: Path, most_bytes: int) -> dict[str, Any]:
    text = read_text(path, most_bytes)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = tr("it is nested too deeply") if isinstance(error, RecursionError) else str(error)
        raise _invalid(path, why) from error
    if not isinstance(document, dict):
        raise _invalid(path, tr("it must be a JSON object"))
    return document


def read_text(path: Path, most_bytes: int) -> str:
    try:
        if not path.is_file():
            raise _invalid(path, tr("it is not a file"))
        with path.open("rb") as file:
            raw = file.read(most_bytes + 1)
    except OSError as error:
        raise _invalid(path, error.strerror or str(error)) from error
    if len(raw) > most_bytes:
        raise _invalid(path, tr("it has more than {count} MB", count=most_bytes // 2**20))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _invalid(path, tr("it is not UTF-8 text")) from error


def _invalid(path: Path, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        tr("{path} cannot be used: {why}", path=path, why=why),
        hint=tr("copy the file again from where the model was trained"),
    )
