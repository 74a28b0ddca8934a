"""suite.json: what a suite says about all of its tests.

In: the file's JSON and the names of the categories beside it. Out: settings, and notes. Settings
come back even from a file with mistakes, so that the tests are still checked and all mistakes are
shown at once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from assay.files.notes import Notes
from assay.files.wording import described, did_you_mean, shown
from assay.messages import tr
from assay.suites.fields import SUITE_KEYS
from assay.types import DEFAULT_PASS_MARK, ScoringMode

SUITE_FILE = "suite.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSettings:
    """suite.json, or what holds without one."""

    title: str = ""
    version: str = ""
    language: str | None = None
    system: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    pass_mark: float = DEFAULT_PASS_MARK
    scoring: ScoringMode = "standard"
    few_shot: Mapping[str, str] = field(default_factory=dict)
    shots: int = 0


def read_settings(
    raw: object, categories: Sequence[str], *, only: str | None, notes: Notes
) -> SuiteSettings:
    """Check suite.json and take from it what is sound.

    Args:
        raw: the file's JSON.
        categories: the categories beside it.
        only: the one category that is loaded by itself; what is said of others is left alone.
        notes: takes what is wrong.
    """
    if not isinstance(raw, dict):
        message = tr("suite.json must hold an object in braces, not {got}", got=described(raw))
        notes.error((), message)
        return SuiteSettings()
    sound = _sound_values(raw, notes)
    if only is None:
        _check_weights(sound.get("weights"), categories, notes)
        _check_few_shot_names(sound.get("few_shot", {}), categories, notes)
    _check_shots(sound, notes)
    wanted = categories if only is None else [only]
    few_shot = {name: file for name, file in sound.pop("few_shot", {}).items() if name in wanted}
    return SuiteSettings(**(sound | {"weights": _weights(sound, wanted), "few_shot": few_shot}))


def language_code(tag: str | None) -> str | None:
    """The language of a tag, as marking knows it: `fr` of `fr-TG`, `ee` of `EE`."""
    return None if tag is None else tag.split("-")[0].lower()


def example_file(folder: FilePath, written: str) -> FilePath | str:
    """The file of a few_shot entry, or what is wrong with the way it is written."""
    if not written.isprintable():
        return tr("'{file}' holds characters that no file name should have", file=shown(written))
    path = folder / written
    inside = os.path.realpath(folder)
    if os.path.commonpath([inside, os.path.realpath(path)]) != inside:
        return tr("'{file}' lies outside the suite's folder", file=shown(written))
    if os.path.realpath(path.parent) == inside:
        return tr(
            "'{file}' is a category, so its answers would be shown; examples lie in a folder of "
            "their own, such as few_shot/",
            file=shown(written),
        )
    if not os.path.lexists(path):
        return tr("there is no file '{file}' in the suite's folder", file=shown(written))
    return path


def _sound_values(raw: dict[str, Any], notes: Notes) -> dict[str, Any]:
    sound = {}
    for key, value in raw.items():
        kind = SUITE_KEYS.get(key)
        if kind is None:
            problem = tr("unknown key '{key}'", key=shown(key))
            notes.error((key,), did_you_mean(problem, key, SUITE_KEYS), about_key=True)
            continue
        errors_before = notes.errors
        kind.check(value, (key,), notes)
        if notes.errors == errors_before:
            sound[key] = value
    return sound


def _check_weights(
    weights: Mapping[str, float] | None, categories: Sequence[str], notes: Notes
) -> None:
    if not weights:
        return
    for name in weights:
        if name not in categories:
            problem = tr("a weight for '{name}', but there is no such category", name=shown(name))
            message = did_you_mean(problem, name, categories)
            notes.error(("weights", name), message, about_key=True)
    unweighted = [name for name in categories if name not in weights]
    if not unweighted and not any(weights.values()):
        notes.error(("weights",), tr("all weights are 0, so there would be no score"))
    for name in unweighted:
        message = tr("the category '{name}' has no weight; it counts 1", name=shown(name))
        notes.warning(("weights",), message, about_key=True)


def _check_few_shot_names(
    few_shot: Mapping[str, str], categories: Sequence[str], notes: Notes
) -> None:
    for name in few_shot:
        if name not in categories:
            problem = tr("examples for '{name}', but there is no such category", name=shown(name))
            message = did_you_mean(problem, name, categories)
            notes.error(("few_shot", name), message, about_key=True)


def _check_shots(sound: Mapping[str, Any], notes: Notes) -> None:
    shots, few_shot = sound.get("shots", 0), sound.get("few_shot", {})
    if shots and not few_shot:
        message = tr("'shots' is {shots}, but 'few_shot' names no examples", shots=shots)
        notes.error(("shots",), message)
    if few_shot and not shots:
        message = tr("'few_shot' changes nothing while 'shots' is 0")
        notes.warning(("few_shot",), message, about_key=True)


def _weights(sound: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, float]:
    """Every category's weight, spelt out; none where all are equal or there is only one."""
    weights = sound.get("weights")
    if not weights or len(wanted) < 2:
        return {}
    return {name: float(weights.get(name, 1)) for name in wanted}
