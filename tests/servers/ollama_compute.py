"""A Job's answer and its figures.

In: Job, what is loaded, how long it waited. Out: Computed: pieces, log-probabilities, counts,
nanoseconds.

Times are invented at the recorded speed (about 24 ms a prompt token, 40 ms a written one); the
wait for a slot is real, and only the total contains it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

from tests.servers import tokens
from tests.servers.ollama_checks import Job
from tests.servers.ollama_models import Loaded
from tests.servers.speech import Book, say

PREFILL_NS, CACHED_NS, DECODE_NS, REST_NS = 24_000_000, 30_000_000, 40_000_000, 900_000


@dataclass(frozen=True)
class Computed:
    """What came out."""

    pieces: list[tuple[str, bool]]  # a token, and whether it is a thought
    logprobs: list[dict[str, Any]]
    reason: str
    prompt_count: int
    cached: int
    eval_count: int
    load_ns: int
    waited_ns: int
    context: list[int]

    @property
    def text(self) -> str:
        return "".join(token for token, is_thought in self.pieces if not is_thought)

    @property
    def thinking(self) -> str:
        return "".join(token for token, is_thought in self.pieces if is_thought)

    def figures(self, *, tells_cached: bool, tells_single: bool) -> dict[str, int]:
        """The figures of the final object. What is zero is left out, as Go does."""
        prefill = CACHED_NS + PREFILL_NS * (self.prompt_count - self.cached)
        decode = DECODE_NS * (self.eval_count - 1)
        if tells_single:
            decode = max(decode, 1_000_000)
        parts = self.load_ns + prefill + decode
        told = {
            "total_duration": parts + self.waited_ns + REST_NS,
            "load_duration": self.load_ns,
            "prompt_eval_count": self.prompt_count,
            "prompt_eval_cached_count": self.cached if tells_cached else 0,
            "prompt_eval_duration": prefill,
            "eval_count": self.eval_count,
            "eval_duration": decode,
        }
        return {name: value for name, value in told.items() if value}


def compute(job: Job, loaded: Loaded, load_ns: int, waited_ns: int, book: Book) -> Computed:
    """Answer, within the limits that the job sets."""
    said = say(job.question, job.draw, book)
    text, stopped = _up_to_stop(said.text, job.stop)
    thoughts = tokens.written(said.thinking) if job.thinks else []
    pieces = [(t, True) for t in thoughts] + [(t, False) for t in tokens.written(text, said.tokens)]
    limits = [n for n in (job.num_predict, job.room) if n is not None and n > 0]
    limit = min(limits, default=len(pieces) + 1)
    reason, count = "stop", len(pieces) + 1
    if len(pieces) >= limit and not (stopped and len(pieces) < limit):
        pieces, reason, count = pieces[:limit], "length", limit
    logprobs: list[dict[str, Any]] = []
    if job.top is not None:
        letters = () if thoughts else said.letters
        written = [token for token, _ in pieces]
        logprobs = tokens.likelihoods(written, job.top, letters, said.first_logprobs)
    cached = _cached(loaded, job)
    return Computed(
        pieces=pieces,
        logprobs=logprobs,
        reason=reason,
        prompt_count=job.prompt_count,
        cached=cached,
        eval_count=count,
        load_ns=load_ns,
        waited_ns=waited_ns,
        context=[zlib.crc32(piece.encode()) % 49152 for piece in job.prompt],
    )


def _up_to_stop(text: str, stop: tuple[str, ...]) -> tuple[str, bool]:
    places = [place for mark in stop if mark and (place := text.find(mark)) >= 0]
    return (text[: min(places)], True) if places else (text, False)


def _cached(loaded: Loaded, job: Job) -> int:
    """The tokens at the start that the last prompt had too; the last one is always computed."""
    same = 0
    for before, now in zip(loaded.prompt, job.prompt, strict=False):
        if before != now:
            break
        same += 1
    share = same / len(job.prompt) if job.prompt else 0.0
    loaded.prompt = job.prompt
    return min(int(share * job.prompt_count), job.prompt_count - 1)
