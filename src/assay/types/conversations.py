"""What is said in turn: Message, and a conversation as one text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.frozen import speed_up_init

Role = Literal["system", "user", "assistant"]


@speed_up_init
@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation, as written in a test or as sent to a model."""

    role: Role
    content: str


def conversation_text(
    turns: Sequence[Message],
    said: Callable[[Message], str] = lambda turn: f"{turn.role}: {turn.content}",
) -> str:
    """A question alone as it is; else each turn behind its role."""
    if len(turns) == 1:
        return turns[0].content
    return "\n\n".join(map(said, turns))
