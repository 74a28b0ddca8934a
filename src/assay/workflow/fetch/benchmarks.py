"""Gets benchmarks made by others and writes them where `-s` finds them by name.

    1 look     are the names known, is there room for the files; refuse before anything is read
    2 read     all rows of all sources; the first mistake ends it
    3 make     tests, less what is asked already
    4 write    each suite's folder as a whole: a fault leaves what was there

Nothing is downloaded where `source` names a copy.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import SuiteNotFound, UsageError
from assay.files.file_text import shown_path
from assay.files.wording import did_you_mean, shown
from assay.messages import tr, trn
from assay.suites.catalogue import FETCHED, benchmarks_folder
from assay.suites.fetching.made import ConvertedBenchmark
from assay.workflow.fetch.sources import LICENCES, Tell, make
from assay.workflow.fetch.suite_folder import refuse_to_overwrite, write_suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    made: ConvertedBenchmark
    licence: str
    folder: Path

    @property
    def reasons(self) -> Mapping[str, int]:
        return Counter(one.reason for one in self.made.dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    benchmarks: tuple[Benchmark, ...]
    folder: Path
    following: str


def fetch(
    names: Sequence[str],
    *,
    source: Path | None = None,
    benchmarks: Path | None = None,
    every: bool = False,
    tell: Tell = lambda _: None,
) -> Fetched:
    """Write MMLU or HellaSwag as suites, from the hub or from a copy; `tell` hears of progress."""
    written: list[Benchmark] = []
    wanted = list(dict.fromkeys(names))
    _refuse_unknown(wanted)
    folder = benchmarks_folder() if benchmarks is None else benchmarks
    if source is not None and not source.is_dir() and not source.is_file():
        raise SuiteNotFound(
            tr("there is no folder or file at '{path}'", path=shown_path(source)),
            hint=tr("name the folder of your copy with --from"),
        )
    for name in wanted:
        refuse_to_overwrite(folder / name)
    suites = [make(name, source, every=every, tell=tell) for name in wanted]
    for made in suites:
        if not made.categories:
            raise _nothing_left(made)
    for made in suites:
        tell(tr("writing {folder}", folder=shown_path(folder / made.name)))
        licence = LICENCES[made.name]
        write_suite(made, licence, folder)
        written.append(Benchmark(made=made, licence=licence, folder=folder / made.name))
    following = ["assay", "run", "MODEL", *(word for name in wanted for word in ("-s", name))]
    if benchmarks is not None:
        following += ["--benchmarks", str(benchmarks)]
    return Fetched(benchmarks=tuple(written), folder=folder, following=shlex.join(following))


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


def _nothing_left(made: ConvertedBenchmark) -> SuiteNotFound:
    hints = [tr("with --all every subject or activity is taken")]
    if made.dropped:
        hints.append(
            trn("{count} question was dropped as repeated or unusable",
                "{count} questions were dropped as repeated or unusable", len(made.dropped))
        )  # fmt: skip
    if made.left_out:
        hints.append(tr("there is no test split of {parts}", parts=", ".join(made.left_out)))
    return SuiteNotFound(
        tr("the source has no questions for {name}", name=made.name), hint="\n".join(hints)
    )
