"""`assay speed`: how fast models are, and what memory they take, at several depths of context.

A run without tests: each depth is a few measurements, stored and reused like any other. Depths go
from the shortest on; at the first that cannot be measured a model is left alone.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from assay.ask_loop import ask_all
from assay.errors import AssayError, UsageError, raise_all, tried
from assay.machine import this_machine
from assay.messages import labelled, tr
from assay.models.opening import read_spec
from assay.request_identity import make_measure_request
from assay.store import Run, RunModel, Store, utc_now
from assay.types import Model, Request, ToTime
from assay.types.option_fields import several
from assay.types.options import SpeedOptions
from assay.types.results import Report
from assay.types.scores import tell_phase
from assay.version import __version__
from assay.workflow.checkpoints.places import places_of
from assay.workflow.reporting.footprints import depths_in, read_tokens
from assay.workflow.reporting.run_files import write_run
from assay.workflow.running.background import BackgroundWork
from assay.workflow.running.beginning import begin_or_continue, models_of, resumable
from assay.workflow.running.job import Job
from assay.workflow.running.ledgers import ScoredReplies
from assay.workflow.running.opening import Opened, open_models
from assay.workflow.running.run_folder import RunFolder
from assay.workflow.running.trials import MeasureTrial

USUAL_DEPTHS = (0, 4096, 16384)
PROMPT_TOKENS, NEW_TOKENS = 32, 64
CAN_BE_TIMED = ("hf", "gguf", "ollama", "openai", "http", "https")
Depths = tuple[int, ...]


def measure_depths(options: SpeedOptions) -> Report:
    from assay.workflow.reporting.results import report_of

    command = options.command_line("speed", *several(options.models))
    job = Job.of(options, connections=1, called=command, only_named=True)
    until = time.monotonic() + options.budget if options.budget is not None else None
    opened, plans = _prepare(options, job)
    try:
        with resumable(options.out, command), Store(options.out) as store:
            run, folder = _begin(options, command, store, opened, plans)
            with folder:
                for model, known, depths in zip(opened.models, run.models, plans, strict=True):
                    _ask(store, run, known, model, depths, options, until)
                    model.close()
                ended = replace(run, finished=utc_now())
                report = report_of(store, ended)
                write_run(folder, report, (), store)
                store.update_run(run, finished=ended.finished)
            return report
    finally:
        opened.close()


def _prepare(options: SpeedOptions, job: Job) -> tuple[Opened, list[Depths]]:
    """Everything that is wrong, before anything is asked."""
    tell_phase(options.observer, tr("preparing models"))
    errors: list[AssayError] = []
    asked = options.context.split(",") if options.context is not None else []
    wanted = {depth for part in asked for depth in tried(errors, read_tokens, part)}
    named = places_of(several(options.models))
    for spec, _ in named:
        if read_spec(spec).scheme not in CAN_BE_TIMED:
            errors.append(
                UsageError(
                    tr("{model} has no speed that could be measured", model=spec),
                    hint=tr("name a checkpoint, or a model behind Ollama or another server"),
                )
            )
    raise_all(errors)
    opened = open_models(job, named, (), errors)
    try:
        errors += opened.named_twice()
        raise_all(errors)
        for model, place in zip(opened.models, opened.places, strict=True):
            if place is None:  # weights are loaded where they are timed
                model.probe()
        plans = [
            depths
            for model in opened.models
            for depths in tried(errors, _depths_for, model, wanted, options)
        ]
        raise_all(errors)
        opened.refuse_if_all_failed()
    except BaseException:
        opened.close()
        raise
    for place, why in opened.failed.items():
        options.observer.note(labelled(place.name, why))
    return opened, plans


def _context_of(model: Model, options: SpeedOptions) -> int | None:
    known = (model.facts.context_length, options.num_ctx)
    return min((each for each in known if each is not None), default=None)


def _depths_for(model: Model, wanted: set[int], options: SpeedOptions) -> Depths:
    """What was asked for; else the usual ones, the whole context in place of what is larger."""
    limit = _context_of(model, options)
    beyond = sorted(depth for depth in wanted if limit is not None and depth > limit)
    if beyond:
        raise UsageError(
            tr(
                "{model} has a context of {limit} tokens, and --context asks for {beyond}",
                model=model.facts.spec,
                limit=limit,
                beyond=", ".join(map(str, beyond)),
            ),
            hint=tr("leave out what is larger, or name the other models in a command of their own"),
        )
    return tuple(sorted(wanted or {min(depth, limit or depth) for depth in USUAL_DEPTHS}))


def _begin(
    options: SpeedOptions, command: str, store: Store, opened: Opened, plans: Sequence[Depths]
) -> tuple[Run, RunFolder]:
    models = models_of(opened.specs, opened.models)
    asked = [[each.spec, each.facts.fingerprint] for each in models]
    body = ["speed", __version__, asked, plans, options.repeats, options.num_ctx]
    planned = Run(
        id="",
        key=sha256(json.dumps(body).encode("utf-8", "surrogatepass")).hexdigest()[:32],
        models=models,
        repeats=options.repeats,
        command=command,
        machine=this_machine(),
    )
    return begin_or_continue(store, planned, (), fresh=options.fresh)


def _ask(
    store: Store,
    run: Run,
    known: RunModel,
    model: Model,
    depths: Depths,
    options: SpeedOptions,
    until: float | None,
) -> None:
    ledger = ScoredReplies(store, run, known, BackgroundWork(RunFolder(options.out, run.id), ()))
    for depth in depths:
        trials = [MeasureTrial(each) for each in _requests(model, depth, options)]
        name = tr("{model} at {depth} tokens", model=known.spec, depth=depth)
        try:
            ask_all(model, trials, ledger, options.observer, name=name, until=until)
        finally:
            ledger.flush()
        measured = depths_in(store.read_measures(run, known))[-1]
        if measured.why_not:
            return


def _tokens(model: Model, depth: int, options: SpeedOptions) -> tuple[int, int]:
    """New tokens, and those of the prompt before them."""
    limit = _context_of(model, options) or max(depth, PROMPT_TOKENS + NEW_TOKENS)
    new = min(NEW_TOKENS, max(2, limit // 2))
    return new, max(1, min(PROMPT_TOKENS, limit - new), depth - new)


def _requests(model: Model, depth: int, options: SpeedOptions) -> Iterator[Request]:
    facts, here = model.facts, this_machine()
    new, prompt = _tokens(model, depth, options)
    where = [here.system, here.processor, str(here.cores), *here.gpus]
    asked = [prompt, new, options.num_ctx, options.device, options.dtype]
    work = ToTime(prompt_tokens=prompt, new_tokens=new, repeats=1, on_device=True)
    for number in range(1, options.repeats + 1):
        test = f"{depth}_{number}"
        same = facts.shape or facts.fingerprint
        yield make_measure_request(same, "depth", test, work, [*where, *asked])
