"""The sample prompts: a JSON file to SamplePrompts, or every mistake with its place.

In: a path; without one, the file that ships. Out: the samples in the order of the file.

A file is a list of objects with `id`, `prompt`, `subject` and `ticks`. A subject is a list whose
items are words or lists of alternatives. A tick has a `name`, a `kind`, and for `words` the field
`words`, for `commands` and `sequence` the field `commands`, both written as in test files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from assay.errors import InvalidFiles
from assay.files.file_text import Refused, shown_path
from assay.files.json_file import ID_FORM, JsonFile, read_json
from assay.files.notes import Notes
from assay.files.wording import described
from assay.messages import tr, trn
from assay.suites.containers import ListOf, OneOrMore, Record
from assay.suites.kinds import OneOf, Pattern, Text
from assay.types import Finding
from assay.types.samples import SamplePrompt, Tick, TickKind

SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "samples.json"

_ITEMS = ListOf(OneOrMore(), least=1)
_TICK = Record(
    {
        "name": Text(),
        "kind": OneOf(get_args(TickKind)),
        "words": _ITEMS,
        "commands": _ITEMS,
    },
    required=("name", "kind"),
)
_SAMPLE = Record(
    {
        "id": Pattern(ID_FORM.pattern, lambda: tr('word characters and "-"')),
        "prompt": Text(),
        "subject": _ITEMS,
        "ticks": ListOf(_TICK, least=1),
    },
    required=("id", "prompt", "subject", "ticks"),
)
_FIELD_OF_KIND: Mapping[str, str] = {
    "words": "words",
    "commands": "commands",
    "sequence": "commands",
}


def load_samples(path: Path = SHIPPED) -> tuple[SamplePrompt, ...]:
    """Load a file of sample prompts.

    Raises:
        InvalidFiles: with every mistake and its place.
    """
    try:
        file = read_json(path)
    except Refused as refused:
        raise _invalid(path, [refused.finding]) from refused
    findings = _mistakes(file)
    if findings or not isinstance(file.value, list):
        raise _invalid(path, findings)
    return tuple(_sample(raw) for raw in file.value)


def _invalid(path: Path, findings: list[Finding]) -> InvalidFiles:
    where = shown_path(path)
    return InvalidFiles(
        trn(
            "{count} mistake in {where}", "{count} mistakes in {where}", len(findings), where=where
        ),
        findings,
        hint=tr("Nothing was asked of any model. Mend the files, then try again."),
    )


def _mistakes(file: JsonFile) -> list[Finding]:
    notes = Notes()
    if not isinstance(file.value, list):
        message = tr("the file must hold a list of samples, not {got}", got=described(file.value))
        notes.error((), message)
        return file.findings(notes)
    if not file.value:
        notes.error((), tr("the file holds no sample"))
    for path, about_key in file.torn:
        notes.error(path, tr("this text holds half a character"), about_key=about_key)
    first: dict[str, int] = {}
    for row, raw in enumerate(file.value):
        notes.test_id = file.test_id((row,))
        _SAMPLE.check(raw, (row,), notes)
        if isinstance(raw, dict):
            _check_whole(raw, row, notes)
            name = notes.test_id
            if name is not None and first.setdefault(name, row) != row:
                notes.error((row, "id"), tr("the id '{id}' stands twice", id=name))
    return file.findings(notes)


def _check_whole(raw: dict[str, Any], row: int, notes: Notes) -> None:
    ticks = raw.get("ticks")
    names: set[str] = set()
    for at, tick in enumerate(ticks if isinstance(ticks, list) else ()):
        if not isinstance(tick, dict):
            continue
        path = (row, "ticks", at)
        name = tick.get("name")
        if isinstance(name, str):
            if name in names:
                notes.error((*path, "name"), tr("two ticks are named '{name}'", name=name))
            names.add(name)
        kind = tick.get("kind")
        needed = _FIELD_OF_KIND.get(kind) if isinstance(kind, str) else None
        if needed is not None and needed not in tick:
            message = tr("a tick of kind '{kind}' needs '{field}'", kind=kind, field=needed)
            notes.error(path, message)
        for other in ("words", "commands"):
            if kind in get_args(TickKind) and other in tick and other != needed:
                message = tr("a tick of kind '{kind}' has no '{field}'", kind=kind, field=other)
                notes.error((*path, other), message, about_key=True)


def _sample(raw: dict[str, Any]) -> SamplePrompt:
    return SamplePrompt(
        id=raw["id"],
        prompt=raw["prompt"],
        subject=_items(raw["subject"]),
        ticks=tuple(
            Tick(
                name=tick["name"],
                kind=tick["kind"],
                words=_items(tick.get("words", [])),
                commands=_items(tick.get("commands", [])),
            )
            for tick in raw["ticks"]
        ),
    )


def _items(raw: list[Any]) -> tuple[tuple[str, ...], ...]:
    return tuple((item,) if isinstance(item, str) else tuple(item) for item in raw)
