"""Checks a parsed document against a type, in our own sentences.

Validation is strict: "1" is no number, 1 is no text, null is no value, NaN is no number, and every
key must be known. Good documents only meet pydantic's compiled validator.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from pydantic_core import CoreSchema, ErrorDetails, SchemaValidator, ValidationError

from assay.files.fields import Mistake
from assay.files.notes import Notes, Path
from assay.files.wording import described, did_you_mean, label, nearest, shown
from assay.messages import tr

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_STRICT = frozenset({"str", "int", "float", "bool", "list", "dict"})
_WORDS = "pydantic_js_annotation_functions"
_OPEN = frozenset({"dataclass-args", "model-fields", "typed-dict"})
_DECIMAL_BITS = 200  # Python does not write a whole number of some 14,000 bits in decimals


class Validator:
    """Checks documents against the type `kind`. `toml`: sentences speak of tables, not of objects.
    `ignores_others`: the document may have keys beside those of the type.
    """

    def __init__(self, kind: Any, *, toml: bool = False, ignores_others: bool = False) -> None:
        self._kind = kind
        self._toml = toml
        self._ignores_others = ignores_others

    def check(self, document: object, notes: Notes, path: Path = ()) -> Any:
        """The checked value, or None; every mistake is noted. `path`: of a document in another."""
        try:
            return self._validate(document)
        except ValidationError as error:
            self._note(error.errors(include_url=False), document, notes, path)
            return None

    def schema(self) -> Schema:
        """The type as JSON Schema, without titles, its definitions in place."""
        made: Schema = _in_place(self._json_schema, self._json_schema.get("$defs", {}))
        return made

    def missing_sentence(self, holder: str, fields: Sequence[str]) -> str:
        names = ", ".join(f"'{name}'" for name in fields)
        if holder:
            return tr("'{holder}' lacks {fields}", holder=holder, fields=names)
        if len(fields) == 1:
            return tr("{fields} is missing", fields=names)
        return tr("{fields} are missing", fields=names)

    @cached_property
    def _core(self) -> CoreSchema:
        from pydantic import TypeAdapter

        made: CoreSchema = _made_strict(TypeAdapter(self._kind).core_schema)
        if self._ignores_others:
            outermost: Schema = made  # type: ignore[assignment]
            while outermost["type"] not in _OPEN:
                outermost = outermost["schema"]
            outermost["extra_behavior"] = "ignore"
        return made

    @cached_property
    def _validate(self) -> Callable[[object], Any]:
        return SchemaValidator(self._core).validate_python

    @cached_property
    def _json_schema(self) -> Schema:
        from pydantic.json_schema import GenerateJsonSchema

        return GenerateJsonSchema().generate(self._core)

    def _nodes(self, steps: Iterable[str | int]) -> list[Schema]:
        """The schemas of the value at a path: several where a union allows several."""
        nodes = [*self._alternatives(self._json_schema)]
        for step in steps:
            inner = (_inner(node, step) for node in nodes)
            nodes = [each for node in inner if node for each in self._alternatives(node)]
        return nodes

    def _alternatives(self, node: Schema) -> Iterator[Schema]:
        if "$ref" in node:
            name = node["$ref"].rpartition("/")[2]
            rest = {key: each for key, each in node.items() if key != "$ref"}
            yield from self._alternatives({**self._json_schema["$defs"][name], **rest})
        elif "anyOf" in node or "oneOf" in node:
            for each in node.get("anyOf") or node["oneOf"]:
                yield from self._alternatives(each)
        else:
            yield node

    def _note(
        self, errors: Sequence[ErrorDetails], document: object, notes: Notes, path: Path
    ) -> None:
        """Note each error once; a missing key only where no unknown one was meant for it."""
        missing: dict[Path, list[str]] = {}
        meant: dict[Path, set[str | None]] = {}
        said: set[tuple[Path, str]] = set()
        for error, steps in _telling(errors, document):
            if error["type"] == "missing":
                missing.setdefault(steps, []).append(str(error["loc"][-1]))
                continue
            if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
                meant.setdefault(steps[:-1], set()).add(self._note_unknown(steps, notes, path))
                continue
            at, about_key = steps, False
            problem = error["ctx"]["error"] if error["type"] == "value_error" else None
            if isinstance(problem, Mistake):
                at, about_key = (*steps, *problem.at), problem.about_key
                said_of = problem.message
                sentence = said_of if isinstance(said_of, str) else said_of(label((*path, *at)))
            else:
                sentence = str(problem) if problem else self._sentence(error, steps, path)
            if (at, sentence) not in said:
                said.add((at, sentence))
                notes.error((*path, *at), sentence, about_key=about_key)
        for holder, fields in missing.items():
            lacking = [name for name in fields if name not in meant.get(holder, ())]
            if lacking:
                where = (*path, *holder)
                notes.error(where, self.missing_sentence(label(where), lacking))

    def _note_unknown(self, steps: Path, notes: Notes, path: Path) -> str | None:
        key = str(steps[-1])
        known = [name for node in self._nodes(steps[:-1]) for name in node.get("properties", ())]
        problem = tr("unknown key '{key}'", key=shown(key))
        if holder := label((*path, *steps[:-1])):
            problem = tr("unknown field '{field}' in '{holder}'", field=shown(key), holder=holder)
        notes.error((*path, *steps), did_you_mean(problem, key, known), about_key=True)
        return nearest(key, known)

    def _sentence(self, error: ErrorDetails, steps: Path, path: Path) -> str:
        value, kind = error["input"], error["type"]
        field = label((*path, *steps))
        context = error.get("ctx", {})
        is_blank = kind in ("string_too_short", "string_pattern_mismatch")
        least = context["min_length"] if kind == "too_short" else 0
        if (is_blank and isinstance(value, str)) or least == 1:
            return tr("'{field}' is empty", field=field)
        if least:
            return tr("'{field}' needs at least {least} items", field=field, least=least)
        if kind == "too_long":
            return tr(
                "'{field}' has {count} items, and at most {most} are allowed",
                field=field,
                count=context["actual_length"],
                most=context["max_length"],
            )
        nodes = self._nodes(steps)
        words = [word for node in nodes for word in _choices(node)]
        if isinstance(value, str) and words:
            problem = tr("'{field}' cannot be '{word}'", field=field, word=shown(value))
            return did_you_mean(problem, value, words)
        if not field and path:
            wanted, got = self._wanted(nodes, ""), self._got(value)
            return tr("this must be {wanted}, not {got}", wanted=wanted, got=got)
        return self._wrong_value(field, value, nodes)

    def _got(self, value: object) -> str:
        return tr("a table") if self._toml and isinstance(value, dict) else described(value)

    def _wrong_value(self, field: str, value: object, nodes: Sequence[Schema]) -> str:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        numbers = [node for node in nodes if node.get("type") in ("number", "integer")]
        if is_number and numbers:  # of a union only the branch of the value's type
            nodes = numbers
        types = {node.get("type") for node in nodes if not _choices(node)}
        hint = ""
        if value is None:
            hint = tr("; leave the field out instead")
        elif is_number and "string" in types:
            hint = tr("; put it in quotes")
        got = _written(value) if is_number and numbers else self._got(value)
        wanted = self._wanted(nodes, field)
        if not field:
            return tr("the file must contain {wanted}, not {got}", wanted=wanted, got=got)
        return tr(
            "'{field}' must be {wanted}, not {got}{hint}",
            field=field,
            wanted=wanted,
            got=got,
            hint=hint,
        )

    def _wanted(self, nodes: Sequence[Schema], field: str) -> str:
        phrases = list(dict.fromkeys(self._phrase(node, field, len(nodes) > 1) for node in nodes))
        if not phrases:
            return tr("something else")
        if len(phrases) == 1:
            return phrases[0]
        *first, last = phrases
        comma = "," if any("," in phrase for phrase in first) else ""
        return tr("{first}{comma} or {last}", first=", ".join(first), comma=comma, last=last)

    def _phrase(self, node: Schema, field: str, in_union: bool) -> str:
        """A type as the middle of a sentence."""
        if "x-wanted" in node:
            return str(node["x-wanted"]())
        if words := _choices(node):
            return tr("one of {words}", words=", ".join(f"'{word}'" for word in words))
        match node.get("type"):
            case "string":
                return tr("a text")
            case "boolean":
                return tr("true or false")
            case "number" | "integer":
                return _range(node)
            case "array":
                items = next(self._alternatives(node.get("items") or {}))
                if in_union and items.get("type") == "string":
                    return tr("a list of texts")
                if self._toml and items.get("type") == "object":
                    return tr("a list of tables, each under [[{name}]]", name=field)
                return tr("a list")
            case "object":
                return tr("a table") if self._toml else tr("an object")
            case _:
                return tr("a value")


def _made_strict(node: Any) -> Any:
    """A copy that takes nothing for something else; no null, no other keys. Lists become tuples
    where asked.
    """
    if isinstance(node, list):
        return [_made_strict(each) for each in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") == "nullable":
        inner = _made_strict(node["schema"])
        # Words about the optional value are words about the value.
        known, more = inner.get("metadata") or {}, node.get("metadata") or {}
        words = [*known.get(_WORDS, ()), *more.get(_WORDS, ())]
        return {**inner, "metadata": {**known, _WORDS: words}}
    made = {key: each if key == "default" else _made_strict(each) for key, each in node.items()}
    if made.get("type") in _STRICT:
        made["strict"] = True
    if made.get("type") == "float":
        made["allow_inf_nan"] = False
    if made.get("type") in _OPEN:
        made["extra_behavior"] = "forbid"
    return made


def _inner(node: Schema, step: str | int) -> Schema | None:
    if isinstance(step, int):
        return node.get("items")
    found = node.get("properties", {}).get(step) or node.get("additionalProperties")
    return found if isinstance(found, dict) else None


def _telling(
    errors: Sequence[ErrorDetails], document: object
) -> Iterator[tuple[ErrorDetails, Path]]:
    """Errors with their paths, less those that follow; of a union the value's own branch."""
    found = [(error, *_steps(error, document)) for error in errors]
    for error, steps, in_union in found:
        if error["type"] == "string_unicode":  # half a character, found in the text of the file
            continue
        is_type = error["type"].endswith("_type")
        if (
            in_union
            and is_type
            and any(
                path[: len(steps)] == steps
                and (path != steps or not other["type"].endswith("_type"))
                for other, path, _ in found
            )
        ):
            continue
        # pydantic leaves wrong items out of the count
        if error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]:
            continue
        yield error, steps


def _steps(error: ErrorDetails, document: object) -> tuple[Path, bool]:
    """The part of an error's location that leads into the document; whether a union was passed."""
    steps: list[str | int] = []
    skipped = False
    here: Any = document
    for part in error["loc"][: -1 if error["type"] == "missing" else None]:
        try:
            here = here[part]
        except (LookupError, TypeError):  # the name of a union's branch
            skipped = True
            continue
        steps.append(part)
    return tuple(steps), skipped


def _choices(node: Schema) -> list[str]:
    words = node.get("enum", [node["const"]] if "const" in node else [])
    return [word for word in words if isinstance(word, str)]


def _range(node: Schema) -> str:
    number = tr("a whole number") if node["type"] == "integer" else tr("a number")
    given = {name: f"{node[name]:.12g}" for name in node if name.lower().endswith("imum")}
    if "minimum" in given and "maximum" in given:
        return tr("{number} from {low} to {high}",
                  number=number, low=given["minimum"], high=given["maximum"])  # fmt: skip
    words = {
        "minimum": tr("at least"),
        "exclusiveMinimum": tr("above"),
        "maximum": tr("at most"),
        "exclusiveMaximum": tr("below"),
    }
    return ", ".join([number, *(f"{words[name]} {given[name]}" for name in words if name in given)])


def _written(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > _DECIMAL_BITS:
        return shown(f"{value:#x}")
    return shown(f"{value}")


def _in_place(node: Any, definitions: Schema, inside: tuple[str, ...] = ()) -> Any:
    """A schema without titles and references, but for types that contain themselves."""
    if isinstance(node, list):
        return [_in_place(each, definitions, inside) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        if name in inside:
            return node
        rest = {key: each for key, each in node.items() if key != "$ref"}
        return _in_place({**definitions[name], **rest}, definitions, (*inside, name))
    made = {
        key: _in_place(each, definitions, inside)
        for key, each in node.items()
        if key not in ("$defs", "x-wanted")
        and not (key == "title" and isinstance(each, str))
        and not (key == "default" and each is None)
    }
    if made.get("type") == "object" and "properties" in made:
        made["additionalProperties"] = False
    return made
