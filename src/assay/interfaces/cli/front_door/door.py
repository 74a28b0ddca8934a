"""`assay` on a terminal: what is here, which of it, what it will take, then the main job.

In: a folder for results; the user's keys. Out: a report, its page, the command that repeats it,
and an exit code. Errors and Ctrl-C are left to `main`, which has words for them.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click

import assay
from assay.api.discovery import (
    CheckpointFound,
    Forecast,
    ModelFound,
    OllamaFound,
    Room,
    SuiteFound,
    check_suite,
    facts_of,
    find_checkpoints,
    find_isolation,
    find_judges,
    find_ollama,
    find_suites,
    forecast,
    judge_candidates,
    refuse_as_judge,
    this_machine,
    this_room,
    what_to_judge,
)
from assay.errors import ExitCode
from assay.interfaces.cli.demo import demo_models
from assay.interfaces.cli.front_door.offers import (
    NO_JUDGE,
    offered_checkpoints,
    offered_judges,
    offered_models,
    offered_suites,
)
from assay.interfaces.cli.front_door.questions import Option, Questions, Typed, say
from assay.interfaces.cli.output import show, where_assay_is
from assay.messages import tr, trn
from assay.text.number_format import memory
from assay.text.safe_text import one_line
from assay.types import Machine, ModelFacts
from assay.types.options import JudgeOptions, RunOptions


def open_the_door(out: Path) -> int:
    """Ask what to do, and do it."""
    here, room = Path(), this_room()
    found = find_ollama(room=room)
    _greet(this_machine(), room, found)
    asking = Questions()
    checkpoints = find_checkpoints(here)
    is_bare = not found.models and all(each.why_not for each in checkpoints)
    if is_bare and not _wants_a_model(asking, checkpoints):
        demo_models(out)
        return ExitCode.DONE
    models = _models(asking, found, checkpoints)
    suites = _suites(asking, find_suites(here), models)
    judge = ask_for_judge(asking, suites, models, found.models)
    options = RunOptions(models, suites=suites, out=out, **vars(judge))
    _say_what_it_takes(options, forecast(options, _about_to_time))
    if not asking.yes(tr("Start?")):
        click.echo(tr("Nothing was asked. The command for later:"))
        _show_command(options.command_line("run", *models), where_assay_is())
        return ExitCode.DONE
    return _run(options)


def _run(options: RunOptions) -> int:
    from assay import api
    from assay.api.rendering import progress_for

    click.echo()
    with progress_for(sys.stderr) as observer:
        report = api.run(**vars(options) | {"observer": observer})
    page = os.path.relpath(Path(report.out) / "runs" / report.run / "reports" / "report.html")
    hints = tuple(hint for hint in report.hints if page not in hint)  # it is shown at the very end
    show(replace(report, hints=hints), "text")
    click.echo()
    click.echo(tr("The report as a page:"))
    _show_command(page)
    click.echo(tr("The command that repeats this run:"))
    _show_command(options.command_line("run", *options.models), where_assay_is())
    return report.exit_code


def _greet(machine: Machine, room: Room, found: OllamaFound) -> None:
    say(tr("Assay {version}", version=assay.__version__), "bold")
    cores = trn("{count} core", "{count} cores", machine.cores)
    free = tr("{free} of {total} free", free=memory(room.free_bytes),
              total=memory(machine.memory_bytes))  # fmt: skip
    gpus = "; ".join(machine.gpus) or tr("no GPU")
    hint = found.hint
    if found.reachable:
        count = trn("{count} model", "{count} models", len(found.models))
        ollama = f"{found.version}, {found.url}, {count}"
        if not found.models:
            hint = tr("install a model, for example with `ollama pull llama3.2:3b`")
    else:
        ollama = tr("not found: {problem}", problem=found.problem)
    judges = ", ".join(each.name for each in find_judges(found.models))
    rows = {
        tr("machine"): ", ".join((machine.processor, cores, free, gpus)),
        "Ollama": f"{ollama}; {hint}" if hint else ollama,
        tr("judge"): tr("for open answers: {names}", names=judges)
        if judges
        else tr("none found; unless you name one, only what checks show is scored"),
    }
    for name, text in rows.items():
        say(f"  {name:<8} {one_line(text)}")
    click.echo()


def _wants_a_model(asking: Questions, checkpoints: Sequence[CheckpointFound]) -> bool:
    """No model was found: type one, or look at the demonstration."""
    options = [
        Option(value="demo", title=tr("look at the demonstration: scripted models, offline")),
        Option(value="type", title=tr("type the name of a model of my own")),
        *offered_checkpoints(checkpoints),
    ]
    return asking.one(tr("No model was found. What next?"), options) == "type"


def _models(
    asking: Questions, found: OllamaFound, checkpoints: Sequence[CheckpointFound]
) -> list[str]:
    typed = Typed(
        offer=tr("another model: type its name"),
        example="openai:NAME@URL, ollama:NAME, scripted:FILE.json, a checkpoint's folder",
        check=facts_of,
    )
    options = [*offered_models(found.models), *offered_checkpoints(checkpoints)]
    return asking.several(tr("Which models?"), options, typed)


def _suites(asking: Questions, found: Sequence[SuiteFound], models: Sequence[str]) -> list[str]:
    typed = Typed(
        offer=tr("another suite: type its folder or file"),
        example="my-tests/",
        check=check_suite,
    )
    return asking.several(tr("Which suites?"), offered_suites(found, models), typed)


def _about_to_time(spec: str) -> None:
    say(tr("One short question to {model}, to see how fast it is …", model=spec), "dim")


def _say_what_it_takes(options: RunOptions, ahead: Forecast) -> None:
    said = _requests(ahead, trn("{count} model", "{count} models", len(options.models)))
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


def _requests(ahead: Forecast, models: str) -> str:
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
    return tr("{count} h", count=f"{rounded(seconds / 360) / 10:.1f}")


def _show_command(text: str, beneath: str = "") -> None:
    """Never wrapped: it is there to be copied."""
    click.secho(f"  {text}", fg=None if os.environ.get("NO_COLOR") else "cyan")
    if beneath:
        say(beneath, "dim")


def ask_for_judge(
    asking: Questions, suites: Sequence[str], models: Sequence[str], found: Sequence[ModelFound]
) -> JudgeOptions:
    """Nothing is asked where no test needs a judge."""
    tests, holds_code = what_to_judge(suites)
    if not tests:
        return JudgeOptions()
    tested = [facts_of(spec) for spec in models]
    judge = _which(asking, tests, tested, found)
    judges = () if judge == NO_JUDGE else (judge,)
    allowed = holds_code and _may_code_be_run(asking)
    return JudgeOptions(judges=judges, allow_code_execution=allowed)


def _which(
    asking: Questions, tests: int, tested: Sequence[ModelFacts], found: Sequence[ModelFound]
) -> str:
    question = trn(
        "Which judge reads the answers to {count} test?",
        "Which judge reads the answers to {count} tests?",
        tests,
    )
    typed = Typed(
        offer=tr("another judge: type its name"),
        example="ollama:NAME, openai:NAME@URL, scripted:FILE.json, a checkpoint's folder",
        check=lambda spec: refuse_as_judge(spec, tested),
    )
    return asking.one(question, offered_judges(judge_candidates(found, tested)), typed)


def _may_code_be_run(asking: Questions) -> bool:
    """Only where it can be kept apart; `--sandbox weak` is nothing to choose with a key."""
    isolation = find_isolation()
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
