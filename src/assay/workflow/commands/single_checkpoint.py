"""One checkpoint, as a program asks about it; nothing is written beside the weights."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.arguments import takes_options
from assay.errors import AssayError, SuiteNotFound, UsageError
from assay.files.file_text import shown_path
from assay.files.wording import did_you_mean
from assay.messages import tr
from assay.models.local.hub import read_hub_spec
from assay.models.opening import is_home_made, read_spec
from assay.reports.checkpoints.digest import evaluation_digest
from assay.reports.checkpoints.figures import estimates_of
from assay.reports.checkpoints.json_documents import evaluation_report
from assay.reports.progress import observer_for
from assay.store import Store
from assay.suites.held_out_text import texts_given
from assay.suites.load import find
from assay.suites.sample_prompts import load_samples
from assay.types import Estimate, SamplePrompt
from assay.types.decisions import OS_SUITE, Measurements, Sample
from assay.types.measures import Measure, every_measure
from assay.types.options import CheckpointCallOptions
from assay.types.options_class import options_class
from assay.types.results import Report
from assay.types.suites import OS_FILES, own_name
from assay.workflow.checkpoints.places import (
    CONFIG,
    CheckpointPlace,
    is_text,
    place_of_gguf,
    place_of_plugin,
    place_of_served,
    place_on_hub,
    places_of,
)
from assay.workflow.commands.evaluation import evaluate
from assay.workflow.reporting.checkpoint_files import write_checkpoint_report
from assay.workflow.reporting.decision import decide
from assay.workflow.running.job import Job


def metrics_known() -> dict[str, Measure]:
    """What can be asked of `evaluate_model`, by name."""
    return {each.metric: each for each in every_measure() if each.metric}


@options_class()
class ModelToEvaluate(CheckpointCallOptions):
    checkpoint_path: str | Path
    test_dataset: str | Path | Iterable[object] | None = None
    metrics: Sequence[str] | None = None
    full: bool = True


@takes_options(ModelToEvaluate)
def evaluate_model(options: ModelToEvaluate) -> dict[str, Any]:
    """One model's evaluation report, whole, as evaluation_report.json has it.

    `checkpoint_path`: a folder, or any model spec; what a served model cannot be asked is None.
    `full` False: a digest of under 4,000 characters.

    `test_dataset`: the text for perplexity and accuracy, as a file, as a list of texts or as a data
    set whose rows have "text" or "input_ids"; None: the shipped one. `metrics`: out
    of perplexity, accuracy, mmlu, hellaswag, os_benchmark, generation, speed, memory; None: all.
    Only those are measured, and the others are None; a benchmark that was not fetched is None as
    well, and `details.not_measured` says how to get it. The shipped gate decides. Nothing is
    written beside the weights.
    """
    checkpoint, text = options.checkpoint_path, options.test_dataset
    metrics = options.metrics
    wanted, known = _checked(metrics), metrics_known()
    suites, missing = _suites_for(wanted, options)
    texts = None if text is None or isinstance(text, str | Path) else texts_given(text)
    job = _job(
        options,
        checkpoint,
        suites=suites,
        text=(Path(text),) if isinstance(text, str | Path) else (),
        texts=texts,
        measures=tuple(dict.fromkeys(of.kind for name in wanted if (of := known[name]).kind)),
        called=_call(
            "evaluate_model",
            checkpoint,
            text if texts is None else texts.name,
            None if metrics is None else [*wanted],
        ),
    )
    report = evaluate(job, observer_for(options.observer))
    measured = _only(_measured(report), wanted, missing)
    with Store(options.out, read_only=True) as store:
        run = store.read_run(report.run)
    assert run.deciding is not None
    decision = decide(run.deciding, [measured], timestamp=measured.timestamp)
    document = evaluation_report(decision, measured)
    if metrics is None:
        write_checkpoint_report(document, measured, Path(report.out))
    return document if options.full else evaluation_digest(document)


def _checked(metrics: Sequence[str] | None) -> tuple[str, ...]:
    known = tuple(metrics_known())
    if metrics is None:
        return known
    given = [metrics] if isinstance(metrics, str) else list(metrics)
    problems = [
        did_you_mean(tr("there is no metric '{name}'", name=name), str(name), known)
        for name in given
        if name not in known
    ]
    if not given or problems:
        problem = "\n".join(problems) or tr("no metric was named")
        raise UsageError(problem, hint=tr("metrics are {names}", names=", ".join(known)))
    return tuple(name for name in known if name in given)


def _suites_for(
    wanted: Sequence[str], options: CheckpointCallOptions
) -> tuple[tuple[str, ...], dict[str, str]]:
    suites: list[str] = []
    missing: dict[str, str] = {}
    for metric, measure in metrics_known().items():
        if metric not in wanted or not measure.suite:
            continue
        try:
            find(measure.suite, options.benchmarks)
        except SuiteNotFound as error:
            missing[measure.name] = f"{error.message}. {error.hint}"
        else:
            suites.append(measure.suite)
    return tuple(suites), missing


def _only(measured: Measurements, wanted: Sequence[str], missing: dict[str, str]) -> Measurements:
    """Without what was not asked for: one reading and one timing give two figures each."""
    for metric, measure in metrics_known().items():
        if metric not in wanted:
            measured = measure.drop(measured)
    return replace(measured, not_measured={**measured.not_measured, **missing})


@options_class()
class BenchmarkToRun(CheckpointCallOptions):
    checkpoint_path: str | Path
    benchmark_suite: str | Path
    allow_code_execution: bool = False


@takes_options(BenchmarkToRun)
def run_benchmark(options: BenchmarkToRun) -> Estimate:
    """The score of one benchmark, with its interval.

    Always a share from 0 to 1 (`unit` is "share"): `mmlu`, `hellaswag` and `custom_os_eval` as in
    the report (the last: the mean of hardware_id, driver_select and command_complete), any other
    suite, by its name or path, the hundredth part of the points that `assay run` shows.
    """
    checkpoint, benchmark = options.checkpoint_path, options.benchmark_suite
    name = str(benchmark)
    if isinstance(benchmark, Path) and os.sep not in name:
        name = os.path.join(os.curdir, name)  # a path is never taken for the name of a suite
    suite = own_name(name)
    find(suite, options.benchmarks)  # refused before anything is opened
    called = _call("run_benchmark", checkpoint, benchmark)
    report = evaluate(
        _job(options, checkpoint, suites=(suite,), called=called), observer_for(options.observer)
    )
    fetched = {each.suite: each.name for each in metrics_known().values() if each.suite}
    key = "os_benchmark" if name == OS_FILES else fetched.get(name)
    if key is None or name == OS_SUITE:
        return report.models[0].suites[0].score.mapped(lambda points: points / 100, unit="share")
    score = estimates_of(_measured(report)).get(key)
    if score is None:
        raise AssayError(
            tr("{name} has no score: a part of it has no test that was scored", name=name),
            hint=tr("ask more of its tests; `limit` leaves most of them out"),
        )
    return score


@options_class()
class SamplesToGenerate(CheckpointCallOptions):
    checkpoint_path: str | Path
    prompts: Sequence[str]
    temperature: float = 0.3
    seeds: int = 1


@takes_options(SamplesToGenerate)
def generate_samples(options: SamplesToGenerate) -> list[Sample]:
    """What a checkpoint writes after each prompt, for people to read, with its health.

    At most 160 tokens, for each prompt as many as `seeds` says, with seeds from 0; `temperature` 0
    is greedy decoding, once. A prompt that is one of the shipped samples is checked like that
    sample.
    """
    checkpoint = options.checkpoint_path
    temperature, seeds = options.temperature, options.seeds
    numbers = isinstance(temperature, int | float) and isinstance(seeds, int)
    if not numbers or not 0 <= temperature <= 2 or not 1 <= seeds <= 100:
        raise UsageError(
            tr("temperature is a number from 0 to 2, seeds a whole number from 1 to 100"),
            hint=tr("the default is temperature=0.3, seeds=1"),
        )
    asked = [as_sample(prompt) for prompt in _prompts(options.prompts)]
    job = _job(
        options,
        checkpoint,
        measures=("generation",),
        samples=tuple({each.id: each for each in asked}.values()),
        temperature_and_seeds=(float(temperature), int(seeds)),
        called=_call("generate_samples", checkpoint, [each.prompt for each in asked]),
    )
    written = _measured(evaluate(job, observer_for(options.observer))).samples or ()
    return [sample for each in asked for sample in written if sample.id == each.id]


def _prompts(given: Sequence[str]) -> list[str]:
    prompts = [given] if isinstance(given, str) else list(given)
    whole = all(isinstance(each, str) and each.strip() and is_text(each) for each in prompts)
    if not prompts or not whole:
        raise UsageError(
            tr("prompts are texts in Unicode that are not empty, and at least one"),
            hint=tr('for example ["PCI device 8086:10d3 is"]'),
        )
    return prompts


def as_sample(prompt: str) -> SamplePrompt:
    """One that ships has its checklist; of any other nothing is known that a good answer has."""
    digest = sha256(prompt.encode()).hexdigest()[:12]
    own = SamplePrompt(id=f"own_{digest}", prompt=prompt, subject=(), ticks=())
    return next((shipped for shipped in load_samples() if shipped.prompt == prompt), own)


def _job(options: CheckpointCallOptions, checkpoint: str | Path, **more: Any) -> Job:
    """A run of this checkpoint alone, with the suites and measures that are named."""
    place = checkpoint_place(checkpoint)
    named = {"suites": (), "measures": (), **more}
    alone = {"models": (place.spec,), "places": (place,), "only_named": True}
    return Job.of(options, **named, **alone, write_back=False, leaves=False)


def checkpoint_place(checkpoint: str | Path) -> CheckpointPlace:
    """Return where one model is; several in a folder are refused by name."""
    if on_hub := read_hub_spec(os.fspath(checkpoint)):
        return place_on_hub(on_hub)
    if os.fspath(checkpoint).startswith("gguf:"):
        return place_of_gguf(os.fspath(checkpoint))
    spec = os.fspath(checkpoint)
    read = read_spec(spec)
    if read.scheme != "hf" and not Path(spec).is_dir():
        if is_home_made(read):
            return place_of_plugin(spec)
        served = place_of_served(spec)
        assert served is not None
        return served
    name = spec.removeprefix("hf:")
    path = Path(name)
    if not name or not path.is_dir():
        raise UsageError(
            tr("there is no checkpoint at '{path}'", path=shown_path(path) if name else ""),
            hint=tr(
                "give the path of a folder with config.json and weights, or a model spec such as "
                "hf:ORG/NAME or ollama:NAME"
            ),
        )
    places = [place for _, place in places_of([f"hf:{name}"]) if place is not None]
    for place in places:
        if place.folder is None or (place.path == path and (path / CONFIG).is_file()):
            spec = name if read_spec(name).scheme == "hf" else f"hf:{name}"
            return replace(place, spec=spec, folder=None, top=None)
    names = ", ".join(shown_path(place.path) for place in places)
    raise UsageError(
        tr("'{path}' holds several checkpoints: {names}", path=shown_path(path), names=names),
        hint=tr("name one of them; `assay run {path}` evaluates all", path=shown_path(path)),
    )


def _measured(report: Report) -> Measurements:
    assert report.decision is not None
    (measured,) = report.decision.measured
    return measured


def _call(function: str, checkpoint: str | Path, *arguments: object) -> str:
    given = [
        str(each) if isinstance(each, Path) else each
        for each in (checkpoint, *arguments)
        if each is not None
    ]
    return f"assay.{function}({', '.join(map(repr, given))})"
