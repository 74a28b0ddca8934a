"""Which files of a benchmark are in the folder of `--from`.

    MMLU        dev/SUBJECT_dev.csv, test/SUBJECT_test.csv       the original archive, unpacked
                SUBJECT/dev-*.parquet, SUBJECT/test-*.parquet    the hub's cais/mmlu
    HellaSwag   hellaswag_val.jsonl, or one hellaswag_val*.jsonl
                validation-*.parquet                             the hub's Rowan/hellaswag

The folder itself comes first, then `data` and the benchmark's own name in it.
"""

from __future__ import annotations

import re
from pathlib import Path

from assay.errors import UsageError
from assay.files.file_text import shown_path
from assay.files.wording import shown
from assay.messages import tr
from assay.suites.fetching.rows import SourceFile

SubjectFiles = dict[str, dict[str, tuple[SourceFile, ...]]]  # by subject and split

NO_SUBJECTS = ("all", "auxiliary_train")  # folders of the hub's copy with other content
_CSV = re.compile(r"(?P<split>dev|test)/(?P<subject>[^/]+)_(?P=split)\.csv")
_PARQUET = re.compile(r"(?P<subject>[^/]+)/(?P<split>dev|test)(?:-[^/]*)?\.parquet")


def find_mmlu(given: Path) -> SubjectFiles:
    """MMLU as CSV files if there are any, else as Parquet; a missing split has no files."""
    _refuse_file(given)
    for folder in _folders(given, "mmlu"):
        for pattern in (_CSV, _PARQUET):
            if subjects := _subjects(given, folder, pattern):
                return subjects
    return {}


def find_hellaswag(given: Path) -> list[SourceFile]:
    """HellaSwag's validation split: the file given, or the one in a folder."""
    if given.is_file() and given.suffix in (".jsonl", ".parquet"):
        return [SourceFile(name=given.name, path=given)]
    _refuse_file(given)
    for folder in _folders(given, "hellaswag"):
        official = folder / "hellaswag_val.jsonl"
        lines = [official] if official.is_file() else sorted(folder.glob("hellaswag_val*.jsonl"))
        if len(lines) > 1:
            raise UsageError(
                tr(
                    "several copies in {folder} may be meant: {names}",
                    folder=shown_path(folder),
                    names=", ".join(shown(path.name) for path in lines),
                ),
                hint=tr("name one of them with --from"),
            )
        if found := lines or sorted(folder.glob("validation-*.parquet")):
            return [SourceFile(name=path.name, path=path) for path in found]
    return []


def _subjects(given: Path, folder: Path, pattern: re.Pattern[str]) -> SubjectFiles:
    subjects: SubjectFiles = {}
    for path in sorted(folder.glob("*/*")):
        match = pattern.fullmatch(path.relative_to(folder).as_posix())
        if match is None or match["subject"] in NO_SUBJECTS or path.name.startswith("."):
            continue
        splits = subjects.setdefault(match["subject"], {})
        file = SourceFile(name=path.relative_to(given).as_posix(), path=path)
        splits[match["split"]] = (*splits.get(match["split"], ()), file)
    return subjects


def _folders(given: Path, own: str) -> list[Path]:
    """The folder itself, and those in which a copy of the benchmark usually is."""
    below = ("", "data", own, f"{own}/data", f"data/{own}")
    return [folder for name in below if (folder := given / name).is_dir()]


def _refuse_file(given: Path) -> None:
    if given.is_file():
        raise UsageError(
            tr("{path} is not a folder", path=shown_path(given)),
            hint=tr("unpack an archive first, then name the folder with --from"),
        )
