"""What is on this machine, for interfaces that let a user choose before a run."""

import os
from collections.abc import Sequence
from pathlib import Path

from assay.errors import UsageError
from assay.judge.family import same_model
from assay.machine import this_machine
from assay.messages import tr
from assay.models.opening import open_model, read_spec
from assay.suites.default_suites import OF_CHECKPOINTS, OF_SERVED
from assay.suites.load import find, load_suite
from assay.types import ModelFacts
from assay.types.inventory import FileFound as FileFound
from assay.types.inventory import ModelFound as ModelFound
from assay.types.options import RunOptions
from assay.types.results import MachineFinding
from assay.workflow.commands.discover.catalogue import SuiteFound as SuiteFound
from assay.workflow.commands.discover.catalogue import find_suites as find_suites
from assay.workflow.commands.discover.catalogue import known_suites as known_suites
from assay.workflow.commands.discover.doctor import (
    describe_hardware,
    describe_judges,
    describe_ollama,
    describe_server,
)
from assay.workflow.commands.discover.doctor import describe_size as describe_size
from assay.workflow.commands.discover.inventory import CheckpointFound as CheckpointFound
from assay.workflow.commands.discover.inventory import Inventory as Inventory
from assay.workflow.commands.discover.inventory import find_checkpoints as find_checkpoints
from assay.workflow.commands.discover.inventory import find_everything, this_room
from assay.workflow.commands.discover.inventory import find_judges as find_judges
from assay.workflow.commands.discover.requests_ahead import RequestsAhead as RequestsAhead
from assay.workflow.commands.discover.requests_ahead import count_requests as count_requests_of_job
from assay.workflow.running.job import Job
from assay.workflow.running.judging.panel import judged_cases


def find_models() -> tuple[Inventory, list[MachineFinding]]:
    """Return the models of servers and files, and the lines that a user sees before choosing."""
    room = this_room()
    inventory = find_everything(Path(), room)
    lines = [*describe_hardware(this_machine(), room), *describe_ollama(inventory.ollama)]
    for server in inventory.servers:
        # Of the other addresses only those that answer as a server of models, or were named.
        if server.kind or server.is_named:
            lines += describe_server(server)
    if inventory.models:
        lines.append(describe_judges(inventory))
    return inventory, lines


def usual_suites(models: Sequence[str]) -> tuple[str, ...]:
    """Return the shipped suites that are meant for such models."""
    schemes = {read_spec(spec).scheme for spec in models}
    return OF_CHECKPOINTS if schemes <= {"hf", "gguf"} else OF_SERVED


def facts_of(spec: str) -> ModelFacts:
    """Return the facts of a model that is there and writes; raise what is wrong with another."""
    names_scheme = read_spec(spec).scheme != "hf" or spec.startswith("hf:")
    if not names_scheme and not os.path.lexists(spec):
        raise UsageError(
            tr("{spec!r} names no kind of model and no file", spec=spec),
            hint=tr(
                "for Ollama write ollama:{name}, for the Hugging Face hub hf:ORG/NAME, for written "
                "answers scripted:FILE.json",
                name=spec,
            ),
        )
    model = open_model(spec)
    model.close()
    if "generate" not in model.facts.capabilities:
        raise UsageError(
            tr("{model} cannot write answers", model=spec),
            hint=tr("choose a model that generates text"),
        )
    return model.facts


def refuse_as_judge(spec: str, tested: Sequence[str]) -> None:
    """Raise if it is one of the tested models, or no model that writes."""
    judge = facts_of(spec)
    if any(same_model(judge, facts_of(other)) for other in tested):
        raise UsageError(
            tr("{model} would judge its own answers", model=spec),
            hint=tr("name another model, or choose none"),
        )


def check_suite(name: str) -> None:
    """Raise every mistake in a suite, by its name or path."""
    load_suite(find(name))


def count_judged_tests(suites: Sequence[str]) -> tuple[int, int]:
    """Return how many tests a judge reads, and of how many the checker runs code."""
    cases = judged_cases([load_suite(find(suite)) for suite in suites])
    checks = [case.check.judged for case in cases]
    return len(cases), sum(1 for check in checks if check and check.needs_permission)


def count_requests(options: RunOptions) -> RequestsAhead:
    """Count what a run will ask; raise every mistake of it."""
    return count_requests_of_job(Job.of(options))
