"""Runs make(seed) of a test folder.

In: the source of make.py, a seed. Out: shown files and hidden truth, as JSON holds them.
"""

import json
from typing import Any

_MOST_MADE = 4_000_000  # characters of JSON


class BadResult(Exception):
    """What make.py or check.py gave is not of the form that is asked for."""


def run_make(source: str, seed: int) -> dict[str, Any]:
    """{"files": {name: text}, "truth": {...}}. Raises BadResult, and whatever make(seed) raises."""
    names: dict[str, Any] = {"__name__": "make"}
    exec(compile(source, "make.py", "exec"), names)
    if not callable(names.get("make")):
        raise BadResult("make.py has no function make(seed)")
    made = names["make"](seed)
    if not isinstance(made, dict) or set(made) - {"files", "truth"}:
        raise BadResult('make(seed) must give {"files": {name: text}, "truth": {...}}')
    files, truth = made.get("files", {}), made.get("truth", {})
    if not isinstance(files, dict) or not all(
        isinstance(name, str) and isinstance(text, str) for name, text in files.items()
    ):
        raise BadResult('the "files" of make(seed) must map names to texts')
    if not isinstance(truth, dict):
        raise BadResult('the "truth" of make(seed) must be a dict')
    text = json.dumps({"files": files, "truth": truth}, allow_nan=False)
    if len(text) > _MOST_MADE:
        raise BadResult("make(seed) gives too much")
    back: dict[str, Any] = json.loads(text)
    return back
