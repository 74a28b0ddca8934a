"""Names that an answer gives: spelt as the data spell them, and none that the data do not hold.

In: values of a block, hostile, and the names of the data. Out: an object with known keys; a Check.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from .comparing import same_text, show
from .facts import Check

_MOST_NAMES = 300


def spell_keys(
    value: Any, names: Iterable[str], same: Callable[[Any, Any], bool] = same_text
) -> dict[str, Any]:
    """An object with its keys spelt as in `names`; other keys stay. A name that is given twice has
    the list of its values. What is no object, or has too many keys, is an empty one.
    """
    known = list(names)
    found: dict[str, Any] = {}
    if isinstance(value, dict) and len(value) <= _MOST_NAMES:
        for key, one in value.items():
            name = next((name for name in known if same(key, name)), key)
            found[name] = [found[name], one] if name in found else one
    return found


def mentions(given: object, name: str) -> bool:
    """Whether a text holds a name, whatever else stands around it and between its letters."""
    return isinstance(given, str | int) and _letters(name) in _letters(str(given))


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text[:1000]).casefold()
    return "".join(one for one in folded if one.isalnum())


def check_names(
    name: str,
    given: Iterable[Any],
    known: Iterable[str],
    *,
    same: Callable[[Any, Any], bool] = same_text,
    weight_failed: float = 1,
) -> Check:
    """Whether every name that an answer gives is one of the data's. To invent nothing is worth 1;
    to invent something can cost more.
    """
    names, texts = list(known), [one for one in given if one is not None]
    if len(texts) > _MOST_NAMES:
        return Check(name, False, f"the block gives {len(texts)} names", weight_failed)
    strange = [one for one in texts if not any(same(one, other) for other in names)]
    if not strange:
        return Check(name, True, "the block names only what is in the data")
    why = f"not in the data: {', '.join(show(one, 40) for one in strange[:5])}"
    return Check(name, False, why, weight_failed)
