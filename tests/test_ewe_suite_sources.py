"""What the suite `ewe` says of Ewe, held against the sources it was written from (../shared/data).

Words, numbers, days, months, names and letters against Unicode CLDR; glosses against parallel
sentences; proverbs against the seven attested ones. And no sentence of those texts is copied.
"""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.checks.multiple_choice import MultipleChoice

from .test_ewe_suite import EWE, accepted, answers, by_id, ewe, normal


@pytest.fixture(scope="module")
def cldr(shared: Path) -> Mapping[str, Any]:
    text = (shared / "data" / "ewe" / "ewe_cldr.json").read_text("utf-8")
    read: Mapping[str, Any] = json.loads(text)
    return read


def chosen(case_id: str) -> str:
    check = by_id(case_id).check
    assert isinstance(check, MultipleChoice)
    return check.choices["ABCD".index(check.expected)]


def first_accepted(case_id: str) -> list[str]:
    return [spellings[0] for spellings in accepted(by_id(case_id))]


def test_the_days_and_months_are_those_of_cldr(cldr: Mapping[str, Any]) -> None:
    days, months = cldr["days_wide_sun_to_sat"], cldr["months_wide"]
    assert first_accepted("calendar_005") == days
    assert first_accepted("calendar_001") == [days[2]]
    assert days[5] == "fiɖa"
    assert ", ".join(days[1:4]) in by_id("calendar_003").prompt
    assert first_accepted("calendar_003") == [days[4]]
    assert days[6] == "memleɖa"
    assert chosen("calendar_004") == "Saturday"
    assert first_accepted("calendar_006") == [months[0]]
    assert months[9] == "kele"
    assert chosen("calendar_007") == "October"
    assert ", ".join(months[4:7]) in by_id("calendar_008").prompt
    assert first_accepted("calendar_008") == [months[7]]
    assert days[3] == "kuɖa"
    assert chosen("conversation_003") == "Friday"


def test_the_numbers_are_those_of_cldr(cldr: Mapping[str, Any]) -> None:
    rules = cldr["number_spellout_rules"]
    base = {int(number): word.rstrip(";") for number, word in rules["spellout-base"].items()}
    assert first_accepted("numbers_001") == ["ɖeka", *(base[n] for n in range(2, 6))]
    assert first_accepted("numbers_002") == [base[7]]
    assert base[9] == "asieke"
    assert chosen("numbers_003") == "9"
    assert base[1000].startswith("akpe ")
    assert base[20].startswith("bla←←")
    assert first_accepted("numbers_005") == ["bla" + base[5]]
    assert base[11] == "wui→→"  # so wuieve is 12
    assert first_accepted("numbers_007") == [base[10]]
    assert rules["spellout-ordinal"]["1"] == "gbãtɔ;"
    assert chosen("numbers_008") == "gbãtɔ"
    assert (base[4], base[2], first_accepted("numbers_009")) == ("ene", "eve", [base[6]])
    assert first_accepted("conversation_002") == [base[5]]
    assert first_accepted("conversation_006") == [base[8]]


def test_the_names_of_languages_and_countries_are_those_of_cldr(cldr: Mapping[str, Any]) -> None:
    languages, countries = cldr["languages_in_ewe"], cldr["countries_in_ewe"]
    assert first_accepted("names_001") == [languages["ee"]]
    assert first_accepted("names_002") == [languages["fr"]]
    assert {"hausagbe", "Hindigbe", "Japangbe"} <= set(languages.values())
    assert (languages["ak"], chosen("names_004")) == ("blugbe", "Akan")
    assert countries["KR"].startswith("Anyiehe Korea ")
    assert countries["CF"].startswith("Titina Afrika repɔblik ")
    assert countries["011"].startswith("Ɣetoɖoƒelɔƒo Afrika ")


def test_the_order_of_the_alphabet_is_that_of_cldr(cldr: Mapping[str, Any]) -> None:
    rules = cldr["collation_rules"]
    assert "&G<gb<<<Gb<<<GB<ɣ<<<Ɣ" in rules
    assert "&H<x<<<X" in rules
    assert chosen("orthography_002") == "G, GB, Ɣ, H, X"
    assert "&D<dz<<<Dz<<<DZ<ɖ<<<Ɖ" in rules
    letters = cldr["exemplar"]
    assert not {"c", "j", "q"} & set(letters["main"])
    assert {"c", "j", "q"} <= set(letters["auxiliary"])
    assert not any("sh" in rule for rule in rules)


def test_the_look_alikes_are_those_counted_in_real_texts(shared: Path) -> None:
    with (shared / "data" / "ewe" / "ewe_confusables.tsv").open(encoding="utf-8") as lines:
        stands_for = {
            row["codepoint"]: row["standard_ewe"] for row in csv.DictReader(lines, delimiter="\t")
        }
    assert stands_for["U+037B"] == "ɔ"
    assert stands_for["U+0110"] == stands_for["U+00D0"] == "Ɖ"
    assert chosen("orthography_001") == f"U+{ord('Ɖ'):04X}" == "U+0189"
    assert len(unicodedata.normalize("NFC", "etɔ̃")) == 4


def test_every_proverb_asked_about_is_one_of_the_seven_attested(shared: Path) -> None:
    with (shared / "data" / "ewe" / "ewe_proverbs.tsv").open(encoding="utf-8") as lines:
        known = [normal(row["proverb"]) for row in csv.DictReader(lines, delimiter="\t")]
    quoted = [
        normal(found)
        for case in ewe().cases
        if case.category == "proverbs"
        for found in re.findall(r'["«“]\s*([^"«»“”]+?)\s*["»”]', case.prompt)
    ]
    assert len(quoted) == 8
    for text in quoted:
        parts = [part.strip(" .") for part in text.split("…")]
        assert any(all(part in proverb for part in parts) for proverb in known), text


# Ewe word, the English words it stands for in the suite: each pair is met together far more often
# than by chance in the 997 parallel sentences of FLORES-200.
GLOSSES = {
    "tsi": "water",
    "ɣleti": "month months moon",
    "yameʋu": "plane aircraft",
    "keteke": "train trains",
    "nuɖuɖu": "food",
    "ɣedzeƒe": "east eastern",
    "ɣetoɖoƒe": "west western",
    "dziehe": "north northern",
    "anyiehe": "south southern",
    "egbe": "today",
    "ŋdi": "morning",
    "zã": "night",
    "agbalẽ": "book books",
    "ɖeviwo": "children",
    "amewo": "people",
    "dukɔ": "country nation",
    "gbegbɔgblɔ": "language languages",
    "alo": "or",
    "gake": "but",
    "elabena": "because",
    "akpe": "thousand thousands",
}


@pytest.mark.parametrize("word", GLOSSES)
def test_a_word_stands_beside_its_meaning_in_parallel_sentences(word: str, shared: Path) -> None:
    ewe_lines, english_lines = (parallel(shared, name) for name in ("ewe", "eng"))
    meanings = set(GLOSSES[word].split())
    with_word = {n for n, words in enumerate(ewe_lines) if word in words}
    with_meaning = {n for n, words in enumerate(english_lines) if meanings & words}
    together = len(with_word & with_meaning)
    by_chance = len(with_word) * len(with_meaning) / len(ewe_lines)
    assert together >= 2
    assert together >= 5 * by_chance


@cache
def parallel(shared: Path, name: str) -> list[frozenset[str]]:
    text = (shared / "data" / "langid" / f"{name}.txt").read_text("utf-8")
    lines = text.replace("\u037b", "ɔ").replace("\u05d8", "ʋ").splitlines()[:997]
    return [frozenset(re.findall(r"[\w\u0300-\u036f]+", normal(line))) for line in lines]


def test_no_sentence_of_the_collected_texts_is_copied(shared: Path) -> None:
    collected = (shared / "data" / "langid" / "ewe.txt").read_text("utf-8")
    known = set(runs_of_words(collected.replace("\u037b", "ɔ"), 6))
    scripts = [json.dumps(answers(name), ensure_ascii=False) for name in ("right", "wrong")]
    files = [path.read_text("utf-8") for path in sorted(EWE.glob("*.json"))]
    assert [
        run for text in (*files, *scripts) for run in runs_of_words(text, 6) if run in known
    ] == []


def runs_of_words(text: str, length: int) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"[\w\u0300-\u036f]+", normal(text))
    return zip(*(words[start:] for start in range(length)), strict=False)
