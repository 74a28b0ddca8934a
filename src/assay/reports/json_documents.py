"""What `--json` prints, key by key as the contract states; a missing figure is null.

Nothing is rounded, and every mean is an ESTIMATE.
"""

from assay.reports.cards.run import headline, run_card
from assay.reports.checkpoints.json_documents import decision_document
from assay.reports.comparison import comparison_headline
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.reports.judged.section import card_json
from assay.reports.judged.sentences import closing_sentence
from assay.reports.leaderboard import leaderboard_headline
from assay.reports.sentences import why_this_score
from assay.reports.side_by_side import Figures, answer_figures, figures_of
from assay.types import Estimate, Suite
from assay.types.documents import Card, plain_text, spans
from assay.types.judging.judged import DomainJudged, Judged, ModelChoice, ModelJudged, TestJudged
from assay.types.judging.judgements import FinalJudgement, Judgement
from assay.types.measured.performance import DepthFigures
from assay.types.results import (
    Comparison,
    Leaderboard,
    ModelReport,
    Report,
    SuiteComparison,
    SuiteSummary,
    TestRow,
    TrialRow,
)


def run_json(report: Report) -> JsonObject:
    spreads = report.decision.trainings if report.decision else ()
    return {
        **pick(report, "run out"),
        "headline": headline(report),
        "card": _card(run_card(report)),
        "models": _models(report),
        "selected": report.selected,
        "exit_code": int(report.exit_code),
        **pick(report, "machine notes"),
        **({"judged": judged_json(report.judged)} if report.judged else {}),
        **(pick(report, "reviews") if report.reviews else {}),
        # Only a run over several trainings of one shape has this key.
        **({"trainings": plain_value(spreads)} if spreads else {}),
        # Only a report asked for while requests are left has this key.
        **({"finished": False} if report.finished is None else {}),
        # Only one that was asked what changed has this one.
        **(pick(report, "since") if report.since else {}),
        # And only one whose sampling was left to the server has this one.
        **({"sampling": "server"} if report.sampling == "server" else {}),
    }


def comparison_json(comparison: Comparison) -> JsonObject:
    return {
        "headline": comparison_headline(comparison),
        "pairs": [
            {
                **pick(pair, "a b"),
                "suites": [*map(_compared, pair.suites)],
                **pick(pair, "notes"),
            }
            for pair in comparison.pairs
        ],
        **pick(comparison, "notes"),
        "exit_code": int(comparison.exit_code),
    }


def leaderboard_json(leaderboard: Leaderboard) -> JsonObject:
    return {
        "headline": leaderboard_headline(leaderboard),
        "out": leaderboard.out,
        "suites": [
            {
                **pick(suite, "suite content tests"),
                **({"asked": suite.asked} if suite.asked else {}),
                **(_about_suite(suite.of) if suite.of else {}),
                **({"baseline": suite.baselines.best} if suite.baselines else {}),
                "rows": [
                    {
                        **pick(row, "rank tie within_guessing model score categories run when"),
                        **(pick(row.footprint, "memory speed context") if row.footprint else {}),
                        **({"also": list(row.also)} if row.also else {}),
                        **({"scored_as": row.scored_as} if row.scored_as else {}),
                    }
                    for row in suite.rows
                ],
            }
            for suite in leaderboard.suites
        ],
        **({"left_out": plain_value(leaderboard.left_out)} if leaderboard.left_out else {}),
        **pick(leaderboard, "notes"),
        "exit_code": int(leaderboard.exit_code),
    }


def _about_suite(suite: Suite) -> JsonObject:
    weights = {each.name: suite.weight(each.name) for each in suite.categories}
    return {**pick(suite, "title version licence reviewed reviewers"), "weights": weights}


def _card(card: Card) -> JsonObject:
    return {
        **pick(card, "decision reasons caveats"),
        "next": plain_text(card.next),
        "commands": [each.text for each in spans(card.next) if each.tone == "code"],
    }


def _models(report: Report) -> list[JsonObject]:
    decision = report.decision
    measured = {each.fingerprint: each for each in decision.measured} if decision else {}
    rows = []
    for model in report.models:
        found = measured.get(model.fingerprint)
        decided = decision_document(decision, found) if decision and found else None
        rows.append(_model(model, decided if report.finished else None))
    for failed in report.failed:
        nothing: JsonObject = {"suites": [], "measurements": {}, "report": None, "about": {}}
        undecided = {"accepted": None, "decision": None}
        shown = {"model": failed.spec, **nothing, **undecided, "failed": failed.why}
        rows.insert(failed.position, shown)
    return rows


def _model(model: ModelReport, decided: JsonObject | None) -> JsonObject:
    return {
        "model": model.spec,
        "suites": [_suite(summary, figures_of(model)) for summary in model.suites],
        "measurements": plain_value({**model.measurements, **_baselines(model)}),
        **pick(model, "report accepted"),
        "decision": decided,
        "about": plain_value(model.about),
        **({"speed": [_depth(each) for each in model.depths]} if model.depths else {}),
    }


def _baselines(model: ModelReport) -> dict[str, Estimate]:
    """The contract has no key of its own for them."""
    found: dict[str, Estimate] = {}
    for summary in model.suites:
        prefix = "" if len(model.suites) == 1 else f"{summary.suite}/"
        if summary.baselines is not None:
            for name in ("empty", "echoed", "constant", "oracle"):
                if (known := getattr(summary.baselines, name)) is not None:
                    found[f"{prefix}baseline_{name}"] = known
    return found


def _suite(summary: SuiteSummary, figures: Figures) -> JsonObject:
    why = list(why_this_score(summary))
    shown = pick(summary, "suite score categories")
    tests = [{**test_json(row), **_own_prompt(row, figures)} for row in summary.tests]
    return {**shown, "tests": tests, **({"why": why} if why else {})}


def _own_prompt(row: TestRow, figures: Figures) -> JsonObject:
    """What an answer took, of a prompt of `assay ask` alone."""
    if row.temperature is None:
        return {}
    return answer_figures(figures.get((row.id, row.repeat)), row.temperature)


def test_json(row: TestRow) -> JsonObject:
    return {**pick(row, "id category"), **_outcome(row), **_repeats(row)}


test_json.__test__ = False  # type: ignore[attr-defined]  # pytest takes every test_… for its own


def _outcome(row: TrialRow) -> JsonObject:
    turns = {"turns": plain_value(row.sent)} if row.sent else {}
    return {"outcome": str(row.outcome), **pick(row, "score answer extracted explanation"), **turns}


def _repeats(row: TestRow) -> JsonObject:
    # Numbered as the answer files are: the second is .2.txt
    repeats = [{"repeat": each.repeat + 1, **_outcome(each)} for each in row.repeats]
    return {"repeats": repeats} if repeats else {}


def _compared(suite: SuiteComparison) -> JsonObject:
    parts = {each.name: pick(each, "a b difference p_value") for each in suite.categories}
    return {**plain_value(suite), "categories": parts}


def judgement_json(of: FinalJudgement) -> JsonObject:
    """One judgement, whole. `overall` is of 10, exact to the tenth."""
    return {
        "test": of.test_id,
        **pick(of, "name suite rubric rubric_version task"),
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


def _depth(of: DepthFigures) -> object:
    """With parts of the memory if they are known."""
    found = plain_value(of)
    if isinstance(found, dict) and not of.memory_parts:
        del found["memory_parts"]
    return found


def judged_json(of: Judged) -> JsonObject:
    return {
        "models": [_judged_model(model) for model in of.models],
        "choices": [_choice(each) for each in of.choices],
        **pick(of, "deviations differences judges isolation not_run notes costs agreements"),
        **pick(of, "inconsistencies rubrics"),
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
            "judge fingerprint form repeat scores unscored_reason explanation checklist "
            "quotes fabricated assessment strengths weaknesses verdict assumptions unusual "
            "attempts",
        ),
        "stated_confidence": of.stated_confidence or None,
    }


def _judged_model(of: ModelJudged) -> JsonObject:
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
                **pick(each, "domain change p_value told_apart same_judges"),
                "runs": plain_value(each.points),
            }
            for each in of.over_runs
        ],
    }


def _domain(of: DomainJudged) -> JsonObject:
    return {
        **pick(
            of,
            "mean judge_only band bands weakest categories category_bands unshown bounded "
            "confidence confidences reasons",
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
