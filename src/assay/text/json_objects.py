"""JSON objects that stand somewhere in a model's text.

In: any text. Out: its complete top-level objects, in order. Never from the first brace to the last:
an answer that the judge repeats may hold an object of its own. Nothing here raises, and the number
of attempts is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

LONGEST = 400_000  # characters
_MOST_ATTEMPTS = 1_000
_A_NEST = 500  # characters that are passed over where objects are nested without end


class JsonObject(dict[str, Any]):
    """A JSON object. `twice` names keys that stand in it more than once, with unlike values;
    `written` is how it stands in the text, where it is not part of another.
    """

    twice: tuple[str, ...] = ()
    written: str = ""


def objects_in(text: str) -> list[JsonObject]:
    """Every complete object that is not part of another, in order."""
    text = text[:LONGEST]
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    found: list[JsonObject] = []
    at = text.find("{")
    for _ in range(_MOST_ATTEMPTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            end = at + _A_NEST
        except ValueError:  # also: a number of thousands of digits
            end = at + 1
        else:
            value.written = text[at:end]
            found.append(value)
        at = text.find("{", end)
    return found


def is_one_object(text: str) -> bool:
    """Whether the text is one complete object and nothing else."""
    bare = text.strip()
    try:
        value, end = json.JSONDecoder().raw_decode(bare) if bare.startswith("{") else (None, 0)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and end == len(bare)


def _object(pairs: Sequence[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) < len(pairs):
        made.twice = tuple(key for key, value in pairs if made[key] != value)
    return made
