"""What a checkpoint is asked beside the tests of suites: to read, to write freely, to be timed."""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from assay.files.file_text import Refused, read_bytes
from assay.judge.sense import decide_sense
from assay.machine import this_machine
from assay.messages import tr
from assay.models.http.faults import reported_number
from assay.plan import Plan
from assay.request_identity import GENERATION, MEASURE, make_measure_request
from assay.store import Run, RunModel, StoredJudgement, StoredTry
from assay.suites.held_out_text import HeldOut
from assay.suites.sample_prompts import load_samples
from assay.summary.checkpoints import (
    HELLASWAG,
    HELLASWAG_CATEGORY,
    MMLU,
    MMLU_CATEGORY,
    samples_of,
    share_of,
    speed_figures,
    suite_figures,
    text_figures,
)
from assay.types import (
    Failed,
    Message,
    ModelFacts,
    Reply,
    Request,
    SamplePrompt,
    Sampling,
    Score,
    ToAnswer,
    ToRead,
    ToTime,
)
from assay.types.choices import MeasureKind
from assay.types.decisions import DecisionPlan, Measurements, PlannedCheckpoint, size_class_of
from assay.types.results import SuiteSummary
from assay.version import __version__

MEASURED = Score(scorer="measure", version=1, unscored_reason="measured")
SPEED = f"{MEASURE}speed"
MEMORY = ("memory_usage_mb", "weights_mb", "cache_mb", "activations_mb", "resident_mb")
TIMED_RUNS = 3
MOST_TOKENS = 160
GREEDY = Sampling(temperature=0.0, seed=0, max_tokens=MOST_TOKENS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    deciding: DecisionPlan
    held_out: HeldOut
    training: HeldOut | None = None

    def requests(self, plan: Plan, timed_runs: Iterable[int]) -> Iterator[Request]:
        """All of them for one checkpoint, and these of the timed runs of its shape."""
        facts = plan.facts
        kinds, reads = self.deciding.measures, "score_text" in facts.capabilities
        if "perplexity" in kinds and reads:
            yield from _reading(facts, "perplexity", self.held_out)
        if "training" in kinds and reads and self.training is not None:
            yield from _reading(facts, "training", self.training)
        if "answers" in kinds and reads:
            for case, likelihood in plan.right_answers():
                test = answered_id(case.suite, case.id)
                yield make_measure_request(
                    facts.fingerprint, "answers", test, likelihood, asdict(likelihood)
                )
        if "generation" in kinds and "generate" in facts.capabilities:
            for name, (sample, way) in samples_by_id(self.deciding).items():
                said = (Message("user", sample.prompt),)
                work = ToAnswer(messages=said, sampling=way, read_back=True)
                how = asdict(way)
                del how["loop_stop"]  # of served models only
                content = [sample.prompt, how]
                yield make_measure_request(facts.fingerprint, "generation", name, work, content)
        if "speed" in kinds:
            here = this_machine()
            machine = [here.system, here.processor, str(here.cores)]
            for number in timed_runs:
                yield make_measure_request(
                    _shape(facts), "speed", f"cpu_{number}", ToTime(repeats=1), machine
                )


def ways_to_write(deciding: DecisionPlan) -> tuple[Sampling, ...]:
    """With each seed at the gate's temperature, and greedily, unless prompts are the user's own."""
    gate = deciding.gate
    if not gate.generation_temperature:
        return (GREEDY,)
    seeded = tuple(
        Sampling(temperature=gate.generation_temperature, seed=seed, max_tokens=MOST_TOKENS)
        for seed in range(gate.generation_seeds)
    )
    return seeded if deciding.samples else (*seeded, GREEDY)


def answered_id(suite: str, test_id: str) -> str:
    return f"{suite}/{test_id}"


def written_id(sample: SamplePrompt, way: Sampling) -> str:
    """What a sample is stored under: the first seed has the prompt's id, as it always had."""
    if way == GREEDY:
        return f"{sample.id}@greedy"
    return f"{sample.id}@seed_{way.seed}" if way.seed else sample.id


def samples_by_id(deciding: DecisionPlan | None) -> dict[str, tuple[SamplePrompt, Sampling]]:
    """Each sample prompt in each way it is continued, by what it is stored under."""
    if deciding is None:
        return {}
    asked = product(deciding.samples or load_samples(), ways_to_write(deciding))
    return {written_id(sample, way): (sample, way) for sample, way in asked}


def share_timed_runs(facts: ModelFacts, of_run: Sequence[ModelFacts]) -> range:
    """Spread over the checkpoints of a shape; the last makes up for those that failed."""
    equal = [each.fingerprint for each in of_run if _shape(each) == _shape(facts)]
    number = equal.index(facts.fingerprint) + 1
    if number == len(equal):
        return range(1, TIMED_RUNS + 1)
    return range(number, min(number, TIMED_RUNS) + 1)


def _shape(facts: ModelFacts) -> str:
    return facts.shape or facts.fingerprint


def pool_timed_runs(
    models: Sequence[RunModel], tries: Mapping[str, Sequence[StoredTry]]
) -> dict[str, tuple[StoredTry, ...]]:
    """The tries of each model, by its spec, with all timed runs of its shape."""
    runs: dict[str, dict[str, StoredTry]] = {}
    for model in models:
        of_shape = runs.setdefault(_shape(model.facts), {})
        for kept in tries[model.spec]:
            known = of_shape.get(kept.test_id)
            if kept.suite == SPEED and (known is None or isinstance(known.reply, Failed)):
                of_shape[kept.test_id] = kept
    return {
        model.spec: (
            *(kept for kept in tries[model.spec] if kept.suite != SPEED),
            *runs[_shape(model.facts)].values(),
        )
        for model in models
    }


def _reading(facts: ModelFacts, kind: MeasureKind, text: HeldOut) -> Iterator[Request]:
    for number, document in enumerate(text.documents, 1):
        work = ToRead(text=document.text, tokens=document.tokens, digest=document.digest)
        yield make_measure_request(
            facts.fingerprint, kind, f"text_{number:05d}", work, document.digest
        )


def measured_of(
    subject: PlannedCheckpoint,
    model: RunModel,
    run: Run,
    summaries: Sequence[SuiteSummary],
    digests: Mapping[str, str],
    tries: Iterable[StoredTry],
    judged: Iterable[StoredJudgement],
    unqualified: Mapping[str, tuple[str, ...]],
) -> Measurements:
    """One checkpoint; `digests` tell versions of suites apart, `unqualified` judges by suite,
    `judged`: what judges said of its samples.
    """
    from assay.checks.health.examine import examine  # served models need none of it

    replies: dict[str, dict[str, Reply]] = {}
    numbers: dict[str, int] = {}  # of the samples' replies: another one was not judged
    for kept in tries:
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
        for name, (sample, way) in samples_by_id(run.deciding).items()
        if (reply := replies.get("generation", {}).get(name))
    ]
    judges = run.judging.judges if run.judging and senses else ()
    facts = model.facts
    read = list(replies.get("perplexity", {}).values())
    deciding = run.deciding
    digest = deciding.text_digest if deciding else ""
    text, no_text = text_figures(read, text=digest, tokenizer=facts.tokenizer)
    read_again = list(replies.get("training", {}).values())
    losses, no_loss, trained_on = training_figures(subject, read_again, deciding)
    speed, memory, no_speed = speed_figures(list(replies.get("speed", {}).values()))
    reasons = {
        "perplexity": no_text,
        "speed": no_speed,
        "memory": no_speed,
        "training_loss": no_loss,
    }
    return Measurements(
        name=subject.name,
        path=subject.path,
        step=subject.step,
        parameters=facts.parameters,
        size_class=size_class_of(facts.parameters) if facts.parameters else None,
        fingerprint=facts.fingerprint,
        shape=facts.shape,
        text=text,
        suites={
            each.suite: suite_figures(
                each, digests.get(each.suite, ""), unqualified.get(each.suite, ())
            )
            for each in summaries
        },
        mmlu_cs=share_of(summaries, MMLU, MMLU_CATEGORY),
        hellaswag=share_of(summaries, HELLASWAG, HELLASWAG_CATEGORY),
        speed=speed,
        memory_mb=memory,
        memory={name: speed.details.get(name) for name in MEMORY} if speed else {},
        samples=samples_of(written, examine),
        sample_judges={each.spec: each.qualified for each in judges},
        tokenizer=model.observed.tokenizer if model.observed else (),
        not_measured={name: why for name, why in reasons.items() if why},
        training_loss=losses,
        timestamp=run.finished or run.created,
        provenance={**_provenance(run, model), **trained_on},
    )


def _provenance(run: Run, model: RunModel) -> dict[str, object]:
    return {
        "assay": run.version or __version__,
        "run": run.id,
        "command": run.command,
        "fingerprint": model.facts.fingerprint,
        "about": dict(model.facts.about),
        "text": run.deciding.text if run.deciding else "",
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


def training_figures(
    subject: PlannedCheckpoint, replies: Sequence[Reply], deciding: DecisionPlan | None
) -> tuple[Mapping[float, float], str, Mapping[str, object]]:
    """The losses by step, why there are none where there should be, and what to note of them."""
    if deciding is None or "training" not in deciding.measures:
        return dict(subject.training), subject.training_note, {}
    figures, why = text_figures(replies, text=deciding.train_text_digest, tokenizer="")
    if figures is None or figures.perplexity.value is None:
        return {}, why, {}
    loss = math.log(figures.perplexity.value)
    # The final one has no step to draw a curve by; its loss is in the provenance alone.
    losses = {} if subject.step is None else {subject.step: loss}
    text = {
        "text": deciding.train_text,
        "digest": deciding.train_text_digest,
        "loss": loss,
        "tokens": figures.perplexity.n,
    }
    return losses, "", {"training_text": text}


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
