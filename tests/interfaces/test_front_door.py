"""`assay` on a terminal, driven as a user would: keys in, a screen and a run out."""

import json
import os
import re
import sys
import time

import pytest

from tests.conftest import numbered, right
from tests.models.hostile_servers import hostile
from tests.servers.ollama_models import CHAT
from tests.waiting import PATIENCE_S
from tests.workflow.judged_work import form

# There are no pseudo-terminals on Windows.
pexpect, fdpexpect, pty, termios = map(
    pytest.importorskip, ("pexpect", "pexpect.fdpexpect", "pty", "termios")
)

pytestmark = pytest.mark.slow
ENTER, CTRL_C, CTRL_D = "\r", "\x03", "\x04"
NOBODY = "127.0.0.1:1"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")


class Door:
    """A running `assay` behind a pseudo-terminal."""

    def __init__(self, bench, ollama, rows=40, columns=110, **environment):
        settings = {
            **bench.environment,
            "OLLAMA_HOST": ollama,
            "TERM": "xterm-256color",
            "COLUMNS": str(columns),
            "LINES": str(rows),
            **environment,
        }
        if "NO_COLOR" not in environment:
            settings.pop("NO_COLOR", None)
        words = ["-m", "assay"]
        self.child = pexpect.spawn(
            sys.executable,
            words,
            cwd=bench.folder,
            env=settings,
            dimensions=(rows, columns),
            timeout=PATIENCE_S,
            encoding="utf-8",
        )
        self.seen = ""

    def see(self, text):
        """Wait until it is on the screen."""
        self.child.expect_exact(text)
        self.seen += self.child.before + self.child.after

    def press(self, *keys):
        for key in keys:
            time.sleep(0.05)  # as pexpect waits: a program that has just asked may not listen yet
            self.child.send(key)

    def end(self):
        """Everything that was shown, and the exit code."""
        self.child.expect(pexpect.EOF)
        self.seen += self.child.before
        self.child.close()
        return _ESCAPES.sub("", self.seen), self.child.exitstatus

    def leave(self):
        """End it, however far it is."""
        self.child.close(force=True)


@pytest.fixture
def open_door(bench):
    doors = []

    def start(ollama=NOBODY, **environment):
        doors.append(Door(bench, ollama, **environment))
        return doors[-1]

    yield start
    for door in doors:
        door.leave()


@pytest.fixture
def own_tests(bench):
    """A folder of tests where the user stands."""
    tests = numbered(3)
    bench.suite({"sum": tests}, name="my-tests", title="Sums")
    return tests


@pytest.fixture
def ready(ollama_server, own_tests):
    """An Ollama that can add."""
    ollama_server.answers({test["prompt"]: test["expected"] for test in own_tests})
    return ollama_server


def pages(bench):
    return list((bench.folder / "assay-out").glob("runs/*/reports/report.html"))


def test_enter_all_the_way_asks_what_is_marked_and_ends_with_page_and_command(
    bench, ready, open_door
):
    door = open_door(ready.url)
    door.see("Which models?")
    door.see(CHAT)
    door.press(ENTER)
    door.see("Which suites?")
    door.press(ENTER)
    door.see("3 requests to 1 model")
    door.see("Start?")
    door.press(ENTER)
    text, code = door.end()
    assert code == 0
    (page,) = pages(bench)
    assert os.path.relpath(page, bench.folder) in text
    assert "assay run ollama:" in text
    assert "-s my-tests/" in text


def test_no_at_the_end_asks_nothing_and_gives_the_command(bench, ready, open_door):
    door = open_door(ready.url)
    door.see("Which models?")
    door.press(ENTER)
    door.see("Which suites?")
    door.press(ENTER)
    door.see("Start?")
    door.press("n\r")
    text, code = door.end()
    assert code == 0
    assert "assay run ollama:" in text.partition("Start?")[0]
    assert "The command above does it later" in text
    assert ready.asked == []
    assert pages(bench) == []


def test_size_quantisation_and_fit_are_shown(start_ollama, open_door):
    server = start_ollama(also=["vast:900b=900000000000"], cloud=["far:1t-cloud"])
    door = open_door(server.url)
    door.see("another model")
    door.press(CTRL_C)
    text, _ = door.end()
    assert re.search(re.escape(CHAT) + r" +94 MiB +Q4_1 +134\.52M +fits", text)
    assert re.search(r"vast:900b +838\.2 GiB .* too large \(by estimate 1,006\.3 GiB", text)
    assert re.search(r"far:1t-cloud .* computed at ollama\.com, not here", text)


def test_a_name_of_the_list_can_be_typed(ready, open_door):
    door = open_door(ready.url)
    door.see("numbers or names")
    door.press("llama9:3b\r")
    door.see("for Ollama write ollama:llama9:3b")
    door.press(f"stories:260k ollama:{CHAT}\r")
    door.see("Which suites?")
    door.press(ENTER)
    door.see("6 requests to 2 models")
    door.see("Start?")
    door.press("perhaps\r")
    door.see("invalid input")
    door.press("no\r")
    text, code = door.end()
    assert code == 0
    assert f"assay run ollama:stories:260k ollama:{CHAT} -s my-tests/" in text


def test_a_suite_with_mistakes_is_not_marked_and_typing_it_shows_them(bench, ready, open_door):
    broken = {"id": "bad_001", "prompt": "?", "eval_method": "exact_mach", "expected": "a"}
    bench.suite({"bad": [broken]}, name="a-bad-suite")
    door = open_door(ready.url)
    door.see("another model")
    door.press(ENTER)
    door.see("has mistakes: assay validate a-bad-suite/")
    door.see("numbers or names")
    door.press("a-bad-suite/\r")
    door.see("a-bad-suite/bad.json:1:")
    door.see("exact_mach")
    door.see("1 mistake in a-bad-suite")
    door.see("numbers or names")
    (bench.folder / "a-bad-suite" / "bad.json").write_text(
        json.dumps([{**broken, "eval_method": "exact_match"}])
    )
    door.press("my-tests/ a-bad-suite/\r")
    door.see("Start?")
    door.press("n\r")
    text, _ = door.end()
    assert "-s my-tests/ -s a-bad-suite/" in text


def test_texts_break_between_words(ready, open_door):
    door = open_door(ready.url, rows=24, columns=60)
    door.see("numbers or names")
    text = _ESCAPES.sub("", door.seen)
    fits = text.partition("fits (by")[2].partition("free memory")[0]
    assert "\n" in fits
    assert re.fullmatch(
        r"[\w.×+() ]+ MiB\) of [\d.,]+ GiB ", re.sub(r"\s+", " ", fits.strip()) + " "
    )


def test_a_model_of_ones_own_can_be_typed_and_a_wrong_one_is_explained(
    bench, own_tests, ready, open_door
):
    bench.script("able", answers=right(own_tests))
    door = open_door(ready.url)
    door.see("Which models?")
    door.see("openai:NAME@URL")
    door.press("scripted:nowhere.json\r")
    door.see("there is no such file")
    door.press("scripted:able.json\r")
    door.see("Which suites?")
    door.press(ENTER)
    door.see("Start?")
    door.press(ENTER)
    text, code = door.end()
    assert code == 0
    assert "assay run scripted:able.json -s my-tests/" in text
    assert ready.asked == []


# -------------------------------------------------------------------------------------- the judge


@pytest.fixture
def judged(bench, ollama_server):
    """A folder with one test that needs a judge, and a judge that keeps to its form."""
    test = {
        "id": "open_001", "prompt": "Write a function that halves a number.", "category": "open",
        "eval_method": "judge", "rubric": "coding",
    }  # fmt: skip
    folder = bench.folder / "my-tests" / "halves"
    folder.mkdir(parents=True)
    (folder / "test.json").write_text(json.dumps(test))
    (folder / "check.py").write_text("def check(answer, truth, files): ...")
    (folder / "reference.md").write_text("def half(n): return n / 2")
    bench.script("judge", default=form(8, 7, 9))
    ollama_server.answers({"halves a number": "It is easy: def half(n): return n / 2"})
    return ollama_server


def test_a_judge_can_be_typed_and_its_verdict_counts(bench, judged, open_door):
    door = open_door(judged.url)
    door.see("no model here that fits")
    door.see("another model")
    door.press(ENTER)
    door.see("another suite")
    door.press(ENTER)
    door.see("Which judge reads the answers to 1 test?")
    door.see("another judge")
    door.press("scripted:judge.json\r")
    door.see("1 answer for the judge")
    door.see("Start?")
    door.press(ENTER)
    text, code = door.end()
    assert code == 0, text
    assert "assay run ollama:" in text
    assert "--judge scripted:judge.json" in text
    assert "The evidence of 1 test runs code" in text
    assert "8.0 of 10" in text, "as on the card; 80.0 points would be another number for it"


def test_numbers_and_names_choose_a_judge(judged, open_door):
    door = open_door(judged.url)
    door.see("numbers or names")
    door.press(f"{CHAT}\r")
    door.see("numbers or names")
    door.press("\r")
    door.see("no judge: score only what checks show")
    door.see("number or name [1]")
    door.press("7\r")
    door.see("there is no number 7")
    door.press(f"ollama:{CHAT}\r")
    door.see("would judge its own answers")
    door.press("scripted:judge.json none\r")
    door.see("name exactly one")
    door.press("scripted:judge.json\r")
    door.see("Start?")
    door.press("n\r")
    text, code = door.end()
    assert code == 0, text
    assert f"assay run ollama:{CHAT} -s my-tests/ --judge scripted:judge.json" in text


# ------------------------------------------------------------------------------------ checkpoints


def folders_with_config(bench, *places):
    for place in places:
        (bench.folder / place).mkdir(parents=True)
        (bench.folder / place / "config.json").write_text("{}")


def test_the_first_checkpoints_are_listed_by_their_steps_and_a_broken_one_is_explained(
    bench, ready, open_door
):
    steps = ("step_1000", "step_900", "step_20", "step_3", "final", "step_100")
    folders_with_config(bench, *(f"run/{step}" for step in steps))
    door = open_door(ready.url)
    door.see("another model")
    shown = _ESCAPES.sub("", door.seen)
    assert re.findall(r"run/(\w+)", shown) == [
        "step_3", "step_20", "step_100", "step_900", "step_1000"
    ]  # fmt: skip
    assert "… and 1 more checkpoint (type the folder of one)" in shown
    door.press("run/final\r")
    door.see("does not say which kind of model it is")
    door.press(f"ollama:{CHAT}\r")
    door.see("Which suites?")


def test_a_checkpoint_of_the_list_is_asked_and_a_broken_one_is_explained(
    bench, own_tests, open_door
):
    from tests.models.local.checkpoints import make_checkpoint  # loads torch

    make_checkpoint(bench.folder / "run" / "step_100")
    cut = make_checkpoint(bench.folder / "run" / "step_200") / "model.safetensors"
    cut.write_bytes(cut.read_bytes()[:-500])
    door = open_door(columns=200, OMP_NUM_THREADS="1")
    door.see("Which models?")  # there is no Ollama, but there is something to choose
    door.see("another model")
    door.press("2\r")
    door.see("run/step_200/model.safetensors is damaged")
    door.see("copy or save the file again")
    door.see("numbers or names")
    door.press("1\r")
    door.see("Which suites?")
    door.see("another suite")
    door.press(ENTER)
    door.see("3 requests to 1 model")
    door.see("Start?")
    door.press(ENTER)
    text, code = door.end()
    assert code == 0, text
    assert "Traceback" not in text
    assert "assay run run/step_100 -s my-tests/" in text
    assert len(pages(bench)) == 1


def test_without_torch_checkpoints_are_listed_with_what_they_need(bench, open_door):
    folders_with_config(bench, "run/step_100")
    hidden = bench.folder / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "import importlib.metadata as known\n"
        "version = known.version\n"
        "def without_torch(name):\n"
        "    if name == 'torch':\n"
        "        raise known.PackageNotFoundError(name)\n"
        "    return version(name)\n"
        "known.version = without_torch\n"
    )
    door = open_door(PYTHONPATH=str(hidden))
    door.see("No model was found")
    door.see("run/step_100 (needs: pip install 'slm-assay[local]')")
    door.press(CTRL_C)
    _, code = door.end()
    assert code == 130


def test_numbers_stand_beside_names(bench, own_tests, ready, open_door):
    bench.script("able", answers=right(own_tests))
    door = open_door(ready.url)
    door.see("Which models?")
    door.see("numbers or names [1]")
    door.press("4, 99\r")
    door.see("there is no number 99")
    door.press("1,4 scripted:able.json\r")
    door.see("Which suites?")
    door.press("\r")
    door.see("9 requests to 3 models")
    door.see("Start?")
    door.press("n\r")
    text, code = door.end()
    assert code == 0
    assert re.search(rf"assay run ollama:\S+ ollama:{CHAT} scripted:able.json", text)


def test_without_colour_no_escape_code_is_written(ready, open_door):
    door = open_door(ready.url, NO_COLOR="1", TERM="dumb")
    door.see("numbers or names")
    door.press("nonsense\r")
    door.see("names no kind of model")
    door.press(ENTER, ENTER)
    door.see("assay run ollama:")
    door.see("Start?")
    assert "\x1b" not in door.seen


# ------------------------------------------------------------------------------ servers and files


def test_two_files_and_a_server_are_found_and_the_server_is_asked(
    bench, weights, llama_cpp, own_tests, open_door
):
    for name in ("stories-one.F32.gguf", "stories-two.F32.gguf"):
        (bench.folder / name).write_bytes(weights.read_bytes())
    with hostile("names") as stranger, hostile("page") as page, hostile("drip") as slow:
        ports = f"{llama_cpp},{stranger},{page},{slow}"
        door = open_door(ASSAY_PORTS=ports, columns=160)
        door.see("numbers or names")
    shown = _ESCAPES.sub("", door.seen)
    url = f"http://127.0.0.1:{llama_cpp}"
    says = rf"server +llama\.cpp at {url}/v1, 2 slots, 512 tokens of context"
    assert re.search(says, shown)
    assert re.search(
        rf"1 +stories260K-f32\.gguf .*F32 +260\.03K +served by llama\.cpp at {url}", shown
    )
    assert re.search(r"honest +served by an OpenAI-compatible server", shown)
    assert re.search(r"stories-one\.F32\.gguf +1 MiB +F32 .*on our engine", shown)
    assert "stories-two.F32.gguf" in shown
    assert "evil" not in shown
    assert str(page) not in shown
    door.press(ENTER)  # what answers already is marked
    door.see("Which suites?")
    door.press(ENTER)
    door.see("3 requests to 1 model")
    door.see("Start?")
    door.press(ENTER)
    text, code = door.end()
    assert code == 0, text
    assert f"assay run {url} -s my-tests/" in text


# ------------------------------------------------------------------------------------- the way out


@pytest.mark.parametrize("question", ["Which models?", "Start?"])
def test_ctrl_c_at_any_question_ends_cleanly(bench, ready, open_door, question):
    door = open_door(ready.url)
    for each in ("Which models?", "Which suites?", "Start?"):
        door.see(each)
        door.see(
            {"Which models?": "another model", "Which suites?": "another suite"}.get(each, "/n")
        )
        if each == question:
            break
        door.press(ENTER)
    door.press(CTRL_C)
    text, code = door.end()
    assert code == 130
    assert "Traceback" not in text
    assert pages(bench) == []


def test_ctrl_c_while_asking_says_how_to_continue(ready, open_door):
    door = open_door(ready.url)
    door.see("Which models?")
    door.press(ENTER)
    door.see("Which suites?")
    door.press(ENTER)
    door.see("Start?")
    ready.fault("hang", times=None)
    door.press(ENTER)
    ready.wait_until(lambda server: len(server.asked) == 1)
    door.press(CTRL_C)
    text, code = door.end()
    assert code == 130
    assert "continue with: assay run ollama:" in text
    assert "Traceback" not in text


def test_the_end_of_input_is_a_way_out_too(ready, open_door):
    door = open_door(ready.url)
    door.see("numbers or names")
    door.press(CTRL_D)
    text, code = door.end()
    assert code == 130
    assert "Traceback" not in text


# --------------------------------------------------------------------------------- nothing is found


def test_without_ollama_a_model_can_be_typed(bench, own_tests, open_door):
    bench.script("able", answers=right(own_tests))
    door = open_door()
    door.see("http://127.0.0.1:1")
    door.see("OLLAMA_HOST")
    door.see("No model was found")
    door.see("assay demo")
    door.see("numbers or names")
    door.press("able\r")
    door.see("names no kind of model")
    door.press("scripted:able.json\r")
    door.see("Which suites?")
    door.press("\r")
    door.see("Start?")
    door.press("\r")
    text, code = door.end()
    assert code == 0
    assert "assay run scripted:able.json -s my-tests/" in text
