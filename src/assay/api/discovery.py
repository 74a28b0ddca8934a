"""What is on this machine, for interfaces that let a user choose before a run."""

from collections.abc import Callable

from assay.machine import this_machine as this_machine
from assay.models.opening import read_spec as read_spec
from assay.sandbox import find_isolation as find_isolation
from assay.suites.default_suites import OF_CHECKPOINTS as OF_CHECKPOINTS
from assay.suites.default_suites import OF_SERVED as OF_SERVED
from assay.suites.load import find, load_suite
from assay.types.options import RunOptions
from assay.workflow.commands.discover.discovery import CheckpointFound as CheckpointFound
from assay.workflow.commands.discover.discovery import ModelFound as ModelFound
from assay.workflow.commands.discover.discovery import Room as Room
from assay.workflow.commands.discover.discovery import SuiteFound as SuiteFound
from assay.workflow.commands.discover.discovery import facts_of as facts_of
from assay.workflow.commands.discover.discovery import find_checkpoints as find_checkpoints
from assay.workflow.commands.discover.discovery import find_judges as find_judges
from assay.workflow.commands.discover.discovery import find_suites as find_suites
from assay.workflow.commands.discover.discovery import known_suites as known_suites
from assay.workflow.commands.discover.discovery import refuse_as_judge as refuse_as_judge
from assay.workflow.commands.discover.discovery import this_room as this_room
from assay.workflow.commands.discover.discovery import what_to_judge as what_to_judge
from assay.workflow.commands.discover.doctor import describe_hardware as describe_hardware
from assay.workflow.commands.discover.doctor import describe_judges as describe_judges
from assay.workflow.commands.discover.doctor import describe_ollama as describe_ollama
from assay.workflow.commands.discover.doctor import describe_server as describe_server
from assay.workflow.commands.discover.forecast import Forecast as Forecast
from assay.workflow.commands.discover.forecast import UnfinishedRun as UnfinishedRun
from assay.workflow.commands.discover.forecast import find_unfinished as find_unfinished
from assay.workflow.commands.discover.forecast import forecast as forecast_job
from assay.workflow.commands.discover.inventory import Inventory as Inventory
from assay.workflow.commands.discover.inventory import find_everything as find_everything
from assay.workflow.commands.discover.inventory import named_place as named_place
from assay.workflow.running.job import Job


def check_suite(name: str) -> None:
    """Raise every mistake in a suite, by its name or path."""
    load_suite(find(name))


def forecast(options: RunOptions, about_to_time: Callable[[str], None]) -> Forecast:
    """How many requests a run will make, and how long it will take."""
    return forecast_job(Job.of(options), about_to_time)
