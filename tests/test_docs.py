"""The pages are tied to the code: what a user can type is documented, and links lead somewhere."""

import re

import pytest

from assay.interfaces.cli import COMMANDS, load_command


def pages(root):
    return [root / "README.md", root / "README.fr.md", *sorted((root / "docs").rglob("*.md"))]


@pytest.fixture(scope="module")
def written(root):
    return "\n".join(page.read_text("utf-8") for page in pages(root))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(written, name):
    assert f"assay {name}" in written
    for parameter in load_command(name).params:
        for option in parameter.opts:
            if option.startswith("--"):
                assert option in written, option


def test_every_exit_code_is_documented(root):
    text = (root / "docs" / "reference" / "exit-codes.md").read_text("utf-8")
    assert all(f"`{code}`" in text or f"| {code} |" in text for code in (0, 1, 2, 3, 130))


def test_every_link_between_pages_leads_somewhere(root):
    broken = []
    for page in pages(root):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(root)} -> {target}")
    assert broken == []


def test_every_source_file_that_a_page_names_exists(root):
    folders = ("src", "tests", "tests_around", "benchmarks", "scripts", "examples")
    known = [path.as_posix() for folder in folders for path in (root / folder).rglob("*.py")]
    missing = [
        f"{page.relative_to(root)} -> {name}"
        for page in pages(root)
        for name in re.findall(r"`((?:src|\w+)/[\w/]+\.py)`", page.read_text("utf-8"))
        if not any(path.endswith(f"/{name}") for path in known)
    ]
    assert missing == []


def test_every_page_is_reached_from_the_index(root):
    docs = root / "docs"
    index = (docs / "index.md").read_text("utf-8")
    paths = [page.relative_to(docs).as_posix() for page in docs.rglob("*.md")]
    missing = [
        path
        for path in paths
        if f"({path})" not in index and not path.startswith("decisions/") and path != "index.md"
    ]
    assert missing == [], "add a line for each to docs/index.md"


def test_every_decision_is_listed(root):
    folder = root / "docs" / "decisions"
    listed = (folder / "README.md").read_text("utf-8")
    missing = [page.name for page in folder.glob("*.md") if f"({page.name})" not in listed]
    assert [name for name in missing if name != "README.md"] == []


@pytest.mark.parametrize("name", ["README.md", "README.fr.md"])
def test_the_two_commands_are_the_first_code_in_the_readme(root, name):
    first = re.search(r"```\w*\n(.*?)```", (root / name).read_text("utf-8"), re.DOTALL)
    assert first is not None
    assert "make demo" in first[1]
    assert "make test" in first[1]
