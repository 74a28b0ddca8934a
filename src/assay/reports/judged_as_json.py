"""Judged tests for programs: a verdict, and what a run's verdicts say, as plain values.

In: a FinalJudgement, or a Judged. Out: dictionaries that `as_json.as_text` writes. Nothing is
rounded, a missing figure is null, and every mean is an ESTIMATE.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.reports.json_values import Document, estimate
from assay.reports.judged_sentences import closing_sentence
from assay.types import Estimate
from assay.types.judged import (
    Choice,
    DomainDifference,
    DomainJudged,
    Judged,
    ModelJudged,
    OverRuns,
    Pace,
    Remark,
    TestJudged,
)
from assay.types.judgements import (
    Deviation,
    FinalCriterion,
    FinalJudgement,
    Judgement,
    Quote,
    Ticked,
)


def verdict_as_json(of: FinalJudgement) -> Document:
    """One verdict, whole. `overall` is of 10, exact to the tenth."""
    return {
        "test": of.test_id,
        "name": of.name,
        "suite": of.suite,
        "rubric": of.rubric,
        "task": of.task,
        "overall": _of_10(of.tenths),
        "band": of.band,
        "judge_only": _of_10(of.judge_only_tenths),
        "criteria": [_criterion(one) for one in of.criteria],
        "evidence": {
            "passed": of.evidence.passed,
            "total": of.evidence.total,
            "cap": of.evidence.cap,
            "missing": of.evidence.missing or None,
            "isolation": of.evidence.isolation or None,
            "checks": [
                {
                    "name": check.name,
                    "group": check.group,
                    "passed": check.passed,
                    "explanation": check.explanation,
                }
                for check in of.evidence.checks
            ],
            "notes": list(of.evidence.notes),
        },
        "unscored_reason": of.unscored_reason,
        "explanation": of.explanation,
        "borderline": of.borderline or None,
        "confidence": of.confidence,
        "confidence_reasons": list(of.confidence_reasons),
        "use_case": of.use_case or None,
        "notes": list(of.notes),
        "judgements": [_judgement(one) for one in of.judgements],
    }


def judged_as_json(of: Judged) -> Document:
    """What the verdicts of a run say."""
    return {
        "models": [_model(model) for model in of.models],
        "differences": [_difference(each) for each in of.differences],
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


# ------------------------------------------------------------------------------------- one verdict


def _criterion(of: FinalCriterion) -> Document:
    return {
        "criterion": of.criterion,
        "label": of.label,
        "weight": of.weight / 10,
        "score": of.score,
        "judged": of.judged,
        "low": of.low,
        "high": of.high,
        "capped": of.capped,
        "reason": of.reason,
    }


def _judgement(of: Judgement) -> Document:
    return {
        "judge": of.judge,
        "fingerprint": of.fingerprint,
        "form": of.form,
        "layout": of.layout,
        "repeat": of.repeat,
        "scores": [
            {"criterion": one.criterion, "score": one.score, "reason": one.reason, "raw": one.raw}
            for one in of.scores
        ],
        "unscored_reason": of.unscored_reason,
        "explanation": of.explanation,
        "checklist": [_ticked(one) for one in of.checklist],
        "quotes": [_quote(one) for one in of.quotes],
        "fabricated": of.fabricated,
        "assessment": of.assessment,
        "strengths": list(of.strengths),
        "weaknesses": list(of.weaknesses),
        "verdict": of.verdict,
        "assumptions": list(of.assumptions),
        "unusual": list(of.unusual),
        "stated_confidence": of.stated_confidence or None,
        "flags": list(of.flags),
        "attempts": of.attempts,
    }


def _ticked(of: Ticked) -> Document:
    return {
        "question": of.question,
        "criterion": of.criterion,
        "answer": of.answer,
        "probability": of.probability,
        "quote": None if of.quote is None else _quote(of.quote),
    }


def _quote(of: Quote) -> Document:
    return {"text": of.text, "status": of.status, "start": of.start, "end": of.end}


# ------------------------------------------------------------------------------------------- a run


def _model(of: ModelJudged) -> Document:
    return {
        "model": of.model,
        "overall": estimate(of.overall),
        "domains": {each.domain: _domain(each) for each in of.domains},
        "tests": [_test(test) for test in of.tests],
        "pace": None if of.pace is None else _pace(of.pace),
        "over_runs": [_over_runs(each) for each in of.over_runs],
    }


def _domain(of: DomainJudged) -> Document:
    return {
        "mean": estimate(of.mean),
        "judge_only": estimate(of.judge_only),
        "band": of.band,
        "bands": dict(of.bands),
        "criteria": {
            one.criterion: {"mean": estimate(one.mean), "judge_only": estimate(one.judged)}
            for one in of.criteria
        },
        "best": of.best,
        "weakest": of.weakest,
        "categories": _estimates(of.categories),
        "category_bands": dict(of.category_bands),
        "evidence": {
            "passed": of.evidence_passed,
            "total": of.evidence_total,
            "share": estimate(of.evidence),
        },
        "capped": list(of.capped),
        "spread": estimate(of.spread),
        "quotes": of.quotes,
        "fabricated": of.fabricated,
        "confidence": of.confidence,
        "confidences": dict(of.confidences),
        "reasons": dict(of.reasons),
        "unscored": [_remark(each) for each in of.unscored],
        "strengths": [_remark(each) for each in of.strengths],
        "weaknesses": [_remark(each) for each in of.weaknesses],
        "failed_checks": [_remark(each) for each in of.failed_checks],
    }


def _test(of: TestJudged) -> Document:
    return {
        "test": of.test_id,
        "suite": of.suite,
        "category": of.category,
        "overall": _of_10(of.tenths),
        "band": of.band,
        "judge_only": _of_10(of.judge_only_tenths),
        "low": _of_10(of.low),
        "high": _of_10(of.high),
        "judgements": of.judgements,
        "evidence_passed": of.evidence_passed,
        "evidence_total": of.evidence_total,
        "unscored": list(of.unscored),
        "verdicts": [verdict_as_json(each) for each in of.verdicts],
    }


def _remark(of: Remark) -> Document:
    return {"test": of.test_id, "text": of.text}


def _pace(of: Pace) -> Document:
    return {
        "tokens_per_s": estimate(of.tokens_per_s),
        "clock": of.clock,
        "whole_request_tokens_per_s": estimate(of.whole_request),
        "first_token_s": estimate(of.first_token_s),
        "seconds": estimate(of.seconds),
        "memory_bytes": of.memory_bytes,
    }


def _over_runs(of: OverRuns) -> Document:
    return {
        "domain": of.domain,
        "runs": [
            {"run": point.run, "when": point.when, "mean": estimate(point.mean)}
            for point in of.points
        ],
        "change": estimate(of.change),
        "told_apart": of.told_apart,
        "same_judges": of.same_judges,
    }


def _difference(of: DomainDifference) -> Document:
    return {
        "domain": of.domain,
        "a": of.a,
        "b": of.b,
        "difference": estimate(of.difference),
        "p_value": of.p_value,
        "higher": of.higher,
        "lower": of.lower,
        "told_apart": of.told_apart,
    }


def _choice(of: Choice) -> Document:
    return {
        "domain": of.domain,
        "chosen": of.chosen,
        "ground": of.ground,
        "best": of.model,
        "mean": estimate(of.mean),
        "band": of.band,
        "rivals": [
            {
                "model": rival.model,
                "mean": estimate(rival.mean),
                "lead": estimate(rival.lead),
                "told_apart": rival.told_apart,
            }
            for rival in of.rivals
        ],
        "left_out": list(of.left_out),
    }


def _deviation(of: Deviation) -> Document:
    return {
        "judge": of.judge,
        "rubric": of.rubric,
        "form": of.form,
        "layout": of.layout,
        "n": of.n,
        "unscored": of.unscored,
        "mean_absolute": of.mean_absolute,
        "mean_absolute_interval": _interval(of.mean_absolute_interval),
        "bias": of.bias,
        "bias_interval": _interval(of.bias_interval),
        "within_one": of.within_one,
        "same_band": of.same_band,
        "spearman": of.spearman,
        "left_one_out": of.left_one_out,
    }


def _interval(of: tuple[float, float] | None) -> list[float] | None:
    return None if of is None else list(of)


def _estimates(named: Mapping[str, Estimate]) -> Document:
    return {name: estimate(of) for name, of in named.items()}
