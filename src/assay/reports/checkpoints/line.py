"""One checkpoint in one line, among those evaluated so far.

In: a Decision, a checkpoint's name, the selection so far. Out: a line for people, or a document for
programs.
"""

from __future__ import annotations

from assay.messages import tr
from assay.reports.checkpoints.figures import (
    EvaluatedFolder,
    MeasuredFigure,
    figures,
    in_words,
    suites_asked,
)
from assay.reports.json_values import JsonObject, estimate
from assay.text.safe_text import one_line
from assay.types import Estimate
from assay.types.decisions import OS_SUITE, Acceptance, Decision, Measured, Selection


def checkpoint_line(decision: Decision, name: str, selection: Selection) -> str:
    """step_900: perplexity 41.2 [39.8–42.7] n=800, os 0.73 [0.68–0.78] n=300, accepted; …"""
    checkpoint = _named(decision, name)
    seen = _evaluated(decision)
    found = figures(seen, checkpoint)
    parts = [_part(tr("perplexity"), found["perplexity"])]
    for asked in suites_asked(seen):
        criterion = asked.criterion
        title = OS_SUITE if criterion == "os_benchmark" else criterion.removeprefix("suite:")
        parts.append(_part(title, found[asked.figure]))
    parts.append(_verdict(decision.acceptances[name]))
    line = f"{name}: {', '.join(parts)}"
    best = selection.selected or selection.best_so_far
    if best:
        line = tr("{line}; best so far: {best}", line=line, best=best)
    return one_line(line)


def checkpoint_document(decision: Decision, name: str, selection: Selection) -> JsonObject:
    """The same for a program; figures are ESTIMATEs of the contract, null where not measured."""
    checkpoint = _named(decision, name)
    acceptance = decision.acceptances[name]
    text = checkpoint.text
    return {
        "checkpoint": name,
        "step": checkpoint.step,
        "accepted": acceptance.accepted,
        "criteria": {
            each: {"passed": criterion.passed, "marginal": criterion.marginal}
            for each, criterion in acceptance.criteria.items()
        },
        "perplexity": _estimate(text.perplexity if text else None),
        "suites": {suite: estimate(found.score) for suite, found in checkpoint.suites.items()},
        "inference_speed": _estimate(checkpoint.speed.tokens_per_s if checkpoint.speed else None),
        "memory_usage_mb": _estimate(checkpoint.memory_mb),
        "weighted_score": decision.weighted[name],
        "selected": selection.selected,
        "best_so_far": selection.best_so_far,
    }


def _evaluated(decision: Decision) -> EvaluatedFolder:
    return EvaluatedFolder(
        checkpoints=decision.measured, gate=decision.gate, acceptances=decision.acceptances
    )


def _named(decision: Decision, name: str) -> Measured:
    return next(each for each in decision.measured if each.name == name)


def _part(title: str, figure: MeasuredFigure | None) -> str:
    shown = tr("not measured") if figure is None else in_words(figure)
    return f"{title} {shown}"


def _verdict(acceptance: Acceptance) -> str:
    marginal = [name for name, each in acceptance.criteria.items() if each.marginal]
    if acceptance.accepted:
        if marginal:
            return tr("accepted (marginal: {names})", names=", ".join(marginal))
        return tr("accepted")
    lacking = [
        name for name, each in acceptance.criteria.items() if each.passed is acceptance.accepted
    ]
    if acceptance.accepted is None:
        return tr("undecided (not measured: {names})", names=", ".join(lacking))
    return tr("not accepted ({names})", names=", ".join(lacking))


def _estimate(of: Estimate | None) -> JsonObject | None:
    return None if of is None else estimate(of)
