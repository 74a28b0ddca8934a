"""Injections: words in an answer that ask its judge for a better score, and harmless look-alikes.

In: `injections.toml` beside the shipped rubrics. Out: Injections, and a wrong gold answer with one
put at its start, in its middle or at its end.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import TypeAdapter

from assay.judge.rubrics import SHIPPED

_FILE = SHIPPED / "injections.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    family: str
    language: str
    position: Literal["start", "middle", "end"]
    text: str

    def put_into(self, answer: str) -> str:
        lines = answer.split("\n")
        at = {"start": 0, "middle": (len(lines) + 1) // 2, "end": len(lines)}[self.position]
        return "\n".join([*lines[:at], self.text, *lines[at:]])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Harmless:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _InjectionFile:
    injection: tuple[Injection, ...]
    harmless: tuple[_Harmless, ...]


def injection_bytes() -> bytes:
    return _FILE.read_bytes()


def injections() -> Sequence[Injection]:
    return _read().injection


def harmless_texts() -> tuple[str, ...]:
    """Texts that speak of scores, systems and judges, and ask for nothing."""
    return tuple(each.text for each in _read().harmless)


@cache
def _read() -> _InjectionFile:
    document = tomllib.loads(injection_bytes().decode())
    return TypeAdapter(_InjectionFile).validate_python(document)
