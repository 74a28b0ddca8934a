"""docs/tests.md is the whole format: a field or method that it leaves out fails here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from assay.suites.fields import (
    COMMON,
    COMPOSITE_PARTS,
    DEFAULTS,
    FORMAT_RULES,
    METHODS,
    METHODS_OF,
    SUITE_KEYS,
)
from assay.suites.load import examine
from assay.types import LANGUAGES, MARKDOWN_ELEMENTS


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "tests.md").read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    found = re.search(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL
    )
    assert found, f"no section {heading!r}"
    return found.group(1)


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Fields of every test", COMMON),
        ("eval_method", [*METHODS, *METHODS_OF, *COMPOSITE_PARTS]),
        ("Format rules", [*FORMAT_RULES, *MARKDOWN_ELEMENTS, *LANGUAGES]),
        ("suite.json", SUITE_KEYS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_name_of_the_format_stands_in_its_section(
    page: str, heading: str, names: list[str]
) -> None:
    text = section(page, heading)
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_method_is_listed_with_its_own_fields(page: str) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", section(page, "eval_method"), re.MULTILINE))
    for name, method in METHODS.items():
        assert [field for field in method.fields if f"`{field}`" not in rows[name]] == []


def test_every_default_is_told(page: str) -> None:
    for name, value in DEFAULTS.items():
        written = json.dumps(value).strip('"')
        line = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert f"(default {written}" in line, name


def test_the_examples_on_the_page_are_valid(page: str, tmp_path: Path) -> None:
    examples = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(examples) >= 3
    tests: list[object] = []
    for text in examples:
        value = json.loads(text)
        if isinstance(value, list):
            tests += value
        else:
            (tmp_path / "suite.json").write_text(text)
    (tmp_path / "cultural.json").write_text(json.dumps(tests))
    assert [str(finding) for finding in examine([tmp_path])] == []


def test_the_findings_on_the_page_are_what_validate_prints(page: str, tmp_path: Path) -> None:
    broken, printed = re.findall(
        r"^```(?:jsonc|text)\n(.*?)^```", section(page, "Findings"), re.MULTILINE | re.DOTALL
    )
    path = tmp_path / "a.json"
    path.write_text(broken)
    found = [str(finding).replace(str(tmp_path), "tests") for finding in examine([path])]
    assert found == printed.splitlines()
