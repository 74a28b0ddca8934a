"""Judged tests for programs: a judgement, and what a run's judgements say, as plain values.

Nothing is rounded, a missing figure is null, and every mean is an ESTIMATE.
"""

from assay.reports.json_values import JsonObject, pick, plain_value
from assay.reports.judge_card import card_json
from assay.reports.judged.sentences import closing_sentence
from assay.types.judged import DomainJudged, Judged, ModelChoice, ModelJudged, TestJudged
from assay.types.judgements import FinalJudgement, Judgement

DEVIATION = (
    "judge rubric form layout n unscored mean_absolute mean_absolute_interval bias bias_interval "
    "within_one same_band spearman left_one_out"
)


def judgement_json(of: FinalJudgement) -> JsonObject:
    """One judgement, whole. `overall` is of 10, exact to the tenth."""
    return {
        "test": of.test_id,
        **pick(of, "name suite rubric task"),
        "overall": _of_10(of.tenths),
        "band": of.band,
        "judge_only": _of_10(of.judge_only_tenths),
        "criteria": [
            {
                **pick(one, "criterion label score judged low high bounded reason"),
                "weight": one.weight / 10,
            }
            for one in of.criteria
        ],
        "evidence": {
            **pick(of.evidence, "passed total checks notes"),
            "share": None if of.evidence.share is None else float(of.evidence.share),
            "missing": of.evidence.missing or None,
            "isolation": of.evidence.isolation or None,
        },
        **pick(of, "unscored_reason explanation confidence confidence_reasons notes"),
        "borderline": of.borderline or None,
        "use_case": of.use_case or None,
        "judgements": [_judgement(one) for one in of.judgements],
    }


def judged_json(of: Judged) -> JsonObject:
    return {
        "models": [_model(model) for model in of.models],
        "choices": [_choice(each) for each in of.choices],
        "deviations": [pick(each, DEVIATION) for each in of.deviations],
        **pick(of, "differences judges isolation not_run notes costs agreements"),
        "cards": {each.spec: card_json(each.card) if each.card else None for each in of.judged_by},
        "use_case": of.use_case or None,
        "closing": closing_sentence(of),
    }


def _of_10(tenths: int | None) -> float | None:
    return None if tenths is None else tenths / 10


def _judgement(of: Judgement) -> JsonObject:
    return {
        **pick(
            of,
            "judge fingerprint form layout repeat scores unscored_reason explanation checklist "
            "quotes fabricated assessment strengths weaknesses verdict assumptions unusual flags "
            "attempts",
        ),
        "stated_confidence": of.stated_confidence or None,
    }


def _model(of: ModelJudged) -> JsonObject:
    return {
        **pick(of, "model overall"),
        "domains": {each.domain: _domain(each) for each in of.domains},
        "tests": [_test(test) for test in of.tests],
        "pace": of.pace
        and {
            **pick(of.pace, "tokens_per_s clock first_token_s seconds memory_bytes"),
            "whole_request_tokens_per_s": plain_value(of.pace.whole_request),
        },
        "over_runs": [
            {
                **pick(each, "domain change told_apart same_judges"),
                "runs": plain_value(each.points),
            }
            for each in of.over_runs
        ],
    }


def _domain(of: DomainJudged) -> JsonObject:
    return {
        **pick(
            of,
            "mean judge_only band bands best weakest categories category_bands unshown bounded "
            "spread quotes fabricated confidence confidences reasons",
        ),
        "criteria": {
            one.criterion: {"mean": plain_value(one.mean), "judge_only": plain_value(one.judged)}
            for one in of.criteria
        },
        "evidence": {
            "passed": of.evidence_passed,
            "total": of.evidence_total,
            "share": plain_value(of.evidence),
        },
        **{name: [{"test": each.test_id, "text": each.text} for each in getattr(of, name)]
           for name in ("unscored", "strengths", "weaknesses", "failed_checks")},
    }  # fmt: skip


def _test(of: TestJudged) -> JsonObject:
    return {
        "test": of.test_id,
        **pick(of, "suite category band judgements evidence_passed evidence_total unscored"),
        "overall": _of_10(of.tenths),
        "judge_only": _of_10(of.judge_only_tenths),
        "low": _of_10(of.low),
        "high": _of_10(of.high),
        "verdicts": [judgement_json(each) for each in of.final_judgements],
    }


def _choice(of: ModelChoice) -> JsonObject:
    return {
        **pick(of, "domain chosen ground mean band left_out not_shown evidence"),
        "best": of.model,
        "rivals": [
            pick(rival, "model mean lead evidence_lead judge_lead told_apart")
            for rival in of.rivals
        ],
    }
