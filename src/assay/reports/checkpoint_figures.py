"""The checkpoints of one model folder as renderers see them: named figures, names, marks.

In: `Measured` checkpoints with what was decided of them. Out: an `Evaluated`, and from it for each
checkpoint its figures under the names of `evaluation_report.json`. One mean is formed here and
nothing is decided: the mean of the categories that a gate asks for, as `stats` forms it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import NamedTuple

from assay import stats
from assay.messages import tr, trn
from assay.text.number_format import readable
from assay.types import Estimate
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    Acceptance,
    Criterion,
    Gate,
    Measured,
    SizeClass,
    SuiteLimit,
    TextFigures,
)

MARGINAL = "~"
OS_AVERAGE = "os_benchmark.avg"
OF_TEXT = (
    "perplexity", "perplexity_per_word", "perplexity_per_byte", "bits_per_byte", "accuracy_top1",
    "accuracy_top5",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """One model folder: its checkpoints in step order, and what was decided, by their names.

    A weighted score may come with its interval or bare. `selected`: a name, or None.
    """

    checkpoints: Sequence[Measured]
    gate: Gate
    acceptances: Mapping[str, Acceptance] = field(default_factory=dict)
    weighted_scores: Mapping[str, Estimate | float | None] = field(default_factory=dict)
    selected: str | None = None


class Figure(NamedTuple):
    """A number that was measured; limits and n where they are known."""

    value: float
    low: float | None
    high: float | None
    n: int | None
    unit: str
    incomplete: bool = False


class SuiteAsked(NamedTuple):
    """A suite that the gate asks for: the names of its criterion and of its figure, and the limit,
    which is only to be drawn where the gate has suites.
    """

    criterion: str
    figure: str
    limit: SuiteLimit


# ------------------------------------------------------------------------------------------ figures


def in_words(figure: Figure) -> str:
    """46.8 [42.9–51.0] n=27: what is known of it, in three digits."""
    shown = readable(figure.value)
    if figure.low is not None or figure.high is not None:
        low, high = ("?" if end is None else readable(end) for end in (figure.low, figure.high))
        shown = f"{shown} [{low}–{high}]"
    if figure.n is not None:
        shown = f"{shown} n={figure.n:,}"
    return tr("{figure}, incomplete", figure=shown) if figure.incomplete else shown


def figures(of: Evaluated, checkpoint: Measured) -> dict[str, Figure | None]:
    """Every figure by its name; None where it was not measured."""
    text, speed = checkpoint.text, checkpoint.speed
    return {
        **(_of_text(text) if text is not None else dict.fromkeys(OF_TEXT)),
        "mmlu_cs": _figure(checkpoint.mmlu_cs),
        "hellaswag": _figure(checkpoint.hellaswag),
        OS_AVERAGE: mean_of_suite(checkpoint, _os_benchmark()),
        **{each.figure: mean_of_suite(checkpoint, each.limit) for each in suites_asked(of)},
        **dict(_categories(checkpoint)),
        "inference_speed": _figure(speed.tokens_per_s) if speed is not None else None,
        "memory_usage_mb": _figure(checkpoint.memory_mb),
        "generation_failures": generation_failures(of, checkpoint),
        "weighted_score": weighted_score(of, checkpoint),
    }


def _of_text(text: TextFigures) -> dict[str, Figure | None]:
    found = (
        text.perplexity,
        text.per_word,
        text.per_byte,
        text.bits_per_byte,
        text.top1,
        text.top5,
    )
    return dict(zip(OF_TEXT, map(_figure, found), strict=True))


def suites_asked(of: Evaluated) -> list[SuiteAsked]:
    """The suites of the gate in its order; the OS benchmark where it asks for none. A gate may ask
    of one suite twice, of other categories each time.
    """
    found: dict[str, SuiteAsked] = {}
    for limit in of.gate.suites:
        if limit.name == OS_SUITE and "os_benchmark" not in found:
            name = "os_benchmark"
        else:
            name = _free_name(f"suite:{limit.name}", found)
        is_average = name == "os_benchmark" and set(limit.categories) == set(OS_AVERAGED)
        found[name] = SuiteAsked(name, OS_AVERAGE if is_average else name, limit)
    return list(found.values()) or [SuiteAsked("os_benchmark", OS_AVERAGE, _os_benchmark())]


def _free_name(wanted: str, taken: Mapping[str, SuiteAsked]) -> str:
    """As `decide` names criteria: suite:NAME, suite:NAME:2, suite:NAME:3."""
    numbered = (f"{wanted}:{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)


def _os_benchmark() -> SuiteLimit:
    return SuiteLimit(name=OS_SUITE, min=0.0, categories=OS_AVERAGED)


def mean_of_suite(checkpoint: Measured, limit: SuiteLimit) -> Figure | None:
    """The mean of the categories that a limit names; None unless all of them were measured."""
    suite = checkpoint.suites.get(limit.name)
    if suite is None:
        return None
    names = limit.categories or tuple(suite.categories)
    return _figure(stats.even_mean([suite.categories.get(name) for name in names]))


def weighted_score(of: Evaluated, checkpoint: Measured) -> Figure | None:
    """The score it was ranked by."""
    score = of.weighted_scores.get(checkpoint.name)
    if isinstance(score, Estimate):
        return _figure(score)
    return None if score is None else Figure(float(score), None, None, None, "score")


def generation_failures(of: Evaluated, checkpoint: Measured) -> Figure | None:
    """How many samples loop, repeat themselves or make no sense: as the gate counted them."""
    if checkpoint.samples is None:
        return None
    examined = [sample.health for sample in checkpoint.samples if sample.health is not None]
    if not examined:
        return None
    criterion = _criterion(of, checkpoint, "generation")
    if criterion is not None and criterion.value is not None:
        failing = criterion.value
    else:
        failing = sum(bool(health.failures) for health in examined)
    return Figure(failing, None, None, len(examined), "samples")


def _categories(checkpoint: Measured) -> Iterator[tuple[str, Figure | None]]:
    for name, suite in checkpoint.suites.items():
        if name != OS_SUITE:
            yield f"suite:{name}.score", _figure(suite.score)
        for category, estimate in suite.categories.items():
            parent = "os_benchmark" if name == OS_SUITE else f"suite:{name}"
            yield f"{parent}.{category}", _figure(estimate)


def _figure(estimate: Estimate | None) -> Figure | None:
    if estimate is None or estimate.value is None:
        return None
    return Figure(
        estimate.value, estimate.low, estimate.high, estimate.n, estimate.unit, estimate.incomplete
    )


# --------------------------------------------------------------------------------- what was decided


def perplexity_limits(of: Evaluated) -> list[float]:
    """One for each size class among the checkpoints, lowest first."""
    return _limits(of, "perplexity", of.gate.perplexity_max)


def speed_limits(of: Evaluated) -> list[float]:
    """The same for tokens per second."""
    return _limits(of, "speed", of.gate.speed_min)


def _limits(of: Evaluated, name: str, by_class: Mapping[SizeClass, float] | None) -> list[float]:
    found: set[float] = set()
    for checkpoint in of.checkpoints:
        criterion = _criterion(of, checkpoint, name)
        if criterion is not None and criterion.limit is not None:
            found.add(criterion.limit)
        elif by_class is not None and checkpoint.size_class is not None:
            found.add(by_class[checkpoint.size_class])
    return sorted(found)


def marginal(of: Evaluated, checkpoint: Measured, name: str | None = None) -> bool:
    """Whether an interval lies across its limit: that of one criterion, or of any."""
    acceptance = of.acceptances.get(checkpoint.name)
    if acceptance is None:
        return False
    asked = acceptance.criteria.values() if name is None else [acceptance.criteria.get(name)]
    return any(criterion is not None and criterion.marginal for criterion in asked)


def verdict(of: Evaluated, checkpoint: Measured, *, brief: bool = False) -> str:
    """Yes, no or ?, and whether that is marginal; in one or two words, or with a mark."""
    acceptance = of.acceptances.get(checkpoint.name)
    if checkpoint.failed:
        return tr("failed")
    if acceptance is None:
        return "–"
    shown = {True: tr("yes"), False: tr("no"), None: "?"}[acceptance.accepted]
    if not marginal(of, checkpoint):
        return shown
    return f"{shown} {MARGINAL}" if brief else tr("{verdict}, marginal", verdict=shown)


def _criterion(of: Evaluated, checkpoint: Measured, name: str) -> Criterion | None:
    acceptance = of.acceptances.get(checkpoint.name)
    return acceptance.criteria.get(name) if acceptance is not None else None


# -------------------------------------------------------------------------------------------- names


def parent_of(checkpoints: Sequence[Measured]) -> str | None:
    """The folder that all names begin with, if there is one."""
    parents = {checkpoint.name.rpartition("/")[0] for checkpoint in checkpoints}
    only = parents.pop() if len(parents) == 1 else ""
    return only or None


def short_name(checkpoint: Measured, parent: str | None) -> str:
    """Its name without what all have in common."""
    return checkpoint.name if parent is None else checkpoint.name[len(parent) + 1 :]


def how_many(checkpoints: Sequence[Measured]) -> str:
    """3 checkpoints."""
    return trn("{count} checkpoint", "{count} checkpoints", len(checkpoints))
