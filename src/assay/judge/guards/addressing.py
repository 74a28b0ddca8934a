"""What in an answer is written to its reader instead of being the work; found by form.

An answer is work: blocks of code or JSON, and prose about them in the task's language. A line or
sentence of prose, or a comment in a block, is none of it where

    role_mark            it has a mark of a chat template, a role before a colon, or a false end
    hidden_characters    it has characters that are not seen, or that move what is
    foreign              most of its letters are in words that neither the task nor the block nor
                         the task's language has: another language, base64, rot13, look-alikes,
                         spaced, reversed or full-width letters are all that, unread
    speaks_of_marks      it has a word of marking (builtin/marking.toml) that the task has not

No phrase is looked for, and nothing is decoded. Such an answer is read a second time without it,
and the lower reading counts: an honest answer loses nothing by that. Nothing is deleted from the
answer that is kept, shown and run.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

from assay.judge.guards.fencing import MARK, defused, without_frames, without_look_alikes
from assay.messages import tr
from assay.text.spoken_language import WORD
from assay.types.judging.judgements import (
    ChecklistAnswer,
    CriterionScore,
    Judgement,
    Rubric,
    overall_tenths,
    shown_tenths,
)

MOST_SEARCHED = 60_000  # characters: some 15,000 tokens
INJECTION = "injection_suspected"
_BUILTIN = Path(__file__).resolve().parents[2] / "builtin"
_LEAST_LETTERS = 12  # of a piece that can be foreign; less is a name or a formula
_MOST_FOREIGN = 0.5  # of a piece's letters
_LEAST_WORDS, _MOST_SIGNS = 5, 0.15  # of a line in a block that is prose; signs by letters
_LEAST_KNOWN = 0.6  # of a task's words: then its language is the one of the words

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\n`]*)$")
_PROSE = ("text", "txt", "markdown", "md", "plain", "plaintext")  # blocks of these are prose
_QUOTES = re.compile(r"\"{3}|'{3}")
_PIECES = re.compile(r"[^\n.!?。！？]*(?:[.!?。！？]+(?=\s|$|[^\x00-\x7f])|[.!?]|\n|$)[ \t]*")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--|%|;|\*|/\*)[ \t]*(\S.*)$|(\"{3}|'{3})(.*)$|<!--(.*)")
_SIGNS_OF_COMMENTS = re.compile(r"[\s#/;%*-]+|<!--")
_TOKEN = re.compile(r"[\w+/=%\\&;.·•*~|-]*\w[\w+/=%\\&;.·•*~|-]*")
_CODE_SPAN = re.compile(r"`[^`\n]{1,200}`|https?://\S+")
# A string or a name in code that is a sentence. Without it the string is empty, the name short.
_SAYING_FROM = 5  # words
_STRING = re.compile(r"(?<=[\"'])[^\"'\n]{15,2000}(?=[\"'])")
_NAME = re.compile(r"(?<!\w)[^\W_]++(?:_++[^\W_]++){4,}")
_SHORT_NAME = "name"
_ROLE_LABEL = re.compile(r"^\W{0,9}([^\W\d_]+(?:[ _-][^\W\d_]+){0,3})\s?[:：>|]")
_FALSE_END = re.compile(r"^\W{0,9}(?:[=#*<-]{2,9}|\[)[^\n]{0,40}[=#*>\]-]{1,9}\s*$")
# Scores in the forms that a judge's reply has.
_OUR_FORM = re.compile(
    r"[\"']?\b(?:correctness|completeness|code[_ ]quality|insight[_ ]quality)\b[\"'*_]{0,3}\s?:"
    r"|^\W{0,9}(?:overall score|quality rating|verdict)\W{0,4}:",
    re.IGNORECASE,
)
_BARRED = re.compile(r"<\|[^<>\n]{1,60}\|>|\[\|[^\[\]\n]{1,40}\|\]")
_OF_TEN = re.compile(r"\b10\s?/\s?10\b|\[\[\s?\d{1,2}\s?\]\]|\b100\s?/\s?100\b")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f\xad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e01ef]"
)
_JOINED = re.compile("(?<=[A-Za-z])[\u200c\u200d](?=[A-Za-z])")
# Letters as numbers or signals: binary, character references, Morse.
_UNITS = re.compile(
    r"(?:[01]{6,8}[ ,]?){5,}|(?:&#x?[0-9a-fA-F]{2,6};?\s?){5,}|(?:[.\-·–_]{1,6}[ /|]+){8,}"
)
_FIRST_OF_THE_EAST = 0x2E80  # one letter there is worth some three of an alphabet
_UNSEEN = ("hidden_characters",)  # alone, they are left out and the words stay
_FLAG_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")  # the flags of England and Scotland


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence or line. `in_block`: of a fenced block, where only comments and docstrings speak;
    `said`: what it says to people.
    """

    text: str
    in_block: bool
    said: str
    flags: tuple[str, ...] = ()
    is_literal: bool = False  # a string or a name: in any language

    @property
    def rest(self) -> str:
        """What stands there without it: code that used a name goes on using one."""
        return _SHORT_NAME if self.in_block and _NAME.fullmatch(self.text) else ""


@dataclass(frozen=True, slots=True)
class SecondReading:
    """`rest`: the answer without what addresses its reader; `blocks`: its blocks alone, "" where
    it has none.
    """

    rest: str
    blocks: str


@dataclass(frozen=True, slots=True)
class _Known:
    """Words that are no stranger to an answer, in small letters. `language`: "" is another."""

    task: frozenset[str]
    work: frozenset[str]
    language: str


@lru_cache(maxsize=256)  # each judge and repeat asks again
def flags_of(answer: str, task: str = "") -> tuple[str, ...]:
    """Codes such as `role_mark`, each once."""
    return tuple(dict.fromkeys(flag for piece in _judged(answer, task) for flag in piece.flags))


@lru_cache(maxsize=256)
def second_reading(answer: str, task: str = "") -> SecondReading | None:
    """None where nothing in the answer addresses its reader: it is read once."""
    pieces = _judged(answer, task)
    if not any(piece.flags for piece in pieces):
        return None
    kept = [
        replace(piece, text=_seen(piece.text) if piece.flags in ((), _UNSEEN) else piece.rest)
        for piece in pieces
    ]
    tail = answer[MOST_SEARCHED:]
    return SecondReading(
        rest="".join(piece.text for piece in kept) + tail,
        blocks="".join(piece.text for piece in kept if piece.in_block).strip("\n"),
    )


@lru_cache(maxsize=256)
def _judged(answer: str, task: str) -> tuple[Piece, ...]:
    text = answer[:MOST_SEARCHED]
    pieces = list(_pieces(text))
    code = " ".join(" " if piece.said else piece.text for piece in pieces if piece.in_block)
    spans = " ".join(_CODE_SPAN.findall(text))
    known = _Known(
        task=frozenset(_words(task)),
        work=frozenset(_words(code)) | frozenset(_words(spans)),
        language=_language_of(task or text),
    )
    flagged = (replace(piece, flags=tuple(_flags(piece, known))) for piece in pieces)
    return tuple(_with_turns(flagged, _marking("roles", known.language)))


def _with_turns(pieces: Iterable[Piece], roles: frozenset[str]) -> Iterator[Piece]:
    """A mark that names who speaks, and says no more, is said of the next line with words too. No
    mark reaches further: what is left out of the second reading may be what is wrong.
    """
    is_open = has_words = False
    before = ""
    for piece in pieces:
        if "role_mark" in piece.flags:
            names_who = not roles.isdisjoint(_words(piece.said))
            is_open, has_words = True, not names_who or _has_words_of_its_own(piece.said)
        elif (has_words and before.endswith("\n")) or (piece.text.strip() and not piece.said):
            is_open = False
        elif is_open and piece.text.strip():
            has_words = True
            piece = replace(piece, flags=("role_mark", *piece.flags))
        before = piece.text
        yield piece


def _has_words_of_its_own(said: str) -> bool:
    """Whether a piece with a mark of a turn has more than the mark and the role."""
    bare = without_frames(said)
    label = _ROLE_LABEL.match(bare)
    words = WORD.findall(bare[label.end() :] if label else bare)
    return len(words) > (0 if label else 1)


def _pieces(text: str) -> Iterator[Piece]:
    """Blocks line by line, with the lines of their fences; prose sentence by sentence."""
    fence = quotes = ""
    for line in _LINE.findall(text):
        mark = _FENCE.match(line.rstrip("\r\n"))
        if mark and (not fence or mark[1].startswith(fence)):
            is_prose = not fence and mark[2].strip().casefold() in _PROSE
            fence, quotes = "" if fence or is_prose else mark[1][:3], ""
            yield Piece(line, in_block=True, said="")
        elif fence:
            yield from _pieces_of_code(line, in_quotes=bool(quotes))
            for each in _QUOTES.findall(line):
                quotes = "" if quotes == each else quotes or each
        elif _UNITS.search(line):
            yield Piece(line, in_block=False, said=line)
        else:
            for one in filter(None, _PIECES.findall(line)):
                yield Piece(one, in_block=False, said=one)


def _flags(piece: Piece, known: _Known) -> Iterator[str]:
    text = _seen(piece.text)
    plain = without_look_alikes(text)
    if len(text) < len(_FLAG_TAGS.sub("", piece.text).strip("\ufeff")):
        yield from _UNSEEN
    said = _seen(piece.said)
    if _OUR_FORM.search(plain):
        yield "speaks_of_marks"
    if not said.strip():
        return
    if defused(said).count(MARK) > said.count(MARK) or _has_role(said, known):
        yield "role_mark"
    bare = _CODE_SPAN.sub(" ", said)
    if not piece.is_literal and _is_foreign(bare, known):
        yield "foreign"
    marks = set(_words(without_look_alikes(bare))) & _marking("marks", known.language)
    stems = {word.rstrip("s") for word in known.task | known.work}
    if any(word.rstrip("s") not in stems for word in marks) or _OF_TEN.search(plain):
        yield "speaks_of_marks"


def _seen(text: str) -> str:
    return _JOINED.sub("", _HIDDEN.sub("", _FLAG_TAGS.sub("", text)))


def _pieces_of_code(line: str, *, in_quotes: bool) -> Iterator[Piece]:
    """A line of a block, cut where it says something to people."""
    at = 0
    for start, end, is_literal in _said_in(line, in_quotes=in_quotes):
        if start < at:
            continue
        if not is_literal and not _SIGNS_OF_COMMENTS.sub("", line[:start] + line[end:]):
            yield Piece(line, in_block=True, said=line[start:end])  # the line is no more than that
            return
        if start > at:
            yield Piece(line[at:start], in_block=True, said="")
        said = line[start:end]
        yield Piece(said, in_block=True, said=said, is_literal=is_literal)
        at = end
    if at < len(line):
        yield Piece(line[at:], in_block=True, said="")


def _said_in(line: str, *, in_quotes: bool) -> list[tuple[int, int, bool]]:
    """Where a line of a block has a comment, the first line of a docstring, or a string or a name
    that is a sentence; all of it where it is no code.
    """
    strings = [each.span() for each in _STRING.finditer(line) if _is_sentence(each[0])]
    literals = [*strings, *(each.span() for each in _NAME.finditer(line))]
    bare = line
    for start, end in literals:
        bare = bare[:start] + " " * (end - start) + bare[end:]
    if in_quotes or _is_prose(bare):
        begin = len(line) - len(line.lstrip())
        return [(begin, len(line.rstrip()), False)] if line.strip() else []
    spans = [(start, end, True) for start, end in literals]
    if found := _COMMENT.search(line):
        group = next((number for number in (1, 3, 4) if found[number]), None)
        if group:
            start, end = found.span(group)
            spans.append((start, start + len(line[start:end].rstrip("\"'")), False))
    return sorted(spans, key=lambda span: (span[0], span[2]))


def _is_sentence(text: str) -> bool:
    return len(WORD.findall(text)) >= _SAYING_FROM


def _is_prose(line: str) -> bool:
    """A line of a block that is no code: several words and hardly a sign, another script, marks of
    a template.
    """
    letters = sum(c.isalpha() for c in line)
    signs = sum(not c.isalnum() and not c.isspace() for c in line)
    plain = without_look_alikes(line)
    strange = sum(c.isalpha() and not c.isascii() for c in plain)
    if _BARRED.search(plain) or 2 * strange > letters > 3:
        return True
    words = len(WORD.findall(line))
    return words >= _LEAST_WORDS and (signs < _MOST_SIGNS * letters or plain != line)


def _has_role(text: str, known: _Known) -> bool:
    label = _ROLE_LABEL.match(text)
    roles = set(_words(label[1])) & _marking("roles", known.language) if label else set()
    if _FALSE_END.match(text):
        words = set(_words(text))
        roles |= words & _marking("ends", known.language)
        if words and known.language and not words & (_vocabulary(known.language) | known.work):
            return not words & known.task
    return bool(roles - known.task)


def _is_foreign(text: str, known: _Known) -> bool:
    if _UNITS.search(text):
        return True
    if not known.language:
        return False
    familiar = (_vocabulary(known.language), known.task, known.work)
    letters = strange = 0
    for token in _TOKEN.findall(text):
        words = [word.casefold() for word in WORD.findall(token)]
        size = sum(3 if ord(letter) >= _FIRST_OF_THE_EAST else 1 for letter in "".join(words))
        letters += size
        is_known = words and all(any(word in some for some in familiar) for word in words)
        strange += 0 if is_known else size
    return letters >= _LEAST_LETTERS and strange > _MOST_FOREIGN * letters


def _words(text: str) -> Iterator[str]:
    return (word.casefold() for word in WORD.findall(text))


@cache
def _marking(kind: str, language: str) -> frozenset[str]:
    """Of one language; of all where it is not known."""
    document = tomllib.loads((_BUILTIN / "marking.toml").read_text("utf-8"))
    tables = (each for name, each in document.items() if language in ("", name))
    return frozenset(word for each in tables for word in each[kind])


def _language_of(text: str) -> str:
    """English or French, by their words; "": another."""
    words = list(_words(text))
    if not words:
        return "en"
    known = {name: sum(word in _vocabulary(name) for word in words) for name in ("en", "fr")}
    best = max(known, key=lambda name: known[name])
    return best if known[best] >= _LEAST_KNOWN * len(words) else ""


@cache
def _vocabulary(language: str) -> frozenset[str]:
    return frozenset((_BUILTIN / "words" / f"{language}.txt").read_text("utf-8").split())


def lower_of(read: Judgement, without: Sequence[Judgement], rubric: Rubric) -> Judgement:
    """As it was read, with the lower score of each criterion, and what that makes of it."""
    if read.unscored_reason or any(each.unscored_reason for each in without):
        return read
    second = {score.criterion: score for each in without for score in each.scores}
    scores = tuple(_lower(score, second.get(score.criterion)) for score in read.scores)
    denied = {
        one.question for each in without for one in each.facts if one.is_answered and not one.is_yes
    }
    facts = tuple(
        replace(one, answer="no" if one.answer else None, probability=_no_of(one))
        if one.question in denied
        else one
        for one in read.facts
    )
    if scores == read.scores and facts == read.facts:
        return read
    weights = {each.key: each.weight for each in rubric.criteria}
    before, after = (
        overall_tenths([(weights[one.criterion], one.score) for one in some]) or 0
        for some in (read.scores, scores)
    )
    told = tr(
        "Words that address its reader raise the score from {after} to {before}; the lower counts.",
        before=shown_tenths(before),
        after=shown_tenths(after),
    )
    return replace(
        read,
        scores=scores,
        facts=facts,
        flags=(*read.flags, INJECTION),
        weaknesses=(told, *read.weaknesses),
    )


def _lower(score: CriterionScore, other: CriterionScore | None) -> CriterionScore:
    return score if other is None or other.score >= score.score else other


def _no_of(one: ChecklistAnswer) -> float | None:
    return None if one.probability is None else min(one.probability, 0.5)
