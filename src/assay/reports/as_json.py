"""Reports for programs: the documents that `--json` prints, key by key as the contract states.

In: a Report, a Comparison or a Leaderboard. Out: dictionaries of plain values, and their text.
Nothing is rounded, and a missing figure is null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic_core import PydanticSerializationError, to_json

from assay.reports.json_values import Document, estimate
from assay.reports.judged_as_json import judged_as_json
from assay.types import Estimate, Machine
from assay.types.results import (
    Comparison,
    FailedModel,
    Leaderboard,
    ModelReport,
    PairComparison,
    RepeatRow,
    Report,
    Side,
    Standing,
    SuiteComparison,
    SuiteSummary,
    TestRow,
)

__all__ = ["Document", "as_text", "comparison", "estimate", "leaderboard", "report"]


def report(document: Report) -> Document:
    """What `assay run --json` and `assay report --format json` print."""
    return {
        "run": document.run,
        "out": document.out,
        "models": _models(document),
        "selected": document.selected,
        "exit_code": int(document.exit_code),
        "machine": _machine(document.machine),
        "notes": list(document.notes),
        **({"judged": judged_as_json(document.judged)} if document.judged else {}),
        # Only a report asked for while requests are left has this key.
        **({"finished": False} if document.finished is None else {}),
        # And only one whose sampling was left to the server has this one.
        **({"sampling": "server"} if document.sampling == "server" else {}),
    }


def comparison(document: Comparison) -> Document:
    """What `assay compare --json` prints."""
    return {
        "pairs": [_pair(pair) for pair in document.pairs],
        "notes": list(document.notes),
        "exit_code": int(document.exit_code),
    }


def leaderboard(document: Leaderboard) -> Document:
    """What `assay leaderboard --json` prints."""
    return {
        "out": document.out,
        "suites": [
            {
                "suite": suite.suite,
                "content": suite.content,
                **({"asked": suite.asked} if suite.asked else {}),
                "tests": suite.tests,
                "rows": [_standing(row) for row in suite.rows],
            }
            for suite in document.suites
        ],
        "notes": list(document.notes),
        "exit_code": int(document.exit_code),
    }


def as_text(document: Document, *, ascii_only: bool = False) -> str:
    """One JSON text that any reader takes, whatever a model wrote and wherever it goes."""
    if not ascii_only:
        try:
            # A tenth of the time of json.dumps, whose indenting is not compiled.
            return to_json(document, indent=2, inf_nan_mode="strings").decode()
        except PydanticSerializationError:
            pass  # a lone surrogate in a model's answer; escaped it is valid JSON
    return json.dumps(document, ensure_ascii=True, indent=2, allow_nan=False)


def _models(document: Report) -> list[Document]:
    rows = [_model(model) for model in document.models]
    for failed in document.failed:
        rows.insert(failed.position, _failed(failed))
    return rows


def _failed(model: FailedModel) -> Document:
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


def _model(model: ModelReport) -> Document:
    return {
        "model": model.spec,
        "suites": [_suite(summary) for summary in model.suites],
        "measurements": _estimates({**model.measurements, **_baselines(model)}),
        "report": model.report,
        "accepted": model.accepted,
        "about": dict(model.about),
    }


def _machine(machine: Machine | None) -> Document | None:
    if machine is None:
        return None
    return {
        "system": machine.system,
        "processor": machine.processor,
        "cores": machine.cores,
        "memory_bytes": machine.memory_bytes,
        "gpus": list(machine.gpus),
        "versions": dict(machine.versions),
    }


def _baselines(model: ModelReport) -> dict[str, Estimate]:
    """What knowing nothing scores: the contract has no key of its own for it."""
    found: dict[str, Estimate] = {}
    for summary in model.suites:
        prefix = "" if len(model.suites) == 1 else f"{summary.suite}/"
        if summary.baselines is not None:
            found[f"{prefix}baseline_empty"] = summary.baselines.empty
            found[f"{prefix}baseline_echoed"] = summary.baselines.echoed
            found[f"{prefix}baseline_constant"] = summary.baselines.constant
    return found


def _suite(summary: SuiteSummary) -> Document:
    return {
        "suite": summary.suite,
        "score": estimate(summary.score),
        "categories": _estimates(summary.categories),
        "tests": [_test(row) for row in summary.tests],
    }


def _test(row: TestRow) -> Document:
    shown: Document = {
        "id": row.id,
        "category": row.category,
        "outcome": str(row.outcome),
        "score": row.score,
        "answer": row.answer,
        "extracted": row.extracted,
        "explanation": row.explanation,
    }
    if row.repeats:
        shown["repeats"] = [_repeat(repeat) for repeat in row.repeats]
    return shown


def _repeat(row: RepeatRow) -> Document:
    return {
        "repeat": row.repeat + 1,  # as the answer files are numbered: the second is .2.txt
        "outcome": str(row.outcome),
        "score": row.score,
        "answer": row.answer,
        "extracted": row.extracted,
        "explanation": row.explanation,
    }


def _estimates(named: Mapping[str, Estimate]) -> Document:
    return {name: estimate(of) for name, of in named.items()}


def _pair(pair: PairComparison) -> Document:
    return {
        "a": _side(pair.a),
        "b": _side(pair.b),
        "suites": [_compared(suite) for suite in pair.suites],
        "notes": list(pair.notes),
    }


def _side(side: Side) -> Document:
    return {"run": side.run, "model": side.model, "when": side.when}


def _compared(suite: SuiteComparison) -> Document:
    return {
        "suite": suite.suite,
        "a": estimate(suite.a),
        "b": estimate(suite.b),
        "difference": estimate(suite.difference),
        "p_value": suite.p_value,
        "adjusted_p": suite.adjusted_p,
        "method": suite.method,
        "verdict": suite.verdict,
        "gained": suite.gained,
        "lost": suite.lost,
        "detectable": suite.detectable,
        "categories": {
            category.name: {
                "a": estimate(category.a),
                "b": estimate(category.b),
                "difference": estimate(category.difference),
                "p_value": category.p_value,
            }
            for category in suite.categories
        },
        "flips": [
            {
                "id": flip.id,
                "category": flip.category,
                "outcome_a": str(flip.outcome_a),
                "outcome_b": str(flip.outcome_b),
                "score_a": flip.score_a,
                "score_b": flip.score_b,
            }
            for flip in suite.flips
        ],
        "left_out": [
            {"id": test.id, "category": test.category, "reason": test.reason}
            for test in suite.left_out
        ],
    }


def _standing(row: Standing) -> Document:
    return {
        "rank": row.rank,
        "tie": row.tie,
        "model": row.model,
        "score": estimate(row.score),
        "run": row.run,
        "when": row.when,
    }
