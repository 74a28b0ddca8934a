"""The public functions. Every interface calls these, and so may any Python program.

In: plain arguments. Out: the shapes of `assay.types.results`, or an AssayError with a hint.

    from assay import api

    report = api.run(["scripted:good.json"], suites=["example"])
    print(report.models[0].suites[0].score)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.api.call_options import takes_options
from assay.api.checkpoints import evaluate_model, generate_samples, run_benchmark
from assay.plugins import load_plugins
from assay.types import FileFinding, Observer
from assay.types.decisions import MEASURES
from assay.types.judge_cards import JudgeCheck
from assay.types.options import (
    DEFAULT_OUT,
    CompareOptions,
    JudgeCheckOptions,
    JudgeOptions,
    PromptOptions,
    RunOptions,
    SandboxChoice,
    SchemaKind,
    StoredAnswerOptions,
    WatchOptions,
)
from assay.types.results import Comparison, Leaderboard, Report
from assay.types.scores import SilentProgress

if TYPE_CHECKING:
    from assay.api.rendering import Result
    from assay.workflow.checkpoints.selection import Selected
    from assay.workflow.checkpoints.watch import Watching
    from assay.workflow.discover.doctor import Examination
    from assay.workflow.discover.suite_list import SuiteDescription, SuiteList
    from assay.workflow.evaluate.run_result import RunResult
    from assay.workflow.fetch.benchmarks import Fetched
    from assay.workflow.history.records import ExportFormat
    from assay.workflow.history.rescoring import Rescored

__all__ = [
    "DEFAULT_OUT",
    "CompareOptions",
    "JudgeCheckOptions",
    "PromptOptions",
    "RunOptions",
    "StoredAnswerOptions",
    "WatchOptions",
    "ask",
    "check_judge",
    "compare",
    "describe_suite",
    "evaluate_model",
    "examine_machine",
    "export",
    "fetch",
    "generate_samples",
    "judge",
    "leaderboard",
    "list_suites",
    "load_plugins",
    "new_test",
    "render",
    "report",
    "rescore",
    "run",
    "run_benchmark",
    "schema",
    "select",
    "validate",
    "watch",
]


@takes_options(RunOptions)
def run(options: RunOptions) -> RunResult:
    """Ask the models every test of the suites, score the answers, and report.

    `models`: one or several, specs, Models or objects of a plugin's class. `suites`: names, paths
    or Suites.

    Continues an unfinished run of the same arguments; reuses stored answers unless `fresh`. For
    checkpoints alone no suite need be named: then everything is asked and measured that the gate
    needs. The arguments are the fields of `RunOptions`, which are the options of `assay run`.
    """
    from assay.workflow.evaluate.evaluation import evaluate
    from assay.workflow.evaluate.job import job_of
    from assay.workflow.evaluate.run_result import RunResult

    return RunResult.of(evaluate(job_of(options), options.observer))


@takes_options(WatchOptions)
def watch(options: WatchOptions) -> Watching:
    """Evaluate each checkpoint of a folder as it appears: iterate over what is seen.

    It looks every `interval` seconds, and ends after what is there (`once`), with the first that is
    accepted (`until_accepted`), after `duration` seconds, or never. Without a gate everything is
    measured; with one, only what the gate needs.
    """
    from assay.workflow.checkpoints.watch import Watching
    from assay.workflow.evaluate.job import Job

    measures = options.measures
    if measures is None and options.gate is None:
        measures = MEASURES
    folder = str(options.folder)
    called = options.command_line("watch", folder)
    job = Job.of(options, models=(folder,), measures=measures, called=called)
    return Watching(job, options, options.observer)


@takes_options(StoredAnswerOptions)
def judge(options: StoredAnswerOptions) -> Report:
    """Judge the answers of a run, or of a folder with outputs/MODEL/TEST-ID.txt made elsewhere.

    `imports`: evaluations in the standard format, which count like a judge. `suites`: the tests of
    a folder that has no test-plans/.
    """
    from assay.workflow.judging.existing_answers import JudgeJob, judge_existing

    return judge_existing(JudgeJob(**options.shared_with(JudgeJob)), options.observer)


@takes_options(JudgeCheckOptions)
def check_judge(options: JudgeCheckOptions) -> JudgeCheck:
    """Qualify a judge on gold answers and injections. Its card is kept in the user's data folder,
    where every project finds it; a judge that has a valid one is not asked again unless `fresh`.
    """
    from assay.workflow.judging.qualification import check_judge as check

    return check(options, options.observer)


@takes_options(PromptOptions)
def ask(options: PromptOptions) -> Report:
    """Ask models the prompts of a text file; the answers are stored and never scored."""
    from assay.workflow.evaluate.evaluation import evaluate
    from assay.workflow.evaluate.job import Job
    from assay.workflow.evaluate.own_prompts import own_prompts

    prompts = own_prompts(options.file, system=options.system)
    called = options.command_line("ask", str(options.file), *options.models)
    job = Job.of(options, own=(prompts,), called=called)
    return evaluate(job, options.observer)


def validate(
    paths: Sequence[Path],
    *,
    plugins: Sequence[str] = (),
    allow_code_execution: bool = False,
    sandbox: SandboxChoice = "auto",
    data_seeds: int = 20,
    observer: Observer | None = None,
) -> tuple[FileFinding, ...]:
    """Every mistake and every warning in these test files, suites and gates (*.toml).

    With `allow_code_execution` the checkers of test folders are tried out in the sandbox, with data
    of the seeds 0 to `data_seeds` - 1: the reference answer must pass every check, and each wrong
    answer must fail those that it names.
    """
    load_plugins(plugins)
    from assay.workflow.authoring.validation import validate, validate_with_code

    if not allow_code_execution:
        return validate(paths)
    observer = observer or SilentProgress()
    return validate_with_code(paths, observer, sandbox=sandbox, data_seeds=data_seeds)


def new_test(name: str, *, suite: Path = Path("my-tests"), judged: bool = False) -> Path:
    """Write a test to begin with, and return where it is. `judged`: a test folder `name` with a
    checker of its own; else one more entry in the category file `name`.
    """
    from assay.workflow.authoring.new_test import write_entry, write_test_folder

    return write_test_folder(name, suite) if judged else write_entry(name, suite)


def schema(kind: SchemaKind = "tests") -> dict[str, object]:
    """The JSON Schema of test files, suite.json, gates, evaluation reports or selections."""
    from assay.reports.checkpoints.report_shapes import report_schema, selection_schema
    from assay.suites.gate_file import gate_schema
    from assay.suites.suite_file import suite_schema
    from assay.suites.test_format.schema import tests_schema

    schemas: dict[SchemaKind, Callable[[], dict[str, object]]] = {
        "tests": tests_schema,
        "suite": suite_schema,
        "gate": gate_schema,
        "report": report_schema,
        "selection": selection_schema,
    }
    return schemas[kind]()


def list_suites(*, benchmarks: Path | None = None) -> SuiteList:
    """The shipped and fetched suites, with the mistakes in those that cannot be used."""
    from assay.workflow.discover.suite_list import list_suites as list_in

    return list_in(benchmarks)


def describe_suite(name: str, *, benchmarks: Path | None = None) -> SuiteDescription:
    """One suite by its name or path, and what it consists of."""
    from assay.workflow.discover.suite_list import describe_suite as describe_in

    return describe_in(name, benchmarks)


def examine_machine(*, out: Path = DEFAULT_OUT) -> Examination:
    """What this machine can do, and what is missing."""
    from assay.workflow.discover.doctor import examine_machine as examine_for

    return examine_for(out)


def render(result: Result, form: str = "text", *, verbose: bool = False) -> str:
    """A result of these functions as `text`, `md`, `html` or `json`, or in a plugin's format."""
    from assay.api.rendering import render as render_as

    return render_as(result, form, verbose=verbose)


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


def report(run: str = "latest", *, plugins: Sequence[str] = (), out: Path = DEFAULT_OUT) -> Report:
    """A run's report again, from the store."""
    load_plugins(plugins)
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


@takes_options(CompareOptions)
def compare(options: CompareOptions) -> Comparison:
    """The first run or model against each of the others, paired by test. With a `judge`, their
    answers to judged tests are compared in pairs as well, in both orders.
    """
    from assay.store import Store
    from assay.workflow.history.comparison import compare as compare_in

    if options.judge:
        from assay.workflow.judging.pairs import compare_in_pairs

        return compare_in_pairs(options, options.observer)
    with Store(options.out, read_only=True) as store:
        return compare_in(store, options.runs)


def leaderboard(*, suite: str | None = None, out: Path = DEFAULT_OUT) -> Leaderboard:
    """Every model in the store, best first."""
    from assay.store import Store
    from assay.workflow.history.leaderboard import leaderboard as leaderboard_of

    with Store(out, read_only=True) as store:
        return leaderboard_of(store, suite=suite)


def rescore(
    run: str = "latest",
    *,
    plugins: Sequence[str] = (),
    out: Path = DEFAULT_OUT,
    allow_code_execution: bool = False,
    sandbox: SandboxChoice = "auto",
    observer: Observer | None = None,
) -> Rescored:
    """Score a run's stored answers again, by today's tests and checks.

    With `allow_code_execution` the checkers of test folders run again, too.
    """
    load_plugins(plugins)
    from assay.store import Store
    from assay.workflow.history.rescoring import rescore as rescore_in

    options = JudgeOptions(allow_code_execution=allow_code_execution, sandbox=sandbox)
    with Store(out, must_exist=True) as store:
        return rescore_in(store, store.find_run(run), options, observer or SilentProgress())


def export(
    run: str = "latest", *, form: ExportFormat = "jsonl", out: Path = DEFAULT_OUT
) -> Iterator[str]:
    """A run's records, line by line."""
    from assay.store import Store
    from assay.workflow.history.records import export as export_from

    with Store(out, read_only=True) as store:
        yield from export_from(store, store.find_run(run), form)
