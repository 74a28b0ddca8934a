"""The sentences of an answer and what is set off in them: what every language writes alike.

Words are runs of letters, marks and digits; in a script without spaces each character is one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from assay.text.folding import fold_for_matching
from assay.text.late_pattern import found_behind, late_pattern

# Answers stand at the beginning or the end, and one hostile megabyte must not stop a run.
HEAD, TAIL = 4_000, 16_000  # what is read of a longer answer; the bound keeps junk cheap
_MOST_SENTENCES = 400  # of which the first and the last are read
# Scripts that write no spaces: kana, Han, Thai, Lao, Burmese, Khmer.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff"  # of letters, not \w
WORD = re.compile(rf"[{UNSPACED}]|(?:[^\W_{UNSPACED}]+|[{_MARKS}]+)+")
_UNSPACED_FIRST = re.compile(f"[{UNSPACED}]")
_WORDS_OF_LATIN = bytes(code if chr(code).isalnum() else ord(" ") for code in range(256))
_STOP = late_pattern(
    r"(?:(?<!\b\w)(?<!\b[A-Z][b-df-hj-np-tv-z])(?<!\bMrs)(?<!\bProf)\.(?:\.\.)?|[!?…]|\.{2,})"
    r"[!?.…]{0,9}[\"'”»’)\]*_`]{0,6}(?:\s+|\Z)|[。！？｡।॥؟]+[」』”）)]{0,4}\s*"
)
_STOP_SIGN = re.compile("[.!?…。！？｡।॥؟]")
_LINE_MARK = late_pattern(
    r"[ \t]*(?:(?:>|#{1,6}|[-*+•◦▪‣●–—]|\[[ xX]?\]|\d{1,3}[.)](?=[ \t]+\D))[ \t]+){1,4}(?=[^\s\d])"
)
_FENCE_LINE = late_pattern(r"^[ \t]{0,3}(?:`{3,}|~{3,})[\w+-]{0,20}[ \t]*$", re.MULTILINE)
_SET_OFF = late_pattern(
    r"(?<![\w*])(\*{1,3}|__)(?=[^\s*])([^\n*]{1,200}?)(?<=\S)\1(?![\w*])"
    r"|(?<!`)(`{1,2})(?=\S)([^\n`]{1,200}?)\3(?!`)|(?<!\w)\$([^\n$]{1,80})\$"
    r"|“([^“”\n]{1,200})”|„([^„“”\n]{1,200})[“”]|«([^«»\n]{1,200})»|「([^「」\n]{1,200})」|『([^『』\n]{1,200})』"
    r"|‘([^‘’\n]{1,200})’(?!\w)|(?<![\w\"])\"([^\"\n]{1,200})\"|(?<!\w)'([^'\n]{1,200})'(?!\w)"
)
_SET_OFF_SIGN = re.compile("[*_`\"'“„«「『‘$]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or line. `asks`: it ends in a question mark; `alone`: it is a whole line;
    `listed`: its line has the mark of a list.
    """

    text: str
    asks: bool = False
    exclaims: bool = False
    alone: bool = False
    listed: bool = False


def shorten(text: str) -> str:
    """The beginning and the end of a long text."""
    return text if len(text) <= HEAD + TAIL else text[:HEAD] + "\n" + text[-TAIL:]


@lru_cache(maxsize=8)  # an answer is read in several ways
def sentences(text: str) -> tuple[Sentence, ...]:
    """Line by line, without the marks of lists, headings and quotes; each line cut at its stops."""
    if "```" in text or "~~~" in text:
        text = _FENCE_LINE.sub("", text)
    found: list[Sentence] = []
    for line in text.splitlines():
        mark = None if line[:1].isalpha() else _LINE_MARK.match(line)
        line = (line[mark.end() :] if mark else line).strip()
        if line:
            parts = [*_parts(line)]
            found += [
                Sentence(
                    part,
                    part.rstrip(" *_`\"'”»)")[-1:] in "?？؟",
                    part.endswith(("!", "！")),
                    len(parts) == 1,
                    mark is not None,
                )
                for part in parts
            ]
    if len(found) > _MOST_SENTENCES:
        found = found[: _MOST_SENTENCES // 2] + found[-_MOST_SENTENCES // 2 :]
    return tuple(found)


def _parts(line: str) -> Iterator[str]:
    if not _STOP_SIGN.search(line, 0, len(line) - 1):
        yield line
        return
    done, word = 0, WORD.search(line)
    for stop in found_behind(_STOP_SIGN, _STOP, line):
        if word and word.start() < stop.end():
            yield line[done : stop.end()].strip()
            done = stop.end()
            word = WORD.search(line, done)
    rest = line[done:].strip()
    if rest:
        yield rest


def set_off(text: str) -> list[str]:
    """What a sentence has in bold, in quotes or as code."""
    if not _SET_OFF_SIGN.search(text):
        return []
    return [
        next(filter(None, found.groups()[1:2] + found.groups()[3:]), "")
        for found in _SET_OFF.finditer(text)
    ]


@lru_cache(maxsize=16)  # the rules ask for those of the same sentence
def words_in(text: str) -> tuple[str, ...]:
    """The words of a text, folded."""
    return tuple(words_as_written(fold_for_matching(text)))


def words_as_written(text: str) -> list[str]:
    """The words of a text, as `WORD` finds them; most as bytes, in a fifth of the time."""
    try:
        return text.encode("latin-1").translate(_WORDS_OF_LATIN).decode("latin-1").split()
    except UnicodeEncodeError:
        return WORD.findall(text)


def is_unspaced(text: str) -> bool:
    """Whether a text begins in a script that writes no spaces between words."""
    return not text.isascii() and _UNSPACED_FIRST.match(text) is not None
