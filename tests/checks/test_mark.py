"""One way to a mark: failures have none, silence is no answer, a broken scorer is unscored."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.command_sequence import CommandSequence
from assay.checks.composite import Composite, Weights
from assay.checks.ewe_quality import EweQuality
from assay.checks.exact_match import ExactMatch
from assay.checks.format import Format, Rules
from assay.checks.judge import Judge
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.scoring import score_reply
from assay.checks.top_k import TopK
from assay.plugins import checks
from assay.types import (
    AnswerCheck,
    Answered,
    Case,
    ChoiceLikelihoods,
    Failed,
    Message,
    ReadText,
    Reply,
    ScoringMode,
    Timed,
)

CHECKS: tuple[AnswerCheck, ...] = (
    ExactMatch(expected=("Paris",)),
    Keywords(expected_keywords=(("Paris",),)),
    MultipleChoice(expected="B"),
    Format(expected_format=Rules(min_length=1)),
    EweQuality(),
    Composite(expected_keywords=(("Paris",),)),
    TopK(expected_any=("e1000e",)),
    CommandSequence(expected_commands=(("ls",),)),
)
JUDGED = Judge(rubric="coding")


def a_case(check: AnswerCheck, scoring: ScoringMode = "standard") -> Case:
    messages = (Message("user", "?"),)
    return Case(id="t", suite="s", category="c", messages=messages, check=check, scoring=scoring)


def answered(text: str, *predictions: str, unclosed: bool = False) -> Answered:
    return Answered(request_id="r", text=text, predictions=predictions, reasoning_unclosed=unclosed)


by_method = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.method)


def test_every_shipped_check_is_tried_here() -> None:
    shipped = {name for name in checks if checks[name].__module__.startswith("assay.")}
    assert {check.method for check in CHECKS} == shipped - {
        "judge",
        "unmarked",
        "tool_calls",
        "lm_eval",
    }  # tool_calls scores calls, not text; lm_eval's are scored by the harness


@by_method
def test_a_failed_request_has_no_score(check: AnswerCheck) -> None:
    assert score_reply(a_case(check), Failed(request_id="r", reason="timeout")) is None


@by_method
@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "\u00a0"])
def test_an_empty_answer_is_no_answer(check: AnswerCheck, text: str) -> None:
    score = score_reply(a_case(check), answered(text))
    assert score is not None
    assert (score.value, score.no_answer) == (0.0, True)


@by_method
def test_unclosed_reasoning_is_no_answer(check: AnswerCheck) -> None:
    score = score_reply(a_case(check), answered("Paris B", unclosed=True))
    assert score is not None
    assert (score.value, score.no_answer) == (0.0, True)


def test_unclosed_reasoning_is_no_answer_for_a_judged_test_too() -> None:
    score = score_reply(a_case(JUDGED), answered("", unclosed=True))
    assert score is not None
    assert score.no_answer


@by_method
def test_an_answer_gets_a_value_a_scorer_a_version_and_an_explanation(check: AnswerCheck) -> None:
    score = score_reply(a_case(check), answered("Paris, B. Run `ls` with e1000e."))
    assert score is not None
    assert score.unscored_reason is None, score.explanation
    assert score.value is not None
    assert score.scorer == check.method
    assert score.version >= 1
    assert score.explanation


def test_predictions_count_where_the_text_is_empty() -> None:
    score = score_reply(a_case(CHECKS[6]), answered("", "", "e1000e"))
    assert score is not None
    assert score.value == 1.0


def test_a_judged_test_waits_for_its_judge() -> None:
    score = score_reply(a_case(JUDGED), answered("code"))
    assert score is not None
    assert (score.value, score.unscored_reason) == (None, "no_judge")


def test_likelihoods_are_marked_for_multiple_choice_only() -> None:
    reply = ChoiceLikelihoods(request_id="r", log_likelihoods=(-2.0, -1.0))
    score = score_reply(a_case(MultipleChoice(expected="B", choices=("x", "y"))), reply)
    assert score is not None
    assert score.value == 1.0
    with pytest.raises(ValueError, match="exact_match"):
        score_reply(a_case(CHECKS[0]), reply)


@pytest.mark.parametrize(
    "reply",
    [
        ReadText(request_id="r", log_likelihood=-1, tokens=1, words=1, bytes=1, top1=0, top5=0),
        Timed(request_id="r", prefill_s=(1.0,), decode_s=(1.0,), new_tokens=1),
    ],
)
def test_a_measurement_is_not_marked(reply: Reply) -> None:
    with pytest.raises(ValueError, match="measurement"):
        score_reply(a_case(CHECKS[0]), reply)


def test_a_scorer_that_breaks_leaves_the_test_unscored_with_the_reason() -> None:
    # A composite whose weights cancel every part cannot be marked: dividing by nothing.
    check = Composite(expected_keywords=(("a",),), weights=Weights(keywords=0.0))
    score = score_reply(a_case(check), answered("a"))
    assert score is not None
    assert (score.value, score.unscored_reason) == (None, "scorer_error")
    assert "ValueError" in score.explanation


def test_likelihoods_that_do_not_fit_the_choices_leave_the_test_unscored() -> None:
    check = MultipleChoice(expected="B", choices=("x", "y"))
    score = score_reply(a_case(check), ChoiceLikelihoods(request_id="r", log_likelihoods=(-2.0,)))
    assert score is not None
    assert score.unscored_reason == "scorer_error"


def test_the_old_benchmark_marks_by_its_own_rules() -> None:
    # There a keyword is any part of a word.
    check = Keywords(expected_keywords=(("cat",),))
    score = score_reply(a_case(check, "ewebench-1.0"), answered("concatenate"))
    assert score is not None
    assert score.value == 1.0
    silent = score_reply(a_case(check, "ewebench-1.0"), answered(" \n"))
    assert silent is not None
    assert (silent.value, silent.no_answer) == (0.0, True), "the outcome is the same in every mode"


def test_letters_and_keywords_load_no_parser_and_no_language_model(root: Path) -> None:
    code = (
        "import sys; import assay.checks.scoring; "
        "print([m for m in ('markdown_it', 'numpy', 'tree_sitter', 'rapidfuzz') "
        "if m in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(st.text(st.characters(codec=None), max_size=200), st.sampled_from(CHECKS))
def test_no_text_breaks_a_scorer(text: str, check: AnswerCheck) -> None:
    score = score_reply(a_case(check), answered(text))
    assert score is not None
    assert score.unscored_reason is None, score.explanation
