"""The folder of a fetched suite: written whole or not at all, and never over a user's own files.

In: a Made suite, and the folder of benchmarks. Out: files.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from assay.errors import InvalidFiles, UsageError
from assay.files.file_text import shown_path
from assay.files.wording import shown
from assay.messages import tr
from assay.suites.fetching.made import Made, files_of_suite
from assay.suites.load import examine
from assay.workflow.fetch.record import RECORD, record_of, strange_in
from assay.workflow.fetch.workspace import BEFORE, workplace


def refuse_to_overwrite(folder: Path, now_at: Path | None = None) -> None:
    """Only what an earlier fetch wrote, and nobody changed since, is replaced.

    Args:
        folder: the suite's.
        now_at: where it lies at the moment, if it was moved.
    """
    try:
        strange = strange_in(now_at or folder)
    except NotADirectoryError as error:
        raise UsageError(
            tr("{folder} is no folder, or does not lie in one", folder=shown_path(folder)),
            hint=_move_away(),
        ) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            tr("cannot look into {folder}: {why}", folder=shown_path(folder), why=why),
            hint=_move_away(),
        ) from error
    if strange:
        raise UsageError(
            tr(
                "{folder} holds what no fetch wrote, or what was changed since: {names}",
                folder=shown_path(folder),
                names=", ".join(map(shown, strange)),
            ),
            hint=_move_away(),
        )


def _move_away() -> str:
    return tr("move it away, or choose another folder with --benchmarks")


def write_suite(made: Made, licence: str, benchmarks: Path) -> None:
    """The whole folder under another name, checked, then put in the place of the old one."""
    folder = benchmarks / made.name
    try:
        benchmarks.mkdir(parents=True, exist_ok=True)
        with workplace(folder) as beside:
            fresh = beside / made.name
            fresh.mkdir()
            _put_files(made, licence, fresh)
            _refuse_unsound(fresh)
            _exchange(folder, fresh, beside / BEFORE)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            tr("cannot write {folder}: {why}", folder=shown_path(folder), why=why),
            hint=tr("make room, or choose a folder you can write to with --benchmarks"),
        ) from error


def _put_files(made: Made, licence: str, folder: Path) -> None:
    files = {name: text.encode() for name, text in files_of_suite(made).items()}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / RECORD).write_text(record_of(made, licence, files), "utf-8")


def _refuse_unsound(folder: Path) -> None:
    """What is written here must be clean; if it is not, the mistake is ours and shows here."""
    findings = examine([folder])
    if findings:
        raise InvalidFiles(
            tr("the tests that were made have mistakes; nothing was written"),
            findings,
            hint=tr("please report it with the lines above"),
        )


def _exchange(folder: Path, fresh: Path, before: Path) -> None:
    """Two renames, and a look between them: a file that came meanwhile is the user's too. Should
    anything fail, the first is taken back.
    """
    try:
        refuse_to_overwrite(folder)
        if os.path.lexists(folder):
            os.rename(folder, before)
            refuse_to_overwrite(folder, now_at=before)
        os.rename(fresh, folder)
    except BaseException:
        if os.path.lexists(before) and not os.path.lexists(folder):
            os.rename(before, folder)
        raise
    if os.path.lexists(before) and not strange_in(before):
        shutil.rmtree(before)
