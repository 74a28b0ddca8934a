"""Runs `make.py` and `check.py` of a test folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_HOLE = re.compile(r"\{\{([^{}\n]{1,200})\}\}")


def fill(text: str, files: Mapping[str, str], truth: Mapping[str, Any]) -> str:
    """A reference or wrong answer for what `make` returned: `{{FILE}}` becomes the text of a
    shown file and `{{truth.KEY}}` a value of the truth (`{{truth.orders.0.total}}` goes into it):
    a text as it is, anything else as JSON. Holes of other names stay.
    """

    def filled(hole: re.Match[str]) -> str:
        name = hole[1].strip()
        if name in files:
            return files[name].rstrip("\n")
        first, *keys = name.split(".")
        value: Any = truth
        if first != "truth" or not keys:
            return hole[0]
        for key in keys:
            try:
                value = value[int(key)] if isinstance(value, list) else value[key]
            except (KeyError, IndexError, TypeError, ValueError):
                return hole[0]
        return value.rstrip("\n") if isinstance(value, str) else json.dumps(value)

    return _HOLE.sub(filled, text)
