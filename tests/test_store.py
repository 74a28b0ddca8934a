import os
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

from assay.checks.command_sequence import CommandSequence
from assay.checks.composite import Composite, Weights
from assay.checks.ewe_quality import EweQuality
from assay.checks.exact_match import ExactMatch
from assay.checks.format import Format, Rules
from assay.checks.judge import Judge
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.top_k import TopK
from assay.errors import (
    RunNotFound,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreNotWritable,
    StoreVersionError,
)
from assay.plan import AskOptions, make_plan
from assay.store import Run, RunModel, Store, new_run_id
from assay.store.bodies import content, read_back, to_json
from assay.store.database import Database, prefer_write_ahead_log
from assay.types import (
    Answered,
    Case,
    Category,
    ChoiceLikelihoods,
    Failed,
    Message,
    ModelFacts,
    ReadText,
    Score,
    Suite,
    Timed,
)
from assay.types.judging.judgements import (
    ChecklistAnswer,
    CriterionScore,
    Deviation,
    Evidence,
    EvidenceCheck,
    FinalCriterion,
    FinalJudgement,
    JudgedBy,
    Judgement,
    Judging,
    Quote,
)
from tests.conftest import stored_work_of

FACTS = ModelFacts(spec="scripted:m.json", name="m", fingerprint="sha256:1")
MODEL = RunModel(position=0, spec=FACTS.spec, slug="m-1", facts=FACTS)
WEIGHTS = Weights(keywords=1.0, format=2.0, ewe_quality=1.0)
CHECKS = (
    ExactMatch(expected=("4", "four"), normalize="number"),
    Keywords(
        expected_keywords=(("a", "b"), ("c",)), forbidden_keywords=(("d",),), keyword_match="prefix"
    ),
    MultipleChoice(expected="B", choices=("x", "y"), score_by="text", render=False),
    Format(expected_format=Rules(contains_ewe=False, min_length=3, markdown_elements=("list",))),
    EweQuality(),
    Composite(
        expected_keywords=(("a",),),
        expected_format=Rules(json=True),
        weights=Weights(keywords=1.0, format=2.0, ewe_quality=1.0),
    ),
    TopK(expected_any=("lspci",), k=2, match="command"),
    CommandSequence(expected_commands=(("apt update",), ("apt install x", "apt-get install x"))),
    Judge(rubric="coding", checklist=("runs",)),
)


def case(number, check=CHECKS[0]):
    return Case(
        id=f"a_{number:03d}",
        suite="s",
        category="a",
        messages=(Message("user", f"Question {number} – ɖe wòle?"),),
        check=check,
    )


SUITE = Suite(
    name="s",
    path="somewhere/s",
    categories=(Category(name="a", cases=tuple(map(case, range(len(CHECKS)), CHECKS))),),
    weights={"a": 2.0},
    few_shot={"a": (case(99),)},
    shots=1,
)
SCORE = Score(scorer="exact_match", version=1, value=1.0, extracted="4", explanation="right")


def begin(store, *, key="k", fresh=False):
    run = Run(id=new_run_id(), key=key, models=(MODEL,), command="assay run", version="1")
    return store.begin_run(run, [SUITE], fresh=fresh)


def requests():
    plan = make_plan([SUITE], FACTS, AskOptions())
    return [plan.request(trial, 0, []) for trial in plan.trials]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "out") as opened:
        yield opened


def test_a_run_is_named_after_its_time_in_utc_and_six_hex_digits(store):
    run = begin(store)
    assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{6}", run.id)
    assert run.created.replace("-", "").replace(":", "")[:13] == run.id[:13]


def test_a_suite_comes_back_as_it_was_with_every_kind_of_check(store):
    run = begin(store)
    with Store(store.path.parent) as again:  # which has stored nothing itself
        assert again.read_suites(run) == (SUITE,)
    assert store.read_suites(run) == (SUITE,)


def test_the_digest_of_a_suite_tells_its_content_not_its_place():
    assert content(SUITE) == content(replace(SUITE, path="elsewhere"))
    assert content(SUITE) != content(replace(SUITE, pass_mark=0.5))


@pytest.mark.parametrize(
    "reply",
    [
        Answered(request_id="", text="4 ɖe\x00\n", predictions=("a", "b"), total_s=0.5),
        ChoiceLikelihoods(request_id="", log_likelihoods=(-1.5, -2.25)),
        ReadText(request_id="", log_likelihood=-9.5, tokens=3, words=2, bytes=9, top1=1, top5=2),
        Timed(request_id="", prefill_s=(0.5,), decode_s=(1.5,), new_tokens=4),
    ],
)
def test_every_kind_of_reply_comes_back_as_it_was(store, reply):
    run = begin(store)
    request = requests()[0]
    reply = replace(reply, request_id=request.id)
    number = store.store_reply(run, MODEL.facts.fingerprint, request, reply)
    assert store.read_reply(number) == reply
    assert store.find_answer(run, request.id) == number
    assert stored_work_of(store, request.id) == request.work


def test_a_failed_request_is_kept_and_is_no_answer(store):
    run = begin(store)
    request = requests()[0]
    store.store_trial(run, MODEL, request, Failed(request_id=request.id, reason="reset"), None)
    assert store.find_answer(run, request.id) is None
    assert store.find_scored(run, MODEL) == frozenset()
    (kept,) = store.read_trials(run, MODEL)
    assert kept.score is None
    assert kept.reply.reason == "reset"


def test_an_answer_to_a_request_that_had_failed_takes_its_place(store):
    run = begin(store)
    request = requests()[0]
    store.store_trial(run, MODEL, request, Failed(request_id=request.id, reason="reset"), None)
    store.store_trial(run, MODEL, request, Answered(request_id=request.id, text="4"), SCORE)
    (kept,) = store.read_trials(run, MODEL)
    assert kept.score == SCORE
    assert store.find_scored(run, MODEL) == {("s", "a_000", 0)}


def test_the_newest_mark_of_a_try_counts_and_the_old_one_stays(store, tmp_path):
    run = begin(store)
    request = requests()[0]
    store.store_trial(run, MODEL, request, Answered(request_id=request.id, text="4"), SCORE)
    (kept,) = store.read_trials(run, MODEL)
    again = Score(scorer="exact_match", version=2, value=0.0)
    store.store_scores(run, MODEL, [(("s", "a_000", 0), kept.reply_id, again)])
    assert [each.score for each in store.read_trials(run, MODEL)] == [again]
    with sqlite3.connect(store.path) as database:
        assert database.execute("SELECT count(*) FROM scores").fetchone() == (2,)


def test_a_fresh_run_does_not_see_the_replies_before_it(store):
    old = begin(store)
    request = requests()[0]
    store.store_reply(
        old, MODEL.facts.fingerprint, request, Answered(request_id=request.id, text="old")
    )
    fresh = begin(store, fresh=True)
    assert store.find_answer(fresh, request.id) is None
    assert not store.has_answers(fresh)
    number = store.store_reply(
        fresh, MODEL.facts.fingerprint, request, Answered(request_id=request.id, text="new")
    )
    assert store.find_answer(fresh, request.id) == number
    assert store.has_answers(fresh)
    assert store.find_answer(begin(store), request.id) == number


def test_a_second_run_of_a_command_is_the_one_that_is_continued(store):
    first = begin(store)
    store.update_run(first, finished="2026-11-15T10:15:00Z")
    second = begin(store, fresh=True)
    assert store.find_unfinished_run("k") == second


def test_only_the_newest_run_of_a_command_can_be_continued(store):
    run = begin(store)
    assert store.find_unfinished_run("k") == run
    assert store.find_unfinished_run("other") is None
    store.update_run(run, finished="2026-11-15T10:15:00Z")
    assert store.find_unfinished_run("k") is None


def test_a_run_ends_when_its_reports_say(store):
    said = "2026-11-16T04:33:50Z"
    assert store.update_run(begin(store), finished=said).finished == said


def test_a_run_is_found_by_id_by_a_unique_prefix_or_as_the_latest(store):
    with pytest.raises(RunNotFound, match="there is no run"):
        store.find_run("latest")
    first = begin(store)
    second = begin(store)
    assert store.find_run(first.id).id == first.id
    assert store.find_run("latest").id == second.id
    assert store.find_run(first.id[:-1]).id == first.id
    with pytest.raises(RunNotFound, match="several"):
        store.find_run(first.id[:4])
    with pytest.raises(RunNotFound) as caught:
        store.find_run("nothing%")
    assert first.id in caught.value.hint


def test_the_latest_run_is_the_last_begun_even_if_the_clock_was_set_back(store):
    begin(store, key="old")
    second = begin(store)
    store._file.connection.execute(
        "UPDATE runs SET created = '1999-01-01T00:00:00Z' WHERE id = ?", (second.id,)
    )
    assert store.find_run("latest").id == second.id
    assert [run.id for run in store.read_runs()][-1] == second.id


# ------------------------------------------------------------------------------------- verdicts

VERDICT = FinalJudgement(
    test_id="a_000",
    suite="s",
    rubric="coding",
    evidence=Evidence(
        checks=(EvidenceCheck(name="empty", passed=False, explanation="raises ɖe\x00"),),
        isolation="bubblewrap",
    ),
    judgements=(
        Judgement(
            judge="ollama:j",
            fingerprint="sha256:2",
            form="likelihood",
            scores=(CriterionScore(criterion="correctness", score=7, raw=0.71),),
            checklist=(ChecklistAnswer(question="Is it?", probability=0.5),),
            quotes=(Quote(text="low", status="fabricated"),),
        ),
        Judgement(judge="k", fingerprint="f", form="reasoned", unscored_reason="truncated"),
    ),
    criteria=(
        FinalCriterion(
            criterion="correctness", label="Correctness", weight=4, score=0, judged=7, low=7, high=7
        ),
    ),
    confidence="low",
)


def judged_try(store, run):
    """An answer that waits for its judge."""
    request = requests()[0]
    waiting = Score(scorer="judge", version=1, unscored_reason="no_judge")
    store.store_trial(run, MODEL, request, Answered(request_id=request.id, text="4"), waiting)
    (kept,) = store.read_trials(run, MODEL)
    return kept


def test_a_verdict_comes_back_as_it_was_and_its_mark_counts(store):
    run = begin(store)
    kept = judged_try(store, run)
    store.store_judgement(run, MODEL, kept, VERDICT, SCORE)
    (found,) = store.read_judgements(run, MODEL)
    assert found.judgement == VERDICT
    assert (found.suite, found.test_id, found.repeat, found.reply_id) == (
        "s", "a_000", 0, kept.reply_id,
    )  # fmt: skip
    (again,) = store.read_trials(run, MODEL)
    assert again.score == SCORE


def test_the_newest_verdict_counts_and_those_of_other_runs_do_not(store):
    run, other = begin(store), begin(store)
    kept = judged_try(store, run)
    newer = replace(VERDICT, use_case="a tutor")
    store.store_judgement(run, MODEL, kept, VERDICT, SCORE)
    store.store_judgement(run, MODEL, kept, newer, replace(SCORE, value=0.5))
    assert [found.judgement for found in store.read_judgements(run, MODEL)] == [newer]
    (again,) = store.read_trials(run, MODEL)
    assert again.score.value == 0.5
    assert store.read_judgements(other, MODEL) == ()


def test_a_verdict_that_cannot_be_kept_leaves_no_mark(store):
    run = begin(store)
    kept = judged_try(store, run)
    with pytest.raises(StoreError):
        store.store_judgement(run, MODEL, replace(kept, reply_id=999), VERDICT, SCORE)
    assert store.read_judgements(run, MODEL) == ()
    (again,) = store.read_trials(run, MODEL)
    assert again.score.unscored_reason == "no_judge"


def test_by_whom_a_run_was_judged_is_kept_with_it(store):
    run = begin(store)
    assert run.judging is None
    judging = Judging(
        judges=(JudgedBy(spec="ollama:j", name="j", fingerprint="f", form="reasoned"),),
        repeats=3,
        isolation="weak",
        deviations=(
            Deviation(
                judge="j", rubric="coding", form="reasoned", n=2, unscored=1, mean_absolute=0.5,
                bias=-0.5, within_one=2, spearman=None, same_band=1, bias_interval=(-1.0, 0.0),
            ),
        ),
        notes=("of one family",),
    )  # fmt: skip
    assert store.update_run(run, judging=judging).judging == judging
    assert store.find_run("latest").judging == judging
    assert store.update_run(run, judging=Judging(judges=())).judging == Judging(judges=())


def test_replies_of_a_judge_are_kept_beside_those_of_the_tested_model(store):
    run = begin(store)
    judged_try(store, run)
    facts = ModelFacts(spec="ollama:j", name="j", fingerprint="sha256:2")
    request = replace(requests()[0], id="judge-1", suite="judge", test_id="judge:a_000")
    number = store.store_reply(
        run, facts.fingerprint, request, Answered(request_id="judge-1", text="8")
    )
    assert store.find_answer(run, "judge-1") == number
    assert [kept.test_id for kept in store.read_trials(run, MODEL)] == ["a_000"]
    assert [model.spec for model in store.read_run(run.id).models] == [MODEL.spec]


@pytest.mark.parametrize("version", [9, 11])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_of_another_version_is_refused_and_left_alone_to_the_byte(
    tmp_path, version, read_only
):
    Store(tmp_path).close()
    file = tmp_path / "assay.db"
    with sqlite3.connect(file) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (10,)
        database.execute(f"PRAGMA user_version = {version}")
    database.close()
    before = file.read_bytes()
    with pytest.raises(StoreVersionError, match=f"store version {version}, .* reads 10") as caught:
        Store(tmp_path, read_only=read_only)
    assert "--out" in caught.value.hint
    assert "delete" in caught.value.hint
    assert file.read_bytes() == before


def test_a_file_that_is_no_store_is_refused(tmp_path):
    (tmp_path / "assay.db").write_bytes(b"not a database, certainly not one of ours" * 100)
    with pytest.raises(StoreCorrupt):
        Store(tmp_path)


def test_a_store_that_must_exist_and_does_not_is_a_clear_error(tmp_path):
    with pytest.raises(StoreError, match="no store"):
        Store(tmp_path, must_exist=True)
    assert not (tmp_path / "assay.db").exists()


def test_a_file_in_the_folders_place_is_a_clear_error(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(StoreNotWritable) as caught:
        Store(tmp_path / "out")
    assert "--out" in caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user: see the next test")
def test_a_read_only_folder_is_a_clear_error_for_an_ordinary_user_too(tmp_path):
    """Root may write anywhere, so the store is opened by a child that has given that up."""
    os.chmod(tmp_path, 0o755)
    for parent in tmp_path.parents:
        if str(parent).startswith("/tmp/"):
            os.chmod(parent, 0o755)
    program = (
        "import os, sys, pathlib\n"
        "from assay.store import Store\n"
        "from assay.errors import StoreNotWritable\n"
        "os.setuid(65534)\n"
        "try:\n"
        "    Store(pathlib.Path(sys.argv[1]) / 'out')\n"
        "except StoreNotWritable as error:\n"
        "    sys.exit(41 if '--out' in error.hint else 42)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert done.returncode == 41


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere: see the test before")
def test_a_read_only_folder_is_a_clear_error(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(StoreNotWritable):
        Store(tmp_path / "out")


def test_a_full_disk_is_a_clear_resumable_error_and_loses_nothing(store):
    """SQLite's own page limit raises the very error of a full disk, on any machine."""
    run = begin(store)
    kept = 0
    store._file.connection.execute("PRAGMA max_page_count = 40")
    with pytest.raises(StoreFull) as caught:
        for request in requests() * 100:
            reply = Answered(request_id=request.id, text="x" * 2000)
            store.store_reply(run, MODEL.facts.fingerprint, request, reply)
            kept += 1
    assert "make room" in caught.value.hint
    assert caught.value.exit_code == 130
    with sqlite3.connect(store.path) as database:
        assert database.execute("SELECT count(*) FROM replies").fetchone() == (kept,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def test_an_exception_inside_a_write_leaves_nothing_half_written(store):
    run = begin(store)
    request = requests()[0]
    with pytest.raises(ZeroDivisionError), store._file.writing():
        store._store_reply(
            run, MODEL.facts.fingerprint, request, Answered(request_id=request.id, text="4")
        )
        raise ZeroDivisionError
    assert store.find_answer(run, request.id) is None


def test_where_no_write_ahead_log_can_be_kept_the_store_uses_what_always_works(tmp_path):
    """A lock-file VFS has no shared memory, as a network file system has none."""
    connection = sqlite3.connect(f"file:{tmp_path}/s.db?vfs=unix-dotfile", uri=True)
    assert prefer_write_ahead_log(connection) == "delete"
    connection.close()
    connection = sqlite3.connect(tmp_path / "t.db")
    assert prefer_write_ahead_log(connection) == "wal"
    connection.close()


def test_another_programs_database_is_left_alone_to_the_byte(tmp_path):
    path = tmp_path / "assay.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE theirs (a)")
    database.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreCorrupt, match="another program"):
            Store(tmp_path, read_only=read_only)
    assert path.read_bytes() == before


def test_reading_makes_no_store_out_of_an_empty_file(tmp_path):
    (tmp_path / "assay.db").touch()
    with pytest.raises(StoreCorrupt, match="no store yet"):
        Store(tmp_path, read_only=True)
    assert (tmp_path / "assay.db").read_bytes() == b""


def test_a_try_whose_newest_mark_is_a_failure_is_not_done(store):
    """Two processes may mark one try; what counts for the report counts for what is left."""
    run = begin(store)
    request = requests()[0]
    store.store_trial(run, MODEL, request, Answered(request_id=request.id, text="4"), SCORE)
    store.store_trial(run, MODEL, request, Failed(request_id=request.id, reason="reset"), None)
    assert store.find_scored(run, MODEL) == frozenset()


def test_a_damaged_record_is_a_clear_error(store):
    run = begin(store)
    request = requests()[0]
    store.store_trial(run, MODEL, request, Answered(request_id=request.id, text="4"), SCORE)
    store._file.connection.execute("UPDATE replies SET body = '{}'")
    with pytest.raises(StoreCorrupt, match="cannot be read"):
        list(store.read_trials(run, MODEL))


def test_damaged_pages_are_a_clear_error(tmp_path):
    with Store(tmp_path) as store:
        run = begin(store)
        for request in requests():
            reply = Answered(request_id=request.id, text="x" * 3000)
            store.store_trial(run, MODEL, request, reply, SCORE)
    path = tmp_path / "assay.db"
    raw = bytearray(path.read_bytes())
    for page in range(4, len(raw) // 4096):
        raw[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(raw)
    with pytest.raises(StoreError), Store(tmp_path) as store:
        list(store.read_trials(run, MODEL))


def test_a_store_in_a_place_that_cannot_be_written_can_be_read(tmp_path, store):
    """Its newest rows may lie in the write-ahead log, where a killed run left them."""
    run = begin(store)
    request = requests()[0]
    store.store_trial(run, MODEL, request, Answered(request_id=request.id, text="4"), SCORE)
    copy = Database.__new__(Database)
    copy.path, copy.notes, copy._read_only = store.path, [], True
    copy._open_to_read(store.path)
    assert copy.one("SELECT count(*) FROM replies")[0] == 1
    copy.close()


def test_half_a_surrogate_pair_that_a_check_repeats_is_stored() -> None:
    """An answer may hold one, and what is said of the answer with it."""
    score = Score(value=0.5, scorer="judge", version=1, explanation="R1\ud800 is no \U0001f600")
    stored = read_back(Score, to_json(score, Score))
    assert stored == replace(score, explanation="R1\ufffd is no \U0001f600")
