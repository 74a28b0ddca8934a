"""Where the documents of a text begin: end-of-text tokens, else the highest headings; of a row of
token ids the former only.

A heading is a line `# …` or `= … =`, or a short line without end punctuation between blank lines.
Fewer than FEWEST documents are one text, whose interval holds for more of it only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.stats.documents import FEWEST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_HEADING = 80
AT_ONCE = 1 << 24  # token ids: a file of them may be larger than the memory
END_OF_TEXT = re.compile(r"<\|endoftext\|>|<\|end_of_text\|>|<\|eot_id\|>|<\|im_end\|>|</s>|<eos>")
MARKDOWN = re.compile(r"(#{1,6})[ \t]+\S.*")
WIKI = re.compile(r"(={1,6})[ \t]+(?:\S.*\S|\S)[ \t]+\1")
SENTENCE_ENDS = tuple(".!?:;,…。！？：；，)]\"'»”’")


def split_documents(text: str) -> list[str]:
    """The documents, in order, which together are the text without its end-of-text tokens; the
    whole text where there are fewer than FEWEST.
    """
    for found in (_by_tokens(text), *_by_headings(text)):
        if len(found) >= FEWEST:
            return found
    return [text]


def split_tokens(ids: NDArray[np.integer], ends: Collection[int]) -> list[tuple[int, int]]:
    """From where to where each document goes, in order; every id is in one. An end-of-text id, or
    several in a row, is the end of its document. The whole where there are fewer than FEWEST.
    """
    import numpy as np

    found = [
        start + np.flatnonzero(np.isin(ids[start : start + AT_ONCE], list(ends)))
        for start in range(0, len(ids), AT_ONCE)
    ]
    places = np.concatenate(found) + 1 if found else np.zeros(0, np.int64)
    last_of_row = places[np.append(np.diff(places) > 1, True)] if len(places) else places
    text_begins = next((at for at in range(len(places)) if places[at] != at + 1), len(places))
    cuts = [int(each) for each in last_of_row if text_begins < each < len(ids)]
    spans = list(pairwise([0, *cuts, len(ids)]))
    return spans if len(spans) >= FEWEST else [(0, len(ids))]


def _by_tokens(text: str) -> list[str]:
    return [part for part in END_OF_TEXT.split(text) if part.strip()]


def _by_headings(text: str) -> Iterator[list[str]]:
    """By the highest level of Markdown's headings, by that of a wiki's, by short lines alone."""
    lines = text.splitlines(keepends=True)
    for pattern in (MARKDOWN, WIKI):
        levels = {
            number: len(found[1])
            for number, line in enumerate(_outside_code(lines))
            if (found := pattern.fullmatch(line.strip()))
        }
        if levels:
            highest = min(levels.values())
            yield _cut(lines, [number for number, level in levels.items() if level == highest])
    yield _cut(lines, [number for number in range(len(lines)) if _is_title(lines, number)])


def _outside_code(lines: list[str]) -> Iterator[str]:
    """A `# ` inside a fence is a comment."""
    inside = False
    for line in lines:
        fence = line.lstrip().startswith(("```", "~~~"))
        inside ^= fence
        yield "" if inside or fence else line


def _is_title(lines: list[str], number: int) -> bool:
    line = lines[number].strip()
    if not line or len(line) > LONGEST_HEADING or line.endswith(SENTENCE_ENDS):
        return False
    if not line[0].isalnum() or not any(letter.isalpha() for letter in line):
        return False
    before = number == 0 or not lines[number - 1].strip()
    after = number + 1 < len(lines) and not lines[number + 1].strip()
    return before and after


def _cut(lines: list[str], starts: list[int]) -> list[str]:
    """What comes before the first heading is a document as well; headings that follow each other
    without a text between them begin one.
    """
    ends = [*starts, len(lines)]
    parts = ["".join(lines[: ends[0]])]
    parts += ["".join(lines[a:b]) for a, b in pairwise(ends)]
    found: list[str] = []
    carried = ""
    for part in parts:
        body = part.strip().partition("\n")[2] if part is not parts[0] else part
        if part is not parts[0] and not body.strip():
            carried += part
        elif part.strip():
            found.append(carried + part)
            carried = ""
        else:
            carried += part
    if carried and found:
        found[-1] += carried
    return found
