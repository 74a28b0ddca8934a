"""`assay` on a terminal: what is here, which of it, what it will take, then the main job.

In: a folder for results; the user's keys. Out: a report, its page, the command that repeats it,
and an exit code. Errors and Ctrl-C are left to `main`, which has words for them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import assay
from assay.errors import ExitCode, UsageError
from assay.interfaces.cli.questions import Option, Questions, Typed, is_plain, questions
from assay.messages import tr, trn
from assay.reports.safe_text import one_line
from assay.types import Machine
from assay.workflow.discovery import (
    CheckpointFound,
    ModelFound,
    OllamaFound,
    Room,
    SuiteFound,
    find_checkpoints,
    find_judges,
    find_ollama,
    find_suites,
    gigabytes,
    this_room,
)
from assay.workflow.forecast import Forecast, forecast
from assay.workflow.job import Job

SHOWN_CHECKPOINTS = 5
LONGEST_NAME = 40
USUAL_SUITES = ("coding", "data")  # what served models are asked unless told otherwise


def open_the_door(out: Path) -> int:
    """Ask what to do, and do it."""
    from assay.machine import this_machine

    here, room = Path(), this_room()
    found = find_ollama(room=room)
    _greet(this_machine(), room, found)
    asking = questions()
    checkpoints = find_checkpoints(here)
    if not found.models and not _wants_a_model(asking, checkpoints):
        return _demo(out)
    models = _models(asking, found, checkpoints)
    suites = _suites(asking, find_suites(here))
    job = Job(models=tuple(models), suites=tuple(suites), out=out)
    _say_what_it_takes(job, forecast(job, _about_to_time))
    if not asking.yes(tr("Start?")):
        click.echo(tr("Nothing of it was asked. The command for later:"))
        _command(job.command)
        return ExitCode.DONE
    return _run(job)


def _run(job: Job) -> int:
    from assay import api
    from assay.interfaces.cli.showing import show_report
    from assay.reports.progress import progress_for

    click.echo()
    with progress_for(sys.stderr) as observer:
        report = api.run(job.models, suites=job.suites, out=job.out, observer=observer)
    page = os.path.relpath(Path(report.out) / "runs" / report.run / "reports" / "report.html")
    hints = tuple(hint for hint in report.hints if page not in hint)  # it stands at the very end
    show_report(replace(report, hints=hints), "text")
    click.echo()
    click.echo(tr("The report as a page:"))
    _command(page)
    click.echo(tr("The command that repeats this run:"))
    _command(job.command)
    return report.exit_code


def _demo(out: Path) -> int:
    from assay.interfaces.cli import load_command

    command = load_command("demo")
    with command.make_context("demo", ["--out", str(out)]) as context:
        return int(command.invoke(context) or 0)


# ------------------------------------------------------------------------------------ what is here


def _greet(machine: Machine, room: Room, found: OllamaFound) -> None:
    _say(tr("Assay {version}", version=assay.__version__), bold=True)
    cores = trn("{count} core", "{count} cores", machine.cores)
    free = tr("{free} of {total} free", free=gigabytes(room.free_bytes),
              total=gigabytes(machine.memory_bytes))  # fmt: skip
    gpus = "; ".join(machine.gpus) or tr("no GPU")
    rows = {tr("machine"): ", ".join((machine.processor, cores, free, gpus))}
    if found.reachable:
        count = trn("{count} model", "{count} models", len(found.models))
        rows["Ollama"] = f"{found.version}, {found.url}, {count}"
    else:
        rows["Ollama"] = tr("not found: {problem}", problem=found.problem)
        rows[""] = found.hint
    if found.reachable and not found.models:
        rows[""] = tr("install a model, for example with `ollama pull llama3.2:3b`")
    rows[tr("judge")] = _about_judging(found)
    _table(rows)
    click.echo()


def _table(rows: Mapping[str, str]) -> None:
    from rich.table import Table
    from rich.text import Text

    from assay.reports.terminal import console_for

    table = Table.grid(padding=(0, 2))
    for name, text in rows.items():
        table.add_row(
            "", Text(name, style="" if is_plain() else "dim"), Text(one_line(text), overflow="fold")
        )
    console_for().print(table)


def _about_judging(found: OllamaFound) -> str:
    """Plainly: what needs a judge stays unscored."""
    candidates = find_judges(found.models, most=1)
    if not candidates:
        return tr("not in this version; tests that need one stay unscored")
    return tr(
        "not in this version; tests that need one stay unscored (a candidate: {name})",
        name=candidates[0].name,
    )


def _wants_a_model(asking: Questions, checkpoints: Sequence[CheckpointFound]) -> bool:
    """No model was found: type one, or look at the demonstration."""
    options = [
        Option(value="demo", title=tr("look at the demonstration: scripted models, offline")),
        Option(value="type", title=tr("type the name of a model of my own")),
        *_closed(checkpoints),
    ]
    return asking.one(tr("No model was found. What next?"), options) == "type"


# ---------------------------------------------------------------------------------------- choosing


def _models(
    asking: Questions, found: OllamaFound, checkpoints: Sequence[CheckpointFound]
) -> list[str]:
    usual = _usual_model(found.models)
    names, sizes, kinds, parts = (
        _padded(column)
        for column in (
            [_short(m.name) for m in found.models],
            [gigabytes(m.size_bytes).rjust(8) if m.size_bytes else "" for m in found.models],
            [m.quantisation for m in found.models],
            [m.parameters for m in found.models],
        )
    )
    options = [
        Option(
            value=model.spec,
            title=f"{name}  {size}  {kind}  {part}  {_fit(model)}".rstrip(),
            checked=model is usual,
            closed=model.why_not,
        )
        for model, name, size, kind, part in zip(
            found.models, names, sizes, kinds, parts, strict=True
        )
    ]
    typed = Typed(
        offer=tr("another model: type its name"),
        example="openai:NAME@URL, ollama:NAME, scripted:FILE.json",
        check=_can_be_asked,
    )
    return asking.several(tr("Which models?"), [*options, *_closed(checkpoints)], typed)


def _usual_model(models: Sequence[ModelFound]) -> ModelFound | None:
    """One that is loaded, else the first that fits: never one that sends questions elsewhere."""
    able = [m for m in models if not m.why_not and not m.elsewhere]
    return next((m for m in able if m.fits == "yes"), None)


def _fit(model: ModelFound) -> str:
    if model.why_not:
        return ""
    if model.loaded or model.needs_bytes is None or model.fits == "unknown":
        return model.reason
    needs = gigabytes(model.needs_bytes)
    return {
        "yes": tr("fits"),
        "tight": tr("tight: {needs} by estimate", needs=needs),
        "no": tr("too large: {needs} by estimate", needs=needs),
    }[model.fits]


def _closed(checkpoints: Sequence[CheckpointFound]) -> list[Option]:
    shown = [
        Option(value=str(found.path), title=one_line(str(found.path)), closed=found.reason)
        for found in checkpoints[:SHOWN_CHECKPOINTS]
    ]
    more = len(checkpoints) - len(shown)
    if more > 0:
        title = trn("… and {count} more checkpoint", "… and {count} more checkpoints", more)
        shown.append(Option(value="", title=title, closed=tr("likewise")))
    return shown


def _suites(asking: Questions, found: Sequence[SuiteFound]) -> list[str]:
    usual = _usual_suites(found)
    names = _padded([_short(one_line(suite.argument)) for suite in found])
    counts = [trn("{count} test", "{count} tests", suite.tests) for suite in found]
    width = max((len(count) for count in counts), default=0)
    options = [
        Option(
            value=suite.argument,
            title=f"{name}  {count.rjust(width)}  {suite.title}".rstrip(),
            checked=suite in usual,
        )
        for suite, name, count in zip(found, names, counts, strict=True)
    ]
    typed = Typed(
        offer=tr("another suite: type its folder or file"),
        example="my-tests/",
        check=_is_a_suite,
    )
    return asking.several(tr("Which suites?"), options, typed)


def _usual_suites(found: Sequence[SuiteFound]) -> list[SuiteFound]:
    """The tests that lie here, else those meant for served models, else the first that ships."""
    own = [suite for suite in found if not suite.ships]
    usual = [suite for suite in found if suite.argument in USUAL_SUITES]
    example = [suite for suite in found if suite.argument == "example"]
    return own[:1] or usual or example or list(found[:1])


def _can_be_asked(spec: str) -> None:
    from assay.models.opening import open_model

    if ":" not in spec and not Path(spec).exists():
        raise UsageError(
            tr("{spec!r} names no kind of model", spec=spec),
            hint=tr("write for example ollama:{name} or scripted:answers.json", name=spec),
        )
    open_model(spec).close()


def _is_a_suite(argument: str) -> None:
    from assay.suites.catalogue import find
    from assay.suites.load import load_suite

    load_suite(find(argument))


# ------------------------------------------------------------------------------- what it will take


def _about_to_time(spec: str) -> None:
    sentence = tr("One short question to {model}, to see how fast it is …", model=spec)
    _say(sentence, dim=True)


def _say_what_it_takes(job: Job, ahead: Forecast) -> None:
    models = trn("{count} model", "{count} models", len(job.models))
    said = trn(
        "{count} request to {models}", "{count} requests to {models}", ahead.requests, models=models
    )
    low, high = ahead.seconds_low, ahead.seconds_high
    click.echo()
    if not ahead.requests:
        said = tr("Nothing is left to ask: every answer is in the store")
    elif low is None or high is None:
        said = tr("{what}; how long is unknown", what=said)
    else:
        times = dict.fromkeys((roughly(low), roughly(high)))
        said = tr("{what}, about {time}", what=said, time=tr(" to ").join(times))
    _say(said, bold=True)
    if ahead.basis:
        _say(ahead.basis, dim=True)
    if ahead.reused and ahead.requests:
        reused = trn(
            "{count} answer is in the store already and costs nothing",
            "{count} answers are in the store already and cost nothing",
            ahead.reused,
        )
        _say(reused, dim=True)


def roughly(seconds: float) -> str:
    """As exact as a forecast is: 5 s, 40 s, 3 min, 1.5 h."""
    if seconds < 90:
        step = 1 if seconds < 10 else 10
        return tr("{count} s", count=max(1, step * round(seconds / step)))
    if seconds < 90 * 60:
        return tr("{count} min", count=round(seconds / 60))
    return tr("{count} h", count=f"{seconds / 3600:.1f}")


def _command(text: str) -> None:
    _say(f"  {text}", fg="cyan")


def _say(text: str, **style: Any) -> None:
    """A line, in bold or colour where that is wanted."""
    click.echo(text if is_plain() else click.style(text, **style))


def _padded(column: Sequence[str]) -> list[str]:
    width = max((len(cell) for cell in column), default=0)
    return [cell.ljust(width) for cell in column]


def _short(name: str) -> str:
    longest = max(20, min(LONGEST_NAME, shutil.get_terminal_size().columns // 3))
    return name if len(name) <= longest else name[: longest - 1] + "…"
