"""`assay demo` and the server it starts: real processes, which must be gone afterwards."""

import hashlib
import json
import re
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection

import psutil
import pytest

from assay.checks.scoring import score_reply
from assay.models.opening import open_model
from assay.models.scripted import ScriptedModel
from assay.plan import AskOptions, make_plan
from assay.suites.catalogue import find
from assay.suites.load import load_suite
from assay.types import Answered, Chosen, MultipleChoice, TopK
from assay.types.options import ServerOptions
from assay.workflow.demo.tour import KILLED_AFTER, PORT, SCRIPTS
from tests.conftest import Bench
from tests.waiting import PATIENCE_S, wait_for

GOOD = SCRIPTS / "good.json"


def server_of(process):
    """The stand-in among a process's children, as soon as it is there."""

    def look():
        for child in psutil.Process(process.pid).children(recursive=True):
            try:
                if "assay.workflow.demo.server" in child.cmdline():
                    return child
            except psutil.NoSuchProcess:
                continue
        return None

    return wait_for(look)


def is_over(process):
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


# ------------------------------------------------------------------------------ the server alone


class StandIn:
    """The server process and where it listens."""

    def __init__(self, script, port=0):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assay.workflow.demo.server", str(script), "--port", str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.rpartition(":")[2])

    def ask(self, method, path, body=None):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            answer = connection.getresponse()
            return answer.status, [json.loads(line) for line in answer.read().splitlines()]
        finally:
            connection.close()

    def document(self, method, path, body=None):
        status, (document,) = self.ask(method, path, body)
        assert status == 200, document
        return document

    def chat(self, text, **more):
        body = {"model": "demo-good", "messages": [{"role": "user", "content": text}], **more}
        status, lines = self.ask("POST", "/api/chat", body)
        assert status == 200
        assert lines[-1]["done"] is True
        return "".join(line["message"]["content"] for line in lines), lines[-1]

    def end(self):
        """By closing its standard input; what it had to say about errors."""
        return self.process.communicate(timeout=PATIENCE_S)[1]


@pytest.fixture
def start():
    started = []

    def one(script=GOOD, port=0):
        started.append(StandIn(script, port))
        return started[-1]

    yield one
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()


@pytest.fixture(scope="module")
def server():
    """One for the tests that only ask."""
    one = StandIn(GOOD)
    yield one
    assert one.end() == ""


@pytest.fixture
def model(server):
    opened = open_model(f"ollama:demo-good@{server.url}", ServerOptions())
    yield opened
    opened.close()


def asked_of(model, *, wanted=lambda case: True):
    """Every chosen test of the example suite, with the model's last reply to it."""
    plan = make_plan([load_suite(find("example"))], model.facts, AskOptions())
    for exchange in plan.exchanges:
        said = []
        if not wanted(exchange.case):
            continue
        for turn in range(len(exchange.asked)):
            (reply,) = model.answer([plan.request(exchange, turn, said)])
            said.append(reply.text if isinstance(reply, Answered) else "")
        yield exchange.case, reply


def test_its_facts_say_plainly_that_it_is_a_stand_in(model):
    facts = model.facts
    assert facts.about["server"] == "Ollama 0.34.0-stand-in"
    assert facts.about["quantisation"] == "none (written answers)"
    assert facts.about["family"] == "scripted"
    assert "speeds mean nothing" in facts.about["parameters"]


def test_its_digest_is_that_of_the_script(model):
    digest = hashlib.sha256(GOOD.read_bytes()).hexdigest()
    assert model.facts.fingerprint == f"ollama:{digest}"
    assert not model.facts.fingerprint_is_weak


def test_a_served_script_is_marked_as_the_script_itself(model, tmp_path):
    at_once = tmp_path / "good.json"
    at_once.write_text(json.dumps({**json.loads(GOOD.read_text("utf-8")), "delay_s": 0}), "utf-8")
    by_file = {
        case.id: score_reply(case, reply).value for case, reply in asked_of(ScriptedModel(at_once))
    }
    served = {case.id: score_reply(case, reply).value for case, reply in asked_of(model)}
    assert served == by_file
    assert len(served) == 40


def test_letters_are_read_from_its_first_token(model):
    def asks_for_a_letter(case):
        check = case.check
        return isinstance(check, MultipleChoice) and check.choices and check.score_by == "letter"

    replies = [reply for _, reply in asked_of(model, wanted=asks_for_a_letter)]
    assert len(replies) == 5
    for reply in replies:
        assert isinstance(reply, Chosen)
        assert reply.method == "first_token"
        assert not any(reply.bounded)


def test_seeds_draw_the_samples_in_the_order_written(model):
    written = json.loads(GOOD.read_text("utf-8"))["answers"]
    several = list(asked_of(model, wanted=lambda case: isinstance(case.check, TopK)))
    assert len(several) == 3
    for case, reply in several:
        assert reply.prediction_method == "sampled"
        assert list(reply.predictions) == written[case.id]["predictions"][: case.check.k]


def test_thoughts_come_inside_the_answer_as_from_a_model_that_leaks_them(model):
    ((_, reply),) = asked_of(model, wanted=lambda case: case.id == "arithmetic_002")
    assert reply.text == "The answer is −7 °C."
    assert "minus seven" in reply.reasoning


def test_the_times_it_tells_are_those_that_passed(server):
    text, last = server.chat("Red or green?")
    parts = ("load_duration", "prompt_eval_duration", "eval_duration")
    assert text == "I do not know."  # the script's default: no test asks this
    assert sum(last[part] for part in parts) <= last["total_duration"]
    assert last["eval_duration"] >= last["eval_count"] * 3_000_000


def test_an_answer_is_cut_where_it_was_told_to(server):
    text, last = server.chat("Red or green?", options={"num_predict": 2})
    assert (text, last["done_reason"], last["eval_count"]) == ("I do", "length", 2)


def test_a_model_is_listed_as_loaded_until_it_is_unloaded(server):
    wish = {"model": "demo-good", "stream": False}
    server.document("POST", "/api/generate", {**wish, "options": {"num_ctx": 2048}})
    (held,) = server.document("GET", "/api/ps")["models"]
    assert (held["name"], held["context_length"]) == ("demo-good:latest", 2048)
    done = server.document("POST", "/api/generate", {**wish, "keep_alive": 0})
    assert done["done_reason"] == "unload"
    assert server.document("GET", "/api/ps")["models"] == []


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/chat", {"model": "llama3.2:3b"}, 404),
        ("/api/show", {"model": "llama3.2:3b"}, 404),
        ("/api/generate", {"model": "demo-good", "prompt": "Hi"}, 400),
        ("/api/chat", {"model": "demo-good", "messages": [], "format": "json"}, 400),
    ],
)
def test_what_it_does_not_speak_is_refused(server, path, body, status):
    told, (document,) = server.ask("POST", path, body)
    assert told == status
    assert document["error"]


def test_a_client_killed_in_mid_answer_does_not_keep_the_next_one_waiting(start):
    server = start()
    body = {"model": "demo-good", "messages": [{"role": "user", "content": "Hi"}]}
    raw = json.dumps(body).encode()
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_S) as line:
        line.sendall(b"POST /api/chat HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (len(raw), raw))
        assert line.recv(64)
        # Closed with unread data, which resets the connection as a killed process does.
    assert server.chat("Hi")[0] == "I do not know."
    assert server.end() == ""


def test_it_takes_another_port_where_the_wanted_one_is_taken(start):
    first = start()
    second = start(port=first.port)
    assert second.port != first.port
    assert second.chat("Hi")[0] == "I do not know."


def test_it_ends_with_its_standard_input(start):
    server = start()
    server.end()
    assert server.process.returncode == 0
    with pytest.raises(ConnectionRefusedError):
        server.ask("GET", "/api/version")


# ------------------------------------------------------------------------------------ assay demo


@dataclass
class Shown:
    """A demonstration that has ended."""

    code: int
    stdout: str
    stderr: str
    server: psutil.Process

    @property
    def url(self):
        return re.search(r"http://127\.0\.0\.1:\d+", self.stderr).group()


def demonstrated(bench):
    process = bench.start("demo", "--part", "served")
    server = server_of(process)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    return Shown(process.returncode, stdout, stderr, server)


@pytest.fixture(scope="module")
def demos(tmp_path_factory):
    """Two in one folder, the second with its port taken by another server."""
    bench = Bench(tmp_path_factory.mktemp("demo"))
    bench.environment["HOME"] = str(bench.folder)
    first = demonstrated(bench)
    other = StandIn(GOOD, PORT)
    second = demonstrated(bench)
    other.end()
    return bench, first, second


def test_the_demo_is_done_offline_and_leaves_no_server_behind(demos):
    for demo in demos[1:]:
        assert demo.code == 0, demo.stderr
        assert is_over(demo.server)


def test_the_demo_writes_under_its_folder_only(demos):
    bench = demos[0]
    assert [path.name for path in bench.folder.iterdir()] == ["out"]
    assert {path.name for path in bench.out.iterdir()} == {"assay.db", "demo", "runs"}
    assert (bench.out / "demo" / "server.log").read_text() == ""


def test_the_demo_says_that_a_stand_in_was_started_and_where(demos):
    told = demos[1].stderr.splitlines()[0]
    assert told == f"started a stand-in server on loopback, written answers: {demos[1].url}"
    assert len(told) <= 80


def test_the_demo_is_killed_while_the_served_model_is_asked_and_goes_on_with_it(demos):
    killed = int(re.search(r"SIGKILL\) after (\d+) answers", demos[1].stderr).group(1))
    assert KILLED_AFTER <= killed < 41
    assert f"start, {killed}/41" in demos[1].stderr
    served = f"ollama:demo-good@{demos[1].url}: done, 41/41"
    assert served in demos[1].stderr
    assert "40 answers, 0 failed for good." in demos[1].stdout


def test_the_demo_ends_with_the_speeds_of_the_served_model_and_what_to_try_next(demos):
    end = demos[1].stdout.partition("how quick ollama:demo-good")[2]
    for name in ("load", "first token", "decoding", "decoding, cold", "decoding, warm"):
        assert re.search(rf"^{name} +[0-9.]+ \S+ (–|\[.+\]) n=\d+", end, re.MULTILINE), name
    assert "measures no model" in end
    assert re.search(r"^assay  ", end, re.MULTILINE)
    assert re.search(r"^assay doctor ", end, re.MULTILINE)


def test_every_report_of_the_demo_says_that_the_server_is_a_stand_in(demos):
    runs = sorted((demos[0].out / "runs").iterdir())
    for name in ("performance.md", "reports/report.md", "reports/report.html"):
        text = (runs[-1] / name).read_text("utf-8")
        assert "stand-in" in text, name
        assert "speeds mean nothing" in text, name
        assert "none (written answers)" in text, name


def test_the_leaderboard_has_the_served_model_once_whatever_its_port(demos):
    bench, first, second = demos
    assert first.url != second.url
    (ranking,) = bench.document("leaderboard")["suites"]
    served = [row["model"] for row in ranking["rows"] if row["model"].startswith("ollama:")]
    assert served == [f"ollama:demo-good@{second.url}"]
    assert len(ranking["rows"]) == 3


def test_the_server_can_be_started_again_and_asked_what_failed(demos):
    bench, _, second = demos
    words = shlex.split(re.search(r"^the server: +(.+)", second.stdout, re.MULTILINE).group(1))
    again = re.search(r"^the run: +assay (.+)", second.stdout, re.MULTILINE).group(1)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        url = one.stdout.readline().strip()
        done = bench.assay(*shlex.split(again.replace(second.url, url)))
    assert done.returncode == 3, done.stderr  # the flaky model fails again; the served one is there
    assert one.returncode == 0


def test_no_hint_of_the_demo_needs_a_server_that_has_ended(demos):
    for demo in demos[1:]:
        before = demo.stdout.partition("start the server in another terminal")[0]
        assert before != demo.stdout
        assert "assay run" not in before


def test_the_demo_says_what_assay_is_where_a_shell_would_not_find_it(bench):
    bench.environment["PATH"] = ""
    done = bench.assay("demo", "--part", "served")
    (told,) = re.findall(r"^assay here is (.+)", done.stdout, re.MULTILINE)
    words = shlex.split(told)
    shown = subprocess.run(
        [*words, "--version"], capture_output=True, text=True, check=True, cwd=bench.folder
    )
    assert "0." in shown.stdout
    beside = bench.folder / "bin" / "assay"
    beside.parent.mkdir()
    beside.write_text("#!/bin/sh\n")
    beside.chmod(0o755)
    bench.environment["PATH"] = str(beside.parent)
    assert "assay here is" not in bench.assay("demo", "--part", "served").stdout


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_the_server_ends_with_a_demo_that_is_stopped(bench, number, code):
    process = bench.start("demo", "--part", "served")
    server = server_of(process)
    wait_for((bench.out / "assay.db").is_file)
    others = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    try:
        _, stderr = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == code, stderr
        wait_for(lambda: is_over(server))
    finally:
        for other in others:  # nobody is left to kill the run that SIGKILL made an orphan
            with suppress(psutil.NoSuchProcess):
                other.kill()


def test_a_demo_stopped_after_the_kill_says_to_start_it_again(bench):
    process = bench.start("demo", "--part", "served")
    server = server_of(process)
    before = ""
    while "same command continues" not in before:
        before += process.stderr.readline()
    wait_for(lambda: "start, " in process.stderr.readline())
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "assay demo" in stderr
    assert is_over(server)


def test_a_log_that_cannot_be_written_is_refused_by_its_name(bench):
    (bench.out / "demo" / "server.log").mkdir(parents=True)
    done = bench.assay("demo", "--part", "served")
    assert done.returncode == 2
    assert "server.log" in done.stderr
    assert "Traceback" not in done.stderr
