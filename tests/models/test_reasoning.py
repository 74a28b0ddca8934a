import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models.reasoning import split_reasoning


@pytest.mark.parametrize(
    ("raw", "answer", "reasoning"),
    [
        ("plain", "plain", ""),
        ("<think>ANSWER: A</think>\nANSWER: B", "ANSWER: B", "ANSWER: A"),
        ("<think>maybe ANSWER: B</think>\nI am not sure.", "I am not sure.", "maybe ANSWER: B"),
        ("thoughts</think>B", "B", "thoughts"),
        ("<think>a</think>B<think>c</think>D", "BD", "a\nc"),
        ("<thinking>a</thinking>B", "B", "a"),
        ("<reasoning>a</reasoning>B", "B", "a"),
        ("<Think>a</THINK>B", "B", "a"),
        ('<think type="long">a</think>B', "B", "a"),
        ("<think>a<think>b</think>c</think>D", "D", "a\nb\nc"),
        ("[THINK]a[/THINK]B", "B", "a"),
        ("<|begin_of_thought|>a<|end_of_thought|>B", "B", "a"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant"
            "<|channel|>final<|message|>B<|return|>",
            "B",
            "a",
        ),
    ],
)
def test_thinking_is_split_from_the_answer(raw, answer, reasoning):
    split = split_reasoning(raw)
    assert (split.answer, split.reasoning, split.unclosed) == (answer, reasoning, False)


@pytest.mark.parametrize(
    "raw",
    ["<think>B", "B<think>hm", "<think>a</think><think>B", "<|channel|>analysis<|message|>B"],
)
def test_a_reply_cut_off_while_thinking_has_no_answer(raw):
    split = split_reasoning(raw)
    assert split.unclosed
    assert split.answer == ""


@pytest.mark.parametrize("raw", ["Use the `<think>` tag.", "```\n<think>\n```\nB", "a <thinker> b"])
def test_a_tag_quoted_in_code_is_text(raw):
    assert split_reasoning(raw).answer == raw


def test_a_backtick_inside_thinking_does_not_hide_its_end():
    assert split_reasoning("<think>use ` here</think>B").answer == "B"


@pytest.mark.parametrize("unit", ["<think></think>", "`<think>", "<think>", "</think>", "<think "])
def test_a_megabyte_of_tags_is_read_in_one_pass(unit):
    text = unit * (1_000_000 // len(unit))
    assert split_reasoning(text).answer.strip() in ("", text.strip())


@given(st.text(alphabet="<>/think `\n[]THINK|ab", max_size=200))
def test_any_text_splits_without_raising_and_an_unclosed_one_answers_nothing(text):
    split = split_reasoning(text)
    assert not (split.unclosed and split.answer)
