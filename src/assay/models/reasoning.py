"""Splits a model's thinking from its answer. Blocks may be nested and repeated, an opening tag may
be missing, and a tag quoted in code is text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
    if "<|channel|>" in text:
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
    answer: list[str] = []
    reasoning: list[str] = []
    depth = 0
    position = 0
    for match in _tags_outside_code(text):
        (reasoning if depth else answer).append(text[position : match.start()])
        position = match.end()
        if not _closes(match):
            depth += 1
        elif depth:
            depth -= 1
        else:
            # A close without an open: the template had opened it, so all before was thinking.
            reasoning.extend(answer)
            answer = []
    (reasoning if depth else answer).append(text[position:])
    thought = "\n".join(part.strip() for part in reasoning if part.strip())
    if depth:
        return Split("", thought, unclosed=True)
    return Split("".join(answer).strip(), thought)


def _tags_outside_code(text: str) -> Iterator[re.Match[str]]:
    """Inside thinking code does not count: thoughts hold stray backticks. One pass."""
    in_fence = in_ticks = False
    depth = 0
    for token in _TOKEN.finditer(text):
        if token["fence"]:
            in_fence = not in_fence
        elif token["tick"]:
            in_ticks = not in_ticks
        elif token["line"]:
            in_ticks = False
        elif depth or not (in_fence or in_ticks):
            yield token
            depth = max(0, depth - 1) if _closes(token) else depth + 1
            in_fence = in_ticks = False


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
