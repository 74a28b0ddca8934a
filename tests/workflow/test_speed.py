"""`assay speed` against server processes: depths, caches, memory, and what no longer fits."""

import signal
import sys
import xml.etree.ElementTree as ET

import pytest

from assay import api
from assay.store import Store
from tests.models.local.checkpoints import make_checkpoint
from tests.models.local.stopwatch import Stopwatch
from tests.waiting import PATIENCE_S

LONG = " ".join(f"number{n}" for n in range(40))


@pytest.fixture
def ollama(ollama_server):
    ollama_server.answers({"*": LONG})
    return ollama_server


def speed_of(document):
    return {each["depth"]: each for each in document["models"][0]["speed"]}


def prompts_of(server):
    return [each.body["messages"][-1]["content"] for each in server.asked]


def test_each_depth_is_timed_with_new_prompts_and_the_same_ones_again(bench, ollama):
    words = ["speed", ollama.spec(), "--context", "0,4k", "--repeats", "2"]
    document = bench.document(*words)
    found = speed_of(document)
    assert document["exit_code"] == 0
    assert list(found) == [0, 4096]
    deep = found[4096]
    assert 0.95 * 4032 < deep["prompt_tokens"]["value"] <= 4032
    assert (deep["decode"]["n"], deep["prefill"]["n"], deep["clock"]) == (4, 2, "server")
    assert deep["decode"]["low"] <= deep["decode"]["value"] <= deep["decode"]["high"]
    assert deep["memory"]["value"] > found[0]["memory"]["value"]
    assert "fits up to 4,096 tokens" in document["headline"]
    timed = [each for each in ollama.asked if each.body["options"]["num_predict"] == 64]
    assert [each.body["options"]["num_ctx"] for each in timed] == [2048] * 4 + [4096] * 4
    prompts = [each.body["messages"][-1]["content"] for each in timed]
    assert [prompts[n] == prompts[n + 1] for n in range(0, 8, 2)] == [True] * 4, "cached"
    assert len({prompt[:8] for prompt in prompts}) == 4, "new to any cache"
    again = bench.document(*words)
    assert len(ollama.asked) == len(timed) + 2, "measurements are reused"
    assert speed_of(again)[4096] == deep


def test_the_report_has_a_table_and_a_picture_and_runs_of_tests_show_the_figures(bench, ollama):
    done = bench.assay("speed", ollama.spec(), "--context", "0,1k", "-v")
    assert done.returncode == 0, done.stderr
    assert "Speed by context" in done.stdout
    picture = next(bench.out.glob("runs/*/reports/speed.svg")).read_text("utf-8")
    assert len(ET.fromstring(picture).findall(".//{*}polyline")) == 4
    page = bench.assay("report", "latest", "--format", "md").stdout
    assert "speed.svg" in page
    assert "| 1,024 |" in page
    tests = [{"id": "a", "prompt": "Why?", "eval_method": "exact_match", "expected": ["x"]}]
    model = bench.document("run", ollama.spec(), "-s", bench.suite({"one": tests}))["models"][0]
    assert [each["depth"] for each in model["speed"]] == [0, 1024]
    assert bench.assay("compare", "latest", "latest").returncode == 0, "latest has tests"


def test_the_length_at_which_it_spills_to_the_processor_is_named(bench, start_ollama):
    server = start_ollama(offload=1.0)
    server.answers({"*": LONG})
    bench.assay("speed", server.spec(), "--context", "0", "--repeats", "1")
    server.settings(offload=0.5)
    done = bench.assay("speed", server.spec(), "--context", "0,4k", "--repeats", "1")
    said = " ".join(done.stdout.split())
    assert "all of it is on the GPU up to 0 tokens" in said
    assert "at 4,096 tokens 50 % is on the GPU" in said


def test_the_length_at_which_it_no_longer_fits_is_a_finding_and_nothing_deeper_is_tried(
    bench, ollama
):
    bench.assay("speed", ollama.spec(), "--context", "0", "--repeats", "1")
    why = "model requires more system memory (9.1 GiB) than is available (3.0 GiB)"
    ollama.fault("http_500", path="/api/generate", times=None, message=why)
    words = ["speed", ollama.spec(), "--context", "0,4k,8k", "--repeats", "1"]
    document = bench.document(*words)
    found = speed_of(document)
    assert document["exit_code"] == 0
    assert [(depth, each["fits"]) for depth, each in found.items()] == [(0, True), (4096, False)]
    assert why in found[4096]["why_not"]
    assert "no longer fits at 4,096 tokens" in " ".join(bench.assay("report").stdout.split())


def test_a_depth_that_fails_for_another_reason_is_exit_3(bench, ollama):
    ollama.fault("http_500", times=None, message="invalid something")
    document = bench.document("speed", ollama.spec(), "--context", "0", "--repeats", "1")
    assert document["exit_code"] == 3
    assert speed_of(document)[0]["fits"] is True


def test_depths_beyond_the_context_are_refused_before_anything_is_asked(bench, ollama):
    done = bench.document("speed", ollama.spec(), "--context", "0,16k")
    assert done["exit_code"] == 2
    assert "a context of 8192 tokens" in done["error"]["message"]
    assert ollama.asked == []
    usual = bench.document("speed", ollama.spec(), "--repeats", "1")
    assert list(speed_of(usual)) == [0, 4096, 8192], "of the usual ones, as far as it reaches"


def test_every_mistake_is_shown_at_once(bench):
    script = bench.script("a", default="x")
    done = bench.document("speed", script, "--context", "4q")
    assert done["exit_code"] == 2
    for part in ("'4q'", "no speed that could be measured"):
        assert part in done["error"]["message"]


def test_a_server_that_refuses_a_length_has_a_smaller_context(bench, start_openai):
    server = start_openai(context=2048)
    server.answers({"*": LONG})
    found = speed_of(bench.document("speed", server.spec(), "--context", "0,1k,4k"))
    assert [(depth, each["fits"]) for depth, each in found.items()] == [
        (0, True), (1024, True), (4096, False),
    ]  # fmt: skip
    assert found[1024]["clock"] == "client"
    assert found[1024]["memory"]["value"] is None


def test_an_interrupted_measurement_continues(bench, ollama):
    ollama.settings(delay_ms=100)
    words = ["speed", ollama.spec(), "--context", "0,1k", "--repeats", "2"]
    process = bench.start(*words)
    ollama.wait_until(lambda server: len(server.asked) > 4)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "continue with: assay speed" in said
    ollama.settings(delay_ms=0)
    before = len(ollama.asked)
    assert list(speed_of(bench.document(*words))) == [0, 1024]
    assert len(ollama.asked) - before < 8


def test_a_checkpoint_is_timed_in_a_process_of_its_own(tmp_path, monkeypatch):
    """What such a process does is tested in tests/models/local/test_speed.py."""
    stopwatch = Stopwatch(tmp_path)
    monkeypatch.setattr(sys, "executable", stopwatch.program)
    folder = make_checkpoint(tmp_path / "step_1", "llama", context=128)
    report = api.speed([str(folder)], context="128", repeats=2, out=tmp_path / "out")
    (found,) = report.models[0].depths
    assert (found.depth, found.prompt_tokens.value) == (128, 64)
    assert (found.decode.n, found.prefill.n, found.cached_first_token_s.n) == (2, 2, 0)
    assert found.memory.value > 0
    assert found.gpu_share == 0.0
    with Store(tmp_path / "out", read_only=True) as store:
        run = store.find_run("latest", with_tests=False)
        one, other = (kept.reply for kept in store.read_measures(run, run.models[0]))
    assert len(one.decode_s) == len(other.decode_s) == 1
    assert one.decode_s != other.decode_s
    assert one.details["memory_bytes_per_s"] == other.details["memory_bytes_per_s"], "one process"
    assert one.details["tokens_per_s"] > 0
    assert stopwatch.timed == [("step_1", 2)], "one process"


def test_the_best_that_fits_is_found_from_measurements_and_what_lacks_them_is_listed_apart(
    bench, ollama
):
    tests = [{"id": "a", "prompt": "Why?", "eval_method": "exact_match", "expected": ["x"]}]
    suite = bench.suite({"one": tests})
    script = bench.script("a", default="x")
    bench.assay("run", ollama.spec(), script, "-s", suite)
    fits = ["leaderboard", "--max-memory", "8GB", "--min-speed", "15", "--context", "4k"]
    before = bench.document(*fits)
    assert before["suites"] == []
    commands = {each["model"]: each["command"] for each in before["left_out"]}
    assert commands[ollama.spec()] == f"assay speed {ollama.spec()} --context 4096"
    bench.assay("speed", ollama.spec(), "--context", "0,4k", "--repeats", "1")
    found = bench.document(*fits)
    (row,) = found["suites"][0]["rows"]
    assert (row["model"], row["context"], row["rank"]) == (ollama.spec(), 4096, None)
    assert row["speed"]["value"] > 15
    assert row["memory"]["unit"] == "MB"
    assert [each["model"] for each in found["left_out"]] == [script]
    shown = bench.assay(*fits).stdout
    assert "Not measured" in shown
    for limit, why in (("--max-memory", "100MB"), ("--min-speed", "1e9"), ("--context", "8k")):
        words = [limit, why]
        left_out = bench.document("leaderboard", *words)["left_out"]
        assert ollama.spec() in [each["model"] for each in left_out], words


def test_without_a_context_the_figures_of_the_run_itself_count(bench, ollama):
    tests = [{"id": "a", "prompt": "Why?", "eval_method": "exact_match", "expected": ["x"]}]
    bench.assay("run", ollama.spec(), "-s", bench.suite({"one": tests}))
    (row,) = bench.document("leaderboard", "--max-memory", "8GB")["suites"][0]["rows"]
    assert row["context"] is None
    assert row["memory"]["value"] < 8000
    refused = bench.document("leaderboard", "--max-memory", "8 apples", "--context", "4k")
    assert "8 apples" in refused["error"]["message"]


def test_without_a_context_all_usual_depths_that_fit_are_measured(bench, ollama):
    document = bench.document("speed", ollama.spec(), "--repeats", "1")
    assert list(speed_of(document)) == [0, 4096, 8192], "the model's context instead of 16k"
    timed = [each for each in ollama.asked if each.body["options"]["num_predict"] == 64]
    assert len(timed) == 6, "each depth once with a new prompt, once with the same again"


def test_a_stopped_run_leaves_no_empty_folder(bench, ollama):
    """Refused in the middle: nothing was measured, and nothing is left of it."""
    ollama.fault("slow_prefill", times=1, seconds=30.0)
    bench.assay("speed", ollama.spec(), "--context", "0", "--budget", "1s")
    assert not [*bench.out.glob("runs/*")]
    ollama.reset()
    ollama.answers({"*": LONG})
    assert bench.assay("speed", ollama.spec(), "--context", "0").returncode == 0
    (folder,) = bench.out.glob("runs/*")
    assert (folder / "reports").is_dir()
