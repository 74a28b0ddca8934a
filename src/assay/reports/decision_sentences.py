"""Which checkpoint to ship, in one line that stands out, with what is told under it.

In: a Decision and one of its selections, or one checkpoint with its acceptance. Out: a Headline of
plain text, still unescaped.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from assay.messages import tr, trn
from assay.reports.checkpoints.facts import selection_reason, sentence
from assay.types.decisions import Acceptance, Criterion, Decision, Measured, Selection

Mark = Literal["pass", "fail", "unknown"]


class Headline(NamedTuple):
    """One line that says it all, what is told under it, and what to know beside it."""

    text: str
    mark: Mark
    told: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def focus_of(selection: Selection) -> str | None:
    """The one to ship, else the best so far."""
    return selection.selected or selection.best_so_far


def folder_headline(decision: Decision, selection: Selection, folder: str) -> Headline:
    """Of one model folder, whose name is empty where there is no other."""
    return _headline(selection, _of_folder(decision, selection, folder))


def overall_headline(decision: Decision, selection: Selection) -> Headline:
    """Of all model folders together."""
    return _headline(selection, _of_all(decision, selection))


def _headline(selection: Selection, text: str) -> Headline:
    told = [selection_reason(selection)]
    if len(selection.tied_with) > selection.tie:  # the reason names the runner-up alone
        tied = ", ".join(selection.tied_with)
        told.append(tr("Its score cannot be told apart from: {names}.", names=tied))
    mark: Mark = "pass" if selection.selected else "fail"
    return Headline(text, mark, tuple(told), tuple(map(sentence, selection.notes)))


def _of_folder(decision: Decision, selection: Selection, folder: str) -> str:
    name, best = selection.selected, selection.best_so_far
    if name is not None:
        if folder:
            return tr("Of {folder}, ship {name}.", folder=folder, name=name)
        return tr("Ship {name}.", name=name)
    if best is not None:
        if folder:
            return tr(
                "No checkpoint of {folder} passes; the best so far is {name}. It lacks: {lacks}.",
                folder=folder,
                name=best,
                lacks=_lacks(decision.acceptances[best]),
            )
        return tr(
            "No checkpoint passes; the best so far is {name}. It lacks: {lacks}.",
            name=best,
            lacks=_lacks(decision.acceptances[best]),
        )
    return tr("Nothing can be shipped of {folder}.", folder=folder) if folder else _nothing()


def _of_all(decision: Decision, selection: Selection) -> str:
    name, best = selection.selected, selection.best_so_far
    folders = trn("{count} model folder", "{count} model folders", len(decision.folders))
    if name is not None:
        return tr("Ship {name}, the best of {folders}.", name=name, folders=folders)
    if best is not None:
        return tr(
            "No checkpoint of {folders} passes; the best so far is {name}. It lacks: {lacks}.",
            folders=folders,
            name=best,
            lacks=_lacks(decision.acceptances[best]),
        )
    return _nothing()


def _nothing() -> str:
    return tr("Nothing can be shipped.")


def checkpoint_headline(checkpoint: Measured, acceptance: Acceptance) -> Headline:
    """Of one that was named singly."""
    name = checkpoint.name
    if checkpoint.failed:
        return Headline(tr("{name} could not be evaluated.", name=name), "unknown")
    if acceptance.accepted is None:
        missing = ", ".join(key for key, of in acceptance.criteria.items() if of.passed is None)
        return Headline(
            tr("{name} cannot be decided. Not known: {missing}.", name=name, missing=missing),
            "unknown",
        )
    if not acceptance.accepted:
        lacks = _lacks(acceptance)
        return Headline(
            tr("{name} is not accepted. It lacks: {lacks}.", name=name, lacks=lacks), "fail"
        )
    marginal = [key for key, each in acceptance.criteria.items() if each.marginal]
    if marginal:
        criteria = ", ".join(marginal)
        text = tr("{name} is accepted. Marginal: {criteria}.", name=name, criteria=criteria)
        return Headline(text, "pass")
    return Headline(tr("{name} is accepted.", name=name), "pass")


def _lacks(acceptance: Acceptance) -> str:
    """The criteria that it does not pass, by name."""
    return ", ".join(
        _lacking(name, each)
        for name, each in acceptance.criteria.items()
        if each.passed is not True
    )


def _lacking(name: str, criterion: Criterion) -> str:
    if criterion.passed is None:
        return tr("{criterion} (not known)", criterion=name)
    return tr("{criterion} (marginal)", criterion=name) if criterion.marginal else name
