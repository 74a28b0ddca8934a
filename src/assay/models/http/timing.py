"""Times a served model at a depth of its context: a prompt that no cache has seen, and the same one
again. Two short prompts tell how many tokens a sentence has.
"""

import random
from collections.abc import Callable
from dataclasses import asdict

from assay.types import Answered, Message, Observed, Sampling, Timed, ToAnswer, ToTime

# Prose, because small models end at once after a long list of words.
WORDS = (
    "river stone bread window garden music winter paper doctor yellow market silver summer forest "
    "bridge kitchen letter morning island farmer candle village pocket mirror dinner orange basket"
)
SENTENCE = " Then the {} {} took a {} from the {} to the {} and gave it to a friend of the {}."
QUESTION = "\n\nSay again what happened here, step by step, in a long text of many sentences."
SHORT, LONGER = 2, 12  # sentences of the prompts that are counted
TOKENS_PER_SENTENCE = 22  # where a server counts none
SHORTEST = 40  # tokens; less is not worth counting
SPARE = 0.01  # of the tokens that were asked for: a prompt must not be longer

Draw = Callable[[ToAnswer, Sampling], Answered]


class PromptTimer:
    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._per_sentence = 0.0
        self._beside = 0.0  # tokens of the question, and of what the server adds

    def time(self, request_id: str, work: ToTime, observe: Callable[[], Observed]) -> Timed:
        text = self._text_of(work.prompt_tokens or 0)
        new_tokens = work.new_tokens or 1
        cold = self._ask(text, new_tokens)
        cached = self._ask(text, new_tokens)
        seen = observe()
        timing = cold.timing
        return Timed(
            request_id=request_id,
            prefill_s=((timing.prefill_s if timing else None) or cold.first_token_s or 0.0,),
            decode_s=((timing.decode_s if timing else None) or 0.0,),
            new_tokens=new_tokens,
            details={
                "cold": _figures(cold),
                "cached": _figures(cached),
                "memory_bytes": seen.memory_bytes,
                "weights_bytes": seen.weights_bytes,
                "cache_bytes": seen.cache_bytes,
                "resident_bytes": seen.resident_bytes,
                "gpu_bytes": seen.gpu_bytes,
                "context_length": seen.context_length,
            },
        )

    def _ask(self, text: str, tokens: int) -> Answered:
        how = Sampling(temperature=0.0, seed=0, max_tokens=tokens, loop_stop=False)
        return self._draw(ToAnswer(messages=(Message("user", text),), sampling=how), how)

    def _text_of(self, tokens: int) -> str:
        if tokens <= SHORTEST:
            return _text(1)
        if not self._per_sentence:
            self._learn()
        wanted = tokens * (1 - SPARE) - self._beside
        return _text(max(1, int(wanted / self._per_sentence)))

    def _learn(self) -> None:
        counts = [self._ask(_text(count), 1).prompt_tokens for count in (SHORT, LONGER)]
        short, longer = counts
        if short is None or longer is None or longer <= short:
            self._per_sentence = TOKENS_PER_SENTENCE
            return
        self._per_sentence = (longer - short) / (LONGER - SHORT)
        self._beside = max(0.0, short - SHORT * self._per_sentence)


def _text(sentences: int) -> str:
    """Begins with what no prompt before began with, so that no server has it in its cache."""
    draw, words = random.SystemRandom(), WORDS.split()
    gaps = SENTENCE.count("{}")
    told = (SENTENCE.format(*draw.choices(words, k=gaps)) for _ in range(sentences))
    return f"{draw.getrandbits(32)}." + "".join(told) + QUESTION


def _figures(reply: Answered) -> dict[str, object]:
    names = ("prompt_tokens", "output_tokens", "first_token_s", "total_s", "attempts")
    timing = {"timing": asdict(reply.timing)} if reply.timing else {}
    return {**{name: getattr(reply, name) for name in names}, **timing}
