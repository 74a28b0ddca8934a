"""Writes the JSON of an answer out as a list, so that it is read like any other.

In: the lines of an answer, and what tells that a line was copied from the source. Out: the lines,
with `{"largest_order": {"order": "A1", "amount": 5}}` as "- largest order: order: A1, amount: 5".
What is no JSON, or holds a copied line, stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

_FENCE = re.compile(r"[ ]{0,3}(?:```|~~~)")
_MOST_NESTED = 6
_FEW = 3  # entries of an object that stay on the line of its key
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def with_json_written_out(lines: Sequence[str], is_copied: Callable[[str], bool]) -> list[str]:
    """The lines of an answer, each block of JSON as a list."""
    if lines and lines[0].lstrip()[:1] in ("{", "["):
        return _written_out(lines, is_copied)
    shown: list[str] = []
    block: list[str] | None = None
    for line in lines:
        if not _FENCE.match(line):
            (shown if block is None else block).append(line)
        elif block is None:
            shown.append(line)
            block = []
        else:
            shown += [*_written_out(block, is_copied), line]
            block = None
    return [*shown, *(block or ())]


def _written_out(block: Sequence[str], is_copied: Callable[[str], bool]) -> list[str]:
    if not block or block[0].lstrip()[:1] not in ("{", "[") or any(map(is_copied, block)):
        return list(block)
    try:
        value = json.loads("\n".join(block), parse_float=str, parse_int=str, parse_constant=str)
        return _items(value, 0)
    except (ValueError, RecursionError):
        return list(block)


def _items(value: Any, level: int) -> list[str]:
    if level > _MOST_NESTED:
        return []
    indent = "  " * level
    if isinstance(value, dict):
        return [line for key, one in value.items() for line in _entry(_words(key), one, level)]
    if isinstance(value, list):
        return [
            line
            for one in value
            for line in (
                _items(one, level) if _is_nested(one) else [f"{indent}- {_on_one_line(one)}"]
            )
        ]
    return [f"{indent}- {_on_one_line(value)}"]


def _entry(key: str, value: Any, level: int) -> list[str]:
    indent = "  " * level
    plain_list = isinstance(value, list) and not any(isinstance(one, dict | list) for one in value)
    short = isinstance(value, dict) and len(value) <= _FEW and not _is_nested(value)
    if plain_list or short or not isinstance(value, dict | list):
        return [f"{indent}- {key}: {_on_one_line(value)}"]
    return [f"{indent}- {key}:", *_items(value, level + 1)]


def _is_nested(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(
        isinstance(one, dict) or (isinstance(one, list) and _is_nested(one)) for one in parts
    )


def _on_one_line(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{_words(key)}: {_on_one_line(one)}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_on_one_line, value))
    return " ".join(str(value).split())


def _words(key: str) -> str:
    return _CAMEL.sub(" ", key).replace("_", " ")
