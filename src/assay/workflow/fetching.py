"""Gets benchmarks made by others and writes them where `-s` finds them by name.

In: names of benchmarks, a copy of the user's or the hub, a folder. Out: what was written, and what
was dropped on the way. The steps, in order:

    1 look     are the names known, is there room for the files; refuse before anything is read
    2 read     all rows of all sources; what is wrong with them is shown together
    3 make     tests, less what is asked already
    4 write    each suite's folder as a whole: a fault leaves what was there

Nothing is downloaded where `source` names a copy.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InvalidFiles, SuiteNotFound, UsageError
from assay.messages import tr, trn
from assay.suites.catalogue import FETCHED, benchmarks_folder
from assay.suites.fetching import hellaswag, hub, mmlu
from assay.suites.fetching.layouts import NO_SUBJECTS, SUBJECT, hellaswag_files, mmlu_files
from assay.suites.fetching.made import Made
from assay.suites.fetching.rows import csv_rows, json_rows, numbered, parquet_rows
from assay.suites.fetching.source import Flaws, Item, SourceFile
from assay.suites.json_file import shown_path
from assay.suites.wording import did_you_mean, shown
from assay.workflow.benchmark_folder import refuse_to_overwrite, write_suite

Tell = Callable[[str], None]

LICENCES: Mapping[str, str] = {mmlu.NAME: mmlu.LICENCE, hellaswag.NAME: hellaswag.LICENCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A suite that was written, and where."""

    made: Made
    licence: str
    folder: Path

    @property
    def reasons(self) -> Mapping[str, int]:
        """How many questions were dropped, by reason."""
        return Counter(one.reason for one in self.made.dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """All that was written, and the command to run next."""

    benchmarks: tuple[Benchmark, ...]
    folder: Path
    following: str


def fetch(
    names: Sequence[str],
    *,
    source: Path | None,
    benchmarks: Path | None,
    every: bool,
    tell: Tell,
) -> Fetched:
    """Read, make and write."""
    wanted = list(dict.fromkeys(names))
    _refuse_unknown(wanted)
    folder = benchmarks_folder() if benchmarks is None else benchmarks
    if source is not None and not source.exists():
        raise SuiteNotFound(
            tr("there is nothing at '{path}'", path=shown_path(source)),
            hint=tr("name the folder of your copy with --from"),
        )
    for name in wanted:
        refuse_to_overwrite(folder / name)
    flaws = Flaws()
    suites = [_MAKERS[name](source, every, flaws, tell) for name in wanted]
    _refuse_flawed(flaws)
    for made in suites:
        if not made.categories:
            raise _nothing_left(made)
    for made in suites:
        tell(tr("writing {folder}", folder=shown_path(folder / made.name)))
        write_suite(made, LICENCES[made.name], folder)
    return Fetched(
        benchmarks=tuple(
            Benchmark(made=made, licence=LICENCES[made.name], folder=folder / made.name)
            for made in suites
        ),
        folder=folder,
        following=_following(wanted, benchmarks),
    )


# ------------------------------------------------------------------------------------------- look


def _refuse_unknown(names: Sequence[str]) -> None:
    if not names:
        raise UsageError(
            tr("no benchmark was named"), hint=tr("name one: {names}", names=", ".join(FETCHED))
        )
    for name in names:
        if name not in FETCHED:
            problem = tr("there is no benchmark '{name}'", name=shown(name))
            raise UsageError(
                did_you_mean(problem, name, FETCHED),
                hint=tr("those that can be fetched: {names}", names=", ".join(FETCHED)),
            )


# ------------------------------------------------------------------------------------------- read


def _mmlu(source: Path | None, every: bool, flaws: Flaws, tell: Tell) -> Made:
    subjects = (
        _mmlu_of_hub(every, flaws, tell)
        if source is None
        else _mmlu_of_copy(source, every, flaws, tell)
    )
    return mmlu.make(subjects[0], subjects[1], every=every)


def _mmlu_of_copy(
    source: Path, every: bool, flaws: Flaws, tell: Tell
) -> tuple[dict[str, mmlu.Subject], str]:
    found = mmlu_files(source)
    if found is None:
        raise _not_there(
            source,
            "MMLU",
            "test/SUBJECT_test.csv, SUBJECT/test-*.parquet, mmlu.zip, data.tar",
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
        splits = {
            split: tuple(_mmlu_items(name, split, files, flaws))
            for split, files in found.subjects[name].items()
        }
        subject = mmlu.Subject(name=name, dev=splits.get("dev", ()), test=splits.get("test"))
        subjects[name] = subject
        file = next(file for files in found.subjects[name].values() for file in files)
        if not SUBJECT.fullmatch(name):
            flaws.note_file(file, tr("'{name}' is no name of a subject", name=shown(name)))
        if not mmlu.is_whole(subject):
            flaws.note_file(file, _too_few_examples(subject))
    form = {"csv": "CSV files of the original archive", "parquet": "Parquet files of cais/mmlu"}
    return subjects, form[found.form]


def _mmlu_items(
    subject: str, split: str, files: Sequence[SourceFile], flaws: Flaws
) -> Iterator[Item]:
    for file in files:
        if file.name.endswith(".csv"):
            yield from mmlu.items_of_cells(subject, split, csv_rows(file, flaws), flaws)
        else:
            yield from mmlu.items_of_rows(subject, split, parquet_rows(file, flaws), flaws)


def _too_few_examples(subject: mmlu.Subject) -> str:
    return tr(
        "{subject} has {count} examples in dev, and the prompts show {needed}",
        subject=subject.name,
        count=len(subject.dev),
        needed=mmlu.SHOTS,
    )


def _mmlu_of_hub(every: bool, flaws: Flaws, tell: Tell) -> tuple[dict[str, mmlu.Subject], str]:
    _announce(hub.MMLU, mmlu.LICENCE, tell)
    names = list(mmlu.COMPUTER_SCIENCE)
    if every:
        others = sorted(set(hub.parts_of(hub.MMLU)) - {*names, *NO_SUBJECTS})
        names += [name for name in others if SUBJECT.fullmatch(name)]
    subjects = {}
    for position, name in enumerate(names, start=1):
        tell(tr("{at} of {all}: {name}", at=position, all=len(names), name=name))
        rows = hub.rows_of(hub.MMLU, name, ("dev", "test"))
        items = {}
        for split, split_rows in rows.items():
            place = f"{hub.MMLU} {name} {split}"
            told = numbered(split_rows, place, place)
            items[split] = tuple(mmlu.items_of_rows(name, split, told, flaws))
        subject = mmlu.Subject(name=name, dev=items.get("dev", ()), test=items.get("test"))
        if not mmlu.is_whole(subject):
            raise UsageError(_too_few_examples(subject), hint=tr("use another copy with --from"))
        subjects[name] = subject
    return subjects, f"{hub.MMLU} of the Hugging Face hub"


def _hellaswag(source: Path | None, every: bool, flaws: Flaws, tell: Tell) -> Made:
    if source is None:
        _announce(hub.HELLASWAG, hellaswag.LICENCE, tell)
        rows = hub.rows_of(hub.HELLASWAG, None, ("validation",)).get("validation", [])
        place = f"{hub.HELLASWAG} validation"
        passages = hellaswag.Passages(numbered(rows, place, place), flaws)
        about = f"{hub.HELLASWAG} of the Hugging Face hub"
        return hellaswag.make(passages, about, every=every)
    found = hellaswag_files(source)
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
    return hellaswag.make(passages, found.files[0].name, every=every)


_MAKERS: Mapping[str, Callable[[Path | None, bool, Flaws, Tell], Made]] = {
    mmlu.NAME: _mmlu,
    hellaswag.NAME: _hellaswag,
}


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


def _refuse_flawed(flaws: Flaws) -> None:
    if flaws.findings:
        raise InvalidFiles(
            trn("{count} mistake in the source", "{count} mistakes in the source",
                len(flaws.findings)),
            flaws.findings,
            hint=tr("Nothing was written. Mend the files, or use another copy."),
        )  # fmt: skip


def _nothing_left(made: Made) -> SuiteNotFound:
    return SuiteNotFound(
        tr("the source has no questions for {name}", name=made.name),
        hint=tr(
            "its test split is needed: {parts}; with --all other subjects are taken too",
            parts=", ".join(made.left_out) or hellaswag.TECHNICAL,
        ),
    )


def _following(names: Sequence[str], benchmarks: Path | None) -> str:
    words = ["assay", "run", "MODEL"]
    for name in names:
        words += ["-s", name]
    return shlex.join([*words, *(() if benchmarks is None else ("--benchmarks", str(benchmarks)))])
