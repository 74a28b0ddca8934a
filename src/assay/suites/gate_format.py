"""The gate format: the types that a gate file is checked against, and its JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from annotated_types import Ge, Gt, Le, Len, Lt

from assay.files.fields import Distinct, Doc, Text, ValueWords
from assay.files.validation import DIALECT, Validator
from assay.messages import tr

MOST = 1_000_000_000  # beyond every model, and a float and an int alike on every machine

Limit = TypeVar("Limit")


def _perplexity_hint(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return tr("; a perplexity is at least 1, so that nothing would ever pass")
    return ""


def _share_hint(value: object) -> str:
    """Percent are taken for shares; and nothing is above 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if value == 1:
        return tr("; a share must be above its limit, and none is above 1")
    if 1 < value < 100:
        return tr("; {percent} % is written {share}",
                  percent=f"{value:.12g}", share=f"{value / 100:.12g}")  # fmt: skip
    return ""


PerplexityLimit = Annotated[float, Gt(1), Le(MOST), ValueWords(hint=_perplexity_hint)]
SpeedLimit = Annotated[float, Ge(0), Le(MOST)]
MemoryLimit = Annotated[float, Gt(0), Le(MOST)]


@dataclass(frozen=True)
class BySizeClass(Generic[Limit]):
    """One limit for each size class."""

    tiny: Limit
    small: Limit
    medium: Limit
    large: Limit


_FOR_EACH = ValueWords(wanted=lambda: tr("a table with one for each size class"))


@dataclass(frozen=True)
class PerplexityTable:
    """[perplexity]"""

    max: Annotated[
        PerplexityLimit | Annotated[BySizeClass[PerplexityLimit], _FOR_EACH],
        Doc("The perplexity per token must be below this: one number, or one for each size class."),
    ]


@dataclass(frozen=True)
class SuiteTable:
    """[[suite]]"""

    name: Annotated[Text, Doc("The suite's name, as `assay suites` and reports show it.")]
    min: Annotated[
        float,
        Ge(0),
        Lt(1),
        Doc("The mean score, from 0 to 1, must be above this."),
        ValueWords(hint=_share_hint),
    ]
    categories: Annotated[
        tuple[Text, ...],
        Len(1),
        Distinct,
        Doc("The categories whose mean counts; without them, all of the suite."),
    ] = ()


@dataclass(frozen=True)
class SpeedTable:
    """[speed]"""

    min_tokens_per_s: Annotated[
        SpeedLimit | Annotated[BySizeClass[SpeedLimit], _FOR_EACH],
        Doc("The tokens per second must be above this: one number, or one for each size class."),
    ]


@dataclass(frozen=True)
class GenerationTable:
    """[generation]"""

    max_failures: Annotated[
        int,
        Ge(0),
        Le(MOST),
        Doc("Maximum number of samples that loop, repeat themselves or are nonsense."),
    ]


@dataclass(frozen=True)
class MemoryTable:
    """[memory]"""

    max_mb: Annotated[
        MemoryLimit | Annotated[BySizeClass[MemoryLimit], _FOR_EACH],
        Doc("memory_usage_mb must be below this: one number, or one for each size class."),
    ]


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
                Doc("What it must score on a suite; one table for each suite."),
            ],
            ...,
        ],
        Len(1),
    ] = ()
    speed: Annotated[SpeedTable | None, Doc("How fast it must write on the CPU.")] = None
    generation: Annotated[GenerationTable | None, Doc("How sane its samples must be.")] = None
    memory: Annotated[MemoryTable | None, Doc("How much memory it may take.")] = None


GATE = Validator(GateTables, toml=True)
GATE_TABLES = tuple(GateTables.__dataclass_fields__)


def gate_schema() -> dict[str, object]:
    """The schema of a gate file, once it is parsed.

    Whatever the loader accepts, the schema accepts; only the loader finds a suite that appears
    twice, and `nan`, which JSON does not have.
    """
    return {
        "$schema": DIALECT,
        "title": tr("Assay gate"),
        **GATE.schema(),
        "description": tr(
            "What a checkpoint must reach to be accepted. What is not named is not asked for."
        ),
        "minProperties": 1,
    }
