"""The public functions. Every interface calls these, and so may any Python program.

In: plain arguments. Out: the shapes of `assay.types.results`, or an AssayError with a hint.

    from assay import api

    report = api.run(["scripted:good.json"], suites=["example"])
    print(report.models[0].suites[0].score)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from assay.call_options import Asking, AskingAndJudging, Judging, judge_options, of_job
from assay.evaluation_functions import (
    DEFAULT_OUT,
    OneCheckpoint,
    evaluate_model,
    generate_samples,
    run_benchmark,
)
from assay.types import Finding, Observer
from assay.types.decisions import MEASURES, MeasureKind
from assay.types.results import Comparison, Leaderboard, Report
from assay.workflow.evaluate.evaluation import evaluate
from assay.workflow.evaluate.job import Job
from assay.workflow.history.records import ExportFormat
from assay.workflow.history.rescoring import Rescored
from assay.workflow.keyword_arguments import refuse_unknown

if TYPE_CHECKING:
    from assay.workflow.checkpoints.selection import Selected
    from assay.workflow.checkpoints.watch import Watching
    from assay.workflow.fetch.benchmarks import Fetched

__all__ = [
    "DEFAULT_OUT",
    "Asking",
    "Judging",
    "OneCheckpoint",
    "ask",
    "compare",
    "evaluate_model",
    "export",
    "fetch",
    "generate_samples",
    "judge",
    "leaderboard",
    "report",
    "rescore",
    "run",
    "run_benchmark",
    "select",
    "validate",
    "watch",
]


def run(
    models: Sequence[str],
    *,
    suites: Sequence[str] = (),
    categories: Sequence[str] = (),
    benchmarks: Path | None = None,
    limit: int | None = None,
    gate: Path | None = None,
    text: Path | None = None,
    train_text: Path | None = None,
    measures: Sequence[MeasureKind] | None = None,
    tensorboard: Path | None = None,
    write_back: bool = True,
    repeats: int = 1,
    seed: int = 0,
    fresh: bool = False,
    data_seed: int = 0,
    out: Path = DEFAULT_OUT,
    observer: Observer | None = None,
    **how: Unpack[AskingAndJudging],
) -> Report:
    """Ask the models every question of the suites, mark the answers, and report.

    Continues an unfinished run of the same arguments; reuses stored replies unless `fresh`. For
    checkpoints alone no suite need be named: then all is asked and measured that a gate asks for.
    `tensorboard`: a folder for their curves, as TensorBoard reads them. `data_seed`: what the files
    are made from that tests show.
    """
    from assay.reports.progress import SilentProgress

    refuse_unknown("run", how, AskingAndJudging)
    job = Job(
        models=tuple(models),
        suites=tuple(suites),
        categories=tuple(categories),
        benchmarks=benchmarks,
        limit=limit,
        gate=gate,
        text=text,
        train_text=train_text,
        measures=None if measures is None else tuple(measures),
        tensorboard=tensorboard,
        write_back=write_back,
        repeats=repeats,
        seed=seed,
        fresh=fresh,
        data_seed=data_seed,
        judge=judge_options(how),
        out=out,
        **of_job(how),
    )
    return evaluate(job, observer or SilentProgress())


def watch(
    folder: Path,
    *,
    suites: Sequence[str] = (),
    categories: Sequence[str] = (),
    benchmarks: Path | None = None,
    limit: int | None = None,
    gate: Path | None = None,
    text: Path | None = None,
    train_text: Path | None = None,
    measures: Sequence[MeasureKind] | None = None,
    tensorboard: Path | None = None,
    write_back: bool = True,
    repeats: int = 1,
    seed: int = 0,
    interval: float = 10.0,
    once: bool = False,
    until_accepted: bool = False,
    duration: float | None = None,
    out: Path = DEFAULT_OUT,
    observer: Observer | None = None,
    **how: Unpack[Asking],
) -> Watching:
    """Evaluate each checkpoint of a folder as it appears: iterate over what is seen. It looks every
    `interval` seconds, and ends after what is there (`once`), with the first that is accepted
    (`until_accepted`), after `duration` seconds, or never. Where suites and a gate are named, only
    what the gate needs is measured; else everything.
    """
    from assay.reports.progress import SilentProgress
    from assay.workflow.checkpoints.watch import Terms, Watching

    refuse_unknown("watch", how, Asking)
    terms = Terms(interval_s=interval, once=once, until_accepted=until_accepted, for_s=duration)
    job = Job(
        models=(str(folder),),
        suites=tuple(suites),
        categories=tuple(categories),
        benchmarks=benchmarks,
        limit=limit,
        gate=gate,
        text=text,
        train_text=train_text,
        measures=tuple(measures) if measures is not None else None if gate else MEASURES,
        tensorboard=tensorboard,
        write_back=write_back,
        repeats=repeats,
        seed=seed,
        out=out,
        verb=("watch", *terms.words),
        **of_job(how),
    )
    return Watching(job, folder, terms, observer or SilentProgress())


def judge(
    run_or_dir: str,
    *,
    imports: Sequence[Path] = (),
    suites: Sequence[str] = (),
    data_seed: int = 0,
    out: Path = DEFAULT_OUT,
    observer: Observer | None = None,
    **how: Unpack[AskingAndJudging],
) -> Report:
    """Judge the answers of a run, or of a folder with outputs/MODEL/TEST-ID.txt made elsewhere.

    `imports`: evaluations in the standard format, which count like a judge. `suites`: the tests of
    a folder that has no test-plans/.
    """
    from assay.reports.progress import SilentProgress
    from assay.workflow.judging.existing_answers import ToJudge, judge_existing

    refuse_unknown("judge", how, AskingAndJudging)
    common = of_job(how)
    job = ToJudge(
        run_or_dir=run_or_dir,
        out=out,
        options=judge_options(how),
        imports=tuple(imports),
        suites=tuple(suites),
        data_seed=data_seed,
        server=common["server"],
        local=common["local"],
        budget_s=common["budget_s"],
    )
    return judge_existing(job, observer or SilentProgress())


def ask(
    file: Path,
    models: Sequence[str],
    *,
    repeats: int = 1,
    seed: int = 0,
    fresh: bool = False,
    out: Path = DEFAULT_OUT,
    observer: Observer | None = None,
    **how: Unpack[Asking],
) -> Report:
    """Put the prompts of a text file to models; the answers are kept and never scored."""
    from assay.reports.progress import SilentProgress
    from assay.workflow.evaluate.own_prompts import own_prompts

    refuse_unknown("ask", how, Asking)
    job = Job(
        models=tuple(models),
        suites=(),
        repeats=repeats,
        seed=seed,
        fresh=fresh,
        out=out,
        own=(own_prompts(file, system=how.get("system")),),
        verb=("ask", str(file)),
        **of_job(how),
    )
    return evaluate(job, observer or SilentProgress())


def validate(paths: Sequence[Path]) -> tuple[Finding, ...]:
    """Every mistake and every warning in these test files, suites and gates (*.toml)."""
    from assay.suites.load import examine

    return examine(paths)


def fetch(
    names: Sequence[str],
    *,
    source: Path | None = None,
    benchmarks: Path | None = None,
    every: bool = False,
    tell: Callable[[str], None] | None = None,
) -> Fetched:
    """Write MMLU or HellaSwag as suites, from the hub or from a copy; `tell` hears of progress."""
    from assay.workflow.fetch.benchmarks import fetch as fetch_to

    quiet: Callable[[str], None] = lambda _: None  # noqa: E731
    return fetch_to(names, source=source, benchmarks=benchmarks, every=every, tell=tell or quiet)


def report(run: str = "latest", *, out: Path = DEFAULT_OUT) -> Report:
    """A run's report again, from the store."""
    from assay.store import Store
    from assay.workflow.history.results import report_of

    with Store(out, read_only=True) as store:
        return report_of(store, store.find_run(run))


def select(
    folders: Sequence[str],
    *,
    gate: Path | None = None,
    write_back: bool = True,
    out: Path = DEFAULT_OUT,
) -> Selected:
    """Gate and pick among checkpoints that were evaluated before, from their reports alone.

    A folder is a checkpoint, a model folder, a folder of those, or the `out` of a run. Selections
    are written under `out`, and into the folders as well with `write_back`.
    """
    from assay.workflow.checkpoints.selection import select_among

    return select_among(folders, gate=gate, out=out, write_back=write_back)


def compare(runs: Sequence[str], *, out: Path = DEFAULT_OUT) -> Comparison:
    """The first run or model against each of the others, paired by test."""
    from assay.store import Store
    from assay.workflow.history.comparison import compare as compare_in

    with Store(out, read_only=True) as store:
        return compare_in(store, runs)


def leaderboard(*, suite: str | None = None, out: Path = DEFAULT_OUT) -> Leaderboard:
    """Every model in the store, best first."""
    from assay.store import Store
    from assay.workflow.history.leaderboard import leaderboard as leaderboard_of

    with Store(out, read_only=True) as store:
        return leaderboard_of(store, suite=suite)


def rescore(run: str = "latest", *, out: Path = DEFAULT_OUT) -> Rescored:
    """Mark a run's stored answers again, by today's tests and scorers."""
    from assay.store import Store
    from assay.workflow.history.rescoring import rescore as rescore_in

    with Store(out, must_exist=True) as store:
        return rescore_in(store, store.find_run(run))


def export(
    run: str = "latest", *, form: ExportFormat = "jsonl", out: Path = DEFAULT_OUT
) -> Iterator[str]:
    """A run's records, line by line."""
    from assay.store import Store
    from assay.workflow.history.records import export as export_from

    with Store(out, read_only=True) as store:
        yield from export_from(store, store.find_run(run), form)
