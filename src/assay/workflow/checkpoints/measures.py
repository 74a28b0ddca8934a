"""What a checkpoint is asked beside the tests of suites: to read, to write freely, to be timed."""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from assay.files.file_text import Refused, read_bytes
from assay.judge.sense import decide_sense
from assay.machine import this_machine
from assay.measures.generation import samples_by_id
from assay.messages import tr
from assay.models.http.faults import reported_number
from assay.plan import Plan
from assay.request_identity import GENERATION, MEASURE, make_measure_request
from assay.store import Run, RunModel, StoredJudgement, StoredTrial
from assay.suites.held_out_text import HeldOut
from assay.suites.sample_prompts import load_samples
from assay.types import (
    Answered,
    Failed,
    Health,
    ModelFacts,
    Reply,
    Request,
    SamplePrompt,
    Sampling,
    Score,
)
from assay.types.decisions import DecisionPlan, Measurements, PlannedCheckpoint, size_class_of
from assay.types.measures import Asking, TakenReplies, every_measure
from assay.types.results import SuiteSummary
from assay.version import __version__

MEASURED = Score(scorer="measure", version=1, unscored_reason="measured")
SPEED = f"{MEASURE}speed"
TIMED_RUNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What measures may ask with. `of_plugins`: those that every model is asked for."""

    deciding: DecisionPlan | None = None
    held_out: HeldOut | None = None
    training: HeldOut | None = None
    named: Mapping[str, HeldOut] = field(default_factory=dict)
    of_plugins: tuple[str, ...] = ()

    def requests(
        self, plan: Plan, timed_runs: Sequence[int] = (), *, subject: bool = True
    ) -> Iterator[Request]:
        """All of them for one model. `subject`: it is decided on; `timed_runs`: of its shape."""
        deciding = self.deciding if subject else None
        kinds = deciding.measures if deciding else ()
        texts = {"perplexity": self.held_out, "training": self.training}
        texts |= {f"text:{name}": each for name, each in self.named.items()}
        asking = Asking(
            facts=plan.facts,
            deciding=deciding,
            texts={
                kind: each.documents_for(plan.facts.end_ids)
                for kind, each in texts.items()
                if each is not None
            },
            right_answers=lambda: (
                (answered_id(case.suite, case.id), likelihood)
                for case, likelihood in plan.right_answers()
                if not (deciding and deciding.early)  # they decide nothing
            ),
            samples=prompts_of(deciding) if deciding else (),
            timed_runs=timed_runs,
            machine=_machine() if timed_runs else (),
        )
        for measure in sorted(every_measure(), key=lambda each: each.places.asking):
            if measure.kind in kinds or measure.name in self.of_plugins:
                for each in measure.ask(asking):
                    yield make_measure_request(
                        _shape(plan.facts) if each.of_shape else plan.facts.fingerprint,
                        measure.kind,
                        each.test_id,
                        each.work,
                        each.content,
                    )


def _machine() -> tuple[str, ...]:
    here = this_machine()
    return here.system, here.processor, str(here.cores)


def answered_id(suite: str, test_id: str) -> str:
    return f"{suite}/{test_id}"


def samples_of_run(deciding: DecisionPlan | None) -> dict[str, tuple[SamplePrompt, Sampling]]:
    """Each sample prompt in each way it is continued, by what it is stored under."""
    if deciding is None:
        return {}
    return samples_by_id(deciding, prompts_of(deciding))


def examine_by_rules(deciding: DecisionPlan | None, test_id: str, reply: Reply) -> Health | None:
    """A sample without what judges say of it; None: it is none of the run's, or was not written."""
    from assay.checks.health.examine import examine  # served models need none of it

    asked = samples_of_run(deciding).get(test_id)
    if asked is None or not isinstance(reply, Answered):
        return None
    return examine(
        asked[0],
        reply.text,
        truncated=reply.truncated,
        uncertainty=reply.uncertainty,
        terms=_terms(deciding),
    )


def rule_value(health: Health) -> float:
    """1 is sound; 0 is broken, which is a loop, a repetition or nonsense."""
    return 0.0 if health.failures else 1.0


def prompts_of(deciding: DecisionPlan) -> tuple[SamplePrompt, ...]:
    """The caller's, else the gate's, else those that ship."""
    return deciding.samples or deciding.gate.generation_samples or load_samples()


def timed_runs_of(facts: ModelFacts, of_run: Sequence[ModelFacts]) -> range:
    """All by the first checkpoint of a shape, in one process; the last makes up for those that
    failed.
    """
    equal = [each.fingerprint for each in of_run if _shape(each) == _shape(facts)]
    times = facts.fingerprint in (equal[0], equal[-1])
    return range(1, TIMED_RUNS + 1) if times else range(0)


def _shape(facts: ModelFacts) -> str:
    return facts.shape or facts.fingerprint


def pool_timed_runs(
    models: Sequence[RunModel], trials: Mapping[str, Sequence[StoredTrial]]
) -> dict[str, tuple[StoredTrial, ...]]:
    """The trials of each model, by its spec, with all timed runs of its shape."""
    runs: dict[str, dict[str, StoredTrial]] = {}
    for model in models:
        of_shape = runs.setdefault(_shape(model.facts), {})
        for kept in trials[model.spec]:
            known = of_shape.get(kept.test_id)
            if kept.suite == SPEED and (known is None or isinstance(known.reply, Failed)):
                of_shape[kept.test_id] = kept
    return {
        model.spec: (
            *(kept for kept in trials[model.spec] if kept.suite != SPEED),
            *runs[_shape(model.facts)].values(),
        )
        for model in models
    }


def measured_of(
    subject: PlannedCheckpoint,
    model: RunModel,
    run: Run,
    summaries: Sequence[SuiteSummary],
    digests: Mapping[str, str],
    trials: Iterable[StoredTrial],
    judged: Iterable[StoredJudgement],
    unqualified: Mapping[str, tuple[str, ...]],
) -> Measurements:
    """One checkpoint; `digests` tell versions of suites apart, `unqualified` judges by suite,
    `judged`: what judges said of its samples.
    """
    from assay.checks.health.examine import examine  # served models need none of it

    replies: dict[str, dict[str, Reply]] = {}
    numbers: dict[str, int] = {}  # of the samples' replies: another one was not judged
    for kept in trials:
        kind = kept.suite.removeprefix(MEASURE)
        replies.setdefault(kind, {})[kept.test_id] = kept.reply
        numbers |= {kept.test_id: kept.reply_id} if kept.suite == GENERATION else {}
    senses = {
        kept.test_id: decide_sense(kept.judgement.judgements)
        for kept in judged
        if numbers.get(kept.test_id) == kept.reply_id
    }
    written = [
        (sample, way, reply, senses.get(name))
        for name, (sample, way) in samples_of_run(run.deciding).items()
        if (reply := replies.get("generation", {}).get(name))
    ]
    judges = run.judging.judges if run.judging and senses else ()
    facts = model.facts
    taken = TakenReplies(
        subject=subject,
        facts=facts,
        deciding=run.deciding,
        replies=replies,
        summaries=summaries,
        digests=digests,
        unqualified=unqualified,
        samples=written,
        sample_judges={each.spec: each.qualified for each in judges},
        examine=partial(examine, terms=_terms(run.deciding)),
        tokenizer=model.observed.tokenizer if model.observed else (),
    )
    measured = Measurements(
        name=subject.name,
        path=subject.path,
        step=subject.step,
        parameters=facts.parameters,
        size_class=size_class_of(facts.parameters) if facts.parameters else None,
        fingerprint=facts.fingerprint,
        shape=facts.shape,
        timestamp=run.finished or run.created,
        provenance=_provenance(run, model),
    )
    for measure in every_measure():
        measured = measure.take(measured, taken)
    return measured


def _terms(deciding: DecisionPlan | None) -> frozenset[str] | None:
    """The gate's; none for prompts of its own without terms; None: those that ship."""
    gate = deciding.gate if deciding else None
    if gate is None or not (gate.generation_samples or gate.generation_terms):
        return None
    return frozenset(gate.generation_terms)


def take_own_figures(model: RunModel, trials: Iterable[StoredTrial]) -> Measurements:
    """The figures of plugins, of a model that nothing is decided on."""
    replies: dict[str, dict[str, Reply]] = {}
    for kept in trials:
        replies.setdefault(kept.suite.removeprefix(MEASURE), {})[kept.test_id] = kept.reply
    subject = PlannedCheckpoint(spec=model.spec, name=model.spec, path="", step=None)
    taken = TakenReplies(subject=subject, facts=model.facts, deciding=None, replies=replies)
    measured = Measurements(name=model.spec, path="", step=None)
    for measure in every_measure():
        measured = measure.take(measured, taken) if measure.of_every_model else measured
    return measured


def _provenance(run: Run, model: RunModel) -> dict[str, object]:
    return {
        "assay": run.version or __version__,
        "run": run.id,
        "command": run.command,
        "fingerprint": model.facts.fingerprint,
        "about": dict(model.facts.about),
        "text": run.deciding.text if run.deciding else "",
        "gate_hash": run.deciding.gate.digest if run.deciding else None,
        "seed": run.seed,
        "machine": asdict(run.machine) if run.machine else None,
        "notes": list(model.observed.notes) if model.observed else [],
    }


def failed_subject(subject: PlannedCheckpoint, timestamp: str) -> Measurements:
    return Measurements(
        name=subject.name,
        path=subject.path,
        step=subject.step,
        timestamp=timestamp,
        failed=subject.failed or tr("it could not be evaluated"),
    )


TRAINER_STATE = "trainer_state.json"
MOST_BYTES = 64_000_000
MOST_KEPT = 1_000  # of a longer log, neighbours are put together

Losses = tuple[tuple[float, float], ...]


def training_log(path: Path, folder: Path | None, step: float | None) -> tuple[Losses, str]:
    """The log beside a checkpoint, else in its parent, up to its step; and why it is not used."""
    beside = [path] if folder is not None and path == folder else [path, path.absolute().parent]
    for place in beside:
        file = place / TRAINER_STATE
        if os.path.lexists(file):
            read = _read(file)
            if isinstance(read, str):
                return (), tr("{file} is left out: {why}", file=file, why=read)
            until = math.inf if step is None else step
            return _fewer([each for each in read if each[0] <= until]), ""
    return (), ""


def _read(file: Path) -> Losses | str:
    try:
        document = json.loads(read_bytes(file, MOST_BYTES, kind=tr("a log is a JSON file")))
    except Refused as refused:
        return refused.finding.message
    except (ValueError, RecursionError):
        return tr("it is not JSON")
    history = document.get("log_history") if isinstance(document, dict) else None
    if not isinstance(history, list):
        return tr("it has no log_history")
    found = dict(_logged(history))  # a step that was trained again after a stop counts as it ended
    if not found:
        return tr("its log_history names no loss")
    return tuple(sorted(found.items()))


def _logged(history: Sequence[object]) -> Iterator[tuple[float, float]]:
    for entry in history:
        if isinstance(entry, dict):
            step, loss = (reported_number(entry.get(name)) for name in ("step", "loss"))
            # A cross-entropy is never below 0: one that is was of another objective.
            if step is not None and loss is not None and step >= 0 and loss >= 0:
                yield step, loss


def _fewer(losses: Sequence[tuple[float, float]]) -> Losses:
    together = -(-len(losses) // MOST_KEPT)
    if together <= 1:
        return tuple(losses)
    groups = (losses[start : start + together] for start in range(0, len(losses), together))
    return tuple(
        (group[-1][0], math.fsum(loss for _, loss in group) / len(group)) for group in groups
    )
