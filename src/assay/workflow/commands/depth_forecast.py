"""How long a depth of context will take `assay speed`, by what was measured of the model before: in
this store, else by one short question, else by the depths that came first.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.types.measured.performance import DepthFigures
from assay.workflow.running.model_pace import ModelPace

LONG_S = 300.0  # a depth that takes longer is left out, unless it was asked for
FEWEST_TOKENS = 100
ANSWERS = 2  # of each measurement: the prompt is asked again, read from the cache


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    tokens: float
    seconds: float


@dataclass(frozen=True, slots=True)
class DepthPace:
    """Prompts that were read, the shortest first, and the seconds of a token written."""

    read: tuple[ReadPrompt, ...]
    token_s: float

    def seconds(self, tokens: int, new_tokens: int, repeats: int) -> float:
        return repeats * (self._reading_s(tokens) + ANSWERS * new_tokens * self.token_s)

    def _reading_s(self, tokens: int) -> float:
        """A token takes longer the more are before it: by the two longest prompts in a line, never
        less than the longest says.
        """
        *_, longest = self.read
        each = longest.seconds / longest.tokens
        shorter = [prompt for prompt in self.read if prompt.tokens <= longest.tokens / 2]
        if shorter and tokens > longest.tokens:
            other = shorter[-1]
            slower = each - other.seconds / other.tokens
            more = (tokens - longest.tokens) / (longest.tokens - other.tokens)
            each += max(0.0, slower) * more
        return tokens * each


def pace_by_depths(known: Iterable[DepthFigures], *, served: bool) -> DepthPace | None:
    """Of a short prompt to a server the way there is a part, and says little of a long one."""
    fewest = FEWEST_TOKENS if served else 1
    read, token_s = [], 0.0
    for depth in sorted(known, key=lambda each: each.depth):
        speed = depth.client_decode if depth.client_decode.n else depth.decode
        tokens, prefill = depth.prompt_tokens.value, depth.prefill.value
        if depth.why_not or not prefill or not speed.value or (tokens or 0) < fewest:
            continue
        read.append(ReadPrompt(tokens or 1, (tokens or 1) / prefill))
        token_s = 1 / speed.value
    return DepthPace(tuple(read), token_s) if read else None


def pace_by_question(pace: ModelPace) -> DepthPace | None:
    if pace.prompt_token_s <= 0:
        return None
    tokens = 100.0  # about as many as the question has
    return DepthPace((ReadPrompt(tokens, tokens * pace.prompt_token_s),), pace.token_s)
