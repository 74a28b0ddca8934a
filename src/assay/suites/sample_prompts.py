"""The sample prompts of the generation check: a JSON file to SamplePrompts.

A file is a list of objects with `id`, `prompt`, `subject` and `ticks`. A subject is a list whose
items are words or lists of alternatives. A tick has a `name`, a `kind`, and for `words` the field
`words`, for `commands` and `sequence` the field `commands`, both written as in test files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Len

from assay.files.fields import Form, Mistake, Rule, SomePhrases, Text
from assay.files.file_text import Refused, shown_path
from assay.files.json_file import ID_FORM, JsonFile, read_json
from assay.files.notes import Notes, invalid_files
from assay.files.validation import Validator
from assay.files.wording import described
from assay.messages import tr
from assay.types.samples import SampleCheck, SampleCheckKind, SamplePrompt

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "samples.json"

_FIELD_OF_KIND: Mapping[str, str] = {
    "words": "words",
    "commands": "commands",
    "sequence": "commands",
}


@dataclass(frozen=True)
class _SampleCheckEntry:
    name: Text
    kind: SampleCheckKind
    words: SomePhrases = ()
    commands: SomePhrases = ()


def _check_fields_of_kind(tick: _SampleCheckEntry) -> _SampleCheckEntry:
    needed = _FIELD_OF_KIND.get(tick.kind)
    if needed is not None and not getattr(tick, needed):
        raise Mistake(tr("a check of kind '{kind}' needs '{field}'", kind=tick.kind, field=needed))
    for other in ("words", "commands"):
        if other != needed and getattr(tick, other):
            raise Mistake(
                tr("a check of kind '{kind}' has no '{field}'", kind=tick.kind, field=other),
                (other,),
                about_key=True,
            )
    return tick


def _check_names(ticks: tuple[_SampleCheckEntry, ...]) -> tuple[_SampleCheckEntry, ...]:
    names: set[str] = set()
    for index, tick in enumerate(ticks):
        if tick.name in names:
            message = tr("two checks are named '{name}'", name=tick.name)
            raise Mistake(message, (index, "name"))
        names.add(tick.name)
    return ticks


@dataclass(frozen=True)
class _SampleEntry:
    id: Annotated[str, Form(ID_FORM.pattern, lambda: tr('word characters and "-"'))]
    prompt: Text
    subject: SomePhrases
    ticks: Annotated[
        tuple[Annotated[_SampleCheckEntry, Rule(_check_fields_of_kind)], ...],
        Len(1),
        Rule(_check_names),
    ]


_SAMPLE = Validator(_SampleEntry)


def load_samples(path: Path = SHIPPED) -> tuple[SamplePrompt, ...]:
    """Load a file of sample prompts.

    Raises:
        InvalidFiles: with every mistake and its place.
    """
    try:
        file = read_json(path)
    except Refused as refused:
        raise invalid_files(shown_path(path), [refused.finding]) from refused
    notes = Notes()
    entries = _entries(file, notes)
    if findings := file.findings(notes):
        raise invalid_files(shown_path(path), findings)
    return tuple(
        SamplePrompt(
            id=entry.id,
            prompt=entry.prompt,
            subject=entry.subject,
            ticks=tuple(SampleCheck(**asdict(tick)) for tick in entry.ticks),
        )
        for entry in entries
    )


def _entries(file: JsonFile, notes: Notes) -> list[_SampleEntry]:
    if not isinstance(file.value, list):
        got = described(file.value)
        notes.error((), tr("the file must contain a list of samples, not {got}", got=got))
        return []
    if not file.value:
        notes.error((), tr("the file contains no sample"))
    file.note_torn_texts(notes)
    first: dict[str, int] = {}
    entries = []
    for row, raw in enumerate(file.value):
        notes.test_id = name = file.test_id((row,))
        entries.append(_SAMPLE.check(raw, notes, (row,)))
        if name is not None and first.setdefault(name, row) != row:
            notes.error((row, "id"), tr("the id '{id}' appears twice", id=name))
    return entries
