"""What a run decided, in the order in which people read it; every renderer draws the same.

In: a Report with its Decision. Out: Groups, one a model folder: sentences and names as plain text,
still unescaped, and what tables and pictures are made from.

    Group     headlines      which checkpoint to ship, and why
              table          every checkpoint in step order; `failed`: those that have no figures
              details        of the one to ship, or the best, or each that was named: the criteria
                             of the gate, and what to change next
              files          where it is written, as paths under the run's `out`
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from assay.messages import tr
from assay.reports.checkpoint_figures import Evaluated, parent_of
from assay.reports.checkpoints.facts import advice_texts, sentences
from assay.reports.decision_sentences import (
    Headline,
    Mark,
    checkpoint_headline,
    focus_of,
    folder_headline,
    overall_headline,
)
from assay.reports.evaluation_report import REPORT_FILE
from assay.reports.selection import SELECTION_FILE
from assay.types.decisions import Decision, Gate, Measured, Recommendation, Selection
from assay.types.results import ModelReport, Report

SHOWN_ADVICE = 6
FEWEST_DRAWN = 2  # checkpoints; one alone is no curve
CHECKPOINTS = "checkpoints"  # the folder of all this under a run's `out`
OVER_STEPS, SPEED_AGAINST_QUALITY = "over_steps.svg", "speed_against_quality.svg"
CURVES = "curves.csv"


class CriterionShown(NamedTuple):
    """One limit of the gate."""

    name: str
    mark: Mark
    marginal: bool
    reason: str


class AdviceShown(NamedTuple):
    """What to change, and the figures it rests on."""

    advice: str
    figures: tuple[str, ...]


class Detail(NamedTuple):
    """One checkpoint at the gate."""

    name: str
    heading: str
    criteria: tuple[CriterionShown, ...]
    advice: tuple[AdviceShown, ...]


class File(NamedTuple):
    """A path under `out`, and what to know of it."""

    path: PurePosixPath
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A model folder, all of them together, or the checkpoints that were named singly.

    `drawn`: the folder of its two pictures, None where there are none.
    """

    title: str
    headlines: tuple[Headline, ...]
    table: Evaluated | None = None
    failed: tuple[tuple[str, str], ...] = ()
    details: tuple[Detail, ...] = ()
    files: tuple[File, ...] = ()
    drawn: PurePosixPath | None = None


# ------------------------------------------------------------------------------------------- groups


def groups(report: Report) -> tuple[Group, ...]:
    """All that was decided, the selection over all folders first. A page of some of the run's
    models has these alone, without a selection.
    """
    decision = report.decision
    if decision is None:
        return ()
    finished = report.finished is not None
    here = {model.fingerprint for model in report.models}
    evaluated_ones = [each for each in decision.measured if not each.failed]
    alone = [each.name for each in evaluated_ones if each.fingerprint in here]
    if alone and len(alone) < len(evaluated_ones):
        found = [_named(decision, alone, finished=finished)]
    else:
        inside = {name for names in decision.folders.values() for name in names}
        named = [each.name for each in decision.measured if each.name not in inside]
        found = [
            _overall(decision) if finished else None,
            *(_folder(decision, folder, finished=finished) for folder in decision.folders),
            _named(decision, named, finished=finished) if named else None,
        ]
    return tuple(group for group in found if group is not None)


def _overall(decision: Decision) -> Group | None:
    selection = decision.overall
    if selection is None:
        return None
    inside = {focus_of(each) for each in decision.selections.values()}
    focus = focus_of(selection)
    apart = [] if focus is None or focus in inside else [_detail(decision, focus)]
    return Group(
        title=tr("All model folders"),
        headlines=(overall_headline(decision, selection),),
        details=tuple(apart),
        files=(File(PurePosixPath(CHECKPOINTS, SELECTION_FILE)),),
    )


def _folder(decision: Decision, folder: str, *, finished: bool) -> Group | None:
    names = decision.folders[folder]
    checkpoints = _those(decision, names)
    selection = decision.selections.get(folder)
    title = parent_of(checkpoints) or folder
    if selection is None or not finished:
        return _undecided(decision, names, title, finished=finished)
    of = title if len(decision.selections) > 1 else ""  # alone, it need not be named
    focus = focus_of(selection)
    advice = decision.advice_for_folders.get(folder, ())
    home = PurePosixPath(CHECKPOINTS, names[0].rpartition("/")[0])
    drawn = sum(not each.failed for each in checkpoints) >= FEWEST_DRAWN
    pictures = (OVER_STEPS, SPEED_AGAINST_QUALITY, CURVES)
    return Group(
        title=title,
        headlines=(folder_headline(decision, selection, of),),
        table=evaluated(decision, names, selection),
        failed=_failed(checkpoints),
        details=() if focus is None else (_detail(decision, focus, advice),),
        files=(
            *_report_files(checkpoints, [focus] if focus else []),
            File(home / SELECTION_FILE),
            *(File(home / name) for name in pictures),
        ),
        drawn=home if drawn else None,
    )


def _named(decision: Decision, names: Sequence[str], *, finished: bool) -> Group | None:
    checkpoints = _those(decision, names)
    title = names[0] if len(names) == 1 else tr("Checkpoints")
    if not _decides(decision) or not finished:
        return _undecided(decision, names, title, finished=finished)
    return Group(
        title=title,
        headlines=tuple(
            checkpoint_headline(each, decision.acceptances[each.name]) for each in checkpoints
        ),
        table=evaluated(decision, names, None),
        failed=_failed(checkpoints),
        details=tuple(
            _detail(decision, each.name, decision.advice.get(each.name, ()))
            for each in checkpoints
            if not each.failed
        ),
        files=tuple(_report_files(checkpoints, names)),
    )


def _undecided(
    decision: Decision, names: Sequence[str], title: str, *, finished: bool
) -> Group | None:
    """Figures without a verdict: no gate decided, or not yet. Nothing where a run of suites alone
    has nothing more to show.
    """
    checkpoints = _those(decision, names)
    if not finished:
        told = tr("The run is not finished: nothing is decided yet.")
    else:
        told = tr("No gate decided: name one with --gate, or leave out -s.")
    shown = any(map(_measured_beside_suites, checkpoints))
    failed = _failed(checkpoints)
    if not shown and not failed:
        return None
    bare = Evaluated(checkpoints=checkpoints, gate=decision.gate)
    return Group(
        title=title,
        headlines=(Headline(told, "unknown"),) if shown else (),
        table=bare if shown else None,
        failed=failed,
        files=tuple(_report_files(checkpoints, names)) if finished else (),
    )


def evaluated(decision: Decision, names: Collection[str], selection: Selection | None) -> Evaluated:
    """These checkpoints as pictures and tables take them."""
    return Evaluated(
        checkpoints=_those(decision, names),
        gate=decision.gate,
        acceptances=decision.acceptances,
        weighted_scores=decision.weighted_estimates or decision.weighted,
        selected=selection.selected if selection else None,
    )


def _decides(decision: Decision) -> bool:
    return decision.gate_decides and bool(decision.selections or not decision.folders)


def _those(decision: Decision, names: Collection[str]) -> list[Measured]:
    return [each for each in decision.measured if each.name in names]


def _failed(checkpoints: Sequence[Measured]) -> tuple[tuple[str, str], ...]:
    return tuple((each.name, each.failed) for each in checkpoints if each.failed)


def _measured_beside_suites(checkpoint: Measured) -> bool:
    found = (checkpoint.text, checkpoint.speed, checkpoint.memory_mb, checkpoint.samples)
    return any(each is not None for each in found)


def _report_files(checkpoints: Sequence[Measured], names: Collection[str]) -> Iterator[File]:
    """Of these; where there are others, it is said that they have one too."""
    written = [each.name for each in checkpoints if not each.failed]
    shown = [name for name in written if name in names]
    for name in shown:
        about = ""
        if name == shown[-1] and len(written) > len(shown):
            about = tr("and one for each other checkpoint")
        yield File(PurePosixPath(CHECKPOINTS, name, REPORT_FILE), about)


# ------------------------------------------------------------------------------------------ details


def _detail(decision: Decision, name: str, advice: Sequence[Recommendation] = ()) -> Detail:
    acceptance = decision.acceptances[name]
    return Detail(
        name=name,
        heading=_at_gate(name, decision.gate),
        criteria=tuple(
            CriterionShown(key, _mark(each.passed), each.marginal, sentences(each.reasons))
            for key, each in acceptance.criteria.items()
        ),
        advice=tuple(AdviceShown(*advice_texts(each)) for each in advice[:SHOWN_ADVICE]),
    )


def _at_gate(name: str, gate: Gate) -> str:
    if gate.source == "default":
        return tr("{name} at the default gate", name=name)
    return tr("{name} at the gate {file}", name=name, file=gate.source)


def _mark(passed: bool | None) -> Mark:
    marks: Mapping[bool | None, Mark] = {True: "pass", False: "fail", None: "unknown"}
    return marks[passed]


def criterion_name(criterion: CriterionShown) -> str:
    """Its name, and whether it is marginal."""
    if not criterion.marginal:
        return criterion.name
    return tr("{criterion}, marginal", criterion=criterion.name)


# ----------------------------------------------------------------------------------------- pictures


def over_steps_title(group: Group) -> str:
    """What the first picture shows."""
    return tr("{model}: perplexity, suites and weighted score over the steps", model=group.title)


def speed_title(group: Group) -> str:
    """What the second one shows."""
    return tr("{model}: speed against quality", model=group.title)


# ------------------------------------------------------------------------------------------- models


def name_of(report: Report, model: ModelReport) -> str:
    """PARENT/STEP of a checkpoint, the spec of any other model."""
    measured = report.decision.measured if report.decision else ()
    names = {each.fingerprint: each.name for each in measured if each.fingerprint}
    return names.get(model.fingerprint, model.spec)
