r"""Reads the letter an answer chooses, by what it commits to (`text/commitment.py`).

Every letter by itself, every option's text and every counted option ("the second") is a mention.
Each makes a claim as strong as the place it has, and the strongest decides:

    announced   behind a cue, before "is correct", a ticked line   Answer: B   B is correct   ☑ B
    set off     bold, in quotes, opening the answer, its own line  **B**   B) Paris   B, because
    said        ending its clause or its sentence                  A is in Ghana, so B   Jibu ni B.
    described   something is said of it                            Paris is in France

A denied mention ("not A", "A is wrong") never counts, nor the article "a" and its kin. Mentions
that are joined ("A or B") are several answers, and so none.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from assay.checks.keywords import find_keyword
from assay.checks.letters import patterns
from assay.checks.letters.known_options import KnownOptions, known_options
from assay.checks.letters.measured_options import as_options_are_written
from assay.checks.letters.options import Options, options_in
from assay.text.announced import announced_values
from assay.text.answer_words import ONE_CLAIM, is_denied, may_deny
from assay.text.commitment import (
    ANNOUNCED,
    SAID,
    SET_OFF,
    Asked,
    Commitment,
    Lexicon,
    applies,
    asked_by,
    cue_end,
    decide,
    hesitates,
    is_listed,
    lexicon,
    takes_back,
)
from assay.text.dressing import EMOJI, plain_reply
from assay.text.folding import fold_for_matching, lower_in_place, straight_apostrophes
from assay.text.structure import WORD, Sentence, sentences, set_off, shorten, words_in

How = Literal["ticked", "whole", "announced", "set off", "said", "text", "none", "several"]
_HOW: dict[int, How] = {ANNOUNCED: "announced", SET_OFF: "set off"}
_DESCRIBED = 0
_BEFORE, _AFTER = 130, 80
MOST_ANNOUNCING = 4  # words, "the options are"; "is" may be there for each
_NEAR = 50  # characters before a letter in which it can be negated


@dataclass(frozen=True, slots=True)
class LetterReading:
    """The letter read, in upper case, and how; `none` or `several` where there is no letter."""

    letter: str | None
    how: How


@dataclass(frozen=True, slots=True)
class _Mention:
    """An option named in a sentence, by its letter or by its text."""

    letter: str
    start: int
    end: int
    by_text: bool = False
    denied: bool = False
    weak: bool = False  # lower case in running text: a letter only if it is announced


def read_letter(
    answer: str,
    options: Options,
    question: str = "",
    words: Lexicon | None = None,
    language: str | None = None,
) -> LetterReading:
    answer = as_options_are_written(answer, options)
    ticked = []
    if patterns.TICK.search(answer):
        boxes = patterns.BOX_IN_LINE.sub(r"\n\g<0>", shorten(answer))
        ticked = patterns.TICKED.findall(boxes)
    if len(ticked) == 1:
        line = read_letter("".join(ticked[0]), options, question, words)
        if line.letter:
            return LetterReading(line.letter, "ticked")
    known = known_options(options)
    text = _first_answer(_prepare(answer), options)
    whole = patterns.WHOLE.fullmatch(text)
    if whole:
        return LetterReading(known.as_option(whole[1].upper()), "whole")
    same = known.same_text(text) or known.counted(text, language)
    if same is not None:
        return LetterReading(same, "text")
    reader = _OptionReader(known, asked_by(question), words or lexicon())
    claims: list[Commitment[str]] = [*reader.claims(text)]
    letter, several = decide(claims)
    strength = max((claim.strength for claim in claims if claim.value == letter), default=0)
    listed = _lines_of_all(text, known)
    if listed and (strength <= SET_OFF or listed.ends_text):
        apart = listed.apart()
        if apart is not None or not any(map(may_deny, listed.lines)):
            return LetterReading(apart, "set off" if apart else "several")
    if strength < SET_OFF:
        if _is_only_a_list(text, known, question):
            return LetterReading(None, "several")
        if options.texts and (numbered := _numbered_option(text, known, question, words, language)):
            return LetterReading(numbered, "text")
        if letter is None and (left := _left_over(claims, text, options, reader)):
            return LetterReading(left, "said")
        if letter is None and (described := _described_line(text, known, asked_by(question))):
            return LetterReading(described, "said")
    if letter is None:
        return LetterReading(None, "several" if several else "none")
    return LetterReading(letter, _HOW.get(strength, "said"))


def _prepare(answer: str) -> str:
    """NFKC, tags and underscored emphasis turned into plain wrapping; case kept."""
    text = straight_apostrophes(plain_reply(shorten(answer)))
    text = announced_values(text) or text
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = EMOJI.sub(" ", text)
    if "<" in text:
        text = patterns.LETTER_TAG.sub(r"\1", text)
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
    if not rest or not patterns.OPENING.match(first):
        return text
    following = options_in(rest)
    return text if following is None or set(following.texts) <= set(options.texts) else first


class _OptionReader:
    def __init__(self, options: KnownOptions, asked: Asked, words: Lexicon) -> None:
        self._options = options
        self._asked = asked
        self._words = words

    def claims(self, text: str) -> Iterator[Commitment[str]]:
        """The claims of every sentence, in order."""
        every = sentences(text)
        all_letters = [*self._options.letters]
        announced = seen = False
        listed: list[str] = []  # options that have a line of their own so far
        is_list_bold = False
        is_back = False  # the sentence before trailed off
        rest = ""  # what was said since the last mention
        for index, sentence in enumerate(every):
            if patterns.BARE_CUE.fullmatch(sentence.text.casefold()):
                announced = True
                continue
            if sentence.asks and (len(every) > 1 or len(words_in(sentence.text)) > 3):
                continue
            is_last = index == len(every) - 1 and sentence.alone and index > 0
            mentions = self._mentions(sentence.text)
            at = 0
            placed = [*self._placed(sentence, mentions, opens=not seen, announced=announced)]
            for mention, strength, bare in placed:
                between = rest + sentence.text[at : mention.start]
                is_bold = bare and bool(set_off(sentence.text))
                if bare and is_last and applies("last line"):
                    # Behind a list it is the one in bold, or the one that is there again.
                    is_picked = (is_bold and not is_list_bold) or sorted(listed) == all_letters
                    if is_picked or not listed:
                        strength = ANNOUNCED
                listed += [mention.letter] * bare
                is_list_bold = is_list_bold or is_bold
                if strength > _DESCRIBED:
                    yield Commitment(
                        mention.letter,
                        strength + (strength == SAID and self._is_near(sentence.text, mention)),
                        self._asked.matches(words_in(self._clause(sentence.text, mention)))
                        if strength == SAID
                        else 0,
                        bare,
                        is_back
                        or takes_back(between[-80:])
                        or patterns.CORRECTS.search(between[-60:]) is not None,
                    )
                    rest, at = "", mention.end
            described = [mention for mention, strength, _ in placed if strength == _DESCRIBED]
            yield from self._described(sentence.text, described, opens=not seen)
            rest = (rest + sentence.text[at:])[-160:] + "\n"
            seen = seen or bool(WORD.search(sentence.text))
            is_back = hesitates(sentence.text) or (is_back and not placed)
            announced = False

    def letters_in(self, text: str) -> set[str]:
        return {mention.letter for mention in self._mentions(text)}

    def _described(
        self, text: str, mentions: Sequence[_Mention], *, opens: bool
    ) -> Iterator[Commitment[str]]:
        """Options of which something is said: the one with most of the question's words, or the
        only one, if it is a text or opens the answer, or no list knows the words before it.
        """
        letters = [mention for mention in mentions if not mention.by_text]
        if len({mention.letter for mention in letters}) == 1 and not self._words.listed:
            mentions = letters
        asked = [(self._asked.matches(words_in(self._clause(text, m))), m) for m in mentions]
        most = max((count for count, _ in asked), default=0)
        is_only = len({mention.letter for mention in mentions}) == 1
        for count, mention in asked:
            opening = opens and not WORD.search(text[: mention.start])
            if (most and count == most) or (
                is_only and (mention.by_text or opening or not self._words.listed)
            ):
                is_near = mention.by_text and self._is_near(text, mention)
                strength = SAID if is_near or not mention.by_text else SAID - 1
                yield Commitment(mention.letter, strength + is_near, count)

    def _is_near(self, text: str, mention: _Mention) -> bool:
        """Whether it is a letter, or a text right behind a word of the question."""
        ahead = words_in(text[max(0, mention.start - 40) : mention.start])
        before = [word for word in ahead if not is_listed(word)]
        return not mention.by_text or (before[-1:] != [] and before[-1] in self._asked.content)

    @staticmethod
    def _clause(text: str, mention: _Mention) -> str:
        start = max(text.rfind(sign, 0, mention.start) for sign in ",;:(")
        ends = [at for sign in ",;:(" if (at := text.find(sign, mention.end)) >= 0]
        return text[start + 1 : min(ends, default=len(text))]

    # ---------------------------------------------------------------------- places

    def _placed(
        self, sentence: Sentence, mentions: Sequence[_Mention], *, opens: bool, announced: bool
    ) -> Iterator[tuple[_Mention, int, bool]]:
        """Every mention that is not denied, its strength, and whether it is a bare value."""
        text = sentence.text
        mentions = self._without_compared(text, mentions)
        cue = 0 if announced else cue_end(text, self._words)
        emphasised = set_off(text) if applies("set off") else []
        strengths = [
            _DESCRIBED if mention.denied else self._strength(text, mention, cue, emphasised, opens)
            for mention in mentions
        ]
        for run in self._runs(text, mentions):
            strongest = max(strengths[index] for index in run)
            if strongest == SAID:  # a comma between them ends no clause
                strongest = strengths[run[-1]]
            for index in run:
                strengths[index] = strongest
        for mention, strength in zip(mentions, strengths, strict=True):
            if mention.denied or (mention.weak and strength < SET_OFF):
                continue
            if mention.letter not in self._options.letters and strength < ANNOUNCED:
                continue
            bare = not WORD.search(text[: mention.start]) and (
                not WORD.search(text[mention.end :])
                or (not self._options.texts and bool(patterns.OPTION_LINE.fullmatch(text)))
            )
            yield mention, max(strength, SET_OFF) if bare else strength, bare

    @staticmethod
    def _without_compared(text: str, mentions: Sequence[_Mention]) -> Sequence[_Mention]:
        """Without those that another option is compared with."""
        told = [
            mention
            for mention in mentions
            if not patterns.COMPARED_BEFORE.search(
                fold_for_matching(text[max(0, mention.start - _BEFORE) : mention.start])
            )
        ]
        return told if any(not mention.denied for mention in told) else mentions

    def _runs(self, text: str, mentions: Sequence[_Mention]) -> Iterator[list[int]]:
        """The mentions that are joined to each other, by their places in the list."""
        run: list[int] = []
        for index, mention in enumerate(mentions):
            if mention.denied:
                continue
            if run and run[-1] == index - 1 and self._is_joined(text, mentions[index - 1], mention):
                run.append(index)
            else:
                if len(run) > 1:
                    yield run
                run = [index]
        if len(run) > 1:
            yield run

    def _strength(
        self, text: str, mention: _Mention, cue: int | None, emphasised: Sequence[str], opens: bool
    ) -> int:
        before, after = text[: mention.start], text[mention.end :]
        folded = fold_for_matching(before[-_BEFORE:])
        behind = fold_for_matching(after[:_AFTER])
        if applies("announced"):
            if patterns.CUE_BEFORE.search(folded) or patterns.CUE_AFTER.match(behind):
                return ANNOUNCED
            if (
                cue is not None
                and mention.start >= cue
                and not WORD.search(text[cue : mention.start])
            ):
                return ANNOUNCED
        ends = patterns.ENDS.match(after) is not None
        if (
            not mention.by_text
            and not mention.weak
            and ends
            and patterns.HINT_BEFORE.search(folded)
        ):
            return ANNOUNCED
        for span in emphasised:
            if (
                text[mention.start : mention.end] in span
                and len(words_in(span)) <= 8
                and (self._is_all(span, mention))
            ):
                return SET_OFF
        if applies("colon") and re.search(r"[:：→=]\s*[*_`\"'“«(\[]{0,4}\Z", before):
            return SET_OFF
        if (
            opens
            and applies("opening")
            and not WORD.search(before)
            and patterns.PUNCTUATED.match(after)
        ):
            return SET_OFF
        if (
            opens
            and not mention.by_text
            and not WORD.search(before)
            and patterns.CONNECTIVE.match(behind.lstrip())
        ):
            return SAID if patterns.IS_AFTER.match(behind) else SET_OFF
        if (
            patterns.HINT_BEFORE.search(folded)
            and not mention.by_text
            and not re.match(r"\s+is\s", behind)
        ):
            return SAID
        if ends and applies("closing") and not patterns.IN_BRACKETS.search(before):
            return SAID
        return _DESCRIBED

    def _is_all(self, span: str, mention: _Mention) -> bool:
        """Whether a span names this option and no other."""
        return {m.letter for m in self._mentions(span) if not m.weak} <= {mention.letter}

    def _is_joined(self, text: str, first: _Mention, second: _Mention) -> bool:
        """Whether two mentions are told in one breath: "A or B", "A, B", "A au B"."""
        if first.letter == second.letter or not applies("joined"):
            return False
        between = text[first.end : second.start]
        words = words_in(between)
        return (
            len(between) <= 24
            and (
                not words
                or all(
                    patterns.JOINS.fullmatch(word) or word in self._words.joins for word in words
                )
                or (
                    not self._words.listed
                    and len(words) == 1
                    and len(words[0]) <= 5
                    and "," not in between
                )
            )
            and not re.search(r"[.!?\n]", between)
        )

    # --------------------------------------------------------------------- mentions

    def _mentions(self, text: str) -> list[_Mention]:
        """Options named by letter, text or place, in order; a letter before its own text is one."""
        found = [*self._letters(text)]
        if self._options.texts:
            found += [
                each
                for each in self._texts(text)
                if not any(m.start <= each.start < m.end for m in found)
            ]
            if len(text) <= ONE_CLAIM:
                found += self._counted(text)
        found.sort(key=lambda each: each.start)
        merged: list[_Mention] = []
        for each in found:
            last = merged[-1] if merged else None
            if last and last.letter == each.letter and not words_in(text[last.end : each.start]):
                merged[-1] = replace(
                    last,
                    end=each.end,
                    denied=last.denied or each.denied,
                    weak=last.weak and each.weak,
                )
            elif (
                last
                and last.denied
                and self._is_joined(text, last, each)
                and not patterns.SO.search(text[last.end : each.start])
            ):
                merged.append(replace(each, denied=True))
            else:
                merged.append(each)
        return merged

    def _letters(self, text: str) -> Iterator[_Mention]:
        options = self._options
        for match in patterns.LETTER.finditer(text):
            after = text[match.end() : match.end() + _AFTER]
            if self._words.listed and patterns.ELIDED.match(after):
                continue
            weak = match[0].islower() and not patterns.CLOSES.match(after)
            if weak and (match[0] in "aeiouy" or match[0].upper() not in options.letters):
                continue
            if match[0] in "AEIOUY" and _is_word(match[0], after, options):
                before = text[: match.start()].rstrip(" *_`\"'(")
                if match[0] != "A" or not before or before[-1] in ".:!?\n" or match[0] == "I":
                    continue
            if (
                match[0].islower()
                and match[0] in "aeiouy"
                and not patterns.BRACKETED.match(after)
                and not self._follows_cue(text, match.start())
            ):
                continue
            folded = fold_for_matching(after)
            near = fold_for_matching(text[max(0, match.start() - _BEFORE) : match.start()])[-_NEAR:]
            # "B. False" gives option B its own text; what is said of it comes after that.
            own_end = options.own_text_end(match[0].upper(), folded)
            judged = folded[own_end:].lstrip(" .:)*") if own_end else folded
            denied = applies("denied") and (
                patterns.NEGATED_AFTER.match(judged) is not None
                or patterns.NEGATED_BEFORE.search(near) is not None
                or (bool(self._words.denies) and self._words.is_denied(near, judged))
            )
            weak = match[0].islower() and not patterns.BRACKETED.match(after)
            yield _Mention(
                options.as_option(match[0].upper()),
                match.start(),
                match.end() + own_end,
                denied=denied,
                weak=weak,
            )

    def _follows_cue(self, text: str, at: int) -> bool:
        return (
            patterns.CUE_BEFORE.search(fold_for_matching(text[max(0, at - _BEFORE) : at]))
            is not None
        )

    def _texts(self, text: str) -> Iterator[_Mention]:
        folded = lower_in_place(text)
        taken: list[tuple[int, int]] = []
        names = self._options.last_names
        every = self._options.named
        if names:
            every = [*every, *(each for each in names if each[1] not in self._asked.known)]
        for match in dict.fromkeys(("word", self._options.match, "suffixed")):
            if match == "suffixed" and self._words.listed:
                continue
            for letter, option, is_unspaced in every:
                way = "substring" if is_unspaced else match
                hit = find_keyword(option, folded, way)
                while hit is not None:
                    start, end = hit.span()
                    if not any(a < end and start < b for a, b in taken):
                        taken.append((start, end))
                        before, behind = (
                            folded[max(0, start - 160) : start],
                            folded[end : end + 160],
                        )
                        denied = applies("denied") and (
                            self._words.is_denied(before, behind)
                            or patterns.NEGATED_AFTER.match(behind[:_AFTER]) is not None
                        )
                        yield _Mention(letter, start, end, by_text=True, denied=denied)
                    hit = find_keyword(option, folded, way, end)

    def _counted(self, text: str) -> Iterator[_Mention]:
        if not any(map(_may_count, words_in(text))):
            return
        folded = fold_for_matching(text)
        for letter, pattern in zip(self._options.letters, patterns.ORDINALS, strict=False):
            for place in pattern.finditer(folded):
                denied = is_denied(folded[: place.start()], folded[place.end() :])
                if not denied and patterns.NEGATED_AFTER.match(folded[place.end() :][:_AFTER]):
                    denied = True
                yield _Mention(letter, place.start(), place.end(), by_text=True, denied=denied)


@lru_cache(maxsize=8192)
def _may_count(word: str) -> bool:
    """Whether a folded word can be of "the second option"."""
    return patterns.COUNTS.match(word) is not None


def _is_word(letter: str, after: str, options: KnownOptions) -> bool:
    """Whether "A", "I" … begins a sentence as a word rather than naming a choice."""
    if not patterns.WORD_FOLLOWS.match(after) or patterns.LETTER_FOLLOWS.match(after):
        return False
    folded = fold_for_matching(after).lstrip()
    own = options.own_text(letter)
    if own and folded.startswith(own[: _AFTER // 2]):
        return False
    return not patterns.CONNECTIVE.match(folded)


def _numbered_option(
    text: str, options: KnownOptions, question: str, words: Lexicon | None, language: str | None
) -> str | None:
    """The option with the number that the reply commits to, where every option is a number."""
    if not options.has_digits[1] or patterns.OPENING.match(text):
        return None
    from assay.text.number_reading import read_number
    from assay.text.quantities import is_quantity, read_expected

    if not all(map(is_quantity, options.texts)):
        return None
    number = read_number(text, question, language, words).number
    if number is None:
        return None
    found = []
    for letter, option in zip(options.letters, options.texts, strict=False):
        value = read_expected(option, decimal_comma=False)
        if value is not None and number.reading_like(value) is not None:
            found.append(letter)
    return found[0] if len(found) == 1 else None


def _is_only_a_list(text: str, options: KnownOptions, question: str) -> bool:
    """Whether it has every option once, and no more beside them than who announces them needs."""
    rest = " ".join(fold_for_matching(text).split())
    rest = rest.replace(" ".join(fold_for_matching(question).split()), " ") if question else rest
    for _, option, is_unspaced in options.named:
        hit = find_keyword(option, rest, "substring" if is_unspaced else "word")
        if hit is None or find_keyword(option, rest, options.match, hit.end()):
            return False
        rest = f"{rest[: hit.start()]} , {rest[hit.end() :]}"
    words = words_in(rest)
    letters = [word.upper() for word in words if word.upper() in options.letters]
    others = [word for word in words if len(word) > 1 and not word.isdecimal()]
    places = {str(place) for place in range(1, len(options.letters) + 1)}
    return (
        3 <= len(options.named) == len(options.letters)
        and all(word in places for word in words if word.isdecimal())
        and len(set(letters)) == len(letters)
        and len(others) <= MOST_ANNOUNCING + len(options.letters)
        and len(set(others)) <= MOST_ANNOUNCING
        and not may_deny(rest)
        and not any(pattern.search(rest) for pattern in patterns.ORDINALS)
    )


@dataclass(frozen=True, slots=True)
class _ListedOptions:
    """Every option on a line of its own, one below the other. `ends_text`: nothing is below."""

    letters: str
    lines: tuple[str, ...]
    rests: tuple[tuple[str, ...], ...]  # the words of each line beside letter and option
    ends_text: bool

    def apart(self) -> str | None:
        """The only one that is set off, or of which something else is said than of all others."""
        marked = [bool(set_off(line)) for line in self.lines]
        said = [self.rests.count(rest) for rest in self.rests]
        alone = [place for place, count in enumerate(said) if count == 1]
        if marked.count(True) == 1:
            return self.letters[marked.index(True)]
        is_one = len(alone) == 1 and max(said) == len(said) - 1
        other = self.rests[said.index(max(said))]
        return self.letters[alone[0]] if is_one and other else None


def _lines_of_all(text: str, options: KnownOptions) -> _ListedOptions | None:
    every = [line for line in text.splitlines() if line.strip()]
    begins = [patterns.OPTION_LINE_BEGIN.match(line) for line in every]
    at = [place for place, begin in enumerate(begins) if begin]
    letters = "".join(begin[1].upper() for begin in begins if begin)
    if len(letters) < 3 or letters != options.letters or at[-1] - at[0] >= len(at):
        return None
    lines = tuple(every[at[0] : at[-1] + 1])
    rests = []
    for letter, line in zip(letters, lines, strict=True):
        words = words_in(fold_for_matching(line))[1:]
        own = words_in(options.own_text(letter))
        rests.append(tuple(words[len(own) :] if words[: len(own)] == own else words))
    return _ListedOptions(letters, lines, tuple(rests), at[-1] == len(every) - 1)


def _left_over(
    claims: Sequence[Commitment[str]], text: str, options: Options, reader: _OptionReader
) -> str | None:
    """The option that is named last and by itself, where all others were gone through before."""
    named = [claim.value for claim in claims]
    others = {*named[:-1]} - {*named[-1:]}
    is_once = named.count(named[-1]) == 1 if named else False
    every = sentences(text)
    if len(every) < 2:  # "A, B or C"
        return None
    apart = [letters for each in every if (letters := reader.letters_in(each.text))]
    if not apart or len(apart[-1]) > 1:  # "A; B; C; D. Each has its merits."
        return None
    offered = options_in(text)
    if offered is not None and len(offered.texts) >= len(options.letters):
        return None  # the question repeated, or a list of them all
    if not is_once or len(options.letters) < 3 or len(others) != len(options.letters) - 1:
        return None
    return named[-1]


def _described_line(text: str, options: KnownOptions, asked: Asked) -> str | None:
    """The option of which a line says the question's words, where every option has its line."""
    said: dict[str, int] = {}
    for line in text.splitlines():
        named = patterns.OPTION_LINE_BEGIN.match(line)
        if named:
            letter = named[1].upper()
            own = {*words_in(options.own_text(letter))}
            said[letter] = asked.matches([w for w in words_in(line[named.end() :]) if w not in own])
    most = max(said.values(), default=0)
    best = [letter for letter, count in said.items() if count == most]
    return best[0] if most and len(best) == 1 and {*said} == {*options.letters} else None
