"""How names and values from a file are put into a sentence, on one line; and "did you mean"."""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from assay.messages import tr

SHOWN_CHARACTERS = 60
_NEAR_ENOUGH = 60.0  # of 100: 'heading' finds 'header', 'english' finds 'eng', 'x' finds nothing


def shown(text: str) -> str:
    """A text in one line: control characters escaped, the middle of a long one left out."""
    if len(text) > SHOWN_CHARACTERS:
        text = f"{text[: SHOWN_CHARACTERS - 16]}…{text[-15:]}"
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def label(path: Iterable[str | int]) -> str:
    """A path inside a test as its author would write it: `expected_format.min_length`."""
    parts = list(path)
    if parts and isinstance(parts[0], int):  # the test's own number in its file
        parts = parts[1:]
    steps = (f"[{part}]" if isinstance(part, int) else f".{shown(part)}" for part in parts)
    return "".join(steps).removeprefix(".")


def described(value: object) -> str:
    """A value, as the end of a sentence that says what was found instead."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    number = tr("a number")
    kinds: dict[type, str] = {int: number, float: number, str: tr("a text")}
    kinds |= {list: tr("a list"), dict: tr("an object")}
    return kinds.get(type(value), tr("a date or a time"))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant."""
    # Only a mistake needs it, and it takes longer to import than a small suite to load.
    from rapidfuzz import fuzz, process

    found = process.extractOne(
        name, list(known), scorer=fuzz.ratio, processor=_plain, score_cutoff=_NEAR_ENOUGH
    )
    return found[0] if found else None


def did_you_mean(problem: str, name: str, known: Iterable[str]) -> str:
    """The problem, with the nearest known name, or else with all of them."""
    names = list(known)
    meant = nearest(name, names)
    if meant is not None:
        return tr("{problem}; did you mean '{meant}'?", problem=problem, meant=shown(meant))
    if not names:
        return problem
    return tr(
        "{problem}; expected one of {names}", problem=problem, names=", ".join(map(shown, names))
    )


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


def did_you_mean_path(problem: str, path: Path) -> str:
    """The problem, with the nearest name in the same folder where one is near."""
    with suppress(OSError, ValueError):
        meant = nearest(path.name, (each.name for each in path.parent.iterdir()))
        if meant is not None:
            return did_you_mean(problem, path.name, [meant])
    return problem
