"""What is skipped when an answer is read changes nothing: each short way beside its long one."""

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from assay.checks.letters import patterns
from assay.text import (
    answer_words,
    commitment,
    dressing,
    mentions,
    number_reading,
    numbers,
    said,
    standing,
    structure,
    text_reading,
    word_marks,
)
from assay.text.answer_words import NEGATION
from assay.text.denied_clauses import _DEED, _EWE_O, _LISTED, clause_denial
from assay.text.folding import fold_for_matching
from assay.text.late_pattern import found_behind
from assay.text.number_reading import read_number
from assay.text.text_reading import AcceptedTexts

_CASES = Path(__file__).parent / "committed_answers.txt"
_MUTATIONS = 600
_ADDED = (
    "not", "or", "and", "**x**", "answer:", "the answer is 12", "no, wait", "7", "seven", "-5",
    "(", '"', "“", "3/4", "1,5 kg", "\n", "2½", "= 12", "−4", "minus 3", "ſ", "İ", "?", "5 m^2",
    "x^{2}", "1. ", "…", "ŋuɖoɖo", "[a](b)", "```", "😀", "Dr. K", "e.g. 3", "。)-5", "total 9",
)  # fmt: skip


@cache
def _rows() -> list[tuple[str, tuple[str, ...], str]]:
    """question, accepted texts, answer: the committed cases, and some hundreds changed at random"""
    rows = []
    for line in _CASES.read_text("utf-8").splitlines():
        cells = line.split(" | ")
        if cells[0] == "exact_match" and len(cells) == 6:
            accepted = tuple(cells[3].split(" / "))
            rows.append((cells[2], accepted, cells[4].replace("⏎", "\n")))
    chance = random.Random(107)
    for _ in range(_MUTATIONS):
        question, accepted, answer = chance.choice(rows)
        rows.append((question, accepted, _changed(answer, chance)))
    return rows


def _changed(answer: str, chance: random.Random) -> str:
    words = answer.split(" ")
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(words))
        change = chance.randrange(5)
        if change == 0:
            words.insert(at, chance.choice(_ADDED))
        elif change == 1:
            words[at] = words[at].upper()
        elif change == 2:
            words[at] += chance.choice(".,;:!?…")
        elif change == 3:
            words[at] = f"*{words[at]}*"
        elif len(words) > 1:
            del words[at]
    return " ".join(words)


def _answers() -> Iterator[str]:
    for _, _, answer in _rows():
        yield answer


def _spans(found: Iterator[re.Match[str]]) -> list[tuple[int, int]]:
    return [each.span() for each in found]


def test_there_are_answers_to_compare() -> None:
    assert len(_rows()) > _MUTATIONS + 100
    assert len({*_answers()}) > _MUTATIONS


def test_stops_and_numbers_are_those_that_a_search_of_every_place_finds() -> None:
    for signs, pattern in (
        (structure._STOP_SIGN, structure._STOP),
        (numbers._NUMBER_SIGN, numbers._NUMBER),
        (numbers._MINUS_WORD, numbers._SPOKEN_MINUS),
    ):
        for answer in _answers():
            quick = _spans(found_behind(signs, pattern, answer))
            assert quick == _spans(pattern.finditer(answer)), answer


def test_a_sentence_takes_back_wherever_a_search_of_every_place_says_so() -> None:
    for answer in _answers():
        slow = commitment._TAKES_BACK.search(answer[:80]) is not None
        assert commitment.takes_back(answer) is slow, answer


def test_accepted_texts_are_found_where_a_pattern_of_them_finds_them() -> None:
    met = 0
    for _, accepted, answer in _rows():
        for listed in (True, False):
            quick = mentions.Mentions(accepted, listed)
            slow = [found.span() for found in quick._pattern.finditer(answer)]
            assert quick.find(answer) == slow, (accepted, answer)
            met += len(slow)
    assert met > 500


def test_a_word_of_every_listed_phrase_is_marked() -> None:
    for bit, lists in word_marks._LISTS.items():
        for listed in lists:
            pattern = re.compile(rf"(?<!\w)(?:{listed})(?!\w)")
            for answer in _answers():
                folded = fold_for_matching(answer)
                if pattern.search(folded):
                    marks = [word_marks.marks_of(word) for word in structure.words_in(answer)]
                    assert any(mark & bit for mark in marks), (listed, answer)


def test_what_no_word_of_a_sentence_can_change_is_not_read() -> None:
    """The same answers, read once more with every rule tried on every sentence."""
    words, met = commitment.lexicon(), 0
    for question, accepted, answer in _rows():
        quick = AcceptedTexts(accepted, question, words)
        slow = AcceptedTexts(accepted, question, words)
        slow._expected.vocabulary = _KnowsAll(slow._expected.vocabulary)
        assert quick.read(answer) == slow.read(answer), answer
        met += quick.read(answer)[0] is not None
    assert met > 300


class _KnowsAll(said.Vocabulary):
    """The vocabulary of a test in which every word has every mark of the lists but two, which say
    what a word is and not what it may begin.
    """

    def __init__(self, own: said.Vocabulary) -> None:
        super().__init__(own._asked, own._own, own.skips_initials)

    def __missing__(self, word: str) -> tuple[str, int]:
        folded, marks = super().__missing__(word)
        is_word = word_marks.LISTED | word_marks.DENIAL
        self[word] = folded, marks | (word_marks.FIRST_FREE - 1) & ~is_word
        return self[word]


def test_signs_that_are_not_there_need_no_pattern() -> None:
    for answer in _answers():
        colon = text_reading._COLON.search(answer) is not None
        assert not colon or text_reading._COLON_SIGN.search(answer), answer
        clause = standing._CLAUSE.search(answer) is not None
        assert not clause or standing._CLAUSE_SIGN.search(answer), answer
        slow = dressing._FENCE_LINE.sub("", dressing.EMOJI.sub(" ", answer))
        slow = dressing._LINE_MARK.sub("", slow)
        if "</" in slow:
            slow = dressing._TAG.sub(" ", slow)
        slow = dressing._EMPHASIS.sub(r"\2", dressing._LINK.sub(r"\1", slow)).strip()
        assert dressing._undress(answer) == slow, answer


def test_words_are_those_that_the_pattern_of_words_finds() -> None:
    for answer in _answers():
        assert structure.words_as_written(answer) == structure.WORD.findall(answer), answer


def test_numbers_of_digits_alone_are_read_as_the_pattern_of_all_numbers_reads_them() -> None:
    met = 0
    for answer in _answers():
        for sign in numbers._NUMBER_SIGN.finditer(answer):
            plain = numbers._PLAIN_NUMBER.match(answer, sign.start())
            if plain is not None:
                long = numbers._NUMBER.match(answer, sign.start())
                assert long is not None
                assert long.span() == plain.span(), answer
                assert numbers._numbers_of(long.groups()) == (numbers._plain_number(plain[0]),)
                met += 1
    assert met > 100


def test_a_number_is_announced_wherever_a_search_of_every_place_says_so() -> None:
    words, met = commitment.lexicon(), 0
    for answer in _answers():
        for sentence in structure.sentences(numbers.plainly_written(answer)):
            text = sentence.text
            cues = number_reading._Cues(text, words)
            for item in numbers.all_numbers(text):
                reach = number_reading._CUE_REACH
                before = text[max(0, item.start - reach) : item.start].casefold()
                behind = text[item.end : item.end + reach].casefold()
                cue = number_reading._CUE.search(before)
                slow = (cue is not None and not NEGATION.search(cue[0])) or (
                    number_reading._CUE_AFTER.match(behind) is not None
                )
                assert cues.announce(item) is slow, (text, item)
                met += slow
    assert met > 30


def test_the_number_that_the_last_sentence_announces_is_the_one_that_all_claims_give() -> None:
    met = 0
    for question, _, answer in _rows():
        # With units every sentence is read.
        slow = read_number(answer, question, "eng", with_units=True)
        assert read_number(answer, question, "eng").number == slow.number, answer
        met += slow.number is not None
    assert met > 100


def test_every_claim_of_an_answer_with_one_number_is_that_number() -> None:
    words, met = commitment.lexicon(), 0
    for question, _, answer in _rows():
        for sentence in structure.sentences(numbers.plainly_written(answer)):
            written = [*number_reading._counted(sentence.text, words)]
            if len(written) != 1:
                continue
            met += 1
            for asked in (frozenset[numbers.Number](), frozenset({written[0].number})):
                claims = number_reading._claims(sentence, written, asked, question, words, False)
                assert {claim.value for claim in claims} == {written[0].number}, answer
    assert met > 50


def test_a_rule_of_keywords_applies_only_to_texts_that_have_its_words() -> None:
    met = [0, 0, 0, 0]
    for answer in [*_answers(), *_DENYING_ANSWERS]:
        folded = fold_for_matching(answer)
        may = answer_words.qualifiers_in(folded)
        denial = clause_denial("What does a tenant pay?", "ee")
        assert denial is not None
        slow = [each.search(folded) for each in (_LISTED, _EWE_O, _DEED)]
        assert denial.may_apply(folded) is any(slow), answer
        for at in (found.start() for found in structure.WORD.finditer(folded)):
            before, behind = folded[:at], folded[at:]
            holds = (
                answer_words.is_denied(before, behind),
                answer_words.is_in_denied_list(before),
                answer_words.is_one_of_several(before, behind, lambda _: False),
                answer_words.is_left_out(before, behind, ("eat", "pay")),
            )
            assert not any(held and not can for held, can in zip(holds, may, strict=True)), answer
            met = [count + held for count, held in zip(met, holds, strict=True)]
    assert min(met) > 0


_DENYING_ANSWERS = (
    "Neither red nor yellow nor green.", "No rent, no tax.", "They do not eat grass, they eat it.",
    "Il n'est ni rouge ni vert.", "It is without salt or sugar.", "It isn't iron.", "Grass? Nope.",
    "Le lion ne mange pas d'herbe.", "Avoid salt.", "Évitez le sel.", "A tenant never pays tax.",
)  # fmt: skip


def test_places_are_counted_only_where_a_word_counts_them() -> None:
    counting = ("the second option", "option 2", "La deuxième.", "evelia", "1st one", "Réponse 3")
    for answer in [*_answers(), *counting]:
        folded = fold_for_matching(answer)
        counts = any(pattern.search(folded) for pattern in patterns.ORDINALS)
        assert counts or answer not in counting, answer
        if counts:
            assert any(map(patterns.COUNTS.match, structure.words_in(answer))), answer
