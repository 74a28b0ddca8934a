"""Reads a benchmark from a copy of the user's or from the hub, and makes a suite of it.

In: the name of a benchmark, a path or None for the hub. Out: a ConvertedBenchmark; what is wrong
with the source is collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from assay.errors import SuiteNotFound
from assay.files.file_text import shown_path
from assay.messages import tr, trn
from assay.suites.fetching import hellaswag, hub, mmlu
from assay.suites.fetching.layouts import NO_SUBJECTS, find_hellaswag, find_mmlu
from assay.suites.fetching.made import ConvertedBenchmark
from assay.suites.fetching.rows import (
    Row,
    csv_rows,
    json_rows,
    no_rows,
    numbered,
    parquet_rows,
)
from assay.suites.fetching.source import BenchmarkItem, Flaws, RowPlace, SourceFile

Tell = Callable[[str], None]

LICENCES: Mapping[str, str] = {mmlu.NAME: mmlu.LICENCE, hellaswag.NAME: hellaswag.LICENCE}
_FORMS = {"csv": "CSV files of the original archive", "parquet": "Parquet files of cais/mmlu"}


def make(
    name: str, source: Path | None, *, every: bool, flaws: Flaws, tell: Tell
) -> ConvertedBenchmark:
    """The suite of that name."""
    if name == hellaswag.NAME:
        passages, about = _passages(source, flaws, tell)
        return hellaswag.make(passages, about, every=every)
    subjects, about = (
        _mmlu_of_hub(every, flaws, tell)
        if source is None
        else _mmlu_of_copy(source, every, flaws, tell)
    )
    return mmlu.make(subjects, about, every=every)


# ------------------------------------------------------------------------------------------- mmlu


def _mmlu_of_copy(
    source: Path, every: bool, flaws: Flaws, tell: Tell
) -> tuple[dict[str, mmlu.Subject], str]:
    found = find_mmlu(source)
    if found is None:
        raise _not_there(
            source,
            "MMLU",
            "test/SUBJECT_test.csv, SUBJECT/test-*.parquet",
            "data, mmlu",
        )
    names = [name for name in found.subjects if every or name in mmlu.COMPUTER_SCIENCE]
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
        file = next(file for files in found.subjects[name].values() for file in files)
        if flaw := mmlu.flaw_of_name(name):
            flaws.note_file(file, flaw)
            continue
        splits = {
            split: tuple(_mmlu_items(name, split, files, flaws))
            for split, files in found.subjects[name].items()
        }
        subjects[name] = subject = mmlu.Subject(
            name=name, dev=splits.get("dev", ()), test=splits.get("test")
        )
        if flaw := subject.flaw:
            flaws.note_file(file, flaw)
    return subjects, _FORMS[found.form]


def _mmlu_items(
    subject: str, split: str, files: Sequence[SourceFile], flaws: Flaws
) -> Iterator[BenchmarkItem]:
    for file in files:
        if file.name.endswith(".csv"):
            yield from mmlu.items_of_cells(subject, split, csv_rows(file, flaws), flaws)
        else:
            yield from mmlu.items_of_rows(subject, split, parquet_rows(file, flaws), flaws)


def _mmlu_of_hub(every: bool, flaws: Flaws, tell: Tell) -> tuple[dict[str, mmlu.Subject], str]:
    _announce(hub.MMLU, mmlu.LICENCE, tell)
    names = list(mmlu.COMPUTER_SCIENCE)
    if every:
        names += sorted(set(hub.parts_of(hub.MMLU)) - {*names, *NO_SUBJECTS})
    subjects = {}
    for position, name in enumerate(names, start=1):
        if flaw := mmlu.flaw_of_name(name):
            flaws.note(_place_in_hub(f"{hub.MMLU} {name}"), flaw)
            continue
        tell(tr("{at} of {all}: {name}", at=position, all=len(names), name=name))
        splits = {
            split: tuple(mmlu.items_of_rows(name, split, rows, flaws))
            for split, rows in _rows_of_hub(hub.MMLU, name, ("dev", "test"), flaws).items()
        }
        subjects[name] = subject = mmlu.Subject(
            name=name, dev=splits.get("dev", ()), test=splits.get("test")
        )
        if flaw := subject.flaw:
            flaws.note(_place_in_hub(f"{hub.MMLU} {name} dev"), flaw)
    return subjects, f"{hub.MMLU} of the Hugging Face hub"


# -------------------------------------------------------------------------------------- hellaswag


def _passages(source: Path | None, flaws: Flaws, tell: Tell) -> tuple[hellaswag.Passages, str]:
    if source is None:
        _announce(hub.HELLASWAG, hellaswag.LICENCE, tell)
        rows = _rows_of_hub(hub.HELLASWAG, None, ("validation",), flaws).get("validation", ())
        return hellaswag.Passages(rows, flaws), f"{hub.HELLASWAG} of the Hugging Face hub"
    found = find_hellaswag(source)
    if found is None:
        raise _not_there(
            source,
            "HellaSwag",
            "hellaswag_val.jsonl, hellaswag_val*.jsonl, validation-*.parquet",
            "data, hellaswag",
        )
    tell(tr("reading HellaSwag from {path}", path=found.files[0].shown))
    read = parquet_rows if found.form == "parquet" else json_rows
    passages = hellaswag.Passages((row for file in found.files for row in read(file, flaws)), flaws)
    return passages, found.files[0].name


# --------------------------------------------------------------------------------- what they share


def _rows_of_hub(
    data_set: str, part: str | None, splits: Sequence[str], flaws: Flaws
) -> dict[str, list[tuple[RowPlace, Row]]]:
    found = {}
    for split, rows in hub.rows_of(data_set, part, splits).items():
        place = " ".join(filter(None, (data_set, part, split)))
        found[split] = list(numbered(rows, place, place))
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


def _not_there(source: Path, name: str, files: str, folders: str) -> SuiteNotFound:
    return SuiteNotFound(
        tr("no copy of {name} was found at '{path}'", name=name, path=shown_path(source)),
        hint=tr(
            "looked for {files}, there and in its folders {folders}", files=files, folders=folders
        ),
    )
