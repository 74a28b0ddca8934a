"""suite.json: what a suite says about all of its tests.

Settings come back even from a file with mistakes, so that the tests are still checked and all
mistakes are shown at once.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Annotated

from annotated_types import Ge, Le

from assay.files.fields import Doc, Text, Weight, form
from assay.files.notes import Notes
from assay.files.validation import DIALECT, Validator
from assay.files.wording import described, did_you_mean, shown
from assay.messages import tr
from assay.types import DEFAULT_PASS_MARK, LANGUAGES, ScoringMode, Suite
from assay.types.tests import EWEBENCH

SUITE_FILE = "suite.json"
LISTED = ("en", "fr", "ee", "eng", "fra", "ewe")  # languages whose answer words ship
YAWO = FilePath(__file__).resolve().parents[1] / "builtin" / "yawo.txt"
_SPOKEN_BY_YAWO, EWE = "ewe", "ee"


_LanguageTag = Annotated[
    str,
    form("[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*", lambda: tr("a language tag such as ee or fr-TG")),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordLists:
    """`words` of suite.json."""

    announces: Annotated[
        tuple[Text, ...], Doc("Words or phrases behind which the answer stands: jibu ni.")
    ] = ()
    denies: Annotated[tuple[Text, ...], Doc("Words that deny what follows them: siyo.")] = ()
    declines: Annotated[tuple[Text, ...], Doc("Words of an answer that only declines: sijui.")] = ()
    joins: Annotated[
        tuple[Text, ...], Doc("Words between alternatives, of which an answer chose none: au.")
    ] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSettings:
    """suite.json, or the defaults without one."""

    title: Annotated[str, Doc("The suite's name for people.")] = ""
    version: Annotated[str, Doc("The suite's version, as a text.")] = ""
    language: Annotated[
        _LanguageTag | None,
        Doc(
            "The language of the answers, as a tag such as ee; with ee, composite tests also "
            "score Ewe quality, and without 'system' the prompt of Yawo is sent."
        ),
    ] = None
    system: Annotated[
        str | None,
        Doc("The system prompt of every test that has none of its own; an empty text means none."),
    ] = None
    weights: Annotated[
        Mapping[str, Weight],
        Doc(
            "How much each category counts in the suite's score; one that is not named counts "
            "1. Without weights all count the same."
        ),
    ] = field(default_factory=dict)
    pass_mark: Annotated[
        float, Ge(0), Le(1), Doc("The score from which a test counts as passed.")
    ] = DEFAULT_PASS_MARK
    scoring: Annotated[
        ScoringMode,
        Doc(
            "The scoring rules: 'standard', or those of an earlier benchmark of Ewe, whose tests "
            "are asked as those of any Ewe suite."
        ),
    ] = "standard"
    few_shot: Annotated[
        Mapping[str, Text],
        Doc(
            "For a category, the file of worked examples shown before each test; it is in "
            "a folder of its own."
        ),
    ] = field(default_factory=dict)
    shots: Annotated[int, Ge(0), Le(100), Doc("How many examples are shown.")] = 0
    words: Annotated[
        WordLists,
        Doc(
            "Words of the suite's language by which answers announce, deny, decline and join "
            "alternatives, beside those that ship for English, French and Ewe."
        ),
    ] = WordLists()
    licence: Annotated[
        str, Doc("The licence of the tests, as people name it: CC BY 4.0; leaderboards show it.")
    ] = ""


SUITE = Validator(SuiteSettings)


def suite_schema() -> dict[str, object]:
    return {
        "$schema": DIALECT,
        "title": tr("Assay suite"),
        **SUITE.schema(),
        "description": tr("Settings of all categories beside this file."),
    }


def read_settings(
    raw: object, categories: Sequence[str], *, only: str | None, notes: Notes
) -> SuiteSettings:
    """Check suite.json and take from it what is sound. `categories` are beside it; `only`: the one
    that is loaded by itself, and then what is said of others is left alone.
    """
    if not isinstance(raw, dict):
        message = tr("suite.json must contain an object in braces, not {got}", got=described(raw))
        notes.error((), message)
        return SuiteSettings()
    settings: SuiteSettings | None = SUITE.check(raw, notes)
    if settings is None:
        wrong = {note.path[0] for note in notes.all if note.path}
        sound = {key: value for key, value in raw.items() if key not in wrong}
        settings = SUITE.check(sound, Notes()) or SuiteSettings()
    if only is None:
        for field_name in ("weights", "few_shot"):
            named = getattr(settings, field_name)
            for name in [name for name in named if name not in categories]:
                problem = tr("there is no category '{name}'", name=shown(name))
                message = did_you_mean(problem, name, categories)
                notes.error((field_name, name), message, about_key=True)
        _check_weights(settings.weights, categories, notes)
    if settings.shots and not settings.few_shot:
        message = tr("'shots' is {shots}, but 'few_shot' names no examples", shots=settings.shots)
        notes.error(("shots",), message)
    if settings.few_shot and not settings.shots:
        message = tr("'few_shot' changes nothing while 'shots' is 0")
        notes.warning(("few_shot",), message, about_key=True)
    if settings.language and not is_listed(settings.language) and settings.words == WordLists():
        message = tr(
            "no words of the language '{language}' ship, and 'words' has none: only its form says "
            "what an answer commits to; an answer that denies, declines or offers alternatives in "
            "words is read as if it did not",
            language=shown(settings.language),
        )
        notes.warning(("language",), message)
    wanted = categories if only is None else [only]
    few_shot = {name: file for name, file in settings.few_shot.items() if name in wanted}
    weights = {}
    if settings.weights and len(wanted) > 1:  # else all are equal, or there is only one
        weights = {name: settings.weights.get(name, 1.0) for name in wanted}
    language = settings.language
    if language is None and settings.scoring == EWEBENCH:
        language = EWE  # that benchmark is of no other language
    system = settings.system
    if system is None:
        system = default_system(language)
    return replace(settings, weights=weights, few_shot=few_shot, system=system, language=language)


def language_code(tag: str | None) -> str | None:
    """The language of a tag, as scoring knows it: `fr` of `fr-TG`, `ee` of `EE`."""
    return None if tag is None else tag.split("-")[0].lower()


def is_listed(tag: str) -> bool:
    """Whether the words by which answers in a language are read ship with Assay."""
    return language_code(tag) in LISTED


def default_system(language: str | None) -> str | None:
    """The system prompt of a suite that names its language and no prompt: Yawo's for Ewe."""
    if LANGUAGES.get(language_code(language) or "") != _SPOKEN_BY_YAWO:
        return None
    return YAWO.read_text("utf-8").strip()


def has_suite_file(path: str) -> bool:
    folder = FilePath(path)
    return ((folder if folder.is_dir() else folder.parent) / SUITE_FILE).is_file()


def with_defaults(suite: Suite, system: str | None, language: str | None = None) -> Suite:
    """A suite without a suite.json takes this language, and its tests this system prompt where
    they have none of their own.
    """
    if has_suite_file(suite.path):
        return suite
    system = default_system(language) if system is None else system
    given = suite.with_cases(
        replace(
            case,
            system=case.system if case.system is not None else system,
            language=language_code(language) or case.language,
        )
        for case in suite.cases
    )
    return replace(given, system=suite.system or system, language=language or suite.language)


def example_file(folder: FilePath, written: str) -> FilePath | str:
    """The file of a few_shot entry, or what is wrong with the way it is written."""
    if not written.isprintable():
        return tr("'{file}' contains characters that no file name should have", file=shown(written))
    path = folder / written
    inside = os.path.realpath(folder)
    if os.path.commonpath([inside, os.path.realpath(path)]) != inside:
        return tr("'{file}' is outside the suite's folder", file=shown(written))
    if os.path.realpath(path.parent) == inside:
        return tr(
            "'{file}' is a category, so its answers would be shown; examples lie in a folder of "
            "their own, such as few_shot/",
            file=shown(written),
        )
    if not os.path.lexists(path):
        return tr("there is no file '{file}' in the suite's folder", file=shown(written))
    return path


def _check_weights(weights: Mapping[str, float], categories: Sequence[str], notes: Notes) -> None:
    if not weights:
        return
    unweighted = [name for name in categories if name not in weights]
    if not unweighted and not any(weights.values()):
        notes.error(("weights",), tr("all weights are 0, so there would be no score"))
    for name in unweighted:
        message = tr("the category '{name}' has no weight; it counts 1", name=shown(name))
        notes.warning(("weights",), message, about_key=True)
