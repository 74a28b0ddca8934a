"""The record beside fetched tests, which tells what a fetch wrote from what is the user's.

In: the folder of a suite. Out: the names of what no fetch wrote, or what was changed since.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import assay
from assay.files.file_text import MAX_BYTES, Refused, read_bytes
from assay.files.json_file import read_json
from assay.suites.fetching.made import ConvertedBenchmark

RECORD = ".fetched.json"  # a name with a dot is no category


def record_of(made: ConvertedBenchmark, licence: str, files: Mapping[str, bytes]) -> str:
    """What is written down about the files of a suite."""
    about = {
        "assay": assay.__version__,
        "version": made.version,
        "licence": licence,
        "files": {name: _digest(data) for name, data in files.items()},
    }
    return json.dumps(about, indent=2) + "\n"


def find_foreign_files(folder: Path) -> list[str]:
    """What a folder holds beside unchanged files of a fetch. Empty if there is no folder.

    Raises:
        OSError: it is no folder, or it cannot be looked into.
    """
    try:
        about = os.lstat(folder)
    except FileNotFoundError:
        return []
    if not stat.S_ISDIR(about.st_mode):
        raise NotADirectoryError
    ours = _recorded(folder / RECORD)
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if not _is_ours(entry, ours))


def _is_ours(entry: os.DirEntry[str], ours: Mapping[str, object]) -> bool:
    if not entry.is_file(follow_symlinks=False):
        return False
    if entry.name == RECORD:
        return bool(ours)
    try:
        data = read_bytes(Path(entry.path), MAX_BYTES, kind="")
    except Refused:
        return False
    return ours.get(entry.name) == _digest(data)


def _recorded(path: Path) -> Mapping[str, object]:
    try:
        record = read_json(path).value
    except Refused:
        return {}
    files = record.get("files") if isinstance(record, dict) else None
    return files if isinstance(files, dict) else {}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
