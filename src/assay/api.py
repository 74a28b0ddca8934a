"""The public functions. Every interface calls these, and so may any Python program.

In: plain arguments. Out: the shapes of `assay.results`, or an AssayError with a hint. Refuses to
know: command lines, screens.

    from assay import api

    report = api.run(["scripted:good.json"], suites=["example"])
    print(report.models[0].suites[0].score)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from assay.evaluation_functions import (
    DEFAULT_OUT,
    OneCheckpoint,
    evaluate_model,
    generate_samples,
    run_benchmark,
)
from assay.models.settings import DEFAULT_TIMEOUT_S, LocalSettings, OpenAIForm, ServerSettings
from assay.results import Comparison, Leaderboard, Report
from assay.types import Finding, Observer, SamplingMode, Thinking
from assay.verdicts import MEASURES, MeasureKind
from assay.workflow.evaluate import evaluate
from assay.workflow.exporting import ExportFormat
from assay.workflow.job import Job
from assay.workflow.rescoring import Rescored

if TYPE_CHECKING:
    from assay.workflow.fetching import Fetched
    from assay.workflow.selecting import Selected
    from assay.workflow.watching import Watching

__all__ = [
    "DEFAULT_OUT",
    "Asking",
    "OneCheckpoint",
    "ask",
    "compare",
    "evaluate_model",
    "export",
    "fetch",
    "generate_samples",
    "leaderboard",
    "report",
    "rescore",
    "run",
    "run_benchmark",
    "select",
    "validate",
    "watch",
]


class Asking(TypedDict, total=False):
    """How models are asked. What is left out is as the command line has it by default.

    `timeout`: seconds for one request. `connections`: requests at once; None: 1 for Ollama, 8 for
    others. `num_ctx`: tokens of context (Ollama); None: enough for the longest test. `max_tokens`:
    at most so many in an answer. `sampling`: `fixed` sends every field, `server` leaves the rest to
    the server. `think`: for models that do. `api_key_env`: the variable that holds the key. `form`:
    which OpenAI endpoint. `budget`: stop asking after so many seconds; the same call continues.
    `system`: a system prompt for suites without a suite.json. `device`, `dtype`, `tokenizer`,
    `trust_remote_code`: for checkpoints on this machine's disk.
    """

    timeout: float
    connections: int | None
    num_ctx: int | None
    max_tokens: int | None
    sampling: SamplingMode
    think: Thinking | None
    api_key_env: str | None
    form: OpenAIForm
    budget: float | None
    system: str | None
    device: str | None
    dtype: str | None
    tokenizer: Path | None
    trust_remote_code: bool


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
    write_back: bool = True,
    repeats: int = 1,
    seed: int = 0,
    fresh: bool = False,
    out: Path = DEFAULT_OUT,
    observer: Observer | None = None,
    **how: Unpack[Asking],
) -> Report:
    """Ask the models every question of the suites, mark the answers, and report.

    Continues an unfinished run of the same arguments; reuses stored replies unless `fresh`. For
    checkpoints alone no suite need be named: then all is asked and measured that a gate asks for.
    """
    from assay.reports.progress import SilentProgress

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
        write_back=write_back,
        repeats=repeats,
        seed=seed,
        fresh=fresh,
        out=out,
        **_of_job(how),
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
    from assay.workflow.watching import Terms, Watching

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
        write_back=write_back,
        repeats=repeats,
        seed=seed,
        out=out,
        verb=("watch", *terms.words),
        **_of_job(how),
    )
    return Watching(job, folder, terms, observer or SilentProgress())


class _OfJob(TypedDict):
    sampling: SamplingMode
    max_tokens: int | None
    think: Thinking | None
    system: str | None
    budget_s: float | None
    server: ServerSettings
    local: LocalSettings


def _of_job(how: Asking) -> _OfJob:
    return _OfJob(
        sampling=how.get("sampling", "fixed"),
        max_tokens=how.get("max_tokens"),
        think=how.get("think"),
        system=how.get("system"),
        budget_s=how.get("budget"),
        server=ServerSettings(
            timeout_s=how.get("timeout", DEFAULT_TIMEOUT_S),
            connections=how.get("connections"),
            num_ctx=how.get("num_ctx"),
            api_key_env=how.get("api_key_env"),
            form=how.get("form", "auto"),
        ),
        local=LocalSettings(
            device=how.get("device"),
            dtype=how.get("dtype"),
            tokenizer=how.get("tokenizer"),
            trust_remote_code=how.get("trust_remote_code", False),
        ),
    )


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
    from assay.workflow.asking import own_prompts

    job = Job(
        models=tuple(models),
        suites=(),
        repeats=repeats,
        seed=seed,
        fresh=fresh,
        out=out,
        own=(own_prompts(file, system=how.get("system")),),
        verb=("ask", str(file)),
        **_of_job(how),
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
    from assay.workflow.fetching import fetch as fetch_to

    quiet: Callable[[str], None] = lambda _: None  # noqa: E731
    return fetch_to(names, source=source, benchmarks=benchmarks, every=every, tell=tell or quiet)


def report(run: str = "latest", *, out: Path = DEFAULT_OUT) -> Report:
    """A run's report again, from the store."""
    from assay.store import Store
    from assay.workflow.results import report_of

    with Store(out, read_only=True) as store:
        return report_of(store, store.find(run))


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
    from assay.workflow.selecting import select_among

    return select_among(folders, gate=gate, out=out, write_back=write_back)


def compare(runs: Sequence[str], *, out: Path = DEFAULT_OUT) -> Comparison:
    """The first run or model against each of the others, paired by test."""
    from assay.store import Store
    from assay.workflow.comparing import compare as compare_in

    with Store(out, read_only=True) as store:
        return compare_in(store, runs)


def leaderboard(*, suite: str | None = None, out: Path = DEFAULT_OUT) -> Leaderboard:
    """Every model in the store, best first."""
    from assay.store import Store
    from assay.workflow.ranking import leaderboard as leaderboard_of

    with Store(out, read_only=True) as store:
        return leaderboard_of(store, suite=suite)


def rescore(run: str = "latest", *, out: Path = DEFAULT_OUT) -> Rescored:
    """Mark a run's stored answers again, by today's tests and scorers."""
    from assay.store import Store
    from assay.workflow.rescoring import rescore as rescore_in

    with Store(out, must_exist=True) as store:
        return rescore_in(store, store.find(run))


def export(
    run: str = "latest", *, form: ExportFormat = "jsonl", out: Path = DEFAULT_OUT
) -> Iterator[str]:
    """A run's records, line by line."""
    from assay.store import Store
    from assay.workflow.exporting import export as export_from

    with Store(out, read_only=True) as store:
        yield from export_from(store, store.find(run), form)
