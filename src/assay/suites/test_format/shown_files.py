"""Files that a judged test shows: `{{FILE}}` in its prompt becomes the file's text.

They are beside the category file, or in a folder there; in a test folder, make.py may give more.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.files.notes import Notes
from assay.files.places import Path as Place
from assay.files.wording import shown
from assay.messages import tr
from assay.types import Message

MAX_BYTES = 1_000_000  # no model that Assay is for reads more


def digest_files(texts: Mapping[str, str], data_seed: int) -> str:
    return hashlib.sha256(repr((sorted(texts.items()), data_seed)).encode()).hexdigest()


def find_files(
    raw: Mapping[str, Any], path: Place, folder: Path | None, notes: Notes
) -> dict[str, str]:
    """Note every file that is not there; the texts of those that are, by name."""
    if raw.get("evidence"):
        message = tr("'evidence' does nothing any more: a test folder brings its own checker")
        notes.warning((*path, "evidence"), message)
    texts: dict[str, str] = {}
    for number, name in enumerate(raw.get("fixtures", ())):
        place = (*path, "fixtures", number)
        if text := _beside(name, place, folder, _shows(raw, name), notes):
            texts[name] = text
    return texts


def with_files(messages: tuple[Message, ...], texts: Mapping[str, str]) -> tuple[Message, ...]:
    """The turns with the files in them; put in once, so that no text can name another."""
    if not texts:
        return messages
    names = "|".join(re.escape(name) for name in sorted(texts, key=len, reverse=True))
    holes = re.compile(r"\{\{(" + names + r")\}\}")
    return tuple(
        replace(turn, content=holes.sub(lambda hole: texts[hole[1]].rstrip("\n"), turn.content))
        for turn in messages
    )


def _hole(name: str) -> str:
    return "{{" + name + "}}"


def _shows(raw: Mapping[str, Any], name: str) -> bool:
    hole = _hole(name)
    return hole in str(raw.get("prompt", "")) or hole in str(raw.get("messages", ""))


def _beside(
    name: str, place: Place, folder: Path | None, is_shown: bool, notes: Notes
) -> str | None:
    """A file of the suite's own. One that the prompt does not show is only worth a warning."""
    problem, text = _read(name, folder)
    if problem and is_shown:
        notes.error(place, problem)
    elif problem or not is_shown:
        message = tr("the model is not shown '{name}': the prompt does not contain {hole}",
                     name=shown(name), hole=shown(_hole(name)))  # fmt: skip
        notes.warning(place, message)
    return text if is_shown else None


def read_beside(name: str, folder: Path) -> str:
    """The text of a file of the suite's own; nothing where it is gone."""
    return _read(name, folder)[1] or ""


def _read(name: str, folder: Path | None) -> tuple[str, str | None]:
    if folder is None or Path(name).is_absolute() or "\0" in name:
        return tr("'{name}' must be a file beside the tests", name=shown(name)), None
    try:
        home = folder.resolve()
        file = (home / name).resolve()
        if not file.is_relative_to(home):
            return tr("'{name}' leads out of the folder of the tests", name=shown(name)), None
        if not file.is_file():
            return tr("there is no file '{name}' beside the tests", name=shown(name)), None
        if file.stat().st_size > MAX_BYTES:
            return tr("'{name}' is larger than 1 MB", name=shown(name)), None
        return "", file.read_text("utf-8")
    except UnicodeDecodeError:
        return tr("'{name}' is not UTF-8 text", name=shown(name)), None
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return tr("'{name}' cannot be read: {why}", name=shown(name), why=why), None
