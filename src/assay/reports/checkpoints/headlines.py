"""Which checkpoint to ship, and how one fares, in one line each; still unescaped."""

from __future__ import annotations

from assay.messages import tr, trn
from assay.reports.checkpoints.figures import evaluated_folder, figures, in_words, suites_asked
from assay.text.safe_text import one_line
from assay.types.decisions import OS_SUITE, Acceptance, Decision, Measurements, Selection


def folder_headline(decision: Decision, selection: Selection, folder: str) -> str:
    """Of one model folder, whose name is empty where there is no other."""
    if selection.selected is None:
        return _none_passes(decision, selection, folder)
    if folder:
        return tr("Of {folder}, ship {name}.", folder=folder, name=selection.selected)
    return tr("Ship {name}.", name=selection.selected)


def overall_headline(decision: Decision, selection: Selection) -> str:
    folders = trn("{count} model folder", "{count} model folders", len(decision.folders))
    if selection.selected is None:
        return _none_passes(decision, selection, folders)
    return tr("Ship {name}, the best of {folders}.", name=selection.selected, folders=folders)


def _none_passes(decision: Decision, selection: Selection, folder: str) -> str:
    best = selection.best_so_far
    if best is None:
        return tr("Nothing can be shipped.")
    gaps = {"name": best, "lacks": _lacks(decision.acceptances[best])}
    if folder:
        return tr(
            "No checkpoint of {folder} passes; the best so far is {name}. It lacks: {lacks}.",
            folder=folder,
            **gaps,
        )
    return tr("No checkpoint passes; the best so far is {name}. It lacks: {lacks}.", **gaps)


def checkpoint_headline(
    checkpoint: Measurements, acceptance: Acceptance
) -> tuple[str, bool | None]:
    """Of one that was named singly, and whether it is accepted."""
    name = checkpoint.name
    if checkpoint.failed:
        return tr("{name} could not be evaluated.", name=name), None
    if acceptance.accepted is None:
        missing = ", ".join(key for key, of in acceptance.criteria.items() if of.passed is None)
        text = tr("{name} cannot be decided. Not known: {missing}.", name=name, missing=missing)
    elif not acceptance.accepted:
        text = tr("{name} is not accepted. It lacks: {lacks}.", name=name, lacks=_lacks(acceptance))
    elif marginal := [key for key, each in acceptance.criteria.items() if each.marginal]:
        criteria = ", ".join(marginal)
        text = tr("{name} is accepted. Marginal: {criteria}.", name=name, criteria=criteria)
    else:
        text = tr("{name} is accepted.", name=name)
    return text, acceptance.accepted


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
    """step_900: perplexity 41.2 [39.8–42.7] n=800, os 0.73 [0.68–0.78] n=300, accepted; …"""
    seen = evaluated_folder(decision, [each.name for each in decision.measured], selection)
    checkpoint = next(each for each in decision.measured if each.name == name)
    found = figures(seen, checkpoint)
    shown = {tr("perplexity"): found["perplexity"]}
    for asked in suites_asked(seen):
        criterion = asked.criterion
        title = OS_SUITE if criterion == "os_benchmark" else criterion.removeprefix("suite:")
        shown[title] = found[asked.figure]
    parts = [f"{title} {in_words(of) if of else tr('not measured')}" for title, of in shown.items()]
    line = f"{name}: {', '.join([*parts, _accepted(decision.acceptances[name])])}"
    best = selection.selected or selection.best_so_far
    if best:
        line = tr("{line}; best so far: {best}", line=line, best=best)
    return one_line(line)


def _accepted(acceptance: Acceptance) -> str:
    accepted, criteria = acceptance.accepted, acceptance.criteria
    marginal = ", ".join(name for name, each in criteria.items() if each.marginal)
    if accepted:
        return tr("accepted (marginal: {names})", names=marginal) if marginal else tr("accepted")
    lacking = ", ".join(name for name, each in criteria.items() if each.passed is accepted)
    if accepted is None:
        return tr("undecided (not measured: {names})", names=lacking)
    return tr("not accepted ({names})", names=lacking)
