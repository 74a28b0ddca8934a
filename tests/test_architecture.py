"""The house rules that a tool can check; import-linter holds the layers in `make check`."""

import ast
import re
import tomllib
from graphlib import CycleError, TopologicalSorter

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


def module_name(path, root):
    parts = path.relative_to(root / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_by(tree, modules):
    """What a module imports: at its top, inside functions, for types alone, or by a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules else node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            yield node.value


def import_circle(files):
    """The modules of one circle, {} where there is none; `files`: name -> source text."""
    graph = {
        name: {each for each in imported_by(ast.parse(text), files) if each in files} - {name}
        for name, text in files.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_circle_of_imports_even_inside_functions_or_by_a_string(root):
    shipped = root / "src/assay/builtin"
    files = {
        module_name(path, root): path.read_text()
        for path in sources(root)
        if shipped not in path.parents
    }
    assert import_circle(files) == []


@pytest.mark.parametrize(
    "back",
    [
        "from p.a import y",
        "def f():\n    import p.a",
        "if TYPE_CHECKING:\n    from p.a import y",
        "import_module('p.a')",
    ],
)
def test_a_circle_is_found_however_it_is_closed(back):
    files = {"p.a": "from p.b import x", "p.b": back, "p.c": "import p.a"}
    assert set(import_circle(files)) == {"p.a", "p.b"}


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


def test_what_needs_the_fields_other_tools_is_in_the_other_half(root):
    """`tests_around`, with an environment of its own: `make test` has none of them."""
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    tools = {re.split(r"[<>=\[]", each)[0].replace("-", "_") for each in extras["lm-eval"]}
    theirs = tools - {re.split(r"[<>=\[]", each)[0] for each in extras["dev"]}
    assert theirs
    for path in [*sources(root), *(root / "tests").rglob("*.py")]:
        wrong = theirs & {name.split(".")[0] for name in imported(path)}
        assert not wrong, (path, wrong)


def imported(path):
    """Names of modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_ci_runs_both_halves_and_nothing_else(root):
    lines = (root / ".ci" / "run").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("make")] == ["make test", "make test-around"]
    assert len(lines) == 5, "the shebang, set, cd and the two halves"


def test_no_path_of_a_developers_machine_is_in_the_project(root):
    private = re.compile(r"(?<![\w.])/(work|root|home/\w+)/")
    # Questions and sample answers speak of the home folders of people who do not exist.
    invented = {root / "src/assay/builtin/suites", root / "tests/health_samples"}
    for folder in ("src", "tests", "tests_around", "docs", "benchmarks", "scripts"):
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix in {".py", ".md", ".json", ".toml", ".svg", ".sql"}:
                if invented & {*path.parents}:
                    continue
                found = private.search(path.read_text("utf-8"))
                if found and path.name != "test_architecture.py":
                    pytest.fail(f"{path}: {found.group()}")
