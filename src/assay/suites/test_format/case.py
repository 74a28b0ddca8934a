"""One entry of a category file to a Case, or None with the reasons in the notes.

A judged test may show files: `{{FILE}}` in its prompt becomes the file's text. They are beside the
category file, or in a folder there; in a test folder, make.py may give more.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from assay.files.json_file import sound_id
from assay.files.notes import Notes
from assay.files.notes import Path as Place
from assay.files.wording import described, did_you_mean, shown
from assay.messages import tr
from assay.plugins import checks
from assay.suites.test_format.fields import (
    COMMON,
    COMMON_NAMES,
    CallBefore,
    CheckValidator,
    CommonFields,
    all_fields,
    check_validator,
    id_problem,
    methods,
    methods_of,
)
from assay.text.json_schema import refuse_bad_schema
from assay.types import (
    DEFAULT_MAX_TOKENS,
    DEFAULT_TEMPERATURE,
    AnswerCheck,
    Case,
    Message,
    ScoringMode,
    ToolCall,
    ToolStep,
)
from assay.types.tests import EWEBENCH, SuiteWords

Raw = dict[str, Any]
MAX_BYTES = 1_000_000  # of a shown file; no model that Assay is for reads more
# category_001, or two letters and a number as the methodology of judging has them: CT-03.
_USUAL_ID = re.compile(r"[\w-]+_[0-9]{3,}|[A-Z]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all tests of a category have in common. `folder` is where files lie that tests show,
    `data_seed` what make.py of a test folder gets; `shown` collects what was found of them.
    """

    suite: str
    category: str
    system: str | None = None
    language: str | None = None
    scoring: ScoringMode = "standard"
    words: SuiteWords | None = None
    folder: Path | None = None
    data_seed: int = 0
    shown: dict[str, str]
    also: tuple[str, ...] = ()  # fields that somebody else reads


def read_case(raw: object, path: Place, shared: Shared, notes: Notes) -> Case | None:
    """Check one test object in full; build it if it is sound."""
    notes.test_id = sound_id(raw)
    errors_before = notes.errors
    if not isinstance(raw, dict):
        message = tr("a test must be an object in braces, not {got}", got=described(raw))
        notes.error(path, message)
        return None
    validator = _check_validator(raw, path, notes)
    known = validator.known if validator else COMMON_NAMES
    if not known.issuperset(raw):  # making the difference takes far longer
        for stray in raw.keys() - known:
            _note_stray(stray, (*path, stray), validator, shared.also, notes)
    schema = ""
    if "expected_format" in raw:
        raw, schema = _with_schema(raw, path, shared.folder, notes)
    asked = COMMON.check(raw, notes, path)
    check = validator.check(raw, notes, path) if validator else None
    if notes.test_id is None or not notes.test_id.isascii():  # nearly all are sound at a glance
        _check_id(raw, path, notes)
    _check_conversation(raw, path, notes, sound=asked is not None)
    files = None
    if check is not None and asked is not None and check.judged:
        files = find_files(raw, path, shared.folder, notes)
    if check is None:
        return None
    case = _build(asked if asked is not None else {}, check, shared)
    for problem in check.problems(case):
        notes.error((*path, *problem.path), problem.message, about_key=problem.about_key)
    if notes.errors > errors_before:
        return None
    if validator is not None and not validator.is_shipped:
        check.requests()  # a plugin's mistake ends here, before a model is asked
    if notes.wants_warnings:
        _advise(path, case, notes)
    if schema:
        shared.shown[case.id] = hashlib.sha256(schema.encode()).hexdigest()
    if files is None:
        return case
    whole = repr((sorted(files.items()), shared.data_seed)).encode()
    shared.shown[case.id] = hashlib.sha256(whole).hexdigest()
    return replace(case, messages=with_files(case.messages, files))


def _with_schema(raw: Raw, path: Place, folder: Path | None, notes: Notes) -> tuple[Raw, str]:
    """The test with the schema that it names as a file beside it, and the text of that file."""
    rules = raw.get("expected_format")
    name = rules.get("json_schema") if isinstance(rules, dict) else None
    if not isinstance(rules, dict) or not isinstance(name, str):
        return raw, ""
    problem, text = _read(name, folder)
    schema: object = None
    try:
        schema = json.loads(text or "{}")
        refuse_bad_schema(schema if isinstance(schema, dict) else {"type": schema})
    except (ValueError, RecursionError) as error:
        problem = tr("'{name}' is not a valid JSON Schema: {why}", name=shown(name), why=error)
    if problem:
        notes.error((*path, "expected_format", "json_schema"), problem)
        schema = {}
    return raw | {"expected_format": rules | {"json_schema": schema}}, text or ""


def _check_id(raw: Raw, path: Place, notes: Notes) -> None:
    """Note what the type of the field does not say."""
    name = raw.get("id")
    if "id" not in raw:
        notes.error(path, tr("'id' is missing; the form is category_001"))
    elif isinstance(name, str) and name.strip() and (problem := id_problem(name)):
        notes.error((*path, "id"), problem)


def _check_validator(raw: Raw, path: Place, notes: Notes) -> CheckValidator | None:
    name = raw.get("eval_method")
    if isinstance(name, str):
        if (known := checks.get(name)) and known.in_files:
            return check_validator(known)
        problem = tr("unknown eval_method '{name}'", name=shown(name))
        notes.error((*path, "eval_method"), did_you_mean(problem, name, methods()))
    elif "eval_method" not in raw:
        names = ", ".join(methods())
        notes.error(path, tr("'eval_method' is missing; it is one of {names}", names=names))
    return None


def _note_stray(
    field: str,
    path: Place,
    validator: CheckValidator | None,
    also: tuple[str, ...],
    notes: Notes,
) -> None:
    owners = methods_of(field)
    if not owners:
        problem = tr("unknown field '{field}'", field=shown(field))
        notes.error(path, did_you_mean(problem, field, (*all_fields(), *also)), about_key=True)
        return
    if validator is not None:
        message = tr(
            "'{field}' belongs to {owners}; with \"{method}\" it is ignored",
            field=field,
            owners=", ".join(owners),
            method=validator.cls.method,
        )
        notes.warning(path, message, about_key=True)


def _advise(path: Place, case: Case, notes: Notes) -> None:
    if not _USUAL_ID.fullmatch(case.id):
        notes.warning((*path, "id"), tr("the usual form of an id is category_001"))
    for slip in case.check.advice(case):
        notes.warning((*path, *slip.path), slip.message, about_key=slip.about_key)


def _build(asked: CommonFields, check: AnswerCheck, shared: Shared) -> Case:
    stop = asked.get("stop", ())
    # Elsewhere as many as suit the model: a base model does not end by itself.
    usual_tokens = DEFAULT_MAX_TOKENS if shared.scoring == EWEBENCH else None
    return Case(
        id=asked.get("id", ""),
        suite=shared.suite,
        category=shared.category,
        messages=_turns(asked),
        check=check,
        system=_system_prompt(asked, shared.system),
        stop=(stop,) if isinstance(stop, str) else stop,
        live=asked.get("live", False),
        temperature=asked.get("temperature", DEFAULT_TEMPERATURE),
        max_tokens=asked.get("max_tokens", usual_tokens),
        description=asked.get("description", ""),
        reviewed=asked.get("reviewed"),
        tags=asked.get("tags", ()),
        language=shared.language,
        scoring=shared.scoring,
        words=shared.words,
    )


def _check_conversation(raw: Raw, path: Place, notes: Notes, *, sound: bool) -> None:
    """Note what is wrong with the turns as a whole; `sound`: each field by itself is right."""
    if "prompt" in raw and "messages" in raw:
        notes.error(
            (*path, "messages"),
            tr("a test has either 'prompt' or 'messages', not both"),
            about_key=True,
        )
    elif "messages" in raw:
        if sound:
            _check_turns(raw, path, notes)
    elif "prompt" not in raw:
        notes.error(path, tr("the test asks nothing; it needs 'prompt' or 'messages'"))


def _turns(asked: CommonFields) -> tuple[Message, ...]:
    if "prompt" in asked:
        return (Message("user", asked["prompt"]),)
    spoken = asked.get("messages", ())
    return tuple(
        Message(turn.role, turn.content, called=_called(turn.tool_calls))
        for turn in spoken
        if turn.role != "system"
    )


def _called(calls: Sequence[CallBefore]) -> ToolStep | None:
    if not calls:
        return None
    made = (ToolCall(each.name, json.dumps(each.arguments, ensure_ascii=False)) for each in calls)
    return ToolStep(tuple(made), tuple(each.result for each in calls))


def _system_prompt(asked: CommonFields, default: str | None) -> str | None:
    """The test's own, else the suite's. An empty one of its own is kept, and means: none, whatever
    the suite or a user says.
    """
    if "system" in asked:
        return asked["system"]
    if "messages" in asked and asked["messages"][0].role == "system":
        return asked["messages"][0].content
    return default or None


def _check_turns(raw: Raw, path: Place, notes: Notes) -> None:
    roles = [turn["role"] for turn in raw["messages"]]
    for index, turn in enumerate(raw["messages"]):
        _check_turn(turn, raw, (*path, "messages", index), index, notes)
    _check_system(raw, roles, path, notes)
    if roles[-1] != "user":
        notes.error(
            (*path, "messages", len(roles) - 1),
            tr("the last message must come from the user, not from '{role}'", role=roles[-1]),
        )
    twice = ("user", "user")
    if twice in pairwise(roles) and raw.get("live") is not True:
        notes.error(
            (*path, "messages", [*pairwise(roles)].index(twice) + 1),
            tr(
                "two user turns in a row: put an assistant turn between them, or "
                '"live": true to ask them one after the other'
            ),
        )


def _check_turn(turn: Raw, raw: Raw, path: Place, index: int, notes: Notes) -> None:
    """Something is said or called in every turn."""
    name = f"messages[{index}]"
    calls = turn.get("tool_calls")
    if calls and turn["role"] != "assistant":
        notes.error((*path, "tool_calls"), tr("only an assistant turn has 'tool_calls'"))
    elif calls and raw.get("eval_method") != "tool_calls":
        message = tr('turns with \'tool_calls\' need "eval_method": "tool_calls"')
        notes.error((*path, "tool_calls"), message)
    elif not calls and "content" not in turn:
        notes.error(path, tr("'{holder}' lacks {fields}", holder=name, fields="'content'"))
    elif not calls and not turn["content"].strip():
        notes.error((*path, "content"), tr("'{field}' is empty", field=f"{name}.content"))


def _check_system(raw: Raw, roles: list[str], path: Place, notes: Notes) -> None:
    if "system" in raw and "system" in roles:
        notes.error(
            (*path, "system"),
            tr("the system prompt appears twice: in 'system' and in 'messages'; keep one"),
            about_key=True,
        )
    for index, role in enumerate(roles):
        if role == "system" and index > 0:
            message = tr("a system message can only be the first one")
            notes.error((*path, "messages", index), message)


def find_files(
    raw: Mapping[str, Any], path: Place, folder: Path | None, notes: Notes
) -> dict[str, str]:
    """Note every file that is not there; the texts of those that are, by name."""
    texts: dict[str, str] = {}
    for number, name in enumerate(raw.get("fixtures", ())):
        place, hole = (*path, "fixtures", number), "{{" + name + "}}"
        problem, text = _read(name, folder)
        if not any(hole in str(raw.get(key)) for key in ("prompt", "messages")):
            message = tr("the model is not shown '{name}': the prompt does not contain {hole}",
                         name=shown(name), hole=shown(hole))  # fmt: skip
            notes.warning(place, message)
        elif problem:
            notes.error(place, problem)
        elif text:
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
        return "", file.read_text("utf-8-sig")
    except UnicodeDecodeError:
        return tr("'{name}' is not UTF-8 text", name=shown(name)), None
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return tr("'{name}' cannot be read: {why}", name=shown(name), why=why), None
