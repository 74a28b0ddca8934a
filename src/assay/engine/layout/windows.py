"""Cuts a text that is longer than a model's context into windows, as lm-evaluation-harness does.

Ten tokens, windows of four, P the prefix token:

    stride 4 (lm-evaluation-harness)      stride 2
    P 0 1 2      predict 0 1 2 3          P 0 1 2    predict 0 1 2 3
    3 4 5 6      predict 4 5 6 7          1 2 3 4    predict 4 5
    5 6 7 8      predict 8 9              3 4 5 6    predict 6 7
                                          5 6 7 8    predict 8 9

Every token is predicted once. Where fewer are left than the stride, the window reaches further
back, so that the last tokens have as much before them as a window holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

PREFIX = -1  # the place of the token that stands before the first


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens `start` to `end - 1` are fed, and the last `predicted` of those up to `end` are
    predicted. `start` may be PREFIX.
    """

    start: int
    end: int
    predicted: int

    @property
    def length(self) -> int:
        return self.end - 1 - self.start

    @property
    def first_predicted(self) -> int:
        return self.end - self.predicted


def windows(tokens: int, longest: int, stride: int | None = None) -> Iterator[Window]:
    """Windows over a text of so many tokens; without a stride they share one token.

    Raises:
        ValueError: for a stride that would leave tokens out, or none to predict.
    """
    stride = longest if stride is None else stride
    if not 1 <= stride <= longest:
        raise ValueError(f"a stride of {stride} with windows of {longest}")
    done = min(tokens, longest)
    if done:
        yield Window(PREFIX, done, done)
    while done < tokens:
        predicted = min(stride, tokens - done)
        done += predicted
        yield Window(done - longest - 1, done, predicted)
