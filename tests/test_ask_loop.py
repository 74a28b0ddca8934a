import threading
import time

import pytest

from assay.ask_loop import ask, ask_all
from assay.errors import BudgetSpent
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

    def stop(self):
        pass

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


class Slow(Careless):
    """Answers the first at once and the others when it is stopped, as failures."""

    def __init__(self, *ids):
        super().__init__(*ids)
        self.stopped = threading.Event()

    def answer(self, requests):
        for each in requests:
            if each.id == "1":
                yield Answered(request_id="1", text="in time")
            else:
                self.stopped.wait(60)
                yield Failed(request_id=each.id, reason="called off")

    def stop(self):
        self.stopped.set()


def test_a_budget_hands_out_what_came_in_time_and_leaves_the_rest():
    model = Slow()
    coming = ask(model, [request(1), request(2), request(3)], until=time.monotonic() + 0.2)
    assert next(coming).request_id == "1"
    with pytest.raises(BudgetSpent, match="requests left: 2"):
        next(coming)
    assert model.stopped.is_set(), "what was under way was given up"


def test_a_budget_that_is_spent_already_asks_nothing():
    with pytest.raises(BudgetSpent, match="requests left: 1"):
        next(ask(Careless("1"), [request(1)], until=time.monotonic()))


def test_a_budget_with_nothing_left_to_ask_changes_nothing():
    assert list(ask(Careless(), [], until=time.monotonic())) == []


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


class Asked:
    """Asks its requests one after another; ends early where one fails."""

    def __init__(self, *numbers):
        self.requests = [request(number) for number in numbers]
        self.heard = []

    def pending(self):
        return self.requests[:1]

    @property
    def left(self):
        return len(self.requests)

    def take(self, asked, reply):
        self.heard.append(reply.text)
        self.requests = self.requests[1:]


class Replies:
    """Holds some replies; notes in which order the others are stored and counted."""

    def __init__(self, **stored):
        self.stored = stored
        self.events = []

    def reuse_reply(self, talk, asked):
        text = self.stored.get(f"r{asked.id}")
        return Answered(request_id=asked.id, text=text) if text else None

    def store_reply(self, talk, asked, reply):
        self.events.append(f"stored {asked.id}")

    def model_started(self, name, *, total, reused):
        self.events.append(f"{total}, {reused} reused")

    def replied(self, name, reply, score):
        self.events.append(f"counted {reply.request_id}")

    def model_finished(self, name):
        self.events.append("finished")


class Honest(Careless):
    def answer(self, requests):
        for each in requests:
            yield Answered(request_id=each.id, text=f"answer {each.id}")


def test_what_is_stored_is_not_asked_and_each_reply_is_stored_before_it_is_counted():
    first, second = Asked(1, 2), Asked(3)
    replies = Replies(r1="stored before")
    ask_all(Honest(), [first, second], replies, replies, name="m", done=1)
    assert first.heard == ["stored before", "answer 2"]
    assert second.heard == ["answer 3"]
    assert replies.events == [
        "4, 2 reused", "stored 2", "counted 2", "stored 3", "counted 3", "finished",
    ]  # fmt: skip


def test_equal_requests_are_asked_once_and_later_turns_follow_the_earlier_ones():
    first, second = Asked(1, 2), Asked(1)
    replies = Replies()
    ask_all(Honest(), [first, second], replies, replies, name="m")
    assert first.heard == ["answer 1", "answer 2"]
    assert second.heard == ["answer 1"]
    assert [each for each in replies.events if "stored" in each] == ["stored 1", "stored 2"]
    assert replies.events[0] == "3, 0 reused"
