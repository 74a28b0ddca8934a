"""`python run_benchmark.py` as its users type it, in a folder of their own."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assay.api.benchmark_choices import choose, holds_tests, one_key, suite_argument
from assay.errors import AssayError, UsageError
from assay.interfaces.benchmark_script import command
from assay.suites.suite_file import YAWO
from tests.command_runs import run_benchmark_script
from tests.conftest import ROOT, numbered, right
from tests.waiting import PATIENCE_S

CHAT = "smollm2:135m-instruct-q4_1"
SECRET = "sk-planted-4f9a7c21e8b35d60"
YAWO_TEXT = YAWO.read_text("utf-8").strip()


class Desk:
    """A user's folder, and the script run in it with nothing of the developer's own settings."""

    def __init__(self, bench) -> None:
        self.folder = bench.folder
        self.suite, self.script = bench.suite, bench.script
        kept = {
            name: value
            for name, value in bench.environment.items()
            if not name.startswith(("OLLAMA_", "OPENAI_")) and not name.endswith("_API_KEY")
        }
        # Nobody listens on port 9: a test that forgets its server must not find a developer's.
        self.environment = {
            **kept,
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "OLLAMA_HOST": "127.0.0.1:9",
        }

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_benchmark_script(words, self.folder, {**self.environment, **environment})

    def document(self, *words: str, **environment: str):
        done = self.run(*words, "--json", **environment)
        document = json.loads(done.stdout)
        assert document["exit_code"] == done.returncode, done.stderr
        return document


@pytest.fixture
def desk(bench):
    return Desk(bench)


@pytest.fixture
def tests(desk):
    """Two categories in ./tests, which is where the script looks first."""
    desk.suite({"sum": numbered(3), "more": numbered(2, "more")})
    return [*numbered(3), *numbered(2, "more")]


@pytest.fixture
def able(desk, tests):
    """A model that gets one sum wrong."""
    return desk.script("able", answers=right(tests) | {"sum_002": "five\nor so"})


def text_of(done: subprocess.CompletedProcess[str], code: int = 0) -> str:
    assert done.returncode == code, done.stderr
    return done.stdout


# --------------------------------------------------------------------------- tests, categories


def test_the_documented_command_shows_one_category_with_answers_scores_and_reasons(desk, able):
    text = text_of(desk.run("--category", "sum", "-v", "--model", able))
    assert re.search(r"^sum_002 +sum +(?:fail|no answer) +0\.00 .*expected", text, re.MULTILINE)
    assert "  answer\n    | five\n    | or so\n" in text
    assert re.search(r"^sum_001 +sum +pass +1\.00 ", text, re.MULTILINE)
    assert "more_001" not in text
    assert "66.7 points" in text


def test_category_without_a_name_is_all_of_them_and_the_word_after_it_counts(desk, able):
    done = desk.run("--model", able, "--category", "-v")
    text = text_of(done)
    assert "sum_001" in text
    assert "more_001" in text
    assert "leaves nothing out" in done.stderr


def test_several_categories_and_an_unknown_one(desk, able):
    words = ["--model", able, "--category", "sum", "--category"]
    document = desk.document(*words, "more")
    assert len(document["models"][0]["suites"][0]["tests"]) == 5
    refused = desk.document(*words, "som")
    assert refused["exit_code"] == 2
    assert "som" in refused["error"]["message"]


def test_the_tests_of_the_folder_come_first_and_the_ewe_suite_ships(desk):
    model = desk.script("mute", default="-")
    other = desk.folder / "tests"
    other.mkdir()
    (other / "settings.json").write_text('{"id": 1, "eval_method": 2}')
    (other / "rows.json").write_text('[{"name": 1}, {"eval_method": 2}, 3]')
    (other / "._sum.json").write_bytes(b"\x00\x05\x16\x07")
    (other / "deep").mkdir()
    (other / "deep" / "sum.json").write_text(json.dumps(numbered(1)))
    done = desk.run("--model", model, "--limit", "2", "--json")
    assert json.loads(text_of(done))["models"][0]["suites"][0]["suite"] == "ewe"
    assert "the shipped suite ewe" in done.stderr
    (other / "sum.json").write_text(json.dumps(numbered(1)))
    done = desk.run("--model", model, "--limit", "2")
    assert "tests: ./tests" in done.stderr
    assert done.returncode == 2
    assert "rows.json" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"id": "sum_001", "prompt": "1 + 1?",]', "sum.json:1:"),
        (json.dumps([{**numbered(1)[0], "eval_metod": "x"}]), "did you mean 'eval_method'?"),
        ('[{"prompt": "1 + 1?"}]', "'id'"),
    ],
    ids=["no JSON", "a slip", "a prompt alone"],
)
def test_a_mistake_in_the_only_file_of_the_folder_is_shown_and_the_ewe_suite_is_not_run(
    desk, text, said
):
    (desk.folder / "tests").mkdir()
    (desk.folder / "tests" / "sum.json").write_text(text)
    done = desk.run("--model", desk.script("mute", default="-"))
    assert done.returncode == 2
    assert said in done.stderr
    assert "the shipped suite" not in done.stderr


def test_the_tests_of_this_project_are_not_taken_for_a_benchmark():
    assert not holds_tests(ROOT / "tests")
    assert holds_tests(ROOT / "src" / "assay" / "builtin" / "suites" / "example")


def test_a_folder_with_the_name_of_a_shipped_suite_is_the_folder(desk, monkeypatch):
    desk.suite({"sum": numbered(1)}, name="ewe")
    monkeypatch.chdir(desk.folder)
    assert suite_argument("ewe") == os.path.join(".", "ewe")
    assert suite_argument("example") == "example"
    model = desk.script("able", answers=right(numbered(1)))
    document = desk.document("--tests", "ewe", "--model", model)
    assert [test["id"] for test in document["models"][0]["suites"][0]["tests"]] == ["sum_001"]


# ---------------------------------------------------------------------------- who is asked, how


def systems_of(server) -> list[str | None]:
    first = [request.body["messages"][0] for request in server.asked]
    return [one["content"] if one["role"] == "system" else None for one in first]


def test_yawo_speaks_in_folders_without_a_suite_file_unless_a_test_says_otherwise(
    desk, ollama_server
):
    first, second, third = numbered(3)
    own, none = {**second, "system": "You add."}, {**third, "system": ""}
    desk.suite({"sum": [first, own, none]})
    text_of(desk.run("--endpoint", ollama_server.url, "--model", CHAT))
    assert sorted(map(str, systems_of(ollama_server))) == sorted([YAWO_TEXT, "You add.", "None"])


def test_a_suite_file_decides_for_itself_who_speaks(desk, ollama_server):
    desk.suite({"sum": numbered(1)}, title="Sums")
    text_of(desk.run("--endpoint", ollama_server.url, "--model", CHAT))
    assert systems_of(ollama_server) == [None]


EWE_TESTS = [
    {"id": "ewe_001", "prompt": "Two people?", "eval_method": "keywords",
     "expected_keywords": ["ame"]},
    {"id": "ewe_002", "prompt": "A sentence?", "eval_method": "composite",
     "expected_keywords": ["tsi"], "expected_format": {"max_words": 30}},
]  # fmt: skip


@pytest.fixture
def ewe_speaker(desk):
    """Scores more where the language is Ewe: a plural suffix, and a sentence that is not Ewe."""
    answers = {"ewe_001": "amewo", "ewe_002": "tsi is water in this sentence of mine"}
    return desk.script("speaker", answers=answers)


def scores_of(document) -> list[tuple[str, float]]:
    return [(test["id"], test["score"]) for test in document["models"][0]["suites"][0]["tests"]]


def test_a_folder_that_names_its_language_scores_the_same_by_both_commands(
    desk, bench, ewe_speaker
):
    desk.suite({"ewe": EWE_TESTS}, language="ee")
    by_script = desk.run("--model", ewe_speaker, "--json", "--out", "one")
    by_run = bench.assay("run", ewe_speaker, "-s", "./tests", "--json", "--out", "two")
    scores = scores_of(json.loads(by_script.stdout))
    assert scores == scores_of(json.loads(by_run.stdout))
    assert dict(scores)["ewe_001"] == 1.0
    assert 0.6 < dict(scores)["ewe_002"] < 0.7, "a third of it is Ewe quality"
    assert "suite.json" not in by_script.stderr + by_run.stderr


def test_a_folder_without_a_suite_file_is_ewe_to_the_script_and_a_warning_to_run(
    desk, bench, ewe_speaker
):
    desk.suite({"ewe": EWE_TESTS})
    by_script = desk.run("--model", ewe_speaker, "--json", "--out", "one")
    by_run = bench.assay("run", ewe_speaker, "-s", "./tests", "--json", "--out", "two")
    assert "./tests has no suite.json and is taken for Ewe" in by_script.stderr
    assert "warning: tests has no suite.json" in by_run.stderr
    assert dict(scores_of(json.loads(by_script.stdout)))["ewe_001"] == 1.0
    assert dict(scores_of(json.loads(by_run.stdout)))["ewe_002"] == 1.0, "no language is assumed"


def test_the_shipped_suite_names_its_language_and_is_spoken_by_yawo(root):
    about = json.loads((root / "src/assay/builtin/suites/ewe/suite.json").read_text("utf-8"))
    assert about["language"] == "ee"
    assert "system" not in about


def test_a_bare_name_goes_with_the_url_of_an_ollama(desk, tests, ollama_server):
    ollama_server.answers({"What is 1 plus 1?": "2", "*": "no"})
    document = desk.document("--endpoint", ollama_server.url, "--model", CHAT)
    (model,) = document["models"]
    assert model["model"] == f"ollama:smollm2:135m-instruct-q4_1@{ollama_server.url}"
    assert {request.path for request in ollama_server.asked} == {"/api/chat"}
    assert model["suites"][0]["categories"]["sum"]["n"] == 3


def test_the_local_preset_is_the_default_and_follows_ollama_host(desk, tests, ollama_server):
    host = f"127.0.0.1:{ollama_server.port}"
    document = desk.document("--model", "stories:260k", OLLAMA_HOST=host)
    assert document["models"][0]["model"] == "ollama:stories:260k"
    assert len(ollama_server.asked) == 5


def test_a_url_with_v1_is_asked_as_openai(desk, tests, openai_server):
    document = desk.document("--endpoint", openai_server.url, "--model", "test-model")
    assert document["models"][0]["model"] == openai_server.spec()
    assert document["exit_code"] == 0


def test_a_whole_spec_is_taken_as_it_is(desk, able):
    assert desk.run("--model", able).returncode == 0


def test_an_endpoint_that_is_empty_is_not_the_default(desk, tests, able):
    for model in ("some-name", able):
        done = desk.run("--endpoint", "", "--model", model)
        assert done.returncode == 2
        assert "there is no preset ''" in done.stderr
        assert "local, lmstudio" in done.stderr


def test_capitals_in_the_scheme_of_an_endpoint_reach_the_server(desk, tests, openai_server):
    url = openai_server.url.replace("http://", "HTTP://")
    document = desk.document("--endpoint", url, "--model", "test-model")
    assert document["models"][0]["model"] == openai_server.spec()


def test_a_host_that_is_none_is_refused_in_words(desk, tests):
    for url in ("http://a..b/v1", "http://a..b"):
        done = desk.run("--endpoint", url, "--model", "x")
        assert done.returncode == 2
        assert "'a..b'" in done.stderr
        assert "Traceback" not in done.stderr


def test_an_endpoint_beside_a_whole_spec_is_said_to_be_unused(desk, able):
    done = desk.run("--endpoint", "groq", "--model", able)
    assert done.returncode == 0
    assert "--endpoint is ignored" in done.stderr


def test_without_a_model_the_installed_ones_are_listed(desk, tests, ollama_server):
    done = desk.run("--endpoint", ollama_server.url)
    assert done.returncode == 2
    assert "Installed are: " in done.stderr
    assert CHAT in done.stderr
    assert "next: name one with --model" in done.stderr
    assert ollama_server.asked == []


def test_without_a_model_a_provider_says_where_its_models_are_listed(desk, tests):
    done = desk.run("--endpoint", "groq", GROQ_API_KEY=SECRET)
    assert done.returncode == 2
    assert "https://api.groq.com/openai/v1/models" in done.stderr


class _Small(BaseHTTPRequestHandler):
    """An Ollama with few models, as far as its lists go."""

    names: tuple[str, ...] = ()

    def do_GET(self) -> None:
        models = [{"name": name, "size": 1000, "details": {}} for name in self.names]
        for model in models:
            if "embed" in model["name"]:
                model["details"] = {"family": "bert"}
            if "cloud" in model["name"]:
                model["remote_host"] = "https://elsewhere.example"
        lists = {"/api/version": {"version": "0.17.4"}, "/api/tags": {"models": models}}
        body = json.dumps(lists.get(self.path, {"models": []})).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def small_ollama():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Small) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def having(*names: str) -> str:
            _Small.names = names
            return f"http://127.0.0.1:{server.server_port}"

        yield having
        server.shutdown()
        thread.join()


def test_the_only_model_that_can_answer_here_need_not_be_named(small_ollama):
    url, said = small_ollama("tiny:1b", "embed:latest", "huge-cloud:latest"), []
    assert [model.spec for model in choose([], url, said.append)] == [f"ollama:tiny:1b@{url}"]
    assert "the only one" in said[0]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), "no model that writes answers is installed"),
        (("a:1b", "b:1b"), "Installed are: a:1b, b:1b"),
        (("huge-cloud:latest",), "Installed are: huge-cloud:latest"),
    ],
)
def test_none_or_several_are_not_chosen_among(small_ollama, names, said):
    with pytest.raises(AssayError, match=re.escape(said)):
        choose([], small_ollama(*names))


def test_a_server_that_is_not_there_and_tests_that_are_wrong_are_said_together(desk):
    desk.suite({"sum": [{**numbered(1)[0], "expectd": 1}]})
    done = desk.run("--tests", "tests")
    assert done.returncode == 2
    assert "no server answers at http://127.0.0.1:9: Connection refused" in done.stderr
    assert "did you mean 'expected'?" in done.stderr


@pytest.mark.parametrize("name", ["", f"m@http://me:{SECRET}@box:1"])
def test_a_model_that_is_no_name_is_refused_without_its_password(desk, tests, name):
    done = desk.run("--model", name)
    assert done.returncode == 2
    assert "put the URL into --endpoint" in done.stderr
    assert SECRET not in done.stderr


# ------------------------------------------------------------------------ compare, leaderboard


def test_two_models_are_run_and_compared_and_nothing_is_asked_twice(desk, tests, ollama_server):
    at = ["--endpoint", ollama_server.url]
    text_of(desk.run(*at, "--model", "stories:260k"))
    before = len(ollama_server.asked)
    text = text_of(desk.run(*at, "--compare", "stories:260k", CHAT))
    asked = ollama_server.asked[before:]
    assert {request.body["model"] for request in asked} == {CHAT}
    assert len(asked) == 5
    assert re.search(r"^ *stories:260k ", text, re.MULTILINE), text
    assert re.search(r"^ *smollm2", text, re.MULTILINE)


def test_two_runs_are_compared_by_their_ids_or_the_beginning_of_one(desk, tests, able):
    weak = desk.script("weak", default="no")
    first, second = (desk.document("--model", model)["run"] for model in (able, weak))
    document = desk.document("--compare", first, second)
    (pair,) = document["pairs"]
    assert (pair["a"]["run"], pair["b"]["run"]) == (first, second)
    assert pair["suites"][0]["lost"] == 4
    assert desk.document("--compare", first[:-1], "latest")["pairs"] == document["pairs"]


def test_one_model_twice_is_refused_with_a_hint_that_can_be_followed(desk, able):
    done = desk.run("--compare", able, able)
    assert done.returncode == 2
    assert "is the same model as" in done.stderr
    assert "--repeats" not in done.stderr


def test_a_run_that_is_not_there_is_not_taken_for_a_model(desk, tests, able):
    run = desk.document("--model", able)["run"]
    done = desk.run("--compare", run, "20200101T000000Z-abcdef")
    assert done.returncode == 2
    assert "there is no run '20200101T000000Z-abcdef'" in done.stderr


def test_comparing_beside_a_model_is_refused(desk, able):
    done = desk.run("--compare", able, able, "--model", able)
    assert done.returncode == 2
    assert "leave --model out" in done.stderr


def test_the_leaderboard_alone_asks_nothing_and_after_a_run_has_its_model(desk, able):
    done = desk.run("--leaderboard")
    assert done.returncode == 2
    assert "there is no store" in done.stderr
    text = text_of(desk.run("--model", "scripted:able.json", "--leaderboard"))
    assert "83.3 points" in text
    row = re.compile(r"^ *1 +able.* +83\.3 +\[", re.MULTILINE)
    assert row.search(text)
    alone = desk.run("--leaderboard")
    assert row.search(text_of(alone))
    assert alone.stderr == ""


def test_json_is_one_document_and_carries_the_exit_code_of_the_run(desk, tests):
    flaky = desk.script("flaky", answers=right(tests), fail={"sum_001": "reset"})
    assert set(desk.document("--model", flaky)) >= {"run", "out", "models", "selected"}
    board = desk.document("--model", flaky, "--leaderboard")
    assert board["exit_code"] == 3
    assert board["suites"][0]["rows"][0]["model"] == flaky


def test_fresh_limit_and_out_reach_the_run(desk, able):
    words = ["--model", able, "--limit", "2", "--out", "elsewhere"]
    first = desk.document(*words)
    assert len(first["models"][0]["suites"][0]["tests"]) == 2
    assert first["out"] == str(desk.folder / "elsewhere")
    done = desk.run(*words)
    assert "2 reused" in done.stderr
    assert "reused" not in desk.run(*words, "--fresh").stderr


def test_a_stopped_run_ends_with_130_and_says_how_to_continue(desk, tests):
    slow = desk.script("slow", answers=right(tests), delay_s=3600)
    running = subprocess.Popen(
        [sys.executable, str(ROOT / "run_benchmark.py"), "--model", slow],
        stderr=subprocess.PIPE,
        text=True,
        cwd=desk.folder,
        env=desk.environment,
    )
    assert any("start" in line for line in iter(running.stderr.readline, ""))
    running.terminate()
    _, said = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130
    # No option of `assay run` says that a folder without a suite.json is Ewe.
    assert f"next: continue with: python run_benchmark.py --model {slow}" in said


# ------------------------------------------------------------------------------------- presets


def test_a_misspelt_preset_is_refused_in_one_document(desk, tests):
    document = desk.document("--endpoint", "locl", "--model", "x")
    assert document["exit_code"] == 2
    assert "did you mean 'local'?" in document["error"]["message"]


def planted(folder: Path) -> list[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "assay.db" for path in files)
    return [path.name for path in files if SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize("given", [SECRET, SECRET[:-1] + "1"], ids=["right", "wrong"])
def test_a_key_of_the_environment_is_found_nowhere_afterwards(desk, able, start_openai, given):
    """The database's bytes, logs of the write-ahead kind and error messages included."""
    server = start_openai(key=SECRET)
    text_of(desk.run("--model", able))  # so that there is a store, whatever the server says
    words = ("--endpoint", server.url, "--model", "test-model", "-v")
    done = desk.run(*words, OPENAI_API_KEY=given)
    sent = [request.headers.get("authorization") for request in server.log()]
    assert sent
    assert set(sent) == {f"Bearer {given}"}
    assert done.returncode == (0 if given == SECRET else 2), done.stderr
    assert given not in done.stdout + done.stderr
    assert given.encode() not in b"".join(
        path.read_bytes() for path in desk.folder.rglob("*") if path.is_file()
    )
    assert planted(desk.folder / "assay-out") == []


def test_a_key_that_is_not_set_is_said_before_anything_is_asked(desk, tests):
    done = desk.run("--endpoint", "groq", "--model", "test-model")
    assert done.returncode == 2
    assert "the endpoint groq needs a key, and GROQ_API_KEY is not set" in done.stderr


def test_a_key_is_not_sent_to_the_server_of_the_other_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROQ_API_KEY", SECRET)
    models = choose(["a", "openai:b@http://127.0.0.1:1/v1"], "groq")
    with pytest.raises(UsageError, match="different keys"):
        one_key(models)
    beside = choose(["a", "scripted:b.json", "ollama:c"], "groq")
    assert one_key(beside) == "GROQ_API_KEY"


# ------------------------------------------------------------------------------------ starting


def test_help_is_in_french_from_the_first_word_to_the_last(desk):
    """In a Python of its own: where options are loaded already, their help is in one language."""
    words = [sys.executable, str(ROOT / "run_benchmark.py"), "--lang", "fr", "--help"]
    done = subprocess.run(words, env=desk.environment, capture_output=True, text=True, check=True)
    assert "Que demander\u00a0:" in done.stdout
    assert not re.findall(r"\b(the|Default|Folder|Ask|Output|Show)\b", done.stdout)


def test_help_names_every_option_and_wrong_usage_points_to_it(desk):
    text = text_of(desk.run("--help"))
    for parameter in command().params:
        assert parameter.opts[0] in text
    done = desk.run("--sideways")
    assert done.returncode == 2
    assert "next: see `python run_benchmark.py --help`" in done.stderr


def test_every_option_is_documented(root):
    page = (root / "docs" / "how-to" / "run-the-ewe-benchmark.md").read_text("utf-8")
    missing = [o for parameter in command().params for o in parameter.opts if f"`{o}" not in page]
    assert missing == []


def without_packages(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A copy of the script, started by a Python that has no packages."""
    shutil.copy(ROOT / "run_benchmark.py", folder)
    return subprocess.run(
        [sys.executable, "-S", str(folder / "run_benchmark.py"), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )


def venv_of(folder: Path, *options: str) -> None:
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    line = " ".join([sys.executable, *options])
    python.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for a Python is a shell script")
def test_without_its_packages_it_starts_again_with_the_python_of_the_project(tmp_path):
    venv_of(tmp_path)
    done = without_packages(tmp_path, "--help")
    assert "--leaderboard" in text_of(done)


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for a Python is a shell script")
def test_a_python_of_the_project_without_packages_is_tried_once(tmp_path):
    venv_of(tmp_path, "-S")
    done = without_packages(tmp_path)
    assert done.returncode == 2
    assert "`make demo`" in done.stderr


def test_without_any_of_them_one_sentence_says_what_to_do(tmp_path):
    done = without_packages(tmp_path, "--json")
    assert done.returncode == 2
    assert "`pip install .`" in done.stderr
    assert "Traceback" not in done.stderr
    document = json.loads(done.stdout)
    assert set(document["error"]) == {"message", "hint"}
    assert document["exit_code"] == 2


def test_the_script_knows_every_package_the_project_needs(root):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    names = [re.match(r"[\w-]+", one)[0] for one in project["dependencies"]]
    modules = {"markdown-it-py": "markdown_it"}
    known = re.search(r"NEEDED = \((.*?)\)", (root / "run_benchmark.py").read_text("utf-8"), re.S)
    assert set(re.findall(r'"(\w+)"', known[1])) == {
        modules.get(name, name.replace("-", "_")) for name in names
    }
