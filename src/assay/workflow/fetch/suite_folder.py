"""The folder of a fetched suite: written whole or not at all, and never over a user's own files.

.NAME.partial/    the suite while it is written; the next fetch removes what a killed one left
NAME/.fetched.json   the digests of the files, which show what a user has changed
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import assay
from assay.errors import InvalidFiles, UsageError
from assay.files.file_text import shown_path
from assay.files.wording import shown
from assay.messages import tr
from assay.suites.fetching.made import ConvertedBenchmark, files_of_suite
from assay.suites.load import examine

RECORD = ".fetched.json"  # a name with a dot is no category


def refuse_to_overwrite(folder: Path) -> None:
    """Only what an earlier fetch wrote, and nobody changed since, is replaced."""
    hint = tr("move it away, or choose another folder with --benchmarks")
    try:
        foreign = _foreign_files(folder) if os.path.lexists(folder) else []
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            tr("cannot look into {folder}: {why}", folder=shown_path(folder), why=why), hint=hint
        ) from error
    if foreign:
        raise UsageError(
            tr(
                "{folder} contains files that no fetch wrote, or that were changed since: {names}",
                folder=shown_path(folder),
                names=", ".join(map(shown, foreign)),
            ),
            hint=hint,
        )


def _foreign_files(folder: Path) -> list[str]:
    recorded = {}
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        recorded = dict(json.loads((folder / RECORD).read_bytes())["files"])
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.name != RECORD
        and (not path.is_file() or recorded.get(path.name) != _digest(path.read_bytes()))
    )


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def write_suite(made: ConvertedBenchmark, licence: str, benchmarks: Path) -> None:
    folder, partial = benchmarks / made.name, benchmarks / f".{made.name}.partial"
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        _put_files(made, licence, partial)
        if findings := examine([partial]):  # the mistake is ours, and shows here
            raise InvalidFiles(
                tr("the tests that were made have mistakes; nothing was written"),
                findings,
                hint=tr("please report it with the lines above"),
            )
        if folder.exists():
            shutil.rmtree(folder)
        partial.rename(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            tr("cannot write {folder}: {why}", folder=shown_path(folder), why=why),
            hint=tr("make room, or choose a folder you can write to with --benchmarks"),
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put_files(made: ConvertedBenchmark, licence: str, folder: Path) -> None:
    files = {name: text.encode() for name, text in files_of_suite(made).items()}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    record = {
        "assay": assay.__version__,
        "version": made.version,
        "licence": licence,
        "files": {name: _digest(data) for name, data in files.items()},
    }
    (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n", "utf-8")
