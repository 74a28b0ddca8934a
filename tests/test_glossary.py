"""One word for one thing: what users read keeps to the glossary."""

import ast
import re

import click
import pytest
from jinja2 import Environment, nodes

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
    """Names of the contract are exempt, and so are the names of gaps."""
    text = re.sub(r"\{\w+(?:!r)?\}|VERDICT|pass mark|byte order mark", "", text)
    return [found[0] for found in avoided.finditer(text)]


def test_names_of_the_contract_and_parts_of_words_are_no_misuse(avoided):
    assert misuses("VERDICT: Markdown with a pass_mark, `told` and remarks", avoided) == []
    assert misuses("Ask so many tests and mark them", avoided) == ["so many", "mark"]


@pytest.mark.parametrize("name", [*COMMANDS, "assay", "run_benchmark.py"])
def test_help_texts_keep_to_the_glossary(name, avoided):
    commands = {"assay": group, "run_benchmark.py": benchmark_command}
    command = commands[name]() if name in commands else load_command(name)
    text = command.get_help(click.Context(command, info_name=name))
    assert misuses(text, avoided) == []


# Replaced as a whole in the parts to come, messages included.
LEAVING = ("health",)


def test_messages_keep_to_the_glossary(root, avoided):
    wrong = []
    for path in sorted((root / "src" / "assay").rglob("*.py")):
        if set(LEAVING) & set(path.parts):
            continue
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
            for said in call.args[: {"tr": 1, "trn": 2}.get(name, 0)] if name else ():
                found = misuses(said.value, avoided) if isinstance(said, ast.Constant) else []
                wrong += [f"{path.relative_to(root)}:{said.lineno}: {word}" for word in found]
    assert wrong == []


def test_pages_of_the_viewer_keep_to_the_glossary(root, avoided):
    wrong = []
    for path in sorted((root / "src" / "assay").rglob("*.j2")):
        for call in Environment().parse(path.read_text("utf-8")).find_all(nodes.Call):
            if getattr(call.node, "name", "") not in ("tr", "trn"):
                continue
            said = [each for each in call.args[:2] if isinstance(getattr(each, "value", 0), str)]
            assert said, f"{path}:{call.lineno}: not a literal"
            wrong += [
                f"{path.name}: {word}" for each in said for word in misuses(each.value, avoided)
            ]
    assert wrong == []


def test_headings_of_the_docs_keep_to_the_glossary(root, avoided):
    wrong = []
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for line in page.read_text("utf-8").splitlines():
            if line.startswith("#"):
                wrong += [f"{page.name}: {line}: {word}" for word in misuses(line, avoided)]
    assert wrong == []
