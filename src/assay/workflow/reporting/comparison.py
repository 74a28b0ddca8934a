"""Sets runs side by side, test by test.

A name is a run (all its models are sides), RUN/MODEL, or a model's spec (its newest run counts).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import RunNotFound, UsageError
from assay.messages import tr
from assay.stats.estimates import OVER_TESTS, PART_OF_TESTS
from assay.store import Run, RunModel, Store
from assay.store.bodies import without_remarks
from assay.summary.comparisons import compare_suites, with_holm
from assay.summary.trials import summarise
from assay.text import number_format
from assay.types import Case, Suite
from assay.types.options import DEFAULT_OUT
from assay.types.results import (
    Comparison,
    PairComparison,
    Side,
    SuiteComparison,
    SuiteSummary,
    TestRow,
)
from assay.workflow.reporting.results import summaries_of
from assay.workflow.reporting.trials import trials_of
from assay.workflow.running.own_prompts import is_own

ROUNDING = 1e-9  # points: the mean of three falls by 0.1 is 0.10000000000000002


@dataclass(frozen=True, slots=True)
class _ComparedSide:
    side: Side
    run: Run
    model: RunModel
    suites: dict[str, Suite]
    summaries: dict[str, SuiteSummary]

    @property
    def is_judged_by(self) -> tuple[object, ...]:
        """What another value of gives other scores to the same answer."""
        judging = self.run.judging
        if judging is None:
            return ()
        judges = sorted((each.fingerprint, each.form) for each in judging.judges)
        return (judges, judging.use_case, bool(judging.isolation))

    def ways(self, suite: str) -> tuple[object, ...]:
        """How its tests were asked and scored, beside the usual way."""
        categories = self.summaries[suite].categories.items()
        lesser = {
            name: of.method
            for name, of in categories
            if of.method not in (*OVER_TESTS, PART_OF_TESTS)
        }
        judged = any(case.check.judged for case in self.suites[suite].cases)
        return (lesser, self.is_judged_by if judged else ())


def compare(store: Store, names: Sequence[str], *, max_drop: float | None = None) -> Comparison:
    """`max_drop`, 0 to 1: a suite that fell by more, or may have, is named, and the comparison ends
    with 1.
    """
    chosen = find_sides(store, names)
    if len(chosen) < 2:
        raise UsageError(
            tr("a comparison needs two sides, and {names} names one", names=", ".join(names)),
            hint=tr("name two runs, or one run of several models: assay compare RUN RUN"),
        )
    sides = [_read_side(store, run, model) for run, model in chosen]
    _refuse_nothing_in_common(sides)
    compared = Comparison(pairs=with_holm([_pair(sides[0], other) for other in sides[1:]]))
    return compared if max_drop is None else _hold(compared, sides, max_drop)


def _read_side(store: Store, run: Run, model: RunModel) -> _ComparedSide:
    return _ComparedSide(
        side=_side(run, model),
        run=run,
        model=model,
        suites={suite.name: suite for suite in store.read_suites(run)},
        summaries={summary.suite: summary for summary in summaries_of(store, run, model)},
    )


def compare_answers(
    runs: Sequence[str], suite: str, test: str, *, out: str | Path = DEFAULT_OUT
) -> tuple[tuple[Side, TestRow], ...]:
    """What each side of a comparison answered to one test; sides that were not asked are left
    out.
    """
    found = []
    with Store(out, read_only=True) as store:
        for run, model in find_sides(store, runs):
            trials = tuple(store.read_trials(run, model, of=(suite, test)))
            suites = (each for each in store.read_suites(run) if trials and each.name == suite)
            for rows in (summarise(each, trials_of(each, trials)).tests for each in suites):
                found.append((_side(run, model), rows[0]))
    return tuple(found)


def _hold(compared: Comparison, sides: Sequence[_ComparedSide], most: float) -> Comparison:
    """By the difference itself, as a gate does. Scores made in two ways cannot be held to it."""
    first, *others = sides
    notes: list[str] = []
    fell: list[str] = []
    for pair, other in zip(compared.pairs, others, strict=True):
        for suite in pair.suites:
            if first.ways(suite.suite) != other.ways(suite.suite):
                said = tr("{suite}: scored by two methods, so --max-drop does not apply",
                          suite=suite.suite)  # fmt: skip
                notes.append(said)
            else:
                fell += _what_fell(suite, other, most)
    return replace(
        compared,
        notes=(*compared.notes, *notes, *fell),
        exit_code=int(bool(fell)),
        fell=tuple(fell),
    )


def _what_fell(suite: SuiteComparison, other: _ComparedSide, most: float) -> Iterator[str]:
    """A sentence where it fell by more than is allowed, or where that is open."""
    points = number_format.readable(most * 100)
    difference = suite.difference
    if difference.value is None or difference.incomplete or not other.run.finished:
        tests = difference.n + len(suite.left_out)
        yield tr("{suite}: whether it fell by more than {most} points is undecided, for "
                 "{unscored} of {tests} tests have no score on one side or were not asked",
                 suite=suite.suite, most=points, unscored=len(suite.left_out),
                 tests=tests)  # fmt: skip
        return
    lost = -difference.value
    if lost > most * 100 + ROUNDING:
        yield tr(
            "{suite} fell by {lost} points; --max-drop allows {most}",
            suite=suite.suite,
            lost=number_format.readable(lost),
            most=points,
        )


def find_sides(store: Store, names: Sequence[str]) -> list[tuple[Run, RunModel]]:
    return [pair for name in names for pair in _sides(store, name)]


def _refuse_nothing_in_common(sides: Sequence[_ComparedSide]) -> None:
    first, *others = sides
    for other in others:
        both = set(first.suites) & set(other.suites)
        if both and all(is_own(side.suites[name]) for side in (first, other) for name in both):
            raise UsageError(
                tr("own prompts have no scores to compare: nothing says what a right answer is"),
                hint=tr("read the answers: assay report {run} -v", run=other.side.run),
            )
        if not both:
            raise UsageError(
                tr(
                    "{first} and {second} share no suite: one has {ours}, the other {theirs}",
                    first=first.side.model,
                    second=other.side.model,
                    ours=", ".join(first.suites),
                    theirs=", ".join(other.suites),
                ),
                hint=tr("run both on the same suite, then compare"),
            )


def _side(run: Run, model: RunModel) -> Side:
    return Side(run=run.id, model=model.spec, when=run.created, name=model.facts.name)


def _sides(store: Store, name: str) -> Iterator[tuple[Run, RunModel]]:
    try:
        run = store.find_run(name)
    except RunNotFound:
        found = _model_of_run(store, name) or _newest_of_model(store, name)
        if found is None:
            raise
        yield found
    else:
        yield from ((run, model) for model in run.evaluated)


def _model_of_run(store: Store, name: str) -> tuple[Run, RunModel] | None:
    """RUN/MODEL: one model of a run that has several."""
    run_name, _, model_name = name.partition("/")
    try:
        run = store.find_run(run_name)
    except RunNotFound:
        return None
    return next(((run, each) for each in run.evaluated if _is_called(each, model_name)), None)


def _newest_of_model(store: Store, name: str) -> tuple[Run, RunModel] | None:
    runs = (run for run in reversed(store.read_runs()) if run.digests)
    models = ((run, model) for run in runs for model in run.evaluated)
    return next((pair for pair in models if _is_called(pair[1], name)), None)


def _is_called(model: RunModel, name: str) -> bool:
    return name in (model.spec, model.slug, model.facts.name)


def _pair(a: _ComparedSide, b: _ComparedSide) -> PairComparison:
    shared = [name for name in a.suites if name in b.suites]
    alone = sorted(set(a.suites) ^ set(b.suites))
    notes = [tr("{suite}: only one side has it, so it is left out", suite=name) for name in alone]
    notes += [
        tr("run {run} is not finished; its unasked tests are left out", run=answers.side.run)
        for answers in (a, b)
        if not answers.run.finished
    ]
    judged = any(case.check.judged for name in shared for case in a.suites[name].cases)
    if judged and a.is_judged_by != b.is_judged_by:
        notes.append(
            tr("the two runs were not judged alike, so judged tests may differ by that alone; "
               "judge both with the same --judge and options")
        )  # fmt: skip
    for name in shared:
        ways = a.summaries[name].method, b.summaries[name].method
        if ways[0] != ways[1] and all(ways):
            notes.append(
                tr("{suite}: {first} on one side, {second} on the other: two methods, so the "
                   "difference is not the models'", suite=name, first=ways[0], second=ways[1])
            )  # fmt: skip
    suites = tuple(
        compare_suites(
            a.summaries[name], b.summaries[name], same=same_tests(a.suites[name], b.suites[name])
        )
        for name in shared
    )
    return PairComparison(a=a.side, b=b.side, suites=suites, notes=tuple(notes))


def same_tests(a: Suite, b: Suite) -> frozenset[str]:
    firsts, seconds = _questions(a), _questions(b)
    return frozenset(test_id for test_id in seconds if firsts.get(test_id) == seconds[test_id])


def _questions(suite: Suite) -> dict[str, tuple[Case, tuple[Case, ...]]]:
    """What makes two tests the same test: all but the author's remarks, and the worked examples."""
    shown = {
        name: tuple(map(without_remarks, examples[: suite.shots]))
        for name, examples in suite.few_shot.items()
    }
    return {case.id: (without_remarks(case), shown.get(case.category, ())) for case in suite.cases}
