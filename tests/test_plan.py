from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.plan import make_plan, rendered_prompt
from assay.types import (
    Case,
    Category,
    ExactMatch,
    Message,
    ModelFacts,
    MultipleChoice,
    Suite,
    ToAnswer,
    ToChoose,
    TopK,
)

FACTS = ModelFacts(spec="scripted:m", name="m", fingerprint="f1")
CASE = Case(
    id="a_001",
    suite="s",
    category="a",
    messages=(Message("user", "Two plus two?"),),
    check=ExactMatch(expected=("4",)),
)


def suite(*cases, **fields):
    return Suite(name="s", path="s", categories=(Category(name="a", cases=cases),), **fields)


def first_request(case=CASE, *, facts=FACTS, seed=0, repeats=1, **fields):
    plan = make_plan([suite(case, **fields)], facts, seed=seed, repeats=repeats)
    return plan.request(plan.exchanges[-1], 0, [])


def user(text):
    return Message("user", text)


def test_the_same_question_to_the_same_model_has_the_same_id():
    assert first_request().id == first_request().id


@pytest.mark.parametrize(
    "other",
    [
        {"facts": replace(FACTS, fingerprint="f2")},
        {"seed": 1},
        {"repeats": 2},
        {"case": replace(CASE, id="a_002")},
        {"case": replace(CASE, suite="t")},
        {"case": replace(CASE, system="Be brief.")},
        {"case": replace(CASE, messages=(user("Two plus three?"),))},
        {"case": replace(CASE, temperature=0.4)},
        {"case": replace(CASE, max_tokens=7)},
        {"case": replace(CASE, stop=("\n",))},
    ],
)
def test_a_changed_model_prompt_or_setting_is_another_request(other):
    assert first_request(**other).id != first_request().id


def test_how_an_answer_is_marked_is_no_part_of_what_is_asked():
    other = replace(CASE, check=ExactMatch(expected=("5",)), description="new", tags=("x",))
    assert first_request(other).id == first_request().id


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_prompts_share_an_id_only_if_they_are_equal(one, other):
    ids = [first_request(replace(CASE, messages=(user(text),))).id for text in (one, other)]
    assert (ids[0] == ids[1]) == (one == other)


def test_every_repeat_has_a_seed_of_its_own():
    plan = make_plan([suite(CASE)], FACTS, seed=5, repeats=3)
    works = [plan.request(exchange, 0, []).work for exchange in plan.exchanges]
    assert [work.sampling.seed for work in works] == [5, 6, 7]


def test_choices_are_appended_as_lettered_lines_unless_render_is_false():
    check = MultipleChoice(expected="B", choices=("three", "four"))
    case = replace(CASE, check=check)
    assert rendered_prompt(case) == "Two plus two?\nA. three\nB. four"
    assert first_request(case).work.messages[-1].content == rendered_prompt(case)
    silent = replace(case, check=replace(check, render=False))
    assert rendered_prompt(silent) == "Two plus two?"


def test_a_model_that_scores_text_is_asked_to_choose_where_there_are_choices():
    able = replace(FACTS, capabilities=frozenset({"generate", "score_text"}))
    check = MultipleChoice(expected="B", choices=("three", "four"))
    by_letter = first_request(replace(CASE, check=check), facts=able).work
    by_text = first_request(replace(CASE, check=replace(check, score_by="text")), facts=able).work
    assert isinstance(by_letter, ToChoose)
    assert by_letter.continuations == ("A", "B")
    assert by_text.continuations == ("three", "four")
    assert isinstance(first_request(replace(CASE, check=check)).work, ToAnswer)


def test_the_k_best_are_asked_for_in_one_request():
    case = replace(CASE, check=TopK(expected_any=("x",), k=5))
    assert first_request(case).work.sampling.predictions == 5


def test_a_base_model_gets_a_shorter_default_answer():
    base = replace(FACTS, is_chat=False)
    assert first_request().work.sampling.max_tokens == 1024
    assert first_request(facts=base).work.sampling.max_tokens == 128
    assert first_request(replace(CASE, max_tokens=9), facts=base).work.sampling.max_tokens == 9


def test_system_prompt_and_worked_examples_come_first():
    shot = replace(
        CASE, id="x", messages=(user("One plus one?"),), check=ExactMatch(expected=("2",))
    )
    work = first_request(
        replace(CASE, system="Be brief."), few_shot={"a": (shot, CASE)}, shots=1
    ).work
    assert work.messages == (
        Message("system", "Be brief."),
        user("One plus one?"),
        Message("assistant", "2"),
        user("Two plus two?"),
    )


def test_a_conversation_from_the_file_is_one_request():
    messages = (user("Hi"), Message("assistant", "Hello"), user("Bye"))
    plan = make_plan([suite(replace(CASE, messages=messages))], FACTS, seed=0, repeats=1)
    assert plan.turns == 1
    assert plan.request(plan.exchanges[0], 0, []).work.messages == messages


def test_a_live_conversation_holds_the_models_own_replies():
    messages = (user("One"), user("Two"), Message("assistant", "given"), user("Three"))
    case = replace(CASE, messages=messages, live=True)
    plan = make_plan([suite(case)], FACTS, seed=0, repeats=1)
    (exchange,) = plan.exchanges
    assert plan.turns == 2
    assert plan.request(exchange, 0, []).work.messages == (user("One"),)
    assert plan.request(exchange, 1, ["own"]).work.messages == (
        user("One"),
        Message("assistant", "own"),
        *messages[1:],
    )
    assert plan.request(exchange, 1, ["own"]).id != plan.request(exchange, 1, ["other"]).id


def test_a_model_that_cannot_write_is_refused_before_anything_is_asked():
    with pytest.raises(UsageError, match="cannot write"):
        make_plan([suite(CASE)], replace(FACTS, capabilities=frozenset()), seed=0, repeats=1)
