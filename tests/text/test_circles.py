"""An answer that was cut is told to be in circles only where most of it is."""

import pytest

from assay.text.circles import ends_in_circles


@pytest.mark.parametrize(
    "text",
    [
        "I am sure that it is so. " * 8 + "I am su",
        "ha " * 60,
        "Well. " + "Step by step, we look at it again, " * 5,
        "Je pense que oui. " * 4,
    ],
)
def test_a_unit_up_to_the_cut_is_a_circle(text: str) -> None:
    assert ends_in_circles(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no no",
        "The answer is a list of things, which I name one by one: apples, pears and pl",
        "la la la la la la, " + " ".join(f"word{n}" for n in range(40)),
        "I am sure. I am sure. " + " ".join(f"word{n}" for n in range(9)) + " I am sure. I am sure",
    ],
)
def test_other_cuts_are_none(text: str) -> None:
    assert not ends_in_circles(text)
