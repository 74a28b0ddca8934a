"""Which commands there are, by groups: the module of each (beside this file), and its line in
`assay --help`, which loads none of them.
"""

import importlib
from collections.abc import Mapping

import click

from assay.messages import Message, message

COMMAND_GROUPS: Mapping[Message, Mapping[str, tuple[str, Message]]] = {
    message("Evaluate"): {
        "run": ("run", message("Run test suites on models, score the answers and report.")),
        "ask": ("run", message("Ask models your own prompts and show the answers side by side.")),
        "judge": ("run", message("Judge the answers of a run or made elsewhere; check a judge.")),
        "speed": ("run", message("Measure speed and memory at several context depths.")),
        "drift": ("run", message("Measure how far a model's predictions moved from its base.")),
        "quants": ("run", message("Compare quantised files of a model, and say which to keep.")),
        "watch": ("run", message("Evaluate each checkpoint of a folder as it appears.")),
        "loop": ("run", message("Train, evaluate and adjust in rounds until one is accepted.")),
        "demo": ("demo", message("Show an evaluation of shipped models, offline.")),
    },
    message("Results"): {
        "view": ("view", message("Show runs, tests and answers in the browser.")),
        "runs": ("stored", message("List all runs in the store, and prune unused data.")),
        "report": ("stored", message("Show the report of a run again.")),
        "compare": ("stored", message("Compare runs or models, test by test.")),
        "leaderboard": ("stored", message("Rank all models in the store, best first.")),
        "select": ("stored", message("Select the best evaluated checkpoint.")),
        "rescore": ("stored", message("Score the stored answers of a run again.")),
        "export": ("stored", message("Export the records of a run as JSONL or CSV.")),
    },
    message("Tests"): {
        "suites": ("suites", message("List suites, or show one and its tests.")),
        "validate": ("suites", message("Check test and gate files.")),
        "new-suite": (
            "suites",
            message("Create a starter suite or test, or convert a table to a suite."),
        ),
        "schema": (
            "suites",
            message("Print the JSON Schema of test, suite and gate files, and of reports."),
        ),
        "fetch": (
            "suites",
            message("Fetch MMLU or HellaSwag, or write the files of the os suite."),
        ),
    },
    message("Machine"): {
        "record": ("record", message("Record an application's calls as a test suite.")),
        "mcp": ("mcp", message("Serve Assay's tools to agents over MCP.")),
        "doctor": ("demo", message("Show what this machine can do and what is missing.")),
    },
}
COMMANDS = {name: entry for group in COMMAND_GROUPS.values() for name, entry in group.items()}


def load_command(name: str) -> click.Command:
    module, _ = COMMANDS[name]
    loaded = importlib.import_module(f"assay.interfaces.cli.{module}")
    command: click.Command = getattr(loaded, name.replace("-", "_"))
    return command
