"""The checkpoints of one model folder as reports see them: figures, names, decisions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from assay.messages import tr
from assay.stats import estimates
from assay.text.number_format import count, fixed, readable
from assay.types import Estimate
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    Acceptance,
    Decision,
    Gate,
    GateCriterion,
    Measurements,
    Selection,
    SuiteLimit,
    WeightedScore,
    group_samples,
)

OS_AVERAGE = "os_benchmark.avg"
OS_BENCHMARK = SuiteLimit(name=OS_SUITE, min=0.0, categories=OS_AVERAGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedFolder:
    checkpoints: Sequence[Measurements]
    gate: Gate
    acceptances: Mapping[str, Acceptance] = field(default_factory=dict)
    weighted: Mapping[str, WeightedScore] = field(default_factory=dict)
    selected: str | None = None


def evaluated_folder(
    decision: Decision, names: Collection[str], selection: Selection | None
) -> EvaluatedFolder:
    return EvaluatedFolder(
        checkpoints=[each for each in decision.measured if each.name in names],
        gate=decision.gate,
        acceptances=decision.acceptances,
        weighted=decision.weighted,
        selected=selection.selected if selection else None,
    )


class SuiteAsked(NamedTuple):
    """A suite of the gate: the names of its criterion and of its figure, and the limit."""

    criterion: str
    figure: str
    limit: SuiteLimit


def in_words(figure: Estimate) -> str:
    shown = readable(figure.value or 0.0)
    if figure.low is not None or figure.high is not None:
        low, high = ("?" if end is None else readable(end) for end in (figure.low, figure.high))
        shown = f"{shown} [{low}–{high}]"
    shown = f"{shown} n={count(figure.n)}"
    return tr("{figure}, incomplete", figure=shown) if figure.incomplete else shown


def figures(of: EvaluatedFolder, checkpoint: Measurements) -> dict[str, Estimate | None]:
    found = estimates_of(checkpoint)
    speed, memory = found.pop("inference_speed"), found.pop("memory_usage_mb")
    found[OS_AVERAGE] = found.pop("os_benchmark")
    found |= {each.figure: mean_of_suite(checkpoint, each.limit) for each in suites_asked(of)}
    score = of.weighted.get(checkpoint.name)
    parts = score.parts if score else {}
    found |= {
        **dict(_categories(checkpoint)),
        "inference_speed": speed,
        "memory_usage_mb": memory,
        "generation_failures": generation_failures(of, checkpoint),
        "weighted_score": score.estimate if score else None,
        **{f"weighted_score.{part}": each for part, each in parts.items()},
    }
    return {name: each if each and each.n else None for name, each in found.items()}


def parts_in_words(score: WeightedScore) -> str:
    """Perplexity 0.082 + os_benchmark 0.269 + speed 0.146, without mmlu_cs"""
    adds = score.adds.items()
    said = " + ".join(f"{part} {fixed(each, 3)}" for part, each in adds if each is not None)
    missing = ", ".join(score.missing)
    return tr("{parts}, without {missing}", parts=said, missing=missing) if missing else said


def figure_cells(of: Estimate | None) -> tuple[float | None, ...]:
    return (None,) * 4 if of is None else (of.value, of.low, of.high, of.n)


def estimates_of(checkpoint: Measurements) -> dict[str, Estimate | None]:
    text, speed = checkpoint.text, checkpoint.speed
    return {
        "perplexity": text.perplexity if text else None,
        "perplexity_per_word": text.per_word if text else None,
        "perplexity_per_byte": text.per_byte if text else None,
        "bits_per_byte": text.bits_per_byte if text else None,
        "accuracy_top1": text.top1 if text else None,
        "accuracy_top5": text.top5 if text else None,
        "mmlu_cs": checkpoint.mmlu_cs,
        "hellaswag": checkpoint.hellaswag,
        "os_benchmark": mean_of_suite(checkpoint, OS_BENCHMARK),
        "inference_speed": speed.tokens_per_s if speed else None,
        "memory_usage_mb": checkpoint.memory_mb,
    }


def suites_asked(of: EvaluatedFolder) -> list[SuiteAsked]:
    found = []
    for name, limit in of.gate.suite_criteria().items():
        averaged = name == "os_benchmark" and set(limit.categories) == set(OS_AVERAGED)
        found.append(SuiteAsked(name, OS_AVERAGE if averaged else name, limit))
    return found or [SuiteAsked("os_benchmark", OS_AVERAGE, OS_BENCHMARK)]


def mean_of_suite(checkpoint: Measurements, limit: SuiteLimit) -> Estimate | None:
    suite = checkpoint.suites.get(limit.name)
    if suite is None:
        return None
    names = limit.categories or tuple(suite.categories)
    return estimates.even_mean([suite.categories.get(name) for name in names])


def generation_failures(of: EvaluatedFolder, checkpoint: Measurements) -> Estimate | None:
    prompts, _ = group_samples(checkpoint.samples or ())
    examined = [each for each in prompts if any(one.health for one in each.samples)]
    if not examined:
        return None
    criterion = _criteria(of, checkpoint).get("generation")
    counted = criterion.value if criterion is not None else None
    failing = sum(bool(each.fails) for each in examined) if counted is None else counted
    nothing = estimates.nothing(unit="samples", method="counted")
    return replace(nothing, value=failing, n=len(examined))


def _categories(checkpoint: Measurements) -> Iterator[tuple[str, Estimate]]:
    for name, suite in checkpoint.suites.items():
        if name != OS_SUITE:
            yield f"suite:{name}.score", suite.score
        for category, estimate in suite.categories.items():
            parent = "os_benchmark" if name == OS_SUITE else f"suite:{name}"
            yield f"{parent}.{category}", estimate


def limits(of: EvaluatedFolder, name: str) -> list[float]:
    """Those of one criterion, one for each size class among the checkpoints, lowest first."""
    criteria = (_criteria(of, checkpoint).get(name) for checkpoint in of.checkpoints)
    return sorted({each.limit for each in criteria if each and each.limit is not None})


def marginal(of: EvaluatedFolder, checkpoint: Measurements, name: str | None = None) -> bool:
    criteria = _criteria(of, checkpoint).items()
    return any(criterion.marginal for key, criterion in criteria if name in (None, key))


def accepted_words(of: EvaluatedFolder, checkpoint: Measurements) -> str:
    acceptance = of.acceptances.get(checkpoint.name)
    if checkpoint.failed:
        return tr("failed")
    if acceptance is None:
        return "–"
    shown = {True: tr("yes"), False: tr("no"), None: "?"}[acceptance.accepted]
    near = marginal(of, checkpoint)
    if acceptance.accepted is False:  # one limit that is clearly missed decides alone
        missed = (each for each in acceptance.criteria.values() if each.passed is False)
        near = all(each.marginal for each in missed)
    return tr("{accepted}, marginal", accepted=shown) if near else shown


def _criteria(of: EvaluatedFolder, checkpoint: Measurements) -> Mapping[str, GateCriterion]:
    acceptance = of.acceptances.get(checkpoint.name)
    return acceptance.criteria if acceptance is not None else {}


def parent_of(checkpoints: Sequence[Measurements]) -> str | None:
    parents = {checkpoint.name.rpartition("/")[0] for checkpoint in checkpoints}
    only = parents.pop() if len(parents) == 1 else ""
    return only or None


def short_name(checkpoint: Measurements, parent: str | None) -> str:
    return checkpoint.name if parent is None else checkpoint.name[len(parent) + 1 :]
