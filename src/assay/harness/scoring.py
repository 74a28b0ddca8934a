"""Replies back to the harness: its filters, `process_results`, aggregation and groups, untouched.
In: for each document the replies to what was asked. Out: every metric with our interval, a Score
for each document, and what the harness warned of.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.harness.documents import documents_of, works_of
from assay.harness.intervals import SHARE, is_number, metric_estimate
from assay.harness.needed import needed, quietly
from assay.harness.tasks import HarnessTasks
from assay.messages import tr, trn
from assay.stats import estimates
from assay.types import (
    Answered,
    AsWritten,
    ChoiceLikelihoods,
    Estimate,
    Reply,
    Score,
    ScorePart,
    ToScore,
)

Key = tuple[str, int]  # task, number of the document
NO_FILTER = "none"
THOUGHT, ENDS_THOUGHT = "<think>", "</think>"
LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessScores:
    """`metrics`: by TASK/METRIC, the harness's order; `scores`: of the documents."""

    metrics: Mapping[str, Estimate]
    scores: Mapping[Key, Score]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _TaskResults:
    """`values`: by metric and filter, of each document that has it; `documents`: by number."""

    task: Any
    values: dict[tuple[str, str], list[Any]] = field(default_factory=lambda: defaultdict(list))
    documents: dict[int, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    read: dict[int, str] = field(default_factory=dict)


def score_answers(
    of: HarnessTasks, replies: Mapping[Key, Sequence[Reply]], missing: Mapping[str, int]
) -> HarnessScores:
    """`missing`: by task, how many documents were asked and have no answer."""
    results: dict[str, _TaskResults] = {}
    with quietly() as warned:
        for name, task in of.tasks.items():
            kept = _give_back(name, task, replies)
            if kept:
                results[name] = _processed(task, kept)
        values = _aggregated(of, results)
    of_tasks = {
        each: estimate
        for name, found in results.items()
        for each, estimate in _of_task(name, found, values[name], missing.get(name, 0)).items()
    }
    metrics = {**_of_groups(of, values, of_tasks), **of_tasks}
    scores = {
        (name, number): _score(name, found, number, metrics)
        for name, found in results.items()
        for number in found.documents
    }
    notes = [tr("lm-evaluation-harness warns: {text}", text=text) for text in warned]
    return HarnessScores(
        metrics=metrics, scores=scores, notes=(*notes, *_unfinished_thoughts(replies))
    )


def _give_back(
    name: str, task: Any, replies: Mapping[Key, Sequence[Reply]]
) -> list[tuple[int, list[Any]]]:
    """The documents that have all their answers, each with what it asked."""
    kept = []
    for number, instances in documents_of(task):
        if (given := replies.get((name, number))) is None:
            continue
        for instance in instances:
            instance.resps, instance.filtered_resps = [], {}
        for (work, askers), reply in zip(works_of(name, instances), given, strict=True):
            _hand_over(work, askers, reply)
        kept.append((number, instances))
    return kept


def _hand_over(work: AsWritten, askers: Sequence[Any], reply: Reply) -> None:
    if isinstance(reply, ChoiceLikelihoods):
        greedy = reply.greedy or (False,) * len(reply.log_likelihoods)
        rolling = isinstance(work, ToScore) and work.rolling
        found = zip(reply.log_likelihoods, greedy, strict=True)
        for asker, (value, best) in zip(askers, found, strict=True):
            asker.resps += [value if rolling else (value, best)] * asker.repeats
    elif isinstance(reply, Answered):
        (asker,) = askers
        texts = list(reply.predictions or (reply.text,))
        asker.resps += texts if len(texts) > 1 else texts * asker.repeats


def _processed(task: Any, kept: Sequence[tuple[int, list[Any]]]) -> _TaskResults:
    """As `evaluate` does it, over the documents that were answered."""
    before, found = task._instances, _TaskResults(task)
    task._instances = [each for _, instances in kept for each in instances]
    try:
        task.apply_filters()
        for name in task.instances[0].filtered_resps:
            for number, instances in kept:
                answers = [each.filtered_resps[name] for each in instances]
                for metric, value in task.process_results(instances[0].doc, answers).items():
                    found.values[metric, name].append(value)
                    found.documents[number][_named(metric, name)] = value
                found.documents[number]  # one without metrics is a document too
                found.read.setdefault(number, _answer_read(instances, answers))
    finally:
        task._instances = before
    return found


def _named(metric: str, filter_name: str) -> str:
    return metric if filter_name == NO_FILTER else f"{metric},{filter_name}"


def _answer_read(instances: Sequence[Any], answers: Sequence[Any]) -> str:
    """What the first filter made of the answer: a text, or the likeliest continuation."""
    if all(isinstance(each, tuple) and len(each) == 2 for each in answers) and len(answers) > 1:
        best = max(range(len(answers)), key=lambda place: answers[place][0])
        same = len({each.args[1] for each in instances}) == 1
        return str(instances[best].args[0 if same else 1]).strip()[-LONGEST:]
    return str(answers[0])[:LONGEST] if isinstance(answers[0], str) else ""


def _aggregated(of: HarnessTasks, results: Mapping[str, _TaskResults]) -> dict[str, dict[str, Any]]:
    """Its own figures of tasks and groups; a group of which a task is missing has none."""
    utils = needed("lm_eval.evaluator_utils")
    collected = {
        name: {"task": found.task, "raw_metrics": found.values, "logged_samples": []}
        for name, found in results.items()
    }
    whole = {
        name: group
        for name, group in of.groups.items()
        if all(task.task_name in results for task in group.get_all_tasks())
    }
    found: dict[str, dict[str, Any]] = utils._process_results(collected, whole, 0).metrics
    return found


def _of_task(
    name: str, found: _TaskResults, values: Mapping[str, Any], missing: int
) -> dict[str, Estimate]:
    mean = needed("lm_eval.api.metrics").mean
    estimates_of = {}
    for (metric, filter_name), items in found.values.items():
        value: Any = values.get(f"{metric},{filter_name}")
        if is_number(value):
            aggregate = found.task.aggregation().get(metric, mean)
            estimates_of[f"{name}/{_named(metric, filter_name)}"] = metric_estimate(
                metric, items, aggregate, float(value), missing
            )
    return estimates_of


def _of_groups(
    of: HarnessTasks,
    values: Mapping[str, Mapping[str, Any]],
    of_tasks: Mapping[str, Estimate],
) -> dict[str, Estimate]:
    """The harness's value, with an interval made of those of its tasks."""
    found: dict[str, Estimate] = {}
    for name, group in of.groups.items():
        if name not in values:
            continue
        by_size = {each.metric: each.weight_by_size for each in group.aggregate_metric_list or ()}
        for key, value in values[name].items():
            metric, _, filter_name = key.partition(",")
            if metric not in by_size or not filter_name or not is_number(value):
                continue
            named = _named(metric, filter_name)
            known = [of_tasks.get(f"{task.task_name}/{named}") for task in group.get_all_tasks()]
            parts = [each for each in known if each is not None]
            weights = [float(each.n) if by_size[metric] else 1.0 for each in parts]
            unit = SHARE if all(each.unit == SHARE for each in parts) else ""
            mean = estimates.weighted(list(zip(parts, weights, strict=True)), scale=1.0, unit=unit)
            if mean.n:
                found[f"{name}/{named}"] = replace(mean, value=float(value))
    return found


def _score(task: str, found: _TaskResults, number: int, metrics: Mapping[str, Estimate]) -> Score:
    """The first metric from 0 to 1 that a document has by itself."""
    known = found.documents[number]
    numbers = {name: float(value) for name, value in known.items() if is_number(value)}
    first = next(
        (
            value
            for name, value in numbers.items()
            if 0.0 <= value <= 1.0
            and (of := metrics.get(f"{task}/{name}")) is not None
            and of.unit == SHARE
        ),
        None,
    )
    told = ", ".join(f"{name} {value:.6g}" for name, value in numbers.items())
    if first is None:
        why = tr("no_document_score: {task} is scored over all documents.", task=task)
        told = f"{why} {told}".strip()
    return Score(
        scorer="lm_eval",
        version=1,
        value=first,
        unscored_reason="no_document_score" if first is None else None,
        extracted=found.read.get(number) or None,
        explanation=told,
        parts=tuple(ScorePart(name=name, value=value) for name, value in numbers.items()),
    )


def _unfinished_thoughts(replies: Mapping[Key, Sequence[Reply]]) -> list[str]:
    texts = [
        text
        for given in replies.values()
        for reply in given
        if isinstance(reply, Answered)
        for text in reply.predictions or (reply.text,)
    ]
    count = sum(THOUGHT in text and ENDS_THOUGHT not in text for text in texts)
    if not count:
        return []
    return [
        trn(
            "{count} answer of {all} never ended its thoughts, which were scored instead",
            "{count} answers of {all} never ended their thoughts, which were scored instead",
            count,
            all=len(texts),
        )
    ]
