"""Which files of a benchmark lie in a user's folder or archive.

In: the path of `--from`. Out: the files by subject and split, or None where there are none. Refuses
to know: what stands in them. Archives are read in place: nothing is unpacked.

    MMLU        dev/SUBJECT_dev.csv, test/SUBJECT_test.csv       the original archive, and its zip
                SUBJECT/dev-*.parquet, SUBJECT/test-*.parquet    the hub's cais/mmlu
    HellaSwag   hellaswag_val.jsonl, or one hellaswag_val*.jsonl
                validation-*.parquet                             the hub's Rowan/hellaswag
"""

from __future__ import annotations

import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.errors import UsageError
from assay.messages import tr
from assay.suites.fetching.rows import readable
from assay.suites.fetching.source import SourceFile
from assay.suites.json_file import MAX_BYTES, shown_path
from assay.suites.wording import shown

Form = Literal["csv", "jsonl", "parquet"]

SUBJECT = re.compile(r"[a-z][a-z0-9_]*")
NO_SUBJECTS = ("all", "auxiliary_train")  # folders of the hub's copy that hold other things
_CSV = re.compile(r"(?P<above>(?:.*/)?)(?P<split>dev|test)/(?P<subject>[^/]+)_(?P=split)\.csv")
_PARQUET = re.compile(
    r"(?P<above>(?:.*/)?)(?P<subject>[^/]+)/(?P<split>dev|test)(?:-[^/]*)?\.parquet"
)
_ARCHIVES = ("mmlu.zip", "mmlu.tar", "mmlu.tar.gz", "data.zip", "data.tar", "data.tar.gz")


@dataclass(frozen=True, slots=True, kw_only=True)
class MmluFiles:
    """Where each subject's two splits stand; one that is missing has no files."""

    form: Form
    subjects: Mapping[str, Mapping[str, tuple[SourceFile, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HellaSwagFiles:
    """The validation split."""

    form: Form
    files: tuple[SourceFile, ...]


def mmlu_files(given: Path) -> MmluFiles | None:
    """MMLU in a folder, in its folders `data` and `mmlu`, or in an archive."""
    if given.is_file():
        return _mmlu_among(_in_archive(given))
    found = _mmlu_among(_in_folders(given, "mmlu", ("dev/*.csv", "test/*.csv", "*/*.parquet")))
    for folder in () if found else _folders(given, "mmlu"):
        for name in _ARCHIVES:
            if (folder / name).is_file():
                return _mmlu_among(_in_archive(folder / name))
    return found


def hellaswag_files(given: Path) -> HellaSwagFiles | None:
    """HellaSwag's validation split: the file given, or one in a folder, `data` or `hellaswag`."""
    if given.is_file():
        form: Form = "parquet" if given.suffix == ".parquet" else "jsonl"
        return HellaSwagFiles(form=form, files=(_on_disk(given, given.name),))
    for folder in _folders(given, "hellaswag"):
        lines = sorted(folder.glob("hellaswag_val*.jsonl"))
        official = [path for path in lines if path.name == "hellaswag_val.jsonl"]
        if len(official or lines) > 1:
            raise UsageError(
                tr(
                    "several files in {folder} may be meant: {names}",
                    folder=shown_path(folder),
                    names=", ".join(path.name for path in lines),
                ),
                hint=tr("name one of them with --from"),
            )
        if lines:
            (path,) = official or lines
            return HellaSwagFiles(form="jsonl", files=(_on_disk(path, path.name),))
        tables = sorted(folder.glob("validation-*.parquet"))
        if tables:
            files = tuple(_on_disk(path, path.name) for path in tables)
            return HellaSwagFiles(form="parquet", files=files)
    return None


# ------------------------------------------------------------------------------------------- mmlu


def _mmlu_among(files: Iterable[SourceFile]) -> MmluFiles | None:
    """CSV files if there are any, else Parquet; of several copies the one that lies highest."""
    named = [file for file in files if not _is_hidden(file.name)]
    for form, pattern in (("csv", _CSV), ("parquet", _PARQUET)):
        matched = [(file, match) for file in named if (match := pattern.fullmatch(file.name))]
        tops = sorted({match["above"] for _, match in matched}, key=lambda top: (len(top), top))
        subjects: dict[str, dict[str, tuple[SourceFile, ...]]] = {}
        for file, match in sorted(matched, key=lambda pair: pair[0].name):
            subject = match["subject"]
            if match["above"] == tops[0] and subject not in NO_SUBJECTS:
                splits = subjects.setdefault(subject, {})
                splits[match["split"]] = (*splits.get(match["split"], ()), file)
        if subjects:
            return MmluFiles(form="csv" if form == "csv" else "parquet", subjects=subjects)
    return None


def _is_hidden(name: str) -> bool:
    """What a file manager leaves in archives: __MACOSX/._a.csv."""
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


# ---------------------------------------------------------------------------------------- folders


def _folders(given: Path, own: str) -> list[Path]:
    """The folder itself, and those in which a copy of the benchmark usually lies."""
    below = ("", "data", own, f"{own}/data", f"data/{own}")
    return [folder for name in below if (folder := given / name).is_dir()]


def _in_folders(given: Path, own: str, patterns: Iterable[str]) -> list[SourceFile]:
    return [
        _on_disk(path, path.relative_to(given).as_posix())
        for folder in _folders(given, own)
        for pattern in patterns
        for path in folder.glob(pattern)
    ]


def _on_disk(path: Path, name: str) -> SourceFile:
    def read() -> bytes:
        size = path.stat().st_size
        _refuse_huge(size)
        return path.read_bytes()

    return SourceFile(name=name, shown=shown_path(path), read=read)


def _refuse_huge(size: int) -> None:
    if size > MAX_BYTES:
        limit = MAX_BYTES // 1_000_000
        raise OSError(tr("{size} MB, and {limit} MB is the most", size=size // 10**6, limit=limit))


# --------------------------------------------------------------------------------------- archives


def _in_archive(path: Path) -> list[SourceFile]:
    """The members of a zip or tar file."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as zipped:
                names = {info.filename: info.file_size for info in zipped.infolist()}
            return [_member(path, name, size, _from_zip) for name, size in names.items()]
        with suppress(tarfile.ReadError), tarfile.open(path) as tarred:
            names = {info.name: info.size for info in tarred.getmembers() if info.isfile()}
            return [_member(path, name, size, _from_tar) for name, size in names.items()]
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, tarfile.TarError, zlib.error) as why:
        raise UsageError(
            tr("{path} cannot be read: {why}", path=shown_path(path), why=readable(why)),
            hint=tr("fetch the archive again, or unpack it and name the folder"),
        ) from why
    return []


def _member(
    path: Path, name: str, size: int, read_from: Callable[[Path, str], bytes]
) -> SourceFile:
    def read() -> bytes:
        _refuse_huge(size)
        try:
            return read_from(path, name)
        except (RuntimeError, EOFError, KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
            raise OSError(str(error)) from error
        except zlib.error as error:
            raise OSError(str(error)) from error

    cited = name.removeprefix("./")
    return SourceFile(name=cited, shown=f"{shown_path(path)}{os.sep}{shown(cited)}", read=read)


def _from_zip(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as zipped, zipped.open(name) as file:
        return _within_limit(file.read(MAX_BYTES + 1))


def _from_tar(path: Path, name: str) -> bytes:
    with tarfile.open(path) as tarred:
        file = tarred.extractfile(name)
        return b"" if file is None else _within_limit(file.read(MAX_BYTES + 1))


def _within_limit(data: bytes) -> bytes:
    """What an archive says of a member's size need not be true."""
    _refuse_huge(len(data))
    return data
