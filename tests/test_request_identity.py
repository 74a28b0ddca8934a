"""A request is its content: equal ones share an id, unlike ones never, from version to version."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from assay.checks.exact_match import ExactMatch
from assay.request_identity import (
    example_key,
    judge_key,
    make_evidence_request,
    make_judge_request,
    make_measure_request,
    make_test_request,
)
from assay.types import Case, Message, Sampling, ToAnswer, ToChoose, ToRead, ToTime

SAID = (Message("system", "Be brief."), Message("user", 'Ŋ "2+2"?\ud800'))
SAMPLING = Sampling(temperature=0.3, seed=1, max_tokens=64, stop=("\n",))
BY_THE_SERVER = Sampling(
    temperature=0.3,
    seed=1,
    max_tokens=64,
    predictions=3,
    top_p=None,
    top_k=None,
    min_p=None,
    repeat_penalty=None,
    presence_penalty=None,
    frequency_penalty=None,
    think="low",
    context=4096,
)
CASE = Case(
    id="a_001", suite="s", category="a", messages=SAID, check=ExactMatch(expected=("4",))
)  # fmt: skip
WORK = ToAnswer(messages=SAID, sampling=SAMPLING, schema="{}")


def of_judge(work=WORK, *, fingerprint="f1", key="judge:CT-01", turn=1, repeat=2):
    return make_judge_request(fingerprint, key, work, turn=turn, repeat=repeat, judged_suite="any")


# The ids below were computed before this module was: a stored reply is found again by its id, and
# who changes one asks every model again.


@pytest.mark.parametrize(
    ("work", "of_a_test", "of_a_judge"),
    [
        (
            ToAnswer(messages=SAID, sampling=SAMPLING),
            "f95ac1a822ff57ca4f3c22d47600826f",
            "ed3d61fe9f0d577f35544df0336e4892",
        ),
        (
            ToAnswer(messages=SAID, sampling=BY_THE_SERVER),
            "2b95924476e510bda9ac5f26910de175",
            "3d2d10c717491a5d0cccb9e3d7c14603",
        ),
        (
            ToAnswer(messages=SAID, sampling=SAMPLING, schema='{"type":"object"}'),
            "164bb129d79be1d86cb87e199104578a",
            "0cfdc29a441922e1a2747cf16d4be9d8",
        ),
        (
            ToChoose(messages=SAID, continuations=("A", "B")),
            "bee750a54d915fd220d258b354e11887",
            "9cf8915b7ee759cede6a2b762f679367",
        ),
        (
            ToChoose(messages=SAID, continuations=("A", "B"), otherwise=SAMPLING),
            "1fc6eb9dac3a27e3111d1b17d0f0b1ed",
            "8b7f1311a14ea75791609d4195a9923f",
        ),
    ],
)
def test_ids_of_tests_and_judges_stay_the_same(work, of_a_test, of_a_judge):
    assert make_test_request("f1", CASE, work, turn=1, repeat=2).id == of_a_test
    assert of_judge(work).id == of_a_judge


def test_a_question_without_the_template_is_another_one():
    """A base model, which has none, is not asked again."""
    work = ToChoose(messages=SAID, continuations=("A", "B"))
    plain = replace(work, plain=True)
    ids = [make_test_request("f1", CASE, each, turn=1, repeat=2).id for each in (work, plain)]
    assert ids[0] != ids[1]


def test_ids_of_measurements_stay_the_same():
    read = ToRead(text="x", digest="d1")
    write = ToAnswer(messages=(Message("user", "Ŋ\ud800"),), sampling=SAMPLING)
    how = asdict(SAMPLING)
    del how["loop_stop"]
    content = ["Ŋ\ud800", how]
    ids = [
        make_measure_request("f1", "perplexity", "text_00001", read, "d1").id,
        make_measure_request("f1", "generation", "g_1", write, content).id,
        make_measure_request("f1", "speed", "cpu", ToTime(), ["Linux", "cpu", "2"]).id,
    ]
    assert ids == [
        "251b6658c727e4a97950bc1288dec416",
        "a274b92036178411a0977351566eb8d6",
        "793b9c95e315a9da07784db569043606",
    ]


def test_ids_of_evidence_stay_the_same():
    content = ["examiners", "binary_search", 0, "weak"]
    ids = [
        make_evidence_request("CT-01", [*content, answer]).id
        for answer in ("def f(): pass # Ŋ", "x\ud800")
    ]
    assert ids == ["2c28ca963451641420eca507e454eb35", "f04e9a23aff8758d9395034db1b874b6"]


def test_equal_requests_share_an_id():
    one = of_judge()
    assert one == of_judge()
    assert (one.suite, one.test_id, one.turn, one.repeat) == ("judge", "judge:CT-01", 1, 2)


@pytest.mark.parametrize(
    "other",
    [
        {"fingerprint": "other"},
        {"key": "judge:CT-02"},
        {"turn": 0},
        {"repeat": 0},
        {"work": replace(WORK, schema=None)},
        {"work": replace(WORK, sampling=replace(SAMPLING, seed=2))},
        {"work": replace(WORK, sampling=replace(SAMPLING, think="off"))},
        {"work": replace(WORK, messages=(Message("user", "Judge?"),))},
        {"work": replace(WORK, messages=(Message("system", "Judge?"),))},
        {"work": ToChoose(messages=SAID, continuations=("a",))},
    ],
)
def test_whatever_could_change_the_answer_changes_the_id(other):
    assert of_judge(**other).id != of_judge().id


def test_keys_are_those_of_scripted_files():
    assert judge_key("CT-01") == "judge:CT-01"
    assert example_key("coding", "good-1") == "judge:coding/good-1"
