"""The fields of a test: those that every test may have, and those of each check, plugins too.

And the same as JSON Schema 2020-12, so that editors complete and check while one types: whatever
the loader accepts, the schema accepts; rules that span fields or files are the loader's.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Annotated, Any, Literal, get_type_hints

from annotated_types import Ge, Le, MaxLen, MinLen
from typing_extensions import TypedDict

from assay.files.fields import Doc, Mistake, NotInFile, Rule, Text, Texts
from assay.files.json_file import ID_FORM, MAX_ID_CHARACTERS
from assay.files.validation import DIALECT, Validator
from assay.files.wording import described, shown
from assay.messages import tr, translated
from assay.plugins import checks
from assay.types import DEFAULT_MAX_TOKENS, DEFAULT_TEMPERATURE, AnswerCheck

MAX_ID_BYTES = 200  # an id names files, and most file systems end a name at 255 bytes
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
MAX_TOKENS = 1_000_000
MAX_STOPS = 16
NonEmpty = Annotated[str, MinLen(1)]


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def id_problem(name: str) -> str:
    """What is wrong with an id; half characters are noted where the file is read."""
    if _HALF_CHARACTER.search(name):
        return ""
    if not ID_FORM.fullmatch(name):
        return tr("the id '{id}' may contain only letters, digits, '_' and '-'", id=shown(name))
    if len(name) > MAX_ID_CHARACTERS or len(name.encode()) > MAX_ID_BYTES:
        return tr(
            "the id is too long: at most {limit} characters and {bytes} bytes are allowed",
            limit=MAX_ID_CHARACTERS,
            bytes=MAX_ID_BYTES,
        )
    return ""


# A name, a comma and a day; who reviewed the test next follows after a semicolon.
REVIEW_PATTERN = r"\s*[^;\s][^;]*,\s*[0-9]{4}-[0-9]{2}-[0-9]{2}\s*"
REVIEWS_PATTERN = f"^{REVIEW_PATTERN}(;{REVIEW_PATTERN})*$"
_REVIEW = re.compile(REVIEW_PATTERN)


def check_reviews(value: Any) -> str:
    """A rule: a text names who reviewed a test and when, "Name, YYYY-MM-DD; Name, YYYY-MM-DD"."""
    if isinstance(value, str) and all(map(is_review, value.split(";"))):
        return value
    got = f"'{shown(value)}'" if isinstance(value, str) else described(value)
    raise Mistake(
        lambda field: tr(
            '\'{field}\' must be "Name, YYYY-MM-DD", several joined by "; ", not {got}; leave it '
            "out until a person has reviewed the test",
            field=field,
            got=got,
        )
    )


def is_review(text: str) -> bool:
    """Whether a text is a name and a day of the calendar, "Ama Mensah, 2026-11-20"."""
    if not _REVIEW.fullmatch(text):
        return False
    _, _, day = text.rpartition(",")
    try:
        date.fromisoformat(day.strip())
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class CallBefore:
    """A call that was made, and answered, before the model is asked."""

    name: Annotated[Text, Doc("The function that was called.")]
    result: Annotated[str, Rule(as_text, of=Any), Doc("What it returned: any value.")]
    arguments: Annotated[dict[str, Any], Doc("Its arguments.")] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    role: Annotated[
        Literal["system", "user", "assistant"],
        Doc("Who speaks: system (first only), user or assistant."),
    ]
    content: Annotated[str, Doc("What is said.")] = ""
    tool_calls: Annotated[
        tuple[CallBefore, ...],
        Doc("Of an assistant: tools it called in this turn, each with its result."),
    ] = ()


class CommonFields(TypedDict, total=False):
    """What every test may have, whatever its eval_method. A file's few fields as a dict are checked
    in a third of the time that an object of all of them takes.
    """

    id: Annotated[
        Text,
        Doc(
            "The test's name, unique in the suite: letters, digits, '_' and '-'. The usual form is "
            "category_001."
        ),
    ]
    prompt: Annotated[Text, Doc("The user message sent to the model. Either this or 'messages'.")]
    messages: Annotated[
        tuple[Turn, ...],
        MinLen(1),
        Doc("A whole conversation that ends with a user turn. Either this or 'prompt'."),
    ]
    system: Annotated[
        str,
        Doc(
            "The system prompt of this test, in place of the suite's. An empty text means none. "
            "Not together with a system message."
        ),
    ]
    live: Annotated[
        bool,
        Doc(
            "Ask the user turns one after the other, with the model's own answers between. Needed "
            "for two user turns in a row; the last answer is scored."
        ),
    ]
    eval_method: Annotated[Text, Doc("How the answer is scored.")]
    temperature: Annotated[float, Ge(0), Le(2), Doc("The sampling temperature.")]
    max_tokens: Annotated[
        int,
        Ge(1),
        Le(MAX_TOKENS),
        Doc("Maximum tokens per answer (128 for a model without a chat template)."),
    ]
    stop: Annotated[
        NonEmpty | Annotated[tuple[NonEmpty, ...], MaxLen(MAX_STOPS)],
        Doc("A text, or several, at which the answer ends."),
    ]
    description: Annotated[str, Doc("What the test is about, for people.")]
    reviewed: Annotated[
        str,
        Rule(check_reviews, of=Any, schema={"type": "string", "pattern": REVIEWS_PATTERN}),
        Doc('Who reviewed the test, and when: "Name, YYYY-MM-DD", several joined by "; ".'),
    ]
    tags: Annotated[Texts, Doc("Words to find the test by.")]


COMMON = Validator(CommonFields, ignores_others=True)
COMMON_NAMES = frozenset(CommonFields.__annotations__)


class CheckValidator(Validator):
    def __init__(self, cls: type[AnswerCheck]) -> None:
        super().__init__(cls, ignores_others=True)
        self.cls = cls
        hints = get_type_hints(cls, include_extras=True)
        self.names = tuple(
            field.name
            for field in fields(cls)  # type: ignore[arg-type]  # a check is a dataclass
            if NotInFile() not in getattr(hints[field.name], "__metadata__", ())
        )
        self.known = COMMON_NAMES.union(self.names)
        self.is_shipped = cls.__module__.startswith("assay.")

    def missing_sentence(self, holder: str, fields: Sequence[str]) -> str:
        if holder:
            return super().missing_sentence(holder, fields)
        names = ", ".join(f"'{name}'" for name in fields)
        return tr("'{method}' needs {fields}", method=self.cls.method, fields=names)


_VALIDATORS: dict[type[AnswerCheck], CheckValidator] = {}


def check_validator(cls: type[AnswerCheck]) -> CheckValidator:
    """Made once for each check: making one takes longer than using it."""
    known = _VALIDATORS.get(cls)
    if known is None:
        known = _VALIDATORS[cls] = CheckValidator(cls)
    return known


def methods() -> Mapping[str, type[AnswerCheck]]:
    return {name: checks[name] for name in sorted(checks) if checks[name].in_files}


def methods_of(field: str) -> tuple[str, ...]:
    return tuple(name for name, cls in methods().items() if field in check_validator(cls).names)


def all_fields() -> tuple[str, ...]:
    """Every field of every test, the common ones first."""
    own = (name for cls in methods().values() for name in check_validator(cls).names)
    return tuple(dict.fromkeys((*CommonFields.__annotations__, *own)))


# JSON Schema knows no \\w beyond ASCII that all validators share, so the schema forbids what is
# certainly wrong and leaves the letters of the world to the loader.
ID_PATTERN = r"^[^\s\x00-,./:-@\[-^`{-\x7f]+$(?!\n)"


def tests_schema() -> dict[str, object]:
    return {
        "$schema": DIALECT,
        "title": tr("Assay test file"),
        "description": tr("One category: a list of tests."),
        "type": "array",
        "minItems": 1,
        "items": {"$ref": "#/$defs/test"},
        "$defs": {"test": _test()},
    }


def _test() -> dict[str, Any]:
    properties: dict[str, Any] = COMMON.schema()["properties"]
    properties["id"] |= {"pattern": ID_PATTERN, "maxLength": MAX_ID_CHARACTERS}
    properties["temperature"]["default"] = DEFAULT_TEMPERATURE
    properties["max_tokens"]["default"] = DEFAULT_MAX_TOKENS
    properties["live"]["default"] = False
    properties["messages"]["items"]["oneOf"] = [
        {
            "required": ["content"],
            "properties": {"content": {"pattern": r"\S"}, "tool_calls": {"maxItems": 0}},
        },
        {
            "required": ["tool_calls"],
            "properties": {"tool_calls": {"minItems": 1}, "role": {"const": "assistant"}},
        },
    ]
    checks = {}
    for name, cls in methods().items():
        validator = check_validator(cls)
        schema = validator.schema()
        fields = {field: schema["properties"][field] for field in validator.names}
        checks[name] = {"properties": fields, "required": schema.get("required", [])}
    properties["eval_method"] = {
        "description": properties["eval_method"]["description"],
        "enum": list(checks),
        "oneOf": [  # says the same again, with a sentence for each
            {"const": name, "description": translated(cls.description)}
            for name, cls in methods().items()
        ],
    }
    for check in checks.values():
        for name, schema in check["properties"].items():
            # Without a type: the value of a field of another method is not checked.
            known = {"description": schema["description"]} if "description" in schema else {}
            properties.setdefault(name, known)
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": ["id", "eval_method"],
        "oneOf": [{"required": ["prompt"]}, {"required": ["messages"]}],
        "allOf": [
            {
                "if": {"properties": {"eval_method": {"const": name}}, "required": ["eval_method"]},
                "then": check,
            }
            for name, check in checks.items()
        ],
    }
