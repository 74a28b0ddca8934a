"""openai: multiple choice and whole texts, from likelihoods that are proved right."""

from __future__ import annotations

import re
from typing import Any

import pytest

from assay.models.openai.likelihoods import is_right, likelihood_after, read_echo
from assay.types import Answered, ChoiceLikelihoods, Failed, ReadText, ToRead
from tests.models.asking import AS_TEXT, TEXT, choose, last_body, legacy, only
from tests.servers.fixtures import Server

pytestmark = pytest.mark.usefixtures("planted_key")


# ------------------------------------------------------------------------------------- first tokens


def test_letters_are_read_from_the_likeliest_first_tokens(openai_server, opened):
    told = {"B": -0.5, " B": -2.5, "A": -1.5, "The": -3.0}
    openai_server.answers({"planet": {"text": "B", "logprobs": told}})
    reply = only(opened(), choose())
    assert isinstance(reply, ChoiceLikelihoods)
    assert reply.method == "first_token"
    assert reply.bounded == (False, False, True, True)
    assert reply.log_likelihoods == pytest.approx((-1.5, -0.3731, -3.0, -3.0), abs=1e-3)
    assert last_body(openai_server)["max_tokens"] == 1


def test_where_no_letter_is_among_them_the_answer_is_written(openai_server, opened):
    told = {"The": -0.5, "It": -1.5}
    openai_server.answers({"planet": {"text": "The answer is B.", "logprobs": told}})
    reply = only(opened(), choose())
    assert isinstance(reply, Answered)
    assert reply.text == "The answer is B."


def first_then(entry, **message):
    """A server whose probe is good, and whose later first tokens are these."""
    good = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -2.5}]
    asked: list[dict[str, Any]] = []

    def habit(path, body):
        asked.append(body)
        if body.get("stream"):
            said, told = {"content": "The answer is B."}, None
        elif len(asked) == 1:
            said, told = {"content": "Yes"}, good
        else:
            said, told = {"content": "A", **message}, entry
        top = {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": told}]} if told else None
        choice = {"index": 0, "message": said, "finish_reason": "length", "logprobs": top}
        return 200, {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}

    return habit


LETTERS = [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": -3.0}]


def test_a_thought_is_not_taken_for_a_choice(opened, peculiar):
    """The first token of a thought may well be a letter: A as in "A red planet"."""
    model = opened(spec=f"openai:m@{peculiar(first_then(LETTERS, reasoning_content='A red'))}")
    assert "top_logprobs" in model.facts.capabilities
    reply = only(model, choose())
    assert isinstance(reply, Answered)
    assert reply.text == "The answer is B."
    plain = opened(spec=f"openai:m@{peculiar(first_then(LETTERS))}")
    assert isinstance(only(plain, choose()), ChoiceLikelihoods)


@pytest.mark.parametrize("value", [0.0, -0.5, 10**400, -(10**400)])
def test_log_probabilities_that_cannot_be_are_not_read(opened, peculiar, value):
    entry = [{"token": letter, "logprob": value} for letter in "ABCD"]
    model = opened(spec=f"openai:m@{peculiar(first_then(entry))}")
    reply = only(model, choose())
    assert isinstance(reply, Answered)
    assert reply.text == "The answer is B."
    assert reply.dropped == ("logprobs",)


def test_log_probabilities_that_stop_coming_are_recorded(openai_server, opened):
    model = opened()
    openai_server.settings(features={"unknown": "drop", "logprobs": "drop"})
    reply = only(model, choose())
    assert isinstance(reply, Answered)
    assert reply.dropped == ("logprobs",)


def test_without_likelihoods_and_without_another_way_a_choice_fails(openai_server, opened):
    openai_server.settings(features={"unknown": "drop", "logprobs": "drop"})
    reply = only(opened(), choose(otherwise=None))
    assert isinstance(reply, Failed)
    assert reply.cause == "refused"


def test_what_the_server_cannot_do_is_refused(opened):
    reply = only(opened(), ToRead(text="A text."))
    assert isinstance(reply, Failed)
    assert reply.cause == "refused"


def echoed(server: Server, text: str) -> dict[str, Any]:
    """What the server itself says of a text, without any client of ours."""
    body = {"model": "test-model", "prompt": text, "max_tokens": 1, "temperature": 0.0}
    _, document = server.ask("POST", TEXT, {**body, "echo": True, "logprobs": 5})
    told: dict[str, Any] = document["choices"][0]["logprobs"]
    return told


def test_choices_are_scored_behind_the_prompt_where_echo_is_right(openai_server, opened):
    model = opened(AS_TEXT)
    reply = only(model, choose("The capital of Togo is", ("Lomé", "Accra city")))
    assert isinstance(reply, ChoiceLikelihoods)
    assert reply.method == "likelihood"
    lome = echoed(openai_server, "The capital of Togo is Lomé")["token_logprobs"]
    accra = echoed(openai_server, "The capital of Togo is Accra city")["token_logprobs"]
    expected = (lome[5], accra[5] + accra[6])
    assert reply.log_likelihoods == pytest.approx(expected)


def test_a_text_is_read_token_by_token(openai_server, opened):
    text = "The dog sat on the floor and slept."
    told = echoed(openai_server, text)
    reply = only(opened(AS_TEXT), ToRead(text=text))
    assert isinstance(reply, ReadText)
    scored = told["token_logprobs"][1:9]
    assert told["tokens"][8] == "."
    assert reply.log_likelihood == pytest.approx(sum(scored))
    assert (reply.tokens, reply.words, reply.bytes) == (8, 8, 35)
    ranks = [
        sum(value > own for value in best.values())
        for own, best in zip(scored, told["top_logprobs"][1:9], strict=True)
    ]
    assert reply.top1 == ranks.count(0)
    assert reply.top5 == sum(rank < 5 for rank in ranks)


def test_an_echo_that_changes_after_the_probe_is_unreadable(openai_server, opened):
    model = opened(AS_TEXT)
    openai_server.settings(features={"unknown": "drop", "echo": "drop"})
    reply = only(model, ToRead(text="The dog sat."))
    assert isinstance(reply, Failed)
    assert reply.cause == "unreadable"


# ---------------------------------------------------------------------------------------- the proof


def test_echo_that_is_proved_right_scores_text(opened):
    model = opened(AS_TEXT)
    assert model.facts.capabilities == {"generate", "score_text"}


@pytest.mark.parametrize("way", ["drop", "reject", "off_by_one"])
def test_echo_that_is_dropped_refused_or_shifted_does_not(openai_server, opened, way):
    openai_server.settings(features={"unknown": "drop", "echo": way})
    assert opened(AS_TEXT).facts.capabilities == {"generate"}


def test_a_server_that_echoes_its_opening_token_can_score_text(opened, peculiar):
    """Models that open every text with <s> have something before its first token."""

    def habit(path, body):
        told = told_by_a_right_server(body["prompt"])
        if body.get("echo"):
            tokens, values = told["tokens"], told["token_logprobs"]
            told = legacy(["<s>", *tokens, " x"], [None, -2.0, *values[1:], -1.0])
        else:
            told = {"tokens": ["."], "token_logprobs": [-1.0], "top_logprobs": [{".": -1.0}]}
        choice = {"index": 0, "text": "…", "logprobs": told, "finish_reason": "length"}
        return 200, {"choices": [choice]}

    model = opened(AS_TEXT, spec=f"openai:m@{peculiar(habit)}")
    assert "score_text" in model.facts.capabilities
    reply = only(model, choose("It is", ("so", "not")))
    assert isinstance(reply, ChoiceLikelihoods)
    assert reply.log_likelihoods == (-3.0, -4.0)


# --------------------------------------------------------------------------- echo, without a server


def test_a_token_across_the_border_belongs_to_what_follows_it():
    tokens = read_echo(legacy(["Yes", " or", " no", "!"], [None, -1.0, -2.0, -4.0]), "Yes or no")
    assert tokens is not None
    assert [token.end for token in tokens] == [3, 6, 9]
    assert likelihood_after(tokens, 6) == -2.0
    assert likelihood_after(tokens, 7) == -2.0
    assert likelihood_after(tokens, 5) == -3.0
    assert likelihood_after(tokens, 9) is None
    assert likelihood_after(tokens, 0) is None


def test_a_token_that_opens_every_text_is_no_part_of_it():
    tokens = read_echo(legacy(["<s>", "Yes", " no"], [None, -1.0, -2.0]), "Yes no")
    assert tokens is not None
    assert [(token.text, token.logprob) for token in tokens] == [("Yes", -1.0), (" no", -2.0)]


def test_parts_of_letters_are_placed_by_the_servers_offsets():
    told = legacy(["a", " \ufffd", "\ufffd", "b"], [None, -1.0, -2.0, -3.0])
    assert read_echo(told, "a éb") is None
    tokens = read_echo({**told, "text_offset": [0, 1, 2, 3]}, "a éb")
    assert tokens is not None
    assert [token.end for token in tokens] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "told",
    [
        None,
        {"content": [{"token": "Yes", "logprob": -1.0}]},
        legacy(["Yes", " no"], [-1.0, -2.0]),
        legacy(["Yes", " no"], [None, float("nan")]),
        legacy(["Yes", " no"], [None, None]),
        legacy(["Yes", " no"], [None, True]),
        legacy(["Yes", " no"], [None, -(10**400)]),
        legacy(["Yes", " no"], [None, 10**400]),
        legacy(["Yes", " no"], [None, -1e308]),
        legacy(["Yes", " no"], [None, 3.0]),
        legacy(["Yes", " no"], [None]),
        legacy(["Yes", 7], [None, -1.0]),
        legacy(["No", " yes"], [None, -1.0]),
        legacy(["Yes", " nothing"], [None, -1.0]),
        legacy([], []),
    ],
)
def test_log_probabilities_of_another_shape_or_text_are_not_read(told):
    assert read_echo(told, "Yes no") is None


def told_by_a_right_server(text):
    """One token a word; each is as likely as its length says."""
    tokens = re.findall(r" ?\w+|[.,]", text)
    return legacy(tokens, [None, *(-float(len(token)) for token in tokens[1:])])


def test_the_proof_accepts_a_right_echo_and_finds_one_that_is_shifted():
    def right(text):
        return told_by_a_right_server(text)

    def shifted(text):
        told = told_by_a_right_server(text)
        return {**told, "token_logprobs": [None, *told["token_logprobs"][1:][::-1]]}

    def following(text):
        return {"top_logprobs": [{" so": -3.0, ".": -1.0}]}

    def nothing(text):
        return {"tokens": ["."], "token_logprobs": [-1.0]}

    assert is_right(right, following)
    assert not is_right(shifted, following)
    assert not is_right(right, nothing)
    assert not is_right(right, lambda text: {"top_logprobs": [{".": -1.2}]})


def test_the_proof_looks_into_the_middle_of_the_text():
    """An echo may be right at the end of a text and nowhere else."""

    def right_at_the_end(text):
        told = told_by_a_right_server(text)
        _, *inside, last = told["token_logprobs"]
        return {**told, "token_logprobs": [None, *(value - 1 for value in inside), last]}

    def following(text):
        return {"top_logprobs": [{" so": -3.0, ".": -1.0, " the": -4.0, " and": -4.0}]}

    assert is_right(told_by_a_right_server, following)
    assert not is_right(right_at_the_end, following)


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_the_proof_refuses_an_echo_that_is_the_same_everywhere(value):
    def flat(text):
        told = told_by_a_right_server(text)
        return {**told, "token_logprobs": [None, *[value] * (len(told["tokens"]) - 1)]}

    def following(text):
        return {"top_logprobs": [{".": value, " and": value}]}

    assert not is_right(flat, following)


def test_the_proof_takes_a_likely_token_where_its_own_text_is_unlikely():
    """The best one melts into the word before it and proves nothing."""

    def following(text):
        melts = {"rooms": -0.1} if text[-1].isalpha() else {}
        return {"top_logprobs": [{**melts, " again": -6.0}]}

    assert is_right(told_by_a_right_server, following)
