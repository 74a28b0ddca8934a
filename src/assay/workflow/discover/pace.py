"""The pace of a model, measured with one question.

In: a Model. Out: its ModelPace, or why it could not be timed. The question has some hundred tokens,
since most of a test's time is that of its prompt, and begins with a number that no cache of the
server has seen.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from assay.ask_loop import ask
from assay.messages import tr
from assay.request_identity import make_unstored_request
from assay.types import (
    Answered,
    Failed,
    Message,
    Model,
    Request,
    Sampling,
    Timing,
    ToAnswer,
    ToChoose,
)

TIMED_TOKENS = 16
CHARACTERS_PER_TOKEN = 4  # of English prose, about
CAME_AT_ONCE = 0.05  # share of the time between the first token and the last, where none was seen
QUESTION = (
    "Note {number}. On Monday the ferry left the harbour at seven with forty people, nine bicycles "
    "and a brown dog that belonged to nobody. It stopped twice: once for fog, and once because the "
    "captain wanted to show everyone a seal. On the island the people bought bread, cheese and "
    "apples, walked to the lighthouse and back, and wrote postcards. By evening the fog had gone, "
    "the dog had found a family, and the ferry was home before nine. Now forget the ferry, and "
    "count from one to twenty in words."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPace:
    """Seconds by our clock: `waited_s` for the whole answer, `load_s` to load the model, `token_s`
    for a token written. `reading` holds the ways in which the wait for a first token may come
    about: so many seconds whatever the prompt, and so many for each of its tokens.
    """

    waited_s: float
    load_s: float = 0.0
    reading: tuple[tuple[float, float], ...] = ((0.0, 0.0),)
    token_s: float = 0.0

    def seconds_to_read(self, characters: int) -> tuple[float, float]:
        """Until the first token of an answer to a prompt of this length, at least and at most."""
        tokens = characters / CHARACTERS_PER_TOKEN
        waits = [whatever + tokens * each for whatever, each in self.reading]
        return min(waits), max(waits)

    @property
    def rate(self) -> str:
        """Tokens written in a second."""
        return f"{1 / self.token_s:.0f}" if self.token_s > 0 else "?"


@dataclass(frozen=True, slots=True)
class Untimed:
    """Why not; `waited_s` where it failed after a time."""

    why: str
    waited_s: float | None = None


def time_one_question(model: Model) -> ModelPace | Untimed:
    """Ask it; the answer is not kept."""
    reply = next(ask(model, [_question()]))
    if isinstance(reply, Failed):
        return Untimed(reply.reason, reply.total_s or 0.0)
    if not isinstance(reply, Answered) or reply.total_s is None:
        return Untimed(tr("it was not reported"))
    return pace_of(reply)


def pace_of(reply: Answered) -> ModelPace:
    """What one answer says about others."""
    total = reply.total_s or 0.0
    written = reply.output_tokens or TIMED_TOKENS
    first = min(reply.first_token_s or 0.0, total)
    timing = reply.timing or Timing()
    prompt = reply.prompt_tokens or len(QUESTION) // CHARACTERS_PER_TOKEN
    if total - first < CAME_AT_ONCE * total:
        # A proxy held the stream back, or there was none: what was reading and what was writing
        # only the server can say.
        told = timing.prefill_s
        first = told if told is not None and told < total else total / 2
    return ModelPace(
        waited_s=total,
        load_s=(timing.load_s or 0.0) if timing.cold else 0.0,
        reading=_ways_of_reading(first, prompt, timing),
        token_s=(total - first) / max(1, written - 1),
    )


def _ways_of_reading(first: float, prompt: int, timing: Timing) -> tuple[tuple[float, float], ...]:
    """By the server's word, where it tells, as far as our clock bears it out. Else at least half of
    the wait is taken for reading, and at most all of it: what the network took is not known.
    """
    if timing.prefill_s is not None:
        prefill_s = min(timing.prefill_s, first)
        computed = max(1, prompt - (timing.cached_tokens or 0))
        return ((first - prefill_s, prefill_s / computed),)
    return ((0.0, first / prompt), (first / 2, first / 2 / prompt))


def characters_of(request: Request) -> int:
    """Of the whole prompt."""
    work = request.work
    if not isinstance(work, ToAnswer | ToChoose):
        return 0
    return sum(len(message.content) for message in work.messages)


def _question() -> Request:
    text = QUESTION.format(number=time.time_ns())
    sampling = Sampling(temperature=0.0, seed=0, max_tokens=TIMED_TOKENS)
    work = ToAnswer(messages=(Message("user", text),), sampling=sampling)
    return make_unstored_request("timing", work)
