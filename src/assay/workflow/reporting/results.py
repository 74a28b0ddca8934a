"""Reads a run back from the store as a Report, at any time, with no model and no test file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.errors import ExitCode
from assay.judge.final_judgement import NO_JUDGE, SCORER
from assay.messages import tr, trn
from assay.reports.checkpoints.file_names import CHECKPOINTS, REPORT_FILE
from assay.request_identity import MEASURE
from assay.store import Run, RunModel, Store, StoredTrial
from assay.suites.load import FETCHED
from assay.summary.comparisons import find_leads
from assay.summary.harness import with_metrics
from assay.summary.speed import performance, trial_figures
from assay.summary.trials import measurements, summarise
from assay.types import Estimate, Failed, Reply, Suite, Trial
from assay.types.decisions import Decision, Measurements
from assay.types.judging.judged import Judged
from assay.types.measures import every_measure
from assay.types.measures import measures as known_measures
from assay.types.results import Baselines, FailedModel, ModelReport, Report, SuiteSummary
from assay.types.tests import EWEBENCH
from assay.workflow.checkpoints.measures import (
    answered_id,
    failed_subject,
    measured_of,
    pool_timed_runs,
    take_own_figures,
)
from assay.workflow.reporting.decision import decide, passes, selected_in
from assay.workflow.reporting.early import partly_asked
from assay.workflow.reporting.footprints import depths_in, known_depths
from assay.workflow.reporting.letters import methods_of
from assay.workflow.reporting.reviewed import reviewed_of
from assay.workflow.reporting.stored_judgements import judged_of
from assay.workflow.reporting.trials import trials_of
from assay.workflow.running.baselines import baselines_of
from assay.workflow.running.own_prompts import is_own
from assay.workflow.running.run_folder import RunFolder


def report_of(store: Store, run: Run, *, guesses: Mapping[str, Baselines] | None = None) -> Report:
    """The whole run. `guesses`: the suites' baselines, where somebody has them already."""
    suites = store.read_suites(run)
    # What was observed is in the store since it began; one that failed has no figures.
    run = replace(run, models=store.read_run(run.id).evaluated)
    if guesses is None:
        guesses = {suite.name: baselines_of(suite) for suite in suites if not suite.scored_together}
    asked = _summarise_models(store, run, suites, guesses)
    decision = _decision(store, run, asked.measured)
    models = asked.models
    if decision is not None:
        models = [
            _decided(each, asked.measured[each.spec], decision, run, store)
            if each.spec in asked.measured  # a served model may be asked beside checkpoints
            else each
            for each in models
        ]
    judged = judged_of(store, run, suites, models)
    unheard = _unheard(judged) + _unheard_of_samples(store, run)
    broken = tuple(
        FailedModel(spec=each.spec, name=each.name, why=each.failed, position=position)
        for position, each in enumerate(run.subjects)
        if each.failed
    )
    unmeasured = [depth for each in models if not suites for depth in each.depths if depth.why_not]
    best = selected_in(decision) if decision and run.finished else None
    exit_code = ExitCode.DONE
    if asked.failed or unheard or broken or any(depth.fits for depth in unmeasured):
        exit_code = ExitCode.REQUESTS_FAILED
    elif decision is not None and run.deciding and not passes(run.deciding, decision):
        exit_code = ExitCode.NOT_ACCEPTED
    unjudged = _unjudged(suites, judged)
    return Report(
        run=run.id,
        out=str(store.path.parent.resolve()),
        created=run.created,
        finished=run.finished,
        command=run.command,
        version=run.version,
        models=tuple(models),
        exit_code=int(exit_code),
        selected=next((each.spec for each in run.subjects if each.name == best), None),
        decision=decision,
        judged=judged,
        reviews=reviewed_of(store, run, suites),
        failed=broken,
        leads=() if decision and decision.gate_decides else find_leads(run.id, models),
        notes=(
            *_notes(run, suites, asked.trials, broken),
            *_not_measured(asked),
            *_as_stored(run),
        ),
        hints=tuple(_hints(run, asked.failed, asked.too_long, unheard, unjudged)),
        machine=run.machine,
        sampling=run.sampling,
    )


@dataclass(kw_only=True)
class _AskedModels:
    """What all models of a run answered. `failed`: requests, of which `too_long` had prompts that
    were too long.
    """

    failed: int
    too_long: int = 0
    trials: int = 0
    models: list[ModelReport] = field(default_factory=list)
    measured: dict[str, Measurements] = field(default_factory=dict)
    not_measured: dict[str, Mapping[str, str]] = field(default_factory=dict)


def _summarise_models(
    store: Store, run: Run, suites: Sequence[Suite], guesses: Mapping[str, Baselines]
) -> _AskedModels:
    subjects = {each.spec: each for each in run.subjects}
    may_lack = set(run.deciding.confirming if run.deciding else ())  # not asked of every model
    if run.deciding and run.deciding.early:
        may_lack |= {suite.name for suite in suites}
    digests = dict(zip((suite.name for suite in suites), run.digests, strict=True))
    asked_beside = {
        model.spec: tuple(store.read_measures(run, model))
        for model in run.models
        if model.spec in subjects
    }
    taken = {f"{MEASURE}{each.kind}" for each in every_measure() if each.of_every_model}
    own = {
        model.spec: [kept for kept in store.read_measures(run, model) if kept.suite in taken]
        for model in run.models
        if taken and model.spec not in subjects
    }
    asked = _AskedModels(failed=len(_failed_requests({**asked_beside, **own})))
    partly = partly_asked(run, suites)
    measures = pool_timed_runs([m for m in run.models if m.spec in subjects], asked_beside)
    for model in run.models:
        trials = tuple(store.read_trials(run, model))
        beside = measures.get(model.spec, ())
        failures = [kept.reply for kept in trials if isinstance(kept.reply, Failed)]
        asked.trials += len(trials)
        asked.failed += len(failures)
        asked.too_long += sum(each.cause == "prompt_too_long" for each in failures)
        summaries = tuple(
            replace(
                _as_the_harness_has_it(
                    _with_methods(suite, tuple(trials_of(suite, trials)), beside), model
                ),
                baselines=None if is_own(suite) else guesses.get(suite.name),
                own=is_own(suite),
            )
            for suite in suites
            if suite.name not in may_lack or any(kept.suite == suite.name for kept in trials)
        )
        if partly:
            of_run = {suite.name: suite for suite in suites}
            summaries = tuple(partly.tell(each, of_run[each.suite], model) for each in summaries)
        asked.models.append(_model_report(store, run, model, trials, summaries))
        if model.spec not in subjects:
            _add_own_figures(asked, model, own.get(model.spec, ()))
        if subject := subjects.get(model.spec):
            asked.measured[model.spec] = measured_of(
                subject, model, run, summaries, digests, beside,
                store.read_judgements(run, model, of_samples=True), _unqualified(run, trials),
            )  # fmt: skip
            asked.not_measured[model.spec] = asked.measured[model.spec].not_measured
    return asked


def _with_methods(
    suite: Suite, trials: Sequence[Trial], beside: Sequence[StoredTrial]
) -> SuiteSummary:
    """Beside the score itself that by likelihood, where letters were written and both are told."""
    summary = summarise(suite, trials, right_answers=_right_answers(suite, beside))
    (method, _), *others = methods_of(trials)
    scores = {name: summarise(suite, of).score for name, of in others}
    return replace(summary, method=method, by_method={method: summary.score, **scores})


def _as_the_harness_has_it(summary: SuiteSummary, model: RunModel) -> SuiteSummary:
    """The score of a task of lm-evaluation-harness is its first metric from 0 to 1."""
    metrics = model.observed.metrics.get(summary.suite) if model.observed else None
    return summary if metrics is None else with_metrics(summary, metrics)


def _add_own_figures(asked: _AskedModels, model: RunModel, trials: Sequence[StoredTrial]) -> None:
    """Of a model that nothing is decided on."""
    found = take_own_figures(model, trials)
    report = asked.models[-1]
    figures = {**report.measurements, **found.figures}
    asked.models[-1] = replace(report, measurements=figures)
    asked.not_measured[model.spec] = found.not_measured


def _right_answers(suite: Suite, beside: Sequence[StoredTrial]) -> dict[str, Reply]:
    read = {kept.test_id: kept.reply for kept in beside if kept.suite == f"{MEASURE}answers"}
    known = {case.id: read.get(answered_id(suite.name, case.id)) for case in suite.cases}
    return {test: reply for test, reply in known.items() if reply is not None}


def _failed_requests(beside: Mapping[str, Sequence[StoredTrial]]) -> set[str]:
    """Of what was asked beside the tests; another checkpoint may have made up for a timed run."""
    every = [kept for trials in beside.values() for kept in trials]
    answered = {kept.request_id for kept in every if not isinstance(kept.reply, Failed)}
    return {kept.request_id for kept in every} - answered


def _unqualified(run: Run, trials: Sequence[StoredTrial]) -> dict[str, tuple[str, ...]]:
    """By suite: the judges that are not qualified, where a score rests on a judge."""
    judges = run.judging.judges if run.judging else ()
    names = tuple(each.spec for each in judges if not each.qualified)
    judged = {kept.suite for kept in trials if kept.score and kept.score.scorer == SCORER}
    return dict.fromkeys(judged, names)


def _unheard(judged: Judged | None) -> int:
    """Judgements whose requests failed for good; where there are other judges, they count."""
    return sum(
        judgement.unscored_reason == "failed"
        for model in (judged.models if judged else ())
        for test in model.tests
        for final in test.final_judgements
        for judgement in final.judgements
    )


def _unheard_of_samples(store: Store, run: Run) -> int:
    return sum(
        judgement.unscored_reason == "failed"
        for model in run.models
        for kept in store.read_judgements(run, model, of_samples=True)
        for judgement in kept.judgement.judgements
    )


def _decision(store: Store, run: Run, measured: Mapping[str, Measurements]) -> Decision | None:
    if run.deciding is None:
        return None
    timestamp = run.finished or run.created
    every = [
        measured.get(subject.spec) or failed_subject(subject, timestamp) for subject in run.subjects
    ]
    attempts = store.count_attempts(run.deciding.gate.digest, until=run)
    return decide(run.deciding, every, timestamp=timestamp, attempts=attempts)


def _decided(
    report: ModelReport, measured: Measurements, decision: Decision, run: Run, store: Store
) -> ModelReport:
    file = store.path.parent.resolve() / CHECKPOINTS / measured.name / REPORT_FILE
    left = run.deciding is not None and run.deciding.leaves
    return replace(
        report,
        accepted=decision.acceptances[measured.name].accepted if decision.gate_decides else None,
        measurements={
            **report.measurements,
            **{
                name: figure
                for measure in every_measure()
                for name, figure in measure.figures(measured).items()
                if figure is not None and name not in measure.in_reports_only
            },
        },
        report=str(file) if report.report and left else report.report,
    )


def summaries_of(store: Store, run: Run, model: RunModel) -> tuple[SuiteSummary, ...]:
    trials = tuple(store.read_trials(run, model))
    suites = store.read_suites(run)
    found = (_with_methods(suite, tuple(trials_of(suite, trials)), ()) for suite in suites)
    return tuple(_as_the_harness_has_it(each, model) for each in found)


def _model_report(
    store: Store,
    run: Run,
    model: RunModel,
    trials: Sequence[StoredTrial],
    summaries: tuple[SuiteSummary, ...],
) -> ModelReport:
    measured = performance(kept.reply for kept in trials)
    figures = tuple(
        trial_figures(
            kept.reply,
            suite=kept.suite,
            test=kept.test_id,
            repeat=kept.repeat,
            clock=measured.decode_clock,
        )
        for kept in trials
    )
    reports = RunFolder(store.path.parent, run.id).path / "reports"
    return ModelReport(
        spec=model.spec,
        name=model.facts.name,
        slug=model.slug,
        fingerprint=model.facts.fingerprint,
        fingerprint_is_weak=model.facts.fingerprint_is_weak,
        weights=model.facts.weights,
        suites=summaries,
        performance=measured,
        measurements={
            **measurements(summaries),
            **_without_plugin(model),
            **{name: of for each in summaries for name, of in each.metrics.items()},
            **{name: of for each in summaries for name, of in each.letters.items()},
        },
        report=str(reports / f"{model.slug}.md") if run.finished else None,
        about=model.facts.about,
        observed=model.observed,
        depths=depths_in(store.read_measures(run, model))
        if not run.digests
        else known_depths(store, model.facts.fingerprint, run.machine),
        trials=figures,
    )


def _notes(
    run: Run, suites: Sequence[Suite], asked: int, broken: Sequence[FailedModel]
) -> Iterator[str]:
    tests = sum(1 for suite in suites for _ in suite.cases)
    planned = tests * run.repeats * len(run.models)
    if run.finished is None:
        yield tr(
            "this run is not finished: {asked} of {planned} answers are asked and scored",
            asked=asked,
            planned=planned,
        )
    if run.sampling == "server":
        yield tr(
            "sampling was the server's own (--sampling server): only temperature and seed were "
            "sent, so scores also depend on the server's settings and version"
        )
    old = [suite.name for suite in suites if suite.scoring == EWEBENCH]
    if old:
        yield tr(
            "{suites}: scored by the rules of ewebench-1.0, which have known faults "
            "(docs/reference/ewe.md lists them)",
            suites=", ".join(old),
        )
    for suite in suites:
        if suite.version and (
            suite.name in FETCHED or suite.scored_together
        ):  # which form a benchmark was asked in
            yield tr("{suite}: {version}", suite=suite.name, version=suite.version)
        for category in suite.categories:
            if file := suite.elsewhere.get(category.name):
                yield tr(
                    "{suite}: {category} was not what ships but {file}",
                    suite=suite.name,
                    category=category.name,
                    file=file,
                )
    for each in broken:
        yield tr("{name} could not be evaluated: {why}", name=each.name, why=each.why)


def _not_measured(asked: _AskedModels) -> Iterator[str]:
    """Which figures of plugins are missing, of which models, and why."""
    own = [each.name for each in every_measure() if each.of_every_model]
    why = {
        (name, reasons[name]): [spec for spec, of in asked.not_measured.items() if name in of]
        for reasons in asked.not_measured.values()
        for name in own
        if name in reasons
    }
    for (name, reason), specs in why.items():
        yield tr("{measure} was not measured of {models}: {why}",
                 measure=name, models=", ".join(specs), why=reason)  # fmt: skip


def _without_plugin(model: RunModel) -> dict[str, Estimate]:
    """The figures as they were when it was asked, where their plugin is not loaded."""
    stored = model.observed.figures if model.observed else {}
    return {name: figure for name, figure in stored.items() if name not in known_measures}


def _as_stored(run: Run) -> Iterator[str]:
    for name in dict.fromkeys(name for model in run.models for name in _without_plugin(model)):
        yield tr("{measure} is shown as it was stored: its plugin is not loaded, and --plugin FILE "
                 "computes it again", measure=name)  # fmt: skip


def _unjudged(suites: Sequence[Suite], found: Judged | None) -> int:
    if found is None:
        return sum(case.check.judged is not None for suite in suites for case in suite.cases)
    return len(
        {
            (test.suite, test.test_id)
            for model in found.models
            for test in model.tests
            for final in test.final_judgements
            if final.unscored_reason == NO_JUDGE or final.no_answer == "facts"
        }
    )


def _hints(run: Run, failed: int, too_long: int, unheard: int, judged: int) -> Iterator[str]:
    if judged:
        yield tr("score what checks cannot with a judge: `assay judge latest --judge MODEL`")
    if run.finished is None:
        yield tr("continue with: {command}", command=run.command)
    elif failed > too_long:
        yield tr("ask what failed again with: {command}", command=run.command)
    if too_long:
        yield tr(
            "prompts that do not fit into the context, and never will: {count}; give a larger "
            "--num-ctx (ollama), leave their categories out with -c, or choose another model",
            count=too_long,
        )
    if unheard:
        failures = trn("{count} judgement failed", "{count} judgements failed", unheard)
        yield tr("{failures}; the same command asks again", failures=failures)
