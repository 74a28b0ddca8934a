"""Every Ewe string of the suite `ewe`, held against the source that sources.tsv names for it.

A row is a test, a string, its source and where it is there: a path in the data of Unicode CLDR, a
number that its rules spell out, the line of a text or of the list of proverbs (../shared/data).
"""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.checks.multiple_choice import MultipleChoice
from assay.text.look_alikes import fold_look_alikes

from .test_ewe_suite import EWE, answers, by_id, ewe, plainly_spelt

SPECIAL = re.compile("[ɖɛƒɣŋɔʋ\u0303]")
WORD = re.compile(r"[^\W\d_](?:[\w\u0300-\u036f]*[\w\u0300-\u036f])?")
# Lines of ewe.txt: the Declaration of Human Rights and the stories. FLORES-200 (share-alike) and
# MediaWiki (GPL) are not quoted.
DECLARATION, STORIES = range(998, 1101), range(1101, 1289)
# Names, codes, letters, French and English that are in Ewe texts too, and two that are explained.
NOT_EWE = {
    "ewe", "ee", "fr", "unicode", "g", "k", "q", "gb", "kp", "ny", "dz", "ts", "sh", "u", "v", "x",
    "tu", "es", "ga", "togo", "ghana", "burkina", "faso", "hamisi", "trevor", "bla", "gbe",
}  # fmt: skip


def normal(text: str) -> str:
    """In the letters of Ewe: the stories have U+1F78, the Greek letter, for ò."""
    return fold_look_alikes(text.replace("\u1f78", "ò"), "ewe")[0].casefold()


def words_of(text: str) -> set[str]:
    return set(WORD.findall(unicodedata.normalize("NFC", normal(text))))


def rows() -> list[dict[str, str]]:
    with (EWE / "sources.tsv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter="\t")]


@cache
def facts() -> Mapping[str, list[str]]:
    found = defaultdict(list)
    for row in rows():
        found[row["test"]].append(row["fact"])
    return found


@cache
def lines(shared: Path, name: str) -> list[str]:
    return (shared / "data" / "langid" / f"{name}.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def cldr(shared: Path) -> Mapping[str, Any]:
    text = (shared / "data" / "ewe" / "ewe_cldr.json").read_text("utf-8")
    read: Mapping[str, Any] = json.loads(text)
    return read


def spelled(cldr: Mapping[str, Any], kind: str, number: int) -> str:
    """A number by the rules of Unicode CLDR, as far as the suite counts."""
    rules = cldr["number_spellout_rules"]

    def base(n: int) -> str:
        if n > 10:
            low = max(int(first) for first in rules["spellout-base"] if int(first) <= n)
            rule = rules["spellout-base"][str(low)].rstrip(";")
            rest, more = n % low if low > 20 else n % 10, rule.partition("[")[2].rstrip("]")
            made = rule.partition("[")[0] + (more if rest else "")
            made = made.replace("←%spellout-cardinal←", cardinal(n // low))
            return made.replace("←←", base(n // 10)).replace("→→", base(rest)).strip()
        return str(rules["spellout-base"][str(n)]).rstrip(";")

    def cardinal(n: int) -> str:
        return str(rules["spellout-cardinal"][str(n)]).rstrip(";") if n < 2 else base(n)

    if kind == "ordinal":
        rule = str(rules["spellout-ordinal"][str(min(number, 2))]).rstrip(";")
        return rule.replace("=%spellout-cardinal=", cardinal(number))
    return cardinal(number) if kind == "number" else base(number)


def source_text(where: str, shared: Path, cldr: Mapping[str, Any]) -> str:
    place, _, number = where.partition(" ")
    if place == "ewe.txt":
        return lines(shared, "ewe")[int(number) - 1]
    if place == "ewe_proverbs.tsv":
        table = (shared / "data" / "ewe" / place).read_text("utf-8").splitlines()
        return table[int(number)].split("\t")[0]
    if number:
        return spelled(cldr, place, int(number))
    found: Any = cldr
    for step in where.split("/"):
        found = found[int(step)] if isinstance(found, list) else found[step]
    return str(found)


def test_every_ewe_string_occurs_where_its_row_says(shared: Path, cldr: Mapping[str, Any]) -> None:
    assert len(rows()) > 250
    for row in rows():
        text = normal(source_text(row["where"], shared, cldr))
        pattern = rf"(?<![\w\u0300-\u036f]){re.escape(normal(row['fact']))}(?![\w\u0300-\u036f])"
        assert re.search(pattern, text), row


def test_every_row_names_a_source_whose_licence_allows_it() -> None:
    page = (EWE / "SOURCES.md").read_text("utf-8")
    for row in rows():
        place, _, number = row["where"].partition(" ")
        if place == "ewe.txt":
            assert int(number) in (
                STORIES if row["source"].startswith("African Storybook") else DECLARATION
            )
        assert row["source"] in page, row["source"]


def texts_of(case: Any) -> Iterator[str]:
    """All that a test says, asks for and offers."""
    yield from (message.content for message in case.messages)
    yield from (text for name, text in case.check.describe() if name != "weights")
    if isinstance(case.check, MultipleChoice):
        yield from case.check.choices


def test_no_test_has_an_ewe_word_without_a_row(shared: Path, cldr: Mapping[str, Any]) -> None:
    foreign = {word for name in ("eng", "fra") for line in lines(shared, name)
               for word in words_of(line)}  # fmt: skip
    known = {word for line in lines(shared, "ewe") for word in words_of(line)}
    known |= words_of(json.dumps(cldr, ensure_ascii=False))
    for case in ewe().cases:
        said = " ".join(texts_of(case))
        traced = {word for fact in facts()[case.id] for word in words_of(fact)}
        traced |= {plainly_spelt(word) for word in traced} | NOT_EWE
        traced |= {unmarked(word) for word in traced}
        missing = {
            word
            for word in words_of(said) - traced
            if SPECIAL.search(unicodedata.normalize("NFD", word))
            or (word in known and word not in foreign)
        }
        assert missing == set(), case.id


def unmarked(word: str) -> str:
    apart = unicodedata.normalize("NFD", word)
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


def test_answers_that_count_as_right_are_sentences_of_the_sources_too(shared: Path) -> None:
    quotable = normal(" ".join(lines(shared, "ewe")[997:1288]))
    for test, said in answers("right").items():
        if by_id(test).category in ("writing", "translation", "conversation"):
            for text in said if isinstance(said, list) else [said]:
                for sentence in re.split(r"(?<=[.!?])\s+|\n+", normal(text)):
                    if SPECIAL.search(sentence) and len(sentence.split()) > 3:
                        assert sentence.lstrip("# -") in quotable, test


def test_no_sentence_of_share_alike_texts_is_copied(shared: Path) -> None:
    ewe_lines = lines(shared, "ewe")
    known = set(runs_of_words("\n".join(ewe_lines[:997] + ewe_lines[1288:]), 6))
    known -= set(runs_of_words("\n".join(ewe_lines[997:1288]), 6))
    files = [path.read_text("utf-8") for path in sorted(EWE.glob("*.json"))]
    assert [run for text in files for run in runs_of_words(text, 6) if run in known] == []


def runs_of_words(text: str, length: int) -> Iterator[tuple[str, ...]]:
    words = re.findall(r"[\w\u0300-\u036f]+", normal(text))
    return zip(*(words[start:] for start in range(length)), strict=False)


# Ewe word, the English words it stands for in the suite: each pair is met together far more often
# than by chance in the 997 parallel sentences of FLORES-200, which the suite does not quote.
GLOSSES = {
    "tsi": "water",
    "ɣleti": "month months moon",
    "nuɖuɖu": "food",
    "ɣedzeƒe": "east eastern",
    "dziehe": "north northern",
    "anyiehe": "south southern",
    "egbe": "today",
    "ŋdi": "morning",
    "zã": "night",
    "ɖeviwo": "children",
    "amewo": "people",
    "dukɔ": "country nation",
    "gbegbɔgblɔ": "language languages",
    "alo": "or",
    "gake": "but",
    "elabena": "because",
    "akpe": "thousand thousands",
}


def test_words_stand_beside_their_meanings_in_parallel_sentences(shared: Path) -> None:
    ewe_words = [words_of(line) for line in lines(shared, "ewe")[:997]]
    english = [words_of(line) for line in lines(shared, "eng")[:997]]
    for word, meanings in GLOSSES.items():
        with_word = {n for n, words in enumerate(ewe_words) if word in words}
        with_meaning = {n for n, words in enumerate(english) if words & {*meanings.split()}}
        together = len(with_word & with_meaning)
        assert together >= max(2, 5 * len(with_word) * len(with_meaning) / 997), word
