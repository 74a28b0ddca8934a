"""Plugins: how they register, load and fail."""

import sys

import pytest

from assay.errors import ModelUnavailable, UsageError
from assay.models.home_made.adapter import PluginModel
from assay.models.opening import open_model, read_spec
from assay.plugins import file_digest, load_plugins, model_schemes
from assay.registry import Registry

ECHO = """
import assay.plugins

@assay.plugins.model("{scheme}")
class Echo:
    def __init__(self, name):
        self.greeting = name
    def generate(self, messages, *, temperature, max_tokens, seed, stop):
        return self.greeting + " " + messages[-1].content
"""


def test_schemes_of_one_file_with_one_name_are_two_models(tmp_path):
    file = tmp_path / "twins.py"
    other = ECHO.format(scheme="twin-b").replace("class ", "class Other")
    file.write_text(ECHO.format(scheme="twin-a") + "\n\n" + other)
    load_plugins([str(file)])
    first, second = (
        PluginModel(model_schemes[scheme]("x"), scheme, "x").facts.fingerprint
        for scheme in ("twin-a", "twin-b")
    )
    assert first == f"sha256:{file_digest(file)} x"
    assert second == f"sha256:{file_digest(file)} twin-b:x"


def test_the_shipped_schemes_register_like_those_of_users():
    assert {"hf", "ollama", "openai", "scripted"} <= set(model_schemes)


def test_a_plugin_file_adds_a_scheme(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(ECHO.format(scheme="greeter"))
    assert read_spec("greeter:hello").scheme == "hf"
    load_plugins([str(file)])
    assert read_spec("greeter:hello").scheme == "greeter"
    facts = open_model("greeter:hello").facts
    assert (facts.spec, facts.name, facts.capabilities) == ("greeter:hello", "hello", {"generate"})


def test_a_changed_plugin_file_is_read_again_and_an_unchanged_one_is_not(tmp_path):
    file = tmp_path / "again.py"
    file.write_text(ECHO.format(scheme="again"))
    load_plugins([str(file)])
    first = model_schemes["again"]
    load_plugins([str(file)])
    assert model_schemes["again"] is first
    file.write_text(ECHO.format(scheme="again") + "    extra = 1\n")
    load_plugins([str(file)])
    assert model_schemes["again"].extra == 1


def test_a_module_name_is_imported(tmp_path, monkeypatch):
    (tmp_path / "plugin_by_name.py").write_text(ECHO.format(scheme="by-name"))
    monkeypatch.syspath_prepend(tmp_path)
    load_plugins(["plugin_by_name"])
    assert "by-name" in model_schemes
    sys.modules.pop("plugin_by_name")


def test_an_installed_package_registers_through_its_entry_point(tmp_path, monkeypatch):
    (tmp_path / "installed_plugin.py").write_text(ECHO.format(scheme="installed"))
    info = tmp_path / "installed_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: installed-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[assay.plugins]\nmine = installed_plugin\n")
    monkeypatch.syspath_prepend(tmp_path)
    load_plugins()
    assert "installed" in model_schemes


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("x = 1\ny = x +\n", 2, "SyntaxError"),
        ("x = 1\n\nraise RuntimeError('no weights')\n", 3, "RuntimeError: no weights"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
        ("import json\njson.loads('{')\n", 2, "JSONDecodeError"),
        (ECHO.format(scheme="ollama"), 4, "already a model scheme 'ollama'"),
        (ECHO.format(scheme="a:b"), 4, "'a:b' is not a scheme"),
    ],
)
def test_a_plugins_mistake_is_an_error_with_file_and_line(tmp_path, source, line, says):
    file = tmp_path / "wrong.py"
    file.write_text(source)
    with pytest.raises(UsageError) as caught:
        load_plugins([str(file)])
    assert says in caught.value.message
    assert f"{file}:{line}:" in caught.value.message
    assert caught.value.exit_code == 2


def test_a_plugin_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="there is no plugin file"):
        load_plugins([str(tmp_path / "none.py")])
    with pytest.raises(UsageError, match="No module named 'no_such_module_here'"):
        load_plugins(["no_such_module_here"])


def test_two_definitions_of_one_name_are_refused_and_one_run_twice_is_not():
    registry = Registry("thing", "tests.models")

    def first():
        pass

    def second():
        pass

    registry.register("a", first)
    registry.register("a", first)
    with pytest.raises(ValueError, match="already a thing 'a'"):
        registry.register("a", second)


def test_registering_needs_neither_numpy_nor_http(loaded_modules):
    loaded = loaded_modules("from assay.models.opening import read_spec; read_spec('a:b')")
    assert not {"numpy", "torch", "httpcore", "rapidfuzz"} & loaded


@pytest.fixture
def loaded_modules():
    import subprocess

    def run(code):
        done = subprocess.run(
            [sys.executable, "-c", code + "; import sys; print(*sys.modules)"],
            capture_output=True,
            text=True,
            check=True,
        )
        return set(done.stdout.split())

    return run


def test_a_class_that_cannot_be_made_is_refused_with_its_place(tmp_path):
    file = tmp_path / "unmade.py"
    file.write_text(
        "import assay\n\n@assay.model('unmade')\nclass Unmade:\n    pass\n\n"
        "@assay.model('broken')\nclass Broken:\n    def __init__(self, name):\n"
        "        raise OSError('no weights for ' + name)\n"
    )
    load_plugins([str(file)])
    with pytest.raises(ModelUnavailable, match=r"unmade.py:\d+: TypeError"):
        open_model("unmade:x")
    with pytest.raises(ModelUnavailable, match=r"unmade.py:10: OSError: no weights for x"):
        open_model("broken:x")
