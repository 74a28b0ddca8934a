"""`assay new-suite --test` and `assay validate --allow-code-execution`: a test, and its trial."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import api
from assay.errors import InvalidFiles, UsageError
from assay.plugins import checks
from assay.sandbox import open_sandbox
from assay.suites.load import load_suite
from assay.suites.test_format.fields import methods
from assay.types.scores import SilentProgress
from assay.workflow.commands.new_tests import METHODS as TEMPLATE_FILE
from tests.conftest import Bench


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return api.new_test("sales", suite=tmp_path / "mine", judged=True)


def tried(folder: Path, seeds: int = 3) -> list[str]:
    found = api.validate([folder.parent], allow_code_execution=True, data_seeds=seeds)
    errors = [each for each in found if each.severity == "error"]
    return [str(each).removeprefix(f"{folder}/") for each in errors]


def test_a_new_test_folder_is_valid_as_it_is(folder: Path) -> None:
    assert tried(folder, seeds=20) == []
    assert len(list((folder / "wrong").iterdir())) >= 3
    (case,) = load_suite(folder.parent, get_sandbox=open_sandbox, data_seed=4).cases
    assert "id,region,status,amount\n" in case.prompt
    with pytest.raises(UsageError, match="there already"):
        api.new_test("sales", suite=folder.parent, judged=True)


def test_answers_that_do_not_do_what_they_are_for_are_found(folder: Path) -> None:
    reference = (folder / "reference.md").read_text()
    (folder / "wrong" / "right.md").write_text(f"hidden_rows first_regon\n{reference}")
    fixed = reference.replace('"first_amount": {{truth.first_amount}}', '"first_amount": 7')
    (folder / "reference.md").write_text(fixed)
    first, also, second, third = sorted(tried(folder))
    assert first.startswith(
        "reference.md:1:1: sales_001: error: the reference does not pass 'first_amount' with 3 of "
        "3 data seeds (0, 1, 2): first_amount is 7 in the block"
    )
    assert "the reference does not pass 'lines'" in also
    assert "wrong/right.md:1:1: sales_001: error: no check is called 'first_regon'" in second
    assert "this answer does not fail 'hidden_rows' with 3 of 3 data seeds" in third


def test_what_cannot_be_checked_of_the_reference_is_a_mistake(folder: Path) -> None:
    (folder / "check.py").write_text(
        "from assay.checking import Check\n"
        "def check(answer, truth, files):\n"
        "    yield Check('runs', None, 'it cannot be run')\n"
    )
    for wrong in (folder / "wrong").iterdir():
        wrong.unlink()
    (found,) = tried(folder)
    assert "error: the reference does not pass 'runs'" in found


def test_a_listed_package_that_is_not_installed_is_refused(folder: Path) -> None:
    about = json.loads((folder / "test.json").read_text())
    (folder / "test.json").write_text(json.dumps({**about, "packages": ["numpy"]}))
    assert api.validate([folder.parent]) == ()
    (folder / "test.json").write_text(json.dumps({**about, "packages": ["numpy", "no_such_one"]}))
    (found,) = api.validate([folder.parent])
    assert "packages that are not installed here: no_such_one" in str(found)


def test_a_checker_or_generator_that_fails_is_shown_with_its_line(folder: Path) -> None:
    code = (folder / "check.py").read_text()
    (folder / "check.py").write_text(code + "\n\ndef check(a, b, c):\n    return 1 / 0\n")
    (found,) = tried(folder)
    line = code.count("\n") + 4
    assert found.startswith(f"check.py:{line}:1: sales_001: error: the checker failed: ZeroDiv")
    (folder / "make.py").write_text("def make(seed):\n    return {'files': {'orders.csv': seed}}\n")
    (found,) = tried(folder)
    assert found.startswith("make.py:1:1: sales_001: error: ")
    (folder / "make.py").write_text(
        "import time\ndef make(seed):\n"
        "    return {'files': {'orders.csv': '', 'rule.md': ''}, 'truth': {'at': time.time_ns()}}\n"
    )
    (found,) = tried(folder)
    assert "make(0) gives something else each time" in found


def test_entries_are_added_to_a_category_file_that_keeps_its_form(tmp_path: Path) -> None:
    file = tmp_path / "capitals.json"
    api.new_test("capitals", suite=tmp_path)
    written = file.read_text().replace("\n  ", "\n\t")
    file.write_text(written)
    api.new_test("capitals", suite=tmp_path)
    assert file.read_text().startswith(written.rstrip().removesuffix("]").rstrip())
    assert [each["id"] for each in json.loads(file.read_text())] == ["capitals_001", "capitals_002"]
    assert api.validate([tmp_path]) == ()


def test_a_name_or_file_that_cannot_be_is_refused(tmp_path: Path) -> None:
    for name in ("../a", "", "a b", "x" * 101):
        with pytest.raises(UsageError, match="cannot be the name"):
            api.new_test(name, suite=tmp_path)
    with pytest.raises(UsageError) as path_given:
        api.new_test("my words/nouns.json")
    assert "`assay new-suite --test nouns --suite 'my words'`" in path_given.value.hint
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "b.json").write_text("[")
    with pytest.raises(UsageError, match="no category file"):
        api.new_test("a", suite=tmp_path)
    with pytest.raises(InvalidFiles):
        api.new_test("b", suite=tmp_path)
    assert not (tmp_path / "c").exists()


def test_an_unknown_rubric_is_found_before_a_model_is_asked(tmp_path: Path) -> None:
    test = {"id": "a_001", "prompt": "?", "eval_method": "judge", "rubric": "codding"}
    (tmp_path / "a.json").write_text(json.dumps([test]))
    script = tmp_path / "answers" / "script.json"
    script.parent.mkdir()
    script.write_text('{"answers": {}, "default": "x"}')
    with pytest.raises(InvalidFiles) as refused:
        api.run([f"scripted:{script}"], suites=[f"{tmp_path}/"], out=tmp_path / "out")
    assert [each.message for each in refused.value.findings] == [
        "there is no rubric 'codding'. Rubrics that ship: coding, data; or name a folder beside "
        "the suite that has a rubric.toml."
    ]
    (tmp_path / "codding").mkdir()
    (tmp_path / "codding" / "rubric.toml").write_text("version = true\n")
    assert any(each.file.endswith("rubric.toml") for each in api.validate([tmp_path]))


def test_a_run_says_first_which_tests_will_have_no_evidence(folder: Path) -> None:
    class Notes(SilentProgress):
        def __init__(self) -> None:
            self.heard: list[str] = []

        def note(self, sentence: str) -> None:
            self.heard.append(sentence)

        def model_started(self, *given: Any, **more: Any) -> None:
            self.heard.append("start")

    script = folder.parents[1] / "script.json"
    script.write_text('{"default": "```json\\n{}\\n```"}')
    (folder.parent / "suite.json").write_text("{}")
    notes = Notes()
    report = api.run(
        [f"scripted:{script}"], suites=[folder.parent], out=script.parent / "out", observer=notes
    )
    assert "code_not_allowed: the checkers of sales_001 add no evidence" in notes.heard[0]
    assert notes.heard[1] == "start"
    (test,) = report.models[0].suites[0].tests
    assert test.outcome == "unscored"


@pytest.fixture(scope="module")
def of_every_method(tmp_path_factory: pytest.TempPathFactory) -> Path:
    suite = tmp_path_factory.mktemp("every") / "tests"
    for method in METHODS:
        api.new_test(method, suite=suite, method=method)
    return suite


METHODS = [name for name in methods() if checks[name].__module__.startswith("assay.")]


def test_new_test_writes_a_valid_test_of_every_method(of_every_method: Path) -> None:
    assert api.validate([of_every_method]) == ()
    assert [case.method for case in load_suite(of_every_method).cases] == METHODS


def test_the_answer_of_each_worked_example_passes(of_every_method: Path, tmp_path: Path) -> None:
    known = json.loads(TEMPLATE_FILE.read_text("utf-8"))
    answers = {f"{name}_001": known[name]["answer"] for name in METHODS}
    script = tmp_path / "right.json"
    script.write_text(json.dumps({"answers": answers}))
    report = api.run(f"scripted:{script}", suites=f"{of_every_method}/", out=tmp_path / "out")
    outcomes = {each["id"]: each["outcome"] for each in report.to_pandas().to_dict("records")}
    assert outcomes.pop("judge_001") == "unscored", "it needs a judge"
    assert set(outcomes.values()) == {"pass"}


def test_a_method_without_an_example_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'keywords'"):
        api.new_test("numbers", suite=tmp_path, method="keyword")


def test_a_new_suite_is_valid_and_its_right_answers_score_full_marks(tmp_path: Path) -> None:
    suite = api.new_suite(tmp_path / "mine")
    assert api.validate([suite]) == ()
    script = f"scripted:{suite}/answers/right.json"
    report = api.run(script, suites=f"{suite}/", out=tmp_path / "out")
    assert report.models[0].suites[0].score.value == 100.0


WEAK_CHECK = """
from assay.checking import Check, json_block

def check(answer, truth, files):
    yield Check("kind", json_block(answer) is not None, "there is a block")
    yield Check("{name}", {condition}, "something is written")
"""
IDLE = {
    "an empty answer": "not answer",
    "the echoed prompt": "'orders' in answer",
    "a refusal": "answer.startswith('I')",
}


@pytest.mark.parametrize("idle", IDLE)
def test_an_answer_that_does_nothing_gets_next_to_nothing(folder: Path, idle: str) -> None:
    check = WEAK_CHECK.format(name="written", condition=IDLE[idle])
    (folder / "check.py").write_text(check)
    found = api.validate([folder.parent], allow_code_execution=True, data_seeds=1)
    idle_findings = [each for each in found if "of the checks, more than" in each.message]
    (finding,) = idle_findings
    assert finding.message == f"{idle} gets 0.50 of the checks, more than 0.1: written"
    assert finding.severity == "error"


def test_a_weak_checker_is_found_out(folder: Path) -> None:
    check = WEAK_CHECK.format(name="written", condition="True")
    (folder / "check.py").write_text(check)
    (folder / "make.py").write_text(
        "def make(seed):\n    return {'files': {'orders.csv': 'a', 'rule.md': 'b'}, 'truth': {}}\n"
    )
    said = [str(one) for one in api.validate([folder.parent], allow_code_execution=True)]
    assert any("make(seed) gives the same for every seed" in one for one in said)
    assert any("checks that no answer in wrong/ fails: written" in one for one in said)
    assert any("an empty answer gets 0.50 of the checks" in one for one in said)


def test_validate_names_a_value_that_the_truth_has_not(folder: Path) -> None:
    reference = folder / "reference.md"
    reference.write_text(reference.read_text() + "\n{{truth.totl}}\n")
    said = [str(one) for one in api.validate([folder.parent], allow_code_execution=True)]
    assert any("reference.md" in one and "has no 'totl'" in one for one in said)


# ------------------------------------------------------------------------ on the command line


def test_new_suite_writes_a_test_or_a_suite_and_never_half_of_each(bench: Bench) -> None:
    done = bench.assay("new-suite", "--test", "colours", "--method", "keywords")
    assert (done.returncode, done.stdout) == (0, "my-tests/colours.json\n")
    done = bench.assay("new-suite", "--test", "--judged", "sales", "--suite", "shop")
    assert (done.returncode, done.stdout) == (0, "shop/sales\n")
    assert "assay validate shop --allow-code-execution" in done.stderr
    assert (bench.folder / "shop" / "sales" / "check.py").exists()
    assert bench.assay("new-suite", "--test", "--judged").stdout == "my-tests/my_test\n"

    for words, named in (
        (["quiz", "--judged", "--method", "keywords"], "--judged, --method: only with --test"),
        (["--test", "x", "--from", "t.csv", "--samples"], "--from, --samples: only without --test"),
        (["--test", "--judged", "y", "--method", "keywords"], "leave --method out"),
    ):
        refused = bench.assay("new-suite", *words)
        assert refused.returncode == 2
        assert named in refused.stderr
    assert not (bench.folder / "quiz").exists()
