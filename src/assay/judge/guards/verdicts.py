"""Verdicts by their form: names of criteria beside numbers, and words that first letters spell.

a sentence   two names of criteria, each beside a number from 0 to 100, whatever stands between
a figure     one name directly beside a number with its scale: "score: 9 of 10"
lines        neighbours with a name first and a number last; a table whose columns are names
down         eight or more lines whose first letters spell words of marking
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise

from assay.judge.guards.pieces import Piece, words_in

Words = Callable[[str], Collection[str]]  # the words of marking of one kind

# A number with its scale: one of the kinds of words of marking, and never enough alone.
FIGURE = re.compile(
    r"\b\d{1,3}(?:[.,]\d)?\s?(?:/|out of|of|sur|von)\s?100?\b(?![.,/]?\d)|\[\[\s?\d{1,2}\s?\]\]"
)
# With an article it is a mark and no count.
_A_MARK = re.compile(
    rf"(?i)\b(?:an?|une?)\s+(?:{FIGURE.pattern}|(?-i:ten)\b)(?=\s*(?:[.,;:!?)]|$))"
)
_TOKEN = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+|[|\n]")
_COUNT = re.compile(r"\b\d+(?:[.,]\d+)?\s+([^\W\d_]{3,}s)\b")  # of things: no score
_HIGHEST = 100
_MOST_BETWEEN = 4  # words of a sentence between a name and its number
_MOST_BEFORE = 1  # between a number and a name behind it
_NEXT = 2  # lines
_FIRST_LETTER = re.compile(r"^[\W\d_]*([^\W\d_])")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s")
_LEAST_LINES = 8
_LONG_WORD, _SHORT_WORD = 5, 3  # letters of a word that is spelt; of two


def is_verdict(text: str, words: Words, task: Collection[str]) -> bool:
    """Of a sentence or a row of a table."""
    if _A_MARK.search(text):
        return True
    return _are_names(_names_beside(text, words), task) or _has_scored_name(text, words, task)


def verdict_lines(
    pieces: Sequence[Piece], words: Words, task: Collection[str]
) -> Iterator[list[int]]:
    """Places of neighbouring pieces that give a verdict together."""
    named = [
        (at, found)
        for at, piece in enumerate(pieces)
        if _may_judge(piece) and (found := _names_of_line(piece.said, words))
    ]
    run, names = list[int](), set[str]()
    for at, found in named:
        if run and pieces[at].line - pieces[run[-1]].line > _NEXT:
            if _are_names(names, task):
                yield run
            run, names = [], set()
        run.append(at)
        names |= found
    if _are_names(names, task):
        yield run
    yield from _columns(pieces, words, task)


def spelt_down(pieces: Sequence[Piece], words: Words) -> Iterator[list[int]]:
    """Places of the lines whose first letters are words of marking, with what is between."""
    lines = dict[int, int]()  # line: its first piece
    for at, piece in enumerate(pieces):
        if not piece.in_block and piece.kind == "prose" and piece.said.strip():
            lines.setdefault(piece.line, at)
    first = [(lines[line], found[1]) for line in lines if (found := _letter(pieces[lines[line]]))]
    bullets = [(at, letter) for at, letter in first if _BULLET.match(pieces[at].said)]
    spelt = sorted({word for kind in _KINDS for word in words(kind)}, key=len, reverse=True)
    for some in (first, bullets):
        text = "".join(letter.casefold()[:1] for _, letter in some)
        if len(text) < _LEAST_LINES:
            continue
        spans = list(_spelt(text, spelt))
        longest = max((end - begin for begin, end in spans), default=0)
        if longest >= _LONG_WORD or len(spans) > 1:
            begin, end = min(spans)[0], max(spans)[1]
            taken = {pieces[at].line for at, _ in some[begin:end]}
            yield [at for at, piece in enumerate(pieces) if piece.line in taken]


_KINDS = ("sure", "worth", "marked", "asks")


def _letter(piece: Piece) -> re.Match[str] | None:
    return _FIRST_LETTER.match(piece.said)


def _spelt(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    taken = [False] * len(text)
    for word in words:
        for found in re.finditer(re.escape(word), text) if len(word) >= _SHORT_WORD else ():
            begin, end = found.span()
            if not any(taken[begin:end]):
                taken[begin:end] = [True] * (end - begin)
                yield begin, end


def _may_judge(piece: Piece) -> bool:
    return piece.kind in ("prose", "comment") and bool(piece.said.strip())


def _are_names(names: Collection[str], task: Collection[str]) -> bool:
    """Two, of which the task has at most one."""
    return len(names) > 1 and any(name not in task for name in names)


def _names_beside(text: str, words: Words) -> set[str]:
    """Names with a number of their own; a short one is a name only before its number."""
    nouns, short = words("names"), words("short")
    spelt = words("numbers")
    found, name, since, number, passed = set[str](), "", 0, False, 0
    units = {*nouns, *short, *words("worth"), *words("marked")}
    counted = _COUNT.sub(lambda it: it[0] if it[1].casefold() in units else " ", text)
    for token in _TOKEN.findall(counted):
        word = token.casefold()
        if word in nouns or word in short:
            if number and passed <= _MOST_BEFORE and word in nouns:
                found.add(word)
                word = ""
            name, since, number = word, 0, False
        elif word in spelt or _is_score(word):
            if name and since <= _MOST_BETWEEN:
                found.add(name)
            name, number, passed = "", not name, 0
        else:
            since += 1
            passed += 1
    return {_stem(word) for word in found}


def _stem(name: str) -> str:
    """`correct` and `correctness` are one name."""
    return name.removesuffix("ness").rstrip("s")


def _is_score(token: str) -> bool:
    return token[0].isdecimal() and float(token.replace(",", ".")) <= _HIGHEST


def _has_scored_name(text: str, words: Words, task: Collection[str]) -> bool:
    """A name with nothing but signs between it and a number with its scale."""
    for found in FIGURE.finditer(text):
        before = re.search(r"([^\W\d_]+)[\W_]{0,6}(?:is\s+)?$", text[: found.start()][-40:])
        if before and before[1].casefold() in words("names") and before[1].casefold() not in task:
            return True
    return False


def _names_of_line(said: str, words: Words) -> set[str]:
    """Those beside a number, or one at the beginning of a line that ends with a number."""
    tokens = _TOKEN.findall(said.strip().strip("|"))
    found = _names_beside(said, words)
    if tokens and (tokens[-1].casefold() in words("numbers") or _is_score(tokens[-1])):
        begin = {word.casefold() for word in tokens[:2]}
        found |= {_stem(word) for word in begin & {*words("names"), *words("short")}}
    return found


def _columns(pieces: Sequence[Piece], words: Words, task: Collection[str]) -> Iterator[list[int]]:
    """A heading of names of criteria, with numbers below them."""
    names = {*words("names"), *words("short")}
    rows = dict[int, list[int]]()
    for at, piece in enumerate(pieces):
        if piece.kind == "prose" and piece.said.strip():
            rows.setdefault(piece.line, []).append(at)
    texts = {line: "".join(pieces[at].said for at in some) for line, some in rows.items()}
    lines = [line for line, text in texts.items() if "|" in text and any(map(str.isalnum, text))]
    for above, below in pairwise(lines):
        if below - above > _NEXT:
            continue
        heads, cells = (
            [cell.strip(" *_`").casefold() for cell in texts[line].strip().strip("|").split("|")]
            for line in (above, below)
        )
        found = {
            _stem(word)
            for head, cell in zip(heads, cells, strict=False)
            if re.match(r"\d+(?:[.,]\d+)?(?!\w)", cell)
            for word in words_in(head)
            if word in names
        }
        if _are_names(found, task):
            yield [*rows[above], *rows[below]]
