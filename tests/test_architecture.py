"""The house rules that a tool can check; import-linter holds the layers in `make check`."""

import ast
import re

import pytest

VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


def sources(root):
    return sorted((root / "src" / "assay").rglob("*.py"))


def test_every_module_says_what_it_is_for(root):
    silent = [
        path.name for path in sources(root) if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


def test_no_module_has_a_name_that_could_hold_anything(root):
    assert not [path for path in sources(root) if path.stem in VAGUE]


def test_a_class_name_exists_once(root):
    shipped = root / "src/assay/builtin"
    places: dict[str, list[str]] = {}
    for path in sources(root):
        if shipped not in path.parents:
            for name in re.findall(r"^class (\w+)", path.read_text(), re.M):
                places.setdefault(name, []).append(str(path.relative_to(root)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_nothing_is_patched_in_tests_or_source(root):
    for path in [*sources(root), *(root / "tests").rglob("*.py")]:
        text = path.read_text()
        assert "import " + "unittest.mock" not in text, path
        assert "from " + "unittest import mock" not in text, path


def test_no_path_of_a_developers_machine_is_in_the_project(root):
    private = re.compile(r"(?<![\w.])/(work|root|home/\w+)/")
    # Questions and sample answers speak of the home folders of people who do not exist.
    invented = {root / "src/assay/builtin/suites", root / "tests/health_samples"}
    for folder in ("src", "tests", "docs", "benchmarks", "scripts"):
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix in {".py", ".md", ".json", ".toml", ".svg", ".sql"}:
                if invented & {*path.parents}:
                    continue
                found = private.search(path.read_text("utf-8"))
                if found and path.name != "test_architecture.py":
                    pytest.fail(f"{path}: {found.group()}")
