"""Which commands there are: the module of each, and its line in `assay --help`.

The table is apart from the commands, so that `assay --help` loads none of them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from assay.messages import Message, message


class CommandEntry(NamedTuple):
    """A command; `module` is beside this file."""

    module: str
    summary: Message


_EVALUATE: Mapping[str, CommandEntry] = {
    "run": CommandEntry(
        "run", message("Ask models the tests of suites, score the answers, and report.")
    ),
    "ask": CommandEntry(
        "run", message("Ask models your own prompts and show the answers side by side.")
    ),
    "judge": CommandEntry("run", message("Judge the answers of a run, or answers made elsewhere.")),
    "judge-check": CommandEntry(
        "run", message("Check on known answers whether a model is fit to be a judge.")
    ),
    "watch": CommandEntry("run", message("Evaluate each checkpoint of a folder as it appears.")),
    "demo": CommandEntry("demo", message("Show an evaluation of shipped models, offline.")),
}
_RESULTS: Mapping[str, CommandEntry] = {
    "report": CommandEntry("stored", message("Show the report of a run again.")),
    "compare": CommandEntry("stored", message("Compare runs or models, test by test.")),
    "leaderboard": CommandEntry("stored", message("Rank all models in the store, best first.")),
    "select": CommandEntry("stored", message("Select the best of evaluated checkpoints.")),
    "rescore": CommandEntry("stored", message("Score the stored answers of a run again.")),
    "export": CommandEntry("stored", message("Export the records of a run as JSONL or CSV.")),
}
_TESTS: Mapping[str, CommandEntry] = {
    "suites": CommandEntry("suites", message("List suites, or show one.")),
    "validate": CommandEntry("suites", message("Check test and gate files.")),
    "new-test": CommandEntry("suites", message("Write a test to begin with.")),
    "schema": CommandEntry(
        "suites",
        message("Print the JSON Schema of test, suite and gate files, and of reports."),
    ),
    "fetch": CommandEntry("suites", message("Fetch the benchmarks MMLU and HellaSwag.")),
}
_MACHINE: Mapping[str, CommandEntry] = {
    "doctor": CommandEntry("demo", message("Show what this machine can do and what is missing.")),
}
COMMAND_GROUPS: Mapping[Message, Mapping[str, CommandEntry]] = {
    message("Evaluate"): _EVALUATE,
    message("Results"): _RESULTS,
    message("Tests"): _TESTS,
    message("Machine"): _MACHINE,
}
COMMANDS: Mapping[str, CommandEntry] = {**_EVALUATE, **_RESULTS, **_TESTS, **_MACHINE}
