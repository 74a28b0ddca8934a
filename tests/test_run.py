import time

import pytest

from assay.errors import BudgetSpent
from assay.run import ask
from assay.types import Answered, Failed, Message, ModelFacts, Request, Sampling, ToAnswer


def request(number):
    sampling = Sampling(temperature=0, seed=0, max_tokens=1)
    work = ToAnswer(messages=(Message("user", "?"),), sampling=sampling)
    return Request(id=str(number), suite="s", test_id="t", turn=0, repeat=0, work=work)


class Careless:
    """A model that answers what it likes, as often as it likes."""

    facts = ModelFacts(spec="x", name="x", fingerprint="x")

    def __init__(self, *ids):
        self.ids = ids

    def answer(self, requests):
        for each in self.ids:
            yield Answered(request_id=each, text=f"answer {each}")

    def close(self):
        pass


def test_replies_come_in_the_order_the_model_gives_them():
    replies = list(ask(Careless("2", "1"), [request(1), request(2)]))
    assert [reply.request_id for reply in replies] == ["2", "1"]


def test_a_request_the_model_skipped_failed():
    replies = list(ask(Careless("1"), [request(1), request(2)]))
    assert isinstance(replies[1], Failed)
    assert replies[1].request_id == "2"


def test_a_reply_to_nothing_and_a_second_reply_are_dropped():
    replies = list(ask(Careless("9", "1", "1"), [request(1)]))
    assert [reply.text for reply in replies] == ["answer 1"]


def test_a_budget_that_is_spent_hands_out_what_came_and_leaves_the_rest():
    coming = ask(Careless("1", "2"), [request(1), request(2)], until=time.monotonic())
    assert next(coming).request_id == "1"
    with pytest.raises(BudgetSpent, match="1 requests are left"):
        next(coming)


def test_a_budget_that_is_spent_with_nothing_left_changes_nothing():
    replies = list(ask(Careless("1"), [request(1)], until=time.monotonic()))
    assert [reply.request_id for reply in replies] == ["1"]


def test_stopping_early_closes_the_models_stream():
    ended = []

    class Telling(Careless):
        def answer(self, requests):
            try:
                yield from super().answer(requests)
            finally:
                ended.append(True)

    coming = ask(Telling("1", "2"), [request(1), request(2)])
    next(coming)
    coming.close()
    assert ended == [True]
