"""How many requests go to a server at once, and how long each of them was waited for.

As many as the user asked for, else as the server has slots, where it says. Else two at first: where
the second answer begins only when the first has ended, answers queue, and one is asked at a time;
where both come side by side, eight are.

A request waits while older ones of ours take all slots. That is neither silence nor answering time.
All by our own clock.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assay.models.http.deadlines import GLANCE_S, WaitingTurn, clock

UNTOLD = 8  # at once, of a server that does not say, once its answers come side by side
MOST = 64  # whatever a server says
PAIR = 2
AGAIN_AFTER = (8, 64)  # answers one at a time, until a pair is tried again
SPREAD = 0.2  # of an answer's time, from its first token to its last: its tokens are seen coming
TOGETHER = 0.25  # of the shorter answer: two that were sent no further apart
LATE = 1.5  # times as long as the answer beside it: where no tokens are seen, it waited for it


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of a thread's requests so far."""

    answering_s: float = 0.0
    queue_s: float = 0.0
    wall_s: float = 0.0

    def with_stay(self, stay: "Stay") -> "Spent":
        return Spent(
            self.answering_s + stay.seconds - stay.queue_s,
            self.queue_s + stay.queue_s,
            self.wall_s + stay.wall_s,
        )

    def since(self, before: "Spent") -> "Spent":
        return Spent(
            self.answering_s - before.answering_s,
            self.queue_s - before.queue_s,
            self.wall_s - before.wall_s,
        )


class Stay(WaitingTurn):
    """One request at the server. `served_from`: when its turn came; `wall_s`: its share of the time
    in which anything was under way, so that the shares of all add up to that time.
    """

    def __init__(self, slots: "ServerSlots", share: float) -> None:
        self._slots = slots
        self.share_at_begin = share
        self.sent = time.monotonic()
        self.served_from: float | None = None
        self.ended: float | None = None
        self.first_token_at: float | None = None
        self.last_token_at = 0.0
        self.wall_s = 0.0

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.sent

    @property
    def queue_s(self) -> float:
        """How long it waited for its turn."""
        until = self.ended if self.served_from is None else self.served_from
        return max(0.0, (until or self.sent) - self.sent)

    @property
    def comes_bit_by_bit(self) -> bool:
        first = self.first_token_at
        return first is not None and self.last_token_at - first > SPREAD * self.seconds

    def waits(self) -> bool:
        return self.first_token_at is None and self._slots.are_taken_before(self)

    def count_token(self) -> None:
        self.last_token_at = time.monotonic()
        if self.first_token_at is None:
            self.first_token_at = self.last_token_at
            if self.served_from is None:
                self._slots.see_served(self)

    def came_during(self, other: "Stay") -> bool:
        return self.first_token_at is not None and self.first_token_at < other.last_token_at

    def began_beside(self, other: "Stay") -> bool:
        return abs(self.sent - other.sent) < TOGETHER * min(self.seconds, other.seconds)


class ServerSlots:
    """Lets requests through to one server. Threads share it. `of_server`: how many it answers at
    once, None: not known yet; `limit`: how many we send at once, `most` at the most.
    """

    def __init__(self, asked: int | None = None) -> None:
        """`asked`: by the user, who is obeyed, whatever the server says."""
        self.of_server: int | None = None
        self.most = min(asked or UNTOLD, MOST)
        self.limit = asked or PAIR
        self._asked = asked
        self._finds_out = True
        self._changed = threading.Condition()
        self._under_way: list[Stay] = []  # the oldest first
        self._last: Stay | None = None  # that ended
        self._one_at_a_time = 0  # answers since answers were seen to queue
        self._again_after = list(AGAIN_AFTER)
        self._share = 0.0  # the sum over time of 1 / requests under way
        self._share_at = time.monotonic()

    def hear(self, told: int) -> None:
        """The server says how many it answers at once."""
        self.of_server, self._finds_out = told, False
        if self._asked is None:
            self.limit = self.most = min(told, MOST)

    @contextmanager
    def taken(self, called_off: threading.Event) -> Iterator[Stay]:
        stay = self._enter(called_off)
        before, clock.turn = clock.turn, stay
        try:
            yield stay
        finally:
            clock.turn = before
            self._leave(stay)

    def are_taken_before(self, stay: Stay) -> bool:
        """By requests of ours that are answered, or older; one is enough where nobody knows how
        many slots there are.
        """
        with self._changed:
            place = self._under_way.index(stay)
            later = [each for each in self._under_way[place + 1 :] if each.first_token_at]
            return place + len(later) >= (self.of_server or 1)

    def see_served(self, stay: Stay) -> None:
        """It is answered though its turn had not come: it came to the server before another of
        ours, or there are more slots than was thought.
        """
        with self._changed:
            thought = (each for each in self._under_way if each.served_from)
            other = next((each for each in thought if each.first_token_at is None), None)
            if other is not None:
                stay.served_from, other.served_from = other.served_from, None
                return
            stay.served_from = stay.first_token_at
            served = sum(each.served_from is not None for each in self._under_way)
            self.of_server = max(served, self.of_server or 0)

    def _enter(self, called_off: threading.Event) -> Stay:
        with self._changed:
            while len(self._under_way) >= self.limit and not called_off.is_set():
                self._changed.wait(GLANCE_S)
            self._count_time()
            stay = Stay(self, self._share)
            if self.of_server is None or len(self._under_way) < self.of_server:
                stay.served_from = stay.sent
            self._under_way.append(stay)
            return stay

    def _leave(self, stay: Stay) -> None:
        with self._changed:
            self._count_time()
            stay.ended = time.monotonic()
            stay.wall_s = self._share - stay.share_at_begin
            self._under_way.remove(stay)
            if self._finds_out:
                self._find_out(stay)
            for each in self._under_way[: self.of_server]:
                each.served_from = each.served_from or stay.ended
            self._last = stay
            self._changed.notify_all()

    def _count_time(self) -> None:
        now = time.monotonic()
        if self._under_way:
            self._share += (now - self._share_at) / len(self._under_way)
        self._share_at = now

    def _find_out(self, ended: Stay) -> None:
        """From an answer that ended, and what was asked together with it."""
        beside = [stay for stay in self._under_way if stay.began_beside(ended)]
        last = self._last
        if any(stay.came_during(ended) for stay in beside):
            self._let_all_through()
        elif beside and ended.comes_bit_by_bit:
            self._queue(beside)
        elif last and ended.began_beside(last):
            if ended.seconds >= LATE * last.seconds:
                self._queue(beside)
            else:
                self._let_all_through()
        elif self.limit == 1 and self._again_after:
            self._one_at_a_time += 1
            if self._one_at_a_time >= self._again_after[0] and self._asked is None:
                self._again_after.pop(0)
                self.of_server, self.limit = None, PAIR

    def _queue(self, waiting: list[Stay]) -> None:
        self.of_server, self._one_at_a_time = 1, 0
        for stay in waiting:
            stay.served_from = None
        if self._asked is None:
            self.limit = 1
        else:
            self._finds_out = False

    def _let_all_through(self) -> None:
        self.of_server = self.limit = self.most
        self._finds_out = False
