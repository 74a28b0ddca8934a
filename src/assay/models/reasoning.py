"""What a served model wrote, apart from its thinking. Blocks of it may be nested and repeated, an
opening tag may be missing, and a tag quoted in code is text.

Multiple choice is read from the likeliest first tokens: "B", " B" and "B." are one answer. A letter
that is not told is at most as likely as the last one told; one about to think chooses nothing.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.models.http.faults import reported_number

_NAMES = r"(?:think|thinking|reasoning|thought|thoughts|seed:think)"
_TAG = (
    rf"<(?P<close>/?){_NAMES}(?:\s[^<>]{{0,200}})?>"
    r"|\[(?P<close2>/?)THINK\]"
    r"|◁(?P<close3>/?)think▷"
    r"|<\|(?P<word>begin|end)_of_thought\|>"
)
_ANY_TAG = re.compile(_TAG, re.IGNORECASE)
_TOKEN = re.compile(rf"(?P<fence>```)|(?P<tick>`)|(?P<line>\n)|{_TAG}", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*(?P<name>\w+)[^<]*<\|message\|>")
_CONTROL = re.compile(r"<\|(?:start|end|return|message|channel|call|constrain)\|>")


@dataclass(frozen=True, slots=True)
class Split:
    """A reply taken apart. `unclosed` means it was cut off while thinking: `answer` is empty."""

    answer: str
    reasoning: str = ""
    unclosed: bool = False


def split_reasoning(text: str) -> Split:
    """Take thinking out of a reply. What is no Unicode text becomes U+FFFD on the way."""
    text = as_unicode(text)
    if _CHANNEL.search(text):  # a channel without its name or its message is text
        return _split_channels(text)
    if not _ANY_TAG.search(text):
        return Split(text)
    return _split_tags(text)


def as_unicode(text: str) -> str:
    """Half a surrogate pair cannot be stored, shown or marked; JSON can spell it all the same."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _split_tags(text: str) -> Split:
    """A tag in code is text. Inside thinking code does not count: thoughts hold stray backticks."""
    answer: list[str] = []
    reasoning: list[str] = []
    in_fence = in_ticks = False
    depth = position = 0
    for token in _TOKEN.finditer(text):
        if token["fence"]:
            in_fence = not in_fence
        elif token["tick"]:
            in_ticks = not in_ticks
        elif token["line"]:
            in_ticks = False
        elif depth or not (in_fence or in_ticks):
            (reasoning if depth else answer).append(text[position : token.start()])
            position = token.end()
            in_fence = in_ticks = False
            if _closes(token) and not depth:
                # A close without an open: the template had opened it, so all before was thinking.
                reasoning.extend(answer)
                answer = []
            depth = max(0, depth - 1) if _closes(token) else depth + 1
    (reasoning if depth else answer).append(text[position:])
    thought = "\n".join(part.strip() for part in reasoning if part.strip())
    if depth:
        return Split("", thought, unclosed=True)
    return Split("".join(answer).strip(), thought)


def _closes(match: re.Match[str]) -> bool:
    if match["word"]:
        return match["word"].lower() == "end"
    return bool(match["close"] or match["close2"] or match["close3"])


def _split_channels(text: str) -> Split:
    """Harmony: `final` is the answer, every other channel is thinking."""
    marks = list(_CHANNEL.finditer(text))
    answer: list[str] = []
    reasoning: list[str] = []
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        body = text[mark.end() : following.start() if following else len(text)]
        body = re.sub(r"<\|start\|>\s*\w+\s*$", "", body)
        body = _CONTROL.sub("", body).strip()
        (answer if mark["name"].lower() == "final" else reasoning).append(body)
    thought = "\n".join(part for part in reasoning if part)
    if not answer:
        return Split("", thought or text, unclosed=True)
    return Split("\n".join(answer).strip(), thought)


MOST = 20  # more is an error on Ollama and OpenAI alike
LEAST_SHARE = 0.01  # of the probability; with less on all letters together, words will follow
OPENS_A_THOUGHT = ("<", "[THINK", "◁")


def read_first_token(
    entry: Mapping[str, Any] | None, letters: Sequence[str], *, least_share: float = LEAST_SHARE
) -> tuple[tuple[float, ...], tuple[bool, ...]] | None:
    """A log-likelihood a letter, and whether it is at most that. None: read the answer instead.
    `least_share`: of the probability on all letters together.
    """
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
    if not any(found.values()) or _will_not_choose(told, found, least_share):
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


def _will_not_choose(
    told: Mapping[str, float], found: Mapping[str, Sequence[float]], least_share: float
) -> bool:
    best = max(told, key=lambda token: told[token])
    share = math.fsum(math.exp(value) for values in found.values() for value in values)
    return best.strip().startswith(OPENS_A_THOUGHT) or share < least_share


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
