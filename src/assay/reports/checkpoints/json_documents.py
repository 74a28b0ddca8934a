"""The JSON of checkpoints: evaluation_report.json, best_checkpoint_selection.json, `watch --json`.

In: a checkpoint with its Acceptance, weighted score and advice; a Selection. Out: documents of
plain values that any JSON reader takes.

The keys are the contract's, exactly and in its order. What was not measured is null, and so is a
number that JSON has no name for. `details` holds enough to decide and select again without the
store: `stored_report` reads the checkpoint back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay import stats
from assay.reports.checkpoints.facts import advice_texts, sentences
from assay.reports.checkpoints.figures import text_estimates
from assay.reports.json_values import JsonObject
from assay.reports.json_values import estimate as all_of
from assay.types import Estimate, HealthCheck
from assay.types.decisions import (
    OS_AVERAGED,
    OS_SUITE,
    OS_TASKS,
    Acceptance,
    Decision,
    Measured,
    Part,
    Ranked,
    Recommendation,
    Sample,
    Selection,
    SpeedFigures,
    SuiteFigures,
    TextFigures,
)

TARGETS = {"accuracy_top1": 0.30, "accuracy_top5": 0.60}  # reported, and part of no gate


def evaluation_report(
    measured: Measured,
    acceptance: Acceptance,
    weighted: float | None,
    missing_parts: Sequence[Part],
    recommendations: Sequence[Recommendation],
) -> JsonObject:
    """The whole document."""
    figures, os_benchmark = _figures(measured), _os_benchmark(measured)
    return {
        **headline(measured),
        "details": {
            **{name: _estimate(of) for name, of in text_estimates(measured).items()},
            "mmlu_cs": _estimate(figures["mmlu_cs"]),
            "hellaswag": _estimate(figures["hellaswag"]),
            "os_benchmark": {name: _estimate(share) for name, share in os_benchmark.items()},
            "inference_speed": _estimate(figures["inference_speed"]),
            "memory_usage_mb": _estimate(figures["memory_usage_mb"]),
            "targets": {name: _target(figures[name], least) for name, least in TARGETS.items()},
            "model": {
                "path": measured.path,
                "step": _finite(measured.step),
                "parameters": measured.parameters,
                "size_class": measured.size_class,
                "fingerprint": measured.fingerprint,
                "failed": measured.failed or None,
            },
            "text": None if measured.text is None else _text(measured.text),
            "suites": {name: _suite(suite) for name, suite in measured.suites.items()},
            "acceptance": acceptance_document(acceptance),
            "weighted_score": _finite(weighted),
            "missing_parts": list(missing_parts),
            "generation": None if measured.samples is None else _generation(measured.samples),
            "speed": None if measured.speed is None else _speed(measured.speed),
            "memory": _plain(measured.memory) if measured.memory or measured.memory_mb else None,
            "not_measured": dict(measured.not_measured),
            "training_loss": [
                [_finite(step), _finite(loss)] for step, loss in measured.training_loss.items()
            ],
            "recommendations": [_recommendation(each) for each in recommendations],
            "provenance": _plain(measured.provenance),
        },
    }


def headline(measured: Measured) -> JsonObject:
    """The keys above `details`: bare numbers, as the specification has them."""
    figures = _figures(measured)
    return {
        "checkpoint": measured.name,
        "perplexity": _value(figures["perplexity"]),
        "accuracy_top1": _value(figures["accuracy_top1"]),
        "accuracy_top5": _value(figures["accuracy_top5"]),
        "mmlu_cs": _value(figures["mmlu_cs"]),
        "hellaswag": _value(figures["hellaswag"]),
        "os_benchmark": {name: _value(share) for name, share in _os_benchmark(measured).items()},
        "inference_speed": _value(figures["inference_speed"]),
        "memory_usage_mb": _value(figures["memory_usage_mb"]),
        "timestamp": measured.timestamp,
    }


# -------------------------------------------------------------------------------------- the figures


def _os_benchmark(measured: Measured) -> dict[str, Estimate | None]:
    """The four tasks and the mean of three; None where one was not run."""
    suite = measured.suites.get(OS_SUITE)
    tasks = {name: suite.categories.get(name) if suite else None for name in OS_TASKS}
    return {**tasks, "avg": stats.even_mean([tasks[name] for name in OS_AVERAGED])}


def _figures(measured: Measured) -> dict[str, Estimate | None]:
    """Each number with what it rests on, under its own name."""
    return {
        **text_estimates(measured),
        "mmlu_cs": measured.mmlu_cs,
        "hellaswag": measured.hellaswag,
        "inference_speed": None if measured.speed is None else measured.speed.tokens_per_s,
        "memory_usage_mb": measured.memory_mb,
    }


def _target(share: Estimate | None, least: float) -> JsonObject:
    reached = _value(share)
    return {"above": least, "reached": None if reached is None else reached > least}


def _text(text: TextFigures) -> JsonObject:
    usable = all(math.isfinite(likelihood) for likelihood, _ in text.blocks)
    return {
        "text": text.text,
        "tokenizer": text.tokenizer,
        "window": text.window,
        "stride": text.stride,
        # Log-likelihood and tokens; without all of them nothing can be drawn.
        "blocks": [list(block) for block in text.blocks] if usable else [],
    }


def _suite(suite: SuiteFigures) -> JsonObject:
    return {
        "score": _estimate(suite.score),
        "categories": {name: _estimate(share) for name, share in suite.categories.items()},
        "scores": {name: dict(of_tests) for name, of_tests in suite.scores.items()},
        "digest": suite.digest,
    }


def _speed(speed: SpeedFigures) -> JsonObject:
    details = {name: _plain(figure) for name, figure in speed.details.items()}
    return {**details, "runs_per_s": [_finite(run) for run in speed.runs_per_s]}


# -------------------------------------------------------------------------------------- the verdict


def acceptance_document(acceptance: Acceptance) -> JsonObject:
    """A verdict as the report has it."""
    return {
        "accepted": acceptance.accepted,
        "criteria": {
            name: {
                "passed": criterion.passed,
                "marginal": criterion.marginal,
                "value": _finite(criterion.value),
                "limit": _finite(criterion.limit),
                "reason": sentences(criterion.reasons),
            }
            for name, criterion in acceptance.criteria.items()
        },
    }


def _recommendation(of: Recommendation) -> JsonObject:
    advice, figures = advice_texts(of)
    return {"concern": of.concern, "advice": advice, "figures": list(figures)}


def _generation(samples: Sequence[Sample]) -> JsonObject:
    healths = [sample.health for sample in samples]
    passed = [None if health is None else health.all_passed for health in healths]
    return {
        "all_passed": False if False in passed else None if None in passed else True,
        "failures": sum(bool(health and health.failures) for health in healths),
        "samples": [_sample(sample) for sample in samples],
    }


def _sample(sample: Sample) -> JsonObject:
    health = sample.health
    return {
        "id": sample.id,
        "prompt": sample.prompt,
        "text": sample.text,
        "all_passed": None if health is None else health.all_passed,
        "checks": None if health is None else [_check(check) for check in health.checks],
        "failed": sample.failed or None,
    }


def _check(check: HealthCheck) -> JsonObject:
    return {
        "name": check.name,
        "passed": check.passed,
        "failure": check.failure,
        "passage": check.passage,
        "explanation": check.explanation,
    }


# ------------------------------------------------------------------------------------ the selection


def selection_document(selection: Selection) -> JsonObject:
    """best_checkpoint_selection.json. Its contract has no key for notes, and a warning must not get
    lost: they follow the reason.
    """
    return {
        "selected": selection.selected,
        "best_so_far": selection.best_so_far,
        "reason": sentences((*selection.reasons, *selection.notes)),
        "tie": selection.tie,
        "tied_with": list(selection.tied_with),
        "ranking": [_ranked(row) for row in selection.ranking],
        "ranked_on": list(selection.ranked_on),
        "difference": None if selection.difference is None else all_of(selection.difference),
        "gate": selection.gate,
        "timestamp": selection.timestamp,
    }


def _ranked(row: Ranked) -> JsonObject:
    return {
        "checkpoint": row.name,
        "accepted": row.accepted,
        "weighted_score": row.weighted_score,
        "ranking_score": row.ranking_score,
        "missing_parts": list(row.missing_parts),
        "failed": row.failed or None,
    }


def checkpoint_document(decision: Decision, name: str, selection: Selection) -> JsonObject:
    """One checkpoint among those evaluated so far, in short, as `assay watch --json` prints it."""
    checkpoint = next(each for each in decision.measured if each.name == name)
    acceptance = decision.acceptances[name]
    text = checkpoint.text
    return {
        "checkpoint": name,
        "step": checkpoint.step,
        "accepted": acceptance.accepted,
        "criteria": {
            each: {"passed": criterion.passed, "marginal": criterion.marginal}
            for each, criterion in acceptance.criteria.items()
        },
        "perplexity": _estimate(text.perplexity if text else None),
        "suites": {suite: all_of(found.score) for suite, found in checkpoint.suites.items()},
        "inference_speed": _estimate(checkpoint.speed.tokens_per_s if checkpoint.speed else None),
        "memory_usage_mb": _estimate(checkpoint.memory_mb),
        "weighted_score": decision.weighted[name],
        "selected": selection.selected,
        "best_so_far": selection.best_so_far,
    }


# ------------------------------------------------------------------------------------- plain values


def _value(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.value


def _estimate(estimate: Estimate | None) -> JsonObject | None:
    if estimate is None:
        return None
    document = all_of(estimate)
    return {**document, "low": _finite(estimate.low), "high": _finite(estimate.high)}


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _plain(anything: object) -> object:
    """Whatever was noted, as JSON has it; what it has no form for is written as text."""
    match anything:
        case None | bool() | int() | str():
            return anything
        case float():
            return _finite(anything)
        case Mapping():
            return {str(name): _plain(value) for name, value in anything.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(value) for value in anything]
        case _:
            return str(anything)
