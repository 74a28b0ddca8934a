from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.exact_match import ExactMatch
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.top_k import TopK
from assay.errors import UsageError
from assay.plan import AskOptions, make_plan, rendered_prompt
from assay.types import Case, Category, Message, ModelFacts, Suite, ToAnswer, ToChoose

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
    plan = make_plan([suite(case, **fields)], facts, AskOptions(seed=seed, repeats=repeats))
    return plan.request(plan.trials[-1], 0, [])


def user(text):
    return Message("user", text)


def test_a_test_scored_by_likelihood_leaves_the_chat_template_out():
    """Right answers, which are read as they would be written, keep it."""
    choice = replace(CASE, id="a_002", check=MultipleChoice(expected="B", choices=("x", "y")))
    facts = replace(FACTS, capabilities=frozenset({"generate", "score_text"}))
    chat = replace(facts, has_template=True)
    assert first_request(choice, facts=chat).work.plain
    assert not first_request(choice, facts=facts).work.plain
    plan = make_plan([suite(CASE, choice)], chat, AskOptions())
    [(_, work)] = plan.right_answers()
    assert not work.plain


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
    plan = make_plan([suite(CASE)], FACTS, AskOptions(seed=5, repeats=3))
    works = [plan.request(trial, 0, []).work for trial in plan.trials]
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


CONTINUED = replace(
    CASE,
    messages=(Message("user", "She adds two and two and"),),
    check=MultipleChoice(
        expected="B",
        choices=("gets three.", "gets four."),
        score_by="text",
        render=False,
    ),
)
SCORES_TEXT = replace(FACTS, capabilities=frozenset({"generate", "score_text"}))


def test_a_text_to_be_continued_stands_alone_for_a_model_that_compares_continuations():
    work = first_request(CONTINUED, facts=SCORES_TEXT).work
    assert work.messages[-1].content == "She adds two and two and"
    assert work.continuations == ("gets three.", "gets four.")


def test_a_model_that_only_writes_is_shown_the_continuations_it_chooses_from():
    assert first_request(CONTINUED).work.messages[-1].content == (
        "Which ending fits this text best?\n\nShe adds two and two and …\n\n"
        "A. gets three.\nB. gets four.\n\nAnswer with the letter only."
    )


def test_a_question_written_for_base_models_is_asked_as_a_person_would():
    def asked(prompt):
        return rendered_prompt(replace(CONTINUED, messages=(Message("user", prompt),)))

    rest = "\n\nA. gets three.\nB. gets four.\n\nAnswer with the letter only."
    assert asked("Question: What does she get?\nAnswer:") == "What does she get?" + rest
    assert asked(" Question: Two lines,\nor one?\n\nAnswer: ") == "Two lines,\nor one?" + rest
    shown = "Question: One?\nAnswer: yes\n\nQuestion: Two?\nAnswer:"
    assert shown in asked(shown)


def test_a_worked_example_shows_what_is_wanted_of_the_model_that_is_asked():
    shown = {"few_shot": {"a": (CONTINUED,)}, "shots": 1}
    written = first_request(**shown).work.messages
    compared = first_request(**shown, facts=SCORES_TEXT).work.messages
    assert [m.content for m in written[:2]] == [rendered_prompt(CONTINUED), "B"]
    assert [m.content for m in compared[:2]] == ["She adds two and two and", "gets four."]


@pytest.mark.parametrize(
    ("is_chat", "shots", "stops"),
    [(False, 1, (";", "\n\n")), (False, 0, (";",)), (True, 1, (";",))],
)
def test_a_base_model_stops_where_the_next_example_would_begin(is_chat, shots, stops):
    case = replace(CASE, stop=(";",))
    facts = replace(FACTS, is_chat=is_chat)
    work = first_request(case, facts=facts, few_shot={"a": (CASE,)}, shots=shots).work
    assert work.sampling.stop == stops


def test_keywords_are_worked_out_by_the_first_of_each():
    check = Keywords(expected_keywords=(("graphics card", "GPU"), ("NVIDIA",)))
    messages = first_request(few_shot={"a": (replace(CASE, check=check),)}, shots=1).work.messages
    assert messages[1].content == "graphics card, NVIDIA"


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
    plan = make_plan([suite(replace(CASE, messages=messages))], FACTS, AskOptions())
    assert plan.turns == 1
    assert plan.request(plan.trials[0], 0, []).work.messages == messages


def test_a_live_conversation_holds_the_models_own_replies():
    messages = (user("One"), user("Two"), Message("assistant", "given"), user("Three"))
    case = replace(CASE, messages=messages, live=True)
    plan = make_plan([suite(case)], FACTS, AskOptions())
    (trial,) = plan.trials
    assert plan.turns == 2
    assert plan.request(trial, 0, []).work.messages == (user("One"),)
    assert plan.request(trial, 1, ["own"]).work.messages == (
        user("One"),
        Message("assistant", "own"),
        *messages[1:],
    )
    assert plan.request(trial, 1, ["own"]).id != plan.request(trial, 1, ["other"]).id


def test_a_model_that_cannot_write_is_refused_before_anything_is_asked():
    with pytest.raises(UsageError, match="cannot write"):
        make_plan([suite(CASE)], replace(FACTS, capabilities=frozenset()), AskOptions())


# ------------------------------------------------------------------------------- served models

SERVED = replace(
    FACTS,
    capabilities=frozenset({"generate", "top_logprobs"}),
    predicts_by="sampled",
    context_length=2048,
)
CHOICE = replace(CASE, check=MultipleChoice(expected="B", choices=("x", "y", "z")))


def work_of(case, facts=SERVED, **options):
    plan = make_plan([suite(case)], facts, AskOptions(**options))
    return plan.request(plan.trials[0], 0, []).work


def test_replies_of_before_served_models_keep_their_ids():
    assert first_request().id == "d130dbd13a974651f5a361884cd4c2bc"


def test_letters_are_asked_of_the_first_token_where_the_server_tells_it():
    work = work_of(CHOICE)
    assert isinstance(work, ToChoose)
    assert work.continuations == ("A", "B", "C")
    assert work.otherwise.max_tokens == 1024


@pytest.mark.parametrize(
    ("case", "facts"),
    [
        (CHOICE, replace(SERVED, thinks=("on", "off"))),
        (CHOICE, replace(SERVED, capabilities=frozenset({"generate"}))),
        (replace(CHOICE, check=replace(CHOICE.check, score_by="text")), SERVED),
        (replace(CHOICE, check=replace(CHOICE.check, choices=())), SERVED),
        (CASE, SERVED),
    ],
    ids=["it thinks first", "tells no likelihoods", "by text", "no choices", "no choice"],
)
def test_otherwise_the_answer_is_written_and_read(case, facts):
    assert isinstance(work_of(case, facts), ToAnswer)


def test_a_model_that_was_told_not_to_think_tells_its_first_token():
    thinking = replace(SERVED, thinks=("on", "off"))
    assert isinstance(work_of(CHOICE, thinking, think="off"), ToChoose)


def test_samples_of_a_served_model_are_warm_and_those_of_others_as_the_test_says():
    best = replace(CASE, check=TopK(expected_any=("a",)), temperature=0.1)
    assert work_of(best).sampling.temperature == 0.7
    assert work_of(best, FACTS).sampling.temperature == 0.1
    assert work_of(replace(best, temperature=0.9)).sampling.temperature == 0.9


def test_fixed_sampling_is_whole_and_the_servers_own_is_left_out():
    ours = work_of(CASE).sampling
    assert (ours.top_p, ours.top_k, ours.min_p, ours.repeat_penalty) == (1.0, 0, 0.0, 1.0)
    theirs = work_of(CASE, sampling="server").sampling
    assert (theirs.top_p, theirs.top_k, theirs.min_p, theirs.repeat_penalty) == (None,) * 4
    assert (theirs.temperature, theirs.seed) == (ours.temperature, ours.seed)


def test_sampling_thinking_and_context_are_part_of_what_is_asked():
    thinking = replace(SERVED, thinks=("on", "off"))
    plans = [
        make_plan([suite(CASE)], thinking, options)
        for options in (
            AskOptions(),
            AskOptions(sampling="server"),
            AskOptions(think="off"),
            AskOptions(num_ctx=512),
        )
    ]
    assert len({plan.request(plan.trials[0], 0, []).id for plan in plans}) == 4


@pytest.mark.parametrize(
    ("of_test", "wished", "asked"),
    [(None, None, 1024), (50, None, 50), (None, 16, 16), (50, 16, 16), (50, 500, 500)],
)
def test_the_longest_answer_is_as_long_as_the_user_says_else_as_the_test_does(
    of_test, wished, asked
):
    case = replace(CASE, max_tokens=of_test)
    assert work_of(case, max_tokens=wished).sampling.max_tokens == asked


def test_thinking_that_a_model_does_not_offer_is_refused_before_the_run():
    with pytest.raises(UsageError, match="think"):
        make_plan([suite(CASE)], SERVED, AskOptions(think="on"))
    with pytest.raises(UsageError) as refused:
        make_plan([suite(CASE)], replace(SERVED, thinks=("low", "high")), AskOptions(think="off"))
    assert "low, high" in refused.value.hint


def test_a_prompt_that_cannot_fit_is_refused_before_the_run():
    long = replace(CASE, messages=(user("x" * 30_000),))
    with pytest.raises(UsageError, match="2048"):
        make_plan([suite(long)], SERVED, AskOptions())
    assert make_plan([suite(long)], FACTS, AskOptions()), (
        "a model whose context is not known may try"
    )


def test_how_a_choice_would_be_written_is_part_of_what_is_asked():
    def id_of(case):
        plan = make_plan([suite(case)], SERVED, AskOptions())
        return plan.request(plan.trials[0], 0, []).id

    assert id_of(CHOICE) != id_of(replace(CHOICE, temperature=0.9))


def test_a_prompt_that_cannot_fit_may_lose_its_beginning_where_choices_are_compared():
    choices = MultipleChoice(expected="A", choices=("yes", "no"))
    long = suite(replace(CASE, messages=(user("word " * 2000),), check=choices))
    writes = replace(FACTS, context_length=100)
    make_plan(
        [long], replace(writes, capabilities=frozenset({"generate", "score_text"})), AskOptions()
    )
    with pytest.raises(UsageError, match="cannot fit"):
        make_plan([long], writes, AskOptions())


def test_the_right_answer_to_a_written_test_can_be_read():
    """Behind the same prompt; what is chosen among options is read already."""
    scores_text = replace(FACTS, capabilities=frozenset({"generate", "score_text"}))
    plan = make_plan([suite(CASE, CHOICE)], scores_text, AskOptions(repeats=2))
    ((case, work),) = plan.right_answers()
    assert case.id == CASE.id
    assert work.continuations == (CASE.check.gold(),)
    assert work.messages == plan.request(plan.trials[0], 0, ()).work.messages
