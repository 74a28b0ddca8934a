"""Text caught from a terminal, as `ollama run MODEL > FILE` leaves it, as a reader saw it: colours,
cursors and titles are gone, and a word that was taken back and written again is there once.
"""

import re

_TAKEN_BACK = re.compile(r"\x1b\[(\d{0,3})D\x1b\[0?K")
_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erasing
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # other strings
    r"|\x1b[ -/]*[0-~]"
)


def drop_terminal_codes(text: str) -> str:
    if "\x1b" not in text:
        return text
    kept = ""
    at = 0
    for found in _TAKEN_BACK.finditer(text):
        kept += _CODES.sub("", text[at : found.start()])
        kept = kept[: len(kept) - int(found[1] or 1)]
        at = found.end()
    return kept + _CODES.sub("", text[at:])
