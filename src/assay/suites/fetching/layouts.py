"""The files of a benchmark in the folder of `--from`: its archive, unpacked, or the hub's."""

import re
from pathlib import Path

from assay.suites.fetching.rows import SourceFile

SubjectFiles = dict[str, dict[str, tuple[SourceFile, ...]]]  # by subject and split

_CSV = re.compile(r"(?P<split>dev|test)/(?P<subject>[^/]+)_(?P=split)\.csv")
_PARQUET = re.compile(r"(?P<subject>[^/]+)/(?P<split>dev|test)(?:-[^/]*)?\.parquet")


def find_mmlu(given: Path) -> SubjectFiles:
    """MMLU as CSV files if there are any, else as Parquet; a missing split has no files."""
    for folder in _folders(given, "mmlu"):
        for pattern in (_CSV, _PARQUET):
            if subjects := _subjects(given, folder, pattern):
                return subjects
    return {}


def find_hellaswag(given: Path) -> list[SourceFile]:
    """HellaSwag's validation split: the file given, or the one in a folder."""
    if given.is_file() and given.suffix in (".jsonl", ".parquet"):
        return [SourceFile(name=given.name, path=given)]
    for folder in _folders(given, "hellaswag"):
        lines = sorted(folder.glob("hellaswag_val*.jsonl"))[:1]
        if found := lines or sorted(folder.glob("validation-*.parquet")):
            return [SourceFile(name=path.name, path=path) for path in found]
    return []


def _subjects(given: Path, folder: Path, pattern: re.Pattern[str]) -> SubjectFiles:
    subjects: SubjectFiles = {}
    for path in sorted(folder.glob("*/*")):
        match = pattern.fullmatch(path.relative_to(folder).as_posix())
        if match is None or path.name.startswith("."):
            continue
        splits = subjects.setdefault(match["subject"], {})
        file = SourceFile(name=path.relative_to(given).as_posix(), path=path)
        splits[match["split"]] = (*splits.get(match["split"], ()), file)
    return subjects


def _folders(given: Path, own: str) -> list[Path]:
    """The folder itself, and those in which a copy of the benchmark usually is."""
    below = ("", "data", own, f"{own}/data", f"data/{own}")
    return [folder for name in below if (folder := given / name).is_dir()]
