"""keywords: the share of the expected keywords that the answer contains."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Annotated, Literal

from assay.files.fields import Doc, Phrases
from assay.messages import tr
from assay.plugins import check
from assay.text.answer_words import (
    asks_to_explain,
    holds_together,
    is_beside_slash,
    is_denied,
    is_in_denied_list,
    is_left_out,
    is_one_of_several,
    may_qualify,
    negates,
    qualifiers_in,
)
from assay.text.denied_clauses import ClauseDenial, clause_denial
from assay.text.folding import fold_for_matching, is_mark
from assay.text.look_alikes import Ways, fold_look_alikes, look_alike_advice, ways_to_read
from assay.text.number_words import has_number_words
from assay.text.safe_text import one_line
from assay.types import AnswerCheck, Case, Context, FieldProblem, Score, ScorePart
from assay.types.tests import SuiteWords

if TYPE_CHECKING:
    from assay.text.commitment import Lexicon

Match = Literal["word", "stem", "prefix", "substring"]
# What may follow a word under `stem`. Ewe: the article, the plural, the focus, "my"; a word of two
# letters takes only the plural, for "si" and "sia" are two words. Elsewhere a plural.
_ENDINGS = {
    "stem": "(?:(?:l?a)?(?:wo)?e?|nye)",
    "stem of two": "(?:a?wo)?",
    "plural": "(?:e?s|x)?",
    "suffixed": "(?:'\\w{1,6})?",
}
ExpectedKeywords = Annotated[
    Phrases,
    Doc(
        "What the answer must contain. An item is a phrase, or a list of phrases of which one is "
        "enough."
    ),
]
_LONGEST_LIST = 400  # characters
_LONGEST_PIECE, _MOST_PIECES = 3, 12  # words of an alternative, alternatives
_UNPUNCTUATED = re.compile(r"[^,;:.!?\n]+[.!]?")
_LEAST_STRING = 6  # words
_WORD = re.compile(r"[^\W_]+")
_WITH_NI = (None, "eng", "fra", "ewe")  # languages in whose answers "ni" denies


@check("keywords")
class Keywords(AnswerCheck):
    """The share of the expected keywords found; 0 if a forbidden one appears."""

    version = 7
    baselines_add_up = True

    expected_keywords: ExpectedKeywords = ()
    forbidden_keywords: Annotated[
        Phrases, Doc("What the answer must not contain; one hit scores 0.")
    ] = ()
    keyword_match: Annotated[
        Match | None,
        Doc(
            "Whether a keyword is a whole word (the default), a word with a listed ending (the "
            "default in Ewe), the start of a word, or any piece of text."
        ),
    ] = None

    def score(self, answer: str, context: Context | None = None, /) -> Score:
        reading = self._reading(answer, context)
        parts: list[ScorePart] = []
        found: list[str] = []
        missing: list[str] = []
        denied: list[str] = []
        for item in self.expected_keywords:
            hit, first_denied = reading.first_stated(item)
            part = _part(item, hit is not None)
            shown = found if hit else denied if first_denied else missing
            shown.append(hit or first_denied or part.name)
            parts.append(part)
        unwanted = [*filter(reading.has_forbidden, chain.from_iterable(self.forbidden_keywords))]
        share = len(found) / len(parts) if parts else 1.0
        explanation = _explanation(found, missing, denied, unwanted)
        in_a_row = (
            len(found) > 1
            and not unwanted
            and context is not None
            and self._only_names(reading.text, context.test)
        )
        if in_a_row:
            explanation += " " + tr("Keywords in a row do not answer a question that asks why.")
        return Score(
            value=0.0 if unwanted or in_a_row else share,
            extracted=", ".join(found) or None,
            explanation=explanation,
            parts=tuple(parts),
            no_answer=in_a_row,
        )

    def _reading(self, answer: str, context: Context | None) -> "_KeywordReading":
        """How an answer is searched; what may deny a keyword only where it has a word for it."""
        if context is None:
            text = fold_for_matching(answer)
            is_plain = not may_qualify(text)
            expected = [] if is_plain else [*chain.from_iterable(self.expected_keywords)]
            return _KeywordReading(text, None, self._match(None), expected)
        test = context.test
        language = context.language or test.language
        match = self._match(language)
        text = fold_for_matching(fold_look_alikes(answer, language)[0])
        words = _lexicon(test.words, test.language) if test.words else None
        denial = clause_denial(test.prompt, test.language)
        if denial is not None and not denial.may_apply(text):
            denial = None
        if not (words or denial or may_qualify(text)):
            return _KeywordReading(text, language, match)
        expected = [*chain.from_iterable(self.expected_keywords)]
        if expected and self._lists_guesses(text, test, match):
            text = ""
        return _KeywordReading(
            text, language, match, expected, _asked_words(test.prompt), words, denial
        )

    def _match(self, language: str | None) -> str:
        if self.keyword_match == "stem" and language != "ewe":
            return "plural"
        return self.keyword_match or ("stem" if language == "ewe" else "word")

    def _only_names(self, text: str, test: Case) -> bool:
        """Whether an answer is words in a row and no sentence. Where a question wants sentences:
        keywords, with at most a third of other words strung in, or words of which none holds them
        together. Where no list tells what it wants: keywords side by side, or again and again.
        """
        if len(text) > _LONGEST_LIST:
            return False
        is_listed = test.language is None or test.language_code in ("eng", "fra", "ewe")
        expected = " ".join(chain.from_iterable(self.expected_keywords))
        names = {*_WORD.findall(fold_for_matching(expected))}
        said = _WORD.findall(text)
        others = sum(word not in names for word in said)
        if is_listed:
            if not asks_to_explain(test.prompt) or len(said) < 2:
                return False
            is_string = len(said) >= _LEAST_STRING and not any(map(holds_together, said))
            return others * 3 <= len(said) or (is_string and _is_unpunctuated(text))
        if not _is_unpunctuated(text) or others * 3 > len(said):
            return False
        beside = sum(first in names and second in names for first, second in pairwise(said))
        return beside > 0 or len({*said}) < len(said)

    def _lists_guesses(self, text: str, test: Case, match: str) -> bool:
        """Whether one thing is asked for and a bare list of several is given: "Lomé, Accra"."""
        if len(self.expected_keywords) != 1 or len(text) > _LONGEST_LIST or "," not in text:
            return False
        pieces = [piece.strip(" .!\n*_`\"'") for piece in text.split(",")]
        if not 1 < len(pieces) <= _MOST_PIECES or not all(pieces):
            return False
        question = fold_for_matching(test.prompt)
        if has_number_words(question, test.language_code) or any(map(str.isdecimal, question)):
            return False
        asked = {*_WORD.findall(question)}
        named, others = [], []
        items = self.expected_keywords[0]
        for piece in pieces:
            if hits := [*filter(None, (find_keyword(word, piece, match) for word in items))]:
                if not any(_is_bare(piece, hit) for hit in hits):
                    return False
                named.append(piece)
            elif not asked.issuperset(_WORD.findall(piece)):
                others.append(piece)
        shapes = {len(piece.split()) for piece in named}
        return bool(named and others) and all(
            len(piece.split()) in shapes
            and len(piece.split()) <= _LONGEST_PIECE
            and not any(map(holds_together, _WORD.findall(piece)))
            for piece in others
        )

    def gold(self) -> str | None:
        """Keywords that are only forbidden say what is wrong, and not what is right."""
        return ", ".join(self.baselines()) or None

    def baselines(self) -> Iterable[str]:
        return [alternatives[0] for alternatives in self.expected_keywords]

    def problems(self, test: Case, /) -> Iterator[FieldProblem]:
        if not self.expected_keywords and not self.forbidden_keywords:
            message = tr(
                "the test checks nothing; 'keywords' needs 'expected_keywords' or "
                "'forbidden_keywords' with at least one item"
            )
            yield FieldProblem((), message)
        if not self.forbidden_keywords:
            return
        banned = {fold_keyword(word) for words in self.forbidden_keywords for word in words}
        for index, words in enumerate(self.expected_keywords):
            if all(fold_keyword(word) in banned for word in words):
                message = tr("'{word}' is both expected and forbidden", word=_shown(words[0]))
                yield FieldProblem(("expected_keywords", index), message)

    def advice(self, test: Case, /) -> Iterator[FieldProblem]:
        yield from keyword_advice(self.expected_keywords, self._match(test.language_code), test)


@dataclass(frozen=True, slots=True)
class _KeywordReading:
    """A folded answer and how keywords are looked for in it. `expected` is empty where nothing in
    it can deny one; `asked`: the words of the question.
    """

    text: str
    language: str | None
    match: str
    expected: Collection[str] = ()
    asked: Collection[str] = ()
    words: "Lexicon | None" = None
    denial: ClauseDenial | None = None

    def first_stated(self, item: Iterable[str]) -> tuple[str | None, str | None]:
        """The first alternative that the answer states, else the first that it denies."""
        first_denied = None
        ways: Ways = []
        for word in item:
            stated = self._states(word, self.text, self.expected)
            if not stated and self.language:
                ways = ways or ways_to_read(self.text, self.language)
                for read, spell in ways:
                    stated = self._states(spell(word), read, self.expected) or stated
            if stated:
                return word, None
            if stated is False:
                first_denied = first_denied or word
        return None, first_denied

    def has_forbidden(self, word: str) -> bool:
        """Whether the answer states a keyword that it must not, in any way of reading it."""
        return any(
            self._states(spell(word), read, None)
            for read, spell in ways_to_read(self.text, self.language)
        )

    def _states(self, word: str, text: str, expected: Collection[str] | None) -> bool | None:
        if expected is not None and not expected:
            expected = ()
        return states(
            word, text, self.match, expected, self.asked, self.words, self.denial,
            french=self.language in _WITH_NI,
        )  # fmt: skip


def _is_bare(piece: str, hit: re.Match[str]) -> bool:
    """Whether a piece is a keyword and no more than an article beside it."""
    return all(map(holds_together, _WORD.findall(piece[: hit.start()] + " " + piece[hit.end() :])))


def _is_unpunctuated(text: str) -> bool:
    return _UNPUNCTUATED.fullmatch(text) is not None


@lru_cache(maxsize=8192)
def _part(item: tuple[str, ...], found: bool) -> ScorePart:
    return ScorePart(name=" / ".join(item), value=float(found))


@cache
def _lexicon(words: SuiteWords, language: str | None) -> "Lexicon":
    from assay.text.commitment import lexicon  # most suites have no words of their own

    return lexicon(words, language)


@lru_cache(maxsize=1024)
def _asked_words(question: str) -> Collection[str]:
    """What a denied verb is looked for in; a question that denies itself asks for no verb."""
    folded = fold_for_matching(question)
    return () if negates(folded) else _WORD.findall(folded)


def occurs(keyword: str, folded: str, match: str) -> bool:
    """Whether a text that `fold_for_matching` has folded contains a keyword."""
    return find_keyword(keyword, folded, match) is not None


def states(
    keyword: str,
    folded: str,
    match: str = "word",
    expected: Collection[str] | None = None,
    asked: Collection[str] = (),
    words: "Lexicon | None" = None,
    denial: ClauseDenial | None = None,
    *,
    french: bool = True,
) -> bool | None:
    """Whether a text has a keyword that it neither denies nor, where `expected` is given, offers
    as one of several of which another is not expected. None: it does not have the keyword.
    `expected` is empty where `may_qualify` found nothing: what is there is stated. `asked`: the
    words of the question.
    """

    hit = find_keyword(keyword, folded, match)
    if hit is None or expected == ():
        return None if hit is None else True

    def is_expected(other: str) -> bool:
        return any(occurs(word, other, match) for word in expected or ())

    may = qualifiers_in(folded)
    while hit is not None:
        before, behind = folded[: hit.start()], folded[hit.end() :]
        denied = (
            (may.deny and is_denied(before, behind))
            or (may.list and is_in_denied_list(before, french=french))
            or (words is not None and words.is_denied(before, behind))
            or (denial is not None and denial.is_denied(before, behind, forbidden=expected is None))
        )
        if not denied and (
            expected is None
            or not (
                (may.offer and is_one_of_several(before, behind, is_expected))
                or ("/" not in keyword and is_beside_slash(before, behind, is_expected))
                or (may.leave_out and is_left_out(before, behind, asked))
            )
        ):
            return True
        hit = find_keyword(keyword, folded, match, hit.end())
    return False


def find_keyword(keyword: str, folded: str, match: str, start: int = 0) -> re.Match[str] | None:
    """The first place of a keyword. None ends inside a character: "ɔ" is not found in "ɔ̃", nor "x"
    after a mark.
    """
    first_word, pattern = _pattern(keyword, match)
    # From one plain find to the next: searching for the pattern takes ten times as long.
    at = folded.find(first_word, start) if first_word else -1
    while at >= 0:
        hit = pattern.match(folded, at)
        if hit and (folded.isascii() or not _cuts_character(hit, match)):
            return hit
        at = folded.find(first_word, at + 1)
    return None


def _cuts_character(hit: re.Match[str], match: str) -> bool:
    start, end = hit.span()
    following = hit.string[end : end + 1]
    if not following.isascii() and is_mark(following):
        return True
    preceding = hit.string[start - 1 : start] if match != "substring" else ""
    return not preceding.isascii() and is_mark(preceding) and hit[0][0].isalnum()


@lru_cache(maxsize=8192)
def _pattern(keyword: str, match: str) -> tuple[str, re.Pattern[str]]:
    """A folded keyword's first word, empty where nothing remains, and the pattern of it all."""
    words = fold_for_matching(keyword).split()
    if not words:
        return "", re.compile("")
    body = r"\s+".join(map(re.escape, words))
    if match == "stem" and len(words[-1]) > 4 and words[-1].endswith("wo"):
        body = body[:-2] + "(?:l?a)?wo"  # a plural, with or without its article
        words[-1] = words[-1][:-2]
    # "C++", "-rf" and "/etc" end or begin with no word character: there is no boundary to ask for.
    left = r"(?<!\w)" if match != "substring" and _is_word(words[0][0]) else ""
    if match == "stem" and len("".join(words)) < 3:
        match = "stem of two"
    asks_for_end = match == "word" or match in _ENDINGS
    right = r"(?!\w)" if asks_for_end and _is_word(words[-1][-1]) else ""
    return words[0], re.compile(left + body + _ENDINGS.get(match, "") + right)


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum() or is_mark(character)


def _explanation(
    found: list[str], missing: list[str], denied: list[str], unwanted: list[str]
) -> str:
    sentences = []
    if unwanted:
        sentences.append(tr("Contains forbidden: {keywords}.", keywords=", ".join(unwanted)))
    if found:
        sentences.append(tr("Found: {keywords}.", keywords=", ".join(found)))
    if denied:
        sentences.append(
            tr("Named, but denied or one of several: {keywords}.", keywords=", ".join(denied))
        )
    if missing:
        sentences.append(tr("Missing: {what}.", what=", ".join(missing)))
    return " ".join(sentences) or tr("No forbidden keyword found.")


def keyword_advice(items: Phrases, match: str, test: Case) -> Iterator[FieldProblem]:
    """Keywords that are repeated, or in the prompt already, or have letters of another alphabet."""
    yield from look_alike_advice("expected_keywords", items, test)
    asked = fold_keyword("\n".join(m.content for m in test.messages if m.role == "user"))
    seen: set[tuple[str, ...]] = set()
    for index, words in enumerate(items):
        path = ("expected_keywords", index)
        plain = tuple(map(fold_keyword, words))
        if plain in seen:
            yield FieldProblem(path, tr("'{word}' is asked for twice", word=_shown(words[0])))
        seen.add(plain)
        for word, form in zip(words, plain, strict=True):
            # A plain search first: it saves making a pattern.
            if form in asked and occurs(word, asked, match):
                message = tr(
                    "'{word}' is already in the prompt; repeating the prompt would score",
                    word=_shown(word),
                )
                yield FieldProblem(path, message)


def fold_keyword(word: str) -> str:
    """A keyword as it is compared, white space as single spaces."""
    if word.isascii():
        return " ".join(word.lower().split())
    return " ".join(fold_for_matching(word).split())


def _shown(word: str) -> str:
    return one_line(word, longest=60)
