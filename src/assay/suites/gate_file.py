"""A gate file, or the one that ships, to a Gate, or every mistake in it at once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, make_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from assay.errors import InvalidFiles
from assay.files.file_text import Refused
from assay.files.notes import Notes, invalid_files
from assay.files.toml_file import TomlFile, read_toml
from assay.files.validation import DIALECT, Validator
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.suites.sample_prompts import read_samples, read_terms
from assay.types import FileFinding
from assay.types.decisions import DEFAULT_GATE, OS_SUITE, Gate, MeasureLimits
from assay.types.measures import (
    Measure,
    every_measure,
    measure_of_part,
    measures,
    with_tables,
)


@cache
def _gate_tables(names: tuple[str, ...]) -> tuple[Validator, tuple[str, ...]]:
    """What a gate file may have: the tables of all measures, in the order of their criteria.
    `names`: of the measures there are, for a plugin may add to them.
    """
    fields = [(each.name, _field(each), field(default=each.no_table)) for each in with_tables()]
    made = make_dataclass("GateTables", fields, frozen=True)
    made.__doc__ = "A gate file; a table that is left out asks for nothing."
    return Validator(made, toml=True), tuple(name for name, *_ in fields)


def _field(of: Measure) -> Any:
    optional = of.table if of.no_table is not None else of.table | None
    return Annotated[optional, of.table_about] if of.table_about else optional


def gate_tables() -> tuple[str, ...]:
    """The names of the tables that a gate file may have."""
    return _gate_tables(tuple(measures))[1]


def gate_validator() -> Validator:
    return _gate_tables(tuple(measures))[0]


def gate_schema() -> dict[str, object]:
    """The schema of a gate file, once it is parsed.

    Whatever the loader accepts, the schema accepts; only the loader finds a suite that appears
    twice, `above_guessing = false` alone, and `nan`, which JSON does not have.
    """
    schema: dict[str, Any] = gate_validator().schema()
    for measure in with_tables():
        measure.complete_schema(schema["properties"][measure.name])
    return {
        "$schema": DIALECT,
        "title": tr("Assay gate"),
        **schema,
        "description": tr(
            "What a checkpoint must reach to be accepted. What is not named is not asked for."
        ),
        "anyOf": [{"required": [name]} for name in gate_tables() if name != SIZE],
    }


SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "gates" / "default.toml"
BOUNDING = ("perplexity_max", "speed_min")
SIZE = "size"  # says which limits count and is none


def load_gate(path: Path | None) -> Gate:
    """Load a gate; None is the one that ships. InvalidFiles has every mistake and its place."""
    file = _read(SHIPPED if path is None else path)
    tables, findings = _check(file)
    own, mistakes = _own_files(file.document, SHIPPED if path is None else path)
    if tables is None or mistakes:
        raise invalid_files(file.shown, [*findings, *mistakes])
    # As reports show it; a user's own file is never taken for the one that ships.
    shown_as = f"./{DEFAULT_GATE}" if str(path) == DEFAULT_GATE else file.shown
    source = DEFAULT_GATE if path is None else shown_as
    return replace(_bounded(_gate_of(tables)), source=source, **own)


def _gate_of(tables: Any) -> Gate:
    limits: dict[str, Any] = {}
    of_measures: dict[str, MeasureLimits] = {}
    for measure in with_tables():
        # What is not asked for is written the default way where it is measured all the same.
        table = getattr(tables, measure.name)
        found = {} if table == measure.no_table else dict(measure.limits_of(table))
        of_measures |= found.pop("tables", {})
        limits |= found
    return Gate(source="", tables=of_measures, **limits)


def _bounded(gate: Gate) -> Gate:
    """With what bounds the parts of its score: the limits of the default gate where it has none. A
    gate with a `[score]` brings its own, and one without suites keeps the specification's formula.
    """
    if gate.score or all(limit.name == OS_SUITE for limit in gate.suites):
        return gate
    shipped = load_gate(None)
    given = {name: limits for name in BOUNDING if (limits := getattr(shipped, name)) is not None}
    lacking = {name: limits for name, limits in given.items() if getattr(gate, name) is None}
    return replace(gate, bounds=lacking)


def _own_files(
    document: Mapping[str, Any], gate: Path
) -> tuple[dict[str, Any], tuple[FileFinding, ...]]:
    """What the files beside a gate hold that its [generation] names, and every mistake in them."""
    found: dict[str, Any] = {}
    mistakes: list[FileFinding] = []
    named = document.get("generation")
    readers: dict[str, Callable[[Path], tuple[Any, tuple[FileFinding, ...]]]] = {
        "samples": read_samples,
        "terms": read_terms,
    }
    for key, reader in readers.items():
        name = named.get(key) if isinstance(named, dict) else None
        if isinstance(name, str) and name.strip():
            found[f"generation_{key}"], findings = reader(gate.parent / name)
            mistakes += findings
    return found, tuple(mistakes)


def is_gate_file(path: Path) -> bool:
    return path.suffix.lower() == ".toml" and not path.is_dir()


def examine_gate(path: Path) -> tuple[FileFinding, ...]:
    try:
        file = _read(path)
        return (*_check(file)[1], *_own_files(file.document, path)[1])
    except InvalidFiles as error:
        return error.findings


def check_gate(
    gate: Gate, known: Mapping[str, Sequence[str]] | None, texts: Collection[str] = ()
) -> tuple[FileFinding, ...]:
    """Every suite, category and text that a gate names and a run does not have. The gate's file is
    read again, for the places alone; `known`: the categories of every suite of the run, None where
    those are not known; `texts`: the names of its texts.
    """
    file = _read(SHIPPED if gate.source == DEFAULT_GATE else Path(gate.source))
    notes = Notes()
    for text in gate.texts:
        if text not in texts:
            problem = tr(
                "the gate asks for the text '{name}', which is not part of this run: give it with "
                "--text {name}=FILE",
                name=shown(text),
            )
            notes.error(("text", text), did_you_mean(problem, text, texts))
    if known is not None:
        _check_suites(gate, known, notes)
    return tuple(replace(each, file=gate.source) for each in file.findings(notes))


def _check_suites(gate: Gate, known: Mapping[str, Sequence[str]], notes: Notes) -> None:
    for key in gate.score:
        measure = measure_of_part(key)
        name = measure.suite if measure else ""
        name = key.removeprefix("suite:") if key.startswith("suite:") else name
        if name and name not in known:
            problem = tr(
                "the gate gives '{key}' a weight, and the suite '{suite}' is not part of this run",
                key=shown(key),
                suite=shown(name),
            )
            notes.error(("score", "weights", key), did_you_mean(problem, name, known))
    for index, suite in enumerate(gate.suites):
        gaps = {"suite": shown(suite.name)}
        if suite.name not in known:
            problem = tr(
                "the gate asks for the suite '{suite}', which is not part of this run", **gaps
            )
            notes.error(("suite", index, "name"), did_you_mean(problem, suite.name, known))
            continue
        for number, name in enumerate(suite.categories):
            if name not in known[suite.name]:
                problem = tr(
                    "the gate asks for the category '{name}' of '{suite}', which is not part of "
                    "this run",
                    name=shown(name),
                    **gaps,
                )
                message = did_you_mean(problem, name, known[suite.name])
                notes.error(("suite", index, "categories", number), message)


def _read(path: Path) -> TomlFile:
    try:
        return read_toml(path, kind=tr("a gate is a TOML file"))
    except Refused as refused:
        raise invalid_files(refused.finding.file, [refused.finding]) from refused


def _check(file: TomlFile) -> tuple[Any, tuple[FileFinding, ...]]:
    notes = Notes()
    tables = gate_validator().check(file.document, notes)
    if tables is not None and not notes.errors:
        gate = _gate_of(tables)
        for place, problem in (each for of in every_measure() for each in of.mistakes(gate)):
            notes.error(place, problem)
    if not set(file.document) - {SIZE}:
        message = tr("a gate that asks for nothing; name at least one of {tables}",
                     tables=", ".join(name for name in gate_tables() if name != SIZE))  # fmt: skip
        notes.error((), message)
    return (None if notes.errors else tables), file.findings(notes)
