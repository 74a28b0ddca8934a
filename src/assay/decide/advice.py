"""What to change next: from what was measured only, and each recommendation with its figures.

The order: for each criterion that failed its first remedy, in the order in which they are worth
trying (a base that reads badly spoils all else); what is missing; the second remedies; a run that
goes wrong although this checkpoint passes; a part that the weighted score lacks.

A held-out loss that still falls asks for steps, one that is flat for parameters or data, one that
rises while the training loss falls for data; without a trend the advice is to measure one.
"""

import math
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePath

from assay.decide.trend import StepCurve, Trend, curve_facts
from assay.types.decisions import (
    OS_SUITE,
    Acceptance,
    DecisionFact,
    Gate,
    GateCriterion,
    Measurements,
    Recommendation,
    SuiteLimit,
    fact,
    group_samples,
)

FACTOR = 4.0  # times the steps done: nothing is promised beyond
QUICKER, SLOWER = 0.8, 1.25

MOST = 6
QUOTED = 3  # samples with their passage


def advise(
    measured: Measurements, acceptance: Acceptance, trend: Trend | None, gate: Gate
) -> tuple[Recommendation, ...]:
    """At most MOST, the most useful first, no two alike. `trend`: over the steps of its folder."""
    if measured.failed:
        advice = fact("repair_one", checkpoint=measured.name)
        return (Recommendation("missing", advice, (fact("text", text=measured.failed),)),)
    asked = {
        key: limit for key, limit in gate.suite_criteria().items() if key in acceptance.criteria
    }
    remedies = list(_remedies(measured, acceptance, trend, asked))
    found = [
        *(remedy for first in remedies for remedy in first[:1]),
        *_on_missing(measured, acceptance, asked),
        *(remedy for first in remedies for remedy in first[1:]),
        *on_the_run(acceptance.criteria.get("perplexity"), trend),
        *_on_score(measured),
    ]
    kept: list[Recommendation] = []
    for each in found:
        if each.figures and all(each.advice != other.advice for other in kept):
            kept.append(each)
    return tuple(kept[:MOST])


def _remedies(
    measured: Measurements,
    acceptance: Acceptance,
    trend: Trend | None,
    asked: Mapping[str, SuiteLimit],
) -> Iterator[list[Recommendation]]:
    """For each criterion that failed what could help, in the order in which they matter."""
    failing = {
        key: (each.value, each.limit)
        for key, each in acceptance.criteria.items()
        if each.passed is False and each.value is not None and each.limit is not None
    }
    if "perplexity" in failing:
        yield on_text(measured, *failing["perplexity"], trend)
    for key, limit in asked.items():
        if key in failing and limit.name in measured.suites:
            perplexity = acceptance.criteria.get("perplexity")
            yield on_suite(measured, limit, *failing[key], perplexity, trend)
    if "generation" in failing:
        yield _on_samples(measured, failing["generation"][1], trend)
    if "memory" in failing:
        yield [_on_memory(measured, *failing["memory"])]
    if "speed" in failing and measured.speed is not None:
        value, least = failing["speed"]
        level = fact("speed_level", value=measured.speed.tokens_per_s, limit=least)
        advice = fact("smaller_or_quantised", factor=least / value if value > 0 else None)
        yield [Recommendation("speed", advice, (level,))]


def _on_memory(measured: Measurements, value: float, limit: float) -> Recommendation:
    sizes = {
        name: measured.memory.get(f"{name}_mb") for name in ("weights", "cache", "activations")
    }
    figures = (
        fact("memory_level", value=value, limit=limit),
        *(fact(f"memory_of_{name}", size=size) for name, size in sizes.items() if size is not None),
    )
    return Recommendation("memory", fact("smaller_model", excess=value - limit), figures)


def _on_samples(
    measured: Measurements, allowed: float, trend: Trend | None
) -> list[Recommendation]:
    prompts, _ = group_samples(measured.samples or ())
    failing = [
        (each.worst, each.worst.health.failures)
        for each in prompts
        if each.fails and each.worst.health is not None
    ]
    kinds = Counter(check.name for _, checks in failing for check in checks)
    figures = (
        fact(
            "failing_samples",
            failed=len(failing),
            samples=len(prompts),
            allowed=int(allowed),
            kinds=tuple(f"{name} {count}" for name, count in sorted(kinds.items())),
        ),
        *(
            fact(
                "sample_quoted",
                id=sample.id,
                prompt=sample.prompt,
                kinds=tuple(check.name for check in checks),
                passage=checks[0].passage or sample.text,
            )
            for sample, checks in failing[:QUOTED]
        ),
    )

    def with_any(*names: str) -> tuple[str, ...]:
        return tuple(one.id for one, checks in failing if any(c.name in names for c in checks))

    found = []
    if repeated := with_any("loop", "repetition"):
        found.append(Recommendation("generation", fact("repeats", prompts=repeated), figures))
    if nonsense := with_any("nonsense"):
        falls = trend is not None and trend.text is not None and trend.text.shape == "improving"
        kind = "nonsense_still_learning" if falls else "nonsense"
        found.append(Recommendation("generation", fact(kind, prompts=nonsense), figures))
    return found


def _on_missing(
    measured: Measurements, acceptance: Acceptance, asked: Mapping[str, SuiteLimit]
) -> Iterator[Recommendation]:
    """What the gate asks for and was not measured, and what is incomplete."""
    unknown = {key: each for key, each in acceptance.criteria.items() if each.passed is None}
    reasons = {key: fact("reasons", reasons=each.reasons) for key, each in unknown.items()}
    absent = [key for key, each in unknown.items() if each.value is None]
    if absent:
        commands = ", ".join(f"`{each}`" for each in _commands(measured, absent, asked))
        figures = tuple(reasons[key] for key in absent)
        yield Recommendation("missing", fact("measure_missing", commands=commands), figures)
    for key, each in unknown.items():
        if key not in absent:  # incomplete figures, failed requests, no size class
            advice = fact("complete", criterion=key, command=_run(measured, ""))
            if each.limit is None:
                advice = fact("one_limit_for_all_sizes")
            yield Recommendation("missing", advice, (reasons[key],))


def _on_score(measured: Measurements) -> Iterator[Recommendation]:
    if measured.mmlu_cs is None:
        why = measured.not_measured.get("mmlu_cs") or measured.not_measured.get("mmlu")
        figures = (fact("mmlu_missing"), *((fact("text", text=why),) if why else ()))
        advice = fact("fetch_mmlu", command=_run(measured, "-s mmlu"))
        yield Recommendation("missing", advice, figures)


def _commands(
    measured: Measurements, absent: Collection[str], asked: Mapping[str, SuiteLimit]
) -> list[str]:
    """One for what a run measures anyway, and one for each suite that it does not."""
    own = [key for key in absent if key in asked and asked[key].name != OS_SUITE]
    commands = [_run(measured, "")] if len(own) < len(absent) else []
    commands += [_run(measured, f"-s {shlex.quote(asked[key].name)}") for key in own]
    return list(dict.fromkeys(commands))


def _run(measured: Measurements, options: str) -> str:
    where = shlex.quote(measured.path or measured.name.replace("/", ":", 1))
    return f"assay run {where} {options}".rstrip()


def on_text(
    measured: Measurements, value: float, limit: float, trend: Trend | None
) -> list[Recommendation]:
    gap = max(0.0, math.log(value / limit))
    level = tuple(_text_figures(measured, gap, limit))
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or curve.shape == "too_few":
        folder = str(PurePath(measured.path).parent) if measured.path else "FOLDER"
        steps = fact("steps_measured", steps=len(curve.points) if curve is not None else 1)
        advice = fact("measure_steps", folder=shlex.quote(folder))
        return [Recommendation("perplexity", advice, (*level, steps))]
    figures = (*level, *curve_facts(curve), *_training_figures(trend))
    if curve.shape == "flat":
        remedies = [fact("larger_model"), fact("better_data")]
    elif curve.shape == "improving":
        remedies = [_still_falling(curve, gap)]
    else:
        remedies = [_turned(trend, curve)]
    return [Recommendation("perplexity", remedy, figures) for remedy in remedies]


def on_the_run(criterion: GateCriterion | None, trend: Trend | None) -> list[Recommendation]:
    """For a run that goes wrong, although the perplexity of this checkpoint is good enough."""
    curve = trend.text if trend is not None else None
    if trend is None or curve is None or (criterion is not None and criterion.passed is False):
        return []
    if curve.shape not in ("worsening", "overfitting"):
        return []
    figures = (*curve_facts(curve), *_training_figures(trend))
    return [Recommendation("trend", _turned(trend, curve), figures)]


def _still_falling(curve: StepCurve, gap: float) -> DecisionFact:
    """How many more steps: a straight line in log(steps), through the change that counts."""
    change, at = curve.change, curve.points[-1].step
    if change is None or change.since <= 0:
        return fact("train_longer")
    more = math.expm1(min(gap / change.gain * math.log(change.until / change.since), 50.0))
    if 1 + QUICKER * more > FACTOR:
        return fact("too_slow", factor=FACTOR, steps=at)
    low, high = (max(1.0, rate * more * at) for rate in (QUICKER, SLOWER))
    return fact("train_longer_by", low=low, high=high, step=at)


def _turned(trend: Trend, curve: StepCurve) -> DecisionFact:
    kind: str = curve.shape if curve.shape in ("overfitting", "unclear") else "rising"
    if kind == "rising" and trend.training is None:
        kind = "rising_without_training_loss"
    return fact(kind, best=curve.best.step)


def _text_figures(measured: Measurements, gap: float, limit: float) -> Iterator[DecisionFact]:
    text = measured.text
    if text is not None:
        yield fact("perplexity_measured", value=text.perplexity, limit=limit)
        yield fact("gap", nats=gap)
        yield fact("next_token", top1=text.top1.value, top5=text.top5.value)
    if measured.parameters is not None:
        yield fact("parameters", parameters=measured.parameters)


def _training_figures(trend: Trend) -> Iterator[DecisionFact]:
    change = trend.training
    if change is not None:
        ends = {"since": change.since, "until": change.until}
        yield fact("training_change", before=change.before, after=change.after, **ends)


def on_suite(
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
    trends = [change for curve in known for change in curve_facts(curve)]
    return [
        Recommendation("domain", what, figures),
        Recommendation("domain", fact(how, suite=name), (level, *trends)),
    ]
