"""Tasks to a Suite: every document is a test, every leaf task a category. What is asked of a model
for a document stands in its check.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from hashlib import sha256
from itertools import groupby
from typing import Any

from assay.errors import UsageError
from assay.harness.generation import read_generation
from assay.harness.needed import PREFIX, version
from assay.harness.tasks import OTHER_SEED, HarnessTasks
from assay.messages import tr
from assay.types import AsWritten, Case, Category, Message, Suite, ToContinue, ToScore
from assay.types.tests import find_check

NO_NAME = re.compile(r"[^\w-]+")
LONGEST_TARGET = 500


def as_suite(of: HarnessTasks) -> Suite:
    document: Any = find_check("lm_eval")
    name = PREFIX + of.name
    categories: list[Category] = []
    asked: list[str] = []
    for task_name, task in of.tasks.items():
        cases = []
        width = len(str(max(each.doc_id for each in task.instances)))
        for number, instances in documents_of(task):
            works = tuple(work for work, _ in works_of(task_name, instances))
            digest = _digest(works)
            asked.append(digest)
            check = document(
                task=task_name, document=number, asked=digest, works=works,
                target=_target(task, instances[0].doc),
            )  # fmt: skip
            cases.append(
                Case(
                    id=f"{NO_NAME.sub('_', task_name)}_{number:0{width}d}",
                    suite=name,
                    category=task_name,
                    messages=(Message("user", _shown(task, instances)),),
                    check=check,
                )
            )
        categories.append(Category(name=task_name, cases=tuple(cases)))
    return Suite(
        name=name,
        path=name,
        categories=tuple(categories),
        version=_version(of),
        weights=_weights(of),
        pass_mark=0.5,
        source=sha256("".join(asked).encode()).hexdigest(),
    )


def documents_of(task: Any) -> Iterator[tuple[int, list[Any]]]:
    """By its number, what is asked for each document, in the harness's order."""
    for number, some in groupby(task.instances, key=lambda each: each.doc_id):
        yield number, sorted(some, key=lambda each: each.idx)


def works_of(task: str, instances: Sequence[Any]) -> Iterator[tuple[AsWritten, list[Any]]]:
    """What is put to the model, and whose replies it gives: all likelihoods of a document are one
    request.
    """
    for kind, some in groupby(instances, key=lambda each: each.request_type):
        held = list(some)
        if kind == "loglikelihood":
            pairs = [each.args for each in held]
            texts = tuple(
                (context, tuple(continuation for _, continuation in of))
                for context, of in groupby(pairs, key=lambda pair: pair[0])
            )
            yield ToScore(texts=texts), held
        elif kind == "loglikelihood_rolling":
            for each in held:
                yield ToScore(texts=(("", (each.args[0],)),), rolling=True), [each]
        elif kind == "generate_until":
            yield from ((_continued(task, each), [each]) for each in held)
        else:
            raise UsageError(
                tr("lm-eval:{task} cannot be asked: {why}", task=task,
                   why=tr("it has requests of the kind {kind}", kind=kind)),
                hint=tr("choose a task of text"),
            )  # fmt: skip


def _continued(task: str, instance: Any) -> ToContinue:
    context, given = instance.args
    try:
        how = read_generation(given)
        if how.whole is not None:
            raise UsageError(tr("texts cannot be generated with {names} here", names="max_length"))
    except UsageError as error:
        hint = tr("take it out of the task's generation_kwargs")
        raise UsageError(
            tr("lm-eval:{task} cannot be asked: {why}", task=task, why=error.message), hint=hint
        ) from error
    body = json.dumps([context, how.temperature, how.max_tokens, how.until])
    first = OTHER_SEED + int(sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:12], 16)
    return ToContinue(
        text=context,
        max_tokens=how.max_tokens,
        stop=how.until,
        temperature=how.temperature,
        seeds=tuple(first + number for number in range(instance.repeats)),
        top_k=how.top_k,
        top_p=how.top_p,
    )


def _digest(works: Sequence[AsWritten]) -> str:
    body = json.dumps([asdict(work) for work in works])
    return sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _shown(task: Any, instances: Sequence[Any]) -> str:
    """The document's own question, without the examples before it, where there is one."""
    try:
        text = task.doc_to_text(instances[0].doc)
    except (NotImplementedError, KeyError, TypeError, ValueError):
        text = None
    return text if isinstance(text, str) and text.strip() else str(instances[0].args[0])


def _target(task: Any, doc: Any) -> str:
    try:
        target = task.doc_to_target(doc)
        choices = task.doc_to_choice(doc) if isinstance(target, int) else None
    except (NotImplementedError, AttributeError, KeyError, TypeError, ValueError, IndexError):
        return ""
    if choices and isinstance(target, int) and 0 <= target < len(choices):
        target = choices[target]
    return str(target)[:LONGEST_TARGET]


def _version(of: HarnessTasks) -> str:
    shots = sorted({int(task.get_config("num_fewshot") or 0) for task in of.tasks.values()})
    told = (task.get_config("metadata") or {} for task in of.tasks.values())
    versions = sorted({str(each["version"]) for each in told if "version" in each})
    parts = [f"lm-evaluation-harness {version()}"]
    parts += [f"task version {', '.join(versions)}"] if versions else []
    return ", ".join([*parts, f"{', '.join(map(str, shots))}-shot"])


def _weights(of: HarnessTasks) -> dict[str, float]:
    """Of each leaf task in its group, as the harness weighs them."""
    group = of.groups.get(of.name)
    if group is None or not group.has_aggregation or len(of.tasks) < 2:
        return {}
    by_size = group.aggregate_metric_list[0].weight_by_size
    return {
        name: float(len({each.doc_id for each in task.instances})) if by_size else 1.0
        for name, task in of.tasks.items()
    }
