"""`assay` on a terminal: what is here, which of it, what it will take, then the main job.
Errors and Ctrl-C are left to `main`, which has words for them.
"""

import math
import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import click

import assay
from assay.api import discovery
from assay.api.discovery import CheckpointFound, Inventory, ModelFound, SuiteFound
from assay.errors import ExitCode
from assay.interfaces.cli.commands import load_command
from assay.interfaces.cli.front_door.questions import Option, Questions, Typed, say
from assay.interfaces.cli.output import show, watched, where_assay_is
from assay.messages import joined, tr, trn
from assay.text import number_format as numbers
from assay.text.safe_text import one_line
from assay.types.option_fields import several
from assay.types.options import JudgeOptions, RunOptions

SHOWN_CHECKPOINTS = 5
BETWEEN = "  "
NO_JUDGE = "none"


def open_the_door(out: Path) -> int:
    here, room = Path(), discovery.this_room()
    found = discovery.find_everything(here, room)
    _greet(room, found)
    asking = Questions()
    unfinished = discovery.find_unfinished(out)
    if unfinished and _wants_to_continue(asking, unfinished):
        words = shlex.split(unfinished.command)[2:]
        return int(load_command("run").main(words, "assay run", standalone_mode=False) or 0)
    checkpoints = discovery.find_checkpoints(here)
    if not found.models and all(each.why_not for each in checkpoints):
        say(tr("No model was found. Type one; or press Ctrl-C, and `assay demo` shows a run."))
    typed = Typed(
        offer=tr("another model: type its name"),
        example="http://HOST:PORT, openai:NAME@URL, ollama:NAME, gguf:FILE, scripted:FILE.json",
        check=discovery.facts_of,
    )
    listed = [*offered_models(found.models), *offered_checkpoints(checkpoints)]
    models = asking.several(tr("Which models?"), listed, typed)
    typed = Typed(
        offer=tr("another suite: type its folder or file"),
        example="my-tests/",
        check=discovery.check_suite,
    )
    offered = offered_suites(discovery.find_suites(here), models)
    suites = asking.several(tr("Which suites?"), offered, typed)
    judge = ask_for_judge(asking, suites, models, found.models)
    options = RunOptions(models, suites=suites, out=out, **vars(judge))

    def about_to_time(spec: str) -> None:
        say(tr("One short question to {model}, to see how fast it is …", model=spec), "dim")

    _say_what_it_takes(options, discovery.forecast(options, about_to_time))
    if not asking.yes(tr("Start?")):
        click.echo(tr("Nothing was asked. The command for later:"))
        _show_command(options.command_line("run", *models), where_assay_is())
        return ExitCode.DONE
    return _run(options)


def _wants_to_continue(asking: Questions, run: discovery.UnfinishedRun) -> bool:
    say(
        tr(
            "The run of {created} is not finished: {answered} of {planned} answers are in the "
            "store, and cost nothing. The command that continues it:",
            created=numbers.moment(run.created),
            answered=run.answered,
            planned=run.planned,
        )
    )
    _show_command(run.command)
    return asking.yes(tr("Continue it?"))


def _run(options: RunOptions) -> int:
    click.echo()
    given = {name: value for name, value in vars(options).items() if name != "observer"}
    report = watched("run", **given)
    page = os.path.relpath(Path(report.out) / "runs" / report.run / "reports" / "report.html")
    click.echo(tr("The report as a page:"))
    _show_command(page)
    click.echo(tr("The command that repeats this run:"))
    _show_command(options.command_line("run", *several(options.models)), where_assay_is())
    show(report, "text")  # its decision is the last thing that is said
    return int(report.exit_code)


def _greet(room: discovery.Room, found: Inventory) -> None:
    """Of the other addresses only those that answer as a server of models, or were named."""
    say(tr("Assay {version}", version=assay.__version__), "bold")
    here = discovery.describe_hardware(discovery.this_machine(), room)
    told = [each for each in found.servers if each.kind or discovery.named_place(each)]
    servers = [line for each in told for line in discovery.describe_server(each)]
    judge = [discovery.describe_judges(found)] if found.models else []
    for line in (*here, *discovery.describe_ollama(found.ollama), *servers, *judge):
        if not line.name.startswith(" "):  # a model: those are listed to choose from
            said = joined(filter(None, (line.says, line.todo)))
            say(f"  {line.name:<10} {one_line(said)}")
    click.echo()


def _say_what_it_takes(options: RunOptions, ahead: discovery.Forecast) -> None:
    said = _requests(ahead, trn("{count} model", "{count} models", len(several(options.models))))
    low, high = ahead.seconds_low, ahead.seconds_high
    click.echo()
    if not said and options.judges:
        said = tr("Every answer is in the store; the judge is asked what it has not answered yet")
    elif not said:
        said = tr("Nothing is left to ask: every answer is in the store")
    elif low is None or high is None:
        said = tr("{what}; how long is unknown", what=said)
    else:
        times = dict.fromkeys((roughly(low, math.floor), roughly(high, math.ceil)))
        said = tr("{what}, about {time}", what=said, time=tr(" to ").join(times))
    say(said, "bold")
    if ahead.basis:
        say(ahead.basis, "dim")
    if ahead.reused and ahead.requests:
        reused = trn(
            "{count} answer is in the store already and costs nothing",
            "{count} answers are in the store already and cost nothing",
            ahead.reused,
        )
        say(reused, "dim")


def _requests(ahead: discovery.Forecast, models: str) -> str:
    """How many to whom; empty where none is left."""
    parts = []
    if ahead.requests:
        count = trn("{count} request", "{count} requests", ahead.requests)
        asked = tr("{requests} to {models}", requests=count, models=models)
        parts.append(tr("at least {requests}", requests=asked) if ahead.at_least else asked)
    if ahead.judge_requests:
        count = trn("{count} request", "{count} requests", ahead.judge_requests)
        parts.append(tr("at least {requests} to the judge", requests=count))
    return tr(", ").join(parts)


def roughly(seconds: float, rounded: Callable[[float], int]) -> str:
    """As exact as a forecast is: 5 s, 40 s, 3 min, 1.5 h; `rounded` is math.floor or math.ceil."""
    if seconds < 90:
        step = 1 if seconds < 10 else 5
        return tr("{count} s", count=max(1, step * rounded(seconds / step)))
    if seconds < 90 * 60:
        return tr("{count} min", count=rounded(seconds / 60))
    return tr("{count} h", count=numbers.fixed(rounded(seconds / 360) / 10, 1))


def _show_command(text: str, beneath: str = "") -> None:
    """Never wrapped: it is there to be copied."""
    click.secho(f"  {text}", fg=None if os.environ.get("NO_COLOR") else "cyan")
    if beneath:
        say(beneath, "dim")


def ask_for_judge(
    asking: Questions, suites: Sequence[str], models: Sequence[str], found: Sequence[ModelFound]
) -> JudgeOptions:
    """Nothing is asked where no test needs a judge."""
    tests, holds_code = discovery.what_to_judge(suites)
    if not tests:
        return JudgeOptions()
    tested = [discovery.facts_of(spec) for spec in models]
    question = trn(
        "Which judge reads the answers to {count} test?",
        "Which judge reads the answers to {count} tests?",
        tests,
    )
    typed = Typed(
        offer=tr("another judge: type its name"),
        example="ollama:NAME, openai:NAME@URL, scripted:FILE.json, a checkpoint's folder",
        check=lambda spec: discovery.refuse_as_judge(spec, tested),
    )
    none = Option(value=NO_JUDGE, title=tr("no judge: score only what checks show"))
    offered = offered_models(discovery.find_judges(found, models))  # the best first
    judge = asking.one(question, [*offered, none], typed)
    judges = () if judge == NO_JUDGE else (judge,)
    allowed = holds_code and _may_code_be_run(asking)
    return JudgeOptions(judges=judges, allow_code_execution=allowed)


def _may_code_be_run(asking: Questions) -> bool:
    """Only where it can be kept apart; `--sandbox weak` is nothing to choose with a key."""
    isolation = discovery.find_isolation()
    if isolation.isolation is None:
        problems = "; ".join(isolation.problems)
        say(tr("Code in answers is not run: nothing keeps it apart here ({why})", why=problems))
        return False
    how = {
        "bubblewrap": tr("bubblewrap ({tool})", tool=isolation.tool),
        "namespaces": tr("the kernel's namespaces"),
    }[isolation.isolation]
    say(
        tr(
            "Code that runs is evidence: it scores an answer, and binds a judge. It would run in "
            "{how}: without network, and without your files",
            how=how,
        ),
        "dim",
    )
    return asking.yes(tr("May the code of answers be run?"), usual=False)


def offered_models(models: Sequence[ModelFound]) -> list[Option]:
    """One line a model: name, size, quantisation, parameters, and whether it fits."""
    able = [model for model in models if not model.why_not]
    lines = _in_columns([(one_line(model.name), *model.size_and_fit) for model in able])
    titles = dict(zip([model.spec for model in able], lines, strict=True))
    near = [model for model in able if not model.elsewhere and model.fits in ("yes", "unknown")]
    usual = max(near, key=_how_ready, default=None)
    return [
        Option(
            value=model.spec,
            title=titles.get(model.spec, one_line(model.name)),
            checked=model is usual,
            closed=model.why_not,
            names=(model.name, model.name.removesuffix(":latest")),
        )
        for model in models
    ]


def _how_ready(model: ModelFound) -> int:
    """What fits, else what is served already, else a file; of equals the first is marked."""
    return 2 if model.fits == "yes" else int(model.loaded)


def _in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines; a column is as wide as its widest cell, and a Chinese character takes two."""
    from rich.cells import cell_len, set_cell_size

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [BETWEEN.join(map(set_cell_size, row, widths)).rstrip() for row in rows]


def offered_checkpoints(checkpoints: Sequence[CheckpointFound]) -> list[Option]:
    """The first few; the others can be typed, as any folder can."""
    shown = [
        Option(
            value=str(found.path),
            title=one_line(str(found.path)),
            closed=found.why_not,
            unchecked=True,
        )
        for found in checkpoints[:SHOWN_CHECKPOINTS]
    ]
    more = len(checkpoints) - len(shown)
    if more > 0:
        title = trn("… and {count} more checkpoint", "… and {count} more checkpoints", more)
        reason = tr("likewise") if shown[0].closed else tr("type the folder of one")
        shown.append(Option(value="", title=title, closed=reason))
    return shown


def offered_suites(found: Sequence[SuiteFound], models: Sequence[str]) -> list[Option]:
    """One line a suite: name, number of tests, title. `models` are the specs that were chosen."""
    usual = _usual_suites(found, models)
    counts = [trn("{count} test", "{count} tests", suite.tests) for suite in found]
    lines = _in_columns(
        [(one_line(each.argument), n, each.title) for each, n in zip(found, counts, strict=True)]
    )
    return [
        Option(
            value=suite.argument,
            title=one_line(suite.argument) if suite.why_not else line,
            checked=suite in usual,
            closed=suite.why_not,
        )
        for suite, line in zip(found, lines, strict=True)
    ]


def _usual_suites(found: Sequence[SuiteFound], models: Sequence[str]) -> list[SuiteFound]:
    """The tests that lie here, else those meant for such models, else the first that ships."""
    kinds = {discovery.read_spec(spec).scheme for spec in models}
    meant = discovery.OF_CHECKPOINTS if kinds <= {"hf", "gguf"} else discovery.OF_SERVED
    able = [suite for suite in found if not suite.why_not]
    own = [suite for suite in able if not suite.ships]
    usual = [suite for suite in able if suite.argument in meant]
    example = [suite for suite in able if suite.argument == "example"]
    return own[:1] or usual or example or able[:1]
