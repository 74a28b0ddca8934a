"""Which checkpoint to ship, in one line.

In: a Decision and one of its selections, or one checkpoint with its acceptance. Out: a sentence,
still unescaped.
"""

from __future__ import annotations

from assay.messages import tr, trn
from assay.types.decisions import Acceptance, Decision, Measurements, Selection


def folder_headline(decision: Decision, selection: Selection, folder: str) -> str:
    """Of one model folder, whose name is empty where there is no other."""
    if selection.selected is None:
        return _none_passes(decision, selection, folder)
    if folder:
        return tr("Of {folder}, ship {name}.", folder=folder, name=selection.selected)
    return tr("Ship {name}.", name=selection.selected)


def overall_headline(decision: Decision, selection: Selection) -> str:
    """Of all model folders together."""
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
    """The criteria that it does not pass, by name."""
    names = []
    for name, each in acceptance.criteria.items():
        if each.passed is None:
            names.append(tr("{criterion} (not known)", criterion=name))
        elif not each.passed:
            marginal = tr("{criterion} (marginal)", criterion=name)
            names.append(marginal if each.marginal else name)
    return ", ".join(names)
