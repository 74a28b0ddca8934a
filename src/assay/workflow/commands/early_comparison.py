"""`assay compare RUN MODEL --max-drop X --decide`: ask a model the tests of a run until it is
decided whether it fell by more than X.

The answers of the run are stored, so only the model is asked: the tests that the run has a score
for, in an order drawn for the model, in the way the run asked them. It is a run of its own.
"""

from dataclasses import replace
from typing import Any

from assay.errors import ExitCode, UsageError
from assay.messages import tr
from assay.store import Run, RunModel, Store
from assay.types import (
    BASE_MODEL_MAX_TOKENS,
    DEFAULT_MAX_TOKENS,
    Observer,
    Sampling,
    Suite,
)
from assay.types.options import CompareOptions
from assay.types.results import Comparison
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.reporting.comparison import compare, drop_questions, find_sides
from assay.workflow.running.early import StopRule
from assay.workflow.running.job import Job


def compare_early(options: CompareOptions, observer: Observer) -> Comparison:
    """Exit code 1 where a suite fell, or where that stays open; 3 where requests failed."""
    first, most = _refuse_senseless(options)
    spec = options.runs[-1]
    with Store(options.out, must_exist=True) as store:
        run, model = _whole_side(store, first)
        job = _job(options, store, run, model, spec, most)
    report = evaluate(job, observer)
    with Store(options.out, read_only=True) as store:
        names = (f"{run.id}/{model.spec}", report.run)
        compared = compare(store, names, max_drop=most, early=True)
    failed = report.exit_code == ExitCode.REQUESTS_FAILED
    return replace(compared, exit_code=report.exit_code) if failed else compared


def _refuse_senseless(options: CompareOptions) -> tuple[str, float]:
    names = options.runs
    if options.max_drop is None:
        raise UsageError(
            tr("--decide asks until --max-drop is decided, and it is not given"),
            hint=tr("add --max-drop 0.02, or leave --decide out"),
        )
    if options.loss:
        raise UsageError(
            tr("--decide asks a model, and --loss compares what is stored"),
            hint=tr("compare the two runs afterwards, without --decide"),
        )
    if len(names) != 2:
        raise UsageError(
            tr("--decide compares one run with one model, and {count} names are given",
               count=len(names)),
            hint=tr("name a run, then the model to ask: "
                    "assay compare RUN MODEL --max-drop 0.02 --decide"),
        )  # fmt: skip
    return names[0], options.max_drop


def _whole_side(store: Store, name: str) -> tuple[Run, RunModel]:
    sides = find_sides(store, [name])
    if len(sides) != 1:
        specs = ", ".join(f"{run.id}/{model.facts.name}" for run, model in sides)
        raise UsageError(
            tr("{name} has {count} models, and --decide compares with one", name=name,
               count=len(sides)),
            hint=tr("name one of them: {names}", names=specs),
        )  # fmt: skip
    run, model = sides[0]
    asked = {(suite, test) for suite, test, _ in store.read_values(run, model)}
    every = [(suite.name, case.id) for suite in store.read_suites(run) for case in suite.cases]
    left = sum(each not in asked for each in every)
    if run.finished is None or left:
        raise UsageError(
            tr("run {run} was not asked {count} of its {tests} tests, so nothing can be held to it",
               run=run.id, count=left, tests=len(every)),
            hint=tr("ask them first, without --decide: {command}",
                    command=run.command.replace(" --decide", "")),
        )  # fmt: skip
    return run, model


def _job(
    options: CompareOptions, store: Store, run: Run, model: RunModel, spec: str, most: float
) -> Job:
    suites = store.read_suites(run)
    together = [suite.name for suite in suites if suite.scored_together]
    if together:
        raise UsageError(
            tr("{suites}: the metrics of a task are computed over all of it, so --decide cannot "
               "stop early", suites=", ".join(together)),
            hint=tr("run {model} on it, then compare the two runs", model=spec),
        )  # fmt: skip
    questions = tuple(drop_questions(store, run, model, most))
    if not questions:
        raise UsageError(
            tr("run {run} has no scores that --decide could hold a model to", run=run.id),
            hint=tr("run {model} on the same suites, then compare the two runs", model=spec),
        )
    named = {each.suite for each in questions}
    return Job.of(
        options,
        models=(spec,),
        own=suites,
        text=(),
        decide=False,
        apply_gate=False,
        measures=(),
        only_named=True,
        seed=run.seed,
        repeats=run.repeats,
        sampling=run.sampling,
        called=options.command_line("compare", f"{run.id}/{model.spec}", spec),
        stop=StopRule(
            questions=questions,
            seed=run.seed,
            in_full=frozenset(suite.name for suite in suites if suite.name not in named),
        ),
        **_as_asked(store, run, model, suites),
        **_as_judged(run),
    )


def _as_asked(store: Store, run: Run, model: RunModel, suites: tuple[Suite, ...]) -> dict[str, Any]:
    """The options of the run, read from its requests: what was sent is stored, wishes are not."""
    samplings = list(store.read_samplings(run, model))
    found: dict[str, Any] = {
        "max_tokens": _most_tokens(samplings, suites, model),
    }
    for _, _, sampling in samplings:
        if sampling.think is not None and "think" not in found:
            found["think"] = sampling.think
        if sampling.context is not None:
            found.setdefault("num_ctx", sampling.context)
        if not sampling.loop_stop:
            found["loop_stop"] = False
    return found


def _most_tokens(
    samplings: list[tuple[str, str, Sampling]], suites: tuple[Suite, ...], model: RunModel
) -> int | None:
    """`--max-tokens` of the run; None where every answer had the room that its test gives it."""
    default = DEFAULT_MAX_TOKENS if model.facts.is_chat else BASE_MODEL_MAX_TOKENS
    usual = {
        (suite.name, case.id): case.max_tokens or default
        for suite in suites
        for case in suite.cases
    }
    given = {(suite, test): sampling.max_tokens for suite, test, sampling in samplings}
    if all(tokens == usual.get(key, tokens) for key, tokens in given.items()):
        return None
    return max(given.values())


def _as_judged(run: Run) -> dict[str, Any]:
    """Judged tests are asked in full, and judged as those of the run were."""
    judging = run.judging
    if judging is None or not judging.judges:
        return {}
    return {
        "judges": tuple(judge.spec for judge in judging.judges),
        "judge_form": judging.judges[0].form,
        "judge_repeats": judging.repeats,
        "use_case": judging.use_case,
    }
