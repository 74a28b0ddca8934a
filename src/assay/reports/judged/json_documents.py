"""Judged tests for programs: a judgement, and what a run's judgements say, as plain values.

In: a FinalJudgement, or a Judged. Out: dictionaries of plain values. Nothing is rounded, a missing
figure is null, and every mean is an ESTIMATE.
"""

from __future__ import annotations

from assay.reports.json_values import JsonObject, estimate, estimates, pick
from assay.reports.judged.sentences import closing_sentence
from assay.types.judged import (
    DomainJudged,
    Judged,
    ModelChoice,
    ModelJudged,
    ModelSpeed,
    OverRuns,
    Remark,
    TestJudged,
)
from assay.types.judgements import Deviation, FinalCriterion, FinalJudgement, Judgement, Ticked

QUOTE = "text status start end"


def judgement_json(of: FinalJudgement) -> JsonObject:
    """One judgement, whole. `overall` is of 10, exact to the tenth."""
    evidence = of.evidence
    return {
        "test": of.test_id,
        **pick(of, "name suite rubric task"),
        "overall": _of_10(of.tenths),
        "band": of.band,
        "judge_only": _of_10(of.judge_only_tenths),
        "criteria": [_criterion(one) for one in of.criteria],
        "evidence": {
            **pick(evidence, "passed total cap"),
            "missing": evidence.missing or None,
            "isolation": evidence.isolation or None,
            "checks": [pick(check, "name group passed explanation") for check in evidence.checks],
            "notes": list(evidence.notes),
        },
        **pick(of, "unscored_reason explanation"),
        "borderline": of.borderline or None,
        **pick(of, "confidence confidence_reasons"),
        "use_case": of.use_case or None,
        "notes": list(of.notes),
        "judgements": [_judgement(one) for one in of.judgements],
    }


def judged_json(of: Judged) -> JsonObject:
    return {
        "models": [_model(model) for model in of.models],
        "differences": [
            pick(each, "domain a b difference p_value higher lower told_apart")
            for each in of.differences
        ],
        "choices": [_choice(each) for each in of.choices],
        "judges": list(of.judges),
        "deviations": [_deviation(each) for each in of.deviations],
        "isolation": list(of.isolation),
        "not_run": {why: list(tests) for why, tests in of.not_run.items()},
        "use_case": of.use_case or None,
        "notes": list(of.notes),
        "closing": closing_sentence(of),
    }


def _of_10(tenths: int | None) -> float | None:
    return None if tenths is None else tenths / 10


def _criterion(of: FinalCriterion) -> JsonObject:
    return {
        **pick(of, "criterion label"),
        "weight": of.weight / 10,
        **pick(of, "score judged low high capped reason"),
    }


def _judgement(of: Judgement) -> JsonObject:
    return {
        **pick(of, "judge fingerprint form layout repeat"),
        "scores": [pick(one, "criterion score reason raw") for one in of.scores],
        **pick(of, "unscored_reason explanation"),
        "checklist": [_ticked(one) for one in of.checklist],
        "quotes": [pick(one, QUOTE) for one in of.quotes],
        **pick(of, "fabricated assessment strengths weaknesses verdict assumptions unusual"),
        "stated_confidence": of.stated_confidence or None,
        **pick(of, "flags attempts"),
    }


def _ticked(of: Ticked) -> JsonObject:
    return {
        **pick(of, "question criterion answer probability"),
        "quote": None if of.quote is None else pick(of.quote, QUOTE),
    }


def _model(of: ModelJudged) -> JsonObject:
    return {
        "model": of.model,
        "overall": estimate(of.overall),
        "domains": {each.domain: _domain(each) for each in of.domains},
        "tests": [_test(test) for test in of.tests],
        "pace": None if of.pace is None else _pace(of.pace),
        "over_runs": [_over_runs(each) for each in of.over_runs],
    }


def _domain(of: DomainJudged) -> JsonObject:
    return {
        **pick(of, "mean judge_only band bands"),
        "criteria": {
            one.criterion: {"mean": estimate(one.mean), "judge_only": estimate(one.judged)}
            for one in of.criteria
        },
        **pick(of, "best weakest"),
        "categories": estimates(of.categories),
        "category_bands": dict(of.category_bands),
        "evidence": {
            "passed": of.evidence_passed,
            "total": of.evidence_total,
            "share": estimate(of.evidence),
        },
        **pick(of, "capped spread quotes fabricated confidence confidences reasons"),
        "unscored": [_remark(each) for each in of.unscored],
        "strengths": [_remark(each) for each in of.strengths],
        "weaknesses": [_remark(each) for each in of.weaknesses],
        "failed_checks": [_remark(each) for each in of.failed_checks],
    }


def _test(of: TestJudged) -> JsonObject:
    return {
        "test": of.test_id,
        **pick(of, "suite category"),
        "overall": _of_10(of.tenths),
        "band": of.band,
        "judge_only": _of_10(of.judge_only_tenths),
        "low": _of_10(of.low),
        "high": _of_10(of.high),
        **pick(of, "judgements evidence_passed evidence_total unscored"),
        "verdicts": [judgement_json(each) for each in of.verdicts],
    }


def _remark(of: Remark) -> JsonObject:
    return {"test": of.test_id, "text": of.text}


def _pace(of: ModelSpeed) -> JsonObject:
    return {
        **pick(of, "tokens_per_s clock"),
        "whole_request_tokens_per_s": estimate(of.whole_request),
        **pick(of, "first_token_s seconds memory_bytes"),
    }


def _over_runs(of: OverRuns) -> JsonObject:
    return {
        "domain": of.domain,
        "runs": [pick(point, "run when mean") for point in of.points],
        **pick(of, "change told_apart same_judges"),
    }


def _choice(of: ModelChoice) -> JsonObject:
    return {
        **pick(of, "domain chosen ground"),
        "best": of.model,
        **pick(of, "mean band"),
        "rivals": [pick(rival, "model mean lead told_apart") for rival in of.rivals],
        "left_out": list(of.left_out),
    }


def _deviation(of: Deviation) -> JsonObject:
    return pick(
        of,
        "judge rubric form layout n unscored mean_absolute mean_absolute_interval bias "
        "bias_interval within_one same_band spearman left_one_out",
    )
