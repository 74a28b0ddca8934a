"""What the viewer shows: runs in a list, the tests of a run page by page, one sample whole."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run in the list. `answered` of `planned` tries have a score or failed; `newest`: when the
    last of them was stored. Times are ISO 8601 texts in UTC.
    """

    id: str
    created: str
    finished: str | None
    newest: str | None
    models: tuple[str, ...]
    specs: tuple[str, ...]
    suites: tuple[str, ...]
    planned: int
    answered: int
    repeats: int
    command: str
