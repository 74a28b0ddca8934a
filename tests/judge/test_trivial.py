"""What is scored 0 without asking a judge, and what only begins like it."""

import pytest

from assay.judge.trivial import is_refusal, why_trivial
from tests.judge.material import ANSWER, CASE

CODE = "```python\ndef find(items, wanted):\n    return items.index(wanted)\n```"


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I can’t assist with this request.",
        "Sorry, I cannot do that.",
        "Sorry, can't help.",
        "I am really sorry. I am not able to write code.",
        "Unfortunately, I am unable to fulfil this request.",
        "Unfortunately, your request cannot be answered.",
        "I apologize for the inconvenience. I have to decline.",
        "As an AI language model, I cannot write programs for you.",
        "As an AI, it is not possible for me to do this.",
        "I can't tell you that.",
        "I won't do this.",
        "**I must respectfully decline.**",
        "I cannot help with that.\n```\n```",
    ],
)
def test_an_answer_that_only_declines_is_a_refusal(answer):
    assert is_refusal(answer)
    assert why_trivial(answer, CASE) == "refusal"


@pytest.mark.parametrize(
    "answer",
    [
        f"Unfortunately a linear search can't keep up with long lists. This halves them:\n{CODE}",
        f"Sorry, I cannot test it here, but this is the function:\n\n{CODE}",
        "Sorry for the terse reply, I can't format it: ```python\nfind = list.index\n```",
        "Unfortunately I am unable to test it.\n\ndef find(items, wanted):\n    return 0",
        "Unfortunately the list is not sorted. A binary search cannot work on it: sort it first.",
        "Sorry, small slip above: low must not pass high. Otherwise the loop will not end.",
        "I can't find a case in which it fails: each step halves the range, so it is O(log n).",
        "Unfortunately we cannot use bisect here, so the range is halved by hand, in O(log n).",
        ANSWER,
    ],
)
def test_an_answer_that_speaks_of_what_cannot_be_is_none(answer):
    assert why_trivial(answer, CASE) is None


def test_a_refusal_is_looked_for_in_bounded_time():
    for word in ("sorry ", "i ", "unfortunately ", "` ", "a = ", "```\n", "I can't use "):
        assert is_refusal(word * 200_000) is False
