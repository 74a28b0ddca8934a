"""What every figure of a model can do; the measures themselves are in `measures/`, one a file.

A measure asks for something, makes figures of the replies, and brings all that is said of them: its
keys in JSON, its column, its table in a gate and the reasons, its part in the score, its advice,
its curve. Everything has a default, so that accept, select, tables, documents and curves go through
the registry and never ask which measure it is.

A user's measure has `requests` (Ask, Read, Choose) and `value`; the shipped ones go by `ask` and
`take`, which also have the held-out texts, the timed runs and the scores of suites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

from assay.messages import Message
from assay.registry import Registry
from assay.types.decisions import (
    ChangedFigure,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    Recommendation,
)
from assay.types.score_parts import Better, WeighedPart

if TYPE_CHECKING:
    from assay.types import Health, ModelFacts, Reply, SamplePrompt, Sampling, ToChoose, Work
    from assay.types.decisions import Acceptance, DecisionPlan, PlannedCheckpoint
    from assay.types.measured.samples import JudgedSense
    from assay.types.models import TokenizerFigures
    from assay.types.results import SuiteSummary
    from assay.types.scores import Estimate
    from assay.types.trends import ComparedSteps, Trend

NumberKind = Literal["share", "perplexity", "positive", "number"]
LAST = 1000.0  # of what names no place


class Places(NamedTuple):
    """Where a measure comes among the others, lowest first: its keys, its criteria, its advice, its
    requests; its table in a gate, where that is not as its criteria; its caveats.
    """

    keys: float = LAST
    gate: float = LAST
    advice: float = LAST
    asking: float = LAST
    table: float | None = None
    caveats: float = LAST


class JsonKey(NamedTuple):
    """An ESTIMATE in `details`; `description`: it is also a number at the top of a report.
    `required`: a report without it is refused.
    """

    name: str
    number: NumberKind = "number"
    description: str = ""
    required: bool = False


class FigureColumn(NamedTuple):
    """`rank`: how long it stays in a narrow table; `place`: from left to right."""

    head: str
    figure: str
    rank: int
    place: float = LAST


class CurvePanel(NamedTuple):
    """A picture over steps. `limits`: of the gate, each as it is written beside its line."""

    figure: str
    title: str
    criterion: str
    limits: Sequence[tuple[float, str]] = ()
    by_ratio: bool = False


class FollowedFigure(NamedTuple):
    """A figure in a training's log, by its `name` there; with a `heading` in the line of a step."""

    figure: str
    name: str
    heading: str = ""


class TextToRead(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def tokens(self) -> Sequence[int] | None: ...
    @property
    def digest(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest:
    """`content` stands for the work in the request's identity. `of_shape`: equal checkpoints share
    the reply.
    """

    test_id: str
    work: Work
    content: object
    of_shape: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What a measure may ask of one model with. `texts`: the documents of the held-out text
    ("perplexity") and of the training text ("training"). `right_answers`: by SUITE/TEST. `samples`:
    the prompts. `timed_runs`: the numbers of those this checkpoint makes.
    """

    facts: ModelFacts
    deciding: DecisionPlan | None
    texts: Mapping[str, Sequence[TextToRead]] = field(default_factory=dict)
    right_answers: Callable[[], Iterable[tuple[str, ToChoose]]] = tuple
    samples: Sequence[SamplePrompt] = ()
    timed_runs: Sequence[int] = ()
    machine: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenReplies:
    """What came back from one model. `replies`: by what was asked and by test id. `samples`: each
    with what judges found of it; `examine` tells a sample's health.
    """

    subject: PlannedCheckpoint
    facts: ModelFacts
    deciding: DecisionPlan | None
    replies: Mapping[str, Mapping[str, Reply]] = field(default_factory=dict)
    summaries: Sequence[SuiteSummary] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    unqualified: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    samples: Sequence[tuple[SamplePrompt, Sampling, Reply, JudgedSense | None]] = ()
    sample_judges: Mapping[str, bool] = field(default_factory=dict)
    examine: Callable[..., Health] | None = None
    tokenizer: tuple[TokenizerFigures, ...] = ()

    def of(self, kind: str) -> list[Reply]:
        return list(self.replies.get(kind, {}).values())


class Measure:
    """One figure of a model, or some that one asking gives."""

    name: ClassVar[str] = ""
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "higher"
    about: ClassVar[str] = ""  # its docstring
    places: ClassVar[Places] = Places()
    kind: ClassVar[str] = ""  # what is asked for it; measures may share an asking
    metric: ClassVar[str] = ""  # what `evaluate_model` calls it
    suite: ClassVar[str] = ""  # whose scores it is made of
    by_default: ClassVar[bool] = False  # asked of every checkpoint
    of_every_model: ClassVar[bool] = False  # served and scripted ones too, in every run
    keys: ClassVar[tuple[JsonKey, ...]] = ()
    # What `details` hold of it beyond its keys, and what the top of a report does: a type and a
    # default, `...` where a report without it is refused.
    shapes: ClassVar[Mapping[str, tuple[Any, Any]]] = {}
    top_shapes: ClassVar[Mapping[str, tuple[Any, Any]]] = {}
    in_reports_only: ClassVar[tuple[str, ...]] = ()  # keys that `assay run --json` leaves out
    table: ClassVar[Any] = None  # its table in a gate: a dataclass, or a type in Annotated
    table_about: ClassVar[Any] = None  # a Doc
    no_table: ClassVar[Any] = None  # what stands for a table that is left out
    gate_fields: ClassVar[tuple[str, ...]] = ()  # of Gate, where its limits are; else `tables`
    weight: ClassVar[float] = 0.0  # of its part in the specification's formula
    part_names: ClassVar[tuple[str, ...]] = ()  # its keys in `[score]`
    sentences: ClassVar[Mapping[str, Message]] = {}

    # ask

    def ask(self, asking: Asking) -> Iterable[MeasureRequest]:
        return ()

    def is_needed(self, gate: Gate) -> bool:
        """Whether the gate asks for it."""
        asked = any(getattr(gate, name) not in (None, {}) for name in self.gate_fields)
        return asked or self.name in gate.tables or any(map(self.has_part, gate.score))

    def leave_out(self, gate: Gate) -> Gate:
        """The gate without its limits."""
        others = {name: each for name, each in gate.tables.items() if name != self.name}
        left_out: dict[str, Any] = {**dict.fromkeys(self.gate_fields), "tables": others}
        return replace(gate, **left_out)

    # measure

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        return measured

    def drop(self, measured: Measurements) -> Measurements:
        """Without its figures, where they were not asked for."""
        return measured

    def figures(self, measured: Measurements) -> Mapping[str, Estimate | None]:
        """By the names of its keys."""
        return {key.name: measured.figures.get(key.name) for key in self.keys}

    def counted(self, value: float) -> float:
        """What a figure counts in the score before its weight, on its own."""
        return value

    # documents

    def headline(self, measured: Measurements) -> Mapping[str, object]:
        """The numbers at the top of a report."""
        found = self.figures(measured)
        return {
            key.name: None if (of := found[key.name]) is None else of.value
            for key in self.keys
            if key.description
        }

    def details(self, measured: Measurements) -> Mapping[str, object]:
        return self.figures(measured)

    def read(self, measured: Measurements, details: Any) -> Measurements:
        """What `details` of a report say, back."""
        found = {key.name: getattr(details, key.name, None) for key in self.keys}
        known = {name: each for name, each in found.items() if each is not None}
        return replace(measured, figures={**measured.figures, **known}) if known else measured

    def shown(
        self, measured: Measurements, gate: Gate, criteria: Mapping[str, GateCriterion]
    ) -> Mapping[str, Estimate | None]:
        """For tables and curves."""
        return self.figures(measured)

    def columns(self, gate: Gate, shown: Iterable[str]) -> Iterator[FigureColumn]:
        """`shown`: the names of all figures that some checkpoint has."""
        return iter(())

    def panels(self, gate: Gate, limits: Callable[[str], Sequence[float]]) -> Iterator[CurvePanel]:
        """`limits`: those of a criterion, over the size classes of a folder."""
        return iter(())

    def followed(self, gate: Gate) -> Iterator[FollowedFigure]:
        return iter(())

    # gate

    def limits_of(self, table: Any) -> Mapping[str, Any]:
        """The fields of Gate that its table sets."""
        return {}

    def complete_schema(self, schema: dict[str, Any]) -> None:
        """What the JSON Schema of its table says beyond its type."""

    def mistakes(self, gate: Gate) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What only the whole gate shows: the place in its file, and what is wrong there."""
        return iter(())

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        return {}

    def is_clear(
        self,
        name: str,
        criterion: GateCriterion,
        measured: Measurements,
        gate: Gate,
        tail: float,
    ) -> bool:
        """Whether a criterion that passes does so with its whole interval, of which `tail` lies
        beyond each end.
        """
        return True

    def not_covered(self, measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
        """What a reader must know that no criterion of the gate covers."""
        return iter(())

    # score

    def specified_part(self) -> WeighedPart | None:
        """Its part in the specification's formula."""
        return None

    def has_part(self, key: str) -> bool:
        """Whether a key of `[score]` is its own."""
        return key in self.part_names

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        """Its part in `[score]`. Raises Unbounded where the gate has no limit and it no scale."""
        raise NotImplementedError

    def measured_parts(self, measured: Measurements) -> Iterator[str]:
        """The keys of `[score]` of which it has a figure."""
        found = self.figures(measured)
        yield from (key for key in self.part_names if (of := found.get(key)) and of.n)

    # advice

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        """For each of its criteria that failed what could help, the first remedy first."""
        return iter(())

    def on_the_run(self, acceptance: Acceptance, trend: Trend | None) -> Sequence[Recommendation]:
        """For a run that goes wrong although this checkpoint passes."""
        return ()

    def on_lacking(self, measured: Measurements) -> Sequence[Recommendation]:
        """For a part that the score lacks."""
        return ()

    # curve

    def steps(self, steps: Sequence[Measurements]) -> Iterator[ComparedSteps]:
        """Its figures over the steps of a folder."""
        return iter(())

    def changes(self, base: Measurements, adapted: Measurements) -> Iterator[ChangedFigure]:
        """What an adapter changed, paired."""
        return iter(())


@dataclass(frozen=True)
class UserMeasure:
    """A class with `requests` and `value`, as a plugin has it."""

    name: str
    unit: str
    better: Better
    made_of: type


measures: Registry[Measure | UserMeasure] = Registry("measure", "assay.measures")


class MeasureMaker(Measure):
    """The shipped measure that makes measures of users' classes."""

    def make(self, of: UserMeasure) -> Measure:
        raise NotImplementedError


def every_measure(*, maker: bool = False) -> list[Measure]:
    """All that ship and all of plugins, in the order of their keys; and their maker."""
    named = [measures[name] for name in measures]
    makes = next(each for each in named if isinstance(each, MeasureMaker))
    made = [makes.make(each) if isinstance(each, UserMeasure) else each for each in named]
    wanted = (each for each in made if maker or each is not makes)
    return sorted(wanted, key=lambda each: each.places.keys)


def by_gate() -> list[Measure]:
    """In the order of the criteria."""
    return sorted(every_measure(), key=lambda each: each.places.gate)


def with_tables() -> list[Measure]:
    """Those that have a table in a gate, in the order of a file; one is for all of plugins."""

    def place(of: Measure) -> float:
        return of.places.gate if of.places.table is None else of.places.table

    known = (each for each in every_measure(maker=True) if each.table is not None)
    return sorted(known, key=place)


def by_caveats() -> list[Measure]:
    return sorted(every_measure(), key=lambda each: each.places.caveats)


def by_advice() -> list[Measure]:
    return sorted(every_measure(), key=lambda each: each.places.advice)


def with_parts() -> list[Measure]:
    """Those that the specification's formula is made of, the heaviest first."""
    weighed = [each for each in every_measure() if each.weight]
    return sorted(weighed, key=lambda each: -each.weight)


def measure_of_part(key: str) -> Measure | None:
    """Whose a key of `[score]` is."""
    return next((each for each in every_measure() if each.has_part(key)), None)


def kinds_by_default() -> tuple[str, ...]:
    """What is asked of every checkpoint; only its trainer has the text of the training loss."""
    asked = sorted(every_measure(), key=lambda each: each.places.asking)
    return tuple(dict.fromkeys(each.kind for each in asked if each.by_default))
