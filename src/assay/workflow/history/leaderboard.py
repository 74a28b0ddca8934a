"""Every model in the store, best first.

In: the store. Out: a Leaderboard. Models are ranked beside each other only where they answered the
same tests in the same way: one table per suite, version of it, and way of asking. A model's newest
finished run on it counts. A user's own prompts have no scores, and no table.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from assay.errors import SuiteNotFound
from assay.messages import tr, trn
from assay.store import Run, RunModel, Store
from assay.summary.comparisons import rank
from assay.summary.trials import summarise
from assay.types import Answered, Attempt, SamplingMode, Suite
from assay.types.results import Leaderboard, Standing
from assay.workflow.evaluate.own_prompts import is_own
from assay.workflow.history.results import trials_of


@dataclass(frozen=True, slots=True)
class _Way:
    """What makes two scores incomparable although the tests are the same."""

    content: str
    sampling: SamplingMode = "fixed"
    by_beam: bool = False  # the k best, where others drew k samples
    judged: str = ""  # by whom, where judges give the scores

    @property
    def phrase(self) -> str:
        parts = []
        if self.sampling == "server":
            parts.append(tr("sampling left to the server"))
        if self.by_beam:
            parts.append(tr("the k best by beam search"))
        if self.judged:
            parts.append(self.judged)
        return ", ".join(parts)


_Seen = tuple[str, SamplingMode, str, str]  # suite, sampling, model, by whom it was judged


@dataclass(slots=True)
class _Table:
    suite: str
    tests: int
    rows: dict[str, Standing] = field(default_factory=dict)  # by model fingerprint


def leaderboard(store: Store, *, suite: str | None = None) -> Leaderboard:
    """One table per suite, the newest suites first."""
    if suite is not None:
        _refuse_unknown(store, suite)
    tables: dict[_Way, _Table] = {}
    seen: set[_Seen] = set()
    unfinished = 0
    for run in reversed(store.read_runs()):
        if run.finished is None:
            unfinished += 1
            continue
        for model in run.evaluated:
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
        out=str(store.path.parent.resolve()),
        suites=tuple(
            replace(
                rank(
                    table.suite,
                    tuple(table.rows.values()),
                    content=way.content[:8],
                    tests=table.tests,
                ),
                asked=way.phrase,
            )
            for way, table in tables.items()
        ),
        notes=tuple(notes),
    )


def _refuse_unknown(store: Store, suite: str) -> None:
    known = store.read_suite_names()
    if suite not in known:
        raise SuiteNotFound(
            tr("no run in {path} has a suite {suite!r}", path=store.path, suite=suite),
            hint=tr("it has: {names}", names=", ".join(known) or "-"),
        )


def _enter(
    tables: dict[_Way, _Table],
    seen: set[_Seen],
    store: Store,
    run: Run,
    model: RunModel,
    only: str | None,
) -> None:
    """Runs come newest first, so the first entry of a model is the one that counts."""
    keys = {
        digest: (digest, run.sampling, model.facts.fingerprint, _judged(run, suite))
        for digest, suite in zip(run.digests, store.read_suites(run), strict=True)
    }
    ranked = {
        digest: suite
        for digest, suite in zip(run.digests, store.read_suites(run), strict=True)
        if keys[digest] not in seen and only in (None, suite.name) and not is_own(suite)
    }
    tries = tuple(store.read_tries(run, model)) if ranked else ()
    for digest, suite in ranked.items():
        seen.add(keys[digest])
        trials = tuple(trials_of(suite, tries))
        summary = summarise(suite, trials)
        way = _Way(digest, run.sampling, any(map(_by_beam, trials)), _judged(run, suite))
        table = tables.setdefault(way, _Table(suite.name, len(summary.tests)))
        table.rows[model.facts.fingerprint] = Standing(
            model=model.spec, score=summary.score, run=run.id, when=run.created
        )


def _judged(run: Run, suite: Suite) -> str:
    """Another judge, or the same one beside what running the code showed, gives other scores."""
    if not any(case.check.judged for case in suite.cases):
        return ""
    if run.judging is None:
        return tr("not judged")
    judges = ", ".join(each.spec for each in run.judging.judges)
    who = tr("judged by {judges}", judges=judges) if judges else tr("judged elsewhere")
    return tr("{who}, code run", who=who) if run.judging.isolation else who


def _by_beam(trial: Attempt) -> bool:
    return isinstance(trial.reply, Answered) and trial.reply.prediction_method == "beam"
