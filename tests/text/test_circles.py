"""An answer that was cut is told to be in circles only where most of it is."""

import pytest

from assay.text.circles import ends_in_circles, says_nothing_new


@pytest.mark.parametrize(
    "text",
    [
        "I am sure that it is so. " * 8 + "I am su",
        "ha " * 60,
        "Well. " + "Step by step, we look at it again, " * 5,
        "Je pense que oui. " * 4,
        "Here is the code:\n\ndef tell(name):\n    return table[name]\n\n" * 1 + "id[" * 40,
        "There is much to say before. " * 1
        + " ".join(f"w{n}" for n in range(300))
        + "_to_path" * 40,
        " ".join(f"w{n}" for n in range(300)) + '\n    "Line ZZZZ",' * 20,
        " ".join(f"w{n}" for n in range(300)) + "!" * 80,
        " ".join(f"w{n}" for n in range(300)) + "ab" * 600,
    ],
)
def test_a_unit_up_to_the_cut_is_a_circle(text: str) -> None:
    assert ends_in_circles(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no no",
        " ".join(f"w{n}" for n in range(300)) + "\n| 0 | 0 | 0 |" * 7,
        "The answer is a list of things, which I name one by one: apples, pears and pl",
        "la la la la la la, " + " ".join(f"word{n}" for n in range(40)),
        "I am sure. I am sure. " + " ".join(f"word{n}" for n in range(9)) + " I am sure. I am sure",
    ],
)
def test_other_cuts_are_none(text: str) -> None:
    assert not ends_in_circles(text)


FIGURES = (
    "Revenue is 1,722,000 euros. Costs are 1,500,000 euros. The gross margin is 2.2 percent. "
    "Customers at the end of the quarter: 587. Customers lost in the quarter: 2. "
)
REPORT = (
    "The merchant reports a higher revenue and a higher margin over three months, despite the hard "
    f"conditions of the year, and lost few customers. {FIGURES}What changed against the quarter "
    f"before: {FIGURES}The merchant should keep its customers despite the hard conditions. The "
    "margin of the year is higher than the costs. The revenue over three months should keep the "
    "margin, and the customers should keep the merchant, despite few months with higher costs. "
)


def test_a_report_that_uses_its_words_again_in_other_sentences_is_no_circle() -> None:
    assert not says_nothing_new(REPORT)
    assert says_nothing_new(FIGURES * 6)


def test_an_answer_that_ends_by_itself_may_say_a_short_thing_three_times() -> None:
    assert not ends_in_circles("No. No. No.", is_cut=False)
    assert ends_in_circles("No. " * 40, is_cut=False)
