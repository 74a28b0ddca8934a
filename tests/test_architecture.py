"""The house rules that a tool can check; import-linter holds the layers in `make check`."""

import ast
import re
import sys
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

PACKAGE = re.compile(r"[<>=\[]")  # ends its name
VAGUE = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


tree_of = cache(ast.parse)  # a thousand files, which several rules read


def sources(root):
    return sorted((root / "src" / "assay").rglob("*.py"))


def test_every_module_says_what_it_is_for(root):
    silent = [
        path.name for path in sources(root) if not ast.get_docstring(tree_of(path.read_text()))
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
        name: {each for each in imported_by(tree_of(text), files) if each in files} - {name}
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


PATCHES = {"setattr", "setitem", "delattr", "delitem"}


def test_nothing_of_ours_is_patched_in_tests(root):
    """Neither by pytest's patches nor by an assignment to a module or class of assay."""
    files = [*(root / "tests").rglob("*.py"), *(root / "tests_around").rglob("*.py")]
    found = {str(path.relative_to(root)): patches_in(path) for path in files}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_nothing_is_mocked(root):
    for path in [*sources(root), *(root / "tests").rglob("*.py")]:
        assert not {name for name in imported(path) if name.startswith("unittest")}, path


@pytest.mark.parametrize(
    ("code", "is_patch"),
    [
        ("from assay import store\nmonkeypatch.setattr(store, 'A', 1)", True),
        ("from assay.store import Store\npatch.setattr(Store, 'open', None)", True),
        ("from assay.store import Store\npatch.delattr(Store.open, 'x')", True),
        ("monkeypatch.setattr('assay.store.A', 1)", True),
        ("from assay.plugins import known\npatch.setitem(known._table, 'a', 1)", True),
        ("import assay.store as s\ns.A = 1", True),
        ("import assay\nassay.store.A += 1", True),
        ("from assay.store import Store\nfor one in (Store,):\n    p.setattr(one, 'A', 1)", True),
        ("import os\nmonkeypatch.setattr(os, 'listdir', None)", False),
        ("import sys\nsys.executable = 'x'", False),
        ("from assay.store import Store\nstore = Store('x')\nstore.name = 'y'", False),
    ],
)  # fmt: skip
def test_a_patch_is_recognised(tmp_path, code, is_patch):
    (tmp_path / "test_one.py").write_text(code)
    assert bool(patches_in(tmp_path / "test_one.py")) == is_patch


def patches_in(path):
    """Lines that change what assay's modules and classes hold."""
    tree = tree_of(path.read_text("utf-8"))
    ours = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias for alias in node.names if alias.name.split(".")[0] == "assay"]
            ours |= {alias.asname or "assay" for alias in names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "assay":
            ours |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree):  # names that stand for several of ours in turn
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
            held = {each.id for each in ast.walk(node.iter) if isinstance(each, ast.Name)}
            if held & ours and isinstance(node.target, ast.Name):
                ours.add(node.target.id)
    return [node.lineno for node in ast.walk(tree) if _changes(node, ours)]


def _changes(node, ours):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in PATCHES or not node.args:
            return False
        first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            return first.value.split(".")[0] == "assay"
        return _begins(first, ours) and not _is_of_python(first)
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        places = [each for each in targets if isinstance(each, ast.Attribute | ast.Subscript)]
        return any(_begins(each.value, ours) for each in places)
    return False


def _is_of_python(node):
    """`security.socket` is the standard library's, whoever imported it."""
    return isinstance(node, ast.Attribute) and node.attr in sys.stdlib_module_names


def _begins(node, ours):
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ours


def test_what_needs_the_fields_other_tools_is_in_the_other_half(root):
    """`tests_around`, with an environment of its own: `make test` has none of them."""
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    tools = {
        PACKAGE.split(each)[0].replace("-", "_").replace("scikit_learn", "sklearn")
        for extra in ("lm-eval", "around")
        for each in extras[extra]
    }
    theirs = tools - {PACKAGE.split(each)[0] for each in extras["dev"]} - {"slm_assay"}
    assert theirs
    ours = root / "src" / "assay" / "interfaces"
    doors = {ours / "lm_eval.py", ours / "lm_eval_command.py"}  # loaded by their own command only
    for path in {*sources(root), *(root / "tests").rglob("*.py")} - doors:
        wrong = theirs & {name.split(".")[0] for name in imported(path)}
        assert not wrong, (path, wrong)


def imported(path):
    """Names of modules that a file imports, wherever in it."""
    return _imports_in(path.read_text("utf-8"))


@cache
def _imports_in(text):
    found = set()
    for node in ast.walk(tree_of(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def test_ci_checks_tests_and_guards_a_release(root):
    lines = (root / ".ci" / "run").read_text("utf-8").splitlines()
    targets = [line for line in lines if line.startswith("make")]
    assert targets == ["make check", "make test", "make test-all"]


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
