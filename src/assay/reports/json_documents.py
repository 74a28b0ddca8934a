"""Reports for programs: the documents that `--json` prints, key by key as the contract states.

In: a Report, a Comparison or a Leaderboard. Out: dictionaries of plain values. Nothing is rounded,
and a missing figure is null.
"""

from __future__ import annotations

from assay.reports.json_values import JsonObject, estimate, estimates, pick
from assay.reports.judged.json_documents import judged_json
from assay.types import Estimate
from assay.types.results import (
    Comparison,
    FailedModel,
    Leaderboard,
    ModelReport,
    PairComparison,
    RepeatRow,
    Report,
    SuiteComparison,
    SuiteSummary,
    TestRow,
)

ROW = "score answer extracted explanation"


def run_json(report: Report) -> JsonObject:
    """What `assay run --json` and `assay report --format json` print."""
    machine = report.machine
    return {
        "run": report.run,
        "out": report.out,
        "models": _models(report),
        "selected": report.selected,
        "exit_code": int(report.exit_code),
        "machine": machine and pick(machine, "system processor cores memory_bytes gpus versions"),
        "notes": list(report.notes),
        **({"judged": judged_json(report.judged)} if report.judged else {}),
        # Only a report asked for while requests are left has this key.
        **({"finished": False} if report.finished is None else {}),
        # And only one whose sampling was left to the server has this one.
        **({"sampling": "server"} if report.sampling == "server" else {}),
    }


def comparison_json(comparison: Comparison) -> JsonObject:
    """What `assay compare --json` prints."""
    return {
        "pairs": [_pair(pair) for pair in comparison.pairs],
        "notes": list(comparison.notes),
        "exit_code": int(comparison.exit_code),
    }


def leaderboard_json(leaderboard: Leaderboard) -> JsonObject:
    """What `assay leaderboard --json` prints."""
    return {
        "out": leaderboard.out,
        "suites": [
            {
                **pick(suite, "suite content"),
                **({"asked": suite.asked} if suite.asked else {}),
                "tests": suite.tests,
                "rows": [pick(row, "rank tie model score run when") for row in suite.rows],
            }
            for suite in leaderboard.suites
        ],
        "notes": list(leaderboard.notes),
        "exit_code": int(leaderboard.exit_code),
    }


def _models(report: Report) -> list[JsonObject]:
    rows = [_model(model) for model in report.models]
    for failed in report.failed:
        rows.insert(failed.position, _failed(failed))
    return rows


def _failed(model: FailedModel) -> JsonObject:
    """A model of the run like the others, of which there is nothing but the reason."""
    return {
        "model": model.spec,
        "suites": [],
        "measurements": {},
        "report": None,
        "accepted": None,
        "about": {},
        "failed": model.why,
    }


def _model(model: ModelReport) -> JsonObject:
    return {
        "model": model.spec,
        "suites": [_suite(summary) for summary in model.suites],
        "measurements": estimates({**model.measurements, **_baselines(model)}),
        **pick(model, "report accepted about"),
    }


def _baselines(model: ModelReport) -> dict[str, Estimate]:
    """The contract has no key of its own for them."""
    found: dict[str, Estimate] = {}
    for summary in model.suites:
        prefix = "" if len(model.suites) == 1 else f"{summary.suite}/"
        if summary.baselines is not None:
            found[f"{prefix}baseline_empty"] = summary.baselines.empty
            found[f"{prefix}baseline_echoed"] = summary.baselines.echoed
            found[f"{prefix}baseline_constant"] = summary.baselines.constant
    return found


def _suite(summary: SuiteSummary) -> JsonObject:
    return {
        "suite": summary.suite,
        "score": estimate(summary.score),
        "categories": estimates(summary.categories),
        "tests": [_test(row) for row in summary.tests],
    }


def _test(row: TestRow) -> JsonObject:
    shown = {**pick(row, "id category"), "outcome": str(row.outcome), **pick(row, ROW)}
    if row.repeats:
        shown["repeats"] = [_repeat(repeat) for repeat in row.repeats]
    return shown


def _repeat(row: RepeatRow) -> JsonObject:
    # As the answer files are numbered: the second is .2.txt
    return {"repeat": row.repeat + 1, "outcome": str(row.outcome), **pick(row, ROW)}


def _pair(pair: PairComparison) -> JsonObject:
    return {
        "a": pick(pair.a, "run model when"),
        "b": pick(pair.b, "run model when"),
        "suites": [_compared(suite) for suite in pair.suites],
        "notes": list(pair.notes),
    }


def _compared(suite: SuiteComparison) -> JsonObject:
    return {
        **pick(
            suite,
            "suite a b difference p_value adjusted_p method verdict gained lost detectable",
        ),
        "categories": {
            category.name: pick(category, "a b difference p_value") for category in suite.categories
        },
        "flips": [
            {
                **pick(flip, "id category"),
                "outcome_a": str(flip.outcome_a),
                "outcome_b": str(flip.outcome_b),
                **pick(flip, "score_a score_b"),
            }
            for flip in suite.flips
        ],
        "left_out": [pick(test, "id category reason") for test in suite.left_out],
    }
