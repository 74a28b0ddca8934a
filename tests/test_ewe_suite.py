"""The suite `ewe` that ships: sound, fair, grounded, and not to be had by guessing.

`tests/scripted/ewe_right.json` answers every test as somebody who knows would, `ewe_wrong.json`
with a mistake each time. `test_ewe_suite_sources.py` holds what it says of Ewe against the sources.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import assay
from assay.checks.composite import Composite
from assay.checks.exact_match import ExactMatch
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.scoring import score_reply
from assay.plan import rendered_prompt
from assay.suites.load import examine, find, load_suite
from assay.summary.baselines import baselines
from assay.types import Answered, Case, Suite
from assay.types.results import Baselines
from assay.workflow.running.baselines import guesses_of

from .conftest import Bench

BUILTIN = Path(assay.__file__).parent / "builtin"
EWE = BUILTIN / "suites" / "ewe"
SCRIPTS = Path(__file__).parent / "scripted"
CATEGORIES = {
    "calendar", "conversation", "names", "numbers", "orthography",
    "proverbs", "reading", "translation", "words", "writing",
}  # fmt: skip
METHODS = {"exact_match", "keywords", "multiple_choice", "format", "composite"}
ASKED_IN = {"en", "fr", "ee"}
WITHOUT_SPECIAL_LETTERS = str.maketrans("ɖɛƒɣŋɔʋ", "defgnov")


@cache
def ewe() -> Suite:
    return load_suite(EWE)


@cache
def answers(name: str) -> Mapping[str, Any]:
    script: dict[str, Any] = json.loads((SCRIPTS / f"ewe_{name}.json").read_text("utf-8"))
    found: Mapping[str, Any] = script["answers"]
    return found


def value_of(case: Case, text: str) -> float:
    score = score_reply(case, Answered(request_id="", text=text))
    assert score is not None
    assert score.value is not None, score.explanation
    return score.value


@cache
def marks(name: str) -> Mapping[str, float]:
    """Test id to mark; of a conversation the last answer counts."""
    said = {
        key: text[-1] if isinstance(text, list) else text for key, text in answers(name).items()
    }
    return {case.id: value_of(case, said[case.id]) for case in ewe().cases}


def points(name: str) -> float:
    suite, found = ewe(), marks(name)
    return 100 * sum(
        fmean(found[case.id] for case in category.cases) * suite.weight(category.name)
        for category in suite.categories
    )


@cache
def guessing() -> Baselines:
    return baselines(ewe(), score_reply, rendered_prompt=rendered_prompt)


def by_id(case_id: str) -> Case:
    return next(case for case in ewe().cases if case.id == case_id)


def normal(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


# ------------------------------------------------------------------------------- the files


def test_the_suite_ships_under_its_name_and_has_nothing_to_find_fault_with() -> None:
    assert find("ewe").path == EWE
    assert examine([EWE]) == ()


def test_there_are_120_tests_or_more_in_ten_categories_of_about_the_same_size() -> None:
    sizes = {category.name: len(category.cases) for category in ewe().categories}
    assert set(sizes) == CATEGORIES
    assert sum(sizes.values()) >= 120
    assert all(11 <= size <= 16 for size in sizes.values()), sizes


def test_the_suite_file_says_all_that_holds_for_every_test() -> None:
    suite = ewe()
    assert (suite.title, suite.version, suite.pass_mark) == (
        "Ewe: words, reading, translation and writing",
        "2.2",
        0.7,
    )
    assert set(suite.weights) == CATEGORIES
    assert sum(suite.weights.values()) == pytest.approx(1)


def test_the_suite_names_its_language_and_yawo_is_told_in_french_to_answer_in_ewe() -> None:
    assert ewe().language == "ee"
    yawo = (BUILTIN / "yawo.txt").read_text("utf-8").strip()
    assert ewe().system == yawo
    assert "Yawo" in yawo
    assert "tu réponds en éwé, sauf quand la question demande une autre langue" in yawo


ANOTHER = {"en": "English", "fr": "français"}
# What is the same in every language: a name, a figure, a letter, a word that the question quotes.
NO_LANGUAGE = ("the name alone", "two names", "in figures", "with a number", "the letter only",
               "par la lettre", "with that word only", "par ce mot", "nothing else")  # fmt: skip


def test_a_test_that_asks_for_another_language_than_ewe_says_so() -> None:
    """Yawo answers in Ewe unless he is told otherwise."""
    unsaid, told = [], Counter()
    for case in ewe().cases:
        if case.method == "multiple_choice":
            continue
        said = " ".join([case.system or "", *(each.content for each in case.messages)])
        asked = case.messages[-1].content
        wanted = getattr(case.check, "expected_format", None)
        tongue = getattr(wanted, "language", None) if wanted else None
        if tongue in ANOTHER:
            told[tongue] += 1
            if ANOTHER[tongue] not in said:
                unsaid.append(case.id)
        elif not any(word in said for word in ("Ewe", "éwé", *ANOTHER.values(), *NO_LANGUAGE)):
            unsaid.append(case.id)
        elif any(word in asked for word in ANOTHER.values()):
            told["asked"] += 1
    assert unsaid == []
    assert told["en"] >= 3
    assert told["fr"] >= 3
    assert told["asked"] >= 10


def test_two_conversations_bring_their_own_system_message() -> None:
    own = [case.id for case in ewe().cases if case.system != ewe().system]
    assert own == ["conversation_006", "conversation_007"]


def test_translations_are_compared_with_a_reference_beside_keywords() -> None:
    checks = [case.check for case in ewe().cases if case.category == "translation"]
    assert all(isinstance(check, Composite) and check.reference for check in checks)
    assert all(isinstance(check, Composite) and check.expected_keywords for check in checks)


def test_one_conversation_is_asked_turn_by_turn() -> None:
    (live,) = [case for case in ewe().cases if case.live]
    assert [message.role for message in live.messages] == ["user", "user"]


def test_every_fitting_method_is_used() -> None:
    assert {case.method for case in ewe().cases} == METHODS


def test_every_test_says_what_it_is_for_and_that_nobody_has_reviewed_it() -> None:
    assert [case.id for case in ewe().cases if len(case.description) < 6] == []
    assert {case.reviewed for case in ewe().cases} == {None}


def test_every_test_is_tagged_with_the_language_it_is_asked_in() -> None:
    asked = Counter(tag for case in ewe().cases for tag in case.tags)
    assert set(asked) == ASKED_IN
    assert sum(asked.values()) == len(list(ewe().cases))
    assert min(asked.values()) >= 3, asked


def test_no_two_tests_ask_the_same() -> None:
    asked = Counter(normal(rendered_prompt(case)) for case in ewe().cases)
    assert [text for text, count in asked.items() if count > 1] == []


def test_the_right_letters_are_spread_evenly_and_every_question_has_four_choices() -> None:
    checks = [case.check for case in ewe().cases if isinstance(case.check, MultipleChoice)]
    assert {len(check.choices) for check in checks} == {4}
    letters = Counter(check.expected for check in checks)
    assert max(letters.values()) - min(letters.values()) <= 1
    assert set(letters) == set("ABCD")


# ------------------------------------------------------------------------------- fair marks


def accepted(case: Case) -> Iterator[Sequence[str]]:
    """What counts as right, item by item, each with all its spellings."""
    check = case.check
    if isinstance(check, Composite):
        check = check.keywords or check
    if isinstance(check, ExactMatch):
        yield check.expected
    elif isinstance(check, Keywords):
        yield from check.expected_keywords


def plainly_spelt(word: str) -> str:
    apart = unicodedata.normalize("NFD", word)
    letters = "".join(sign for sign in apart if not unicodedata.combining(sign))
    return letters.casefold().translate(WITHOUT_SPECIAL_LETTERS)


@pytest.mark.parametrize("category", sorted(CATEGORIES - {"orthography", "translation"}))
def test_ewe_without_special_letters_or_with_look_alikes_counts_where_spelling_is_not_asked_for(
    category: str,
) -> None:
    for case in (case for case in ewe().cases if case.category == category):
        if isinstance(case.check, ExactMatch | Keywords):
            words = [spellings[0] for spellings in accepted(case)]
            for spell in (plainly_spelt, lambda word: word.replace("ɔ", "\u037b")):
                assert value_of(case, ", ".join(map(spell, words))) == 1.0, case.id


@pytest.mark.parametrize(
    ("case_id", "answer", "value"),
    [
        ("orthography_003", "ɖ", 1.0),
        ("orthography_003", "\u0110", 0.0),  # D with stroke
        ("orthography_003", "\u00d0", 0.0),  # Eth
        ("orthography_007", "gbegb\u037bgbl\u037b", 0.0),
        ("orthography_008", "duk\u037b", 0.0),
        ("orthography_010", "Ʋ", 0.0),
        ("orthography_010", "\u03c5", 0.0),  # Greek upsilon
        ("orthography_011", "\u03b7", 0.0),  # Greek eta
    ],
)
def test_a_look_alike_is_wrong_where_the_letter_is_asked_for(
    case_id: str, answer: str, value: float
) -> None:
    assert value_of(by_id(case_id), answer) == value


@pytest.mark.parametrize(
    ("case_id", "answer"),
    [
        ("calendar_001", "Blaɖagbe"),
        ("calendar_001", "Tuesday is *bladagbe*."),
        ("numbers_001", "deka, eve, eto, ene, ato"),
        ("reading_009", "He was five years old."),
        ("names_001", "Evegbe"),
        ("words_005", "It is a pilot."),
        ("reading_002", "The lion."),
    ],
)
def test_another_way_to_say_the_same_counts(case_id: str, answer: str) -> None:
    assert value_of(by_id(case_id), answer) == 1.0


@pytest.mark.parametrize(
    ("case_id", "answer"),
    [
        ("calendar_001", "dzoɖa, blaɖa, kuɖa"),
        ("calendar_002", "jeudi ou vendredi"),
        ("numbers_001", "ɖeka, eve, etɔ̃, ene, atɔ̃, ade, adre"),
        ("names_009", "Ghana, Togo, Benin, Nigeria"),
        ("reading_002", "a lion, an elephant and a zebra"),
        ("conversation_007", "Nɔvinye nyɔnu dɔ alɔ̃."),
    ],
)
def test_saying_everything_at_once_does_not_pass(case_id: str, answer: str) -> None:
    assert value_of(by_id(case_id), answer) < ewe().pass_mark


# ---------------------------------------------------------------------------------- scores


@pytest.mark.parametrize("name", ["right", "wrong"])
def test_a_script_answers_every_test_and_names_no_other(name: str) -> None:
    assert set(answers(name)) == {case.id for case in ewe().cases}


def test_right_answers_pass_every_test_and_make_95_points_or_more() -> None:
    assert {key: value for key, value in marks("right").items() if value < ewe().pass_mark} == {}
    assert points("right") >= 95


def test_wrong_answers_pass_no_test_and_make_25_points_at_most() -> None:
    assert {key: value for key, value in marks("wrong").items() if value >= ewe().pass_mark} == {}
    assert points("wrong") <= 25


def test_right_answers_beat_wrong_ones_by_far_on_every_method() -> None:
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name in ("right", "wrong"):
        for case in ewe().cases:
            values[case.method][name].append(marks(name)[case.id])
    for method, found in values.items():
        assert fmean(found["right"]) >= fmean(found["wrong"]) + 0.6, method


def test_an_empty_answer_scores_nothing_and_the_echoed_prompt_next_to_nothing() -> None:
    assert guessing().empty.value == 0
    assert (guessing().echoed.value or 0) <= 6


def test_no_constant_answer_comes_near_the_pass_mark() -> None:
    assert (guessing().constant.value or 100) <= 12
    # All keywords of the suite in one line, which nobody could write without knowing them.
    assert guessing().oracle is not None
    assert (guessing().oracle.value or 100) <= 38


@pytest.mark.parametrize("letter", "ABCD")
def test_one_letter_throughout_scores_less_than_one_in_eight(letter: str) -> None:
    found = [value_of(case, letter) for case in ewe().cases]
    assert fmean(found) < 1 / 8


def test_the_page_on_the_suite_gives_its_sizes_weights_and_scores_as_they_are(root: Path) -> None:
    page = (root / "docs" / "reference" / "ewe-suite.md").read_text("utf-8")
    for category in ewe().categories:
        weight = ewe().weight(category.name)
        assert f"| `{category.name}` | {len(category.cases)} | {weight:.2f} |" in page
    script = guesses_of(ewe()).script.value
    guessed = [script, guessing().echoed.value, guessing().constant.value]
    guessed.append(guessing().oracle.value if guessing().oracle else None)
    scores = [points("right"), points("wrong"), *guessed]
    shown = [float(figure) for figure in re.findall(r"\| (\d+\.\d) \|$", page, re.MULTILINE)]
    # Within a point: how well a text reads as Ewe is measured anew now and then.
    assert shown == pytest.approx([score or 0 for score in scores], abs=1)


def test_assay_run_finds_the_suite_by_name_and_gives_the_same_score(bench: Bench) -> None:
    told = bench.document("run", f"scripted:{SCRIPTS / 'ewe_right.json'}", "-s", "ewe")
    (suite,) = told["models"][0]["suites"]
    assert suite["suite"] == "ewe"
    assert suite["score"]["value"] == pytest.approx(points("right"), abs=0.01)
    assert suite["score"]["unscored"] == 0
