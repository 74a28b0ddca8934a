"""How many requests go to a server at once, and how long each of them waited for its turn there.

As many go as the user asked for, else as the server declares to answer at once, else eight. A
server that declares nothing may answer one at a time all the same: so a request of ours counts as
waiting, and not as silent, while an older one is being answered.

All by our own clock.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assay.models.http.deadlines import CONNECT_S, GLANCE_S, WaitingTurn, clock

UNDECLARED = 8  # requests at once, to a server that declares nothing
MOST = 64  # whatever a server declares
# Two answers are written side by side if tokens of one come so long after the first of the other:
# had it ended before, its last tokens would have been read from the socket by then.
SIDE_BY_SIDE_S = 0.1


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

    def waits(self) -> bool:
        return self.first_token_at is None and self._slots.are_taken_before(self)

    def count_token(self) -> None:
        self.last_token_at = time.monotonic()
        if self.first_token_at is None:
            self.first_token_at = self.last_token_at
        self._slots.see_token(self)


class ServerSlots:
    """Lets requests through to one server, `limit` at once. Threads share it."""

    def __init__(self, requested: int | None = None) -> None:
        """`requested`: by the user, who is obeyed, whatever the server declares."""
        self.limit = requested or UNDECLARED
        self._requested = requested
        self._declared: int | None = None
        self._seen = 1  # answers that came side by side, at the most
        self._changed = threading.Condition()
        self._under_way: list[Stay] = []  # the oldest first
        self._share = 0.0  # the sum over time of 1 / requests under way
        self._share_at = time.monotonic()

    def declare(self, count: int) -> None:
        """The server says how many requests it answers at once."""
        self._declared = count
        if self._requested is None:
            self.limit = min(count, MOST)

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
        """Return whether requests of ours ahead of this one take all slots of the server.

        Older ones are ahead. So is a later one that is being answered, if both were sent at about
        the same time and changed places on the way. One is enough if the server declares nothing.
        """
        with self._changed:
            place = self._under_way.index(stay)
            overtook = [
                later
                for later in self._under_way[place + 1 :]
                if later.first_token_at and later.sent - stay.sent < CONNECT_S
            ]
            return place + len(overtook) >= (self._declared or 1)

    def see_token(self, stay: Stay) -> None:
        """Correct whose turn it is by a token that came for one of them."""
        with self._changed:
            served = [each for each in self._under_way if each.served_from is not None]
            silent = next((each for each in served if each.first_token_at is None), None)
            if stay.served_from is None and silent is not None:
                # They changed places on the way.
                stay.served_from, silent.served_from = silent.served_from, None
                return
            for other in self._under_way:
                if other is stay or other.served_from is not None or other.first_token_at is None:
                    continue
                if stay.last_token_at - other.first_token_at > SIDE_BY_SIDE_S:
                    # It has not waited: the server answers more at once than was known.
                    other.served_from = other.sent
                    served.append(other)
            self._seen = max(self._seen, len(served))

    def _enter(self, called_off: threading.Event) -> Stay:
        with self._changed:
            while len(self._under_way) >= self.limit and not called_off.is_set():
                self._changed.wait(GLANCE_S)
            self._count_time()
            stay = Stay(self, self._share)
            if len(self._under_way) < self._at_once:
                stay.served_from = stay.sent
            self._under_way.append(stay)
            return stay

    def _leave(self, stay: Stay) -> None:
        with self._changed:
            self._count_time()
            stay.ended = time.monotonic()
            stay.wall_s = self._share - stay.share_at_begin
            self._under_way.remove(stay)
            if self._declared is None and stay.first_token_at is None:
                # Whether an answer without tokens, such as likelihoods, has waited cannot be seen.
                stay.served_from = stay.sent
            for each in self._under_way[: self._at_once]:
                each.served_from = each.served_from or stay.ended
            self._changed.notify_all()

    def _count_time(self) -> None:
        now = time.monotonic()
        if self._under_way:
            self._share += (now - self._share_at) / len(self._under_way)
        self._share_at = now

    @property
    def _at_once(self) -> int:
        """How many requests the server answers at once, as far as is known."""
        return max(self._declared or 1, self._seen)
