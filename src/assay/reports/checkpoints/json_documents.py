"""The JSON of checkpoints: keys as in the contract, null for what was not measured, and in
`details` enough to decide again without the store.
"""

import math
from collections.abc import Sequence
from typing import Any

from assay.reports.checkpoints.facts import advice_texts, sentence, sentences
from assay.reports.checkpoints.figures import estimates_of
from assay.reports.checkpoints.headlines import checkpoint_headline
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.types import Estimate
from assay.types.decisions import (
    OS_SUITE,
    OS_TASKS,
    TARGETS,
    Acceptance,
    Decision,
    Measurements,
    Recommendation,
    Sample,
    Selection,
    TextFigures,
    group_samples,
)


def evaluation_report(decision: Decision, measured: Measurements) -> JsonObject:
    name = measured.name
    figures, samples, speed = _figures(measured), measured.samples, measured.speed
    changes = decision.changes.get(name, ())
    details = {
        **figures,
        "targets": {name: _target(figures[name], least) for name, least in TARGETS.items()},
        "model": {
            **pick(measured, "path step parameters size_class fingerprint shape"),
            "failed": measured.failed or None,
        },
        "text": None if measured.text is None else _text(measured.text),
        "suites": measured.suites,
        "acceptance": acceptance_document(decision.acceptances[name]),
        "weighted_score": decision.weighted[name].value,
        "weighted_parts": decision.weighted[name].adds,
        "missing_parts": decision.weighted[name].missing,
        "not_covered": [sentence(each) for each in decision.not_covered.get(name, ())],
        "generation": None if samples is None else _generation(measured, samples),
        "speed": None if speed is None else {**speed.details, "runs_per_s": speed.runs_per_s},
        "tokenizer": measured.tokenizer,
        "memory": measured.memory if measured.memory or measured.memory_mb else None,
        "not_measured": measured.not_measured,
        "training_loss": list(measured.training_loss.items()),
        "recommendations": [_recommendation(each) for each in decision.advice[name]],
        "changes_from_base": {each.measure: each.change for each in changes} or None,
        "provenance": measured.provenance,
    }
    return {**headline(measured), "details": plain_value(details)}


def headline(measured: Measurements) -> JsonObject:
    figures = _figures(measured)
    shown = (
        "perplexity", "accuracy_top1", "accuracy_top5", "mmlu_cs", "hellaswag", "os_benchmark",
        "inference_speed", "memory_usage_mb",
    )  # fmt: skip
    values = {name: _value(figures[name]) for name in shown}
    return {"checkpoint": measured.name, **values, "timestamp": measured.timestamp}


def _value(of: Any) -> object:
    if isinstance(of, dict):
        return {name: _value(each) for name, each in of.items()}
    return None if of is None else of.value


def _figures(measured: Measurements) -> dict[str, Any]:
    suite, known = measured.suites.get(OS_SUITE), estimates_of(measured)
    tasks = {name: suite.categories.get(name) if suite else None for name in OS_TASKS}
    return {**known, "os_benchmark": {**tasks, "avg": known["os_benchmark"]}}


def _target(share: Estimate | None, least: float) -> JsonObject:
    reached = None if share is None or share.value is None else share.value > least
    return {"above": least, "reached": reached}


def _text(text: TextFigures) -> JsonObject:
    """Without all blocks, log-likelihood and tokens, nothing can be drawn from them."""
    usable = all(math.isfinite(likelihood) for likelihood, _ in text.blocks)
    blocks = text.blocks if usable else ()
    return {**pick(text, "text tokenizer window stride"), "blocks": blocks}


def acceptance_document(acceptance: Acceptance) -> JsonObject:
    criteria = {
        name: {**pick(of, "passed marginal value limit"), "reason": sentences(of.reasons)}
        for name, of in acceptance.criteria.items()
    }
    return {"accepted": acceptance.accepted, "criteria": criteria}


def decision_document(decision: Decision, measured: Measurements) -> JsonObject | None:
    if not decision.gate_decides:
        return None
    name, score = measured.name, decision.weighted[measured.name]
    chosen = [*decision.selections.values(), *([decision.overall] if decision.overall else [])]
    selection = next((each for each in chosen if each.selected == name), None)
    said, _ = checkpoint_headline(measured, decision.acceptances[name])
    return {
        "criteria": acceptance_document(decision.acceptances[name])["criteria"],
        "weighted_score": {"value": score.value, "parts": plain_value(score.adds)},
        "reason": sentences((*selection.reasons, *selection.notes)) if selection else said,
        "not_covered": [sentence(each) for each in decision.not_covered[name]],
        "advice": [advice_texts(each)[0] for each in decision.advice[name]],
    }


def _recommendation(of: Recommendation) -> JsonObject:
    advice, figures = advice_texts(of)
    return {"concern": of.concern, "advice": advice, "figures": figures}


def _generation(measured: Measurements, samples: Sequence[Sample]) -> JsonObject:
    healths = [sample.health for sample in samples]
    passed = [None if health is None else health.all_passed for health in healths]
    return {
        "all_passed": False if False in passed else None if None in passed else True,
        "failures": sum(bool(each.fails) for each in group_samples(samples)[0]),
        "judges": measured.sample_judges,
        "samples": [
            {
                **pick(sample, "id prompt temperature seed text uncertainty"),
                "all_passed": health and health.all_passed,
                "checks": health and health.checks,
                "failed": sample.failed or None,
            }
            for sample, health in zip(samples, healths, strict=True)
        ],
    }


def selection_document(selection: Selection) -> JsonObject:
    """best_checkpoint_selection.json. It has no key for notes: they follow the reason."""
    scores = "accepted weighted_score ranking_score missing_parts"
    ranking = [
        {"checkpoint": row.name, **pick(row, scores), "failed": row.failed or None}
        for row in selection.ranking
    ]
    return {
        **pick(selection, "selected best_so_far"),
        "reason": sentences((*selection.reasons, *selection.notes)),
        **pick(selection, "tie tied_with"),
        "ranking": ranking,
        **pick(selection, "ranked_on difference gate timestamp"),
    }


def checkpoint_document(decision: Decision, name: str, selection: Selection) -> JsonObject:
    checkpoint = next(each for each in decision.measured if each.name == name)
    figures, acceptance = _figures(checkpoint), decision.acceptances[name]
    criteria = {key: pick(each, "passed marginal") for key, each in acceptance.criteria.items()}
    return {
        "checkpoint": name,
        "step": checkpoint.step,
        "accepted": acceptance.accepted,
        "criteria": criteria,
        "perplexity": plain_value(figures["perplexity"]),
        "suites": {suite: plain_value(found.score) for suite, found in checkpoint.suites.items()},
        "inference_speed": plain_value(figures["inference_speed"]),
        "memory_usage_mb": plain_value(figures["memory_usage_mb"]),
        "weighted_score": decision.weighted[name].value,
        "weighted_parts": plain_value(decision.weighted[name].adds),
        **pick(selection, "selected best_so_far"),
    }
