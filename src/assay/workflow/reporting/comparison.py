"""Sets runs side by side, test by test; and ranks every model in the store, best first.

A name is a run (all its models are sides), RUN/MODEL, or a model's spec (its newest run counts).
Models are ranked beside each other only where they answered the same tests in the same way: one
table per suite, version of it, and way of asking.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.errors import RunNotFound, SuiteNotFound, UsageError
from assay.messages import tr
from assay.reports.formats.notebook import LeaderboardResult
from assay.store import Run, RunModel, Store, StoredTry
from assay.summary.comparisons import compare_suites, rank, with_holm
from assay.summary.trials import summarise
from assay.text import number_format
from assay.types import Answered, Attempt, Case, SamplingMode, Suite
from assay.types.options import DEFAULT_OUT
from assay.types.results import (
    Comparison,
    Footprint,
    ModelLeftOut,
    PairComparison,
    Side,
    Standing,
    SuiteSummary,
    TestRow,
)
from assay.workflow.reporting.footprints import FitLimits, find_footprint, read_memory, read_tokens
from assay.workflow.reporting.results import summaries_of
from assay.workflow.reporting.trials import trials_of
from assay.workflow.running.baselines import baselines_of
from assay.workflow.running.own_prompts import is_own

INTERVALS = ("wilson", "bootstrap", "none")  # methods that only say how an interval was computed
ROUNDING = 1e-9  # points: the mean of three falls by 0.1 is 0.10000000000000002

_Seen = tuple[str, SamplingMode, str, str]  # suite, sampling, model, by whom it was judged


@dataclass(frozen=True, slots=True)
class _ComparedSide:
    side: Side
    run: Run
    suites: dict[str, Suite]
    summaries: dict[str, SuiteSummary]

    @property
    def is_judged_by(self) -> tuple[object, ...]:
        """What another value of gives other scores to the same answer."""
        judging = self.run.judging
        if judging is None:
            return ()
        judges = sorted((each.fingerprint, each.form, each.layout or "") for each in judging.judges)
        return (judges, judging.use_case, bool(judging.isolation))

    def ways(self, suite: str) -> tuple[object, ...]:
        """How its tests were asked and scored, beside the usual way."""
        categories = self.summaries[suite].categories.items()
        lesser = {name: of.method for name, of in categories if of.method not in INTERVALS}
        judged = any(case.check.judged for case in self.suites[suite].cases)
        return (lesser, self.is_judged_by if judged else ())


def compare(store: Store, names: Sequence[str], *, max_drop: float | None = None) -> Comparison:
    """`max_drop`, 0 to 1: a suite that fell by more is named, and the comparison ends with 1."""
    chosen = find_sides(store, names)
    if len(chosen) < 2:
        raise UsageError(
            tr("a comparison needs two sides, and {names} names one", names=", ".join(names)),
            hint=tr("name two runs, or one run of several models: assay compare RUN RUN"),
        )
    sides = [
        _ComparedSide(
            side=_side(run, model),
            run=run,
            suites={suite.name: suite for suite in store.read_suites(run)},
            summaries={summary.suite: summary for summary in summaries_of(store, run, model)},
        )
        for run, model in chosen
    ]
    _refuse_nothing_in_common(sides)
    compared = Comparison(pairs=with_holm([_pair(sides[0], other) for other in sides[1:]]))
    return compared if max_drop is None else _hold(compared, sides, max_drop)


def compare_answers(
    runs: Sequence[str], suite: str, test: str, *, out: Path = DEFAULT_OUT
) -> tuple[tuple[Side, TestRow], ...]:
    """What each side of a comparison answered to one test; sides that were not asked are left
    out.
    """
    found = []
    with Store(out, read_only=True) as store:
        for run, model in find_sides(store, runs):
            tries = tuple(store.read_tries(run, model, of=(suite, test)))
            suites = (each for each in store.read_suites(run) if tries and each.name == suite)
            for rows in (summarise(each, trials_of(each, tries)).tests for each in suites):
                found.append((_side(run, model), rows[0]))
    return tuple(found)


def _hold(compared: Comparison, sides: Sequence[_ComparedSide], max_drop: float) -> Comparison:
    """By the difference itself, as a gate does. Scores made in two ways cannot be held to it."""
    first, *others = sides
    notes: list[str] = []
    fell = False
    for pair, other in zip(compared.pairs, others, strict=True):
        for suite in pair.suites:
            lost = -(suite.difference.value or 0.0)
            if first.ways(suite.suite) != other.ways(suite.suite):
                said = tr("{suite}: scored by two methods, so --max-drop does not apply",
                          suite=suite.suite)  # fmt: skip
                notes.append(said)
            elif lost > max_drop * 100 + ROUNDING:
                fell = True
                notes.append(
                    tr(
                        "{suite} fell by {lost} points; --max-drop allows {most}",
                        suite=suite.suite,
                        lost=number_format.readable(lost),
                        most=number_format.readable(max_drop * 100),
                    )
                )
    return replace(compared, notes=(*compared.notes, *notes), exit_code=int(fell))


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
    return {
        case.id: (
            replace(case, system=case.system or None, description="", reviewed=None, tags=()),
            suite.few_shot.get(case.category, ())[: suite.shots],
        )
        for case in suite.cases
    }


_Table = tuple[Suite, dict[str, Standing]]  # by model fingerprint its standing


def leaderboard(
    *,
    suite: str | None = None,
    max_memory: str | None = None,
    min_speed: float | None = None,
    context: str | None = None,
    out: str | Path = DEFAULT_OUT,
) -> LeaderboardResult:
    """Every model in the store, best first; with limits, those that were measured to keep them:
    memory such as "8GB", decoded tokens/s, tokens of context in use such as "16k".

    Example: `assay.leaderboard(suite="example").to_pandas()`.
    """
    out = Path(out)
    limits = FitLimits(
        max_memory=None if max_memory is None else read_memory(max_memory),
        min_speed=min_speed,
        context=None if context is None else read_tokens(context),
    )
    limited = limits != FitLimits()
    left_out: dict[str, ModelLeftOut] = {}
    tables: dict[tuple[str, str], _Table] = {}  # by content and way of asking
    seen: set[_Seen] = set()
    with Store(out, read_only=True) as store:
        known = store.read_suite_names()
        if suite is not None and suite not in known:
            raise SuiteNotFound(
                tr("no run in {path} has a suite {suite!r}", path=store.path, suite=suite),
                hint=tr("it has: {names}", names=", ".join(known) or "-"),
            )
        runs = store.read_runs()
        unfinished = sum(run.finished is None for run in runs)
        for run in reversed(runs):
            for model in run.evaluated if run.finished and run.digests else ():
                found = find_footprint(store, run, model, limits) if limited else None
                if isinstance(found, ModelLeftOut):
                    left_out.setdefault(model.facts.fingerprint, found)
                else:
                    _enter(tables, seen, store, run, model, suite, found)
    notes = []
    if unfinished:
        notes.append(tr("unfinished runs that are left out: {count}", count=unfinished))
    if not tables and not left_out:
        notes.append(tr("no finished run with scores yet: start one with `assay run`"))
    return LeaderboardResult(
        out=str(out.resolve()),
        suites=tuple(
            rank(
                of.name,
                tuple(rows.values()),
                content=content[:8],
                tests=sum(1 for _ in of.cases),
                asked=asked,
                of=of,
                baselines=baselines_of(of),
            )
            for (content, asked), (of, rows) in tables.items()
        ),
        left_out=tuple(left_out.values()),
        notes=tuple(notes),
    )


def _enter(
    tables: dict[tuple[str, str], _Table],
    seen: set[_Seen],
    store: Store,
    run: Run,
    model: RunModel,
    only: str | None,
    footprint: Footprint | None,
) -> None:
    """Runs come newest first, so the first entry of a model is the one that counts."""
    tries: tuple[StoredTry, ...] | None = None
    for digest, suite in zip(run.digests, store.read_suites(run), strict=True):
        key = (digest, run.sampling, model.facts.fingerprint, _judged(run, suite))
        if key in seen or only not in (None, suite.name) or is_own(suite):
            continue
        seen.add(key)
        if tries is None:
            tries = tuple(store.read_tries(run, model))
        trials = tuple(trials_of(suite, tries))
        summary = summarise(suite, trials)
        asked = ", ".join(_ways_of_asking(run, suite, trials))
        _, rows = tables.setdefault((digest, asked), (suite, {}))
        rows[model.facts.fingerprint] = Standing(
            model=model.spec,
            name=model.facts.name,
            score=summary.score,
            run=run.id,
            when=run.created,
            footprint=footprint,
            command=run.command,
            version=run.version,
        )


def _ways_of_asking(run: Run, suite: Suite, trials: Sequence[Attempt]) -> Iterator[str]:
    """What makes two scores incomparable although the tests are the same."""
    if run.sampling == "server":
        yield tr("sampling left to the server")
    replies = (trial.reply for trial in trials)
    if any(isinstance(each, Answered) and each.prediction_method == "beam" for each in replies):
        yield tr("the k best by beam search")
    if judged := _judged(run, suite):
        yield judged


def _judged(run: Run, suite: Suite) -> str:
    """Another judge, or the same one beside what running the code showed, gives other scores."""
    if not any(case.check.judged for case in suite.cases):
        return ""
    if run.judging is None:
        return tr("scored without a judge")
    judges = ", ".join(each.spec for each in run.judging.judges)
    who = tr("judged by {judges}", judges=judges) if judges else tr("judged elsewhere")
    return tr("{who}, code run", who=who) if run.judging.isolation else who
