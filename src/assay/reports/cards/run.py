"""The card of a run: of its checkpoints, its judged tests, its scores or its speed."""

from typing import Literal

from assay.messages import tr, trn
from assay.reports.cards.checkpoints import decision_card
from assay.reports.cards.cures import what_to_do, with_its_folder
from assay.reports.cards.judged import judged_card
from assay.reports.cards.scores import scored_suites, scores_card
from assay.reports.cards.speed import speed_card
from assay.text.safe_text import one_line
from assay.types import OutcomeKind
from assay.types.documents import Card, Line, Span, make_card, with_commands
from assay.types.results import Report

DecisionSource = Literal["progress", "decision", "judging", "scores", "speed"]


LONGEST_COMMAND = 280  # characters that a card has room for


def decision_source(report: Report) -> DecisionSource:
    """What decides: nothing yet, a gate, judgements, scores, or times."""
    if report.finished is None:
        return "progress"
    if report.decision is not None and report.decision.gate_decides:
        return "decision"
    if report.judged is not None and report.judged.models:
        return "judging"
    timed = any(model.depths for model in report.models)
    return "speed" if timed and not scored_suites(report) else "scores"


def run_card(report: Report) -> Card:
    source, next = decision_source(report), _next(report)
    if source == "progress":
        undecided = _not_finished(report)
        return make_card(undecided, tone="warning", caveats=report.notes, next=next)
    if source == "decision" and report.decision:
        return decision_card(report.decision, {each.fingerprint for each in report.models}, next)
    if source == "judging" and report.judged:
        return judged_card(report, next)
    return speed_card(report, next) if source == "speed" else scores_card(report, next)


def _not_finished(report: Report) -> str:
    """With --decide, also about how many more tests would decide it."""
    early = (suite.early for model in report.models for suite in model.suites)
    more = sum(each.needed for each in early if each is not None and each.passed is None)
    if not more:
        return tr("The run is not finished: nothing is decided yet.")
    return trn("The run is not finished; undecided: about {count} more test.",
               "The run is not finished; undecided: about {count} more tests.", more)  # fmt: skip


def headline(report: Report) -> str:
    """The decision alone."""
    return one_line(run_card(report).decision)


def _next(report: Report) -> Line:
    """The first hint; else where to read on."""
    for hint in report.hints:
        if report.command and hint.endswith(report.command):
            if len(report.command) > LONGEST_COMMAND:
                again = tr("ask again what has no answer, with the command after “Reproduce:” in ")
                return again, Span(with_its_folder(report, "report", report.run, "-v"), "code")
            return hint.removesuffix(report.command), Span(report.command, "code")
        return with_commands(hint)
    if cure := what_to_do(report):
        return cure
    wrong = (OutcomeKind.FAIL, OutcomeKind.NO_ANSWER)
    suites = [each for model in report.models for each in model.suites]
    if any(each.outcomes.get(kind) for each in suites for kind in wrong):
        return tr("read the wrong answers: "), Span(
            with_its_folder(report, "report", report.run, "--failed"), "code"
        )
    return tr("every figure: "), Span(with_its_folder(report, "report", report.run, "-v"), "code")
