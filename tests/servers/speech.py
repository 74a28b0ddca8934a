"""What a model that is none says.

In: the last user message, how it is sampled, and a book of answers that the test wrote. Out: Said:
the text, its thoughts, the alternatives of its first token.

A book maps a part of the last user message ("*" is any) to a text; to a list of texts, given one
after the other, the last for ever; or to an object with `text` (either of these), `by_seed` (a list
from which the seed picks where the temperature is above 0), `by_model` (a text for each model's
name), `thinking`, `logprobs` ({token: logprob}, the alternatives of the first token), and `tokens`,
in how many Ollama writes the text.

Where a request offers tools, the text `{"tool_calls": [{"name": …, "arguments": …}]}` is told as
calls; arguments that are a text are told as they are.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DEFAULT = "This is a short answer from the test server."
THOUGHTS = "The question is clear, so the answer can be short."
_CHOICE = re.compile(r"^\s*\(?([A-J])[.):]\s+\S", re.MULTILINE)
_LONE_LETTER = re.compile(r"\s*[A-J]\s*[.)]?\s*")
# What the recorded model wrote instead of a letter while the letters of the prompt were punished.
PUNISHED = "The correct answer is one of them."
_LOOKS = ("green", "old", "quiet", "small", "bright", "heavy", "round", "early")
_THINGS = ("river", "door", "lamp", "garden", "letter", "stone", "window", "song")


@dataclass(frozen=True)
class Draw:
    """How the text is sampled, as far as it changes what is said."""

    temperature: float = 0.8
    seed: int | None = None
    punishes_repetition: bool = False
    schema: Any = None  # "json", a JSON Schema, or None
    model: str = ""


@dataclass(frozen=True)
class Said:
    """A whole answer, before any limit cuts it."""

    text: str
    thinking: str = THOUGHTS
    letters: tuple[str, ...] = ()  # the choices of the prompt, likeliest first
    first_logprobs: Mapping[str, float] | None = None
    tokens: int | None = None  # None: by the rule of tokens.py


@dataclass
class Book:
    """The answers a test decided on. Safe to read and change from several threads."""

    pages: dict[str, Any] = field(default_factory=dict)
    _asked: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def replace(self, pages: Mapping[str, Any]) -> None:
        with self._lock:
            self.pages = dict(pages)
            self._asked = {}

    def knows(self, question: str) -> bool:
        return any(part == "*" or part in question for part in self.pages)

    def look_up(self, question: str, draw: Draw) -> tuple[str | None, dict[str, Any]]:
        """The text, None where the book has none, and the rest of what the page says."""
        key = next((part for part in self.pages if part != "*" and part in question), None)
        if key is None:
            if "*" not in self.pages:
                return None, {}
            key = "*"
        page = self.pages[key]
        about = page if isinstance(page, dict) else {"text": page}
        if draw.model in about.get("by_model", ()):
            return about["by_model"][draw.model], about
        if draw.temperature > 0 and draw.seed is not None and about.get("by_seed"):
            return about["by_seed"][draw.seed % len(about["by_seed"])], about
        text = about.get("text", (about.get("by_seed") or [None])[0])
        return (self._next_of(key, text) if isinstance(text, list) else text), about

    def _next_of(self, key: str, texts: list[str]) -> str:
        with self._lock:
            turn = self._asked.get(key, 0)
            self._asked[key] = turn + 1
        return texts[min(turn, len(texts) - 1)]


def say(question: str, draw: Draw, book: Book) -> Said:
    """What is answered to this question."""
    text, about = book.look_up(question, draw)
    letters = _likeliest_first(question, text)
    if letters and draw.schema is None:
        if text is None:
            text = letters[0]
        if draw.punishes_repetition and _LONE_LETTER.fullmatch(text):
            text = PUNISHED
    if text is None:
        text = _unbidden(draw)
    if draw.schema is not None and not _is_json(text):
        text = minimal(draw.schema, text)
    thinking, first = about.get("thinking", THOUGHTS), about.get("logprobs")
    return Said(text, thinking, letters, first, about.get("tokens"))


def calls_in(text: str, body: Any) -> list[dict[str, Any]]:
    """The calls that a text stands for, none where no tools were offered."""
    if not isinstance(body, dict) or not body.get("tools") or not _is_json(text):
        return []
    found = json.loads(text)
    return list(found.get("tool_calls", [])) if isinstance(found, dict) else []


def _likeliest_first(question: str, text: str | None) -> tuple[str, ...]:
    """The letters that a question offers; the answered one, else one that hangs on the words."""
    letters = list(dict.fromkeys(_CHOICE.findall(question)))
    if len(letters) < 2:
        return ()
    first = (text or "").strip()[:1]
    if first not in letters:
        first = letters[sum(question.encode()) % len(letters)]
    return (first, *(letter for letter in letters if letter != first))


def _unbidden(draw: Draw) -> str:
    if draw.temperature <= 0:
        return DEFAULT
    # Not for secrets: an answer without a seed is meant to differ from the one before.
    seed = draw.seed if draw.seed is not None else random.randrange(2**31)
    return f"I would say a {_LOOKS[seed % 8]} {_THINGS[seed // 8 % 8]}, number {seed}."


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


# ------------------------------------------------------------------------ structured output


def minimal(schema: Any, text: str) -> str:
    """The least that a simple schema allows, its properties in the order in which it has them."""
    value = {"answer": text} if schema == "json" else _value(schema, text)
    return json.dumps(value, ensure_ascii=False, indent=2)


def _value(schema: Any, text: str) -> Any:
    if not isinstance(schema, dict):
        return text
    for fixed in ("const", "default"):
        if fixed in schema:
            return schema[fixed]
    if schema.get("enum"):
        return schema["enum"][0]
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return _value(schema[several][0], text)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return _of_type(kind[0] if isinstance(kind, list) else kind, schema, text)


def _of_type(kind: str, schema: dict[str, Any], text: str) -> Any:
    if kind == "object":
        return {name: _value(part, text) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        item = _value(schema.get("items", {"type": "string"}), text)
        return [item] * max(1, schema.get("minItems", 1))
    if kind in ("integer", "number"):
        return max(1, schema.get("minimum", 1)) if schema.get("maximum", 1) >= 1 else 0
    if kind == "boolean":
        return True
    if kind == "null":
        return None
    return text[: schema.get("maxLength", len(text))]
