"""The card of checkpoints: which one to ship, by which criteria of the gate, and with what care."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from assay.messages import joined, labelled, tr, trn
from assay.reports.checkpoints.facts import advice_texts, sentence, sentences
from assay.reports.checkpoints.headlines import criteria_missed
from assay.text.safe_text import one_line
from assay.types.decisions import (
    DEFAULT_GATE,
    Acceptance,
    Decision,
    DecisionFact,
    GateCriterion,
    Measurements,
    Selection,
)
from assay.types.documents import Card, Line, Tone, make_card, one_sentence, with_commands

# Facts of a selection that are a reason, and one that is a caveat.
BESIDE_OTHERS = ("ahead", "tie", "tie_among", "tie_without_interval", "not_comparable")
HOW_MANY = ("only_one_passes", "none_passes")
NOT_CONFIRMED = ("best_of", "not_yet_confirmed")
NOT_KNOWN = ("not_evaluated", "step_diverged_in_text", "step_diverged")
SHOWN_TIES = 3


def decision_card(decision: Decision, shown: Collection[str] = (), next: Line = "") -> Card:
    """Over all folders, else of each, and of those named singly; of the `shown` fingerprints alone
    where they are not all. `next`: where there is no advice.
    """
    single = _named_singly(decision, shown)
    chosen = {} if single is not None else _selections(decision)
    if single is None and decision.overall is not None and not decision.folders:
        single = []  # they were selected among
    elif single is None:
        inside = {name for names in decision.folders.values() for name in names}
        single = [each for each in decision.measured if each.name not in inside]
    several = len(chosen) > 1
    said = [_of_selection(decision, each, several and folder) for folder, each in chosen.items()]
    said += _of_singles(decision, single)
    names = [name for each in chosen.values() if (name := each.selected or each.best_so_far)]
    names += [each.name for each in single if not each.failed]
    passes: list[bool | None] = [each.selected is not None for each in chosen.values()]
    passes += [decision.acceptances[each.name].accepted for each in single]
    return make_card(
        one_line(one_sentence(said, [each.name for each in decision.measured])),
        tone=_tone(passes),
        reasons=_reasons(decision, [*chosen.values()], names),
        caveats=_caveats(decision, [*chosen.values()], names),
        next=_quantise(decision, names, passes) or _advice(decision, names) or next,
        gate=decision.gate.title if decision.gate.source == DEFAULT_GATE else "",
    )


def _named_singly(decision: Decision, shown: Collection[str]) -> list[Measurements] | None:
    """The shown ones, where others were measured beside them; None: all are shown."""
    known = [each for each in decision.measured if not each.failed]
    alone = [each for each in known if each.fingerprint in shown]
    return alone if alone and len(alone) < len(known) else None


def _selections(decision: Decision) -> Mapping[str, Selection]:
    return {"": decision.overall} if decision.overall else dict(decision.selections)


def _of_selection(decision: Decision, selection: Selection, folder: str | Literal[False]) -> str:
    """`folder`: of a selection that is not the only one."""
    name, best = selection.selected, selection.best_so_far
    if name is None and best is None:
        return tr("ship none: no checkpoint could be evaluated")
    if name is None and best is not None:
        gaps = {"best": best, "folder": folder, "criteria": _missed(decision.acceptances[best])}
        if folder:
            return tr("ship none of {folder}: {best} comes closest and misses {criteria}", **gaps)
        return tr("ship none: {best} comes closest and misses {criteria}", **gaps)
    ship = tr("ship {name}", name=name)
    if folder:
        ship = tr("ship {name} of {folder}", name=name, folder=folder)
    if not selection.tied_with:
        return ship
    more = len(selection.tied_with) - SHOWN_TIES
    others = ", ".join(selection.tied_with[:SHOWN_TIES])
    if more > 0:
        others = tr("{names} and {count} more", names=others, count=more)
    return tr("{ship}; no significant difference from {others}", ship=ship, others=others)


def _of_singles(decision: Decision, checkpoints: Sequence[Measurements]) -> list[str]:
    """Those that were named themselves."""
    of = {each.name: decision.acceptances[each.name] for each in checkpoints if not each.failed}
    refused = [name for name, each in of.items() if each.accepted is False]
    if refused and len(refused) == len(of):
        why = joined(tr("{name} misses {criteria}", name=name, criteria=_missed(of[name]))
                     for name in refused)  # fmt: skip
        said = [tr("ship none: {why}", why=why)]
    else:
        said = [_of_single(name, acceptance) for name, acceptance in of.items()]
    failed = [each.name for each in checkpoints if each.failed]
    return said + [tr("{name} could not be evaluated", name=name) for name in failed]


def _of_single(name: str, acceptance: Acceptance) -> str:
    if acceptance.accepted:
        return tr("ship {name}", name=name)
    if acceptance.accepted is False:
        return tr("do not ship {name}: it misses {criteria}", name=name,
                  criteria=_missed(acceptance))  # fmt: skip
    unknown = [key for key, each in acceptance.criteria.items() if each.passed is None]
    left = [_tests_needed(acceptance.criteria[key]) for key in unknown]
    if left and all(left):
        return trn(
            "undecided on {name}: about {count} more test",
            "undecided on {name}: about {count} more tests",
            sum(left),
            name=name,
        )
    return tr("undecided on {name}: not measured: {criteria}", name=name,
              criteria=", ".join(unknown))  # fmt: skip


def _tests_needed(criterion: GateCriterion) -> int:
    """By how many more tests --decide would know; 0 where something else is missing."""
    for reason in criterion.reasons:
        if reason.kind in ("part_leaves_open", "unscored_leave_open"):
            values = reason.values
            return int(str(values["more"] or values["unscored"]))
    return 0


def _missed(acceptance: Acceptance) -> str:
    return ", ".join(criteria_missed(acceptance))


def _tone(passes: Sequence[bool | None]) -> Tone:
    if passes and all(passes):
        return "good"
    return "bad" if False in passes else "warning"


def _reasons(
    decision: Decision, selections: Sequence[Selection], names: Sequence[str]
) -> Iterator[str]:
    """How it stands beside the others; then the criteria that decided, of each in turn."""
    for selection in selections:
        yield from map(sentence, _facts(selection, BESIDE_OTHERS))
    of_each = [decisive_criteria(decision.acceptances[name]) for name in names]
    for place in range(max(map(len, of_each), default=0)):
        for name, criteria in zip(names, of_each, strict=True):
            if place < len(criteria):
                why = sentences(criteria[place].reasons)
                yield why if len(names) == 1 else labelled(name, why)
    for selection in selections:
        yield from map(sentence, _facts(selection, HOW_MANY))


def _facts(selection: Selection, kinds: Collection[str]) -> Iterator[DecisionFact]:
    return (each for each in selection.reasons if each.kind in kinds)


def decisive_criteria(acceptance: Acceptance) -> list[GateCriterion]:
    """Those that are missed, then unknown, then near their limit, then the others."""

    def order(of: GateCriterion) -> tuple[int, bool]:
        missed = {False: 0, None: 1, True: 2}[of.passed]
        return missed, of.marginal if missed == 0 else not of.marginal

    return sorted(acceptance.criteria.values(), key=order)


def _caveats(
    decision: Decision, selections: Sequence[Selection], names: Sequence[str]
) -> Iterator[str]:
    """The text of the perplexity, an interval across a limit, what no criterion covers, and what a
    selection rests on.
    """
    beyond = [fact for name in names for fact in decision.not_covered.get(name, ())]
    shipped = [each for each in beyond if each.kind == "shipped_text"]
    yield from map(sentence, shipped[:1])
    for name in names:
        acceptance = decision.acceptances[name]
        near = [key for key, each in acceptance.criteria.items() if each.marginal and each.passed]
        if acceptance.accepted and near:
            yield tr("The pass is marginal, not clear: the interval of {criteria} crosses the "
                     "limit.", criteria=", ".join(near))  # fmt: skip
    for selection in selections:
        yield from (sentence(each) for each in selection.notes if each.kind in NOT_KNOWN)
    yield from (sentence(each) for each in beyond if each.kind != "shipped_text")
    for selection in selections:
        yield from map(sentence, _facts(selection, NOT_CONFIRMED))
        if selection.max_by_formula:
            yield tr("The specification's formula has its maximum at {name}.",
                     name=selection.max_by_formula)  # fmt: skip
    failed = [each.name for each in decision.measured if each.failed]
    if failed and not selections:
        yield tr("Not evaluated: {names}.", names=", ".join(failed))


def _quantise(decision: Decision, names: Sequence[str], passes: Sequence[bool | None]) -> Line:
    """The step after acceptance. A file of a served model or of GGUF is quantised already."""
    on_disk = {each.name for each in decision.measured if each.path}
    accepted = [name for name in names if name in on_disk]
    if not accepted or not all(passes):
        return ""
    return with_commands(
        tr("Quantise {name}: `assay quants FILE...` compares the GGUF files that llama.cpp makes "
           "of it.", name=accepted[0])
    )  # fmt: skip


def _advice(decision: Decision, names: Sequence[str]) -> Line:
    for name in names:
        for each in decision.advice.get(name, ()):
            return with_commands(advice_texts(each)[0])
    return ""
