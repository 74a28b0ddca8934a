"""Commands on tests: suites, validate, new-suite, schema and fetch."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any, get_args

import click

from assay import api
from assay.errors import ExitCode, UsageError, raise_all
from assay.interfaces.cli.options import (
    NamedPath,
    as_json,
    command,
    format_of,
    named_options,
    plugin_option,
    verbose,
)
from assay.interfaces.cli.output import reader_may_leave, say, show, stdout_takes_unicode, write
from assay.messages import tr, trn
from assay.types.options import SchemaKind
from assay.types.scores import SilentProgress


@command(
    "suites",
    help=tr(
        "Lists the shipped and fetched suites. With NAME, shows its card (what it asks, its "
        "categories, what guessing scores, licence, reviewed tests, sources), then every test. "
        "NAME may be a path. With --stats, shows which tests of NAME to look at: those that better "
        "models fail, that no model or every model solves, over all models in the store; and those "
        "that ask what another asks. Then baselines and the languages of the prompts. Without a "
        "store, only what the files show."
    ),
    examples=[
        "assay suites",
        "assay suites example",
        "assay suites my-tests/ --format md > card.md",
        "assay suites my-tests/ --stats",
        "assay suites ewe --stats --format html > ewe.html",
    ],
)
@click.argument("name", required=False)
@click.option("--stats", is_flag=True, help=tr("Show which tests of NAME need attention."))
@format_of("text", "md", "json", "html")
@named_options("benchmarks")
@verbose
@as_json
@plugin_option
def suites(
    name: str | None,
    stats: bool,
    output_format: str,
    benchmarks: Path | None,
    verbose: bool,
    as_json: bool,
    out: Path,
) -> int:
    """As JSON nothing is printed where a suite has a mistake: the error is the document then."""
    from assay.api.discovery import known_suites

    form = "json" if as_json else output_format
    if stats:
        if name is None:
            raise UsageError(
                tr("--stats needs the name of a suite"),
                hint=tr("name it, as in `assay suites my-tests/ --stats`"),
            )
        found = api.suite_statistics(name, benchmarks=benchmarks, out=out)
        show(found, form, verbose=verbose)
        return 0
    if name is not None:
        show(api.describe_suite(name, benchmarks=benchmarks), form, verbose=verbose)
        return 0
    known = known_suites(benchmarks)
    if form == "json":
        raise_all(known.mistakes)
    show(known, form, verbose=verbose)
    if form != "json":
        with reader_may_leave():
            for line in known.about_benchmarks:
                click.echo(line)
    raise_all(known.mistakes)
    return 0


@command(
    "validate",
    help=tr(
        "Prints each finding on one line:\n\n"
        "\b\n"
        "  file:line:col: test-id: error: message\n\n"
        "A file whose name ends in .toml is a gate; gates inside a folder of tests are ignored. "
        "Exit code 0: no errors (warnings are possible); 2: errors.\n\n"
        "A test folder brings its own checker. With --allow-code-execution each is tried out in "
        "the sandbox: its reference.md must pass every check, each answer in wrong/ must fail the "
        "checks that its first line names, and an empty answer, the echoed prompt and a refusal "
        "must get at most a tenth."
    ),
    examples=[
        "assay validate my-tests/",
        "assay validate my-gate.toml",
        "assay validate my-tests/ --allow-code-execution --data-seeds 5",
    ],
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=NamedPath(path_type=Path))
@named_options("allow_code_execution", "sandbox")
@click.option(
    "--data-seeds",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help=tr("Try checkers with the data of N seeds."),
)
@plugin_option
def validate(paths: tuple[Path, ...], allow_code_execution: bool, out: Path, **options: Any) -> int:
    progress = SilentProgress()
    if allow_code_execution:  # only that takes long enough to be watched, and it loads the reports
        from assay.api.rendering import progress_for

        progress = progress_for(sys.stderr)
    with progress as observer:
        findings = api.validate(
            paths, allow_code_execution=allow_code_execution, observer=observer, **options
        )
    with reader_may_leave():
        for finding in findings:
            click.echo(str(finding))
    checkers = sum(len(list(path.glob("*/check.py"))) for path in paths)
    if checkers and not allow_code_execution:
        told = tr("Checkers not tried: {count}; add --allow-code-execution to try them")
        say(told.format(count=checkers))
    errors = sum(finding.severity == "error" for finding in findings)
    say(
        tr(
            "{errors}, {warnings}",
            errors=trn("{count} error", "{count} errors", errors),
            warnings=trn("{count} warning", "{count} warnings", len(findings) - errors),
        )
    )
    return int(ExitCode.REFUSED if errors else ExitCode.DONE)


@command(
    "new-suite",
    help=tr(
        "Writes a folder that can be run at once: tests of five methods, or with --from those of a "
        "table, one a line. The columns are fields of a test: prompt (or question), expected (or "
        "answer), choices (or A, B, C, D), expected_keywords (or keywords), category, eval_method "
        "and any other; | separates the items of a list. All mistakes of a table are shown with "
        "their lines before anything is written, and nothing is overwritten.\n\n"
        "With --test, NAME is a test, written into the suite --suite: one more example in the "
        "category file NAME.json, scored by --method. With --judged as well, NAME becomes a test "
        "folder with all its files: a prompt with made data, a checker that runs the SQL of an "
        "answer, a reference answer and wrong ones. Replace them with your own, and check them "
        "with `assay validate --allow-code-execution`."
    ),
    examples=[
        "assay new-suite my-tests",
        "assay new-suite --from questions.csv",
        "assay new-suite quiz --from questions.csv --language ee",
        "assay new-suite law --samples",
        "assay new-suite --test colours --method keywords",
        "assay new-suite --test --judged monthly_sales --suite my-tests/",
    ],
)
@click.argument("name", required=False, type=NamedPath())
@click.option(
    "--from",
    "table",
    type=NamedPath(path_type=Path),
    metavar="CSV",
    help=tr("Table of tests, saved as CSV UTF-8 (separated by , or ; or tabs)."),
)
@click.option("--language", metavar="TAG", help=tr("Language of the answers, such as ee or fr."))
@click.option(
    "--samples",
    is_flag=True,
    help=tr("Write sample prompts, terms and a gate for the generation check as well, to edit."),
)
@click.option("--test", is_flag=True, help=tr("Write one test into a suite instead of a suite."))
@click.option(
    "--judged", is_flag=True, help=tr("With --test: write a test folder with its own checker.")
)
@click.option(
    "--method",
    metavar="EVAL_METHOD",
    help=tr("With --test: how the answer is scored. Default: exact_match."),
)
@click.option(
    "--suite",
    type=NamedPath(path_type=Path, file_okay=False),
    metavar="DIR",
    help=tr("With --test: folder of the suite, made if it does not exist. Default: my-tests."),
)
@plugin_option
def new_suite(name: str | None, test: bool, out: Path, **options: Any) -> int:
    of_tests = {each: options.pop(each) for each in ("judged", "method", "suite")}
    foreign = options if test else of_tests
    refused = [f"--{'from' if each == 'table' else each}" for each in foreign if foreign[each]]
    if refused:
        named = ", ".join(refused)
        problem = tr("{options}: only with --test", options=named)
        if test:
            problem = tr("{options}: only without --test", options=named)
        raise UsageError(problem, hint=tr("leave out what does not go together"))
    if test:
        return _new_test(name, **of_tests)
    return _new_suite(name, **options)


def _new_suite(folder: str | None, table: Path | None, language: str | None, samples: bool) -> int:
    made = api.new_suite(folder, table=table, language=language, samples=samples, tell=say)
    click.echo(made)
    named = shlex.quote(f"{made}/")
    say(tr("next: assay validate {suite}", suite=named))
    if samples:
        gate = shlex.quote(f"{made}/generation/gate.toml")
        say(tr("own samples: assay run CHECKPOINTS --gate {gate}", gate=gate))
    if (right := made / "answers" / "right.json").exists():
        script = shlex.quote(f"scripted:{right}")
        say(tr("try it with the right answers: assay run {model} -s {suite}",
               model=script, suite=named))  # fmt: skip
    return 0


def _new_test(name: str | None, judged: bool, method: str | None, suite: Path | None) -> int:
    if judged and method:
        raise UsageError(
            tr("--judged writes a test of the method judge; leave --method out"),
            hint=tr("without --judged, --method judge writes an entry that a judge scores"),
        )
    suite = suite or Path("my-tests")
    method = method or "exact_match"
    click.echo(api.new_test(name or "my_test", suite=suite, judged=judged, method=method))
    flag = " --allow-code-execution" if judged else ""
    say(tr("next: assay validate {suite}{flag}", suite=shlex.quote(str(suite)), flag=flag))
    return 0


@command(
    "schema",
    help=tr(
        "An editor that knows the schema completes and checks your files. KIND is tests (the "
        "default), suite, gate, report (evaluation_report.json) or selection "
        "(best_checkpoint_selection.json)."
    ),
    examples=[
        "assay schema > tests.schema.json",
        "assay schema suite > suite.schema.json",
        "assay schema report > report.schema.json",
    ],
)
@click.argument("kind", metavar="[KIND]", type=click.Choice(get_args(SchemaKind)), default="tests")
@plugin_option
def schema(kind: SchemaKind, out: Path) -> int:
    click.echo(json.dumps(api.schema(kind), indent=2, ensure_ascii=False))
    return 0


@command(
    "fetch",
    help=tr(
        "NAME is mmlu or hellaswag. Writes a suite that -s finds by its name, from the Hugging "
        "Face hub or, with --from, from a copy on this machine. Repeated tests are dropped and "
        "listed. custom_os_eval writes the four files of the shipped suite os, to edit: they take "
        "its place, and files that exist are kept."
    ),
    examples=[
        "assay fetch mmlu --from data/",
        "assay fetch mmlu hellaswag",
        "assay fetch mmlu --benchmarks my-benchmarks",
        "assay fetch custom_os_eval --benchmarks SLM/datasets/benchmarks",
    ],
)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@click.option(
    "--from",
    "source",
    type=NamedPath(path_type=Path),
    metavar="DIR",
    help=tr("Unpacked copy on this machine; nothing is downloaded. Default: the hub."),
)
@named_options("benchmarks")
@as_json
def fetch(as_json: bool, out: Path, **options: Any) -> int:
    from assay.api.fetched import render_fetched

    fetched = api.fetch(**options, tell=say)
    form, ascii_only = "json" if as_json else "text", not stdout_takes_unicode()
    write(render_fetched(fetched, form, ascii_only=ascii_only))
    return 0
