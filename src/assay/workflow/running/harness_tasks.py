"""Tasks of lm-evaluation-harness in a run: loaded as suites, and scored when a model has answered
all that was asked.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.harness.documents import as_suite
from assay.harness.needed import PREFIX
from assay.harness.scoring import HarnessScores, score_answers
from assay.harness.tasks import HarnessTasks, load_tasks
from assay.messages import tr
from assay.plan import Plan, PlannedTrial
from assay.store import Run, RunModel, Store, StoredTrial, TrialKey
from assay.types import Case, Estimate, Failed, Reply, Score, Suite


@dataclass(frozen=True, slots=True)
class LoadedTasks:
    suite: Suite
    tasks: HarnessTasks


def is_harness(name: object) -> bool:
    return isinstance(name, str) and name.startswith(PREFIX)


def load_suite_of(name: str, include: Sequence[Path], *, allow_code: bool) -> LoadedTasks:
    task = name.removeprefix(PREFIX)
    if not task:
        raise UsageError(
            tr("-s lm-eval: needs the name of a task or group"),
            hint=tr("as in -s lm-eval:hellaswag"),
        )
    tasks = load_tasks(task, include, allow_code=allow_code)
    return LoadedTasks(as_suite(tasks), tasks)


@dataclass(frozen=True, slots=True)
class ModelScores:
    """Of one model: by suite its metrics, and what a reader must know."""

    metrics: Mapping[str, Mapping[str, Estimate]]
    notes: tuple[str, ...]


def score_tasks(
    store: Store, run: Run, model: RunModel, plan: Plan, tasks: Mapping[str, HarnessTasks]
) -> ModelScores:
    """Stores the score of every document. A document of which an answer failed is left out."""
    metrics: dict[str, Mapping[str, Estimate]] = {}
    notes: dict[str, None] = {}
    kept = {each.key: each for each in store.read_trials(run, model) if each.suite in tasks}
    for name, of in tasks.items():
        replies: dict[tuple[str, int], Sequence[Reply]] = {}
        missing: Counter[str] = Counter()
        keys: dict[tuple[str, int], TrialKey] = {}
        for trial in plan.trials:
            if trial.case.suite != name:
                continue
            key = (trial.case.category, _number(trial.case))
            given = list(_replies(store, run, plan, trial, kept.get(trial.key)))
            if len(given) < len(trial.asked):
                missing[trial.case.category] += 1
            else:
                replies[key] = given
                keys[key] = trial.key
        if not replies:
            continue
        found = score_answers(of, replies, missing)
        store.store_scores(run, model, list(_scores(found, keys, kept)))
        metrics[name] = found.metrics
        notes.update(dict.fromkeys(found.notes))
    return ModelScores(metrics, tuple(notes))


def _number(case: Case) -> int:
    found: int = getattr(case.check, "document")  # noqa: B009 - of a check that types do not know
    return found


def _replies(
    store: Store, run: Run, plan: Plan, trial: PlannedTrial, last: StoredTrial | None
) -> Iterator[Reply]:
    """To all that a document asks; the stored trial has the last one."""
    if last is None or isinstance(last.reply, Failed):
        return
    for turn in range(len(trial.asked) - 1):
        number = store.find_answer(run, plan.request(trial, turn, ()).id)
        if number is not None:
            yield store.read_reply(number)
    yield last.reply


def _scores(
    found: HarnessScores,
    keys: Mapping[tuple[str, int], TrialKey],
    kept: Mapping[TrialKey, StoredTrial],
) -> Iterator[tuple[TrialKey, int, Score | None]]:
    for key, score in found.scores.items():
        stored = kept[keys[key]]
        if stored.score != score:
            yield stored.key, stored.reply_id, score
