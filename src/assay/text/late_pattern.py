"""Patterns compiled at their first use: of some ninety that read answers a run needs a few."""

import re
from collections.abc import Iterator
from typing import Any, cast


class _LatePattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """The method asked for; kept, so that it is found the second time without this."""
        method = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, method)
        return method


def late_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As re.compile, which took 50 ms of a core for the two checks that most suites have."""
    return cast(re.Pattern[str], _LatePattern(pattern, flags))


def found_behind(
    signs: re.Pattern[str], pattern: re.Pattern[str], text: str
) -> Iterator[re.Match[str]]:
    """As `pattern.finditer`, where every match begins with one of a few signs: only their places
    are tried. A pattern that begins with a choice or a look behind is else tried at every place.
    """
    at = signs.search(text)
    while at is not None:
        found = pattern.match(text, at.start())
        if found is not None:
            yield found
        at = signs.search(text, found.end() if found else at.end())
