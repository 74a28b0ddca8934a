"""A judge decides whether what checkpoints wrote makes sense: what it says, fails to say, and
what is asked again. Real small checkpoints, scripted judges and a real server process.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay import api
from assay.api.rendering import render
from assay.errors import Refusals, UsageError
from assay.types.results import Report
from tests.conftest import word_tests
from tests.waiting import wait_for

GATE = "[generation]\nmax_failures = 0\ntemperature = 0.3\nseeds = 1\n"
SAMPLES = 24  # 12 prompts, with one seed and greedily
TINY = Path(__file__).resolve().parents[2] / "src/assay/builtin/checkpoints/tiny/step_000160"
REASON = "It is about something else."


class Trial:
    """A checkpoint, a gate for what it writes, and judges."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "out"

    def judge(self, name: str = "judge", **script: Any) -> str:
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(script), "utf-8")
        return f"scripted:{file}"

    def sensible(self, answer: bool, name: str = "judge") -> str:
        return self.judge(name, default=json.dumps({"reason": REASON, "sensible": answer}))

    def run(self, *judges: str, **more: Any) -> Report:
        settings = {"suites": [str(self.folder / "tests")], "out": self.out, "judges": judges}
        settings |= {"gate": self.folder / "gate.toml", "measures": ("generation",)} | more
        return api.run([str(self.folder / "run")], **settings)

    @property
    def generation(self) -> dict[str, Any]:
        return self.details["generation"]

    @property
    def details(self) -> dict[str, Any]:
        file = self.out / "checkpoints" / "run" / "step_1" / "evaluation_report.json"
        return json.loads(file.read_text("utf-8"))["details"]

    @property
    def checks(self) -> list[dict[str, dict[str, Any]]]:
        samples = self.generation["samples"]
        return [{each["name"]: each for each in sample["checks"]} for sample in samples]

    def asked(self) -> list[str]:
        database = sqlite3.connect(self.out / "assay.db")
        try:
            found = database.execute(
                "SELECT r.id FROM replies JOIN requests r ON r.id = replies.request_id "
                "WHERE r.test_id LIKE 'judge:%' AND kind != 'failed' ORDER BY replies.id"
            ).fetchall()
        finally:
            database.close()
        return [row[0] for row in found]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made")
    shutil.copytree(TINY, home / "run" / "step_1")
    for file in TINY.parent.glob("tokenizer*"):
        shutil.copy(file, home / "run")
    (home / "tests").mkdir()
    (home / "tests" / "word.json").write_text(json.dumps(word_tests(2)))
    (home / "gate.toml").write_text(GATE)
    Trial(home).run()  # what it writes is in the store, and read from there
    return home


@pytest.fixture
def trial(made: Path, tmp_path: Path) -> Trial:
    return Trial(shutil.copytree(made, tmp_path / "work"))


def by_rule(trial: Trial) -> list[bool]:
    trial.run()
    return [checks["nonsense"]["passed"] for checks in trial.checks]


def test_the_judge_decides_and_the_rules_finding_is_a_note_beside_it(trial: Trial) -> None:
    rule = by_rule(trial)
    report = trial.run(trial.sensible(False))
    assert len(trial.checks) == SAMPLES
    for checks, found in zip(trial.checks, rule, strict=True):
        assert checks["nonsense"]["passed"] is False
        assert checks["nonsense"]["failure"] is True
        assert REASON in checks["nonsense"]["explanation"]
        assert checks["nonsense_rule"]["passed"] is found
        assert checks["nonsense_rule"]["failure"] is False
    assert trial.generation["failures"] == 12
    assert trial.details["acceptance"]["criteria"]["generation"]["passed"] is False
    assert report.exit_code == 1
    for format in ("text", "md", "html"):
        page = " ".join(re.sub(r"<[^>]+>", " ", render(report, format)).split())
        assert REASON in page or format == "text"
    assert "samples are nonsense was decided by" in " ".join(render(report, "md").split())


def test_a_judge_that_is_not_qualified_lets_nothing_pass_that_the_rule_stops(
    trial: Trial,
) -> None:
    rule = by_rule(trial)
    assert not all(rule), "after 160 steps it writes nonsense"
    trial.run(trial.sensible(True))
    assert all(checks["nonsense"]["passed"] for checks in trial.checks)
    assert list(trial.generation["judges"].values()) == [False]
    criterion = trial.details["acceptance"]["criteria"]["generation"]
    assert criterion["passed"] is not True


def test_each_sample_is_asked_about_once(trial: Trial) -> None:
    judge = trial.sensible(False)
    first = trial.run(judge)
    asked = trial.asked()
    assert len(asked) == len(set(asked))
    texts = {(each["prompt"], each["text"]) for each in trial.generation["samples"]}
    assert len(asked) >= len(texts)
    before = trial.generation
    trial.run(judge)
    assert trial.asked() == asked
    assert trial.generation == before
    again = api.report(first.run, out=trial.out)
    assert again.decision == first.decision
    api.rescore(first.run, out=trial.out)
    assert api.report(first.run, out=trial.out).decision == first.decision


def test_a_judging_killed_in_the_middle_goes_on_where_it_was(trial: Trial) -> None:
    slow = trial.judge(default=json.dumps({"reason": REASON, "sensible": False}), delay_s=0.1)
    work = f"from {__name__} import Trial, Path; Trial(Path({str(trial.folder)!r})).run({slow!r})"
    command = [sys.executable, "-c", work]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_for(lambda: len(trial.asked()) >= 3)
    process.kill()
    process.wait()
    stopped = trial.asked()
    assert 3 <= len(stopped) < SAMPLES // 2
    trial.run(slow)
    assert trial.asked()[: len(stopped)] == stopped
    assert len(set(trial.asked())) == len(trial.asked())
    assert all(checks["nonsense"]["passed"] is False for checks in trial.checks)


@pytest.mark.parametrize(
    ("script", "why", "exit_code"),
    [
        pytest.param({"default": "Perhaps."}, "could not be read", None, id="unreadable"),
        pytest.param({"fail": {"judge:sample_001": "it broke"}, "default": '{"sensible": false}'},
                     "it broke", 3, id="one fails"),
    ],
)  # fmt: skip
def test_where_the_judge_gives_no_answer_the_rule_decides_and_the_report_says_so(
    trial: Trial, script, why, exit_code
) -> None:
    rule = by_rule(trial)
    report = trial.run(trial.judge(**script))
    undecided = [
        (checks["nonsense"], found)
        for checks, found in zip(trial.checks, rule, strict=True)
        if "nonsense_rule" not in checks
    ]
    assert len(undecided) == (1 if "fail" in script else SAMPLES)
    for check, found in undecided:
        assert check["passed"] is found
        assert why in check["explanation"]
        assert "the rule applies" in check["explanation"]
    if exit_code:
        assert report.exit_code == exit_code


def test_two_judges_who_disagree_leave_it_to_the_rule(trial: Trial) -> None:
    rule = by_rule(trial)
    trial.run(trial.sensible(True, "kind"), trial.sensible(False, "strict"))
    assert [checks["nonsense"]["passed"] for checks in trial.checks] == rule
    assert all("nonsense_rule" not in checks for checks in trial.checks)
    assert len(trial.generation["judges"]) == 2


def test_a_server_is_asked_by_likelihood_and_never_learns_who_wrote_it(
    trial: Trial, openai_server
) -> None:
    likely = {"Yes": math.log(0.08), "No": math.log(0.72)}
    openai_server.answers({"*": {"text": "No", "logprobs": likely}})
    trial.run(openai_server.spec(), judge_form="likelihood")
    for checks in trial.checks:
        assert checks["nonsense"]["passed"] is False
        assert "likelihood of yes 0.10" in checks["nonsense"]["explanation"]
    questions = [json.dumps(each.body) for each in openai_server.asked]
    about = [each for each in questions if "sensible continuation" in each]
    assert about
    assert all("step_1" not in each for each in about)


def test_a_judge_is_refused_where_nothing_is_written_that_needs_one(trial: Trial) -> None:
    (trial.folder / "gate.toml").write_text("[perplexity]\nmax = 1e8\n")
    with pytest.raises((UsageError, Refusals), match="needs a judge"):
        trial.run(trial.sensible(True), measures=("perplexity",))


def test_a_finished_run_is_judged_afterwards_and_its_reports_follow(trial: Trial) -> None:
    done = trial.run()
    assert trial.generation["judges"] == {}
    judged = api.judge(done.run, judges=[trial.sensible(False)], out=trial.out)
    assert judged.run == done.run
    assert all(checks["nonsense"]["passed"] is False for checks in trial.checks)
    assert all("nonsense_rule" in checks for checks in trial.checks)
