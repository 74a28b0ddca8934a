"""Every model in the store, best first.

Models are ranked beside each other only where they answered the same tests in the same way: one
table per suite, version of it, and way of asking. A model's newest finished run on it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.errors import SuiteNotFound
from assay.messages import tr, trn
from assay.store import Run, RunModel, Store, StoredTry
from assay.summary.comparisons import rank
from assay.summary.trials import summarise
from assay.types import Answered, Attempt, SamplingMode, Suite
from assay.types.options import DEFAULT_OUT
from assay.types.results import Leaderboard, Standing
from assay.workflow.evaluate.own_prompts import is_own
from assay.workflow.history.results import trials_of

_Seen = tuple[str, SamplingMode, str, str]  # suite, sampling, model, by whom it was judged


@dataclass(slots=True)
class _Table:
    suite: str
    tests: int
    rows: dict[str, Standing] = field(default_factory=dict)  # by model fingerprint


def leaderboard(*, suite: str | None = None, out: Path = DEFAULT_OUT) -> Leaderboard:
    """Every model in the store, best first."""
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
            for model in run.evaluated if run.finished else ():
                _enter(tables, seen, store, run, model, suite)
    notes = []
    if unfinished:
        notes.append(
            trn(
                "{count} unfinished run is left out",
                "{count} unfinished runs are left out",
                unfinished,
            )
        )
    if not tables:
        notes.append(tr("no finished run with scores yet: start one with `assay run`"))
    return Leaderboard(
        out=str(out.resolve()),
        suites=tuple(
            replace(
                rank(
                    table.suite, tuple(table.rows.values()), content=content[:8], tests=table.tests
                ),
                asked=asked,
            )
            for (content, asked), table in tables.items()
        ),
        notes=tuple(notes),
    )


def _enter(
    tables: dict[tuple[str, str], _Table],
    seen: set[_Seen],
    store: Store,
    run: Run,
    model: RunModel,
    only: str | None,
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
        table = tables.setdefault((digest, asked), _Table(suite.name, len(summary.tests)))
        table.rows[model.facts.fingerprint] = Standing(
            model=model.spec, score=summary.score, run=run.id, when=run.created
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
