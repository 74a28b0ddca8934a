"""One entry of a category file to a Case, or None with the reasons in the notes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as Folder
from typing import Any

from assay.files.fields import Mistake, refuse_depth
from assay.files.json_file import ID_FORM, MAX_ID_CHARACTERS, sound_id
from assay.files.notes import Notes
from assay.files.places import Path
from assay.files.wording import character_name, described, did_you_mean, shown
from assay.messages import tr
from assay.suites.test_format.conversation import check_conversation, system_prompt, turns
from assay.suites.test_format.fields import (
    COMMON,
    COMMON_NAMES,
    CheckValidator,
    CommonFields,
    all_fields,
    methods_of,
    validators,
)
from assay.suites.test_format.shown_files import ShownFiles, find_files, pinned, with_files
from assay.types import Case, Check, FieldProblem, ScoringMode

MAX_ID_BYTES = 200  # an id names files, and most file systems end a name at 255 bytes

Raw = dict[str, Any]
_AS_WRITTEN = ("live", "temperature", "max_tokens", "description", "reviewed", "tags")
_USUAL_ID = re.compile(r"[\w-]+_[0-9]{3,}")


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
    checks: Mapping[str, CheckValidator] = field(default_factory=validators)


def read_case(raw: object, path: Path, shared: Shared, notes: Notes) -> Case | None:
    """Check one test object in full; build it if it is sound."""
    notes.test_id = sound_id(raw)
    errors_before = notes.errors
    if not isinstance(raw, dict):
        message = tr("a test must be an object in braces, not {got}", got=described(raw))
        notes.error(path, message)
        return None
    validator = _check_validator(raw, path, shared, notes)
    known = validator.known if validator else COMMON_NAMES
    if not raw.keys() <= known:  # making the difference takes far longer
        for stray in raw.keys() - known:
            _note_stray(stray, raw[stray], (*path, stray), validator, notes)
    asked = COMMON.check(raw, notes, path)
    check = validator.check(raw, notes, path) if validator else None
    _check_id(raw, path, notes)
    check_conversation(raw, path, notes, sound=asked is not None)
    files = None
    if check is not None and asked is not None and check.judged:
        files = find_files(raw, path, shared.folder, shared.data_seed, notes)
    if check is None:
        return None
    case = _build(asked if asked is not None else {}, check, shared)
    for problem in check.problems(case):
        notes.error(_written(raw, path, problem), problem.message, about_key=problem.about_key)
    if notes.errors > errors_before:
        return None
    check.requests()  # a plugin's mistake ends here, before a model is asked
    if notes.wants_warnings:
        _advise(raw, path, case, notes)
    return case if files is None else _with_files(case, files, shared)


def _check_validator(raw: Raw, path: Path, shared: Shared, notes: Notes) -> CheckValidator | None:
    name = raw.get("eval_method")
    if isinstance(name, str):
        if name in shared.checks:
            return shared.checks[name]
        problem = tr("unknown eval_method '{name}'", name=shown(name))
        notes.error((*path, "eval_method"), did_you_mean(problem, name, shared.checks))
    elif "eval_method" not in raw:
        names = ", ".join(shared.checks)
        notes.error(path, tr("'eval_method' is missing; it is one of {names}", names=names))
    return None


def _note_stray(
    field: str, value: object, path: Path, validator: CheckValidator | None, notes: Notes
) -> None:
    owners = methods_of(field)
    if not owners:
        problem = tr("unknown field '{field}'", field=shown(field))
        notes.error(path, did_you_mean(problem, field, all_fields()), about_key=True)
        return
    try:
        refuse_depth(value)
    except Mistake as mistake:
        notes.error(path, str(mistake))
    if validator is not None:
        message = tr(
            "'{field}' belongs to {owners}; with \"{method}\" it is ignored",
            field=field,
            owners=", ".join(owners),
            method=validator.cls.method,
        )
        notes.warning(path, message, about_key=True)


def _written(raw: Raw, path: Path, problem: FieldProblem) -> Path:
    """The path as far as the file has it: one text may be written without a list around it."""
    here: Any = raw
    steps: list[str | int] = []
    for step in problem.path:
        try:
            here = None if isinstance(here, str) else here[step]
        except (LookupError, TypeError):
            break
        if here is None:
            break
        steps.append(step)
    return (*path, *steps)


def _advise(raw: Raw, path: Path, case: Case, notes: Notes) -> None:
    if not _USUAL_ID.fullmatch(case.id):
        notes.warning((*path, "id"), tr("the usual form of an id is category_001"))
    for slip in case.check.advice(case):
        notes.warning(_written(raw, path, slip), slip.message, about_key=slip.about_key)


def _check_id(raw: Raw, path: Path, notes: Notes) -> None:
    if notes.test_id is not None and notes.test_id.isascii():
        return
    if "id" not in raw:
        notes.error(path, tr("'id' is missing; the form is category_001"))
        return
    name, where = raw["id"], (*path, "id")
    if not isinstance(name, str) or not name.strip():
        return  # noted already
    if not ID_FORM.fullmatch(name):
        wrong = next(letter for letter in name if not ID_FORM.fullmatch(letter))
        message = tr(
            "the id contains {character}; only letters, digits, '_' and '-' are allowed",
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


def _with_files(case: Case, files: ShownFiles, shared: Shared) -> Case:
    judged = case.check.judged
    assert judged is not None
    shared.shown[case.id] = files.digest
    evidence = pinned(judged.evidence)[0] if judged.evidence else None
    return replace(
        case,
        messages=with_files(case.messages, files.texts),
        check=replace(judged, evidence=evidence, data_seed=files.data_seed),  # type: ignore[type-var]
    )


def _build(asked: CommonFields, check: Check, shared: Shared) -> Case:
    stop = asked.get("stop", ())
    as_written: Raw = {name: asked[name] for name in _AS_WRITTEN if name in asked}  # type: ignore[literal-required]
    return Case(
        id=asked.get("id", ""),
        suite=shared.suite,
        category=shared.category,
        messages=turns(asked),
        check=check,
        system=system_prompt(asked, shared.system),
        stop=(stop,) if isinstance(stop, str) else stop,
        language=shared.language,
        scoring=shared.scoring,
        **as_written,
    )
