"""The compiler's package of PyTorch comes when more of it is used than a mark."""

import importlib
import subprocess
import sys
from types import ModuleType

import pytest

from assay import lean_imports

INIT = """
from . import first
from .parts import counters
def allow_in_graph(function):
    return ("marked", function)
"""
FIRST = "from package_of_marks.parts import counters\n"
PARTS = """
import package_of_marks
from . import settings
def early():
    return package_of_marks.allow_in_graph(1)
marked = early()
counters = []
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package whose parts need one another, as those of the compiler do."""
    folder = tmp_path / "package_of_marks"
    folder.mkdir()
    texts = {"__init__": INIT, "first": FIRST, "parts": PARTS, "settings": "value = 7\n"}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    finder = lean_imports._LaterFinder(folder.name, alone=["settings"])
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    yield folder
    for name in [each for each in sys.modules if each.startswith(folder.name)]:
        del sys.modules[name]


def loaded(name):
    return importlib.import_module(name)


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_marks_need_no_package(package):
    later = loaded(package.name)
    assert later.allow_in_graph(len) is len
    assert f"{package.name}.first" not in sys.modules


def test_a_part_that_is_wanted_first_brings_the_package(package):
    parts = loaded(f"{package.name}.parts")
    later = loaded(package.name)
    assert type(later) is ModuleType
    assert later.parts is parts
    assert later.first.counters == []
    assert later.allow_in_graph(len) == ("marked", len)
    assert parts.marked == 1, "while it is run, its marks leave things as they are"
    assert parts.__spec__.origin == str(package / "parts.py")


def test_a_part_that_needs_no_other_comes_alone(package):
    assert loaded(f"{package.name}.settings").value == 7
    assert f"{package.name}.first" not in sys.modules


def test_the_compiler_still_compiles():
    done = run_python(
        "from assay import lean_imports; lean_imports.begin(); import sys, torch\n"
        "lean_imports.load_transformers(); assert 'torch._dynamo.utils' not in sys.modules\n"
        "from torch._dynamo.utils import is_compile_supported\n"
        "print(torch.compile(lambda x: x + 1, backend='eager')(torch.ones(1)).item())"
    )
    assert done == "2.0"


def test_what_is_no_mark_brings_the_package(package):
    later = loaded(package.name)
    assert later.counters == []
    assert type(later) is ModuleType
    assert later.parts.marked == 1, "while it is run, its marks leave things as they are"
    assert later.allow_in_graph(len) == ("marked", len)
    with pytest.raises(AttributeError, match="nothing_here"):
        later.nothing_here  # noqa: B018


def test_marks_stay_where_the_package_cannot_be_run(package):
    (package / "settings.py").write_text("import package_that_is_missing\n")
    later = loaded(package.name)
    with pytest.raises(ModuleNotFoundError, match="package_that_is_missing"):
        later.counters  # noqa: B018
    assert later.allow_in_graph(len) is len
