"""What is asked: `prompt` or `messages`, the system prompt, live turns."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from assay.files.notes import Notes
from assay.files.places import Path
from assay.messages import tr
from assay.suites.test_format.fields import CommonFields
from assay.types import Message

Raw = dict[str, Any]


def check_conversation(raw: Raw, path: Path, notes: Notes, *, sound: bool) -> None:
    """Note what is wrong with the turns as a whole; `sound`: each field by itself is right."""
    if "prompt" in raw and "messages" in raw:
        notes.error(
            (*path, "messages"),
            tr("a test has either 'prompt' or 'messages', not both"),
            about_key=True,
        )
    elif "messages" in raw:
        if sound:
            _check_turns(raw, path, notes)
    elif "prompt" not in raw:
        notes.error(path, tr("the test asks nothing; it needs 'prompt' or 'messages'"))
    elif raw.get("live") is True:
        _warn_not_live(path, notes)


def turns(asked: CommonFields) -> tuple[Message, ...]:
    if "prompt" in asked:
        return (Message("user", asked["prompt"]),)
    spoken = asked.get("messages", ())
    return tuple(Message(turn.role, turn.content) for turn in spoken if turn.role != "system")


def system_prompt(asked: CommonFields, default: str | None) -> str | None:
    """The test's own, else the suite's. An empty one of its own is kept, and means: none, whatever
    the suite or a user says.
    """
    if "system" in asked:
        return asked["system"]
    if "messages" in asked and asked["messages"][0].role == "system":
        return asked["messages"][0].content
    return default or None


def _check_turns(raw: Raw, path: Path, notes: Notes) -> None:
    roles = [turn["role"] for turn in raw["messages"]]
    _check_system(raw, roles, path, notes)
    if roles[-1] != "user":
        notes.error(
            (*path, "messages", len(roles) - 1),
            tr("the last message must come from the user, not from '{role}'", role=roles[-1]),
        )
    in_a_row = [
        index
        for index, (before, after) in enumerate(pairwise(roles), 1)
        if before == after == "user"
    ]
    if in_a_row and raw.get("live") is not True:
        notes.error(
            (*path, "messages", in_a_row[0]),
            tr(
                "two user turns in a row: put an assistant turn between them, or "
                '"live": true to ask them one after the other'
            ),
        )
    if raw.get("live") is True and roles.count("user") < 2:
        _warn_not_live(path, notes)


def _check_system(raw: Raw, roles: list[str], path: Path, notes: Notes) -> None:
    if "system" in raw and "system" in roles:
        notes.error(
            (*path, "system"),
            tr("the system prompt appears twice: in 'system' and in 'messages'; keep one"),
            about_key=True,
        )
    for index, role in enumerate(roles):
        if role == "system" and index > 0:
            message = tr("a system message can only be the first one")
            notes.error((*path, "messages", index), message)


def _warn_not_live(path: Path, notes: Notes) -> None:
    message = tr("'live' changes nothing here: it needs at least two user turns")
    notes.warning((*path, "live"), message, about_key=True)
