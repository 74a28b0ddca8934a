"""What is on this machine: models, checkpoints, suites and judges to choose from, and its limits.

In: a folder, an address, names. Out: the records of `workflow.discover`, for interfaces that let a
user choose before a run.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.machine import this_machine
from assay.models.opening import read_spec
from assay.sandbox import find_isolation
from assay.suites.catalogue import find
from assay.suites.load import load_suite
from assay.types.options import RunOptions
from assay.workflow.discover.choices import (
    JudgeCandidate,
    ToJudge,
    facts_of,
    judge_candidates,
    refuse_as_judge,
    what_to_judge,
)
from assay.workflow.discover.discovery import (
    CheckpointFound,
    ModelFound,
    OllamaFound,
    Room,
    SuiteFound,
    find_checkpoints,
    find_judges,
    find_ollama,
    find_suites,
    this_room,
)
from assay.workflow.discover.forecast import Forecast
from assay.workflow.discover.forecast import forecast as forecast_job
from assay.workflow.evaluate.job import Job

__all__ = [
    "CheckpointFound",
    "Forecast",
    "JudgeCandidate",
    "ModelFound",
    "OllamaFound",
    "Room",
    "SuiteFound",
    "ToJudge",
    "check_suite",
    "facts_of",
    "find_checkpoints",
    "find_isolation",
    "find_judges",
    "find_ollama",
    "find_suites",
    "forecast",
    "judge_candidates",
    "read_spec",
    "refuse_as_judge",
    "this_machine",
    "this_room",
    "what_to_judge",
]


def check_suite(name: str) -> None:
    """Raise every mistake in a suite, by its name or path."""
    load_suite(find(name))


def forecast(options: RunOptions, about_to_time: Callable[[str], None]) -> Forecast:
    """How many requests a run will make, and how long it will take."""
    return forecast_job(Job.of(options), about_to_time)
