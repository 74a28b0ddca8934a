"""Whether a text that is being written has reached a stop string. Only its end is decoded, and only
if the newest token holds the last character of one.
"""

from collections.abc import Callable, Sequence

_BROKEN = "\N{REPLACEMENT CHARACTER}"  # what decoders put for bytes that are not a whole character
_MORE_TOKENS = 4  # a character has up to four bytes, and each may be a token


class StopStrings:
    """The stop strings of one request; `first_line` also ends at a line's end behind some text."""

    def __init__(
        self,
        decode: Callable[[Sequence[int]], str],
        stops: Sequence[str],
        *,
        first_line: bool = False,
    ) -> None:
        self._decode = decode
        self._stops = tuple(stop for stop in dict.fromkeys(stops) if stop)
        self._first_line = first_line
        self._longest = max(map(len, self._stops), default=1)
        self._lasts = {stop[-1] for stop in self._stops} | ({"\n"} if first_line else set())
        self._pieces: dict[int, str] = {}

    def __call__(self, ids: Sequence[int]) -> bool:
        """Whether the newest id completes a stop; it is asked after every id."""
        if not ids or not self._lasts or not self._may_end(ids[-1]):
            return False
        tail = self._tail(ids)
        if any(stop in tail for stop in self._stops):
            return True
        if not self._first_line or "\n" not in tail:
            return False
        # The text before a blank end may lie further back.
        near = _end_of_line(tail.lstrip(_BROKEN))
        return near is not None or _end_of_line(self._decode(ids)) is not None

    def read(self, ids: Sequence[int]) -> str:
        return self.cut(self._decode(ids)).strip()

    def cut(self, text: str) -> str:
        ends = [text.find(stop) for stop in self._stops]
        if self._first_line and (end := _end_of_line(text)) is not None:
            ends.append(end)
        return text[: min((end for end in ends if end >= 0), default=len(text))]

    def _may_end(self, newest: int) -> bool:
        """Alone, some decoders drop a leading space, and a piece of a character shows nothing."""
        if newest not in self._pieces:
            self._pieces[newest] = " " + self._decode([newest])
        piece = self._pieces[newest]
        return piece == " " or _BROKEN in piece or any(last in piece for last in self._lasts)

    def _tail(self, ids: Sequence[int]) -> str:
        """The newest token's text, and before it as many characters as the longest stop has."""
        wanted = self._longest + len(self._pieces[ids[-1]])
        count = self._longest + _MORE_TOKENS
        while True:
            text = self._decode(ids[-count:])
            # A tail may begin inside a character, and special ids have no text at all.
            if count >= len(ids) or len(text.lstrip(_BROKEN)) >= wanted:
                return text
            count *= 2


def _end_of_line(text: str) -> int | None:
    begins = len(text) - len(text.lstrip())
    end = text.find("\n", begins)
    return end if begins < len(text) and end >= 0 else None
