"""Cuts a text that is longer than a model's context into windows, as lm-evaluation-harness does.

Ten tokens, windows of four, P the prefix token:

    P 0 1 2      predict 0 1 2 3
    3 4 5 6      predict 4 5 6 7
    5 6 7 8      predict 8 9

The last window reaches further back, so that its tokens have as much before them as others. Where
nothing stands before a text, its first token is P.
"""

from collections.abc import Iterator
from dataclasses import dataclass

PREFIX = -1  # the place of the token that comes before the first


@dataclass(frozen=True, slots=True)
class Window:
    """Fed: `start` (or PREFIX) to `end - 1`; of those up to `end` the last are `predicted`."""

    start: int
    end: int
    predicted: int

    @property
    def length(self) -> int:
        return self.end - 1 - self.start

    @property
    def first_predicted(self) -> int:
        return self.end - self.predicted


def windows(tokens: int, longest: int) -> Iterator[Window]:
    done = min(tokens, longest)
    if done:
        yield Window(PREFIX, done, done)
    while done < tokens:
        predicted = min(longest, tokens - done)
        done += predicted
        yield Window(done - longest - 1, done, predicted)
