"""Numbers inside sentences."""

import pytest

from assay.decide.figures import digits_apart, interval_shown, shown
from tests.decide.candidates import estimate


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (46.8123, "46.8"),
        (50.0, "50"),
        (0.70000001, "0.7"),
        (0.00123456, "0.00123"),
        (1234.5, "1,234"),
        (1_200_000.0, "1,200,000"),
        (-0.0123, "−0.0123"),
        (0.0, "0"),
    ],
)
def test_three_digits_are_shown_and_whole_numbers_whole(number, text):
    assert shown(number) == text


@pytest.mark.parametrize(
    ("value", "limit", "texts"),
    [(49.97, 50, ("49.97", "50")), (0.70004, 0.7, ("0.70004", "0.7")), (41.0, 50, ("41", "50"))],
)
def test_a_value_beside_its_limit_gets_the_digits_that_tell_them_apart(value, limit, texts):
    digits = digits_apart(value, limit)
    assert (shown(value, digits), shown(limit, digits)) == texts


def test_a_limit_of_an_interval_that_is_missing_is_a_question_mark():
    assert interval_shown(estimate(0.5, None, 0.75)) == ("?", "0.75")
    assert interval_shown(estimate(0.5)) is None
