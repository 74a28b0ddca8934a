"""Gets benchmarks made by others and writes them where `-s` finds them by name.

All is read before anything is written, and each suite's folder is written as a whole. Nothing is
downloaded where `source` names a copy. `custom_os_eval` is the shipped suite `os` as files to edit:
those that are there stay as they are.
"""

import json
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from assay.errors import InvalidFiles, SuiteNotFound, UsageError, tried
from assay.files.file_text import shown_path
from assay.files.notes import invalid_files
from assay.files.wording import did_you_mean, shown
from assay.files.writing import replace_file
from assay.messages import tr, trn
from assay.plugins import file_digest
from assay.suites.default_suites import OF_CHECKPOINTS
from assay.suites.fetching import hellaswag, mmlu
from assay.suites.fetching.layouts import SubjectFiles, find_hellaswag, find_mmlu
from assay.suites.fetching.made import ConvertedBenchmark, files_of_suite
from assay.suites.fetching.rows import (
    HELLASWAG,
    MMLU,
    Row,
    RowPlace,
    SourceFile,
    broken_source,
    hub_address,
    numbered,
    read_rows,
    rows_of,
)
from assay.suites.load import (
    FETCHED,
    SHIPPED,
    benchmarks_folder,
    catalogue,
    examine,
    fetch_command,
)
from assay.types.decisions import OS_SUITE, OS_TASKS
from assay.types.measures import every_measure
from assay.types.option_fields import several
from assay.types.suites import OS_FILES, own_name
from assay.version import __version__
from assay.workflow.checkpoints.places import places_of
from assay.workflow.running.job import Job
from assay.workflow.running.opening import place_of_given

RECORD = ".fetched.json"  # a name with a dot is no category
Tell = Callable[[str], None]
Rows = Iterator[tuple[RowPlace, Row]]
LICENCES: Mapping[str, str] = {mmlu.NAME: mmlu.LICENCE, hellaswag.NAME: hellaswag.LICENCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesToEdit:
    """The categories of `os` in a folder of their own. `shipped`: of those written, the ones that
    are as they ship; `kept`: those that were there before.
    """

    folder: Path
    written: tuple[str, ...]
    shipped: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What was written, each into the folder of its name; `following`: the next command."""

    benchmarks: tuple[ConvertedBenchmark, ...]
    folder: Path
    following: str
    to_edit: FilesToEdit | None = None


def fetch(
    names: str | Sequence[str],
    *,
    source: str | Path | None = None,
    benchmarks: str | Path | None = None,
    tell: Tell = lambda _: None,
) -> Fetched:
    """Write MMLU or HellaSwag as suites, from the hub or from a copy, or `custom_os_eval`, the
    shipped suite `os`, as files to edit; `tell` hears of progress.

    Example: `assay.fetch(["mmlu"], source="data/")`.
    """
    source = None if source is None else Path(source)
    named = (OS_FILES if own_name(name) == OS_SUITE else name for name in several(names))
    asked = list(dict.fromkeys(named))
    wanted = [name for name in asked if name != OS_FILES]
    for name in wanted:
        if name not in FETCHED:
            known = (*FETCHED, OS_FILES)
            problem = tr("there is no benchmark '{name}'", name=shown(name))
            raise UsageError(
                did_you_mean(problem, name, known),
                hint=tr("those that can be fetched: {names}", names=", ".join(known)),
            )
    folder = benchmarks_folder() if benchmarks is None else Path(benchmarks)
    if source is not None and not source.is_dir() and not source.is_file():
        raise SuiteNotFound(
            tr("there is no folder or file at '{path}'", path=shown_path(source)),
            hint=tr("name the folder of your copy with --from"),
        )
    for name in wanted:
        _refuse_to_overwrite(folder / name)
    files = _files_to_edit(source) if OS_FILES in asked else {}
    suites = [make(name, source, tell) for name in wanted]
    for made in suites:
        if not made.categories:
            raise _nothing_left(made)
    for made in suites:
        tell(tr("writing {folder}", folder=shown_path(folder / made.name)))
        _write_suite(made, LICENCES[made.name], folder)
    to_edit = _write_to_edit(files, folder / OS_FILES, tell) if files else None
    following = ["assay", "run", "MODEL", *(word for name in asked for word in ("-s", name))]
    if benchmarks is not None:
        following += ["--benchmarks", str(benchmarks)]
    return Fetched(
        benchmarks=tuple(suites), folder=folder, following=shlex.join(following), to_edit=to_edit
    )


def _files_to_edit(source: Path | None) -> dict[str, Path]:
    """Each category of `os` by its file's name: from a copy where that has it, else as it ships."""
    ships = {f"{task}.json": SHIPPED / OS_SUITE / f"{task}.json" for task in OS_TASKS}
    if source is None:
        return ships
    folders = [source / below for below in ("", OS_FILES, f"benchmarks/{OS_FILES}")]
    own = {name: file for folder in reversed(folders) for name in ships
           if (file := folder / name).is_file()}  # fmt: skip
    if not own:
        raise _not_there(source, OS_FILES, ", ".join(ships), OS_FILES)
    mistakes = [each for each in examine(list(own.values())) if each.severity == "error"]
    if mistakes:
        raise invalid_files(shown_path(source), mistakes)
    return ships | own


def _write_to_edit(files: Mapping[str, Path], folder: Path, tell: Tell) -> FilesToEdit:
    kept = tuple(name for name in files if os.path.lexists(folder / name))
    written = tuple(name for name in files if name not in kept)
    tell(tr("writing {folder}", folder=shown_path(folder)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in written:
            replace_file(folder / name, files[name].read_text("utf-8-sig"))
    except OSError as error:
        raise _cannot_write(folder, error) from error
    shipped = tuple(name for name in written if files[name].parent == SHIPPED / OS_SUITE)
    return FilesToEdit(folder=folder, written=written, shipped=shipped, kept=kept)


def _cannot_write(path: Path, error: OSError) -> UsageError:
    return UsageError(
        tr("cannot write {path}: {why}", path=shown_path(path), why=error.strerror or str(error)),
        hint=tr("make room, or choose a folder you can write to with --benchmarks"),
    )


def _nothing_left(made: ConvertedBenchmark) -> SuiteNotFound:
    hint = tr("it needs rows of {activity}", activity=hellaswag.TECHNICAL)
    if made.left_out:
        hint = tr("there is no test split of {parts}", parts=", ".join(made.left_out))
    return SuiteNotFound(tr("the source has no questions for {name}", name=made.name), hint=hint)


def _refuse_to_overwrite(folder: Path) -> None:
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
        and (not path.is_file() or recorded.get(path.name) != file_digest(path))
    )


def _write_suite(made: ConvertedBenchmark, licence: str, benchmarks: Path) -> None:
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
        raise _cannot_write(folder, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put_files(made: ConvertedBenchmark, licence: str, folder: Path) -> None:
    files = {name: text.encode() for name, text in files_of_suite(made).items()}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    record = {
        "assay": __version__,
        "version": made.version,
        "licence": licence,
        "files": {name: sha256(data).hexdigest() for name, data in files.items()},
    }
    (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n", "utf-8")


def _missing_benchmarks(job: Job) -> tuple[str, ...]:
    """Return the benchmarks made by others that a run would ask by default and that are not here.

    The checkpoints of a watched training were told of it before.
    """
    if job.suites or job.own or job.only_named:
        return ()
    found = [] if job.places else tried([], places_of, job.specs)
    places = [*map(place_of_given, job.given), *(place for each in found for _, place in each)]
    if not places or not all(places):
        return ()
    here = job.benchmarks is None or job.benchmarks.is_dir()
    installed = catalogue(job.benchmarks) if here else {}
    return tuple(name for name in FETCHED if name in OF_CHECKPOINTS and name not in installed)


def without_benchmarks(job: Job) -> Iterator[str]:
    """What the score and the report lack because a benchmark is missing, and how to get it."""
    missing = _missing_benchmarks(job)
    if not missing:
        return
    command = fetch_command(missing, job.benchmarks)
    weight = next(each.weight for each in every_measure() if each.suite == "mmlu")
    gaps = {"command": command, "weight": f"{weight:g}"}
    if "mmlu" not in missing:
        yield tr("hellaswag is missing: the report omits it; get it with `{command}`",
                 **gaps)  # fmt: skip
    elif "hellaswag" not in missing:
        yield tr("mmlu is missing: the weighted score omits it (weight {weight}); get it with "
                 "`{command}`", **gaps)  # fmt: skip
    else:
        yield tr("mmlu and hellaswag are missing: the weighted score omits mmlu (weight {weight}), "
                 "and the report omits both; get them with `{command}`",
                 **gaps)  # fmt: skip


def make(name: str, source: Path | None, tell: Tell) -> ConvertedBenchmark:
    if name == hellaswag.NAME:
        rows, about = _hellaswag_rows(source, tell)
        passages, joined = hellaswag.read_passages(rows)
        return hellaswag.make(passages, about, joined=joined)
    if source is None:
        about = f"{MMLU} of the Hugging Face hub"
        return mmlu.make(_mmlu_of_hub(tell), about)
    found = find_mmlu(source)
    if not found:
        raise _not_there(source, "MMLU", "test/SUBJECT_test.csv, SUBJECT/test-*.parquet", "mmlu")
    is_csv = _first_file(found, next(iter(found))).name.endswith(".csv")
    about = "CSV files of the original archive" if is_csv else "Parquet files of cais/mmlu"
    names = [name for name in mmlu.COMPUTER_SCIENCE if name in found]
    counted = trn("{count} subject", "{count} subjects", len(names))
    tell(tr("reading {subjects} of MMLU from {path}", subjects=counted, path=shown_path(source)))
    subjects = {}
    for name in names:
        splits = {split: _rows_of_files(files) for split, files in found[name].items()}
        subjects[name] = mmlu.read_subject(name, _first_file(found, name).place(), splits)
    return mmlu.make(subjects, about)


def _first_file(found: SubjectFiles, subject: str) -> SourceFile:
    return next(file for files in found[subject].values() for file in files)


def _rows_of_files(files: Sequence[SourceFile]) -> Rows:
    return (row for file in files for row in read_rows(file))


def _mmlu_of_hub(tell: Tell) -> dict[str, mmlu.Subject]:
    _announce(MMLU, mmlu.LICENCE, tell)
    subjects = {}
    for name in mmlu.COMPUTER_SCIENCE:
        tell(name)
        splits = _rows_of_hub(MMLU, name, ("dev", "test"))
        dev = f"{MMLU} {name} dev"
        subjects[name] = mmlu.read_subject(name, RowPlace(name=dev, shown=dev), splits)
    return subjects


def _hellaswag_rows(source: Path | None, tell: Tell) -> tuple[Rows, str]:
    if source is None:
        _announce(HELLASWAG, hellaswag.LICENCE, tell)
        rows = _rows_of_hub(HELLASWAG, None, ("validation",))
        return rows.get("validation", iter(())), f"{HELLASWAG} of the Hugging Face hub"
    found = find_hellaswag(source)
    if not found:
        files = "hellaswag_val.jsonl, hellaswag_val*.jsonl, validation-*.parquet"
        raise _not_there(source, "HellaSwag", files, "hellaswag")
    tell(tr("reading HellaSwag from {path}", path=found[0].shown))
    return _rows_of_files(found), found[0].name


def _rows_of_hub(data_set: str, part: str | None, splits: Sequence[str]) -> dict[str, Rows]:
    found = {}
    for split, rows in rows_of(data_set, part, splits).items():
        place = " ".join(filter(None, (data_set, part, split)))
        if not rows:
            raise broken_source(RowPlace(name=place, shown=place), tr("there are no rows"))
        found[split] = numbered(rows, place, place)
    return found


def _announce(data_set: str, licence: str, tell: Tell) -> None:
    tell(
        tr(
            "downloading {name} from {hub} (licence: {licence})",
            name=data_set,
            hub=hub_address(),
            licence=licence,
        )
    )


def _not_there(source: Path, name: str, files: str, folder: str) -> SuiteNotFound:
    return SuiteNotFound(
        tr("no copy of {name} was found at '{path}'", name=name, path=shown_path(source)),
        hint=tr("looked for {files}, there and in its folders data, {folder}",
                files=files, folder=folder),
    )  # fmt: skip
