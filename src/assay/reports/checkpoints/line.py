"""One checkpoint in one line, among those evaluated so far.

In: a Decision, a checkpoint's name, the selection so far. Out: a line for people.
"""

from __future__ import annotations

from assay.messages import tr
from assay.reports.checkpoints.figures import (
    MeasuredFigure,
    evaluated_folder,
    figures,
    in_words,
    suites_asked,
)
from assay.text.safe_text import one_line
from assay.types.decisions import OS_SUITE, Acceptance, Decision, Selection


def checkpoint_line(decision: Decision, name: str, selection: Selection) -> str:
    """step_900: perplexity 41.2 [39.8–42.7] n=800, os 0.73 [0.68–0.78] n=300, accepted; …"""
    seen = evaluated_folder(decision, [each.name for each in decision.measured], selection)
    checkpoint = next(each for each in decision.measured if each.name == name)
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
