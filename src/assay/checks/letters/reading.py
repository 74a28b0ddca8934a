r"""Reads the letter an answer chooses.

Every letter by itself is a mention. A mention is read with the words around it, and the first of
these that gives a letter decides:

    ticked  the one line that is ticked       - [x] B. Paris   ☑ B
    whole   the reply is the letter           B   (b)   **B**.   $B$   \boxed{B}
    text    the reply is an option's text     Paris
    cue     the last one a cue announces      Answer: B   La bonne réponse est la B   B is correct
    alone   a line or an emphasis of its own  …\nB   so **B** it must be
    lead    the reply begins with it          B) Paris   B because   B) Paris\n\nWhy not A) …
    hint    the only one a weak cue announces option B   it's B   c'est B   enye B
    counted the only one an ordinal points to the second option   la deuxième
    text    the only option whose text is in  It is Paris.
    end     the only one that ends a clause   A is wrong, so B

A negated mention ("not A", "A is wrong") never counts, nor the article "a" and its kin. Mentions
that share one cue ("A or B") are several answers, and so none.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assay.checks.keywords import occurs
from assay.checks.letters import patterns
from assay.checks.letters.options import Options, options_in
from assay.frozen import speed_up_init
from assay.text.answer_words import ONE_CLAIM, is_denied
from assay.text.dressing import EMOJI, plain_reply
from assay.text.folding import fold_for_matching, straight_apostrophes

How = Literal[
    "ticked", "whole", "cue", "alone", "lead", "hint", "counted", "text", "end", "none", "several"
]

# An answer in the middle of 20,000 characters is none; the bound keeps junk from costing minutes.
_HEAD, _TAIL = 4_000, 16_000
_BEFORE, _AFTER = 130, 80
_NEAR = 50  # characters before a letter in which it can be negated or joined to another


@speed_up_init
@dataclass(frozen=True, slots=True)
class LetterReading:
    """The letter read, in upper case, and how; `none` or `several` where there is no letter."""

    letter: str | None
    how: How


@dataclass(frozen=True, slots=True)
class _Mention:
    """A letter by itself, with its surroundings folded for matching."""

    letter: str
    start: int
    before: str
    after: str
    shared: bool  # "A or B", "A, B": one of several
    weak: bool  # lower case in running text: a letter only if a strong cue says so


def read_letter(answer: str, options: Options) -> LetterReading:
    ticked = []
    if patterns.TICK.search(answer):
        ticked = patterns.TICKED.findall(patterns.BOX_IN_LINE.sub(r"\n\g<0>", answer[:_HEAD]))
    if len(ticked) == 1:
        line = read_letter("".join(ticked[0]), options)
        if line.letter:
            return LetterReading(line.letter, "ticked")
    text = _first_answer(_prepare(answer), options)
    whole = patterns.WHOLE.fullmatch(text)
    if whole:
        return LetterReading(_as_option(whole[1].upper(), options), "whole")
    mentions = _mentions(text, options)
    steps: tuple[Callable[[], LetterReading | None], ...] = (
        lambda: _same_text(text, options),
        lambda: _by_cue(mentions),
        lambda: _by_text_after_cue(text, options),
        lambda: _alone(text, mentions),
        lambda: _lead(text, mentions),
        lambda: _decide("hint", {m.letter for m in mentions if _is_hinted(m, options)}),
        lambda: _by_ordinal(text, options),
        lambda: _by_text(text, options, "word"),
        lambda: _by_text(text, options, options.match),
        lambda: _decide("end", {m.letter for m in mentions if _ends_clause(m, options)}),
    )
    for step in steps:
        reading = step()
        if reading is not None:
            return reading
    return LetterReading(None, "several" if len({m.letter for m in mentions}) > 1 else "none")


def _prepare(answer: str) -> str:
    """NFKC, tags and underscored emphasis turned into plain wrapping; case kept."""
    if len(answer) > _HEAD + _TAIL:
        answer = answer[:_HEAD] + "\n" + answer[-_TAIL:]
    text = straight_apostrophes(plain_reply(answer))
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = EMOJI.sub(" ", text)
    if "<" in text:
        text = patterns.LETTER_TAG.sub(r"\1", text)
        text = patterns.ANSWER_TAG.sub("answer: ", text)
        text = patterns.MARKUP_TAG.sub(" ", text)
    if "_" in text:
        text = patterns.UNDERSCORED.sub(r"*\1*", text)
    if "|" in text:  # a cell is a line of its own
        text = patterns.TABLE_ROW.sub(lambda row: row[1].replace("|", "\n"), text)
    return patterns.HEADED_BY_A.sub("answer: ", text.strip())


def _first_answer(text: str, options: Options) -> str:
    """The first line, where it begins with a letter and other options follow: another question
    that the model asked itself.
    """
    first, _, rest = text.partition("\n")
    if not rest or not patterns.LINE_LEAD.match(first):
        return text
    following = options_in(rest)
    return text if following is None or set(following.texts) <= set(options.texts) else first


def _mentions(text: str, options: Options) -> list[_Mention]:
    """Every letter by itself that is no article and is not negated."""
    found = []
    for match in patterns.LETTER.finditer(text):
        after = text[match.end() : match.end() + _AFTER]
        weak = match[0].islower() and not patterns.CLOSES.match(after)
        if weak and (match[0] in "aeiouy" or match[0].upper() not in options.letters):
            continue
        if match[0] in "AIOY" and _is_word(match[0], after, options):
            continue
        folded_after = fold_for_matching(after)
        before = fold_for_matching(text[max(0, match.start() - _BEFORE) : match.start()])
        near = before[-_NEAR:]
        # "B. False" gives option B its own text; what is said of it comes after that.
        own_end = _own_text_end(match[0].upper(), folded_after, options)
        judged = folded_after[own_end:].lstrip(" .:)*") if own_end else folded_after
        if patterns.NEGATED_AFTER.match(judged) or patterns.NEGATED_BEFORE.search(near):
            continue
        found.append(
            _Mention(
                letter=_as_option(match[0].upper(), options),
                start=match.start(),
                before=before,
                after=folded_after,
                shared=_is_shared(match[0], near, after),
                weak=weak,
            )
        )
    return found


def _as_option(letter: str, options: Options) -> str:
    """The letter; beyond the last one allowed, "y" is the option whose text is y."""
    texts = (
        {} if letter in options.letters else dict(zip(options.texts, options.letters, strict=False))
    )
    return texts.get(letter.lower(), texts.get(letter, letter))


def _own_text_end(letter: str, after: str, options: Options) -> int:
    """Where the option's own text ends behind its letter; 0 where it is not there."""
    own = _own_text(letter, options)
    start = len(after) - len(after.lstrip(" \t).:*`-–—(]"))
    if not own or not after.startswith(own, start):
        return 0
    end = start + len(own)
    return 0 if after[end : end + 1].isalnum() else end


@lru_cache(maxsize=256)
def _own_text(letter: str, options: Options) -> str:
    position = ord(letter) - ord("A")
    if position >= len(options.texts):
        return ""
    return " ".join(fold_for_matching(options.texts[position]).split())


def _is_word(letter: str, after: str, options: Options) -> bool:
    """Whether "A", "I" … begins a sentence as a word rather than naming a choice."""
    if not patterns.WORD_FOLLOWS.match(after):
        return False
    folded = fold_for_matching(after).lstrip()
    own = _own_text(letter, options)
    if own and folded.startswith(own[: _AFTER // 2]):
        return False
    return not patterns.CONNECTIVE.match(folded)


def _is_shared(letter: str, before: str, after: str) -> bool:
    pattern = patterns.SHARED_AFTER if letter.isupper() else patterns.SHARED_AFTER_LOWER
    other = pattern.match(after)
    if other and not patterns.NEGATED_AFTER.match(fold_for_matching(after[other.end() :])):
        return other[0].rstrip("*)\"'`. \n")[-1].upper() != letter.upper()
    return patterns.SHARED_BEFORE.search(before) is not None


def _by_cue(mentions: Sequence[_Mention]) -> LetterReading | None:
    for mention in reversed(mentions):
        before, after = mention.before, mention.after
        cued = patterns.CUE_BEFORE.search(before) or patterns.CUE_AFTER.match(after)
        if cued or (
            patterns.CORRECTED_BEFORE.search(before) and patterns.CLAUSE_AFTER.match(after)
        ):
            if mention.shared:
                return LetterReading(None, "several")
            return LetterReading(mention.letter, "cue")
    return None


def _by_text_after_cue(text: str, options: Options) -> LetterReading | None:
    """The option right behind the last cue, as in "the answer is Paris, not Lyon"."""
    cues = list(patterns.CUE_ALONE.finditer(fold_for_matching(text))) if options.texts else []
    if not cues:
        return None
    last = cues[-1]
    behind = last.string[last.end() : last.end() + 400]
    starting = [
        (len(option), letter)
        for letter, option in _folded_options(options)
        if behind.startswith(option) and not behind[len(option) : len(option) + 1].isalnum()
    ]
    return LetterReading(max(starting)[1], "text") if starting else None


def _alone(text: str, mentions: Sequence[_Mention]) -> LetterReading | None:
    lines = [patterns.WHOLE.fullmatch(line.strip()) for line in text.splitlines()]
    letters = {match[1].upper() for match in lines if match}
    if not letters:
        letters = {
            mention.letter
            for mention in mentions
            if not mention.shared
            and patterns.EMPHASIS_BEFORE.search(mention.before)
            and patterns.EMPHASIS_AFTER.match(mention.after)
        }
    return _decide("alone", letters)


def _lead(text: str, mentions: Sequence[_Mention]) -> LetterReading | None:
    """The reply begins with a letter, and is no list of the options."""
    counted = {mention.start: mention for mention in mentions}
    leads = [
        counted[match.start(1)]
        for match in patterns.LINE_LEAD.finditer(text)
        if match.start(1) in counted
    ]
    if leads and not text[: leads[0].start].strip(" \t*_`\"'([{$-•>"):
        if leads[0].shared:
            return LetterReading(None, "several")
        if _explains_others(text, leads):
            return LetterReading(leads[0].letter, "lead")
        return _decide("lead", {mention.letter for mention in leads})
    return None


def _explains_others(text: str, leads: Sequence[_Mention]) -> bool:
    """Whether the lines that begin with other letters only say why the first was chosen.

    A list of all options begins with A; an answer A needs a word such as "Explanation" behind it.
    """
    if len(leads) < 2 or "\n\n" not in text[leads[0].start : leads[1].start]:
        return False
    between = fold_for_matching(text[leads[0].start : leads[1].start])
    return leads[0].letter != "A" or patterns.EXPLAINS.search(between) is not None


def _is_hinted(mention: _Mention, options: Options) -> bool:
    own = _own_text(mention.letter, options)
    is_described = own and mention.after.startswith(f" is {own}")  # "Option A is London."
    return (
        not mention.shared
        and not mention.weak
        and not is_described
        and patterns.HINT_BEFORE.search(mention.before) is not None
    )


def _ends_clause(mention: _Mention, options: Options) -> bool:
    return (
        not mention.shared
        and mention.letter in options.letters
        and patterns.CLAUSE_BEFORE.search(mention.before) is not None
        and patterns.CLAUSE_AFTER.match(mention.after) is not None
    )


def _same_text(text: str, options: Options) -> LetterReading | None:
    """The reply is the text of an option, as "B only" where that is option C."""
    bare = " ".join(fold_for_matching(text).split()).strip(" .,;:!?*_`\"'()[]«»“”")
    same = {
        letter
        for letter, option in _folded_options(options)
        if option.strip(" .,;:!?*_`\"'()[]«»“”") == bare and bare
    }
    return _decide("text", same)


def _by_ordinal(text: str, options: Options) -> LetterReading | None:
    if len(text) > ONE_CLAIM:
        return None
    folded = fold_for_matching(text)
    letters = {
        letter
        for letter, pattern in zip(options.letters, patterns.ORDINALS, strict=False)
        for place in pattern.finditer(folded)
        if not is_denied(folded[: place.start()], folded[place.end() :])
    }
    return _decide("counted", letters)


def _by_text(text: str, options: Options, match: str) -> LetterReading | None:
    """The only option whose text is in the answer, unless it is denied there."""
    folded = " ".join(fold_for_matching(text).split())
    present = [
        (letter, option)
        for letter, option in _folded_options(options)
        if _is_stated(option, folded, match)
    ]
    letters = {
        letter
        for letter, option in present
        # "Paris" inside a mention of "Paris Saint-Germain" is not a mention of Paris.
        if not any(
            option != other
            and option in other
            and not _is_stated(option, folded, match, without=other)
            for _, other in present
        )
    }
    return LetterReading(letters.pop(), "text") if len(letters) == 1 else None


@lru_cache(maxsize=64)
def _folded_options(options: Options) -> list[tuple[str, str]]:
    folded = (" ".join(fold_for_matching(text).split()) for text in options.texts)
    return [(letter, text) for letter, text in zip(options.letters, folded, strict=False) if text]


def _is_stated(option: str, folded: str, match: str, *, without: str = "") -> bool:
    if without:
        folded = folded.replace(without, " ")
    if option not in folded or not occurs(option, folded, match):
        return False
    place = folded.index(option)
    end = place + len(option)
    return not is_denied(folded[:place]) and not patterns.NEGATED_AFTER.match(
        folded[end : end + _AFTER]
    )


def _decide(how: How, letters: set[str]) -> LetterReading | None:
    if not letters:
        return None
    if len(letters) > 1:
        return LetterReading(None, "several")
    return LetterReading(next(iter(letters)), how)
