"""What must not be repeated: keys and passwords, in every spelling a server may choose.

An error is cleaned of everything that could be a secret. An answer is cleaned of long ones only: a
password `pass` would be cut out of every Python program a model writes.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote

REMOVED = "[removed]"
# What people write where a server wants some key or password are no secrets, and would be cut out
# of every text that has the word.
PLACEHOLDERS = frozenset(
    {"ollama", "empty", "none", "null", "dummy", "token", "no-key", "nokey", "not-needed",
     "lm-studio", "llama.cpp", "llamacpp", "vllm", "local", "test", "anything", "unused", "pass",
     "password", "admin", "secret", "key", "1234", "12345", "123456", "changeme"}
)  # fmt: skip
SHORTEST = 4
SHORTEST_IN_ANSWERS = 8


class Secrets:
    def __init__(self, secrets: Iterable[str]) -> None:
        hidden = {secret for secret in secrets if len(secret) >= SHORTEST}
        self._in_errors = _pattern(hidden)
        self._in_answers = _pattern({text for text in hidden if len(text) >= SHORTEST_IN_ANSWERS})

    def out_of(self, text: str) -> str:
        """An error, a name, a header: cleaned of every secret."""
        return self._in_errors.sub(REMOVED, text) if self._in_errors else text

    def out_of_answer(self, text: str) -> str:
        """What a model wrote: cleaned of what can only be a secret."""
        return self._in_answers.sub(REMOVED, text) if self._in_answers else text


def _pattern(secrets: Iterable[str]) -> re.Pattern[str] | None:
    spellings = {spelling for secret in secrets for spelling in _spellings(secret)}
    longest_first = sorted(filter(None, spellings), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


def _spellings(secret: str) -> Iterable[str]:
    raw = secret.encode("utf-8", "replace")
    return (
        secret,
        quote(secret),
        quote(secret, safe=""),
        secret.replace("/", "\\/"),
        json.dumps(secret)[1:-1],
        base64.b64encode(raw).decode().rstrip("="),
    )
