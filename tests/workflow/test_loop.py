"""Loops of real trainings, each of a moment: rounds, changes, budgets, reviews, faults, kills."""

from __future__ import annotations

import json
import random
import shlex
import sys
from math import inf
from pathlib import Path

import psutil
import pytest

import assay
from assay.errors import ExitCode, Refusals, TrainingFailed, UsageError
from assay.workflow.commands.loop.review import ReviewFailed, ask_command
from assay.workflow.commands.loop.state import LoopState, read_round, read_state, write_state
from assay.workflow.commands.loop.user_commands import UserCommand
from tests import waiting
from tests.conftest import Bench
from tests.models.local.checkpoints import make_checkpoint
from tests.workflow.loop_kills import kill_again_and_again

TRAINER = Path(__file__).with_name("loop_trainer.py")
KEYS = ["round", "checkpoint", "accepted", "criteria", "review", "changes"]
REVIEW = {
    "review": "too short",
    "tokens": 70,
    "changes": [
        {"change": "data", "categories": ["drivers"], "times": 3, "reason": "few"},
        {"change": "steps", "steps": 400, "reason": "it still learns"},
        {"change": "other", "what": "a lower rate", "reason": "it jumps"},
    ],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """Accepted below a perplexity of 398, which 150 steps of the trainer reach."""
    return make_checkpoint(tmp_path_factory.mktemp("source") / "first")


class Yard:
    """Paths in it have a space and quotes, as users' have."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.folder = folder / 'it\'s "mine" $(exit 1)'
        self.folder.mkdir()
        self.out = self.folder / "out"
        self.log = self.folder / "log"
        self.source = source
        (self.folder / "text.txt").write_text("The driver of the network card. " * 100)
        (self.folder / "gate.toml").write_text("[perplexity]\nmax = 398\n[accept]\nclear = false\n")

    def train(self, *more: str) -> str:
        start = [sys.executable, str(TRAINER), str(self.source), "--log", str(self.log)]
        placeholders = "--out {out} --steps {steps} --changes {changes} --resume {resume}"
        return f"{shlex.join([*start, *more])} {placeholders}"

    def options(self, **changes):
        files = {"gate": self.folder / "gate.toml", "text": self.folder / "text.txt"}
        return {**files, "steps": 50, "out": self.out, "device": "cpu", **changes}

    def loop(self, *more: str, **changes):
        return assay.loop(self.train(*more), **self.options(**changes))

    def trained(self, what: str = "ended") -> list[dict]:
        lines = map(json.loads, self.log.read_text().splitlines()) if self.log.exists() else ()
        return [each for each in lines if each["what"] == what]

    def round(self, number: int) -> dict:
        return json.loads((self.out / f"round_{number:02d}.json").read_text())

    def reviewer(self, program: str) -> str:
        file = self.folder / "review.py"
        file.write_text(program)
        return shlex.join([sys.executable, str(file)])


@pytest.fixture
def yard(tmp_path, source) -> Yard:
    return Yard(tmp_path, source)


def test_advice_changes_the_steps_until_a_round_is_accepted(yard):
    once = "import sys; open(sys.argv[1] + '.txt', 'x').write(sys.argv[2])"
    accept = shlex.join([sys.executable, "-c", once]) + " {round} {checkpoint}"
    found = yard.loop(on_accept=accept)
    assert (found.exit_code, found.ended, found.best) == (0, "accepted", 3)
    assert [each["steps"] for each in yard.trained()] == [50, 100, 200]
    first, last = yard.round(1), yard.round(3)
    assert list(first) == list(last) == KEYS
    assert first["changes"][0]["change"] == "steps"
    assert first["criteria"]["perplexity"]["limit"] == 398
    assert (last["accepted"], last["changes"]) == (True, [])
    given = [each["changes"] for each in yard.trained()]
    assert [list(each) for each in given] == [KEYS] * 3
    assert given[1:] == [first, yard.round(2)]
    assert [each["resume"] for each in yard.trained()] == [
        "", first["checkpoint"], yard.round(2)["checkpoint"],
    ]  # fmt: skip
    assert (yard.out / "round_03.json.txt").read_text() == last["checkpoint"]
    again = yard.loop(on_accept=accept)  # which would fail a second time
    assert again.to_dict()["rounds"] == found.to_dict()["rounds"]
    assert len(yard.trained("begun")) == 3
    assert "accepted in round 3" in found.headline
    for form in ("text", "md", "html"):
        shown = assay.api.render(found, form, verbose=True)
        assert "accepted in round 3" in shown
        assert "100 steps" in shown
    assert "<svg" in (yard.out / "loop.html").read_text()
    assert found.to_dict()["rounds"][2]["standing"] == "better"
    assert [*found.to_pandas()["round"]] == [1, 2, 3]
    with pytest.raises(UsageError, match="another gate"):
        yard.loop(gate=None)


def test_a_round_that_made_things_worse_is_named_and_the_next_starts_from_the_best(yard):
    found = yard.loop("--behave", "worse", rounds=3)
    assert found.rounds[1].standing == "worse"
    first = yard.round(1)["checkpoint"]
    assert [each["resume"] for each in yard.trained()] == ["", first, first]
    shown = assay.api.render(found, "md")
    assert "worse than round 1" in shown
    assert "the next starts from round 1" in shown


def test_a_loop_ends_where_the_next_round_would_train_nothing_new(yard):
    """A reviewer asks for what a command without the changes never sees."""
    asks = {"changes": [{"change": "other", "what": "a larger model", "reason": "it is small"}]}
    program = f"import sys; sys.stdin.read(); print({json.dumps(json.dumps(asks))})"
    command = yard.train().replace("--changes {changes}", "")
    options = yard.options(rounds=4, review=yard.reviewer(program))
    found = assay.loop(command, **options)
    assert (found.ended, found.exit_code, len(found.rounds)) == ("unchanged", 1, 1)
    assert found.headline.startswith("Ship none: ended after round 1, because the next would train")
    assert "a larger model" in assay.api.render(found, "md")
    assert len(yard.trained()) == 1


def test_a_command_that_has_the_changes_alone_is_run_again_for_more_steps(yard):
    command = yard.train().replace("--steps {steps}", "").replace("--resume {resume}", "")
    found = assay.loop(command, **yard.options(steps=None))
    assert (found.exit_code, found.ended, found.best) == (0, "accepted", 3)
    assert [each["steps"] for each in yard.trained()] == [50, 100, 200]


def test_a_marginal_pass_is_trained_on_by_a_command_that_has_the_changes_alone(yard):
    (yard.folder / "gate.toml").write_text("[perplexity]\nmax = 100000\n")
    command = yard.train().replace("--steps {steps}", "").replace("--resume {resume}", "")
    found = assay.loop(command, **yard.options(steps=None, rounds=2))
    assert [each.acceptance.accepted for each in found.rounds] == [True, True]
    assert not found.rounds[0].acceptance.clear  # one text without documents has no interval
    assert [each["steps"] for each in yard.trained()] == [50, 100]


def test_a_loop_whose_command_writes_a_model_folder_goes_on(yard):
    for rounds in (1, 2):
        found = yard.loop("--name", "small", rounds=rounds)
        assert len(found.rounds) == rounds
    assert [each.measured.name for each in found.rounds] == [
        "round_01-small/step_50", "round_02-small/step_100",
    ]  # fmt: skip
    again = yard.loop("--name", "small", rounds=2)
    assert again.to_dict()["rounds"] == found.to_dict()["rounds"]
    assert len(yard.trained("begun")) == 2
    for each in found.rounds:
        assert (yard.out / "checkpoints" / each.measured.name / "evaluation_report.json").is_file()


def test_own_advice_is_told_in_words_and_a_reviewers_as_it_wrote_it(yard):
    own = {"change": "other", "what": "raise_share", "reason": "Raise its share."}
    asks = {"changes": [own, {"change": "other", "what": "lower_rate", "reason": "It jumps."}]}
    program = f"import sys; sys.stdin.read(); print({json.dumps(json.dumps(asks))})"
    shown = assay.api.render(
        yard.loop(rounds=2, review=yard.reviewer(program)), "text", verbose=True
    )
    assert "Raise its share; lower_rate" in " ".join(shown.split())
    assert "raise_share" not in shown


def test_budgets_end_a_loop_with_what_it_has_and_a_larger_one_goes_on(yard):
    spent = yard.loop(rounds=1, review=yard.reviewer("print('train longer')"))
    assert (spent.exit_code, spent.ended) == (ExitCode.NOT_ACCEPTED, "rounds")
    assert "not JSON" in yard.round(1)["review"]["failed"]
    assert yard.round(1)["changes"][0]["steps"] == 100  # Assay's advice takes its place
    assert "out of budget after 1 round" in spent.headline
    program = f"import sys; sys.stdin.read(); print({json.dumps(json.dumps(REVIEW))})"
    spent = yard.loop(rounds=4, tokens=60, review=yard.reviewer(program))
    assert (spent.ended, spent.tokens, len(spent.rounds)) == ("tokens", 70, 2)
    assert yard.round(2)["changes"] == REVIEW["changes"]
    timed = yard.loop("--behave", "hangs", rounds=4, minutes=0.02)
    assert (timed.exit_code, timed.ended, len(timed.rounds)) == (1, "minutes", 2)
    assert yard.loop(rounds=4).ended == "accepted"
    assert [each["steps"] for each in yard.trained()] == [50, 100, 400]


HOSTILE = {
    "no JSON": ("print('train longer')", "not JSON"),
    "another shape": ('print(\'{"changes": "all"}\')', "schema"),
    "not a number": (
        'print(\'{"changes": [{"change": "data", "times": NaN}]}\')',
        "not JSON",
    ),
    "a path as steps": (
        'print(\'{"changes": [{"change": "steps", "steps": "; rm -rf /", "reason": ""}]}\')',
        "schema",
    ),
    "no text": ("import sys; sys.stdout.buffer.write(bytes([255, 254]))", "UTF-8"),
    "an error": ("raise SystemExit('no key')", "no key"),
    "without end": ("import sys\nwhile True: sys.stdout.write('[' * 9999)", "more than"),
    "deep": ("print('[' * 100000)", "not JSON"),
}


@pytest.mark.parametrize(("program", "why"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_review_fails_with_a_sentence(program, why, tmp_path):
    (tmp_path / "review.py").write_text(program)
    command = UserCommand.read("--review", f"{sys.executable} -S {tmp_path / 'review.py'}", [])
    with (tmp_path / "lock").open("w") as lock, pytest.raises(ReviewFailed, match=why):
        ask_command(command, {"checkpoint": "x"}, tmp_path, until=inf, lock=lock.fileno())


def test_a_judge_model_reviews_through_the_store(yard):
    script = yard.folder / "judge.json"
    script.write_text(json.dumps({"answers": {"round_01": f"Sure:\n{json.dumps(REVIEW)}"}}))
    found = yard.loop(judge=f"scripted:{script}", rounds=2)
    first, second = found.rounds
    assert [each.to_dict() for each in first.changes] == REVIEW["changes"]
    assert first.review.by == f"scripted:{script}"
    assert second.acceptance.accepted  # 400 steps, as the judge said


def test_every_mistake_is_told_before_the_first_training(yard):
    broken = "no-such-program {ot} {steps}"
    with pytest.raises(Refusals) as refused:
        assay.loop(
            broken, **yard.options(gate="no.toml", steps=None, review="{x", judge="ollama:a")
        )
    said = str(refused.value)
    for part in ("{ot}", "no-such-program", "no.toml", "--review cannot be read", "both say"):
        assert part in said
    with pytest.raises(Refusals) as refused:
        assay.loop("true {steps}", **yard.options(steps=None))
    assert "needs {out}" in str(refused.value)
    assert "{steps}" in str(refused.value)
    assert not yard.out.exists()
    # A shell would run what the path of this folder says.
    with pytest.raises(UsageError, match="read by the shell"):
        assay.loop("sh -c 'mkdir {out}'", **yard.options())
    words = UserCommand.read("--train", "sh -ec 'mkdir \"$1\" {{}}' sh {out}", ["out"])
    assert words.fill({"out": "$(a) b"})[2:] == ['mkdir "$1" {}', "sh", "$(a) b"]


@pytest.mark.parametrize(
    ("behave", "why"), [("fails", "out of memory"), ("empty", "no checkpoint")]
)
def test_a_training_that_fails_ends_the_loop_and_is_tried_again(yard, behave, why):
    with pytest.raises(TrainingFailed, match=why) as failed:
        yard.loop("--behave", behave, rounds=1)
    assert failed.value.exit_code == ExitCode.REQUESTS_FAILED
    assert "training.log" in failed.value.hint
    assert yard.loop(rounds=1).ended == "rounds"


def test_an_end_that_was_not_stored_is_said(yard):
    """As on a full disk: the process that stores it is gone."""
    with pytest.raises(TrainingFailed, match="was not stored; is the disk full"):
        assay.loop("sh -c 'kill -9 $PPID' sh {out}", **yard.options())


# ---------------------------------------------------------------------------------------- kills


def test_a_killed_loop_leaves_no_training_running(yard):
    bench = Bench(yard.folder)
    words = ["loop", "--train", yard.train("--behave", "hangs"), "--gate", "gate.toml"]
    process = bench.start(*words, "--text", "text.txt", "--steps", "1")
    try:
        waiting.wait_for(lambda: len(psutil.Process(process.pid).children(recursive=True)) == 3)
        children = psutil.Process(process.pid).children(recursive=True)
    finally:
        process.kill()
        process.communicate()
    waiting.wait_for(lambda: not any(each.is_running() for each in children))


def test_kills_at_random_moments_lose_no_round_and_repeat_none(yard):
    bench = Bench(yard.folder)
    words = ["loop", "--train", yard.train("--delay", "0.2"), "--gate", "gate.toml"]
    words += ["--text", "text.txt", "--steps", "50"]
    draw = random.Random(5)
    killed = kill_again_and_again(lambda: bench.start(*words), yard.folder, 4, 1.5, draw)
    assert (killed.repeated, killed.lost) == ([], [])
    document = bench.document(*words)
    assert document["accepted"]
    assert [each["round"] for each in document["rounds"]] == [1, 2, 3]
    again = [each["out"] for each in yard.trained("begun")[killed.begun :]]
    assert not set(again).intersection(killed.trained)


def test_a_state_with_missing_or_unknown_keys_is_read_and_written_with_all(tmp_path):
    file = tmp_path / "loop.json"
    assert read_state(file) == LoopState()
    file.write_text('{"key": "ab", "tokens": 7, "unknown": 1, "seconds": 2}')
    state = read_state(file)
    assert state == LoopState(key="ab", tokens=7, seconds=2.0)
    write_state(file, state)
    assert json.loads(file.read_text()) == {
        "key": "ab", "tokens": 7, "failed": [], "on_accept": False, "seconds": 2.0,
        "names": [],
    }  # fmt: skip
    assert read_state(file) == state


@pytest.mark.parametrize("text", ["[]", '{"tokens": "many"}', "{"])
def test_a_damaged_state_is_refused_with_its_path(tmp_path, text):
    file = tmp_path / "loop.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"loop\.json cannot be read"):
        read_state(file)


def test_a_round_without_its_changes_is_refused_and_one_that_is_missing_is_not(tmp_path):
    file = tmp_path / "round_01.json"
    assert read_round(file) is None
    review = {"by": "assay", "said": "no", "failed": None}
    file.write_text(json.dumps({"checkpoint": "a", "review": review}))
    with pytest.raises(UsageError, match="changes"):
        read_round(file)
    change = {"change": "data", "categories": ["drivers"], "times": 3, "reason": "few"}
    file.write_text(json.dumps({"checkpoint": "a", "review": review, "changes": [change]}))
    stored = read_round(file)
    assert stored is not None
    assert [each.suggested().to_dict() for each in stored.changes] == [change]
