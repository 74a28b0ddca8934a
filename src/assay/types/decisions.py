"""What was measured of a checkpoint, what is asked of it, and what was decided.

Measurements x Gate -> Acceptance, WeightedScore, Recommendations; all of a folder -> Selection.
A figure that was not measured is None, never 0.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from assay.messages import tr
from assay.types import Estimate, Health, SamplePrompt, TokenizerFigures
from assay.types.choices import MeasureKind
from assay.types.early import EarlyDecision
from assay.types.measured.drift import DriftLimits
from assay.types.measured.samples import BY_RULE

Value = str | int | float | None | Estimate | tuple[Any, ...] | Mapping[str, float | None]


class CommandWords(tuple[str, ...]):
    """The words of a command to type."""

    __slots__ = ()

    def __new__(cls, *words: str) -> "CommandWords":
        return super().__new__(cls, words)


@dataclass(frozen=True, slots=True)
class DecisionFact:
    """`kind` names a sentence of `reports.checkpoints.facts`, `values` fill its gaps."""

    kind: str
    values: Mapping[str, Value] = field(default_factory=dict)


def fact(kind: str, **values: Value) -> DecisionFact:
    return DecisionFact(kind, values)


GreedyRole = Literal["report", "gate"]
SizeClass = Literal["tiny", "small", "medium", "large"]
SIZE_CLASSES: tuple[SizeClass, ...] = ("tiny", "small", "medium", "large")


def size_class_of(parameters: int) -> SizeClass:
    """Tiny < 50 M ≤ small < 150 M ≤ medium < 500 M ≤ large; tied parameters counted once."""
    limits = (50_000_000, 150_000_000, 500_000_000)
    return SIZE_CLASSES[sum(parameters >= limit for limit in limits)]


TEXT_NAME = re.compile(r"[A-Za-z0-9_-]+")  # of a text beside the one of perplexity

OS_SUITE = "os"
OS_TASKS = ("hardware_id", "driver_select", "command_complete", "installation")
OS_AVERAGED = OS_TASKS[:3]  # installation is reported beside them


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteLimit:
    """The mean of these categories (all of the suite's where none is named) must be above `min`, a
    share from 0 to 1. `above_guessing`: its interval must be above the best baseline. `metric`: of
    a task of lm-evaluation-harness; its value must be above `min` or below `max`.
    """

    name: str
    min: float | None = None
    categories: tuple[str, ...] = ()
    above_guessing: bool = False
    metric: str | None = field(default=None, repr=False)
    max: float | None = field(default=None, repr=False)

    @property
    def criterion(self) -> str:
        return f"suite:{self.name}/{self.metric}" if self.metric else f"suite:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureLimits:
    """A figure must lie above `min` and below `max`."""

    min: Mapping[SizeClass, float] | None = None
    max: Mapping[SizeClass, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptRules:
    """What an acceptance needs beyond limits. `clear`: whether only a clear pass stops a training;
    None: it does. `confirm`: the share of tests that takes no part in the selection.
    """

    clear: bool | None = None
    confirm: float | None = None
    no_worse_than: str | None = None
    margin: float = 0.02


DEFAULT_GATE = "default"
"""The `source` of the gate that ships."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What a checkpoint must reach; None: not asked for. Samples are written with each of the seeds
    from 0 and greedily, which decides only where `generation_greedy` is "gate". `source`: its file,
    or "default" for the one that ships.
    """

    source: str
    perplexity_max: Mapping[SizeClass, float] | None = None
    suites: tuple[SuiteLimit, ...] = ()
    speed_min: Mapping[SizeClass, float] | None = None
    generation_max_failures: int | None = None
    generation_temperature: float = 0.3
    generation_seeds: int = 3
    generation_greedy: GreedyRole = "report"
    memory_max_mb: Mapping[SizeClass, float] | None = None
    accuracy_min: Mapping[str, float] = field(default_factory=dict)  # accuracy_top1, accuracy_top5
    drift: DriftLimits | None = None
    size_class: SizeClass | None = field(default=None, repr=False)  # over the count of parameters
    # Own prompts and technical terms in place of the shipped ones.
    generation_samples: tuple[SamplePrompt, ...] = field(default=(), repr=False)
    generation_terms: tuple[str, ...] = field(default=(), repr=False)
    # By its name the limits of any other measure, each for every size class.
    tables: Mapping[str, MeasureLimits] = field(default_factory=dict, repr=False)
    score: Mapping[str, float] = field(default_factory=dict, repr=False)  # weights of `[score]`
    # By its name the limits of each further text; None: it is only measured.
    texts: Mapping[str, Mapping[SizeClass, float] | None] = field(default_factory=dict, repr=False)
    accept: AcceptRules = field(default=AcceptRules(), repr=False)
    # Of the checkpoint that others may not be worse than, once it is known.
    reference: Mapping[str, "SuiteFigures"] = field(default_factory=dict, repr=False, compare=False)
    # By field, what bounds parts of the score where this gate has no limit: the default gate's.
    bounds: Mapping[str, Mapping[SizeClass, float]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def title(self) -> str:
        """Return what reports call this gate.

        The default one asks what the specification asks of a model for operating systems, so its
        title says whose limits they are, and how to set those of another domain.
        """
        if self.source == DEFAULT_GATE:
            return tr("the specification's gate (operating systems; your own domain: --gate)")
        return tr("the gate {file}", file=self.source)

    @property
    def more(self) -> dict[str, Any]:
        """What its repr leaves out, limits of plugins apart: another value is another run."""
        found: dict[str, Any] = {"score": self.score, "texts": self.texts}
        found["metrics"] = [(each.metric, each.max) for each in self.suites if each.metric]
        found["accept"] = None if self.accept == AcceptRules() else self.accept
        found["size_class"] = self.size_class
        found["samples"] = self.generation_samples
        found["terms"] = self.generation_terms
        return {name: each for name, each in found.items() if each}

    @property
    def digest(self) -> str:
        """Of what it asks for, wherever its file is."""
        named = {name: limits for name, limits in self.texts.items() if limits}
        asked = asdict(replace(self, source="", reference={}, bounds={}, texts=named))
        plain = asdict(Gate(source=""))  # what a gate does not name may come to be named later
        for limit in asked["suites"]:
            for later in ("metric", "max"):
                if limit[later] is None:
                    del limit[later]
        said = {name: each for name, each in asked.items() if each != plain[name]}
        return sha256(json.dumps(_in_floats(said), sort_keys=True).encode()).hexdigest()[:16]

    def suite_criteria(self) -> dict[str, SuiteLimit]:
        """The suites, each asked for once, by the names of their criteria."""
        return {
            "os_benchmark" if limit.name == OS_SUITE else limit.criterion: limit
            for limit in self.suites
        }


def _in_floats(value: Any) -> Any:
    """As it is read back from a store, where 50 is 50.0."""
    match value:
        case bool() | str() | None:
            return value
        case int() | float():
            return float(value)
        case Mapping():
            return {str(name): _in_floats(each) for name, each in value.items()}
        case _:
            return [_in_floats(each) for each in value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What a checkpoint wrote after a sample prompt; temperature 0 is greedy. A request that failed
    has no health. `uncertainty`: the mean entropy of its choices, in nats. `margin`: how much
    likelier it is after its prompt than after any of some others, in nats per token.
    """

    id: str
    prompt: str
    text: str
    health: Health | None
    failed: str = ""
    temperature: float = 0.3
    seed: int = 0
    uncertainty: float | None = None
    margin: float | None = None

    @property
    def is_coherent(self) -> bool | None:
        """It fails in nothing, and its sentences hang together; None where it was not written or
        has no sentences that could be judged.
        """
        return False if self.failures else self._found("coherence")

    @property
    def is_relevant(self) -> bool | None:
        """By a judge where one decided, else by likelihood; None where neither is known."""
        if self.health is not None and self.health.is_judged:
            return self._found("nonsense") is True
        if self.health is not None and not self.text.strip():
            return False
        return None if self.margin is None else self.margin > 0

    @property
    def is_right(self) -> bool | None:
        """Every tick holds; None where the prompt has none."""
        return self._found("accuracy")

    def _found(self, name: str) -> bool | None:
        """What a check found; None too if no such check was made."""
        checks = self.health.checks if self.health else ()
        return next((each.passed for each in checks if each.name == name), None)

    @property
    def failures(self) -> tuple[str, ...]:
        return tuple(check.name for check in self.health.failures) if self.health else ()

    @property
    def is_overruled(self) -> bool:
        """A judge finds sense where the rule finds none."""
        health = self.health
        if health is None or not health.is_judged:
            return False
        return bool(health.named("nonsense").passed) and health.named(BY_RULE).passed is False

    def to_dict(self) -> dict[str, Any]:
        """Its fields as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSamples:
    """All that a checkpoint wrote after one prompt in one way: with each seed, or greedily."""

    id: str
    prompt: str
    samples: tuple[Sample, ...]

    @property
    def failing(self) -> tuple[Sample, ...]:
        return tuple(each for each in self.samples if each.failures)

    @property
    def fails(self) -> bool | None:
        """Most of its seeds fail; None where requests that failed could decide it."""
        unknown = sum(each.health is None for each in self.samples)
        if 2 * len(self.failing) > len(self.samples):
            return True
        return None if 2 * (len(self.failing) + unknown) > len(self.samples) else False

    @property
    def kinds(self) -> tuple[str, ...]:
        """Which failures, the commonest first."""
        return tuple(name for name, _ in Counter(
            name for each in self.failing for name in each.failures
        ).most_common())  # fmt: skip

    @property
    def worst(self) -> Sample:
        """The one with most failures, and of those with equally many the longest."""
        return max(self.samples, key=lambda each: (len(each.failures), len(each.text)))


def group_samples(
    samples: Sequence[Sample],
) -> tuple[tuple[PromptSamples, ...], tuple[PromptSamples, ...]]:
    """By prompt: what was sampled, and what was greedy; at temperature 0 all counts as sampled."""
    greedy = [each for each in samples if not each.temperature]
    sampled = [each for each in samples if each.temperature]
    return (_by_prompt(sampled), _by_prompt(greedy)) if sampled else (_by_prompt(greedy), ())


def _by_prompt(samples: Sequence[Sample]) -> tuple[PromptSamples, ...]:
    found: dict[str, list[Sample]] = {}
    for each in samples:
        found.setdefault(each.id, []).append(each)
    return tuple(
        PromptSamples(id=name, prompt=some[0].prompt, samples=tuple(some))
        for name, some in found.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFigures:
    """Its score in points, the share of each category, and by category and id the score of every
    test. `unqualified`: judges that its scores rest on. `baseline`: the best share that an answer
    gets which knows nothing; `baselines`: of each such answer the share of every category.
    """

    score: Estimate
    categories: Mapping[str, Estimate]
    scores: Mapping[str, Mapping[str, float]]
    digest: str = ""
    unqualified: tuple[str, ...] = ()
    baseline: float | None = None
    baselines: tuple[Mapping[str, float], ...] = ()
    right_bits: Estimate | None = None  # bits per byte of the right answers
    # With --decide: what its criterion is after part of the tests, and how many were not asked.
    early: EarlyDecision | None = None
    left: int = 0
    # Of lm-evaluation-harness, by TASK/METRIC.
    metrics: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFigures:
    """How it read the held-out text. `blocks`: natural log-likelihood and tokens of every document,
    or of every block of the only one, in order; `hits`: how many of its tokens were the first
    guess, and among the first five. `text` and `tokenizer` say whether two checkpoints can be
    compared by token. `vocabulary`: how many tokens the weights know. `by_context`,
    `tokenizer_fault` and `by_divisor`: as in ReadText.
    """

    perplexity: Estimate
    per_word: Estimate | None
    per_byte: Estimate | None
    bits_per_byte: Estimate | None
    top1: Estimate
    top5: Estimate
    blocks: tuple[tuple[float, int], ...]
    text: str
    tokenizer: str
    window: int | None = None
    stride: int | None = None
    vocabulary: int | None = None
    by_context: tuple[tuple[float, int], ...] = ()
    tokenizer_fault: str = ""
    by_divisor: tuple[tuple[float, float, int], ...] = ()
    hits: tuple[tuple[int, int], ...] = ()

    def without_endless(self) -> "TextFigures":
        """Without blocks where one is not a number: nothing can be drawn from the rest."""
        usable = all(math.isfinite(likelihood) for likelihood, _ in self.blocks)
        return self if usable else replace(self, blocks=(), hits=())


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedFigures:
    """Decoding on the CPU in a process of its own: the median, every run, and `details`."""

    tokens_per_s: Estimate
    runs_per_s: tuple[float, ...]
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """One checkpoint. `name` is PARENT/STEP; `step` the last number in its name, None for `final`.
    What was not asked for or could not be measured is None, and `not_measured` says why. `failed`:
    why it could not be evaluated at all. Checkpoints of one `shape` have one speed and one memory.
    `sample_judges`: who judged the samples, and whether each is qualified.
    """

    name: str
    path: str
    step: float | None
    parameters: int | None = None
    size_class: SizeClass | None = None
    fingerprint: str = ""
    shape: str = ""
    text: TextFigures | None = None
    texts: Mapping[str, TextFigures] = field(default_factory=dict)  # by the names given to them
    suites: Mapping[str, SuiteFigures] = field(default_factory=dict)
    # By suite, the tests that took no part in the selection, where they were asked.
    confirming: Mapping[str, SuiteFigures] = field(default_factory=dict)
    mmlu_cs: Estimate | None = None
    hellaswag: Estimate | None = None
    speed: SpeedFigures | None = None
    memory_mb: Estimate | None = None
    memory: Mapping[str, Any] = field(default_factory=dict)
    samples: tuple[Sample, ...] | None = None
    sample_judges: Mapping[str, bool] = field(default_factory=dict)
    tokenizer: tuple[TokenizerFigures, ...] = ()
    not_measured: Mapping[str, str] = field(default_factory=dict)
    training_loss: Mapping[float, float] = field(default_factory=dict)
    timestamp: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    failed: str = ""
    figures: Mapping[str, Estimate] = field(default_factory=dict)  # of measures without a field


class ChangedFigure(NamedTuple):
    """From a base to what was made of it."""

    measure: str
    unit: Literal["nats", "points"]
    change: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCriterion:
    """One limit of a gate. `passed` None: not measured, so that nothing can be said, or the gate
    decides nothing. `marginal`: the interval of the value includes the limit.
    """

    passed: bool | None
    marginal: bool
    value: float | None
    limit: float | None
    reasons: tuple[DecisionFact, ...]
    clear: bool = False  # it passes with its whole interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFromBase:
    """Of an adapter against its base. `gain`: positive is better. `counts`: beyond chance."""

    measure: str  # perplexity, suite:NAME
    change: Estimate
    gain: float
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """Any criterion false: not accepted; else any unknown: unknown. Criteria in the gate's order,
    further suites as `suite:NAME`.
    """

    accepted: bool | None
    criteria: Mapping[str, GateCriterion]

    @property
    def clear(self) -> bool:
        """Every criterion passes with its whole interval."""
        return self.accepted is True and all(each.clear for each in self.criteria.values())


Part = str  # perplexity, os_benchmark, domain, suite:NAME, …


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedScore:
    """What each part adds, None where not measured; `estimate`: their sum, None without parts."""

    estimate: Estimate | None
    parts: Mapping[Part, Estimate | None]
    weights: Mapping[Part, float] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        return self.estimate.value if self.estimate else None

    @property
    def adds(self) -> dict[Part, float | None]:
        return {part: of.value if of else None for part, of in self.parts.items()}

    @property
    def missing(self) -> tuple[Part, ...]:
        return tuple(part for part, of in self.parts.items() if of is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSignal:
    """One suite over the steps of a folder. `change`: in points, from the first third of the steps
    to the last, or `by_the_way` between those two; `noise`: between neighbours; `guesses`: no step
    is above guessing; `bits`: per byte of the right answers, first and last.
    """

    suite: str
    change: Estimate
    noise: float
    guesses: bool
    carries: bool
    bits: tuple[Estimate | None, Estimate | None] = (None, None)
    by_the_way: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """`weighted_score`: over the parts it has; `ranking_score`: over those that all have."""

    name: str
    accepted: bool | None
    weighted_score: float | None
    ranking_score: float | None
    missing_parts: tuple[Part, ...]
    failed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which one to ship. `selected` None: none passes, and `reasons` say what `best_so_far`
    lacks. `difference`: the selected one's ranking score less the runner-up's; an interval across 0
    is a tie. `confirmed`: by tests that took no part in it, None where the gate keeps none.
    `max_by_formula`: the maximum of the specification's formula, where it is another one.
    `attempts`: the runs so far against this gate.
    """

    selected: str | None
    best_so_far: str | None
    reasons: tuple[DecisionFact, ...]
    tie: bool
    tied_with: tuple[str, ...]
    ranking: tuple[Ranked, ...]
    ranked_on: tuple[Part, ...]
    difference: Estimate | None
    gate: str
    timestamp: str
    notes: tuple[DecisionFact, ...] = ()
    confirmed: bool | None = None
    max_by_formula: str | None = None
    attempts: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCheckpoint:
    """`spec` names it among the run's models. `folder`: the model folder, empty if it was named
    itself. `failed`: why it could not be opened. `training`: step and loss as its trainer logged
    them, or in `training_note` why not. `is_base`: of the adapters in its folder.
    """

    spec: str
    name: str  # PARENT/STEP
    path: str
    step: float | None
    folder: str = ""
    failed: str = ""
    training: tuple[tuple[float, float], ...] = ()
    training_note: str = ""
    is_base: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedText:
    """A text by its name; `file` for people to read. `is_perplexity`: perplexity is its own too."""

    name: str
    file: str
    digest: str
    is_perplexity: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionPlan:
    """What a run decides on, stored with it. `selects`: the gate decides, else it only reports.
    `asked`: the user named the gate. `top`: the folder of all model folders. `samples`: prompts,
    where not those that ship. `leaves`: reports and selections are left as files.
    """

    subjects: tuple[PlannedCheckpoint, ...]
    measures: tuple[MeasureKind, ...]
    gate: Gate
    selects: bool = False
    asked: bool = False
    text: str = ""  # what perplexity was measured on, for people to read
    text_digest: str = ""
    texts: tuple[NamedText, ...] = ()  # those that were given a name
    train_text: str = ""  # likewise, of the training text
    train_text_digest: str = ""
    samples: tuple[SamplePrompt, ...] = ()
    top: str = ""
    write_back: bool = True
    leaves: bool = True
    confirming: Mapping[str, str] = field(default_factory=dict)  # suites, by what they confirm with
    early: bool = False  # stop asking when every criterion is decided


# A measure's name; of suites "domain"; "trend" and "missing"; FAULT: of the checkpoint itself.
Concern = str
FAULT: Concern = "fault"


@dataclass(frozen=True, slots=True)
class Recommendation:
    concern: Concern
    advice: DecisionFact
    figures: tuple[DecisionFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSpread:
    """One figure over several trainings of one shape. `between`: their standard deviation;
    `within`: the standard error of one over its tests or documents, None where one has none.
    """

    figure: str  # perplexity, suite:NAME
    trainings: int
    mean: float
    between: float
    within: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """By a checkpoint's name: how it fares at the gate, what it is worth, the advice, what no
    criterion covers; by model folder: its checkpoints, the one to ship, which suites carry signal.
    `gate_decides`: else the gate only reports. `changes`: what each adapter changed.
    """

    gate: Gate
    measured: tuple[Measurements, ...]
    acceptances: Mapping[str, Acceptance]
    weighted: Mapping[str, WeightedScore]
    advice: Mapping[str, tuple[Recommendation, ...]]
    not_covered: Mapping[str, tuple[DecisionFact, ...]] = field(default_factory=dict)
    folders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    selections: Mapping[str, Selection] = field(default_factory=dict)
    signals: Mapping[str, tuple[SuiteSignal, ...]] = field(default_factory=dict)
    overall: Selection | None = None
    gate_decides: bool = True
    changes: Mapping[str, tuple[ChangeFromBase, ...]] = field(default_factory=dict)
    trainings: tuple[TrainingSpread, ...] = ()  # between the model folders
