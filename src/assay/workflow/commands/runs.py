"""Every run of a store, and what of it nothing refers to any more."""

import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.messages import tr
from assay.reports.cards.run import headline
from assay.reports.formats.notebook import RunListResult
from assay.store import Store
from assay.store.pruning import PrunedStore
from assay.store.viewed import ViewedStore
from assay.types.options import DEFAULT_OUT
from assay.types.views import ListedRun, RunRow, RunState, Unused
from assay.workflow.reporting.results import report_of
from assay.workflow.reporting.viewing import Viewing
from assay.workflow.running.run_folder import RunFolder

_RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}")


def runs(
    *,
    prune: bool = False,
    hide: Sequence[str] = (),
    unhide: Sequence[str] = (),
    out: str | Path = DEFAULT_OUT,
) -> RunListResult:
    """Every run in the store: when, models, suites, state, headline; and what could be freed.

    `prune` frees it: only what nothing refers to, and nothing of a run that is being written.
    `hide`: these runs are in no leaderboard from now on; `unhide` shows them there again.
    Example: `assay.runs(hide=["latest"]).to_pandas()`.
    """
    out = Path(out)
    if hide or unhide:
        with Store(out, must_exist=True) as store:
            wanted = [(store.find_run(name), True) for name in hide]
            wanted += [(store.find_run(name), False) for name in unhide]
            for run, hidden in wanted:
                store.hide_run(run, hidden=hidden)
    with ViewedStore(out) as store:
        left_out = store.read_hidden_runs()
        rows = store.list_runs()
        said = Viewing(out).headlines(rows)
        listed = tuple(
            replace(_listed(store, row, said.get(row.id, "")), hidden=row.id in left_out)
            for row in rows
        )
    known = {each.run for each in listed}
    busy = [run for run in known if RunFolder(out, run).is_taken()]
    folders = [folder for folder in _folders(out) if folder.run_id not in known]
    unused = tuple(each for each in folders if not each.is_taken())
    with PrunedStore(out, must_exist=True) as store:
        replies, suites, size = store.count_unused(busy)
        if prune and (replies or suites or size):
            store.free_unused(busy)
    found = Unused(
        folders=tuple(str(each.path) for each in unused),
        replies=replies,
        suites=suites,
        size=size + sum(_size(each.path) for each in unused),
    )
    if prune:
        _remove(unused, out)
    return RunListResult(out=str(out.resolve()), runs=listed, unused=found, freed=prune)


def _listed(store: ViewedStore, row: RunRow, said: str) -> ListedRun:
    folder = RunFolder(store.path.parent, row.id)
    state: RunState = "running" if folder.is_taken() else "unfinished"
    if row.finished:
        state = "finished"
        said = said or headline(report_of(store, store.read_run(row.id)))
    return ListedRun(
        run=row.id,
        when=row.created,
        state=state,
        models=row.models,
        suites=row.suites,
        headline=said or tr("{count} of {all} answers", count=row.answered, all=row.planned),
        size=_size(folder.path),
    )


def _folders(out: Path) -> Iterator[RunFolder]:
    for path in sorted((out / "runs").glob("*")):
        if _RUN_ID.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            yield RunFolder(out, path.name)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _remove(folders: Collection[RunFolder], out: Path) -> None:
    """Held while it goes: a run that began meanwhile has its folder, and is in the store."""
    for folder in folders:
        if folder.take():
            with folder, ViewedStore(out) as store:
                if all(row.id != folder.run_id for row in store.list_runs()):
                    shutil.rmtree(folder.path)
