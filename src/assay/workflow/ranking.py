"""Every model in the store, best first.

In: the store. Out: a Leaderboard. Models are ranked beside each other only where they answered the
same tests: one table per suite and version of it. A model's newest finished run on it counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.errors import SuiteNotFound
from assay.messages import tr, trn
from assay.results import Leaderboard, Standing, SuiteSummary
from assay.store import Run, RunModel, Store
from assay.summary.comparisons import rank
from assay.workflow.results import summaries_of


@dataclass(slots=True)
class _Table:
    suite: str
    tests: int
    rows: dict[str, Standing] = field(default_factory=dict)  # by model fingerprint


def leaderboard(store: Store, *, suite: str | None = None) -> Leaderboard:
    """One table per suite, the newest suites first."""
    if suite is not None:
        _refuse_unknown(store, suite)
    tables: dict[str, _Table] = {}
    unfinished = 0
    for run in reversed(store.runs()):
        if run.finished is None:
            unfinished += 1
            continue
        for model in run.models:
            _enter(tables, store, run, model, suite)
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
        notes.append(tr("no finished run yet: start one with `assay run`"))
    return Leaderboard(
        out=str(store.path.parent.resolve()),
        suites=tuple(
            rank(table.suite, tuple(table.rows.values()), content=digest[:8], tests=table.tests)
            for digest, table in tables.items()
        ),
        notes=tuple(notes),
    )


def _refuse_unknown(store: Store, suite: str) -> None:
    known = store.suite_names()
    if suite not in known:
        raise SuiteNotFound(
            tr("no run in {path} has a suite {suite!r}", path=store.path, suite=suite),
            hint=tr("it has: {names}", names=", ".join(known) or "-"),
        )


def _enter(
    tables: dict[str, _Table], store: Store, run: Run, model: RunModel, only: str | None
) -> None:
    """Runs come newest first, so the first entry of a model is the one that counts."""
    missing = [
        digest
        for digest in run.digests
        if digest not in tables or model.facts.fingerprint not in tables[digest].rows
    ]
    if not missing:
        return
    for digest, summary in zip(run.digests, summaries_of(store, run, model), strict=True):
        if digest in missing and only in (None, summary.suite):
            table = tables.setdefault(digest, _Table(summary.suite, _size(summary)))
            table.rows[model.facts.fingerprint] = Standing(
                model=model.spec, score=summary.score, run=run.id, when=run.created
            )


def _size(summary: SuiteSummary) -> int:
    return len(summary.tests)
