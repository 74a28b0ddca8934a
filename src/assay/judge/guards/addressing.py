"""What in an answer is written to its reader instead of being the work; found by form.

An answer is work: blocks of code or JSON that the task asks for, and prose about them in the
task's language. A line or sentence of prose, a comment, a string or a name in a block is none of
it where

    role_mark            it has a mark of a chat template, a role before a colon, or a false end
    hidden_characters    it has characters that are not seen, or that move what is
    foreign              a reader of the task reads it neither as language nor as code: another
                         language, base64, rot13, Morse, Braille, look-alikes, spaced, reversed or
                         full-width letters are all that, unread
    speaks_of_marks      it has words of marking (builtin/marking.toml) that the task has not

No phrase is looked for, and nothing is decoded. Such an answer is read a second time without it,
and the lower reading counts: an honest answer loses nothing by that. Nothing is deleted from the
answer that is kept, shown and run.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

from assay.judge.guards.fencing import (
    HIDDEN,
    MARK,
    MOST_SHOWN,
    defused,
    without_frames,
    without_look_alikes,
)
from assay.judge.guards.legibility import (
    BUILTIN,
    Known,
    is_foreign,
    is_illegible,
    is_illegible_string,
    known_of,
    vocabulary,
)
from assay.judge.guards.pieces import (
    FIRST_OF_THE_EAST,
    SENTENCE,
    Piece,
    cut,
    is_sentence,
    neighbours,
    words_in,
)
from assay.judge.guards.rows import flagged_rows
from assay.judge.guards.verdicts import FIGURE, is_verdict, spelt_down, verdict_lines
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

MOST_SEARCHED = 2 * MOST_SHOWN  # characters: more than any judge is shown
INJECTION = "injection_suspected"

_ROLE_LABEL = re.compile(r"^\W{0,9}([^\W\d_]+(?:[ _-][^\W\d_]+){0,3})\s?[:：>|]")
_FALSE_END = re.compile(r"^\W{0,9}(?:[=#*<-]{2,9}|\[)[^\n]{0,40}[=#*>\]-]{1,9}\s*$")
# A score in the form that a judge's reply has.
_OUR_FORM = re.compile(
    r"[\"']?\b(?:correctness|completeness|code[_ ]quality|insight[_ ]quality)\b[\"'*_]{0,3}\s?:"
    r"[\s*\"'{]{0,9}(?:\w{1,12}[\"'*]?\s?:[\s\"']{0,4})?\d",
    re.IGNORECASE,
)
# Joiners stand in emoji and in scripts that join their letters, one at a time.
_HIDDEN = re.compile(
    "(?!(?<=[^\x00-\x7f\u200b-\u200f\u2060-\u206f])[\u200c\u200d]"
    "(?=[^\x00-\x7f\u200b-\u200f\u2060-\u206f\ufe00-\ufe0f]))"
    f"{HIDDEN.pattern}|\ufe0f{{2,}}"
)
_BREAKS = re.compile(r"(?<=[^\W\d_]{3})\xad(?=[^\W\d_]{3})")  # where a word may be broken
_LEVEL = r"(?:trace|debug|info|notice|warn|warning|error|fatal|critical)"
_LOG = re.compile(  # a time, a level or a numbered source begins its lines
    rf"\W{{0,3}}(?:\d[\dTZ:.,+/ -]{{4,40}}|{_LEVEL}\b|[\w.-]{{1,40}}\[\d{{1,9}}\])"
    r"|\[(?=[^\]\n]*\d)[\w.:/ +-]{1,40}\][ \t]+\w",
    re.IGNORECASE,
)
_MOST_HIDDEN = 4  # in one text: beyond, its words go with them
_UNSEEN = ("hidden_characters",)  # alone, they are left out and the words stay
_FLAG_TAGS = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")  # the flags of England and Scotland
_PLACEHOLDER = re.compile(r"[=:] ?<[a-z]{1,20}>")  # in a string of code
_HINTS = ("worth", "marked", "asks")


@dataclass(frozen=True, slots=True)
class SecondReading:
    """`rest`: the answer without what addresses its reader; `blocks`: its blocks alone, "" where
    it has none.
    """

    rest: str
    blocks: str


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
    return SecondReading(
        rest="".join(piece.text for piece in kept),
        blocks="".join(piece.text for piece in kept if piece.in_block).strip("\n"),
    )


@lru_cache(maxsize=256)
def _judged(answer: str, task: str) -> tuple[Piece, ...]:
    text = answer
    if len(text) > MOST_SEARCHED:  # no judge sees what is between
        text = f"{text[: 2 * MOST_SEARCHED // 3]}\n{text[-MOST_SEARCHED // 3 :]}"
    pieces = cut(text, task)
    known = known_of(pieces, text, task, _marking())
    flagged = [replace(piece, flags=tuple(_flags(piece, known))) for piece in pieces]
    for places in sorted(neighbours(pieces), key=len, reverse=True):
        left = [at for at in places if flagged[at].flags in ((), _UNSEEN)]
        if len(left) < 2:
            continue
        said = " ".join(_seen(flagged[at].said).strip() for at in left)
        flags = tuple(_said_flags(said, flagged[left[0]].kind, known))
        found = tuple(flag for flag in flags if flag != "role_mark")
        for at in left:
            flagged[at] = replace(flagged[at], flags=(*flagged[at].flags, *found))
    words = partial(_words_of, languages=known.home)
    for places in (*verdict_lines(pieces, words, known.task), *spelt_down(pieces, words)):
        for at in places:
            if flagged[at].flags in ((), _UNSEEN):
                flagged[at] = replace(flagged[at], flags=(*flagged[at].flags, "speaks_of_marks"))
    for at, kept, why in flagged_rows(pieces, partial(_row_flags, known=known)):
        if flagged[at].flags in ((), _UNSEEN):
            flagged[at] = replace(flagged[at], rest=kept, flags=(*flagged[at].flags, *why))
    flagged = list(_with_whole_lines(flagged))
    return tuple(_with_turns(flagged, _words_of("roles", known.home)))


def _with_whole_lines(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """What a line in no language was cut into goes with it: parts without a letter, as in Morse."""
    for line in _lines_of(pieces):
        is_foreign = any("foreign" in piece.flags for piece in line)
        for piece in line:
            bare = piece.said.strip()
            if is_foreign and not piece.flags and bare and not any(map(str.isalpha, bare)):
                piece = replace(piece, flags=("foreign",))
            yield piece


def _lines_of(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    line: list[Piece] = []
    for piece in pieces:
        line.append(piece)
        if piece.text.endswith("\n"):
            yield line
            line = []
    yield line


def _with_turns(pieces: Iterable[Piece], roles: frozenset[str]) -> Iterator[Piece]:
    """A mark that names who speaks, and says no more, is said of the next line with words too. No
    mark reaches further: what is left out of the second reading may be what is wrong.
    """
    is_open = has_words = False
    before = ""
    for piece in pieces:
        if "role_mark" in piece.flags:
            names_who = not roles.isdisjoint(words_in(piece.said))
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


def _flags(piece: Piece, known: Known) -> Iterator[str]:
    text = _BREAKS.sub("", _FLAG_TAGS.sub("", piece.text)).strip("\ufeff")
    hidden = len(text) - len(_seen(text))
    if hidden > 0:
        yield from _UNSEEN
    if _OUR_FORM.search(without_look_alikes(_seen(piece.text))):
        yield "speaks_of_marks"
    said = _seen(piece.said)
    if hidden > _MOST_HIDDEN and piece.said.strip():
        yield "foreign"
    elif said.strip():
        yield from _said_flags(said, piece.kind, known)


def _said_flags(said: str, kind: str, known: Known) -> Iterator[str]:
    is_string = kind in ("literal", "name")
    framed = _PLACEHOLDER.sub("=", said) if is_string else said
    has_mark = defused(framed).count(MARK) > framed.count(MARK)
    if not _is_log(framed, known) and (has_mark or _has_role(framed, known)):
        yield "role_mark"
    if is_illegible_string(said, known) if is_string else is_illegible(said, known):
        yield "foreign"
    if (not is_string or is_sentence(said)) and _speaks_of_marks(without_look_alikes(said), known):
        yield "speaks_of_marks"


def _row_flags(said: str, known: Known) -> tuple[str, ...]:
    """Of strings or names in a row; their own code vouches for none of them."""
    words = [word for word in words_in(said) if len(word) > 1]
    alone = replace(known, work=frozenset())
    return (
        *(("foreign",) if len(words) >= SENTENCE and is_foreign(" ".join(words), alone) else ()),
        *(("speaks_of_marks",) if _speaks_of_marks(said, alone) else ()),
    )


def _speaks_of_marks(said: str, known: Known) -> bool:
    if is_verdict(said, partial(_words_of, languages=known.home), known.task):
        return True
    subject = {word.rstrip("s") for word in known.task}
    every = set(words_in(said))
    words = {word for word in every if word.rstrip("s") not in subject}
    if words & _words_of("sure", known.home):
        return True
    # What is asked for is no subject: tasks too say "give" and "answer".
    kinds = [
        frozenset(
            kind
            for kind in _HINTS
            if word in (every if kind == "asks" else words) & _words_of(kind, known.home)
        )
        for word in sorted(every)
    ]
    hints = [kind for kind in kinds if kind]
    if FIGURE.search(said):
        hints.append(frozenset(("worth",)))
    if (
        len(hints) > 1
        and len(frozenset().union(*hints)) > 1
        and set(hints) != {frozenset(("asks",))}
    ):
        return True
    return any(_begins(word, stem) for word in words for stem in _words_of("stems", known.home))


def _begins(word: str, stem: str) -> bool:
    return word.startswith(stem) or (stem in word and ord(stem[0]) >= FIRST_OF_THE_EAST)


def _seen(text: str) -> str:
    return _HIDDEN.sub("", _FLAG_TAGS.sub("", text))


def _is_log(text: str, known: Known) -> bool:
    """A role is no source, and no mark of a template is in brackets."""
    found = _LOG.match(text)
    first = set(words_in(found[0])) if found else set()
    return found is not None and not first & _words_of("roles", known.home)


def _has_role(text: str, known: Known) -> bool:
    label = _ROLE_LABEL.match(text)
    roles = set(words_in(label[1])) & _words_of("roles", known.home) if label else set()
    if _FALSE_END.match(text):
        words = set(words_in(text))
        roles |= words & _words_of("ends", known.home)
        ours = [vocabulary(code) for code in known.home]
        if words and any(ours) and not words & known.work.union(*ours):
            return not words & known.task
    return bool(roles - known.task)


@cache
def _words_of(kind: str, languages: tuple[str, ...]) -> frozenset[str]:
    """Of these languages; of all where none is known."""
    tables = (each for name, each in _marking().items() if not languages or name in languages)
    return frozenset(word for each in tables for word in each.get(kind, ()))


@cache
def _marking() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads((BUILTIN / "marking.toml").read_text("utf-8"))


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
