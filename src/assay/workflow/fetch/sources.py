"""Reads a benchmark from a user's copy or from the hub, and makes a suite of it.

What is wrong with the source is collected in Flaws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from assay.errors import SuiteNotFound
from assay.files.file_text import shown_path
from assay.messages import tr, trn
from assay.suites.fetching import hellaswag, hub, mmlu
from assay.suites.fetching.layouts import NO_SUBJECTS, SubjectFiles, find_hellaswag, find_mmlu
from assay.suites.fetching.made import ConvertedBenchmark
from assay.suites.fetching.rows import Row, no_rows, numbered, read_rows
from assay.suites.fetching.source import Flaws, RowPlace, SourceFile

Tell = Callable[[str], None]
Rows = Iterator[tuple[RowPlace, Row]]
SubjectRows = tuple[str, RowPlace, Mapping[str, Rows]]  # name, where it is, rows by split

LICENCES: Mapping[str, str] = {mmlu.NAME: mmlu.LICENCE, hellaswag.NAME: hellaswag.LICENCE}


def make(
    name: str, source: Path | None, *, every: bool, flaws: Flaws, tell: Tell
) -> ConvertedBenchmark:
    if name == hellaswag.NAME:
        rows, about = _hellaswag_rows(source, flaws, tell)
        return hellaswag.make(hellaswag.Passages(rows, flaws), about, every=every)
    if source is None:
        about = f"{hub.MMLU} of the Hugging Face hub"
        return mmlu.make(_subjects(_mmlu_of_hub(every, flaws, tell), flaws), about, every=every)
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
    return mmlu.make(_subjects(_mmlu_of_copy(found, names, flaws), flaws), about, every=every)


def _subjects(parts: Iterator[SubjectRows], flaws: Flaws) -> dict[str, mmlu.Subject]:
    subjects = {}
    for name, place, splits in parts:
        if flaw := mmlu.flaw_of_name(name):
            flaws.note(place, flaw)
            continue
        items = {
            split: tuple(mmlu.items_of_rows(name, split, rows, flaws))
            for split, rows in splits.items()
        }
        subject = mmlu.Subject(name=name, dev=items.get("dev", ()), test=items.get("test"))
        subjects[name] = subject
        if flaw := subject.flaw:
            flaws.note(place, flaw)
    return subjects


def _mmlu_of_copy(found: SubjectFiles, names: Sequence[str], flaws: Flaws) -> Iterator[SubjectRows]:
    for name in names:
        splits = {split: _rows_of_files(files, flaws) for split, files in found[name].items()}
        yield name, _first_file(found, name).start, splits


def _first_file(found: SubjectFiles, subject: str) -> SourceFile:
    return next(file for files in found[subject].values() for file in files)


def _rows_of_files(files: Sequence[SourceFile], flaws: Flaws) -> Rows:
    return (row for file in files for row in read_rows(file, flaws))


def _mmlu_of_hub(every: bool, flaws: Flaws, tell: Tell) -> Iterator[SubjectRows]:
    _announce(hub.MMLU, mmlu.LICENCE, tell)
    names = list(mmlu.COMPUTER_SCIENCE)
    if every:
        names += sorted(set(hub.parts_of(hub.MMLU)) - {*names, *NO_SUBJECTS})
    for position, name in enumerate(names, start=1):
        tell(tr("{at} of {all}: {name}", at=position, all=len(names), name=name))
        splits = _rows_of_hub(hub.MMLU, name, ("dev", "test"), flaws)
        yield name, _place_in_hub(f"{hub.MMLU} {name} dev"), splits


def _hellaswag_rows(source: Path | None, flaws: Flaws, tell: Tell) -> tuple[Rows, str]:
    if source is None:
        _announce(hub.HELLASWAG, hellaswag.LICENCE, tell)
        rows = _rows_of_hub(hub.HELLASWAG, None, ("validation",), flaws)
        return rows.get("validation", iter(())), f"{hub.HELLASWAG} of the Hugging Face hub"
    found = find_hellaswag(source)
    if not found:
        files = "hellaswag_val.jsonl, hellaswag_val*.jsonl, validation-*.parquet"
        raise _not_there(source, "HellaSwag", files, "hellaswag")
    tell(tr("reading HellaSwag from {path}", path=found[0].shown))
    return _rows_of_files(found, flaws), found[0].name


def _rows_of_hub(
    data_set: str, part: str | None, splits: Sequence[str], flaws: Flaws
) -> dict[str, Rows]:
    found = {}
    for split, rows in hub.rows_of(data_set, part, splits).items():
        place = " ".join(filter(None, (data_set, part, split)))
        found[split] = numbered(rows, place, place)
        if not rows:
            flaws.note(_place_in_hub(place), no_rows())
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
