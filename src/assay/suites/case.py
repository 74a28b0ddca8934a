"""One test object to one Case.

In: what stands in a category file at some index, and what the suite says for all tests. Out: a
Case, or None with the reasons in the notes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path as Folder
from typing import Any

from assay.files.json_file import ID_FORM, MAX_ID_CHARACTERS, sound_id
from assay.files.notes import Notes
from assay.files.places import Path
from assay.files.wording import character_name, described, did_you_mean, shown
from assay.messages import tr
from assay.suites.advice import advise
from assay.suites.containers import check_depth
from assay.suites.conversation import check_conversation, system_prompt, turns
from assay.suites.fields import ALL_FIELDS, COMMON, METHODS, METHODS_OF, Method
from assay.suites.methods import build_check, check_method
from assay.suites.shown_files import ShownFiles, find_files, pinned, with_files
from assay.types import DEFAULT_TEMPERATURE, Case, Judge, ScoringMode

MAX_ID_BYTES = 200  # an id names files, and most file systems end a name at 255 bytes

Raw = dict[str, Any]
_KNOWN = {name: {**COMMON, **method.fields} for name, method in METHODS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all tests of a category have in common. `folder` is where files lie that tests show,
    `data_seed` what generated ones are made from; `shown` collects what was found of them.
    """

    suite: str
    category: str
    system: str | None = None
    language: str | None = None
    scoring: ScoringMode = "standard"
    folder: Folder | None = None
    data_seed: int = 0
    shown: dict[str, str]


def read_case(raw: object, path: Path, shared: Shared, notes: Notes) -> Case | None:
    """Check one test object in full; build it if it is sound."""
    notes.test_id = sound_id(raw)
    errors_before = notes.errors
    if not isinstance(raw, dict):
        message = tr("a test must be an object in braces, not {got}", got=described(raw))
        notes.error(path, message)
        return None
    method = _method_of(raw, path, notes)
    broken = _check_fields(raw, path, notes)
    _check_id(raw, path, broken, notes)
    check_conversation(raw, path, broken, notes)
    if method is not None:
        complete = _check_required(raw, path, method, notes)
        if complete and not (broken and broken.intersection(method.fields)):
            check_method(raw, path, shared.language, notes)
    files = None
    if method is METHODS["judge"] and not broken:
        files = find_files(raw, path, shared.folder, shared.data_seed, notes)
    if notes.errors > errors_before:
        return None
    if notes.wants_warnings:
        advise(raw, path, notes)
    case = _build(raw, shared)
    return case if files is None else _showing(case, files, shared)


def _method_of(raw: Raw, path: Path, notes: Notes) -> Method | None:
    name = raw.get("eval_method")
    if isinstance(name, str):
        if name in METHODS:
            return METHODS[name]
        problem = tr("unknown eval_method '{name}'", name=shown(name))
        notes.error((*path, "eval_method"), did_you_mean(problem, name, METHODS))
    elif "eval_method" not in raw:
        names = ", ".join(METHODS)
        notes.error(path, tr("'eval_method' is missing; it is one of {names}", names=names))
    return None


def _check_fields(raw: Raw, path: Path, notes: Notes) -> set[str]:
    """Check each value by itself; the fields with a wrong one."""
    name = raw.get("eval_method")
    known = _KNOWN.get(name, COMMON) if isinstance(name, str) else COMMON
    broken: set[str] = set()
    for field, value in raw.items():
        kind = known.get(field)
        if kind is None:
            _check_stray(field, value, (*path, field), name, notes)
        elif not kind.allows(value):
            errors_before = notes.errors
            kind.check(value, (*path, field), notes)
            if notes.errors > errors_before:
                broken.add(field)
    return broken


def _check_stray(field: str, value: object, path: Path, method: object, notes: Notes) -> None:
    """A field that this eval_method does not have."""
    owners = METHODS_OF.get(field)
    if owners is None:
        problem = tr("unknown field '{field}'", field=shown(field))
        notes.error(path, did_you_mean(problem, field, ALL_FIELDS), about_key=True)
        return
    if isinstance(value, dict | list):
        check_depth(value, path, notes)
    if isinstance(method, str) and method in METHODS:
        message = tr(
            "'{field}' belongs to {owners}; with \"{method}\" it is ignored",
            field=field,
            owners=", ".join(owners),
            method=method,
        )
        notes.warning(path, message, about_key=True)


def _check_required(raw: Raw, path: Path, method: Method, notes: Notes) -> bool:
    """Note the fields that the eval_method cannot do without; whether all are there."""
    complete = True
    for field in method.required:
        if field not in raw:
            complete = False
            message = tr("'{method}' needs '{field}'", method=raw["eval_method"], field=field)
            notes.error(path, message)
    return complete


def _check_id(raw: Raw, path: Path, broken: set[str], notes: Notes) -> None:
    if notes.test_id is not None and notes.test_id.isascii():
        return
    if "id" not in raw:
        notes.error(path, tr("'id' is missing; the form is category_001"))
        return
    if "id" in broken:
        return
    name, where = raw["id"], (*path, "id")
    if not ID_FORM.fullmatch(name):
        wrong = next(letter for letter in name if not ID_FORM.fullmatch(letter))
        message = tr(
            "the id holds {character}; only letters, digits, '_' and '-' are allowed",
            character=character_name(wrong),
        )
        notes.error(where, message)
    if len(name) > MAX_ID_CHARACTERS:
        message = tr(
            "the id has {count} characters, and at most {limit} are allowed",
            count=len(name),
            limit=MAX_ID_CHARACTERS,
        )
        notes.error(where, message)
    elif len(name.encode("utf-8", "surrogatepass")) > MAX_ID_BYTES:
        message = tr("the id takes more than {limit} bytes; shorten it", limit=MAX_ID_BYTES)
        notes.error(where, message)


def _showing(case: Case, files: ShownFiles, shared: Shared) -> Case:
    """A judged test with the files in its prompt."""
    check = case.check
    if not isinstance(check, Judge):
        return case
    shared.shown[case.id] = files.digest
    evidence = pinned(check.evidence)[0] if check.evidence else None
    return replace(
        case,
        messages=with_files(case.messages, files.texts),
        check=replace(check, evidence=evidence, data_seed=files.data_seed),
    )


def _build(raw: Raw, shared: Shared) -> Case:
    stop = raw.get("stop", ())
    return Case(
        id=raw["id"],
        suite=shared.suite,
        category=shared.category,
        messages=turns(raw),
        check=build_check(raw),
        system=system_prompt(raw, shared.system),
        live=raw.get("live", False),
        temperature=float(raw.get("temperature", DEFAULT_TEMPERATURE)),
        max_tokens=raw.get("max_tokens"),
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
        description=raw.get("description", ""),
        reviewed=raw.get("reviewed"),
        tags=tuple(raw.get("tags", ())),
        language=shared.language,
        scoring=shared.scoring,
    )
