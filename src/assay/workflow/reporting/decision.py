"""What a run will decide, decided: which checkpoints are accepted, and which is selected."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.decide.accept import accept, find_not_covered
from assay.decide.advice import advise, agree_over_steps
from assay.decide.scores import own_scale, weigh
from assay.decide.select import select
from assay.decide.trainings import spread_of_trainings
from assay.decide.trend import changes_from_base, find_signals, trend
from assay.stats.estimates import nothing
from assay.suites.held_out_text import digest_of_shipped
from assay.types.decisions import (
    Acceptance,
    ChangeFromBase,
    Decision,
    DecisionFact,
    DecisionPlan,
    Gate,
    Measurements,
    Recommendation,
    Selection,
    SizeClass,
    SuiteFigures,
    fact,
    size_class_of,
)
from assay.types.trends import Trend

# Of the shipped text by the GGUF files of SmolLM2-135M-Instruct (Q4_1) and
# Qwen2.5-Coder-0.5B-Instruct (Q4_K_M): `assay run gguf:FILE`.
PERPLEXITY_OF_SHIPPED = {"smollm2": 47.5, "qwen": 49.5}


def decide(
    deciding: DecisionPlan,
    measured: Sequence[Measurements],
    *,
    timestamp: str,
    attempts: int | None = None,
) -> Decision:
    """`attempts`: the runs so far against this gate."""
    gate = _with_reference(deciding.gate, measured)
    measured = [replace(each, size_class=_size_class(each, gate)) for each in measured]
    acceptances = {each.name: accept(each, gate) for each in measured}
    scale = own_scale(gate, [each for each in measured if not each.failed])
    weighed = {each.name: weigh(each, scale) for each in measured}
    of_folders: dict[str, list[str]] = {}
    for subject in deciding.subjects:
        if subject.folder:
            of_folders.setdefault(subject.folder, []).append(subject.name)
    folders = {folder: tuple(names) for folder, names in of_folders.items()}
    by_name = {each.name: each for each in measured}
    inside = {
        folder: [by_name[name] for name in names if name in by_name]
        for folder, names in folders.items()
    }
    selections: dict[str, Selection] = {}
    trends: dict[str, Trend] = {}
    signals = {folder: find_signals(found) for folder, found in inside.items()}
    bases = {subject.name for subject in deciding.subjects if subject.is_base}
    for folder, found in inside.items():
        of_folder = trend(found)
        trends |= dict.fromkeys(folders[folder], of_folder or Trend(curves={}))
        if deciding.selects:
            noise = [each.suite for each in signals[folder] if not each.carries]
            candidates = _candidates(found, bases)
            selected = select(candidates, gate, timestamp=timestamp, noise=noise, attempts=attempts)
            diverged = tuple(each.fact for each in of_folder.diverged) if of_folder else ()
            selections[folder] = replace(selected, notes=(*diverged, *selected.notes))
    overall = None
    several = _overall_candidates(deciding, by_name, inside, bases)
    if deciding.selects and several:
        overall = select(several, gate, timestamp=timestamp, attempts=attempts)
    return Decision(
        gate=gate,
        gate_decides=deciding.selects,
        measured=tuple(measured),
        acceptances={
            name: each if deciding.selects else _without_decision(each)
            for name, each in acceptances.items()
        },
        weighted=weighed,
        advice=_advice(measured, acceptances, trends, inside, gate),
        not_covered={
            each.name: (
                *_decided_by_shipped_text(each, acceptances[each.name]),
                *find_not_covered(each, gate, weighed[each.name]),
            )
            for each in measured
        },
        folders=folders,
        selections=selections,
        signals=signals,
        overall=overall,
        trainings=spread_of_trainings(inside),
        changes={name: change for of in inside.values() for name, change in _changes(of, bases)},
    )


def _advice(
    measured: Sequence[Measurements],
    acceptances: Mapping[str, Acceptance],
    trends: Mapping[str, Trend],
    inside: Mapping[str, Sequence[Measurements]],
    gate: Gate,
) -> dict[str, tuple[Recommendation, ...]]:
    """Return what to change next for each checkpoint; those of one run agree."""
    advice = {
        each.name: advise(each, acceptances[each.name], trends.get(each.name), gate)
        for each in measured
    }
    for found in inside.values():
        names = [each.name for each in found]
        agreed = agree_over_steps([advice[name] for name in names])
        advice |= dict(zip(names, agreed, strict=True))
    return advice


def _overall_candidates(
    deciding: DecisionPlan,
    by_name: Mapping[str, Measurements],
    inside: Mapping[str, Sequence[Measurements]],
    bases: Collection[str],
) -> list[Measurements]:
    """Return the checkpoints of several model folders, or several that were named singly; none
    where there is nothing to select from beside the folder.
    """
    if deciding.top or len(inside) > 1:
        return [each for found in inside.values() for each in _candidates(found, bases)]
    names = [subject.name for subject in deciding.subjects if subject.path and not subject.folder]
    named = [by_name[name] for name in names if name in by_name]
    return named if len(named) > 1 and not inside else []


def _decided_by_shipped_text(
    measured: Measurements, acceptance: Acceptance
) -> Iterator[DecisionFact]:
    """Real models that nobody would call bad miss the limits on it."""
    criterion = acceptance.criteria.get("perplexity")
    decided = criterion is not None and criterion.passed is not None
    if decided and measured.text is not None and measured.text.text == digest_of_shipped():
        yield fact("shipped_text", **PERPLEXITY_OF_SHIPPED)


def _with_reference(gate: Gate, measured: Sequence[Measurements]) -> Gate:
    """With the checkpoint that others may not be worse than, where it is one of them."""
    named = gate.accept.no_worse_than
    if not named or gate.reference:
        return gate
    of = (each for each in measured if named in (each.name, each.name.rpartition("/")[2]))
    found = next(of, None)
    return gate if found is None else replace(gate, reference=found.suites)


def to_confirm(deciding: DecisionPlan, decision: Decision | None) -> set[str]:
    """The models whose acceptance the tests that were kept back can confirm, by spec: those that
    would be selected, and accepted ones that were named singly.
    """
    if decision is None or not deciding.selects:
        return set()
    chosen = [*decision.selections.values(), *([decision.overall] if decision.overall else [])]
    names = {each.selected or each.best_so_far for each in chosen}
    accepted = {name for name, of in decision.acceptances.items() if of.accepted}
    inside = {name for of in decision.folders.values() for name in of}
    return {
        each.spec
        for each in deciding.subjects
        if each.name in accepted and (each.name in names or each.name not in inside)
    }


def to_rank(
    deciding: DecisionPlan, decision: Decision | None, planned: Collection[str]
) -> tuple[set[str], set[str]]:
    """With --decide, whose place among others needs all tests of what they are ranked on: the
    models by spec, and the suites. Two that pass, by the part that was asked. `planned`: the suites
    of the run.
    """
    if decision is None or not deciding.selects:
        return set(), set()
    passing = [each for each in decision.measured if _passes_by_part(each, decision.gate)]
    names = {each.name for each in passing}
    folders = [names.intersection(of) for of in decision.folders.values()]
    folders += [names] if decision.overall is not None else []
    chosen = {name for of in folders if len(of) > 1 for name in of}
    blank = SuiteFigures(score=nothing(unit="points"), categories={}, scores={})
    whole = [
        replace(each, suites={**dict.fromkeys(planned, blank), **each.suites}) for each in passing
    ]
    limits = [limit for part in own_scale(decision.gate, whole).parts for limit in part.tests]
    specs = {each.spec for each in deciding.subjects if each.name in chosen}
    return specs, {limit.name for limit in limits}


def _passes_by_part(measured: Measurements, gate: Gate) -> bool:
    """As when it was decided, whatever was asked since: a run that goes on chooses the same."""
    suites = {
        name: replace(suite, early=replace(suite.early, passed=suite.early.proved))
        if suite.early is not None and suite.early.proved is not None
        else suite
        for name, suite in measured.suites.items()
    }
    return accept(replace(measured, suites=suites, confirming={}), gate).accepted is True


def _size_class(of: Measurements, gate: Gate) -> SizeClass | None:
    """The gate's, else by the count of parameters, whatever an earlier gate said."""
    if gate.size_class is not None:
        return gate.size_class
    return of.size_class if of.parameters is None else size_class_of(of.parameters)


def _candidates(found: Sequence[Measurements], bases: Collection[str]) -> list[Measurements]:
    """The base of adapters is measured to compare with, not to be selected."""
    return [each for each in found if each.name not in bases] or list(found)


def _changes(
    found: Sequence[Measurements], bases: Collection[str]
) -> Iterator[tuple[str, tuple[ChangeFromBase, ...]]]:
    whole = [each for each in found if not each.failed]
    for base in (each for each in whole if each.name in bases):
        yield from (
            (each.name, changes_from_base(base, each)) for each in whole if each is not base
        )


def _without_decision(acceptance: Acceptance) -> Acceptance:
    criteria = {name: replace(each, passed=None) for name, each in acceptance.criteria.items()}
    return Acceptance(accepted=None, criteria=criteria)


def selected_in(decision: Decision) -> str | None:
    if decision.overall is not None:
        return decision.overall.selected
    if len(decision.selections) == 1:
        return next(iter(decision.selections.values())).selected
    return None


def passes(deciding: DecisionPlan, decision: Decision) -> bool:
    """A folder has one selected, a named one is accepted; unknown passes the default gate alone."""
    if not deciding.selects:
        return True
    chosen = not decision.folders or selected_in(decision) is not None
    named = [subject.name for subject in deciding.subjects if not subject.folder]
    accepted = {decision.acceptances[name].accepted for name in named}
    return chosen and not accepted & ({False, None} if deciding.asked else {False})
