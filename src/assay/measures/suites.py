"""What a model scores on suites: any of them can be a criterion of a gate (`[[suite]]`).

The mean of the categories asked for counts, and one that was not run leaves it unknown. With
`above_guessing` the interval decides: a value above the best baseline whose interval includes it
fails.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, NamedTuple

from annotated_types import Len

from assay.files.fields import Distinct, Doc, Mistake, Rule, Text
from assay.files.wording import shown as shown_text
from assay.measures.limits import against, all_of, doubted, failing, unknown, why_not
from assay.measures.task_metrics import PREFIX as TASK
from assay.measures.task_metrics import (
    SENTENCES,
    is_metric_clear,
    metric_criterion,
    metric_of,
    refuse_senseless,
)
from assay.messages import message, message_n, tr
from assay.plugins import measure
from assay.stats import composite, estimates
from assay.stats.estimates import PART_OF_TESTS
from assay.stats.looks import weighted_lower_bound
from assay.stats.suite_changes import asked_alike, beside_guessing, change_by_tests, is_above
from assay.text.number_format import exact
from assay.text.safe_text import harmless
from assay.types import Estimate
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    Acceptance,
    ChangedFigure,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    Recommendation,
    SuiteFigures,
    SuiteLimit,
    fact,
)
from assay.types.documents import STAYS
from assay.types.early import EarlyDecision
from assay.types.measures import (
    CurvePanel,
    FigureColumn,
    FollowedFigure,
    Measure,
    Places,
    TakenReplies,
)
from assay.types.results import SuiteSummary
from assay.types.score_parts import CommonScale, ScorePiece, WeighedPart
from assay.types.score_units import ScoreUnits, UnitTable
from assay.types.suites import own_name
from assay.types.trends import ComparedSteps, Point, Trend

RIGHT_BITS = "right_bits_per_byte"  # of a suite's measurements
OS_AVERAGE = "os_benchmark.avg"
OS_BENCHMARK = SuiteLimit(name=OS_SUITE, min=0.0, categories=OS_AVERAGED)
SAMPLED = "sampled"  # the method of shares whose predictions were sampled, not searched for
DOMAIN = "domain"  # the part of the score that the suites of a gate have in place of the os suite
PREFIX = "suite:"
OF_OTHERS = (OS_SUITE, "mmlu", "hellaswag")  # whose scores have keys of their own
LONGEST_HEAD = 16
Pairs = tuple[list[float], list[float]]


@dataclass(frozen=True)
class SuiteTable:
    name: Annotated[Text, Doc("The suite's name, as `assay suites` and reports show it.")]
    min: (
        Annotated[
            float,
            Doc(
                "The mean score, from 0 to 1, must be above this; with `metric`, its value in its "
                "own unit."
            ),
        ]
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
    metric: (
        Annotated[
            Text,
            Doc("A metric of lm-eval:TASK, as the harness names it, such as acc_norm."),
        ]
        | None
    ) = None
    max: Annotated[float, Doc("The metric must be below this, in its own unit.")] | None = None


def _refuse_second_limits(suites: Sequence[SuiteTable]) -> Sequence[SuiteTable]:
    names = [(own_name(suite.name), suite.metric) for suite in suites]
    for index, (name, metric) in enumerate(names):
        if (name, metric) in names[:index]:
            message = tr("the suite '{name}' has a limit already; keep one", name=shown_text(name))
            raise Mistake(message, (index, "name"))
    return suites


def _refuse_no_limit(suite: SuiteTable) -> SuiteTable:
    refuse_senseless(suite.name, suite.metric, suite.min, suite.max)
    if suite.metric is not None:
        return suite
    if suite.min is not None and not 0 <= suite.min < 1:
        wanted = tr("a number, at least 0, below 1")
        got = exact(suite.min)
        raise Mistake(
            lambda field: tr("'{field}' must be {wanted}, not {got}{hint}",
                             field=field, wanted=wanted, got=got, hint=""),
            ("min",),
        )  # fmt: skip
    if suite.min is None and not suite.above_guessing:
        message = tr("the suite '{name}' has no limit; give it 'min' or 'above_guessing = true'",
                     name=shown_text(suite.name))  # fmt: skip
        raise Mistake(message, ("name",))
    return suite


class SuiteAsked(NamedTuple):
    """A suite of the gate: the names of its criterion and of its figure, and the limit."""

    criterion: str
    figure: str
    limit: SuiteLimit


def suites_asked(gate: Gate) -> list[SuiteAsked]:
    found = []
    for name, limit in gate.suite_criteria().items():
        averaged = name == "os_benchmark" and set(limit.categories) == set(OS_AVERAGED)
        found.append(SuiteAsked(name, OS_AVERAGE if averaged else name, limit))
    return found or [SuiteAsked("os_benchmark", OS_AVERAGE, OS_BENCHMARK)]


@measure("suite", unit="points", better="higher")
class Suites(Measure):
    """What it scores on suites."""

    places = Places(keys=55, gate=90, advice=20, table=20)
    shapes = {
        "suites": (dict[str, SuiteFigures], ...),
        "confirming": (dict[str, SuiteFigures], {}),
    }
    no_table = ()
    table = Annotated[
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
    ]
    gate_fields = ("suites",)
    sentences = {
        **SENTENCES,
        "suite_passes": message(
            "The categories of {suite} have a mean of {value:beside}, above {limit:beside}."
        ),
        "suite_fails": message(
            "The categories of {suite} have a mean of {value:beside}, not above {limit:beside}."
        ),
        "decided_by_part": message(
            "{asked} of {tests} tests were asked; the full suite would say the same, error at most "
            "5 %."
        ),
        "part_leaves_open": message(
            "{asked} of {tests} tests leave open what the full suite would say; about {more} more "
            "would decide it."
        ),
        "unscored_leave_open": message(
            "All {tests} tests were asked, and those without a score ({unscored}) leave open what "
            "the full suite would say."
        ),
        "asked_for_another_limit": message(
            "Only part of {suite} was asked, which decided another limit; what is known of the "
            "full suite, {low:beside} to {high:beside}, includes this one."
        ),
        "suite_not_measured": message("The suite {suite} was not run."),
        "suite_empty": message(
            "The suite {suite} has no value: nothing was scored in {categories}."
        ),
        "above_guessing": message("{suite}: {value} is above guessing (best baseline {guess})."),
        "at_guessing": message(
            "{suite}, in points: {value:points} is not above guessing (best baseline "
            "{guess:points})."
        ),
        "baseline_unknown": message("The baseline of the suite {suite} is not known."),
        "part_is_noise": message(
            "Ranked without {part}: over these steps the suite {suite} is noise, and decides "
            "nothing."
        ),
        "asked_in_two_ways": message(
            "Ranked without {part}: for some checkpoints the best predictions were searched for, "
            "for others they were sampled, and the two are never ranked side by side."
        ),
        "tests_unpaired": message("{a} and {b} share too few tests of {suite}: compared unpaired."),
        "tests_differ": message(
            "{a} and {b} were not scored on the same tests of {suite}: compared on those they "
            "share."
        ),
        "data_on_category": message_n(
            "More training data for {categories}, the lowest category of {suite}.",
            "More training data for {categories}, which are equally low in {suite}.",
        ),
        "train_longer_first": message(
            "For {suite}, train longer first: the run still learns; change the mixture only if "
            "{suite} stays low."
        ),
        "subject_is_missing": message(
            "Perplexity is fine and {suite} is low, so the subject is missing rather than the "
            "language: raise its share in the mixture, or fine-tune on it."
        ),
        "raise_share": message(
            "Raise the share of the subject of {suite} in the mixture for the next run; "
            "fine-tuning on it comes after a better base."
        ),
        "suite_level": message("{suite}: {value:beside}, limit above {limit}"),
        "category_level": message("{category}: {value}"),
    }

    def take(self, measured: Measurements, taken: TakenReplies) -> Measurements:
        found = {
            each.suite: suite_figures(
                each, taken.digests.get(each.suite, ""), taken.unqualified.get(each.suite, ())
            )
            for each in taken.summaries
        }
        kept_back = taken.deciding.confirming if taken.deciding else {}
        confirming = {kept_back[name]: of for name, of in found.items() if name in kept_back}
        suites = {name: of for name, of in found.items() if name not in kept_back}
        return replace(measured, suites=suites, confirming=confirming)

    def details(self, measured: Measurements) -> Mapping[str, object]:
        return {"suites": measured.suites, "confirming": measured.confirming}

    def read(self, measured: Measurements, details: Any) -> Measurements:
        return replace(measured, suites=details.suites, confirming=details.confirming)

    def shown(
        self, measured: Measurements, gate: Gate, criteria: Mapping[str, GateCriterion]
    ) -> Mapping[str, Estimate | None]:
        asked = {each.figure: mean_of_suite(measured, each.limit) for each in suites_asked(gate)}
        return {**asked, **dict(_categories(measured))}

    def columns(self, gate: Gate, shown: Iterable[str]) -> Iterator[FigureColumn]:
        """The mean of each suite of the gate, as its file names it, and the points of the rest."""
        asked = suites_asked(gate)
        for place, each in enumerate(asked):
            rank = 90 if place else STAYS
            yield FigureColumn(_head(each.criterion), each.figure, rank, 30)
        known_already = {f"suite:{each.limit.name}.score" for each in asked}
        for name in shown:
            if name.endswith(".score") and name not in known_already:
                head = _head(name.removeprefix("suite:").removesuffix(".score"))
                yield FigureColumn(tr("{suite}, points", suite=head), name, 45, 32)

    def panels(self, gate: Gate, limits: Callable[[str], Sequence[float]]) -> Iterator[CurvePanel]:
        for asked in suites_asked(gate):
            limit = asked.limit
            drawn = [limit.min] if gate.suites and limit.min is not None else []
            least = [(each, f"> {exact(each)}") for each in drawn]
            least += [(limit.max, f"< {exact(limit.max)}")] if limit.max is not None else []
            yield CurvePanel(asked.figure, _title(limit), asked.criterion, least)

    def followed(self, gate: Gate) -> Iterator[FollowedFigure]:
        for asked in suites_asked(gate):
            yield FollowedFigure(asked.figure, asked.criterion, asked.criterion)

    def limits_of(self, table: Sequence[SuiteTable]) -> Mapping[str, Any]:
        limits = (SuiteLimit(**asdict(suite)) for suite in table)
        return {"suites": tuple(replace(each, name=own_name(each.name)) for each in limits)}

    def complete_schema(self, schema: dict[str, Any]) -> None:
        limits = ("min", "above_guessing", "max")
        share = {"minimum": 0, "exclusiveMaximum": 1}
        of_task = {"pattern": f"^{TASK}"}
        schema["items"] |= {
            "anyOf": [{"required": [limit]} for limit in limits],
            "if": {"required": ["metric"]},
            "then": {
                "properties": {"name": of_task},
                "oneOf": [{"required": ["min"]}, {"required": ["max"]}],
            },
            "else": {"properties": {"name": {"not": of_task}, "min": share, "max": False}},
        }

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        asked = gate.suite_criteria().items()
        return {
            name: metric_criterion(measured, limit)
            if limit.metric
            else suite_criterion(measured, limit)
            for name, limit in asked
            if name != "os_benchmark"
        }

    def is_clear(
        self,
        name: str,
        criterion: GateCriterion,
        measured: Measurements,
        gate: Gate,
        tail: float,
    ) -> bool:
        limit = gate.suite_criteria()[name]
        clear = is_metric_clear if limit.metric else is_suite_clear
        return clear(measured, limit, tail)

    def has_part(self, key: str) -> bool:
        return key.startswith(PREFIX)

    def score_part(self, key: str, weight: float, gate: Gate) -> WeighedPart:
        if key == DOMAIN:
            asked = tuple(
                dict.fromkeys(
                    replace(limit, metric=None, min=None, max=None) if limit.metric else limit
                    for limit in gate.suites
                    if limit.name != OS_SUITE
                )
            )
            return TestsPart(name=key, weight=weight, asked=asked)
        name = key.removeprefix(PREFIX)
        limits = {limit.name: limit for limit in gate.suites if not limit.metric}
        limit = limits.get(name, SuiteLimit(name=name))
        return TestsPart(name=key, weight=weight, asked=(limit,))

    def measured_parts(self, measured: Measurements) -> Iterator[str]:
        for name, suite in measured.suites.items():
            if suite.score.n and name not in OF_OTHERS:
                yield PREFIX + name

    def not_covered(self, measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
        asked = {limit.name for limit in gate.suites if limit.above_guessing}
        for name, suite in measured.suites.items():
            share, guess = beside_guessing(suite)
            if name not in asked and share and guess is not None and not is_above(share, guess):
                yield fact("at_guessing", suite=name, value=share, guess=guess)

    def remedies(
        self, measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
    ) -> Iterator[list[Recommendation]]:
        for key, limit in gate.suite_criteria().items():
            at = failing(acceptance.criteria, key)
            if at and limit.name in measured.suites and not limit.metric:
                perplexity = acceptance.criteria.get("perplexity")
                yield _on_suite(measured, limit, *at, perplexity, trend)

    def steps(self, steps: Sequence[Measurements]) -> Iterator[ComparedSteps]:
        for name in sorted({name for each in steps for name in each.suites}):
            if asked_alike(name, steps):
                yield _suite_steps(name, steps)

    def changes(self, base: Measurements, adapted: Measurements) -> Iterator[ChangedFigure]:
        for name in sorted(base.suites.keys() & adapted.suites.keys()):
            change = change_by_tests(base.suites[name], adapted.suites[name])
            if change is not None and change.n:
                yield ChangedFigure(f"suite:{name}", "points", change)


def _head(name: str) -> str:
    return harmless(name, longest=LONGEST_HEAD)


def _title(limit: SuiteLimit) -> str:
    if limit.metric:
        return tr("{suite}: {metric}", suite=limit.name, metric=limit.metric)
    if not limit.categories:
        return tr("{suite}: mean of its categories", suite=limit.name)
    categories = ", ".join(limit.categories)
    return tr("{suite}: mean of {categories}", suite=limit.name, categories=categories)


def suite_figures(
    summary: SuiteSummary, digest: str, unqualified: tuple[str, ...] = ()
) -> SuiteFigures:
    scores: dict[str, dict[str, float]] = {}
    for row in summary.tests:
        if row.score is not None:
            scores.setdefault(row.category, {})[row.id] = row.score
    known = summary.baselines
    return SuiteFigures(
        score=summary.score,
        categories=summary.categories,
        scores=scores,
        digest=digest,
        unqualified=unqualified,
        baseline=None if known is None or known.best is None else known.best / 100,
        baselines=known.shares if known else (),
        right_bits=summary.measurements.get(RIGHT_BITS),
        metrics=summary.metrics,
        early=summary.early,
        left=summary.left,
    )


def mean_of_suite(checkpoint: Measurements, limit: SuiteLimit) -> Estimate | None:
    suite = checkpoint.suites.get(limit.name)
    if suite is None:
        return None
    if limit.metric:
        return metric_of(checkpoint, limit)
    names = limit.categories or tuple(suite.categories)
    return _with_ends(
        estimates.even_mean([suite.categories.get(name) for name in names]), suite, names
    )


def _with_ends(mean: Estimate | None, suite: SuiteFigures, names: Sequence[str]) -> Estimate | None:
    """Of part of the tests, with the interval that holds whenever the asking stopped."""
    early = suite.early
    if mean is None or mean.value is None or early is None or not early.is_partial:
        return mean
    if set(early.categories) != set(names):
        return mean
    low, high = min(early.low, mean.value), max(early.high, mean.value)
    return replace(mean, low=low, high=high, method=PART_OF_TESTS)


def _categories(checkpoint: Measurements) -> Iterator[tuple[str, Estimate]]:
    for name, suite in checkpoint.suites.items():
        if name != OS_SUITE:
            yield f"suite:{name}.score", suite.score
        for category, estimate in suite.categories.items():
            parent = "os_benchmark" if name == OS_SUITE else f"suite:{name}"
            yield f"{parent}.{category}", estimate


def suite_criterion(measured: Measurements, asked: SuiteLimit) -> GateCriterion:
    """The mean of the categories asked for; one that was not run leaves it unknown."""
    suite = measured.suites.get(asked.name)
    why = why_not(measured, asked.name)
    if suite is None:
        return unknown(None, asked.min, fact("suite_not_measured", suite=asked.name), *why)
    names = asked.categories or tuple(suite.categories)
    shares = {name: suite.categories.get(name) for name in names}
    mean = _with_ends(beside_guessing(suite, names)[0], suite, names)
    if mean is None:
        missing = tuple(name for name, share in shares.items() if not share or not share.n)
        empty = fact("suite_empty", suite=asked.name, categories=missing)
        return unknown(None, asked.min, empty, *why)
    incomplete = [
        (name, share) for name, share in shares.items() if share is not None and share.incomplete
    ]
    found = []
    if asked.min is not None:
        found.append(against("suite", mean, asked.min, better="higher", suite=asked.name))
    if asked.above_guessing:
        found.append(_above_guessing(suite, asked))
    both = replace(
        next((each for each in found if each.passed is False), found[0]),
        passed=all_of([each.passed for each in found]),
        marginal=any(each.marginal for each in found),
        reasons=tuple(reason for each in found for reason in each.reasons),
    )
    doubts = (fact("judge_not_qualified", judges=suite.unqualified),) if suite.unqualified else ()
    return doubted(_after_part(both, suite, asked, mean), incomplete, doubts)


def _after_part(
    found: GateCriterion, suite: SuiteFigures, asked: SuiteLimit, mean: Estimate
) -> GateCriterion:
    """With --decide: by what the full suite says or would say. A part that was asked for another
    limit can decide this one by its interval alone.
    """
    early = early_of(suite, asked)
    if early is None:
        if not suite.left or not found.marginal:
            return found
        why = fact("asked_for_another_limit", suite=asked.name, low=mean.low, high=mean.high)
        return replace(found, passed=None, reasons=(*found.reasons, why))
    if early.passed is None:
        kind = "part_leaves_open" if early.asked < early.tests else "unscored_leave_open"
        why = fact(kind, asked=early.asked, tests=early.tests, more=early.more,
                   unscored=early.unscored)  # fmt: skip
        return replace(found, passed=None, marginal=True, reasons=(why,))
    if not early.is_by_part:
        return replace(found, passed=early.passed)
    kind = "suite_passes" if early.passed else "suite_fails"
    reasons = (
        fact(kind, value=found.value, limit=found.limit, suite=asked.name),
        fact("decided_by_part", asked=early.asked, tests=early.tests),
    )
    return replace(found, passed=early.passed, marginal=False, reasons=reasons)


def early_of(suite: SuiteFigures, asked: SuiteLimit) -> EarlyDecision | None:
    """The decision after part of the tests, if it is on this very limit."""
    early = suite.early
    names = asked.categories or tuple(suite.categories)
    same = early is not None and (early.limit, set(early.categories)) == (asked.min, set(names))
    return early if same else None


def is_suite_clear(measured: Measurements, asked: SuiteLimit, tail: float) -> bool:
    """The interval over tests is above the limit, and above guessing where that is asked."""
    suite = measured.suites.get(asked.name)
    if suite is None or suite.left:  # a part speaks of the full suite, not of models in general
        return False
    names = asked.categories or tuple(suite.categories)
    groups = [(list(suite.scores.get(name, {}).values()), 1.0) for name in names]
    bound = weighted_lower_bound(groups, tail)
    if bound is None or not all(scores for scores, _ in groups):
        return False
    guess = beside_guessing(suite, names)[1] if asked.above_guessing else None
    known = [limit for limit in (asked.min, guess) if limit is not None]
    return bool(known) and bound > max(known)


def _above_guessing(suite: SuiteFigures, asked: SuiteLimit) -> GateCriterion:
    share, guess = beside_guessing(suite, asked.categories)
    if share is None or share.value is None or guess is None:
        return unknown(None, None, fact("baseline_unknown", suite=asked.name))
    passed = is_above(share, guess)
    kind = "above_guessing" if passed else "at_guessing"
    return GateCriterion(
        passed=passed,
        marginal=not passed and share.value > guess,
        value=share.value,
        limit=guess,
        reasons=(fact(kind, suite=asked.name, value=share, guess=guess),),
    )


@dataclass(frozen=True, kw_only=True)
class TestsPart(WeighedPart):
    """The mean of suites, each of its categories (`asked`; all of them where none is named), on 0
    to 1. `figure`: where it is measured by another name.
    """

    __test__ = False  # it is no test of pytest's

    asked: tuple[SuiteLimit, ...]
    figure: Callable[[Measurements], Estimate | None] | None = None

    @property
    def covers(self) -> tuple[str, ...]:
        return (self.name, *(f"suite:{limit.name}" for limit in self.asked))

    @property
    def tests(self) -> tuple[SuiteLimit, ...]:
        return self.asked

    def part_of(self, measured: Measurements, scale: CommonScale) -> Estimate | None:
        if self.figure is not None:
            return self.figure(measured)
        asked = self._kept(scale)
        means = [mean_of_suite(measured, limit) for limit in asked]
        return means[0] if len(asked) == 1 else estimates.even_mean(means)

    def common_scale(self, candidates: Sequence[Measurements], noise: Iterable[str]) -> CommonScale:
        if any(_asked_in_two_ways(candidates, limit) for limit in self.asked):
            note = fact("asked_in_two_ways", part=self.name)
            return CommonScale(usable=False, notes=(note,))
        names = set(noise)
        kept = tuple(limit for limit in self.asked if limit.name not in names)
        notes = tuple(
            fact("part_is_noise", part=self.name, suite=limit.name)
            for limit in self.asked
            if limit.name in names
        )
        return CommonScale(by=kept, usable=bool(kept), notes=notes)

    def difference(
        self, a: Measurements, b: Measurements, scale: CommonScale
    ) -> tuple[ScorePiece | None, tuple[DecisionFact, ...]]:
        asked = self._kept(scale)
        notes: list[DecisionFact] = []
        weighted: list[tuple[list[float], list[float], float]] = []
        for limit in asked:
            categories = _categories_of(limit, (a, b))
            pairs = _pairs(a, b, limit.name, categories)
            notes += _pairing_notes(a, b, limit.name, pairs)
            if not pairs:
                return None, tuple(notes)
            weight = self.weight / len(asked) / len(categories)
            weighted += [(*pair, weight) for pair in pairs.values()]
        return composite.paired_tests(weighted), tuple(notes)

    def units(
        self, candidates: Sequence[Measurements], scale: CommonScale
    ) -> Sequence[ScoreUnits] | None:
        asked = self._kept(scale)
        found: list[ScoreUnits] = []
        for limit in asked:
            categories = _categories_of(limit, candidates)
            units = _tests_by_unit(candidates, limit.name, categories, self.weight / len(asked))
            if not units:
                return None
            found += units
        return found

    def _kept(self, scale: CommonScale) -> tuple[SuiteLimit, ...]:
        """Without those that are noise."""
        kept: tuple[SuiteLimit, ...] | None = scale.by
        return self.asked if kept is None else kept


def _categories_of(limit: SuiteLimit, candidates: Sequence[Measurements]) -> tuple[str, ...]:
    """Those asked for, else all that any candidate has."""
    suites = [each.suites[limit.name] for each in candidates if limit.name in each.suites]
    return limit.categories or tuple(dict.fromkeys(name for of in suites for name in of.categories))


def _asked_in_two_ways(candidates: Sequence[Measurements], limit: SuiteLimit) -> bool:
    """For some the best predictions were searched for, for others sampled."""
    ways = {
        tuple(
            share.method == SAMPLED
            for name in _categories_of(limit, candidates)
            if (share := candidate.suites[limit.name].categories.get(name)) is not None
        )
        for candidate in candidates
        if limit.name in candidate.suites
    }
    return len(ways) > 1


def _tests_by_unit(
    candidates: Sequence[Measurements], suite: str, categories: Sequence[str], weight: float
) -> list[ScoreUnits]:
    """By category the scores of the tests that all have; nothing where one category has none."""
    import numpy as np

    found: list[ScoreUnits] = []
    for category in categories:
        scores = [
            each.suites[suite].scores.get(category, {}) if suite in each.suites else {}
            for each in candidates
        ]
        shared = sorted(set.intersection(*(set(each) for each in scores)))
        if not shared:
            return []
        table = np.array([[each[test] for each in scores] for test in shared], np.float64)
        found.append(UnitTable(values=table * (weight / len(categories))))
    return found


def _pairs(
    a: Measurements, b: Measurements, suite: str, categories: Sequence[str]
) -> dict[str, Pairs]:
    """By category the scores of the tests that both have; nothing where one category has none."""
    found: dict[str, Pairs] = {}
    for category in categories:
        of_a, of_b = (
            side.suites[suite].scores.get(category, {}) if suite in side.suites else {}
            for side in (a, b)
        )
        shared = sorted(of_a.keys() & of_b.keys())
        if not shared:
            return {}
        found[category] = [of_a[test] for test in shared], [of_b[test] for test in shared]
    return found


def _pairing_notes(
    a: Measurements, b: Measurements, suite: str, pairs: Mapping[str, Pairs]
) -> tuple[DecisionFact, ...]:
    """What a reader must know where the two did not answer the same tests."""
    if not pairs:
        return (fact("tests_unpaired", a=a.name, b=b.name, suite=suite),)
    of_a, of_b = a.suites[suite], b.suites[suite]
    same = all(of_a.scores[name].keys() == of_b.scores[name].keys() for name in pairs)
    if same and len({of_a.digest, of_b.digest} - {""}) < 2:
        return ()
    return (fact("tests_differ", a=a.name, b=b.name, suite=suite),)


def _suite_steps(name: str, steps: Sequence[Measurements]) -> ComparedSteps:
    alike = asked_alike(name, steps)
    return ComparedSteps(
        measure=f"suite:{name}",
        unit="points",
        points=tuple(Point(step, suite.score) for step, suite in alike),
        compare=lambda a, b: change_by_tests(alike[a][1], alike[b][1]),
    )


def _on_suite(
    measured: Measurements,
    asked: SuiteLimit,
    value: float,
    limit: float,
    perplexity: GateCriterion | None,
    trend: Trend | None,
) -> list[Recommendation]:
    name, suite = asked.name, measured.suites[asked.name]
    shares = {
        category: share
        for category in asked.categories or tuple(suite.categories)
        if (share := suite.categories.get(category)) is not None and share.n
    }
    least = min(share.value or 0.0 for share in shares.values())
    # Several where several are equally low, as those are in which nothing is right.
    lowest = tuple(
        category
        for category, share in shares.items()
        if math.isclose(share.value or 0.0, least, abs_tol=1e-9)
    )
    level = fact("suite_level", suite=name, value=value, limit=limit)
    figures = (
        level,
        *(fact("category_level", category=each, value=of) for each, of in shares.items()),
    )
    what = fact("data_on_category", count=len(lowest), suite=name, categories=lowest)
    curves = [] if trend is None else [trend.text, trend.curves.get(f"suite:{name}")]
    known = [curve for curve in curves if curve is not None and curve.shape != "too_few"]
    if perplexity is not None and perplexity.passed:
        how = "subject_is_missing"
    else:
        learns = any(curve.shape == "improving" for curve in known)
        how = "train_longer_first" if learns else "raise_share"
    trends = [change for curve in known for change in curve.facts]
    return [
        Recommendation("domain", what, figures),
        Recommendation("domain", fact(how, suite=name), (level, *trends)),
    ]
