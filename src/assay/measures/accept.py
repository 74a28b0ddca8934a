"""How a checkpoint is accepted beyond its limits: `[accept]` of a gate.

`confirm` keeps a seeded share of the tests out of the selection; the selected checkpoint is asked
them, and is accepted where the one-sided 95 % bound on them lies above the limit of every suite.
`no_worse_than` compares with another checkpoint or run, paired by test. `clear` says whether a
marginal pass may stop a training.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from annotated_types import Ge, Gt, Le, Lt

from assay.files.fields import Doc, Mistake, Rule, Text
from assay.measures.limits import all_of, unknown, wider
from assay.messages import message, tr
from assay.plugins import measure
from assay.stats.looks import ALPHA, weighted_lower_bound
from assay.stats.pairs import paired_difference_by_category
from assay.stats.suite_changes import beside_guessing
from assay.types import Estimate
from assay.types.decisions import (
    AcceptRules,
    Gate,
    GateCriterion,
    Measurements,
    SuiteFigures,
    SuiteLimit,
    fact,
)
from assay.types.measures import Measure, Places

CONFIRM = "confirm"
NO_WORSE = "no_worse_than"
MARGIN = 0.02


@dataclass(frozen=True)
class AcceptTable:
    clear: Annotated[
        bool | None,
        Doc(
            "Whether only a clear pass, with its whole interval, stops a training; it does where "
            "this is left out."
        ),
    ] = None
    confirm: Annotated[
        Annotated[float, Gt(0), Lt(1)] | None,
        Doc(
            "The share of the tests of this gate's suites that takes no part in the selection and "
            "is asked of the selected checkpoint alone."
        ),
    ] = None
    no_worse_than: Annotated[
        Text | None, Doc("A checkpoint or a run that it is compared with, paired by test.")
    ] = None
    margin: Annotated[
        Annotated[float, Ge(0), Le(1)] | None,
        Doc("By how much it may be worse, from 0 to 1; 0.02 where this is left out."),
    ] = None


def _refuse_senseless(table: AcceptTable) -> AcceptTable:
    if table == AcceptTable():
        said = tr("'accept' asks for nothing; give it 'clear', 'confirm' or 'no_worse_than'")
        raise Mistake(said)
    if table.margin is not None and table.no_worse_than is None:
        raise Mistake(tr("'margin' is for 'no_worse_than', which is not there"), ("margin",))
    return table


@measure("accept", unit="share", better="higher")
class Accept(Measure):
    """What an acceptance needs beyond the limits."""

    places = Places(keys=98, gate=95, table=105)
    table = Annotated[AcceptTable, Rule(_refuse_senseless, schema={"minProperties": 1})]
    table_about = Doc("What an acceptance needs beyond the limits.")
    sentences = {
        "confirm_passes": message(
            "On {n} tests that took no part in the selection, {suite} is {value:beside} or more "
            "(one-sided 95 % bound), above {limit:beside}."
        ),
        "confirm_fails": message(
            "On {n} tests that took no part in the selection, {suite} may be as low as "
            "{value:beside} (one-sided 95 % bound), not above {limit:beside}."
        ),
        "confirm_not_measured": message(
            "The tests of {suite} that take no part in the selection were not asked."
        ),
        "no_worse_passes": message(
            "Against {other}, over {n} tests that both have, its change is {change:change}: at "
            "most {margin} worse."
        ),
        "no_worse_fails": message(
            "Against {other}, over {n} tests that both have, its change is {change:change}: it may "
            "be more than {margin} worse."
        ),
        "no_worse_not_measured": message("It has no test in common with {other}."),
    }

    def is_needed(self, gate: Gate) -> bool:
        return False

    def limits_of(self, table: AcceptTable) -> Mapping[str, Any]:
        given = asdict(table)
        margin = MARGIN if table.margin is None else table.margin
        return {"accept": AcceptRules(**given | {"margin": margin})}

    def mistakes(self, gate: Gate) -> Iterator[tuple[tuple[str | int, ...], str]]:
        if gate.accept.confirm is not None and not gate.suites:
            yield ("accept", CONFIRM), tr("'confirm' is for suites, and this gate asks for none")

    def criteria(self, measured: Measurements, gate: Gate) -> Mapping[str, GateCriterion]:
        found = {}
        if gate.accept.confirm is not None and measured.confirming:
            found[CONFIRM] = _confirmed(measured, gate)
        if gate.accept.no_worse_than:
            found[NO_WORSE] = _no_worse(measured, gate)
        return found

    def is_clear(
        self,
        name: str,
        criterion: GateCriterion,
        measured: Measurements,
        gate: Gate,
        tail: float,
    ) -> bool:
        if name == CONFIRM:
            return _confirmed(measured, gate, alpha=2 * tail).passed is True
        change = _change(measured, gate.reference)
        low = None if change is None else wider(change, tail).low
        return low is not None and low > -gate.accept.margin


def _confirmed(measured: Measurements, gate: Gate, *, alpha: float = ALPHA) -> GateCriterion:
    """By a one-sided bound, beyond which the truth lies with this chance."""
    found = [_bound(measured, limit, alpha) for limit in gate.suites]
    first = next((each for each in found if each.passed is not True), found[0])
    return GateCriterion(
        passed=all_of([each.passed for each in found]),
        marginal=False,
        value=first.value,
        limit=first.limit,
        reasons=tuple(reason for each in found for reason in each.reasons),
    )


def _bound(measured: Measurements, asked: SuiteLimit, alpha: float) -> GateCriterion:
    suite = measured.confirming.get(asked.name)
    if suite is None:
        return unknown(None, asked.min, fact("confirm_not_measured", suite=asked.name))
    names = asked.categories or tuple(suite.scores)
    groups = [(list(suite.scores.get(name, {}).values()), 1.0) for name in names]
    bound = weighted_lower_bound(groups, alpha)
    limits = [] if asked.min is None else [asked.min]
    if asked.above_guessing:
        guess = beside_guessing(suite, names)[1]
        limits += [] if guess is None else [guess]
    if bound is None or not limits or not all(scores for scores, _ in groups):
        return unknown(None, asked.min, fact("confirm_not_measured", suite=asked.name))
    limit, n = max(limits), sum(len(scores) for scores, _ in groups)
    passed = bound > limit
    told = "confirm_passes" if passed else "confirm_fails"
    said = fact(told, n=n, suite=asked.name, value=bound, limit=limit)
    return GateCriterion(passed=passed, marginal=False, value=bound, limit=limit, reasons=(said,))


def _no_worse(measured: Measurements, gate: Gate) -> GateCriterion:
    other, margin = gate.accept.no_worse_than or "", gate.accept.margin
    change = _change(measured, gate.reference)
    if change is None or change.value is None:
        return unknown(None, -margin, fact("no_worse_not_measured", other=other))
    passed = change.low is not None and change.low > -margin
    kind = "no_worse_passes" if passed else "no_worse_fails"
    return GateCriterion(
        passed=passed,
        marginal=not passed and change.value > -margin,
        value=change.value,
        limit=-margin,
        reasons=(fact(kind, other=other, n=change.n, change=change, margin=margin),),
    )


def _change(measured: Measurements, reference: Mapping[str, SuiteFigures]) -> Estimate | None:
    """From the reference, over every suite that both have, as a share; each suite counts alike."""
    pairs: dict[str, tuple[list[float], list[float]]] = {}
    weights: dict[str, float] = {}
    for name in sorted(measured.suites.keys() & reference.keys()):
        of, before = measured.suites[name].scores, reference[name].scores
        shared = {
            category: both
            for category in of
            if (both := sorted(of[category].keys() & before.get(category, {}).keys()))
        }
        for category, tests in shared.items():
            key = f"{name}/{category}"
            pairs[key] = (
                [before[category][test] for test in tests],
                [of[category][test] for test in tests],
            )
            weights[key] = 1 / len(shared)
    if not pairs:
        return None
    found = paired_difference_by_category(pairs, weights).estimate
    return None if found is None else found.mapped(lambda points: points / 100, unit="share")
