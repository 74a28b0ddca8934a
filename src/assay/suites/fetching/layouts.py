"""Which files of a benchmark lie in a user's folder or archive.

In: the path of `--from`. Out: the files by subject and split, or None where there are none. Refuses
to know: what stands in them. Of several copies the one that lies highest is taken; of two at the
same height none is.

    MMLU        dev/SUBJECT_dev.csv, test/SUBJECT_test.csv       the original archive, and its zip
                SUBJECT/dev-*.parquet, SUBJECT/test-*.parquet    the hub's cais/mmlu
    HellaSwag   hellaswag_val.jsonl, or one hellaswag_val*.jsonl
                validation-*.parquet                             the hub's Rowan/hellaswag
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.errors import UsageError
from assay.files.file_text import shown_path
from assay.files.wording import shown
from assay.messages import tr
from assay.suites.fetching.archives import is_archive, members
from assay.suites.fetching.source import SourceFile
from assay.suites.fetching.whole_file import read_whole

Form = Literal["csv", "jsonl", "parquet"]

NO_SUBJECTS = ("all", "auxiliary_train")  # folders of the hub's copy that hold other things
_CSV = re.compile(r"(?P<above>(?:.*/)?)(?P<split>dev|test)/(?P<subject>[^/]+)_(?P=split)\.csv")
_PARQUET = re.compile(
    r"(?P<above>(?:.*/)?)(?P<subject>[^/]+)/(?P<split>dev|test)(?:-[^/]*)?\.parquet"
)
_FORMS: Mapping[Form, re.Pattern[str]] = {"csv": _CSV, "parquet": _PARQUET}
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
        return _mmlu_in_archive(given)
    folders = _folders(given, "mmlu")
    found = _mmlu_among(given, _in_folders(given, folders))
    if found is not None:
        return found
    packed = [path for folder in folders for name in _ARCHIVES if (path := folder / name).is_file()]
    highest = _highest(given, [(path,) for path in packed])
    return None if highest is None else _mmlu_in_archive(highest[0])


def hellaswag_files(given: Path) -> HellaSwagFiles | None:
    """HellaSwag's validation split: the file given, or one in a folder, `data` or `hellaswag`."""
    if given.is_file():
        _refuse_archive(given)
        return _hellaswag_of((given,))
    copies: list[tuple[Path, ...]] = []
    for folder in _folders(given, "hellaswag"):
        lines = sorted(folder.glob("hellaswag_val*.jsonl"))
        official = [path for path in lines if path.name == "hellaswag_val.jsonl"]
        copies += [(path,) for path in official or lines]
        if not lines and (tables := sorted(folder.glob("validation-*.parquet"))):
            copies.append(tuple(tables))
    highest = _highest(given, copies)
    return None if highest is None else _hellaswag_of(highest)


def _hellaswag_of(paths: Sequence[Path]) -> HellaSwagFiles:
    return HellaSwagFiles(
        form="parquet" if paths[0].suffix == ".parquet" else "jsonl",
        files=tuple(_on_disk(path, path.name) for path in paths),
    )


def _refuse_archive(path: Path) -> None:
    if is_archive(path):
        raise UsageError(
            tr("{path} is an archive, and only MMLU comes as one", path=shown_path(path)),
            hint=tr("unpack it, and name the folder or the file in it with --from"),
        )


# ------------------------------------------------------------------------------- several copies


def _highest(given: Path, copies: Sequence[tuple[Path, ...]]) -> tuple[Path, ...] | None:
    """The copy in the folder nearest to the one given."""
    depths = [len(copy[0].relative_to(given).parts) for copy in copies]
    nearest = [copy for copy, depth in zip(copies, depths, strict=True) if depth == min(depths)]
    if len(nearest) > 1:
        raise _several(given, [str(copy[0].relative_to(given)) for copy in nearest])
    return nearest[0] if nearest else None


def _several(given: Path, names: Iterable[str]) -> UsageError:
    return UsageError(
        tr(
            "several copies in {folder} may be meant: {names}",
            folder=shown_path(given),
            names=", ".join(map(shown, names)),
        ),
        hint=tr("name one of them with --from"),
    )


# ------------------------------------------------------------------------------------------- mmlu


def _mmlu_in_archive(path: Path) -> MmluFiles | None:
    files = members(path, _is_of_mmlu)
    if files is None:
        raise UsageError(
            tr("{path} is neither a folder nor a zip or tar archive", path=shown_path(path)),
            hint=tr("name the folder of your copy, or its archive, with --from"),
        )
    return _mmlu_among(path, files)


def _mmlu_among(given: Path, files: Iterable[SourceFile]) -> MmluFiles | None:
    """CSV files if there are any, else Parquet."""
    named = [file for file in files if _is_of_mmlu(file.name)]
    for form, pattern in _FORMS.items():
        matched = [(file, match) for file in named if (match := pattern.fullmatch(file.name))]
        if not matched:
            continue
        tops = {match["above"] for _, match in matched}
        height = min(top.count("/") for top in tops)
        highest = sorted(top for top in tops if top.count("/") == height)
        if len(highest) > 1:
            raise _several(given, highest)
        subjects: dict[str, dict[str, tuple[SourceFile, ...]]] = {}
        for file, match in sorted(matched, key=lambda pair: pair[0].name):
            if match["above"] == highest[0]:
                splits = subjects.setdefault(match["subject"], {})
                splits[match["split"]] = (*splits.get(match["split"], ()), file)
        return MmluFiles(form=form, subjects=subjects)
    return None


def _is_of_mmlu(name: str) -> bool:
    """A split of a subject, and not what a file manager leaves in archives: __MACOSX/._a.csv."""
    if any(part.startswith((".", "__MACOSX")) for part in name.split("/")):
        return False
    matches = (pattern.fullmatch(name) for pattern in _FORMS.values())
    return any(match and match["subject"] not in NO_SUBJECTS for match in matches)


# ---------------------------------------------------------------------------------------- folders


def _folders(given: Path, own: str) -> list[Path]:
    """The folder itself, and those in which a copy of the benchmark usually lies; each once."""
    below = ("", "data", own, f"{own}/data", f"data/{own}")
    folders = [folder for name in below if os.path.isdir(folder := given / name)]
    for folder in folders:
        _refuse_unlistable(folder)
    return list({os.path.realpath(folder): folder for folder in reversed(folders)}.values())[::-1]


def _in_folders(given: Path, folders: Iterable[Path]) -> list[SourceFile]:
    paths: list[Path] = []
    for folder in folders:
        for split in ("dev", "test"):
            _refuse_unlistable(folder / split)
        for pattern in ("dev/*.csv", "test/*.csv", "*/*.parquet"):
            paths += folder.glob(pattern)
    return [_on_disk(path, path.relative_to(given).as_posix()) for path in paths]


def _refuse_unlistable(folder: Path) -> None:
    """A search for names passes over what it may not see, and half a copy would seem whole."""
    try:
        os.scandir(folder).close()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise UsageError(
            tr("{folder} cannot be read: {why}", folder=shown_path(folder),
               why=error.strerror or str(error)),
            hint=tr("give yourself the right to read it, or name another folder with --from"),
        ) from error  # fmt: skip


def _on_disk(path: Path, name: str) -> SourceFile:
    return SourceFile(name=name, shown=shown_path(path), read=lambda: read_whole(path))
