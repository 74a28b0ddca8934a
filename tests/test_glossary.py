"""One word for one thing: what users read keeps to the glossary."""

import re

import click
import pytest

from assay.interfaces.benchmark_script import command as benchmark_command
from assay.interfaces.cli import COMMANDS, group, load_command


@pytest.fixture(scope="module")
def avoided(root):
    """The words of the column "never", as one pattern: whole words, and no part of a name."""
    page = (root / "docs" / "reference" / "glossary.md").read_text("utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    words = {word.strip() for row in rows[1:] for word in row[3].split(",") if word.strip()}
    assert len(words) > 30
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"(?<![\w`./-])(?:{'|'.join(longest_first)})(?![\w`/-])", re.IGNORECASE)


def misuses(text, avoided):
    """VERDICT is a label of the contract; other capitals are not exempt."""
    return [found[0] for found in avoided.finditer(text) if found[0] != "VERDICT"]


def test_names_of_the_contract_and_parts_of_words_are_no_misuse(avoided):
    assert misuses("VERDICT: Markdown with a pass_mark, `told` and remarks", avoided) == []
    assert misuses("Ask so many tests and mark them", avoided) == ["so many", "mark"]


@pytest.mark.parametrize("name", [*COMMANDS, "assay", "run_benchmark.py"])
def test_help_texts_keep_to_the_glossary(name, avoided):
    commands = {"assay": group, "run_benchmark.py": benchmark_command}
    command = commands[name]() if name in commands else load_command(name)
    text = command.get_help(click.Context(command, info_name=name))
    assert misuses(text, avoided) == []
