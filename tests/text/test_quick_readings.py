"""What is skipped when an answer is read changes nothing: each short way beside its long one."""

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from assay.text import commitment, dressing, number_reading, numbers, structure, text_reading
from assay.text.late_pattern import found_behind
from assay.text.number_reading import read_number

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
    ):
        for answer in _answers():
            quick = _spans(found_behind(signs, pattern, answer))
            assert quick == _spans(pattern.finditer(answer)), answer


def test_a_sentence_takes_back_wherever_a_search_of_every_place_says_so() -> None:
    for answer in _answers():
        slow = commitment._TAKES_BACK.search(answer[:80]) is not None
        assert commitment.takes_back(answer) is slow, answer


def test_an_answer_without_the_first_word_of_any_accepted_text_has_none_of_them() -> None:
    words = commitment.lexicon()
    for question, accepted, answer in _rows():
        quick = text_reading.AcceptedTexts(accepted, question, words)
        slow = text_reading.AcceptedTexts(accepted, question, words)
        slow._heads = ()
        assert quick.read(answer) == slow.read(answer), answer


def test_signs_that_are_not_there_need_no_pattern() -> None:
    for answer in _answers():
        ahead = text_reading._JOINED_BEFORE.search(answer) is not None
        assert not ahead or text_reading._JOINING.search(answer), answer
        colon = text_reading._COLON.search(answer) is not None
        assert not colon or text_reading._COLON_SIGN.search(answer), answer
        slow = dressing._FENCE_LINE.sub("", dressing.EMOJI.sub(" ", answer))
        slow = dressing._LINE_MARK.sub("", slow)
        if "</" in slow:
            slow = dressing._TAG.sub(" ", slow)
        slow = dressing._EMPHASIS.sub(r"\2", dressing._LINK.sub(r"\1", slow)).strip()
        assert dressing._undress(answer) == slow, answer


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
