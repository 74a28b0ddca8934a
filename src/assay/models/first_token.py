"""Multiple choice from the likeliest first tokens: "B", " B" and "B." are one answer. A letter that
is not told is at most as likely as the last one told; one about to think chooses nothing.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.models.http.faults import reported_number

MOST = 20  # more is an error on Ollama and OpenAI alike
LEAST_SHARE = 0.01  # of the probability; with less on all letters together, words will follow
OPENS_A_THOUGHT = ("<", "[THINK", "◁")


def read_first_token(
    entry: Mapping[str, Any] | None, letters: Sequence[str]
) -> tuple[tuple[float, ...], tuple[bool, ...]] | None:
    """A log-likelihood a letter, and whether it is at most that. None: read the answer instead."""
    told = dict(_told(entry))
    if not told:
        return None
    found: dict[str, list[float]] = {letter: [] for letter in letters}
    any_case = _in_any_case(letters)
    for token, logprob in told.items():
        said = token.strip().rstrip(".):,").lstrip("(")
        letter = said if said in found else any_case.get(said.casefold())
        if letter is not None:
            found[letter].append(logprob)
    if not any(found.values()) or _will_not_choose(told, found):
        return None
    least = min(told.values())
    return (
        tuple(_sum(found[letter]) if found[letter] else least for letter in letters),
        tuple(not found[letter] for letter in letters),
    )


def _in_any_case(letters: Sequence[str]) -> dict[str, str]:
    """Words of two letters and more, as they read in small ones, where that leaves them apart."""
    small = [letter.casefold() for letter in letters]
    return {
        folded: letter
        for folded, letter in zip(small, letters, strict=True)
        if len(letter) > 1 and small.count(folded) == 1
    }


def _will_not_choose(told: Mapping[str, float], found: Mapping[str, Sequence[float]]) -> bool:
    best = max(told, key=lambda token: told[token])
    share = math.fsum(math.exp(value) for values in found.values() for value in values)
    return best.strip().startswith(OPENS_A_THOUGHT) or share < LEAST_SHARE


def _told(entry: Mapping[str, Any] | None) -> list[tuple[str, float]]:
    top = (entry or {}).get("top_logprobs")
    pairs = []
    for one in top if isinstance(top, list) else ():
        token = one.get("token") if isinstance(one, dict) else None
        value = reported_number(one.get("logprob")) if isinstance(one, dict) else None
        if isinstance(token, str) and value is not None:
            pairs.append((token, min(0.0, value)))
    return pairs


def _sum(logprobs: Sequence[float]) -> float:
    best = max(logprobs)
    return min(0.0, best + math.log(math.fsum(math.exp(value - best) for value in logprobs)))
