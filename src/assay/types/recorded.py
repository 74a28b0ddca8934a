"""A call that an application made of a model, and what it got: what `assay record` stores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and the whole answer, as they went over the wire."""

    path: str
    sent: bytes
    status: int
    encoding: str  # of the answer's content: gzip, deflate, or none
    received: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTurn:
    """One turn that was sent. `calls`: tools that the assistant called there, each with `name` and
    `arguments`; a turn of a `tool` is the result of one of them.
    """

    role: str
    content: str
    calls: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """`is_json`: JSON was asked for; `schema`: the JSON Schema that it had to meet. `left_out`:
    settings that a test cannot have. `calls`: what the model called; `cut`: its answer ended at
    its maximum of tokens.
    """

    model: str
    turns: tuple[RecordedTurn, ...]
    system: str | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    is_json: bool = False
    schema: Mapping[str, Any] | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    answer: str = ""
    calls: tuple[Mapping[str, Any], ...] = ()
    cut: bool = False

    # What was answered does not tell two calls apart, nor does which model was asked.
    of_the_answer: ClassVar[tuple[str, ...]] = ("model", "left_out", "answer", "calls", "cut")
