"""What `--json` prints, key by key as the contract states; a missing figure is null."""

from assay.reports.checkpoints.json_documents import decision_document
from assay.reports.json_values import JsonObject, pick, plain_value
from assay.reports.judged.json_documents import judged_json
from assay.reports.sentences import headline, why_this_score
from assay.types import Estimate
from assay.types.results import (
    Comparison,
    Leaderboard,
    ModelReport,
    RepeatRow,
    Report,
    SuiteComparison,
    SuiteSummary,
    TestRow,
)


def run_json(report: Report) -> JsonObject:
    return {
        **pick(report, "run out"),
        "headline": headline(report),
        "models": _models(report),
        "selected": report.selected,
        "exit_code": int(report.exit_code),
        **pick(report, "machine notes"),
        **({"judged": judged_json(report.judged)} if report.judged else {}),
        **(pick(report, "reviews") if report.reviews else {}),
        # Only a report asked for while requests are left has this key.
        **({"finished": False} if report.finished is None else {}),
        # And only one whose sampling was left to the server has this one.
        **({"sampling": "server"} if report.sampling == "server" else {}),
    }


def comparison_json(comparison: Comparison) -> JsonObject:
    return {
        "pairs": [
            {
                **pick(pair, "a b"),
                "suites": [*map(_compared, pair.suites)],
                **pick(pair, "judged notes" if pair.judged else "notes"),
            }
            for pair in comparison.pairs
        ],
        **pick(comparison, "notes"),
        "exit_code": int(comparison.exit_code),
    }


def leaderboard_json(leaderboard: Leaderboard) -> JsonObject:
    return {
        "out": leaderboard.out,
        "suites": [
            {
                **pick(suite, "suite content tests"),
                **({"asked": suite.asked} if suite.asked else {}),
                "rows": [
                    {
                        **pick(row, "rank tie model score run when"),
                        **(pick(row.footprint, "memory speed context") if row.footprint else {}),
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
        "suites": [_suite(summary) for summary in model.suites],
        "measurements": plain_value({**model.measurements, **_baselines(model)}),
        **pick(model, "report accepted"),
        "decision": decided,
        "about": plain_value(model.about),
        **({"speed": plain_value(model.depths)} if model.depths else {}),
    }


def _baselines(model: ModelReport) -> dict[str, Estimate]:
    """The contract has no key of its own for them."""
    found: dict[str, Estimate] = {}
    for summary in model.suites:
        prefix = "" if len(model.suites) == 1 else f"{summary.suite}/"
        if summary.baselines is not None:
            for name in ("empty", "echoed", "constant"):
                found[f"{prefix}baseline_{name}"] = getattr(summary.baselines, name)
    return found


def _suite(summary: SuiteSummary) -> JsonObject:
    rows = ({**pick(row, "id category"), **_outcome(row), **_repeats(row)} for row in summary.tests)
    why = list(why_this_score(summary))
    shown = pick(summary, "suite score categories")
    return {**shown, "tests": list(rows), **({"why": why} if why else {})}


def _outcome(row: TestRow | RepeatRow) -> JsonObject:
    return {"outcome": str(row.outcome), **pick(row, "score answer extracted explanation")}


def _repeats(row: TestRow) -> JsonObject:
    # Numbered as the answer files are: the second is .2.txt
    repeats = [{"repeat": each.repeat + 1, **_outcome(each)} for each in row.repeats]
    return {"repeats": repeats} if repeats else {}


def _compared(suite: SuiteComparison) -> JsonObject:
    return {
        **pick(
            suite,
            "suite a b difference p_value adjusted_p method verdict gained lost detectable flips "
            "left_out",
        ),
        "categories": {
            category.name: pick(category, "a b difference p_value") for category in suite.categories
        },
    }
