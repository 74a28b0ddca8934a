"""A request to a judge is its content: equal ones share an id, unlike ones never."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.judge.requests import key_of_example, key_of_test, make_request
from assay.types import Message, Sampling, ToAnswer, ToChoose
from tests.judge.material import JUDGE

SAMPLING = Sampling(temperature=0.0, seed=0, max_tokens=10)
WORK = ToAnswer(messages=(Message("user", "Judge."),), sampling=SAMPLING, schema="{}")


def test_equal_requests_share_an_id():
    one = make_request(JUDGE, "judge:CT-01", WORK, turn=1, repeat=2)
    assert one == make_request(JUDGE, "judge:CT-01", WORK, turn=1, repeat=2)
    assert (one.suite, one.test_id, one.turn, one.repeat) == ("judge", "judge:CT-01", 1, 2)


@pytest.mark.parametrize(
    ("judge", "key", "work", "turn", "repeat"),
    [
        (replace(JUDGE, fingerprint="other"), "judge:CT-01", WORK, 0, 0),
        (JUDGE, "judge:CT-02", WORK, 0, 0),
        (JUDGE, "judge:CT-01", WORK, 1, 0),
        (JUDGE, "judge:CT-01", WORK, 0, 1),
        (JUDGE, "judge:CT-01", replace(WORK, schema=None), 0, 0),
        (JUDGE, "judge:CT-01", replace(WORK, sampling=replace(SAMPLING, seed=1)), 0, 0),
        (JUDGE, "judge:CT-01", replace(WORK, sampling=replace(SAMPLING, think="off")), 0, 0),
        (JUDGE, "judge:CT-01", replace(WORK, messages=(Message("user", "Judge?"),)), 0, 0),
        (JUDGE, "judge:CT-01", replace(WORK, messages=(Message("system", "Judge."),)), 0, 0),
        (JUDGE, "judge:CT-01", ToChoose(messages=WORK.messages, continuations=("a",)), 0, 0),
    ],
)
def test_whatever_could_change_the_answer_changes_the_id(judge, key, work, turn, repeat):
    one = make_request(JUDGE, "judge:CT-01", WORK)
    assert make_request(judge, key, work, turn=turn, repeat=repeat).id != one.id


def test_a_judges_name_does_not_change_the_id():
    one = make_request(JUDGE, "judge:CT-01", WORK)
    assert make_request(replace(JUDGE, spec="a", name="b"), "judge:CT-01", WORK).id == one.id


def test_ids_stay_the_same_from_one_version_to_the_next():
    """A stored reply is found again by its id; who changes it asks every judge again."""
    one = make_request(JUDGE, "judge:CT-01", WORK, turn=1, repeat=2)
    assert one.id == "9c3f41420142d4cac0d03f100913e35f"


def test_half_a_character_can_be_asked_about():
    work = replace(WORK, messages=(Message("user", "\ud800"),))
    assert len(make_request(JUDGE, "judge:CT-01", work).id) == 32


def test_keys_are_those_of_scripted_files():
    assert key_of_test("CT-01") == "judge:CT-01"
    assert key_of_example("coding", "good-1") == "judge:coding/good-1"
