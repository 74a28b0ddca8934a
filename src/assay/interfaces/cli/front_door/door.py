"""`assay` on a terminal: find what is here, ask three questions, show the command, run it.

Errors and Ctrl-C are left to `main`, which has words for them.
"""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

import assay
from assay.api import discovery
from assay.api.discovery import CheckpointFound, FileFound, ModelFound, SuiteFound
from assay.errors import ExitCode
from assay.interfaces.cli.front_door.questions import Choice, Menu, ask, confirm, say
from assay.interfaces.cli.output import show, watched, where_assay_is
from assay.messages import joined, tr, trn
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.option_fields import several
from assay.types.options import RunOptions

SHOWN_CHECKPOINTS = 5
NO_JUDGE = "none"
MODEL_EXAMPLE = "http://HOST:PORT, openai:NAME@URL, ollama:NAME, gguf:FILE, scripted:FILE.json"


def open_front_door(out: Path) -> int:
    """Ask which models, suites and judge, and run; return the exit code."""
    say(tr("Assay {version}", version=assay.__version__), "bold")
    inventory, lines = discovery.find_models()
    for line in lines:
        if not line.name.startswith(" "):  # a model: those are listed to choose from
            says = joined(filter(None, (line.says, line.todo)))
            say(f"  {line.name:<10} {one_line(says)}")
    click.echo()
    models = ask(build_model_menu(inventory.models, discovery.find_checkpoints(Path())))
    suites = ask(build_suite_menu(discovery.find_suites(Path()), models))
    judges = ask_for_judge(suites, models, inventory.models)
    options = RunOptions(models, suites=suites, judges=judges, out=out)
    ahead = discovery.count_requests(options)
    command = options.command_line("run", *models)
    click.echo()
    say(f"  {command}", "cyan", to_copy=True)
    if beneath := where_assay_is():
        say(beneath, "dim")
    say(describe_ahead(ahead, options), "bold")
    if not confirm(tr("Start?")):
        click.echo(tr("Nothing was asked. The command above does it later."))
        return ExitCode.DONE
    click.echo()
    values = {name: value for name, value in vars(options).items() if name != "observer"}
    report = watched("run", **values)
    page = Path(report.out) / "runs" / report.run / "reports" / "report.html"
    click.echo(tr("The report as a page:"))
    say(f"  {os.path.relpath(page)}", "cyan", to_copy=True)
    show(report, "text")  # its decision is the last thing that is said
    return int(report.exit_code)


def describe_ahead(ahead: discovery.RequestsAhead, options: RunOptions) -> str:
    """Say how many requests there are, and minutes if the store knows the speed."""
    models = trn("{count} model", "{count} models", len(several(options.models)))
    count = trn("{count} request", "{count} requests", ahead.requests)
    parts = [tr("{requests} to {models}", requests=count, models=models)]
    if ahead.requests and ahead.seconds is not None:
        time = numbers.duration(ahead.seconds)
        parts.append(tr("about {time} by earlier answers", time=time))
    if ahead.reused:
        parts.append(
            trn("{count} answer is in the store", "{count} answers are in the store", ahead.reused)
        )
    if ahead.to_judge:
        parts.append(
            trn("{count} answer for the judge", "{count} answers for the judge", ahead.to_judge)
        )
    return tr(", ").join(parts)


# --------------------------------------------------------------------------------- three questions


def build_model_menu(models: Sequence[ModelFound], checkpoints: Sequence[CheckpointFound]) -> Menu:
    choices = [*offer_models(models), *offer_checkpoints(checkpoints)]
    if all(choice.why_not for choice in choices):
        say(tr("No model was found. Type one; or press Ctrl-C, and `assay demo` shows a run."))
    able = [model for model in models if not model.why_not]
    usual = max(able, key=_readiness, default=None)
    is_usual = usual and not usual.elsewhere and usual.fits in ("yes", "unknown")
    return Menu(
        text=tr("Which models?"),
        choices=choices,
        usual=str(1 + able.index(usual)) if usual and is_usual else "",
        other=tr("another model: type its name ({example})", example=MODEL_EXAMPLE),
        check=discovery.facts_of,
    )


def _readiness(model: ModelFound) -> int:
    """A model here before one elsewhere, one that fits before one served, and files last."""
    if model.elsewhere or model.fits in ("tight", "no"):
        return 0
    if isinstance(model, FileFound):
        return 1
    return 3 if model.fits == "yes" else 2


def offer_models(models: Sequence[ModelFound]) -> list[Choice]:
    """One line for each model: name, size, quantisation, parameters, and whether it fits."""
    lines = _in_columns([(model.name, *discovery.describe_size(model)) for model in models])
    choices = []
    for model, line in zip(models, lines, strict=True):
        title = one_line(model.name) if model.why_not else line
        name = model.name.removesuffix(":latest")
        choices.append(Choice(value=model.spec, title=title, name=name, why_not=model.why_not))
    return choices


def offer_checkpoints(checkpoints: Sequence[CheckpointFound]) -> list[Choice]:
    """The first few; the others can be typed, as any folder can."""
    choices = []
    for found in checkpoints[:SHOWN_CHECKPOINTS]:
        path = str(found.path)
        choices.append(Choice(value=path, title=one_line(path), why_not=found.why_not))
    more = len(checkpoints) - len(choices)
    if more > 0:
        title = trn("… and {count} more checkpoint", "… and {count} more checkpoints", more)
        why_not = tr("likewise") if choices[0].why_not else tr("type the folder of one")
        choices.append(Choice(value="", title=title, why_not=why_not))
    return choices


def build_suite_menu(suites: Sequence[SuiteFound], models: Sequence[str]) -> Menu:
    """Enter takes the tests that lie here, else the shipped ones for such models."""
    able = [suite for suite in suites if not suite.why_not]
    usual = [suite for suite in able if not suite.ships][:1]
    if not usual:
        meant = discovery.usual_suites(models)
        usual = [suite for suite in able if suite.argument in meant] or able[:1]
    tests = [trn("{count} test", "{count} tests", suite.tests) for suite in suites]
    rows = [
        (suite.argument, count, suite.title) for suite, count in zip(suites, tests, strict=True)
    ]
    choices = []
    for suite, line in zip(suites, _in_columns(rows), strict=True):
        title = one_line(suite.argument) if suite.why_not else line
        choices.append(Choice(value=suite.argument, title=title, why_not=suite.why_not))
    return Menu(
        text=tr("Which suites?"),
        choices=choices,
        usual=",".join(str(1 + able.index(suite)) for suite in usual),
        other=tr("another suite: type its folder or file ({example})", example="my-tests/"),
        check=discovery.check_suite,
    )


def ask_for_judge(
    suites: Sequence[str], models: Sequence[str], found: Sequence[ModelFound]
) -> tuple[str, ...]:
    """Return the judge, if a test needs one and the user names one."""
    tests, running_code = discovery.count_judged_tests(suites)
    if not tests:
        return ()
    if running_code:
        count = trn("{count} test", "{count} tests", running_code)
        say(
            tr("The evidence of {tests} runs code from answers: for that add "
               "--allow-code-execution to the command", tests=count),
            "dim",
        )  # fmt: skip
    offered = offer_models(discovery.find_judges(found, models))  # the best first
    none = Choice(value=NO_JUDGE, title=tr("no judge: score only what checks show"))
    menu = Menu(
        text=trn(
            "Which judge reads the answers to {count} test?",
            "Which judge reads the answers to {count} tests?",
            tests,
        ),
        choices=[*offered, none],
        usual="1",
        other=tr("another judge: type its name ({example})", example=MODEL_EXAMPLE),
        check=partial(_check_judge, models),
    )
    (judge,) = ask(menu, only_one=True)
    return () if judge == NO_JUDGE else (judge,)


def _check_judge(tested: Sequence[str], spec: str) -> None:
    if spec != NO_JUDGE:
        discovery.refuse_as_judge(spec, tested)


def _in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines; a column is as wide as its widest cell, and a Chinese character takes two."""
    from rich.cells import cell_len, set_cell_size

    rows = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(set_cell_size, row, widths)).rstrip() for row in rows]
