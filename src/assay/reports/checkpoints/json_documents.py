"""The JSON of checkpoints: keys as in the contract, null for what was not measured, and in
`details` enough to decide again without the store.
"""

from assay.reports.checkpoints.facts import advice_texts, sentence, sentences
from assay.reports.checkpoints.figures import estimates_of
from assay.reports.checkpoints.headlines import checkpoint_headline
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.types.decisions import Acceptance, Decision, Measurements, Recommendation, Selection
from assay.types.measures import every_measure


def evaluation_report(decision: Decision, measured: Measurements) -> JsonObject:
    name = measured.name
    changes = decision.changes.get(name, ())
    found = (measure.details(measured).items() for measure in every_measure())
    details = {
        **{key: each for figures in found for key, each in figures},
        "model": {
            **pick(measured, "path step parameters size_class fingerprint shape"),
            "failed": measured.failed or None,
        },
        "acceptance": acceptance_document(decision.acceptances[name]),
        "weighted_score": decision.weighted[name].value,
        "weighted_parts": decision.weighted[name].adds,
        "missing_parts": decision.weighted[name].missing,
        "not_covered": [sentence(each) for each in decision.not_covered.get(name, ())],
        "not_measured": measured.not_measured,
        "recommendations": [_recommendation(each) for each in decision.advice[name]],
        "changes_from_base": {each.measure: each.change for each in changes} or None,
        "provenance": measured.provenance,
    }
    return {**headline(measured), "details": plain_value(details)}


def headline(measured: Measurements) -> JsonObject:
    found = (measure.headline(measured).items() for measure in every_measure())
    values = {key: each for figures in found for key, each in figures}
    return {"checkpoint": measured.name, **values, "timestamp": measured.timestamp}


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
        **pick(selection, "ranked_on difference gate confirmed attempts max_by_formula timestamp"),
    }


def checkpoint_document(decision: Decision, name: str, selection: Selection) -> JsonObject:
    checkpoint = next(each for each in decision.measured if each.name == name)
    figures, acceptance = estimates_of(checkpoint), decision.acceptances[name]
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
