"""Answers that are there already: of a run, or in a folder made by anybody; and imports."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay import api
from assay.errors import Interrupted, InvalidFiles, ModelUnavailable, RunNotFound, UsageError
from assay.reports.progress import SilentProgress
from tests.workflow.judged_work import (
    ANSWER,
    CHECK_CODE,
    QUOTES,
    Court,
    form,
    judged_test,
    rows,
    scores,
    standard,
    verdicts,
)


@pytest.fixture
def court(tmp_path: Path) -> Court:
    return Court(tmp_path)


class Notes(SilentProgress):
    """Hears what a user is told."""

    def __init__(self):
        super().__init__()
        self.notes = []

    def note(self, sentence):
        self.notes.append(sentence)


# --------------------------------------------------------------------------------------- a run


def test_a_run_is_judged_afterwards_and_the_tested_model_is_asked_nothing(court):
    court.run()
    document = court.judge_again("latest", court.judge(form(7, 8, 9)))
    assert rows(document)["own_001"]["score"] == 0.79
    assert len(court.asked("own_001")) == len(court.asked()) == 1
    assert court.all("SELECT count(*) FROM runs") == [(1,)]
    (page,) = (court.run_folder(document) / "reports" / "evaluations").glob("*/own_001.txt")
    assert "OVERALL SCORE: 7.9/10" in page.read_text("utf-8")


def test_the_newest_judging_counts_and_the_older_stays_in_the_store(court):
    court.run(court.judge(form(2, 2, 2)))
    court.judge_again("latest", court.judge(form(9, 9, 9), name="kinder"))
    assert api.report(out=court.out).models[0].suites[0].tests[0].score == 0.9
    assert court.all("SELECT count(*) FROM verdicts") == [(2,)]


def test_a_run_that_cannot_be_judged_is_refused_with_the_next_step(court):
    judge = court.judge(form(7, 8, 9))
    sums = court.suite(
        {"sum": [{"id": "sum_001", "prompt": "1+1?", "eval_method": "exact_match",
                  "expected": "2"}]},
        name="sums",
    )  # fmt: skip
    court.run(suite=sums)
    with pytest.raises(UsageError, match="needs a judge"):
        court.judge_again("latest", judge)
    with pytest.raises(RunNotFound):
        court.judge_again("20200101", judge)
    with pytest.raises(UsageError, match="no folder 'latest/outputs'") as refused:
        court.judge_again("latest", judge, suites=["coding"])
    assert "without -s" in refused.value.hint
    with pytest.raises(UsageError, match="no judge given"):
        court.judge_again("latest")


def test_a_judging_out_of_time_says_how_to_go_on(court):
    court.run()
    slow = court.judge(form(7, 8, 9), delay_s=0.05)
    with pytest.raises(Interrupted) as stopped:
        court.judge_again("latest", slow, budget=0.000001)
    assert "continue with: assay judge latest" in stopped.value.hint
    assert "--judge scripted:" in stopped.value.hint
    assert rows(court.judge_again("latest", slow))["own_001"]["score"] == 0.79


# ------------------------------------------------------------------------------------- a folder


def test_outputs_and_test_plans_alone_give_the_verdicts_of_the_run_itself(court):
    make = "def make(seed):\n    return {'files': {'a.csv': f'seed,{seed}'}, 'truth': {}}\n"
    suite = court.checked(
        CHECK_CODE, make=make, prompt="Read:\n{{a.csv}}", rubric="coding", description="Ü — “q”"
    )
    judge = court.judge(form(7, 8, 9))
    judged = court.run(judge, suite=suite, data_seed=5, allow_code_execution=True)
    folder = court.folder / "elsewhere"
    for name in ("outputs", "test-plans"):
        shutil.copytree(court.run_folder(judged) / name, folder / name)
    asked = len(court.asked("judge:own%"))
    again = court.judge_again(str(folder), judge, allow_code_execution=True)
    assert verdicts(again) == verdicts(judged)
    assert verdicts(again)["own_001"]["evidence"]["total"] > 0
    assert len(court.asked("judge:own%")) == asked, "the same question is not asked twice"
    assert again["exit_code"] == 0


def test_evidence_of_a_run_counts_when_it_is_judged_without_running_code(court):
    suite = court.checked(
        "from assay.checking import Check\n"
        "def check(answer, truth, files):\n"
        "    yield Check('long', False, 'it is short')\n"
    )
    court.run(suite=suite, allow_code_execution=True)
    observer = Notes()
    judged = court.judge_again("latest", court.judge(form(10, 10, 10)), observer=observer)
    assert not any("code_not_allowed" in each for each in observer.notes)
    assert verdicts(judged)["own_001"]["evidence"]["total"] == 1
    assert rows(judged)["own_001"]["score"] < 0.5


def made_elsewhere(court, **answers):
    for model, texts in answers.items():
        folder = court.folder / "made" / "outputs" / model
        folder.mkdir(parents=True)
        for name, text in texts.items():
            (folder / f"{name}.txt").write_text(text, "utf-8")
    return str(court.folder / "made")


def test_answers_made_elsewhere_are_judged_with_the_tests_of_a_suite(court):
    suite = court.tests(judged_test("own_001"), judged_test("own_002"), judged_test("own_003"))
    answers = made_elsewhere(
        court,
        alpha={"own_001": ANSWER, "own_001.2": ANSWER + "\nAnd a test.", "own_002": ANSWER},
        beta={"own_001": "<think>A search.</think>" + ANSWER, "notes": "nobody asked for this"},
    )
    heard = Notes()
    document = court.judge_again(
        answers, court.judge(form(7, 8, 9)), suites=[suite], observer=heard
    )
    assert any("notes" in note for note in heard.notes), "a file that answers no test is told"
    alpha, beta = rows(document, 0), rows(document, 1)
    assert set(alpha) == {"own_001", "own_002"}, "what nobody answered is not asked"
    assert [each["score"] for each in alpha["own_001"]["repeats"]] == [0.79, 0.79]
    assert beta["own_001"]["repeats"][0]["answer"] == ANSWER.strip()
    assert (beta["own_002"]["outcome"], beta["own_002"]["score"]) == ("failed", None)
    assert "own_002.txt" in beta["own_002"]["explanation"]
    assert document["exit_code"] == 3


def test_a_folder_that_says_too_little_is_refused_with_what_is_missing(court):
    judge = court.judge(form(7, 8, 9))
    for nothing in (str(court.folder), str(court.folder / "nowhere")):
        with pytest.raises(UsageError, match=r"no folder .*outputs"):
            court.judge_again(nothing, judge)
    with pytest.raises(UsageError, match="no folder 'nowhere/outputs'"):
        court.judge_again("nowhere", judge, suites=["coding"])
    answers = made_elsewhere(court, alpha={"own_001": ANSWER})
    with pytest.raises(UsageError, match="belong to are not known") as refused:
        court.judge_again(answers, judge)
    assert "test-plans/" in refused.value.hint
    plans = Path(answers) / "test-plans"
    plans.mkdir()
    with pytest.raises(UsageError, match="no page"):
        court.judge_again(answers, judge)
    (plans / "own_001.md").write_text('# own_001\n\n```json\n{"suite": 1}\n```\n', "utf-8")
    with pytest.raises(InvalidFiles, match=r"own_001\.md"):
        court.judge_again(answers, judge)
    (Path(answers) / "outputs" / "empty").mkdir()
    with pytest.raises(ModelUnavailable, match="no answer"):
        court.judge_again(answers, judge, suites=[court.tests()])
    shutil.rmtree(Path(answers) / "outputs" / "empty")
    with pytest.raises(UsageError, match="no answer has the name of a test: own_001"):
        court.judge_again(answers, judge, suites=[court.tests(judged_test("own_009"))])
    shutil.rmtree(Path(answers) / "outputs" / "alpha")
    with pytest.raises(UsageError, match="no model"):
        court.judge_again(answers, judge, suites=[court.tests()])


def test_a_judge_that_is_not_there_leaves_no_run_behind(court):
    answers = made_elsewhere(court, alpha={"own_001": ANSWER})
    with pytest.raises(ModelUnavailable):
        court.judge_again(
            answers, f"scripted:{court.folder}/nobody.json", suites=[court.tests()]
        )  # fmt: skip
    assert not court.out.exists()


# -------------------------------------------------------------------------------------- imports


@pytest.fixture
def imported(court):
    """A run of three tests, and evaluations of them with planted errors."""
    court.run(suite=court.tests(*(judged_test(f"own_00{n}") for n in (1, 2, 3))))
    file = court.folder / "mine.txt"
    file.write_text(
        standard(7, 8, 9, overall="7.9", rating="GOOD", test="own_001", model="able")
        + "\n"
        + standard(7, 7, 7, overall="9.1", rating="EXCELLENT", test="own_002", model="able")
        + "\n"
        + standard(5, 5, 5, overall="5.0", rating="ACCEPTABLE", test="own_999", model="able")
        + "\n"
        + standard(5, 5, 5, overall="5.0", rating="ACCEPTABLE", test="own_003", model="somebody"),
        "utf-8",
    )
    return file


def test_imported_evaluations_count_by_their_criteria_and_their_errors_are_told(court, imported):
    document = court.judge_again("latest", imports=[imported])
    found = {test: row["score"] for test, row in rows(document).items()}
    assert found == {"own_001": 0.79, "own_002": 0.7, "own_003": None}
    assert document["exit_code"] == 0
    told = "\n".join(document["judged"]["notes"])
    assert "printed as 9.1, but 7, 7, 7 come to 7.0" in told
    assert "printed as EXCELLENT, but 7.0 is GOOD" in told
    assert "own_999" in told
    assert "no such judged test" in told
    assert "somebody" in told
    assert "mine.txt:" in told
    (judgement,) = verdicts(document)["own_001"]["judgements"]
    assert judgement["judge"] == f"imported:{imported}"


def test_an_import_sits_on_the_panel_like_a_judge(court, imported):
    document = court.judge_again("latest", court.judge(form(9, 2, 9)), imports=[imported.parent])
    verdict = verdicts(document)["own_001"]
    assert len(verdict["judgements"]) == 2
    assert scores(verdict) == (7, 2, 9)
    assert scores(verdicts(document)["own_003"]) == (9, 2, 9)


def test_an_import_of_some_tests_leaves_the_verdicts_of_the_others(court, imported):
    court.judge_again("latest", court.judge(form(9, 9, 9)))
    document = court.judge_again("latest", imports=[imported])
    found = {test: row["score"] for test, row in rows(document).items()}
    assert found == {"own_001": 0.79, "own_002": 0.7, "own_003": 0.9}


def test_an_import_by_other_criteria_than_the_tests_is_refused(court):
    court.run(suite=court.tests(judged_test("own_001", rubric="data")))
    file = court.folder / "mine.txt"
    text = standard(7, 8, 9, overall="7.9", rating="GOOD", test="own_001", model="able")
    file.write_text(text, "utf-8")
    with pytest.raises(UsageError, match="it scores code_quality, and the rubric asks for"):
        court.judge_again("latest", imports=[file])
    both = text.replace("Code Quality: 9", "Insight Quality: 9/10 - x\nCode Quality: 9")
    file.write_text(both, "utf-8")
    with pytest.raises(UsageError, match="it scores code_quality"):
        court.judge_again("latest", imports=[file])


@pytest.mark.parametrize("name", ["Review of a contract", "The search own_002"])
def test_an_import_under_the_name_of_another_test_is_refused(court, name):
    court.run(suite=court.tests(*(judged_test(f"own_00{n}") for n in (1, 2))))
    text = standard(7, 8, 9, overall="7.9", rating="GOOD", test="own_001", model="able")
    file = court.folder / "mine.txt"
    file.write_text(text.replace("(The search own_001)", f"({name})"), "utf-8")
    with pytest.raises(UsageError, match="own_001 is “The search own_001”"):
        court.judge_again("latest", imports=[file])


def test_an_import_says_what_it_used_and_what_is_missing(court, imported):
    told = "\n".join(court.judge_again("latest", imports=[imported])["judged"]["notes"])
    able = f"of {court.model}"
    assert f"Imported evaluations that count: 2 (own_001 {able}, own_002 {able})" in told
    assert f"Answers without an imported evaluation: 1 (own_003 {able})" in told


def test_a_second_import_leaves_no_count_of_the_first(court, imported):
    court.judge_again("latest", imports=[imported])
    one = court.folder / "third.txt"
    one.write_text(
        standard(7, 8, 9, overall="7.9", rating="GOOD", test="own_003", model="able"), "utf-8"
    )
    notes = court.judge_again("latest", imports=[one])["judged"]["notes"]
    assert sum("that count" in note for note in notes) == 1


def test_an_import_can_be_taken_back(court, imported):
    court.judge_again("latest", court.judge(form(9, 9, 9)))
    court.judge_again("latest", imports=[imported])
    document = court.judge_again("latest", undo_import=True)
    found = {test: row["score"] for test, row in rows(document).items()}
    assert found == {"own_001": 0.9, "own_002": 0.9, "own_003": 0.9}
    told = "\n".join(document["judged"]["notes"])
    assert "Imported evaluations were taken back" in told
    assert "printed as" not in told
    assert "that count" not in told
    with pytest.raises(UsageError, match="no imported evaluation"):
        court.judge_again("latest", undo_import=True)


def test_an_import_without_a_judge_before_it_is_taken_back_to_nothing(court, imported):
    court.judge_again("latest", imports=[imported])
    document = court.judge_again("latest", undo_import=True)
    assert {row["outcome"] for row in rows(document).values()} == {"unscored"}


def test_imports_lift_no_confidence(court, imported):
    document = court.judge_again("latest", imports=[imported])
    verdict = verdicts(document)["own_001"]
    assert verdict["confidence"] == "low"
    assert f"imported:{imported} is not qualified" in verdict["confidence_reasons"]


# ------------------------------------------------------------------------------------ by pasting


def test_an_answer_is_judged_by_pasting_its_text_into_any_model(court, tmp_path):
    twin = court.script("twin", default="It is `bisect`, in the standard library.")
    court.run(suite=court.tests(judged_test("own_001")), models=[court.model, twin])
    folder = tmp_path / "paste"
    court.judge_again("latest", write_prompts=folder)
    files = sorted(folder.iterdir())
    first, second = (file.read_text("utf-8") for file in files)
    assert "halves what is left" in first
    assert "bisect" in second
    for text in (first, second):
        assert "able" not in text.replace("readable", "")
        assert "twin" not in text
        assert "10: a" in text
        assert "Rubric: Marks, version 1" in text
        assert "Code Quality: [score]/10" in text
        assert "  9.0-10.0: EXCELLENT (may be used as it is, in production too)" in text
    with pytest.raises(UsageError, match="no evaluation"):
        court.judge_again("latest", imports=[folder])
    reply = standard(7, 8, 9, overall="7.9", rating="GOOD", test="own_001", model="candidate-2")
    (folder / "reply.txt").write_text(reply, "utf-8")
    document = court.judge_again("latest", imports=[folder])
    assert rows(document, 1)["own_001"]["score"] == 0.79
    assert "Answers without an imported evaluation: 1" in "\n".join(document["judged"]["notes"])


def test_judging_in_two_ways_at_once_is_refused(court):
    court.run()
    with pytest.raises(UsageError, match="do not go together"):
        court.judge_again("latest", court.judge(form(7, 8, 9)), undo_import=True)


def test_an_import_that_cannot_be_used_takes_no_score_away(court):
    court.run(court.judge(form(9, 9, 9)))
    file = court.folder / "mine.txt"
    text = standard(7, 8, 11, overall="7.9", rating="GOOD", test="own_001", model="able")
    file.write_text(text, "utf-8")
    document = court.judge_again("latest", imports=[file])
    assert rows(document)["own_001"]["score"] == 0.9
    assert "is between 0 and 10" in "\n".join(document["judged"]["notes"])


def test_our_own_evaluations_come_back_as_they_were(court):
    document = court.run(court.judge(form(7, 8, 9, quotes=QUOTES)))
    reports = court.run_folder(document) / "reports" / "evaluations"
    again = court.judge_again("latest", imports=[reports])
    assert scores(verdicts(again)["own_001"]) == (7, 8, 9)
    *_, note = again["judged"]["notes"]
    assert note.startswith("Judged with: assay judge latest ")
    assert " --import " in note


def test_a_file_without_an_evaluation_is_refused(court, tmp_path):
    court.run()
    file = tmp_path / "prose.txt"
    file.write_text("I liked it.", "utf-8")
    with pytest.raises(UsageError, match="no evaluation"):
        court.judge_again("latest", imports=[file])
