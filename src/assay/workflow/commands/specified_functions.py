"""The functions that the specification has by name, each one figure of `evaluate_model`;
`compute_perplexity` is in text_perplexity.py.

A `model` is a spec or path, a loaded model of transformers, or the pair (model, tokenizer). A
loaded one is evaluated with the weights that it has now. The store of a call is not kept unless
`out` is given.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from assay.arguments import takes_options
from assay.checks.health.examine import examine
from assay.checks.scoring import score_reply
from assay.errors import AssayError, UsageError
from assay.files.wording import did_you_mean
from assay.messages import tr
from assay.models.local.loaded import is_loaded
from assay.models.local.saved import saved_model
from assay.suites.load import OWN_CATEGORIES, find, load_suite
from assay.types import Answered, Case, Score, Suite
from assay.types.decisions import OS_AVERAGED, OS_SUITE
from assay.types.measures import with_parts
from assay.types.options import DEFAULT_OUT, CheckpointCallOptions
from assay.types.options_class import options_class
from assay.workflow.commands.single_checkpoint import as_sample, evaluate_model

QUALITY = ("length", "loop", "repetition", "nonsense", "coherence", "technical_terms")
SUBSETS = {"mmlu": "computer_science", "hellaswag": "technical"}


@options_class()
class MmluOptions(CheckpointCallOptions):
    model: object
    subset: str = SUBSETS["mmlu"]


@options_class()
class HellaSwagOptions(CheckpointCallOptions):
    model: object
    subset: str = SUBSETS["hellaswag"]


@options_class()
class OsBenchmarkOptions(CheckpointCallOptions):
    model: object
    path: str | Path | None = None


@takes_options(MmluOptions)
def run_mmlu_benchmark(options: MmluOptions) -> float:
    """The share of right answers to the computer science part of MMLU, from 0 to 1.

    It has to be fetched before: `assay fetch mmlu`.
    Example: `assay.run_mmlu_benchmark("runs/my-model/step_10", "computer_science")`.
    """
    _check_subset("mmlu", options.subset)
    return _figure(options, "mmlu", "mmlu_cs")


@takes_options(HellaSwagOptions)
def run_hellaswag_benchmark(options: HellaSwagOptions) -> float:
    """The share of right endings in the technical part of HellaSwag, from 0 to 1.

    It has to be fetched before: `assay fetch hellaswag`.
    Example: `assay.run_hellaswag_benchmark(model, "technical")`.
    """
    _check_subset("hellaswag", options.subset)
    return _figure(options, "hellaswag", "hellaswag")


@takes_options(OsBenchmarkOptions)
def run_os_benchmark(options: OsBenchmarkOptions) -> dict[str, float | None]:
    """The shares of the OS benchmark: hardware_id, driver_select, command_complete, installation
    and avg, the mean of the first three.

    `path`: a folder of files that take the place of the shipped ones of their names.
    Example: `assay.run_os_benchmark(model, "SLM/datasets/benchmarks/custom_os_eval/")["avg"]`.
    """
    with _benchmarks_with(options.path, options.benchmarks) as benchmarks:
        report = _report(replace(options, benchmarks=benchmarks), "os_benchmark")
    found: dict[str, float | None] = report["os_benchmark"]
    return found


def compute_weighted_score(metrics: Mapping[str, Any]) -> float:
    """One score of the figures that evaluation_report.json has, by the specification's formula.

    0.4 · 10 / perplexity + 0.3 · os_benchmark + 0.2 · mmlu_cs + 0.1 · inference_speed / 50. Without
    `os_benchmark["avg"]` the mean of its three tasks counts. What is missing or None adds 0.
    Example: `max(reports, key=assay.compute_weighted_score)`.
    """
    figures = {**metrics, "os_benchmark": _os_average(metrics.get("os_benchmark"))}
    score = 0.0
    for each in with_parts():
        value = figures.get(each.keys[0].name if each.keys else each.name)
        if value is None:
            continue
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or (each.better == "lower" and value <= 0):
            raise UsageError(
                tr("{name} cannot be {value!r}", name=each.name, value=value),
                hint=tr("give the figures as evaluation_report.json has them"),
            )
        score += each.weight * each.counted(float(value))
    return score


def check_generation_quality(prompt: str, generation: str) -> bool:
    """Whether a generated text has 11 to 199 words, does not repeat itself, is no nonsense, hangs
    together and uses technical terms. What cannot be said of a text is not held against it.

    Example: `assay.check_generation_quality("PCI device 8086:10d3 is", text)`.
    """
    checks = examine(as_sample(prompt), generation).checks
    return all(each.passed is not False for each in checks if each.name in QUALITY)


def score(
    test: str | Mapping[str, Any] | Case, answer: str, suite: str | Path | Suite | None = None
) -> Score:
    """Score one answer to one test; no model is asked and nothing is stored.

    `test`: an id, with its `suite` or as SUITE/ID; or a test as test files have it, which takes the
    language, words and scoring of `suite`, if one is named. What only a judge or a checker can
    score is unscored, and says so. Example: `assay.score("example/arithmetic_001", "12").value`.
    """
    case = test if isinstance(test, Case) else _find_case(test, suite)
    found = score_reply(case, Answered(request_id=case.id, text=answer))
    assert found is not None  # only a request that failed has none
    return found


def _find_case(test: str | Mapping[str, Any], suite: str | Path | Suite | None) -> Case:
    if not isinstance(test, str):
        return _made_case(test, suite)
    name = test
    if suite is None:
        suite, slash, name = test.rpartition("/")
        if not slash:
            raise UsageError(
                tr("which suite has the test '{test}'?", test=test),
                hint=tr("name it: suite=..., or SUITE/{test}", test=test),
            )
    loaded = _loaded_suite(suite)
    cases = {case.id: case for case in loaded.cases}
    if name not in cases:
        problem = tr("{suite} has no test '{test}'", suite=loaded.name, test=name)
        raise UsageError(did_you_mean(problem, name, [*cases]))
    return cases[name]


def _made_case(test: Mapping[str, Any], suite: str | Path | Suite | None) -> Case:
    with TemporaryDirectory(prefix="assay-") as folder:
        file = Path(folder, "tests.json")
        file.write_text(json.dumps([{"id": "test_001", **test}]), "utf-8")
        (case,) = load_suite(file).cases
    if suite is None:
        return case
    of = next(iter(_loaded_suite(suite).cases))
    return replace(case, language=of.language, words=of.words, scoring=of.scoring)


def _loaded_suite(suite: str | Path | Suite) -> Suite:
    return suite if isinstance(suite, Suite) else load_suite(find(str(suite)))


Call = TypeVar("Call", MmluOptions, HellaSwagOptions, OsBenchmarkOptions)


def _figure(options: Call, metric: str, key: str) -> float:
    report = _report(options, metric)
    value: float | None = report[key]
    if value is None:
        why = report["details"]["not_measured"].get(key, "")
        raise AssayError(tr("{name} could not be measured: {why}", name=key, why=why or "-"))
    return value


def _report(options: Call, metric: str) -> dict[str, Any]:
    shared = {
        name: value
        for name, value in vars(options).items()
        if name in CheckpointCallOptions.__dataclass_fields__
    }
    with TemporaryDirectory(prefix="assay-") as folder:
        if Path(options.out) == Path(DEFAULT_OUT):
            shared["out"] = Path(folder, "out")
        if not is_loaded(options.model):
            if not isinstance(options.model, str | Path):
                raise UsageError(
                    tr("a model is a name or path, a loaded model, or the pair (model, tokenizer)")
                )
            return evaluate_model(options.model, metrics=[metric], **shared)
        with saved_model(options.model) as saved:
            shared["device"] = options.device or saved.device
            return evaluate_model(saved.path, metrics=[metric], **shared)


def _check_subset(suite: str, subset: str) -> None:
    if subset != SUBSETS[suite]:
        raise UsageError(
            tr("{suite} has no part '{subset}' here", suite=suite, subset=subset),
            hint=tr("its part is '{subset}'", subset=SUBSETS[suite]),
        )


def _os_average(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    if given.get("avg") is not None:
        return given["avg"]
    tasks: list[Any] = [given.get(task) for task in OS_AVERAGED]
    return None if None in tasks else sum(tasks) / len(tasks)


@contextmanager
def _benchmarks_with(path: str | Path | None, given: Path | None) -> Iterator[Path | None]:
    """The folder of benchmarks in which the files of a folder are those of custom_os_eval."""
    if path is None:
        yield given
        return
    folder = Path(path)
    if not folder.is_dir():
        raise UsageError(
            tr("there is no folder '{path}'", path=str(folder)),
            hint=tr(
                "it holds the files hardware_id.json, driver_select.json, command_complete.json "
                "and installation.json"
            ),
        )
    with TemporaryDirectory(prefix="assay-") as made:
        shutil.copytree(folder, Path(made, OWN_CATEGORIES[OS_SUITE]))
        yield Path(made)
