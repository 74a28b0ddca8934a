"""docs/reference/tests.md is the whole format: a field or method that it leaves out fails here."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from assay.checks.composite import PARTS
from assay.checks.format import MARKDOWN_ELEMENTS, Rules
from assay.suites.load import examine
from assay.suites.suite_file import suite_schema
from assay.suites.test_format.fields import CommonFields, all_fields, check_validator, methods
from assay.suites.test_format.fields import tests_schema as schema_of_tests
from assay.types import LANGUAGES

SUITE: Any = suite_schema()


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "reference" / "tests.md").read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    found = re.search(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL
    )
    assert found, f"no section {heading!r}"
    return found.group(1)


COMMON_FIELDS = [*CommonFields.__annotations__]


def names_of(cls: type) -> list[str]:
    return [field.name for field in fields(cls)]


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Fields of every test", COMMON_FIELDS),
        ("eval_method", [*methods(), *all_fields()[len(COMMON_FIELDS) :], *PARTS]),
        ("Format rules", [*names_of(Rules), *MARKDOWN_ELEMENTS, *LANGUAGES]),
        ("suite.json", list(SUITE["properties"])),
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
    for name, cls in methods().items():
        assert [
            field for field in check_validator(cls).names if f"`{field}`" not in rows[name]
        ] == []


def test_every_default_is_told(page: str) -> None:
    tests: Any = schema_of_tests()
    test = tests["$defs"]["test"]
    kinds = [SUITE, test, *(each["then"] for each in test["allOf"])]
    for name, each in (pair for kind in kinds for pair in kind["properties"].items()):
        if each.get("default") in (None, [], ""):
            continue
        written = json.dumps(each["default"]).strip('"')
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
