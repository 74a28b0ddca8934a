"""Files that a judged test shows: `{{FILE}}` in its prompt becomes the file's text.

"orders.csv"                  is beside the category file, or in a folder there
"sales_table:orders.csv"      is made by a generator of `assay.fixtures`, from --data-seed
"sales_table@7:orders.csv"    the same, from this seed whatever the command says
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.files.notes import Notes
from assay.files.places import Path as Place
from assay.files.wording import did_you_mean, shown
from assay.fixtures import GENERATORS, make
from assay.messages import tr
from assay.types import Message

MAX_BYTES = 1_000_000  # no model that Assay is for reads more
_GENERATED = re.compile(r"(?P<generator>[a-z_]+)(?:@(?P<seed>\d{1,9}))?:(?P<file>.+)", re.DOTALL)
_PINNED = re.compile(r"(?P<name>[^@]+)@(?P<seed>\d{1,9})")


@dataclass(frozen=True, slots=True)
class ShownFiles:
    """Texts by the name in the prompt, and the seed that generated ones came from."""

    texts: Mapping[str, str]
    data_seed: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(
            repr((sorted(self.texts.items()), self.data_seed)).encode()
        ).hexdigest()


def pinned(name: str) -> tuple[str, int | None]:
    """`NAME@SEED` to its parts; a name without a seed has None."""
    found = _PINNED.fullmatch(name)
    return (found["name"], int(found["seed"])) if found else (name, None)


def find_files(
    raw: Mapping[str, Any], path: Place, folder: Path | None, data_seed: int, notes: Notes
) -> ShownFiles:
    """Note every file that is not there; the texts of those that are."""
    entries = [(entry, _GENERATED.fullmatch(entry)) for entry in raw.get("fixtures", ())]
    pins = _pins(raw, path, entries, notes)
    seed = pins[0] if pins else data_seed
    texts: dict[str, str] = {}
    for number, (entry, generated) in enumerate(entries):
        place = (*path, "fixtures", number)
        if generated is None:
            text = _beside(entry, place, folder, _shows(raw, entry), notes)
            name = entry
        else:
            name = generated["file"]
            text = _made(generated["generator"], name, seed, place, notes)
            # A test that was written out shows the text itself, and its seed is pinned.
            if text is not None and not pins and not _shows(raw, name):
                notes.error(
                    place,
                    tr("the prompt never shows it; write {hole} there", hole=_hole(name)),
                )
        if text is not None:
            texts[name] = text
    return ShownFiles(texts, seed)


def _pins(
    raw: Mapping[str, Any],
    path: Place,
    entries: Sequence[tuple[str, re.Match[str] | None]],
    notes: Notes,
) -> list[int]:
    """The seed that a test is bound to, alone in a list; empty where it takes any. Files and facts
    are made from one seed, or an answer would be compared with what it was not shown.
    """
    examiner, seed = pinned(str(raw.get("evidence") or ""))
    if examiner and examiner not in GENERATORS:
        problem = tr("there is no evidence '{name}', so nothing is run or computed",
                     name=shown(examiner))  # fmt: skip
        notes.warning((*path, "evidence"), did_you_mean(problem, examiner, GENERATORS))
    own = [int(found["seed"]) for _, found in entries if found and found["seed"] is not None]
    pins = sorted({*own, *([] if seed is None else [seed])})
    if len(pins) > 1:
        message = tr("the files of a test come from one seed, not from {seeds}",
                     seeds=", ".join(map(str, pins)))  # fmt: skip
        notes.error((*path, "fixtures"), message)
    return pins


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


def _made(generator: str, name: str, seed: int, place: Place, notes: Notes) -> str | None:
    if generator not in GENERATORS:
        problem = tr("there is no generator '{name}'", name=shown(generator))
        notes.error(place, did_you_mean(problem, generator, GENERATORS))
        return None
    files = make(generator, seed).files
    if name not in files:
        notes.error(
            place,
            tr("'{generator}' makes no '{name}', only {files}", generator=generator,
               name=shown(name), files=", ".join(files)),
        )  # fmt: skip
        return None
    return files[name]


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
