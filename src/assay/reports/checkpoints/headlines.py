"""How a checkpoint fares, in one line; still unescaped."""

from assay.messages import labelled, tr
from assay.reports.checkpoints.figures import evaluated_folder, figures, in_words
from assay.text.safe_text import one_line
from assay.types.decisions import Acceptance, Decision, Measurements, Selection
from assay.types.measures import every_measure


def checkpoint_headline(
    checkpoint: Measurements, acceptance: Acceptance
) -> tuple[str, bool | None]:
    if checkpoint.failed:
        return tr("{name} could not be evaluated.", name=checkpoint.name), None
    said = tr("{name}: {accepted}.", name=checkpoint.name, accepted=_accepted(acceptance))
    return said, acceptance.accepted


def _accepted(acceptance: Acceptance) -> str:
    if acceptance.accepted is False:
        return tr("not accepted ({names})", names=", ".join(criteria_missed(acceptance)))
    criteria = acceptance.criteria.items()
    if acceptance.accepted is None:
        unknown = ", ".join(name for name, each in criteria if each.passed is None)
        return tr("undecided (not measured: {names})", names=unknown)
    marginal = ", ".join(name for name, each in criteria if each.marginal)
    return tr("accepted (marginal: {names})", names=marginal) if marginal else tr("accepted")


def criteria_missed(acceptance: Acceptance) -> list[str]:
    """By name, and whether they are only nearly missed or not known."""
    names = []
    for name, each in acceptance.criteria.items():
        if each.passed is None:
            names.append(tr("{criterion} (not known)", criterion=name))
        elif not each.passed:
            marginal = tr("{criterion} (marginal)", criterion=name)
            names.append(marginal if each.marginal else name)
    return names


def checkpoint_line(decision: Decision, name: str, selection: Selection) -> str:
    """step_900: perplexity 41.2 [39.8–42.7] n=800, os_benchmark 0.73 [0.68–0.78] n=300, …"""
    seen = evaluated_folder(decision, [each.name for each in decision.measured], selection)
    checkpoint = next(each for each in decision.measured if each.name == name)
    found = figures(seen, checkpoint)
    shown = {
        each.heading: found.get(each.figure)
        for measure in every_measure()
        for each in measure.followed(decision.gate)
        if each.heading
    }
    none = tr("not measured")
    parts = [f"{title} {in_words(of) if of else none}" for title, of in shown.items()]
    line = labelled(name, ", ".join([*parts, _accepted(decision.acceptances[name])]))
    best = selection.selected or selection.best_so_far
    if best:
        line = tr("{line}; best so far: {best}", line=line, best=best)
    return one_line(line)
