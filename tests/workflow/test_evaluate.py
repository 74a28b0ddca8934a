"""The main job, in this process: what is asked, what is asked again, and what is not."""

import json
import sqlite3

import pytest

from assay import api
from assay.errors import (
    Interrupted,
    InvalidFiles,
    ModelUnavailable,
    Refusals,
    RunNotFound,
    StoreVersionError,
    UsageError,
)
from assay.reports.progress import SilentProgress
from assay.store import Store
from assay.types import OutcomeKind
from assay.workflow.running.run_folder import RunFolder
from tests.conftest import numbered, right, stored_work_of


def newly_asked(bench):
    with Store(bench.out) as store:
        return store.count_replies(store.find_run("latest"))


def rows(report, model=0, suite=0):
    return {row.id: row for row in report.models[model].suites[suite].tests}


@pytest.fixture
def job(bench):
    tests = numbered(6)
    suite = bench.suite({"sum": tests})
    model = bench.script("able", answers=right(tests))

    def run(**options):
        return api.run([options.pop("model", model)], suites=[suite], out=bench.out, **options)

    return run


def test_answers_are_marked_and_reported_with_their_interval(job):
    (model,) = job().models
    score = model.suites[0].score
    assert (score.value, score.n, score.unscored, score.unit) == (100.0, 6, 0, "points")
    assert score.low < 100


def test_the_same_command_asks_nothing_twice(job, bench):
    first = job()
    assert newly_asked(bench) == 6
    second = job()
    assert newly_asked(bench) == 0
    assert second.run != first.run
    assert second.models[0].suites == first.models[0].suites


def test_fresh_asks_everything_again(job, bench):
    job()
    job(fresh=True)
    assert newly_asked(bench) == 6


def test_a_changed_model_is_asked_everything(job, bench):
    job()
    bench.script("able", answers=right(numbered(6)), default="?")
    job()
    assert newly_asked(bench) == 6


def test_a_changed_question_is_the_only_one_asked(job, bench):
    job()
    tests = numbered(6)
    tests[2]["prompt"] = "How much is three plus three?"
    bench.suite({"sum": tests})
    job()
    assert newly_asked(bench) == 1


def test_a_changed_mark_asks_nothing_and_counts_at_once(job, bench):
    job()
    tests = numbered(6)
    tests[2]["expected"] = "seven"
    bench.suite({"sum": tests})
    report = job()
    assert newly_asked(bench) == 0
    assert rows(report)["sum_003"].outcome is OutcomeKind.FAIL


def test_another_seed_or_more_repeats_ask_only_what_is_new(job, bench):
    job()
    job(repeats=3)
    assert newly_asked(bench) == 12
    job(seed=2)
    assert newly_asked(bench) == 6


def test_a_failed_request_is_no_score_and_is_asked_again_next_time(job, bench):
    answers = right(numbered(6))
    model = bench.script("flaky", answers=answers, fail={"sum_002": "connection reset"})
    report = job(model=model)
    assert report.exit_code == 3
    row = rows(report)["sum_002"]
    assert (row.outcome, row.score, row.explanation) == (
        OutcomeKind.FAILED,
        None,
        "connection reset",
    )
    score = report.models[0].suites[0].score
    assert (score.value, score.n, score.unscored) == (100.0, 5, 1)
    job(model=model)
    assert newly_asked(bench) == 1


def test_a_run_in_which_every_request_failed_says_so(job, bench):
    model = bench.script("dead", fail={test["id"]: "refused" for test in numbered(6)})
    report = job(model=model)
    assert report.exit_code == 3
    assert report.models[0].suites[0].score.value is None


def test_repeats_are_one_row_with_mean_spread_and_pass_at_k(job, bench):
    answers = right(numbered(6)) | {"sum_001": {"repeats": ["2", "3", "2"]}}
    report = job(model=bench.script("moody", answers=answers), repeats=3)
    row = rows(report)["sum_001"]
    assert row.score == pytest.approx(2 / 3)
    assert [each.outcome for each in row.repeats] == [
        OutcomeKind.PASS,
        OutcomeKind.FAIL,
        OutcomeKind.PASS,
    ]
    measured = report.models[0].measurements
    assert measured["pass@3"].value == 1.0
    assert measured["pass@1"].value == pytest.approx(17 / 18)
    assert measured["spread"].value > 0


def test_a_live_conversation_is_asked_turn_by_turn_and_its_last_reply_marked(bench):
    test = {
        "id": "talk_001",
        "messages": [{"role": "user", "content": "One"}, {"role": "user", "content": "Two"}],
        "live": True,
        "eval_method": "exact_match",
        "expected": "second",
    }
    model = bench.script("talker", answers={"talk_001": ["first", "second"]})
    report = api.run([model], suites=[bench.suite({"talk": [test]})], out=bench.out)
    assert rows(report)["talk_001"].outcome is OutcomeKind.PASS
    assert newly_asked(bench) == 2
    with Store(bench.out) as store:
        run = store.find_run("latest")
        (kept,) = store.read_trials(run, run.models[0])
        asked = [message.content for message in stored_work_of(store, kept.request_id).messages]
    assert asked == ["One", "first", "Two"]


def test_a_live_conversation_whose_first_turn_fails_is_failed(bench):
    test = {
        "id": "talk_001",
        "messages": [{"role": "user", "content": "One"}, {"role": "user", "content": "Two"}],
        "live": True,
        "eval_method": "exact_match",
        "expected": "second",
    }
    model = bench.script("mute", fail={"talk_001": "reset"})
    report = api.run([model], suites=[bench.suite({"talk": [test]})], out=bench.out)
    assert rows(report)["talk_001"].outcome is OutcomeKind.FAILED


def test_judged_tests_are_answered_and_left_unscored(bench):
    test = {"id": "open_001", "prompt": "Write.", "eval_method": "judge", "rubric": "coding"}
    suite = bench.suite({"open": [test]})
    report = api.run([bench.script("m", default="text")], suites=[suite], out=bench.out)
    row = rows(report)["open_001"]
    assert (row.outcome, row.answer) == (OutcomeKind.UNSCORED, "text")
    assert report.exit_code == 0


def test_suite_prompt_weights_and_pass_mark_count(bench):
    suite = bench.suite(
        {"a": numbered(2, "a"), "b": numbered(2, "b")},
        system="Be brief.",
        weights={"a": 3, "b": 1},
        pass_mark=1.0,
    )
    report = api.run(
        [bench.script("m", answers=right(numbered(2, "a")), default="?")],
        suites=[suite],
        out=bench.out,
    )
    assert report.models[0].suites[0].score.value == 75.0
    with Store(bench.out) as store:
        run = store.find_run("latest")
        kept = next(iter(store.read_trials(run, run.models[0])))
        assert stored_work_of(store, kept.request_id).messages[0].content == "Be brief."


def test_two_suites_that_share_an_id_keep_their_answers_apart(bench):
    one = bench.suite({"sum": numbered(1)}, name="one")
    two = bench.suite({"sum": numbered(1)}, name="two")
    model = bench.script("m", answers={"sum_001": "2", "two/sum_001": "7"})
    report = api.run([model], suites=[one, two], out=bench.out)
    assert [s.tests[0].outcome for s in report.models[0].suites] == [
        OutcomeKind.PASS,
        OutcomeKind.FAIL,
    ]
    outputs = bench.out / "runs" / report.run / "outputs" / report.models[0].slug
    assert (outputs / "one.sum_001.txt").read_text() == "2"
    assert (outputs / "two.sum_001.txt").read_text() == "7"


def test_a_run_leaves_answers_test_plans_reports_and_performance(job, bench):
    report = job(repeats=2)
    folder = bench.out / "runs" / report.run
    slug = report.models[0].slug
    assert (folder / "outputs" / slug / "sum_001.txt").read_text() == "2"
    assert (folder / "outputs" / slug / "sum_001.2.txt").read_text() == "2"
    assert "1 plus 1" in (folder / "test-plans" / "sum_001.md").read_text()
    assert json.loads((folder / "reports" / "report.json").read_text())["run"] == report.run
    assert report.models[0].report == str(folder.resolve() / "reports" / f"{slug}.md")
    for name in ("reports/report.md", "reports/report.html", f"reports/{slug}.md"):
        assert "sum" in (folder / name).read_text()
    assert "able" in (folder / "performance.md").read_text()


class StopsAtTheEnd(SilentProgress):
    """Ctrl-C at the worst moment: everything is asked, nothing is written yet."""

    def model_finished(self, spec):
        raise KeyboardInterrupt


def test_a_run_stopped_after_its_last_answer_is_continued_and_leaves_its_files(job, bench):
    with pytest.raises(Interrupted) as caught:
        job(observer=StopsAtTheEnd())
    assert "continue with: assay run" in caught.value.hint
    stopped = api.report(out=bench.out)
    assert (stopped.finished, stopped.models[0].report) == (None, None)
    report = job()
    assert report.run == stopped.run
    assert newly_asked(bench) == 6
    assert (bench.out / "runs" / report.run / "reports" / "report.html").is_file()


def test_judged_tests_name_the_reason_and_the_next_step(bench):
    test = {"id": "open_001", "prompt": "Write.", "eval_method": "judge", "rubric": "coding"}
    suite = bench.suite({"open": [test]})
    report = api.run([bench.script("m", default="text")], suites=[suite], out=bench.out)
    assert "no_judge" in rows(report)["open_001"].explanation
    assert any("assay judge latest" in hint for hint in report.hints)


def test_a_stopped_run_reports_the_answers_it_found_in_the_store(bench):
    tests = numbered(6)
    bench.script("able", answers=right(tests))
    suite = bench.suite({"sum": tests[:4]})
    model = f"scripted:{bench.folder / 'able.json'}"
    api.run([model], suites=[suite], out=bench.out)
    bench.suite({"sum": tests})

    class StopsAtOnce(SilentProgress):
        def replied(self, spec, reply, score):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        api.run([model], suites=[suite], out=bench.out, observer=StopsAtOnce())
    stopped = api.report(out=bench.out)
    assert len(stopped.models[0].suites[0].tests) == 5


# -------------------------------------------------------------------------------- marked again


def test_rescoring_keeps_a_moved_test_in_the_category_it_was_asked_in(bench):
    suite = bench.suite({"a": numbered(2, "a"), "b": numbered(2, "b")})
    answers = right(numbered(2, "a")) | right(numbered(2, "b"))
    api.run([bench.script("m", answers=answers)], suites=[suite], out=bench.out)
    bench.suite({"a": numbered(2, "a") + numbered(1, "b"), "b": numbered(2, "b")[1:]})
    report = api.rescore(out=bench.out).report
    score = report.models[0].suites[0].score
    assert (score.value, score.n) == (100.0, 4)


def test_rescoring_unchanged_files_changes_nothing(bench):
    suite = bench.suite({"a": numbered(3, "a"), "b": numbered(3, "b")}, weights={"a": 2, "b": 1})
    models = [bench.script(name, default=name) for name in ("m", "n")]
    for model in models:
        api.run([model], suites=[suite], out=bench.out, categories=["a"], limit=2)
    api.rescore(out=bench.out)
    (table,) = api.leaderboard(out=bench.out).suites
    assert len(table.rows) == 2


def test_rescoring_by_the_old_rules_says_so(bench):
    suite = bench.suite({"sum": numbered(2)})
    api.run([bench.script("m", default="2")], suites=[suite], out=bench.out)
    bench.suite({"sum": numbered(2)}, scoring="ewebench-1.0")
    report = api.rescore(out=bench.out).report
    assert any("ewebench-1.0" in note for note in report.notes)


def test_a_run_that_another_process_works_on_is_not_marked_again(job, bench):
    run = job().run
    with RunFolder(bench.out, run) as folder:
        assert folder.take()
        with pytest.raises(UsageError, match="another process"):
            api.rescore(out=bench.out)


def test_a_test_asked_with_other_worked_examples_is_not_the_same_test(bench):
    (bench.folder / "tests" / "few_shot").mkdir(parents=True)
    (bench.folder / "tests" / "few_shot" / "sum.json").write_text(json.dumps(numbered(1, "shot")))
    model = bench.script("m", default="2")
    for shots in (0, 1):
        suite = bench.suite(
            {"sum": numbered(3)}, few_shot={"sum": "few_shot/sum.json"}, shots=shots
        )
        run = api.run([model], suites=[suite], out=bench.out).run
        plan = (bench.out / "runs" / run / "test-plans" / "sum_001.md").read_text("utf-8")
        assert plan.count("worked example: ") == 2 * shots  # the question and its answer
    runs = [model.run for table in api.leaderboard(out=bench.out).suites for model in table.rows]
    (pair,) = api.compare(runs, out=bench.out).pairs
    assert [test.reason for test in pair.suites[0].left_out] == ["changed"] * 3


def test_one_model_of_a_run_is_compared_with_one_of_another(bench):
    suite = bench.suite({"sum": numbered(3)})
    models = [bench.script(name, default=name) for name in ("2", "4", "6")]
    first, second = (
        api.run(models[:2], suites=[suite], out=bench.out),
        api.run(models[1:], suites=[suite], out=bench.out),
    )
    for name in (models[2], second.models[1].slug, "6"):
        (pair,) = api.compare((f"{first.run}/{models[0]}", f"latest/{name}"), out=bench.out).pairs
        assert (pair.a.model, pair.b.model, pair.b.run) == (models[0], models[2], second.run)
    with pytest.raises(RunNotFound):
        api.compare((first.run, f"latest/{models[0]}x"), out=bench.out)


# ------------------------------------------------------------------------------ refused at once


@pytest.mark.parametrize("wrong", [{"model": None}, {"repeats": 0}, {"repeats": -3}, {"limit": 0}])
def test_a_job_that_asks_nothing_is_refused(bench, wrong):
    models = [] if "model" in wrong else [bench.script("m", default="x")]
    options = {name: value for name, value in wrong.items() if name != "model"}
    suite = bench.suite({"sum": numbered(1)})
    with pytest.raises(UsageError):
        api.run(models, suites=[suite], out=bench.out, **options)


def test_everything_wrong_is_shown_at_once_and_nothing_is_asked(bench):
    suite = bench.suite({"a": [{"id": "a_001", "prompt": "?", "eval_method": "exact"}]})
    with pytest.raises(Refusals) as caught:
        api.run(["scripted:none.json", "ollama:x"], suites=[suite], out=bench.out)
    kinds = [type(error) for error in caught.value.errors]
    assert kinds == [InvalidFiles, ModelUnavailable, ModelUnavailable]
    assert not bench.out.exists()


def test_no_suite_is_refused(bench):
    with pytest.raises(UsageError, match="no suite"):
        api.run([bench.script("m", default="x")], suites=[], out=bench.out)


def test_one_model_named_twice_is_refused(bench):
    model = bench.script("m", default="x")
    with pytest.raises(UsageError, match="same model"):
        api.run([model, model], suites=[bench.suite({"sum": numbered(1)})], out=bench.out)


def test_a_store_of_another_version_is_refused_before_anything_is_asked(job, bench):
    import sqlite3

    bench.out.mkdir()
    database = sqlite3.connect(bench.out / "assay.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreVersionError):
        job()


def test_a_gate_that_was_named_decides_on_models_behind_a_server_too(bench):
    tests = numbered(10)
    suite = bench.suite({"sum": tests})
    able = bench.script("able", answers=right(tests))
    weak = bench.script("weak", answers=right(tests[:2]), default="?")
    gate, more = bench.folder / "gate.toml", bench.folder / "more.toml"
    gate.write_text('[[suite]]\nname = "tests"\nmin = 0.5\nabove_guessing = true\n')
    more.write_text(gate.read_text() + "[perplexity]\nmax = 50\n")

    def run(*models, gate=None):
        report = api.run(list(models), suites=[suite], gate=gate, out=bench.out)
        return report.exit_code, [model.accepted for model in report.models], report

    assert run(able, weak)[:2] == (0, [None, None]), "no gate, no decision"
    assert run(able, gate=gate)[:2] == (0, [True])
    assert run(able, gate=more)[:2] == (1, [None]), "nothing reads its likelihoods"
    code, accepted, report = run(able, weak, gate=gate)
    assert (code, accepted, report.selected) == (1, [True, False], None)
    document = report.to_dict()
    assert document["headline"].endswith(" misses suite:tests (marginal).")
    assert list(document["models"][1]["decision"]["criteria"]) == ["suite:tests"]
    with pytest.raises(UsageError, match="--text, --train-text and --log"):
        api.run([able], suites=[suite], gate=gate, text=gate, out=bench.out)


SPOILS = '''
from pathlib import Path

import assay


@assay.check("spoils")
class Spoils:
    """Puts a file where the reports of the run go."""

    def score(self, answer: str) -> bool:
        for folder in Path("out/runs").iterdir():
            (folder / "reports").write_text("in the way")
        return True
'''


def test_a_run_whose_reports_cannot_be_written_is_not_finished(bench):
    """The same command can then write them; a finished run would begin anew."""
    (bench.folder / "spoils.py").write_text(SPOILS, "utf-8")
    suite = bench.suite({"a": [{"id": "a_001", "prompt": "Say a", "eval_method": "spoils"}]})
    model = bench.script("m", default="a")
    done = bench.assay("run", model, "-s", suite, "--plugin", "spoils.py")
    assert done.returncode != 0, done.stdout
    with sqlite3.connect(bench.out / "assay.db") as store:
        assert store.execute("SELECT finished FROM runs").fetchall() == [(None,)]
    store.close()
