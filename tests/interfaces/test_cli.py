"""The command line as a user meets it: words in; text, exit codes and documents out."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys

import pytest

from assay import api
from assay.interfaces.cli import COMMANDS, load_command
from assay.workflow.reporting.records import COLUMNS
from tests.command_runs import run_python
from tests.conftest import numbered, right
from tests.waiting import PATIENCE_S

ESTIMATE = {"value", "low", "high", "n", "unscored", "unit", "method"}


@pytest.fixture
def tests():
    return numbered(4)


@pytest.fixture
def words(bench, tests):
    answers = right(tests) | {"sum_002": "five"}
    return ["run", bench.script("able", answers=answers), "-s", bench.suite({"sum": tests})]


# ------------------------------------------------------------------------------------- run --json


def test_the_run_document_has_the_keys_of_the_contract(bench, words):
    document = bench.document(*words)
    assert set(document) == {
        "run", "out", "headline", "card", "models", "selected", "exit_code", "machine", "notes",
    }  # fmt: skip
    assert document["out"] == str(bench.out)
    (model,) = document["models"]
    assert set(model) == {
        "model",
        "suites",
        "measurements",
        "report",
        "accepted",
        "decision",
        "about",
    }
    assert model["model"] == words[1]
    assert (document["selected"], model["accepted"]) == (None, None)
    (suite,) = model["suites"]
    assert set(suite) == {"suite", "score", "categories", "tests"}
    assert suite["suite"] == "tests"
    assert set(suite["score"]) == set(suite["categories"]["sum"]) == ESTIMATE
    assert (suite["score"]["value"], suite["score"]["unit"]) == (75.0, "points")
    assert suite["categories"]["sum"]["value"] == 0.75
    test = suite["tests"][1]
    assert set(test) == {
        "id", "category", "outcome", "score", "answer", "extracted", "explanation"
    }  # fmt: skip
    assert (test["id"], test["category"], test["outcome"]) == ("sum_002", "sum", "fail")
    assert (test["score"], test["answer"]) == (0.0, "five")


def test_with_repeats_a_test_is_one_row_with_its_repeats(bench, words):
    (model,) = bench.document(*words, "--repeats", "3")["models"]
    rows = model["suites"][0]["tests"]
    assert len(rows) == 4
    assert [len(row["repeats"]) for row in rows] == [3, 3, 3, 3]


def test_failed_requests_end_with_3_and_are_null(bench, tests):
    model = bench.script("flaky", answers=right(tests), fail={"sum_001": "reset"})
    document = bench.document("run", model, "-s", bench.suite({"sum": tests}))
    assert document["exit_code"] == 3
    row = document["models"][0]["suites"][0]["tests"][0]
    assert (row["outcome"], row["score"], row["answer"]) == ("failed", None, None)
    assert document["models"][0]["suites"][0]["score"]["unscored"] == 1


def test_a_headline_without_any_score_is_a_sentence(bench, tests):
    model = bench.script("down", default="x", fail={test["id"]: "reset" for test in tests})
    document = bench.document("run", model, "-s", bench.suite({"sum": tests}))
    assert document["headline"].endswith("on tests: none of 4 tests has a score.")


def test_pass_marks_never_change_the_exit_code(bench, tests):
    model = bench.script("wrong", default="no")
    assert bench.assay("run", model, "-s", bench.suite({"sum": tests})).returncode == 0


def test_limit_and_category_choose_tests(bench):
    suite = bench.suite({"a": numbered(9, "a"), "b": numbered(9, "b")})
    model = bench.script("m", default="2")
    few = bench.document("run", model, "-s", suite, "--limit", "4")
    ids = [row["id"] for row in few["models"][0]["suites"][0]["tests"]]
    assert sorted(test_id[0] for test_id in ids) == ["a", "a", "b", "b"]
    again = bench.document("run", model, "-s", suite, "--limit", "4")
    assert [row["id"] for row in again["models"][0]["suites"][0]["tests"]] == ids
    only = bench.document("run", model, "-s", suite, "-c", "b")
    assert set(only["models"][0]["suites"][0]["categories"]) == {"b"}


def test_a_run_that_is_stopped_has_the_run_document_with_what_it_counted(bench, tests):
    """Only exit 2 has nothing but the error: a program finds the run and its answers here."""
    model = bench.script("slow", answers=right(tests), delay_s=1.2)
    words = ["run", model, "-s", bench.suite({"sum": tests})]
    bench.document(*words, "--limit", "2")  # stored: counted however busy the machine is
    stopped = bench.document(*words, "--budget", "1")
    assert (stopped["exit_code"], stopped["finished"]) == (130, False)
    assert "continue with: assay run" in stopped["error"]["hint"]
    asked = stopped["models"][0]["suites"][0]
    assert 2 <= asked["score"]["n"] == len(asked["tests"]) < 4
    ended = bench.document(*words)
    assert ended["run"] == stopped["run"]
    assert set(stopped) - set(ended) == {"error", "finished"}


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "MODEL"),
        (["run", "scripted:none.json", "-s", "example"], "none.json"),
        (["run", "scripted:none.json"], "no suite"),
        (["run", "MODEL", "-s", "exampel"], "example"),
        (["run", "MODEL", "-s", "./nowhere"], "nowhere"),
        (["run", "MODEL", "-s", "example", "-c", "arithmetics"], "arithmetic"),
        (["run", "MODEL", "-s", "example", "--limit", "0"], "--limit"),
        (["run", "MODEL", "-s", "example", "--repeats", "0"], "--repeats"),
        (["run", "MODEL", "-s", "example", "--timeout", "nan"], "--timeout"),
        (["compare", "a", "b", "--max-drop", "nan"], "--max-drop"),
        (["run", "ollama:llama3", "-s", "example"], "ollama:llama3"),
        (["rnu", "MODEL"], "run"),
        (["report", "latest"], "no store"),
        (["compare", "a", "b"], "no store"),
    ],
)
def test_a_refusal_names_the_thing_and_the_next_step_and_ends_with_2(bench, arguments, says):
    model = bench.script("m", default="x")
    given = [model if word == "MODEL" else word for word in arguments]
    done = bench.assay(*given)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert "next: " in done.stderr
    if given[0] in ("run", "report", "compare"):
        document = json.loads(bench.assay(*given, "--json").stdout)
        assert set(document) == {"error", "exit_code"}
        assert set(document["error"]) == {"message", "hint"}
        assert document["exit_code"] == 2


def test_invalid_tests_are_listed_line_by_line_and_nothing_is_asked(bench):
    suite = bench.suite({"a": [{"id": "a_001", "prompt": "?", "eval_method": "exact"}, {"id": 3}]})
    done = bench.assay("run", bench.script("m", default="x"), "-s", suite)
    assert done.returncode == 2
    assert len(re.findall(r"a\.json:\d+:\d+: \S+: error: ", done.stderr)) >= 2
    assert not bench.out.exists()


# ------------------------------------------------------------------------- validate, schema, suites


def test_validate_prints_every_finding_on_stdout_in_one_line_each(bench):
    suite = bench.suite(
        {
            "a": [{"id": "a_001", "prompt": "?" * 300, "eval_method": "keyword"}],
            "b": [
                {"id": "b_001", "prompt": "?", "eval_method": "keywords", "expected_keyword": []}
            ],
        }
    )
    done = bench.assay("validate", suite, COLUMNS="40")
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    assert len(lines) >= 3
    for line in lines:
        assert re.fullmatch(r".+\.json:\d+:\d+: [\w-]+: (error|warning): .+", line), line
    assert "did you mean 'keywords'" in done.stdout
    assert "did you mean 'expected_keywords'" in done.stdout


def test_warnings_alone_end_with_0(bench, tests):
    tests[0]["id"] = "odd-name"
    done = bench.assay("validate", bench.suite({"sum": tests}))
    assert done.returncode == 0
    assert "warning" in done.stdout


@pytest.mark.parametrize("kind", ["tests", "suite"])
def test_schema_prints_a_json_schema(bench, kind):
    schema = json.loads(bench.assay("schema", kind).stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")


def test_suites_lists_what_ships_and_shows_one(bench):
    assert "example" in bench.assay("suites").stdout
    shown = bench.assay("suites", "example").stdout
    assert "ewe_001" in shown


# ------------------------------------------------------------- report, export, compare, leaderboard


@pytest.fixture
def two_models(bench, tests, words):
    other = bench.script("other", answers=right(tests) | {"sum_001": "x", "sum_003": "x"})
    document = bench.document("run", words[1], other, *words[2:])
    return document["run"]


def test_a_report_comes_back_from_the_store_in_every_format(bench, words, two_models):
    for path in bench.folder.glob("tests/*.json"):
        path.unlink()
    first = json.loads(bench.assay("report", two_models[:18], "--format", "json").stdout)
    assert first["run"] == two_models
    text = bench.assay("report").stdout
    assert "75.0" in text
    assert "n=4" in text or re.search(r"\b4\b", text)
    assert bench.assay("report", "--format", "md").stdout.startswith("#")
    assert "<html" in bench.assay("report", "--format", "html").stdout
    assert "sum_002" in bench.assay("report", "-v").stdout


def test_export_gives_every_try_as_jsonl_and_csv(bench, two_models):
    lines = bench.assay("export").stdout.splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) == 8
    assert {record["outcome"] for record in records} == {"fail", "no_answer", "pass"}
    table = bench.assay("export", "latest", "--format", "csv").stdout.splitlines()
    assert len(table) == 9


def test_compare_pairs_by_test_and_names_the_flips(bench, two_models):
    text = bench.assay("compare", "latest", "-v").stdout
    assert "sum_001" in text
    assert "sum_002" in text
    (pair,) = json.loads(bench.assay("compare", "latest", "--json").stdout)["pairs"]
    (suite,) = pair["suites"]
    assert (suite["gained"], suite["lost"]) == (1, 2)
    assert suite["difference"]["value"] == pytest.approx(-25.0)


@pytest.mark.parametrize(("most", "code"), [("0.25", 0), ("0.2", 1)])
def test_a_drop_beyond_the_limit_ends_with_1(bench, two_models, most, code):
    done = bench.assay("compare", "latest", "--max-drop", most, "--json")
    assert done.returncode == code
    document = json.loads(done.stdout)
    assert document["exit_code"] == code
    assert any("fell by 25" in note for note in document["notes"]) == bool(code)


def test_a_drop_as_large_as_the_limit_is_allowed_whatever_the_rounding(tmp_path, monkeypatch):
    """The mean of three categories that each fell by 0.1 is 0.10000000000000002."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite").mkdir()
    for category in "abc":
        tests = [
            {"id": f"{category}_{n:03d}", "prompt": "Yes?", "eval_method": "exact_match",
             "expected": "yes"}
            for n in range(10)
        ]  # fmt: skip
        (tmp_path / "suite" / f"{category}.json").write_text(json.dumps(tests), "utf-8")
    worse = {f"{category}_000": "no" for category in "abc"}
    for name, answers in (("right", {}), ("worse", worse)):
        script = {"answers": answers, "default": "yes"}
        (tmp_path / f"{name}.json").write_text(json.dumps(script), "utf-8")
    api.run(["scripted:right.json", "scripted:worse.json"], suites=["./suite"])
    assert api.compare("latest", max_drop=0.1).exit_code == 0
    assert api.compare("latest", max_drop=0.099).exit_code == 1


def test_compare_takes_models_of_different_runs_by_their_spec(bench, words, tests):
    other = bench.script("other", answers=right(tests))
    bench.assay(*words)
    bench.assay("run", other, *words[2:])
    document = bench.document("compare", words[1], other)
    assert document["pairs"][0]["suites"][0]["difference"]["value"] == pytest.approx(25.0)


def test_the_leaderboard_ranks_every_model_best_first(bench, two_models):
    (suite,) = bench.document("leaderboard")["suites"]
    # Two of four may be luck: its interval reaches down to what guessing scores.
    assert [row["rank"] for row in suite["rows"]] == [1, None]
    assert [row["within_guessing"] for row in suite["rows"]] == [False, True]
    assert "able" in suite["rows"][0]["model"]


def test_rescore_marks_again_by_the_mended_test_and_asks_nothing(bench, words, tests):
    bench.assay(*words)
    tests[1]["expected"] = ["4", "five"]
    tests[2]["prompt"] = "Something else?"
    tests[2]["expected"] = "nothing"
    bench.suite({"sum": tests})
    done = bench.assay("rescore", "latest")
    assert done.returncode == 0
    assert "1 changed" in done.stderr
    assert "sum_003" in done.stderr
    document = bench.document("report")
    assert document["models"][0]["suites"][0]["score"]["value"] == 100.0


# ---------------------------------------------------------------------------------- the whole tool


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_and_takes_out_and_lang(name):
    command = load_command(name)
    options = {option for parameter in command.params for option in parameter.opts}
    assert {"--out", "--lang"} <= options
    assert f"assay {name}" in f"{command.help}{command.epilog}"


def test_help_loads_nothing_heavy():
    program = (
        "import sys\n"
        "from assay.interfaces.cli import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "heavy = {'torch', 'numpy', 'scipy', 'rich', 'pydantic', 'transformers', 'starlette',"
        " 'uvicorn',"
        " 'jinja2', 'markdown_it', 'tree_sitter', 'httpx', 'assay.types'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"
    assert "leaderboard" in done.stdout


def test_the_version_is_told():
    done = subprocess.run(
        [sys.executable, "-m", "assay", "--version"], capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"assay, version \d+\.\d+\.\d+\n", done.stdout)


def test_no_argument_shows_the_help():
    done = subprocess.run(
        [sys.executable, "-m", "assay"], capture_output=True, text=True, check=True
    )
    assert "leaderboard" in done.stdout


@pytest.mark.parametrize("given", [["export"], ["report", "-v"], ["suites"]])
def test_a_reader_that_goes_away_is_no_error(bench, two_models, given):
    process = bench.start(*given)
    process.stdout.close()
    assert process.wait(timeout=PATIENCE_S) == 0
    assert process.stderr.read() == ""
    process.stderr.close()


def test_a_run_whose_reader_goes_away_ends_as_the_run_did(bench, tests):
    model = bench.script("flaky", default="x", fail={"sum_001": "reset"})
    process = bench.start("run", model, "-s", bench.suite({"sum": tests}))
    process.stdout.close()
    assert process.wait(timeout=PATIENCE_S) == 3
    process.stderr.close()


def shell(bench, words, redirection):
    command = shlex.join(bench.command(*words)) + " " + redirection
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        cwd=bench.folder,
        env=bench.environment,
    )


def test_closed_streams_do_not_disturb_a_run(bench, words):
    assert shell(bench, words, "2>&-").returncode == 0
    assert shell(bench, words, ">&-").returncode == 0


def test_output_that_cannot_be_written_is_a_clear_error(bench, words, two_models):
    for given in (words, ["export"], ["report", "--json"]):
        done = shell(bench, given, "> /dev/full")
        assert done.returncode == 130, done.stderr
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr


def test_json_is_valid_whatever_the_stream_can_encode(bench, tests):
    model = bench.script("ewe", default="ɖe ŋku 😀")
    for encoding in ("ascii", "cp1252"):
        done = bench.assay(
            "run", model, "-s", bench.suite({"sum": tests}), "--json", PYTHONIOENCODING=encoding
        )
        answer = json.loads(done.stdout)["models"][0]["suites"][0]["tests"][0]["answer"]
        assert answer == "ɖe ŋku 😀"


def test_all_findings_are_told_with_json_too_beside_another_mistake(bench):
    suite = bench.suite({"a": [{"id": "a_001", "prompt": "?", "eval_method": "exact"}]})
    error = bench.document("run", "scripted:none.json", "-s", suite)["error"]
    assert "did you mean 'exact_match'" in error["message"]
    assert "none.json" in error["message"]


@pytest.mark.parametrize("seed", ["-1", "9223372036854775808"])
def test_a_seed_that_cannot_be_one_is_refused(bench, words, seed):
    done = bench.assay(*words, "--seed", seed)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_demo_refuses_a_folder_it_cannot_use(bench):
    bench.out = bench.folder / "file" / "out"
    (bench.folder / "file").write_text("in the way")
    done = bench.assay("demo")
    assert done.returncode == 2
    assert "--out" in done.stderr


def test_csv_and_jsonl_give_back_every_answer_to_the_letter(bench, tests):
    hostile = ["a\rb\nc", "\x1b[31mRED\x1b[0m", '"quoted", and; more', "=1+1"]
    answers = dict(zip((test["id"] for test in tests), hostile, strict=True))
    bench.assay("run", bench.script("m", answers=answers), "-s", bench.suite({"sum": tests}))
    command = bench.command("export", "--format", "csv")
    raw = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(raw, newline="")))
    assert [row["answer"] for row in rows] == [*hostile[:3], "'=1+1"]
    records = [json.loads(line) for line in bench.assay("export").stdout.splitlines()]
    assert [record["answer"] for record in records] == hostile


def test_rescoring_renews_the_reports_on_the_disk(bench, words, tests):
    run = bench.document(*words)["run"]
    tests[1]["expected"] = ["4", "five"]
    bench.suite({"sum": tests})
    document = bench.document("rescore", "latest")
    assert document["models"][0]["suites"][0]["score"]["value"] == 100.0
    page = bench.out / "runs" / run / "reports" / "report.md"
    assert "100.0" in page.read_text("utf-8")


def test_runs_that_share_no_suite_are_not_compared(bench, tests):
    model = bench.script("m", default="x")
    runs = [
        bench.document("run", model, "-s", bench.suite({"sum": tests}, name=name))["run"]
        for name in ("one", "two")
    ]
    done = bench.assay("compare", *runs)
    assert done.returncode == 2
    assert "one" in done.stderr
    assert "two" in done.stderr


@pytest.mark.parametrize("columns", ["20", "200"])
def test_names_stay_readable_at_any_width(bench, words, columns):
    done = bench.assay(*words, "-v", COLUMNS=columns)
    assert re.search(r"^\s*sum\b", done.stdout, re.MULTILINE), done.stdout


def test_output_that_the_console_cannot_show_does_not_end_a_run(bench, tests):
    model = bench.script("ewe", default="ɖe ŋku 😀")
    done = bench.assay(
        "run", model, "-s", bench.suite({"sum": tests}), "-v", PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("redirection", ["2>&1 | head -1", "2> /dev/full"])
def test_nobody_watching_the_progress_does_not_end_a_run(bench, tests, redirection):
    """A broken stderr once ended a run in its first third, with exit code 0."""
    model = bench.script("slow", default="x", delay_s=0.05)
    words = ["run", model, "-s", bench.suite({"sum": tests})]
    done = shell(bench, words, redirection + "; exit ${PIPESTATUS[0]}")
    assert done.returncode == 0
    assert "finished" not in bench.document("report")


def test_validate_ends_with_2_also_when_its_reader_leaves(bench):
    wrong = [{"id": f"a_{n:03d}", "prompt": "?", "eval_method": "exact"} for n in range(3000)]
    suite = bench.suite({"a": wrong})
    done = shell(bench, ["validate", suite], "| head -1; exit ${PIPESTATUS[0]}")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_every_unknown_suite_and_category_is_named_at_once(bench, words, tests):
    wrong = bench.suite({"a": [{"id": "a_001", "prompt": "?", "eval_method": "exact"}]}, name="w")
    done = bench.assay("run", words[1], "-s", "./nope", "-s", "./none", "-s", wrong)
    assert "nope" in done.stderr
    assert "none" in done.stderr
    assert "a_001" in done.stderr
    done = bench.assay(*words, "-c", "x", "-c", "y")
    assert "'x'" in done.stderr
    assert "'y'" in done.stderr


@pytest.mark.parametrize(
    "spec", ["openai:x@http://[bad", "openai:@http://me:secret@host/v1", "ollama:m@http://a:b@c"]
)
def test_a_strange_url_is_refused_and_no_password_is_shown(bench, spec):
    done = bench.assay("run", spec, "-s", "example")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr
    assert "a:b" not in done.stderr


def test_a_leaderboard_of_an_unknown_suite_names_the_known_ones(bench, two_models):
    done = bench.assay("leaderboard", "-s", "nope")
    assert done.returncode == 2
    assert "tests" in done.stderr


def test_export_columns_are_documented(root):
    page = (root / "docs" / "reference" / "reports.md").read_text("utf-8")
    assert [name for name in COLUMNS if f"`{name}`" not in page] == []


def test_what_is_loaded_is_said_before_torch_is_imported(bench, root):
    (bench.folder / "torch.py").write_text(
        "import sys\nsys.stderr.write('torch is imported\\n')\nraise SystemExit(7)\n"
    )
    model = str(root / "src" / "assay" / "builtin" / "checkpoints" / "tiny" / "step_008000")
    done = run_python(
        bench.command("run", model, "-s", "example")[1:], bench.folder, bench.environment
    )
    loading, _, imported = done.stderr.splitlines()[:3]
    assert (loading, imported) == (f"{model}: loading", "torch is imported")


def test_failed_requests_are_exit_3_though_the_gate_fails_too(bench):
    suite = bench.suite({"sum": numbered(4)})
    (bench.folder / "gate.toml").write_text('[[suite]]\nname = "tests"\nmin = 0.9\n', "utf-8")
    model = bench.script("m", default="no idea", fail={"sum_001": "no luck"})
    done = bench.assay("run", model, "-s", suite, "--gate", "gate.toml")
    assert done.returncode == 3, done.stderr
