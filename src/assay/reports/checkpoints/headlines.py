"""Which checkpoint to ship, and how one fares, in one line each; still unescaped."""

from collections.abc import Collection

from assay.messages import labelled, tr
from assay.reports.checkpoints.figures import evaluated_folder, figures, in_words
from assay.text.safe_text import one_line
from assay.types.decisions import Acceptance, Decision, Measurements, Selection
from assay.types.measures import every_measure


def selection_headline(decision: Decision, selection: Selection, of: str) -> str:
    """`of` names what was selected from; "" where there is nothing else."""
    name = selection.selected or selection.best_so_far
    if name is None:
        return tr("Nothing can be shipped.")
    if selection.selected:
        if of:
            return tr("Ship {name}, the best of {folder}.", name=name, folder=of)
        return tr("Ship {name}.", name=name)
    gaps = {"name": name, "lacks": _lacks(decision.acceptances[name])}
    if of:
        return tr(
            "No checkpoint of {folder} passes; the best so far is {name}. It lacks: {lacks}.",
            folder=of,
            **gaps,
        )
    return tr("No checkpoint passes; the best so far is {name}. It lacks: {lacks}.", **gaps)


def decision_headline(decision: Decision, shown: Collection[str]) -> str:
    """Over all folders, else of each, and of those named singly; of the `shown` ones alone."""
    known = [each for each in decision.measured if not each.failed]
    alone = [each for each in known if each.fingerprint in shown]
    if alone and len(alone) < len(known):
        return one_line(" ".join(_own(decision, each) for each in alone))
    chosen = {"": decision.overall} if decision.overall else dict(decision.selections)
    inside = {name for names in decision.folders.values() for name in names}
    said = [
        selection_headline(decision, each, folder if len(chosen) > 1 else "")
        for folder, each in chosen.items()
    ]
    said += [_own(decision, each) for each in decision.measured if each.name not in inside]
    return one_line(" ".join(said))


def headline_subject(decision: Decision, shown: Collection[str]) -> Selection | Measurements | None:
    """What the headline is about, where that is a single folder or checkpoint."""
    known = [each for each in decision.measured if not each.failed]
    alone = [each for each in known if each.fingerprint in shown]
    if alone and len(alone) < len(known):
        return alone[0] if len(alone) == 1 else None
    inside = {name for names in decision.folders.values() for name in names}
    single = [each for each in decision.measured if each.name not in inside]
    subjects: list[Selection | Measurements] = [*decision.selections.values(), *single]
    return subjects[0] if len(subjects) == 1 and not decision.overall else None


def _own(decision: Decision, checkpoint: Measurements) -> str:
    return checkpoint_headline(checkpoint, decision.acceptances[checkpoint.name])[0]


def checkpoint_headline(
    checkpoint: Measurements, acceptance: Acceptance
) -> tuple[str, bool | None]:
    if checkpoint.failed:
        return tr("{name} could not be evaluated.", name=checkpoint.name), None
    said = tr("{name}: {accepted}.", name=checkpoint.name, accepted=_accepted(acceptance))
    return said, acceptance.accepted


def _accepted(acceptance: Acceptance) -> str:
    if acceptance.accepted is False:
        return tr("not accepted ({names})", names=_lacks(acceptance))
    criteria = acceptance.criteria.items()
    if acceptance.accepted is None:
        unknown = ", ".join(name for name, each in criteria if each.passed is None)
        return tr("undecided (not measured: {names})", names=unknown)
    marginal = ", ".join(name for name, each in criteria if each.marginal)
    return tr("accepted (marginal: {names})", names=marginal) if marginal else tr("accepted")


def _lacks(acceptance: Acceptance) -> str:
    names = []
    for name, each in acceptance.criteria.items():
        if each.passed is None:
            names.append(tr("{criterion} (not known)", criterion=name))
        elif not each.passed:
            marginal = tr("{criterion} (marginal)", criterion=name)
            names.append(marginal if each.marginal else name)
    return ", ".join(names)


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
