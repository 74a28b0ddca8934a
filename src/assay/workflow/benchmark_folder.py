"""The folder of a fetched suite: written whole or not at all, and never over a user's own files.

In: a Made suite, and the folder of benchmarks. Out: files. Refuses to know: where the suite came
from. A record beside the tests tells what a fetch wrote from what somebody put there or changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import assay
from assay.errors import InvalidFiles, UsageError
from assay.messages import tr
from assay.suites.fetching.made import Made, files_of_suite
from assay.suites.json_file import shown_path
from assay.suites.load import examine
from assay.suites.wording import shown

RECORD = ".fetched.json"  # a name with a dot is no category


def refuse_to_overwrite(folder: Path) -> None:
    """Only what an earlier fetch wrote, and nobody changed since, is replaced."""
    ours = _record_of(folder)
    strange = [path.name for path in sorted(folder.glob("[!.]*")) if not _is_ours(path, ours)]
    if strange:
        raise UsageError(
            tr(
                "{folder} holds what no fetch wrote, or what was changed since: {names}",
                folder=shown_path(folder),
                names=", ".join(map(shown, strange)),
            ),
            hint=tr("move it away, or choose another folder with --benchmarks"),
        )


def _is_ours(path: Path, ours: Mapping[str, str]) -> bool:
    try:
        return path.name in ours and ours[path.name] == _digest(path.read_bytes())
    except OSError:
        return False


def _record_of(folder: Path) -> Mapping[str, str]:
    try:
        record = json.loads((folder / RECORD).read_bytes())
        return dict(record["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def write_suite(made: Made, licence: str, benchmarks: Path) -> None:
    """The whole folder under another name, checked, then put in the place of the old one."""
    folder = benchmarks / made.name
    try:
        benchmarks.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{made.name}.", dir=benchmarks))
        before = beside / "before"
        try:
            fresh = beside / made.name
            fresh.mkdir()
            _put_files(made, licence, fresh)
            _refuse_unsound(fresh)
            _exchange(folder, fresh, before)
        finally:
            if folder.exists() or not before.exists():  # never the only copy
                shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            tr("cannot write {folder}: {why}", folder=shown_path(folder), why=why),
            hint=tr("make room, or choose a folder you can write to with --benchmarks"),
        ) from error


def _put_files(made: Made, licence: str, folder: Path) -> None:
    record = {}
    for name, text in files_of_suite(made).items():
        data = text.encode()
        (folder / name).write_bytes(data)
        record[name] = _digest(data)
    about = {
        "assay": assay.__version__,
        "version": made.version,
        "licence": licence,
        "files": record,
    }
    (folder / RECORD).write_text(json.dumps(about, indent=2) + "\n", "utf-8")


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
    """Two renames; should the second fail, the first is taken back."""
    take_back: Callable[[], object] | None = None
    try:
        if folder.exists():
            os.rename(folder, before)
            take_back = partial(os.rename, before, folder)
        os.rename(fresh, folder)
    except BaseException:
        if take_back and not folder.exists():
            take_back()
        raise


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
