"""The tests that ship as folders: their own answers show that their checkers are right."""

import ast
import io
import json
import re
import tokenize

import pytest

from assay.checkers import fill, gather, make_files
from assay.checking import json_block
from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from assay.suites.load import load_suite
from assay.suites.test_folder import read_reference, read_wrong
from assay.types.tests import SHIPPED_SUITES
from assay.workflow.commands.authoring import CheckerTrial

FOLDERS = sorted(path.parent for path in SHIPPED_SUITES.glob("*/*/test.json"))
SEEDS = 2  # `assay validate` tries 20
# A client has to wait, and slow code is let run for two seconds of a processor each time.
SLOW = {"ct_02_performance": 1, "ct_06_api_client": 1}
KEPT = {
    "coding": {"writing": 2, "improving": 2, "explaining": 2},
    "data": {"extracting": 2, "connecting": 2, "reporting": 2},
}


@pytest.fixture(scope="module")
def sandbox():
    try:
        return open_sandbox()
    except SandboxUnavailable as error:
        pytest.skip(error.message)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_reference_passes_and_each_wrong_answer_fails_what_it_names(folder, sandbox):
    wanted = json.loads((folder / "test.json").read_text("utf-8"))["id"]
    (case,) = (one for one in load_suite(folder.parent).cases if one.id == wanted)
    assert case.check.judged
    seeds = range(SLOW.get(folder.name, SEEDS))
    trial = CheckerTrial(case, case.check.judged, folder, sandbox, seeds)
    assert [(one.file, one.message) for one in trial.findings()] == []
    assert len(list(read_wrong(folder))) >= 3


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_seeds_make_other_files_of_the_same_names_without_comments(folder):
    made = make_files(folder, range(6), None)
    assert make_files(folder, [0], None) == made[:1]
    assert {tuple(one.files) for one in made} == {tuple(made[0].files)}
    assert len({str(one.files) for one in made}) == len(made)
    for one in made:
        assert not one.problem
        for name, text in one.files.items():
            if name.endswith(".py"):
                ast.parse(text)
                tokens = tokenize.generate_tokens(io.StringIO(text).readline)
                assert [each.string for each in tokens if each.type == tokenize.COMMENT] == []


ODD = (None, True, -1, 10**300, 1e308, "", "\0\ud800", "12,34", "2025-13-45", [], [[]], [None], {},
       [{"line": 10**30, "kind": None}], [1] * 300)  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_answer_breaks_a_checker(folder, sandbox):
    (made,) = make_files(folder, [0], None)
    reference = fill(read_reference(folder), made.files, made.truth)
    block = json_block(reference) or {}
    answers = [
        *(json.dumps(dict.fromkeys(block, odd)) for odd in ODD),
        *(json.dumps({**block, key: odd}) for key, odd in zip(block, ODD, strict=False)),
        *(re.sub(r"(?m)^(\s+)return .*", rf"\1return {value}", reference)
          for value in ("10**400", "float('nan')", "object()")),
        "", "{" * 50_000, "```json\n" + "[" * 50_000, "```python\n" + "(" * 50_000, "\0\ud800",
    ]  # fmt: skip
    found = gather(folder, [(answer, made) for answer in answers], sandbox)
    assert [one.missing for one in found if one.missing] == []


@pytest.mark.parametrize("name", KEPT)
def test_the_suites_keep_their_tests_and_categories(name):
    suite = load_suite(SHIPPED_SUITES / name)
    assert {each.name: len(each.cases) for each in suite.categories} == KEPT[name]
    prefix = "CT" if name == "coding" else "DT"
    assert sorted(case.id for case in suite.cases) == [f"{prefix}-0{at}" for at in range(1, 7)]
    for case in suite.cases:
        check = case.check.judged
        assert check
        assert check.checker_ships
        assert check.checker_folder
        source = (check.checker_folder / "check.py").read_text("utf-8")
        assert check.runs_code == ("Candidate(" in source)
