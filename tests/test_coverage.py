"""docs/coverage.md names what meets each demand of the specifications; all of it must exist."""

import re
import shlex

import click
import pytest

import assay
from assay.interfaces.benchmark_script import command as benchmark_command
from assay.interfaces.cli import COMMANDS, load_command

# Demands that a reading of each specification counted. Fewer rows would mean that some were lost.
DEMANDS = {"CE": 134, "TF": 42, "JU": 95}

ROW = re.compile(r"^\| ([A-Z]{2})-(\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def rows(root):
    return ROW.findall((root / "docs" / "coverage.md").read_text("utf-8"))


def test_every_demand_has_a_row(rows):
    for prefix, count in DEMANDS.items():
        numbers = [int(number) for found, number, _, _ in rows if found == prefix]
        assert numbers == list(range(1, count + 1))


def test_whatever_a_row_names_exists(rows, root):
    missing = []
    for prefix, number, _, met_by in rows:
        names = re.findall(r"`([^`]+)`", met_by)
        if not names:
            missing.append(f"{prefix}-{number} names nothing")
        missing += [f"{prefix}-{number}: {name}" for name in names if not exists(name, root)]
    assert missing == []


@pytest.mark.parametrize(
    "name",
    [
        "assay dance",
        "assay run --dance",
        "run_benchmark.py --dance",
        "assay.dance",
        "src/assay/dance.py",
    ],
)
def test_what_does_not_exist_is_noticed(name, root):
    assert not exists(name, root)


def exists(name, root):
    """Tell whether a command with its options, a function or a file exists."""
    program, *words = shlex.split(name)
    if program == "assay":
        command_name, *words = words
        return command_name in COMMANDS and has_options(load_command(command_name), words)
    if program == "run_benchmark.py":
        return (root / program).is_file() and has_options(benchmark_command(), words)
    if program.startswith("assay."):
        return hasattr(assay, program.removeprefix("assay."))
    return (root / program).exists()


def has_options(command, words):
    known = set()
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            known.update(parameter.opts)
    options = {word for word in words if word.startswith("-")}
    return options <= known
