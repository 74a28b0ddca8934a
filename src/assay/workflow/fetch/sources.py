"""Reads a benchmark from a user's copy or from the hub, and makes a suite of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from assay.errors import SuiteNotFound
from assay.files.file_text import shown_path
from assay.messages import tr, trn
from assay.suites.fetching import hellaswag, hub, mmlu
from assay.suites.fetching.layouts import NO_SUBJECTS, SubjectFiles, find_hellaswag, find_mmlu
from assay.suites.fetching.made import ConvertedBenchmark
from assay.suites.fetching.rows import Row, RowPlace, SourceFile, broken_source, numbered, read_rows

Tell = Callable[[str], None]
Rows = Iterator[tuple[RowPlace, Row]]

LICENCES: Mapping[str, str] = {mmlu.NAME: mmlu.LICENCE, hellaswag.NAME: hellaswag.LICENCE}


def make(name: str, source: Path | None, *, every: bool, tell: Tell) -> ConvertedBenchmark:
    if name == hellaswag.NAME:
        rows, about = _hellaswag_rows(source, tell)
        passages, joined = hellaswag.read_passages(rows)
        return hellaswag.make(passages, about, joined=joined, every=every)
    if source is None:
        about = f"{hub.MMLU} of the Hugging Face hub"
        return mmlu.make(_mmlu_of_hub(tell, every=every), about, every=every)
    found = find_mmlu(source)
    if not found:
        raise _not_there(source, "MMLU", "test/SUBJECT_test.csv, SUBJECT/test-*.parquet", "mmlu")
    is_csv = _first_file(found, next(iter(found))).name.endswith(".csv")
    about = "CSV files of the original archive" if is_csv else "Parquet files of cais/mmlu"
    names = [name for name in found if every or name in mmlu.COMPUTER_SCIENCE]
    tell(
        trn(
            "reading {count} subject of MMLU from {path}",
            "reading {count} subjects of MMLU from {path}",
            len(names),
            path=shown_path(source),
        )
    )
    subjects = {}
    for name in names:
        splits = {split: _rows_of_files(files) for split, files in found[name].items()}
        subjects[name] = mmlu.read_subject(name, _first_file(found, name).start, splits)
    return mmlu.make(subjects, about, every=every)


def _first_file(found: SubjectFiles, subject: str) -> SourceFile:
    return next(file for files in found[subject].values() for file in files)


def _rows_of_files(files: Sequence[SourceFile]) -> Rows:
    return (row for file in files for row in read_rows(file))


def _mmlu_of_hub(tell: Tell, *, every: bool) -> dict[str, mmlu.Subject]:
    _announce(hub.MMLU, mmlu.LICENCE, tell)
    names = list(mmlu.COMPUTER_SCIENCE)
    if every:
        names += sorted(set(hub.parts_of(hub.MMLU)) - {*names, *NO_SUBJECTS})
    subjects = {}
    for position, name in enumerate(names, start=1):
        tell(tr("{at} of {all}: {name}", at=position, all=len(names), name=name))
        splits = _rows_of_hub(hub.MMLU, name, ("dev", "test"))
        place = _place_in_hub(f"{hub.MMLU} {name} dev")
        subjects[name] = mmlu.read_subject(name, place, splits)
    return subjects


def _hellaswag_rows(source: Path | None, tell: Tell) -> tuple[Rows, str]:
    if source is None:
        _announce(hub.HELLASWAG, hellaswag.LICENCE, tell)
        rows = _rows_of_hub(hub.HELLASWAG, None, ("validation",))
        return rows.get("validation", iter(())), f"{hub.HELLASWAG} of the Hugging Face hub"
    found = find_hellaswag(source)
    if not found:
        files = "hellaswag_val.jsonl, hellaswag_val*.jsonl, validation-*.parquet"
        raise _not_there(source, "HellaSwag", files, "hellaswag")
    tell(tr("reading HellaSwag from {path}", path=found[0].shown))
    return _rows_of_files(found), found[0].name


def _rows_of_hub(data_set: str, part: str | None, splits: Sequence[str]) -> dict[str, Rows]:
    found = {}
    for split, rows in hub.rows_of(data_set, part, splits).items():
        place = " ".join(filter(None, (data_set, part, split)))
        if not rows:
            raise broken_source(_place_in_hub(place), tr("there are no rows"))
        found[split] = numbered(rows, place, place)
    return found


def _place_in_hub(place: str) -> RowPlace:
    return RowPlace(name=place, shown=place, row=1, line=1)


def _announce(data_set: str, licence: str, tell: Tell) -> None:
    tell(
        tr(
            "downloading {name} from {hub} (licence: {licence})",
            name=data_set,
            hub=hub.hub_address(),
            licence=licence,
        )
    )


def _not_there(source: Path, name: str, files: str, folder: str) -> SuiteNotFound:
    return SuiteNotFound(
        tr("no copy of {name} was found at '{path}'", name=name, path=shown_path(source)),
        hint=tr("looked for {files}, there and in its folders data, {folder}",
                files=files, folder=folder),
    )  # fmt: skip
