"""A gate file, or the one that ships, to a Gate, or every mistake in it at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le, Len, Lt

from assay.errors import InvalidFiles
from assay.files.fields import Distinct, Doc, Mistake, Rule, Text, ValueWords
from assay.files.file_text import Refused
from assay.files.notes import Notes, invalid_files
from assay.files.toml_file import TomlFile, read_toml
from assay.files.validation import DIALECT, Validator
from assay.files.wording import did_you_mean, shown
from assay.messages import tr
from assay.types import FileFinding
from assay.types.decisions import SIZE_CLASSES, TARGETS, Gate, GreedyRole, SizeClass, SuiteLimit
from assay.types.measured.drift import DriftLimits

MOST = 1_000_000_000  # beyond every model, and a float and an int alike on every machine

Limit = Annotated[float, Ge(0), Le(MOST)]


def _refuse_second_limits(suites: Sequence[SuiteTable]) -> Sequence[SuiteTable]:
    names = [suite.name for suite in suites]
    for index, name in enumerate(names):
        if name in names[:index]:
            message = tr("the suite '{name}' has a limit already; keep one", name=shown(name))
            raise Mistake(message, (index, "name"))
    return suites


def _refuse_no_limit(suite: SuiteTable) -> SuiteTable:
    if suite.min is None and not suite.above_guessing:
        message = tr("the suite '{name}' has no limit; give it 'min' or 'above_guessing = true'",
                     name=shown(suite.name))  # fmt: skip
        raise Mistake(message, ("name",))
    return suite


def _refuse_empty(table: AccuracyTable | DriftTable) -> AccuracyTable | DriftTable:
    limits = asdict(table)
    if not any(limit is not None for limit in limits.values()):
        name = "drift" if isinstance(table, DriftTable) else "accuracy"
        one, other = limits
        raise Mistake(tr("'{name}' has no limit; give it '{one}' or '{other}'",
                         name=name, one=one, other=other))  # fmt: skip
    return table


@dataclass(frozen=True)
class BySizeClass:
    tiny: Limit
    small: Limit
    medium: Limit
    large: Limit


Limits = (
    Limit
    | Annotated[BySizeClass, ValueWords(wanted=lambda: tr("a table with one for each size class"))]
)


@dataclass(frozen=True)
class PerplexityTable:
    max: Annotated[
        Limits,
        Doc("The perplexity per token must be below this: one number, or one for each size class."),
    ]


@dataclass(frozen=True)
class SuiteTable:
    name: Annotated[Text, Doc("The suite's name, as `assay suites` and reports show it.")]
    min: (
        Annotated[float, Ge(0), Lt(1), Doc("The mean score, from 0 to 1, must be above this.")]
        | None
    ) = None
    categories: Annotated[
        tuple[Text, ...],
        Len(1),
        Distinct,
        Doc("The categories whose mean counts; without them, all of the suite."),
    ] = ()
    above_guessing: Annotated[
        bool, Doc("The interval of the score must be above the best baseline.")
    ] = False


@dataclass(frozen=True)
class SpeedTable:
    min_tokens_per_s: Annotated[
        Limits,
        Doc("The tokens per second must be above this: one number, or one for each size class."),
    ]


@dataclass(frozen=True)
class GenerationTable:
    max_failures: Annotated[
        int,
        Ge(0),
        Le(MOST),
        Doc("Maximum number of prompts after which most samples loop, repeat themselves or are "
            "nonsense."),
    ]  # fmt: skip
    temperature: Annotated[
        float, Ge(0), Le(2), Doc("The temperature of the samples; 0 is greedy decoding alone.")
    ] = 0.3
    seeds: Annotated[
        int, Ge(1), Le(100), Doc("How many samples are written after each prompt.")
    ] = 3
    greedy: Annotated[
        GreedyRole,
        Doc("Greedy decoding is always reported; with `gate` it must not fail either."),
    ] = "report"


@dataclass(frozen=True)
class MemoryTable:
    max_mb: Annotated[
        Limits,
        Doc("memory_usage_mb must be below this: one number, or one for each size class."),
    ]


ShareLimit = Annotated[float, Ge(0), Lt(1)]


@dataclass(frozen=True)
class AccuracyTable:
    min_top1: Annotated[ShareLimit | None, Doc("accuracy_top1 must be above this.")] = None
    min_top5: Annotated[ShareLimit | None, Doc("accuracy_top5 must be above this.")] = None


@dataclass(frozen=True)
class DriftTable:
    max_kl: Annotated[
        Limit | None, Doc("The mean KL divergence from the base, in nats, must not exceed this.")
    ] = None
    min_same_top: Annotated[
        Annotated[float, Ge(0), Le(1)] | None,
        Doc("How often the likeliest token must be the base's, from 0 to 1."),
    ] = None


@dataclass(frozen=True)
class GateTables:
    """A gate file; a table that is left out asks for nothing."""

    perplexity: Annotated[
        PerplexityTable | None, Doc("How well it must predict the held-out text.")
    ] = None
    suite: Annotated[
        tuple[
            Annotated[
                SuiteTable,
                Rule(_refuse_no_limit),
                Doc("What it must score on a suite; one table for each suite."),
            ],
            ...,
        ],
        Len(1),
        Rule(_refuse_second_limits),
    ] = ()
    speed: Annotated[SpeedTable | None, Doc("How fast it must write on the CPU.")] = None
    generation: Annotated[GenerationTable | None, Doc("Limits on the generated samples.")] = None
    memory: Annotated[MemoryTable | None, Doc("How much memory it may take.")] = None
    accuracy: Annotated[
        Annotated[AccuracyTable, Rule(_refuse_empty)] | None,
        Doc("How often it must predict the next token of the held-out text."),
    ] = None
    drift: Annotated[
        Annotated[DriftTable, Rule(_refuse_empty)] | None,
        Doc("How far it may be from the model it was made of: for `assay drift`."),
    ] = None


GATE = Validator(GateTables, toml=True)
GATE_TABLES = tuple(GateTables.__dataclass_fields__)


def gate_schema() -> dict[str, object]:
    """The schema of a gate file, once it is parsed.

    Whatever the loader accepts, the schema accepts; only the loader finds a suite that appears
    twice, `above_guessing = false` alone, and `nan`, which JSON does not have.
    """
    schema: dict[str, Any] = GATE.schema()
    schema["properties"]["suite"]["items"]["anyOf"] = [
        {"required": [limit]} for limit in ("min", "above_guessing")
    ]
    for table in ("accuracy", "drift"):
        schema["properties"][table]["minProperties"] = 1
    return {
        "$schema": DIALECT,
        "title": tr("Assay gate"),
        **schema,
        "description": tr(
            "What a checkpoint must reach to be accepted. What is not named is not asked for."
        ),
        "minProperties": 1,
    }


SHIPPED = Path(__file__).resolve().parents[1] / "builtin" / "gates" / "default.toml"
DEFAULT = "default"


def load_gate(path: Path | None) -> Gate:
    """Load a gate; None is the one that ships. InvalidFiles has every mistake and its place."""
    file = _read(SHIPPED if path is None else path)
    tables, findings = _check(file)
    if tables is None:
        raise invalid_files(file.shown, findings)
    # As reports show it; a user's own file is never taken for the one that ships.
    own = f"./{DEFAULT}" if str(path) == DEFAULT else file.shown
    return Gate(
        source=DEFAULT if path is None else own,
        perplexity_max=_by_size_class(tables.perplexity.max if tables.perplexity else None),
        suites=tuple(SuiteLimit(**asdict(suite)) for suite in tables.suite),
        speed_min=_by_size_class(tables.speed.min_tokens_per_s if tables.speed else None),
        # What is not asked for is written the default way where it is measured all the same.
        **{f"generation_{name}": value for name, value in asdict(tables.generation).items()}
        if tables.generation
        else {},
        memory_max_mb=_by_size_class(tables.memory.max_mb if tables.memory else None),
        accuracy_min={
            name: least
            for name in TARGETS
            if (least := getattr(tables.accuracy, name.replace("accuracy", "min"), None))
            is not None
        },
        drift=DriftLimits(**asdict(tables.drift)) if tables.drift else None,
    )


def is_gate_file(path: Path) -> bool:
    return path.suffix.lower() == ".toml" and not path.is_dir()


def examine_gate(path: Path) -> tuple[FileFinding, ...]:
    try:
        return _check(_read(path))[1]
    except InvalidFiles as error:
        return error.findings


def check_gate(gate: Gate, known: Mapping[str, Sequence[str]]) -> tuple[FileFinding, ...]:
    """Every suite and category that a gate names and a run does not have. The gate's file is read
    again, for the places alone; `known`: the categories of every suite of the run.
    """
    file = _read(SHIPPED if gate.source == DEFAULT else Path(gate.source))
    notes = Notes()
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
    return tuple(replace(each, file=gate.source) for each in file.findings(notes))


def _read(path: Path) -> TomlFile:
    try:
        return read_toml(path, kind=tr("a gate is a TOML file"))
    except Refused as refused:
        raise invalid_files(refused.finding.file, [refused.finding]) from refused


def _check(file: TomlFile) -> tuple[GateTables | None, tuple[FileFinding, ...]]:
    notes = Notes()
    tables = GATE.check(file.document, notes)
    if not file.document:
        message = tr("a gate that asks for nothing; name at least one of {tables}",
                     tables=", ".join(GATE_TABLES))  # fmt: skip
        notes.error((), message)
    return (None if notes.errors else tables), file.findings(notes)


def _by_size_class(limit: float | BySizeClass | None) -> Mapping[SizeClass, float] | None:
    if limit is None:
        return None
    if isinstance(limit, BySizeClass):
        return {name: getattr(limit, name) for name in SIZE_CLASSES}
    return dict.fromkeys(SIZE_CLASSES, limit)
