"""Small tools for composed wordings.

In: patterns such as `(show|print) the size of {file}`. Out: one wording drawn from them; sentences
in the third person; question and answer joined as `assay` joins them for a base model. Refuses to
know: what is being said.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
_GROUP = re.compile(r"\(([^()]*\|[^()]*)\)")
_BLANKS = re.compile(r" {2,}")
_DOUBLED = frozenset(
    ("get", "put", "set", "cut", "stop", "grep", "untar", "scan", "drop", "let", "run", "strip")
)
_ENDS = (".", "?", "!", "…")


def sections(name: str) -> dict[str, list[str]]:
    """The lines of a text file beside this one, by the `== headings ==` they stand under."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("== ") and line.endswith(" =="):
            lines = found.setdefault(line[3:-3], [])
        elif line:
            lines.append(line.replace("\\n", "\n"))
    return found


def drawn(pattern: str, draw: random.Random) -> str:
    """One of the wordings of a pattern: each `(a|b)` becomes a or b, from the inside out."""
    while True:
        pattern, replaced = _GROUP.subn(lambda m: draw.choice(m[1].split("|")), pattern)
        if not replaced:
            return _BLANKS.sub(" ", pattern).replace(" ,", ",").replace(" ?", "?").strip()


def third_person(phrase: str) -> str:
    """`copy the file` as it stands behind `the command that`: copies the file."""
    verb, _, rest = phrase.partition(" ")
    if verb.endswith(("s", "sh", "ch", "x", "z")) or verb in ("go", "do"):
        verb += "es"
    elif verb.endswith("y") and verb[-2:-1] not in "aeiou":
        verb = verb[:-1] + "ies"
    else:
        verb += "s"
    return f"{verb} {rest}"


def gerund(phrase: str) -> str:
    """`copy the file` as it stands behind `a command for`: copying the file."""
    verb, _, rest = phrase.partition(" ")
    if verb in _DOUBLED:
        verb += verb[-1] + "ing"
    elif verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1] + "ing"
    else:
        verb += "ing"
    return f"{verb} {rest}"


def asked(frame: str, phrase: str) -> str:
    """A frame with what is to be done put in: {p} as it is, {s} third person, {g} gerund."""
    forms = {
        "{p}": phrase,
        "{P}": capitalised(phrase),
        "{s}": third_person(phrase),
        "{g}": gerund(phrase),
        "{G}": capitalised(gerund(phrase)),
    }
    for mark, form in forms.items():
        frame = frame.replace(mark, form)
    return frame


def capitalised(phrase: str) -> str:
    """The first letter as a capital, the others as they are."""
    return phrase[:1].upper() + phrase[1:]


def pair(question: str, answer: str) -> str:
    """A whole question is answered on the next line, a begun sentence or a colon on its own."""
    on_next_line = "\n" in answer or question.endswith(_ENDS)
    return question + ("\n" if on_next_line else " ") + answer
