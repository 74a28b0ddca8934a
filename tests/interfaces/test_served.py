"""Served models as a user meets them: the command, a real server process, what is left behind."""

from __future__ import annotations

import json
import signal
import sqlite3

import pytest

from tests.conftest import numbered
from tests.waiting import PATIENCE_S

CHAT = "smollm2:135m-instruct-q4_1"
KEY = "sk-planted-4f1d9e0b7c"


@pytest.fixture
def sums(bench):
    return bench.suite({"sum": numbered(12)})


def asked(server):
    return [request.body["messages"][-1]["content"] for request in server.asked]


def everything_under(folder):
    """Every byte a run leaves, the store's too."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


# ------------------------------------------------------------------------------------- a run


def test_every_question_is_asked_once_and_a_second_command_asks_nothing(bench, ollama_server, sums):
    ollama_server.answers({f"What is {n} plus": str(2 * n) for n in range(12, 0, -1)})
    words = ["run", ollama_server.spec(), "-s", sums]
    first = bench.document(*words)
    assert first["exit_code"] == 0
    assert len(asked(ollama_server)) == len(set(asked(ollama_server))) == 12
    score = first["models"][0]["suites"][0]["score"]
    assert (score["n"], score["unscored"]) == (12, 0)
    again = bench.document(*words)
    assert len(asked(ollama_server)) == 12
    assert again["models"][0]["suites"] == first["models"][0]["suites"]


def test_what_was_sent_is_stored_with_the_request(bench, ollama_server, sums):
    bench.assay("run", ollama_server.spec(), "-s", sums, "--limit", "1")
    database = sqlite3.connect(bench.out / "assay.db")
    ((body,),) = database.execute("SELECT body FROM requests")
    database.close()
    sampling = json.loads(body)["sampling"]
    sent = ollama_server.asked[0].body["options"]
    names = ("temperature", "seed", "top_p", "top_k", "min_p", "repeat_penalty")
    assert {name: sampling[name] for name in names} == {name: sent[name] for name in names}


def test_mistakes_in_files_are_shown_before_the_server_is_asked_anything(bench, ollama_server):
    broken = bench.suite({"sum": [{"id": "x"}]})
    done = bench.assay("run", ollama_server.spec(), "-s", broken)
    assert done.returncode == 2
    assert not ollama_server.asked


def test_a_missing_model_and_a_missing_file_are_told_together(bench, ollama_server):
    done = bench.assay("run", ollama_server.spec("nowhere:1b"), "-s", "no-such-folder/")
    assert done.returncode == 2
    assert "ollama pull nowhere:1b" in done.stderr
    assert "no-such-folder" in done.stderr


def test_nobody_at_the_address_is_exit_2_and_names_it(bench, start_ollama, sums):
    server = start_ollama()
    spec = server.spec()
    server.kill()
    document = bench.document("run", spec, "-s", sums)
    assert document["exit_code"] == 2
    assert server.url in document["error"]["message"]
    assert "ollama serve" in document["error"]["hint"]


def test_requests_that_fail_for_good_are_exit_3_and_are_asked_again_next_time(
    bench, ollama_server, sums
):
    ollama_server.fault("http_400", when="What is 3 plus", times=None, message="no")
    words = ["run", ollama_server.spec(), "-s", sums]
    document = bench.document(*words)
    assert document["exit_code"] == 3
    outcomes = {t["id"]: t["outcome"] for t in document["models"][0]["suites"][0]["tests"]}
    assert outcomes["sum_003"] == "failed"
    assert list(outcomes.values()).count("failed") == 1
    before = len(asked(ollama_server))
    ollama_server.reset()
    assert bench.document(*words)["exit_code"] == 0
    assert asked(ollama_server) == ["What is 3 plus 3?"]
    assert before == 12


def test_a_killed_run_continues_and_no_question_is_asked_twice(bench, ollama_server, sums):
    ollama_server.settings(delay_ms=60)
    words = ["run", ollama_server.spec(), "-s", sums]
    process = bench.start(*words)
    ollama_server.wait_until(lambda server: len(server.asked) >= 5)
    process.kill()
    process.communicate()
    database = sqlite3.connect(bench.out / "assay.db")
    (kept,) = database.execute("SELECT count(*) FROM replies").fetchone()
    database.close()
    assert kept >= 3
    before = len(asked(ollama_server))
    document = bench.document(*words)
    assert document["exit_code"] == 0
    assert len(document["models"][0]["suites"][0]["tests"]) == 12
    assert len(asked(ollama_server)) - before == 12 - kept


def test_ctrl_c_while_a_server_hangs_ends_at_once_and_frees_the_server(bench, ollama_server, sums):
    ollama_server.fault("slow_prefill", when="What is 4 plus", times=1, seconds=600)
    process = bench.start("run", ollama_server.spec(), "-s", sums)
    ollama_server.wait_until(lambda server: any("What is 4 plus" in text for text in asked(server)))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "continue with: assay run" in said
    assert "Traceback" not in said
    assert ollama_server.log()[-1].body["keep_alive"] == 0


def test_a_budget_stops_the_run_and_the_same_command_continues(bench, ollama_server, sums):
    ollama_server.settings(delay_ms=100)
    words = ["run", ollama_server.spec(), "-s", sums]
    done = bench.assay(*words, "--budget", "0.25")
    assert done.returncode == 130
    assert "--budget" in done.stderr
    kept = len(asked(ollama_server))
    assert kept < 12
    ollama_server.settings(delay_ms=0)
    document = bench.document(*words)
    assert document["exit_code"] == 0
    assert len(document["models"][0]["suites"][0]["tests"]) == 12


def test_a_server_that_stays_away_ends_the_run_and_the_same_command_continues(
    bench, start_ollama, sums
):
    server = start_ollama(delay_ms=100)
    words = ["run", server.spec(), "-s", sums, "--timeout", "1"]
    running = bench.start(*words, "--json")
    server.wait_until(lambda server: len(server.asked) > 2)
    server.kill()
    stdout, stderr = running.communicate(timeout=60)
    assert running.returncode == 3
    assert "waiting for it, up to 1 s" in stderr
    document = json.loads(stdout)
    assert (document["exit_code"], document["finished"]) == (3, False)
    assert "continue with: assay run" in document["error"]["hint"]
    tests = document["models"][0]["suites"][0]["tests"]
    assert {test["outcome"] for test in tests} <= {"pass", "fail"}, "the rest has not failed"
    again = start_ollama(port=server.port)
    document = bench.document(*words)
    assert document["exit_code"] == 0
    assert len(document["models"][0]["suites"][0]["tests"]) == 12
    assert len(again.asked) < 12, "what had been answered was not asked again"


def test_answers_that_repeat_themselves_are_counted_in_the_report(bench, ollama_server, sums):
    ollama_server.answers({"What is 3 plus": "Let me think again. " * 300, "*": "4"})
    words = ["run", ollama_server.spec(), "-s", sums, "--max-tokens", "2000"]
    model = bench.document(*words)["models"][0]
    loops = model["measurements"]["loops"]
    assert (loops["value"], loops["n"]) == (1 / 12, 12)
    why, cost = model["suites"][0]["why"]
    assert why == "1 answer of 12 repeats itself: the same words over and over."
    assert model["measurements"]["tokens_per_right_answer"]["n"] == 12
    for form in ("text", "md", "html"):
        said = bench.assay("report", "latest", "-v", "--format", form).stdout
        shown = " ".join(said.split())
        assert why in shown
        assert cost.split(".")[0] in shown
        assert "tokens per right answer" in shown


def test_the_same_letter_throughout_is_said_beside_the_score(bench, ollama_server):
    tests = [
        {"id": f"q_{n:03}", "prompt": f"Which is number {n}?", "eval_method": "multiple_choice",
         "choices": ["one", "two", "three", "four"], "expected": "ABCD"[n % 4]}
        for n in range(20)
    ]  # fmt: skip
    ollama_server.answers({"*": "A"})
    done = bench.assay("run", ollama_server.spec(), "-s", bench.suite({"letters": tests}))
    assert "The answer was A to 20 of 20 multiple-choice questions" in " ".join(done.stdout.split())


def test_a_prompt_that_never_fits_is_not_advised_to_be_asked_again(bench, ollama_server):
    tests = numbered(2)
    tests[1]["prompt"] = "word " * 2000
    suite = bench.suite({"sum": tests})
    done = bench.assay("run", ollama_server.spec(), "-s", suite, "--num-ctx", "256")
    assert done.returncode == 3
    assert "prompts that do not fit into the context, and never will: 1" in done.stdout
    assert "--num-ctx" in done.stdout
    assert "ask it again" not in done.stdout


def test_one_model_leaves_the_memory_before_the_next_comes_in(bench, ollama_server, sums):
    both = [ollama_server.spec(), ollama_server.spec("stories:260k")]
    assert bench.assay("run", *both, "-s", sums, "--limit", "3").returncode == 0
    moves = [
        (request.body["model"], request.body.get("keep_alive"))
        for request in ollama_server.log("/api/generate")
        if not request.asks
    ]
    assert moves == [(CHAT, "30m"), (CHAT, 0), ("stories:260k", "30m"), ("stories:260k", 0)]


def test_the_same_weights_under_two_names_are_one_model(bench, ollama_server, sums):
    done = bench.assay("run", ollama_server.spec(), f"ollama:{CHAT}", "-s", sums,
                       OLLAMA_HOST=ollama_server.url)  # fmt: skip
    assert done.returncode == 2
    assert "same model" in done.stderr


def test_the_servers_own_sampling_is_said_in_every_report(bench, ollama_server, sums):
    done = bench.assay("run", ollama_server.spec(), "-s", sums, "--sampling", "server")
    assert "options" in ollama_server.asked[0].body
    assert "repeat_penalty" not in ollama_server.asked[0].body["options"]
    (run,) = (bench.out / "runs").iterdir()
    texts = [done.stdout, (run / "reports/report.md").read_text("utf-8"),
             (run / "reports/report.html").read_text("utf-8"),
             (run / "performance.md").read_text("utf-8")]  # fmt: skip
    for text in texts:
        assert "sampling" in text.lower()
        assert "server" in text.lower()
    document = json.loads((run / "reports/report.json").read_text("utf-8"))
    assert document["sampling"] == "server"


def test_a_score_under_the_servers_sampling_is_not_ranked_beside_ours(bench, ollama_server, sums):
    words = ["run", ollama_server.spec(), "-s", sums]
    bench.assay(*words)
    bench.assay(*words, "--sampling", "server")
    tables = bench.document("leaderboard")["suites"]
    assert [len(table["rows"]) for table in tables] == [1, 1]
    assert [table.get("asked", "") for table in tables] == ["sampling left to the server", ""]
    assert "sampling left to the server" in bench.assay("leaderboard").stdout


def test_the_quantitative_report_says_where_the_time_went(bench, ollama_server, sums):
    bench.assay("run", ollama_server.spec(), "-s", sums)
    (run,) = (bench.out / "runs").iterdir()
    text = (run / "performance.md").read_text("utf-8")
    for words in ("Ollama 0.17.4", "Q4_1", "cold", "warm", "stop", "sum_001", "cores"):
        assert words in text, words


# ------------------------------------------------------------------------------------- settings


def test_options_reach_the_server(bench, ollama_server, sums):
    bench.assay("run", ollama_server.spec(), "-s", sums, "--limit", "1", "--num-ctx", "777",
                "--max-tokens", "33", "--seed", "5")  # fmt: skip
    options = ollama_server.asked[0].body["options"]
    assert (options["num_ctx"], options["num_predict"], options["seed"]) == (777, 33, 5)


def test_a_system_prompt_is_for_suites_that_bring_none(bench, ollama_server):
    bare = bench.suite({"sum": numbered(1)}, "bare")
    bench.assay("run", ollama_server.spec(), "-s", bare, "--system", "Be Yawo.")
    assert ollama_server.asked[0].body["messages"][0] == {"role": "system", "content": "Be Yawo."}
    ollama_server.reset()
    told = bench.suite({"sum": numbered(1)}, "told", title="Decided")
    bench.assay("run", ollama_server.spec(), "-s", told, "--system", "Be Yawo.")
    assert [m["role"] for m in ollama_server.asked[0].body["messages"]] == ["user"]


def test_rescoring_a_suite_that_was_given_a_system_prompt_finds_its_tests(bench, ollama_server):
    bare = bench.suite({"sum": numbered(3)}, "bare")
    bench.assay("run", ollama_server.spec(), "-s", bare, "--system", "Be Yawo.")
    done = bench.assay("rescore", "latest")
    assert done.returncode == 0, done.stderr
    assert "asks something else" not in done.stdout + done.stderr


def test_thinking_that_cannot_be_is_refused_before_the_run(bench, ollama_server, sums):
    done = bench.assay("run", ollama_server.spec(), "-s", sums, "--think", "on")
    assert done.returncode == 2
    assert "--think" in done.stderr
    assert not ollama_server.asked


# ------------------------------------------------------------------------------------------ keys


def test_a_key_is_sent_and_found_nowhere_afterwards(bench, start_openai, sums):
    server = start_openai(key=KEY)
    server.answers({"What is 2 plus": f"Your key is {KEY}, is it not?"})
    server.fault("auth_401", when="What is 3 plus", times=None)
    words = ["run", server.spec("test-model"), "-s", sums, "-v"]
    done = bench.assay(*words, OPENAI_API_KEY=KEY)
    assert done.returncode == 3, done.stderr
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in done.stdout + done.stderr
    assert KEY.encode() not in everything_under(bench.out)
    for command in (["report"], ["export", "--format", "jsonl"], ["leaderboard"]):
        shown = bench.assay(*command, OPENAI_API_KEY=KEY)
        assert KEY not in shown.stdout + shown.stderr


def test_a_key_under_another_name_is_found_by_that_name(bench, start_openai, sums):
    server = start_openai(key=KEY)
    words = ["run", server.spec("test-model"), "-s", sums, "--limit", "2"]
    assert bench.assay(*words, OPENAI_API_KEY="wrong").returncode == 2
    done = bench.assay(*words, "--api-key-env", "MY_KEY", MY_KEY=KEY)
    assert done.returncode == 0, done.stderr
    unset = bench.assay(*words, "--api-key-env", "NO_SUCH_KEY")
    assert unset.returncode == 2
    assert "--api-key-env" in unset.stderr


def test_a_test_without_a_system_prompt_gets_the_users_and_one_that_says_none_gets_none(
    bench, ollama_server
):
    first, second = numbered(2)
    suite = bench.suite({"sum": [first, {**second, "system": ""}]})
    words = ["run", ollama_server.spec(), "-s", suite]
    assert bench.assay(*words, "--system", "Be brief.").returncode == 0
    roles = {
        r.body["messages"][-1]["content"]: len(r.body["messages"]) for r in ollama_server.asked
    }
    assert roles == {first["prompt"]: 2, second["prompt"]: 1}
    assert bench.assay("rescore").returncode == 0
    bench.suite({"sum": [first, second]})
    before = len(ollama_server.asked)
    assert bench.assay(*words).returncode == 0
    assert asked(ollama_server)[before:] == [first["prompt"]]  # the other asks what it asked
    runs = [path.name for path in sorted((bench.out / "runs").iterdir())]
    (pair,) = bench.document("compare", *runs)["pairs"]
    assert [test["id"] for test in pair["suites"][0]["left_out"]] == [first["id"]]


# ------------------------------------------------------------------------------------------- ask


def test_own_prompts_are_answered_side_by_side_and_kept(bench, ollama_server):
    (bench.folder / "prompts.txt").write_text("What is a dog?\n\nName a fruit.\n", "utf-8")
    ollama_server.answers({"dog": "An animal.", "fruit": "Mango."})
    words = ["ask", "prompts.txt", ollama_server.spec(), ollama_server.spec("stories:260k")]
    done = bench.assay(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("An animal.") == done.stdout.count("Mango.") == 2
    assert "again:           assay ask prompts.txt" in done.stdout
    asked_before = len(ollama_server.asked)
    again = bench.assay(*words)
    assert "An animal." in again.stdout
    assert len(ollama_server.asked) == asked_before


def test_long_prompts_stand_between_lines_of_dashes(bench):
    (bench.folder / "long.txt").write_text("one\nline two\n---\nsecond\n---\n", "utf-8")
    model = bench.script("m", answers={"ask_001": "first", "ask_002": "then"})
    document = bench.document("ask", "long.txt", model)
    tests = document["models"][0]["suites"][0]["tests"]
    assert [(t["id"], t["answer"], t["outcome"]) for t in tests] == [
        ("ask_001", "first", "unscored"),
        ("ask_002", "then", "unscored"),
    ]
    assert document["exit_code"] == 0


def test_a_prompt_ends_with_its_line_and_nowhere_else(bench):
    text = "one\u2028still one\x0cand\x85on\r\ntwo\n"
    (bench.folder / "p.txt").write_bytes(text.encode())
    bench.assay("ask", "p.txt", bench.script("m", default="x"))
    exported = bench.assay("export", "latest", "--format", "jsonl").stdout
    assert len(exported.strip().split("\n")) == 2
    assert "still one" in exported


def test_a_prompt_that_failed_is_exit_3_and_says_why(bench):
    (bench.folder / "p.txt").write_text("hello", "utf-8")
    done = bench.assay("ask", "p.txt", bench.script("m", fail={"ask_001": "no luck"}))
    assert done.returncode == 3
    assert "no luck" in done.stdout


@pytest.mark.parametrize(
    ("name", "content"), [("none.txt", None), ("empty.txt", b"\n \n"), ("odd.txt", b"\xff\xfe")]
)
def test_a_file_without_prompts_is_exit_2(bench, name, content):
    if content is not None:
        (bench.folder / name).write_bytes(content)
    done = bench.assay("ask", name, bench.script("m", default="x"))
    assert done.returncode == 2
    assert name in done.stderr
    assert "Traceback" not in done.stderr


def test_the_report_of_own_prompts_speaks_of_no_score(bench):
    (bench.folder / "p.txt").write_text("hello", "utf-8")
    bench.assay("ask", "p.txt", bench.script("m", default="x"))
    for form in ("text", "md"):
        shown = " ".join(bench.assay("report", "latest", "--format", form).stdout.split())
        assert "own prompts" in shown
        assert "incomplete:" not in shown
        assert "know nothing" not in shown


def test_own_prompts_are_rescored_compared_and_ranked_without_harm(bench):
    (bench.folder / "p.txt").write_text("hello\nthere", "utf-8")
    bench.assay("ask", "p.txt", bench.script("m", default="x"))
    for command in (["rescore"], ["report"], ["leaderboard"], ["export", "--format", "csv"]):
        done = bench.assay(*command)
        assert done.returncode == 0, (command, done.stderr)
        assert "Traceback" not in done.stderr


def test_own_prompts_have_no_scores_to_rank_or_to_compare(bench):
    (bench.folder / "p.txt").write_text("hello\nthere", "utf-8")
    bench.assay("ask", "p.txt", *(bench.script(name, default=name) for name in "ab"))
    assert bench.document("leaderboard")["suites"] == []
    assert "has scores" in " ".join(bench.assay("leaderboard").stdout.split())
    done = bench.assay("compare", "latest")
    assert done.returncode == 2
    assert "own prompts have no scores to compare" in done.stderr
    tests = numbered(1)
    bench.assay("run", bench.script("a", default="a"), "-s", bench.suite({"sum": tests}))
    assert [suite["suite"] for suite in bench.document("leaderboard")["suites"]] == ["tests"]
    again = bench.assay("report", done.stderr.split("assay report ")[1].split()[0], "-v")
    assert "  | b\n" in again.stdout


def test_a_server_is_asked_nothing_by_a_run_that_is_refused(bench, openai_server):
    """A probe asks the server a question, so it comes after all that can be refused without it."""
    spec = openai_server.spec()
    done = bench.assay("run", spec, "-s", "coding", "--limit", "1", "--judge", spec)
    assert done.returncode == 2
    assert "its own answers" in done.stderr
    assert openai_server.asked == []
