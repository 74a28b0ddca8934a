"""What is found on a machine: behind Ollama, in folders, among what ships."""

import importlib.metadata
import json
import socket
from pathlib import Path

import pytest

from assay import api
from assay.machine import installed_version
from assay.models.inventory.servers import find_ollama
from assay.types.inventory import ModelFound
from assay.workflow.commands.discover.catalogue import find_suites
from assay.workflow.commands.discover.inventory import (
    Room,
    find_checkpoints,
    find_everything,
    find_judges,
    will_it_fit,
)
from tests.conftest import numbered
from tests.servers.ollama_models import CHAT as CHAT_MODEL

GB = 10**9
PLENTY = Room(free_bytes=64 * GB)


def by_name(found):
    return {model.name: model for model in found.models}


@pytest.fixture
def look(monkeypatch, tmp_path):
    """All that is found, with nothing but this Ollama."""
    monkeypatch.setenv("ASSAY_PORTS", "")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def find(url, room=PLENTY):
        monkeypatch.setenv("OLLAMA_HOST", url)
        return find_everything(tmp_path, room).ollama

    return find


@pytest.fixture
def closed_port():
    """A port where nobody listens."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


# ----------------------------------------------------------------------------------------- Ollama


def test_ollama_is_found_with_its_version_and_models(ollama_server, look):
    found = look(ollama_server.url)
    assert found.kind == "Ollama"
    assert (found.url, found.version, found.problem) == (ollama_server.url, "0.17.4", "")
    model = by_name(found)[CHAT_MODEL]
    assert model.size_bytes == 98363149
    assert (model.quantisation, model.parameters, model.family) == ("Q4_1", "134.52M", "llama")
    assert (model.fits, model.loaded, model.why_not) == ("yes", False, "")
    assert "by estimate" in model.reason


def test_the_address_is_in_the_spec_unless_the_environment_says_it(ollama_server, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    elsewhere = find_ollama(ollama_server.url)
    assert by_name(elsewhere)[CHAT_MODEL].spec == ollama_server.spec()
    monkeypatch.setenv("OLLAMA_HOST", f"0.0.0.0:{ollama_server.port}")
    found = find_ollama()
    assert found.url == ollama_server.url
    assert by_name(found)[CHAT_MODEL].spec == f"ollama:{CHAT_MODEL}"


def test_looking_asks_no_model_anything(ollama_server):
    find_ollama(ollama_server.url)
    assert ollama_server.asked == []
    assert {r.path for r in ollama_server.log()} == {"/api/version", "/api/tags", "/api/ps"}


def test_what_the_server_does_not_know_is_left_empty(ollama_server):
    tiny = by_name(find_ollama(ollama_server.url))["stories:260k"]
    assert tiny.quantisation == ""


def test_a_model_in_memory_comes_first_and_fits_whatever_is_free(ollama_server, look):
    ollama_server.ask("POST", "/api/generate", {"model": CHAT_MODEL, "stream": False})
    found = look(ollama_server.url, Room(free_bytes=1))
    assert found.models[0].name == CHAT_MODEL
    assert found.models[0].loaded
    assert found.models[0].fits == "yes"
    assert {model.fits for model in found.models[1:]} == {"no"}


def test_a_model_that_is_computed_elsewhere_is_told_apart(start_ollama, look):
    server = start_ollama(cloud=["gpt-oss:120b-cloud"], also=["qwen:7b=4700000000"])
    models = by_name(look(server.url))
    away = models["gpt-oss:120b-cloud"]
    assert away.elsewhere
    assert (away.fits, away.size_bytes) == ("unknown", None)
    assert "ollama.com" in away.reason
    assert models["qwen:7b"].size_bytes == 4_700_000_000
    assert not models["qwen:7b"].elsewhere


def test_nobody_at_the_address_is_said_with_the_address_and_what_to_do(closed_port):
    url = f"http://127.0.0.1:{closed_port}"
    found = find_ollama(url)
    assert found.kind == ""
    assert found.models == ()
    assert url in found.problem
    assert "OLLAMA_HOST" in found.hint


def test_a_server_that_never_answers_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        found = find_ollama(url)
    assert found.kind == ""
    assert url in found.problem


@pytest.mark.parametrize("kind", ["garbage", "hang", "http_500", "wrong_shape"])
def test_a_server_that_misbehaves_is_not_found_and_ends_nothing(ollama_server, kind):
    ollama_server.fault(kind, times=None, path="/api/tags")
    found = find_ollama(ollama_server.url)
    assert found.kind == ""
    assert found.problem


def test_a_server_of_another_kind_is_said_not_to_be_ollama(openai_server):
    found = find_ollama(openai_server.url.removesuffix("/v1"))
    assert found.kind == ""
    assert found.problem


def test_an_address_that_is_none_is_a_problem_and_no_error(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://[bad")
    found = find_ollama()
    assert found.kind == ""
    assert "OLLAMA_HOST" in found.problem


def test_a_password_in_the_address_is_shown_nowhere(closed_port, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", f"http://me:hunter2@127.0.0.1:{closed_port}")
    assert "hunter2" not in repr(find_ollama())


def test_a_model_of_another_server_is_offered_once_and_with_its_place(
    openai_server, monkeypatch, tmp_path
):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.url)
    monkeypatch.setenv("ASSAY_PORTS", "")
    models = [
        model
        for model in find_everything(tmp_path, PLENTY).models
        if not model.spec.startswith("gguf:")
    ]
    assert [model.spec for model in models] == [
        openai_server.spec(name) for name in ("test-model", "other-model")
    ]
    assert all(f"at {openai_server.url}" in model.reason for model in models)


# -------------------------------------------------------------------------------------- will it fit


@pytest.mark.parametrize(
    ("size", "free", "gpu", "fits"),
    [
        (5 * GB, 16 * GB, None, "yes"),  # 6.5 of 16
        (5 * GB, 7 * GB, None, "tight"),  # 6.5 of 7
        (5 * GB, 6 * GB, None, "no"),
        (5 * GB, 2 * GB, 24 * GB, "yes"),  # the GPU's memory counts, not the machine's
        (18 * GB, 2 * GB, 24 * GB, "tight"),  # 22.1 of 24
        (20 * GB, 32 * GB, 24 * GB, "tight"),  # 24.5: partly on the CPU
        (60 * GB, 32 * GB, 24 * GB, "no"),
    ],
)
def test_whether_a_model_fits_is_estimated_from_its_size(size, free, gpu, fits):
    verdict, reason = will_it_fit(size, Room(free_bytes=free, gpu_bytes=gpu))
    assert verdict == fits
    assert "by estimate" in reason


def test_nothing_is_said_about_the_memory_of_another_machine():
    assert will_it_fit(GB, None)[0] == "unknown"
    assert will_it_fit(None, PLENTY)[0] == "unknown"


def test_the_largest_models_that_fit_are_candidates_to_judge():
    def model(name, size, **more):
        facts = {"parameters": "3.2B", **more}
        return ModelFound(name=name, spec=f"ollama:{name}", size_bytes=size, **facts)

    found = [
        model("small", 1, fits="yes"),
        model("large", 9, fits="tight"),
        model("too-large", 99, fits="no"),
        model("away", None, elsewhere=True),
        model("embeds", 50, fits="yes", why_not="makes embeddings"),
        model("middle", 5, fits="yes"),
    ]
    assert [judge.name for judge in find_judges(found)] == ["large", "middle", "small"]


@pytest.mark.parametrize(
    ("parameters", "able"),
    [("135M", False), ("1.4B", False), ("1.5B", True), ("70.6b", True), ("1T", True), ("", False)],
)
def test_a_small_model_is_no_candidate_to_judge(parameters, able):
    model = ModelFound(
        name="m", spec="ollama:m", size_bytes=9 * GB, fits="yes", parameters=parameters
    )
    assert bool(find_judges([model])) is able


# ----------------------------------------------------------------------------------------- folders


def test_checkpoints_are_found_two_levels_down_and_no_further(tmp_path):
    for place in ("step_100", "run/checkpoint-500", "a/b/c", ".hidden"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "config.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    found = find_checkpoints(tmp_path)
    paths = [str(each.path.relative_to(tmp_path)) for each in found]
    assert paths == ["run/checkpoint-500", "step_100"]
    assert all(each.why_not == "" for each in found)


def test_checkpoints_are_found_where_the_specification_has_them_below_a_projects_root(tmp_path):
    for place in ("SLM/models/checkpoints/medium_150M/step_100000", "run/step_1"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "config.json").write_text("{}")
    found = [str(each.path.relative_to(tmp_path)) for each in find_checkpoints(tmp_path)]
    assert found == ["run/step_1", "SLM/models/checkpoints/medium_150M/step_100000"]


def test_checkpoints_of_one_run_are_in_the_order_of_their_steps_the_final_one_last(tmp_path):
    places = ("run/step_1000", "run/step_900", "run/epoch-2-step-30", "run/last", "run", "a/step_7")
    for place in places:
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "config.json").write_text("{}")
        (tmp_path / place / "model.safetensors").touch()
    found = [str(each.path.relative_to(tmp_path)) for each in find_checkpoints(tmp_path)]
    assert found == [
        "a/step_7", "run/epoch-2-step-30", "run/step_900", "run/step_1000", "run/last", "run"
    ]  # fmt: skip


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_where_a_package_is_missing_checkpoints_say_how_to_install_it(
    tmp_path, monkeypatch, request, missing
):
    version = importlib.metadata.version

    def installed(name):
        if name == missing:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(importlib.metadata, "version", installed)
    request.addfinalizer(installed_version.cache_clear)
    installed_version.cache_clear()
    (tmp_path / "step_1").mkdir()
    (tmp_path / "step_1" / "config.json").write_text("{}")
    (found,) = find_checkpoints(tmp_path)
    assert found.why_not == "needs: pip install 'slm-assay[local]'"


def test_a_folder_that_is_not_there_holds_no_checkpoints(tmp_path):
    assert find_checkpoints(tmp_path / "nowhere") == ()


def test_tests_in_the_folder_are_found_before_what_ships(tmp_path):
    own = tmp_path / "example"  # named as one that ships: the path tells them apart
    own.mkdir()
    (own / "sums.json").write_text(json.dumps(numbered(3)))
    (own / "more.json").write_text(json.dumps(numbered(2, "more")))
    (own / "suite.json").write_text(json.dumps({"title": "Mine"}))
    first, *rest = find_suites(tmp_path)
    assert (first.argument, first.title, first.tests, first.ships) == ("example/", "Mine", 5, False)
    assert {suite.argument: suite.ships for suite in rest}["example"]
    assert all(suite.tests > 0 for suite in rest)


def test_a_folder_of_test_folders_is_a_suite_and_a_test_folder_is_none(tmp_path):
    suite = api.new_test("sales", suite=tmp_path / "shop", judged=True).parent
    found = [
        [(each.argument, each.tests) for each in find_suites(folder) if not each.ships]
        for folder in (tmp_path, suite)
    ]
    assert found == [[("shop/", 1)], [("./", 1)]]


def test_a_suite_with_mistakes_says_how_to_see_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good, broken = numbered(2)
    for name, tests in (("good", [good]), ("my bad", [{**broken, "eval_method": "exact_mach"}])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "sums.json").write_text(json.dumps(tests))
    found = {suite.argument: suite.why_not for suite in find_suites(Path()) if not suite.ships}
    assert found["good/"] == ""
    assert "assay validate 'my bad/'" in found["my bad/"]


def test_tests_that_lie_in_the_folder_itself_are_found(tmp_path):
    (tmp_path / "sums.json").write_text(json.dumps(numbered(2)))
    assert find_suites(tmp_path)[0].argument == "./"


@pytest.mark.parametrize(
    "text", ["{}", "[]", "[1]", '[{"id": "a"}]', "[", "", "\x00", '[{"eval_method": "judge"}]']
)
def test_other_json_files_are_no_suites(tmp_path, text):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "package.json").write_text(text)
    assert all(suite.ships for suite in find_suites(tmp_path))
