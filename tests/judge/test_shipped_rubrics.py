"""The rubrics that ship: their questions, and their example answers against the evidence."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import pytest

from assay.checkers import gather, make_files
from assay.errors import SandboxUnavailable
from assay.judge.rubrics import SHIPPED, load_rubric, shipped_rubrics
from assay.judge.trivial import why_trivial
from assay.sandbox import open_sandbox
from assay.suites.load import load_suite
from assay.types.judging.judgements import BANDS, NEAR_AN_EDGE, band_of, overall_tenths

RUBRICS = {name: load_rubric(name) for name in ("coding", "data")}
EXAMPLES = [(name, each.id) for name, rubric in RUBRICS.items() for each in rubric.examples]


@cache
def cases(rubric):
    """The tests of the suite that the rubric is for."""
    suite = load_suite(SHIPPED.parent / "suites" / rubric)
    return {case.id: case for case in suite.cases}


def example(rubric, id_):
    return next(each for each in RUBRICS[rubric].examples if each.id == id_)


def tenths(rubric, one):
    return overall_tenths(
        [(each.weight, one.scores[each.key]) for each in RUBRICS[rubric].criteria]
    )


@pytest.fixture(scope="module")
def sandbox():
    try:
        return open_sandbox()
    except SandboxUnavailable as error:
        pytest.skip(f"the examples' code is not run: {error.message}")


def test_both_rubrics_ship():
    assert set(shipped_rubrics()) == set(RUBRICS)


@pytest.mark.parametrize("rubric", RUBRICS)
def test_every_band_has_two_examples(rubric):
    bands = Counter(band_of(tenths(rubric, each)) for each in RUBRICS[rubric].examples)
    assert bands == {band: 2 for _, band in BANDS}


@pytest.mark.parametrize("rubric", RUBRICS)
def test_every_test_has_an_example_and_none_stands_for_one_band(rubric):
    by_test = defaultdict(list)
    for each in RUBRICS[rubric].examples:
        by_test[each.test_id].append(band_of(tenths(rubric, each)))
    assert by_test.keys() == cases(rubric).keys()
    for bands in by_test.values():
        assert len(set(bands)) == len(bands)
    # A test with a single example would teach its band where that is the best or the worst.
    lone = [bands[0] for bands in by_test.values() if len(bands) == 1]
    assert not {"EXCELLENT", "FAILED"} & set(lone)


@pytest.mark.parametrize(("rubric", "id_"), EXAMPLES)
def test_an_example_lies_well_inside_its_band(rubric, id_):
    points = tenths(rubric, example(rubric, id_))
    edges = [least for least, _ in BANDS if least]
    assert all(abs(points - edge) > NEAR_AN_EDGE for edge in edges)


@pytest.mark.parametrize("rubric", RUBRICS)
def test_the_criteria_of_an_example_are_scored_one_by_one(rubric):
    scores = [tuple(each.scores.values()) for each in RUBRICS[rubric].examples]
    assert sum(len(set(each)) > 1 for each in scores) >= 8
    assert any(max(each) - min(each) >= 3 for each in scores)


@pytest.mark.parametrize("rubric", RUBRICS)
def test_every_answer_in_the_folder_is_an_example_of_its_own_with_a_reason(rubric):
    examples = RUBRICS[rubric].examples
    files = sorted((SHIPPED / rubric / "examples").iterdir())
    assert {each.id for each in examples} == {file.stem for file in files}
    assert len({each.answer for each in examples}) == len({each.why for each in examples}) == 10


@pytest.mark.parametrize(("rubric", "id_"), EXAMPLES)
def test_an_example_is_asked_of_the_judge(rubric, id_):
    one = example(rubric, id_)
    case = cases(rubric)[one.test_id]
    assert why_trivial(one.answer, case) is None


def agrees_with_evidence(rubric, id_, sandbox):
    one = example(rubric, id_)
    check = cases(rubric)[one.test_id].check
    made = make_files(check.checker_folder, [check.data_seed], None)
    evidence = gather(check.checker_folder, [(one.answer, made[0])], sandbox)[0]
    if evidence.unread_facts:
        return  # without a block a judge reads them
    assert evidence.share is not None, evidence.missing
    failed = "; ".join(each.explanation for each in evidence.checks if not each.passed)
    assert one.scores["correctness"] <= evidence.bounds_of("correctness")[1], failed


@pytest.mark.parametrize("id_", [id_ for rubric, id_ in EXAMPLES if rubric == "data"])
def test_a_data_example_is_not_scored_above_what_the_data_give(id_, sandbox):
    agrees_with_evidence("data", id_, sandbox)


@pytest.mark.parametrize("id_", [id_ for rubric, id_ in EXAMPLES if rubric == "coding"])
def test_a_coding_example_is_not_scored_above_what_its_code_does(id_, sandbox):
    agrees_with_evidence("coding", id_, sandbox)


@pytest.mark.parametrize("rubric", RUBRICS)
def test_every_test_has_five_to_ten_questions_for_each_criterion(rubric):
    assert RUBRICS[rubric].questions.keys() == cases(rubric).keys()
    for questions in RUBRICS[rubric].questions.values():
        counts = Counter(each.criterion for each in questions)
        assert counts.keys() == {each.key for each in RUBRICS[rubric].criteria}
        assert all(5 <= count <= 10 for count in counts.values())


@pytest.mark.parametrize("rubric", RUBRICS)
def test_questions_are_questions_and_none_is_asked_twice_of_an_answer(rubric):
    for questions in RUBRICS[rubric].questions.values():
        texts = [" ".join(each.text.casefold().split()) for each in questions]
        assert all(text.endswith("?") for text in texts)
        assert len(set(texts)) == len(texts)
