"""What is said in turn: Message, and a conversation as one text."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model wants called. `arguments`: as the model wrote them, JSON or not."""

    name: str
    arguments: str

    @property
    def document(self) -> dict[str, Any]:
        """As JSON shows it; arguments that are no JSON, or hold half a surrogate pair, as they were
        written.
        """
        try:
            arguments = json.loads(self.arguments or "{}")
            json.dumps(arguments, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            arguments = self.arguments
        return {"name": self.name, "arguments": arguments}


@dataclass(frozen=True, slots=True)
class ToolStep:
    """The calls of one turn, the result of each, and what the model wrote beside them."""

    calls: tuple[ToolCall, ...]
    results: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation, as written in a test or as sent to a model. `called`: the tools
    that an assistant turn called after its content, and what they returned.
    """

    role: Role
    content: str
    called: ToolStep | None = None

    @property
    def in_words(self) -> str:
        """What is said, called and returned, for people and for what knows no tools."""
        step = self.called
        if step is None:
            return self.content
        calls = json.dumps([call.document for call in step.calls], ensure_ascii=False)
        results = (f"→ {result}" for result in step.results)
        return "\n".join(filter(None, (self.content, calls, *results)))


def conversation_text(
    turns: Sequence[Message],
    said: Callable[[Message], str] = lambda turn: f"{turn.role}: {turn.content}",
) -> str:
    """A question alone as it is; else each turn behind its role."""
    if len(turns) == 1:
        return turns[0].content
    return "\n\n".join(map(said, turns))
