"""`assay run --judge` and `assay judge` as a user types them: real processes, exit codes, kills."""

from __future__ import annotations

import shutil
import signal
import sqlite3
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S, wait_for
from tests.workflow.judged_work import CHECK_FACTS, Court, form, judged_test, rows, verdicts

TESTS = 12


@pytest.fixture
def court(tmp_path: Path) -> Court:
    return Court(tmp_path)


def judged(court: Court) -> int:
    """What another process sees of the judge's replies."""
    if not (court.out / "assay.db").is_file():
        return 0
    try:
        return len(court.asked())
    except sqlite3.OperationalError:  # the very first moment: the tables are not made yet
        return 0


def test_a_judging_killed_in_the_middle_goes_on_and_asks_nothing_twice(court):
    tests = [judged_test(f"own_{n:03d}", prompt=f"{n}: explain a search") for n in range(TESTS)]
    judge = court.judge(form(7, 8, 9), delay_s=0.2)
    words = ["run", court.model, "-s", court.tests(*tests), "--judge", judge]
    process = court.start(*words)
    wait_for(lambda: judged(court) >= 3)
    process.kill()
    process.communicate()
    heard = judged(court)
    assert 3 <= heard < TESTS
    document = court.document(*words)
    assert {row["score"] for row in rows(document).values()} == {0.79}
    assert len(verdicts(document)) == TESTS
    assert len(court.asked("%")) == len(set(court.asked("%"))) == 2 * TESTS
    assert court.all("SELECT count(*) FROM runs") == [(1,)]


def test_a_judging_that_is_interrupted_says_how_to_go_on_and_ends_with_130(court):
    tests = [judged_test(f"own_{n:03d}", prompt=f"{n}: explain a search") for n in range(TESTS)]
    court.run(suite=court.tests(*tests))
    slow = court.judge(form(7, 8, 9), delay_s=0.2)
    process = court.start("judge", "latest", "--judge", slow)
    wait_for(lambda: judged(court) >= 2)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, stdout) == (130, "")
    assert "Traceback" not in stderr
    assert "continue with: assay judge latest --judge" in stderr
    assert len({row["score"] for row in rows(court.judge_again("latest", slow)).values()}) == 1
    assert len(court.asked()) == len(set(court.asked())) == TESTS


def test_a_run_without_a_judge_ends_in_0_and_names_the_next_command(court):
    done = court.assay("run", court.model, "-s", court.tests())
    assert done.returncode == 0
    assert "assay judge latest --judge MODEL" in done.stdout + done.stderr
    judge = court.judge(form(10, 10, 10))
    then = court.assay("judge", "latest", "--judge", judge, "--use-case", "A tutor", "-v")
    assert then.returncode == 0, then.stderr
    assert "10.0" in then.stdout
    assert "EXCELLENT" in then.stdout
    (summary,) = court.out.glob("runs/*/reports/final_summary.md")
    assert "A tutor" in summary.read_text("utf-8")


def test_mistakes_end_in_2_before_the_tested_model_is_asked_anything(court):
    nobody = f"scripted:{court.folder}/nobody.json"
    document = court.document(
        "run", court.model, "-s", court.tests(judged_test("own_001", rubric="codding")),
        "--judge", nobody, "--judge", court.model,
    )  # fmt: skip
    assert document["exit_code"] == 2
    told = document["error"]["message"]
    assert "nobody.json" in told
    assert "'codding'" in told
    assert "its own answers" in told
    assert not court.out.exists()


def test_a_folder_made_elsewhere_is_judged_by_one_command(court):
    suite = court.tests(judged_test("own_001"), judged_test("own_002"))
    run = court.run(suite=suite)
    folder = court.folder / "made"
    shutil.copytree(court.run_folder(run) / "outputs", folder / "outputs")
    shutil.rmtree(court.out)
    document = court.document(
        "judge", str(folder), "-s", suite, "--judge", court.judge(form(7, 8, 9)),
        "--judge-repeats", "2", "--judge-form", "reasoned",
    )  # fmt: skip
    assert {row["score"] for row in rows(document).values()} == {0.79}
    assert [len(each["judgements"]) for each in verdicts(document).values()] == [2, 2]
    (said,) = court.all("SELECT command FROM runs")[0]
    assert said.startswith(f"assay judge {folder} -s {suite} --judge scripted:")
    assert "--judge-repeats 2" in said


def test_a_random_data_seed_is_printed_and_stored(court):
    done = court.assay("run", court.model, "-s", "data", "--data-seed", "random")
    (said,) = (line for line in done.stderr.splitlines() if line.startswith("data seed: "))
    seed = said.removeprefix("data seed: ")
    assert int(seed) > 0
    (plan,) = court.out.glob("runs/*/test-plans/*DT-01*")
    assert f'"data_seed": {seed}' in plan.read_text("utf-8")


def test_a_folder_without_a_judge_is_scored_by_its_checks(court):
    suite = court.checked(CHECK_FACTS)
    outputs = court.folder / "there" / "outputs" / "other"
    outputs.mkdir(parents=True)
    block = '```json\n{"orders": 40, "median": 1, "largest": "A7", "late": 9}\n```'
    (outputs / "own_001.txt").write_text(block, "utf-8")
    there = str(court.folder / "there")
    document = court.document("judge", there, "-s", suite, "--allow-code-execution")
    assert (rows(document)["own_001"]["score"], document["exit_code"]) == (0.5, 0)
