"""Telling languages apart: never seen sources, own sentences, mixed and hostile texts."""

from __future__ import annotations

import json
import math
import random
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.ewe.language import (
    CHARACTERS_READ,
    PARAMETERS,
    STEPS_PER_NAT,
    contains_ewe,
    identify,
    sentences,
    shipped_model,
    spans,
)
from assay.checks.format import Format, Rules
from assay.text.look_alikes import CONFUSABLES
from tests.conftest import no_hang


def ewe_share(text: str) -> float:
    found = spans(text)
    letters = sum(span.letters for span in found)
    return sum(span.letters for span in found if span.code == "ewe") / letters if letters else 0.0


EWE = [
    "Akpe na wò.",
    "Ele agbea?",
    "Mele agbe.",
    "Nye ŋkɔe nye Kofi.",
    "Ŋkɔnye nye Yawo.",
    "Hede nyuie!",
    "Akpe kakaka na mi katã.",
    "Eʋegbe nye gbe si wodona le Ghana kple Togo.",
    "Edzɔ dzi nam be mekpɔ wò.",
    "Nunya adidoe, asi metunɛ o.",
    "Detsi vivie hea zikpui.",
    "Aɖata sɔ hã, mɔ le eme.",
    "Asi ɖeka melea tɔdzo o.",
]
NOT_EWE = {
    "eng": [
        "Hello people. This is a simple example.",
        "The little table is a noble example of simple people.",
        "Please restart the server and check whether the cable is plugged in.",
    ],
    "fra": [
        "Je ne comprends pas cette question, mais je vais essayer.",
        "Le livre est sur la table de la salle.",
        "Redémarrez le serveur, puis vérifiez les câbles.",
    ],
    "swh": ["Sielewi swali hilo, lakini nitajaribu kulijibu."],
}
UNKNOWN = [
    "Ich verstehe die Frage nicht, aber ich versuche es.",  # German
    "Der kleine Esel lebt neben dem alten Bahnhof.",
    "Não compreendo a pergunta, mas vou tentar.",  # Portuguese
    "Ik begrijp de vraag niet helemaal.",  # Dutch
    "Saya tidak mengerti pertanyaan itu.",  # Indonesian
    "En ymmärrä kysymystä, mutta yritän vastata.",  # Finnish
    "Nie rozumiem tego pytania, ale spróbuję.",  # Polish
    "No entiendo la pregunta, pero voy a intentarlo.",  # Spanish
    "Non capisco la domanda, ma ci provo lo stesso.",  # Italian
    "Nem értem a kérdést.",  # Hungarian
    "Soruyu anlamıyorum ama deneyeceğim.",  # Turkish
    "Aole maopopo ia au keia ninau.",  # Hawaiian
    "Я не понимаю вопроса.",  # Russian
    "我不明白这个问题。",  # Chinese
    "لا أفهم السؤال",  # Arabic
    "मुझे सवाल समझ नहीं आया",  # Hindi
]
NEIGHBOURS = ("fon", "gaa", "dag", "kbp", "ajg", "twi", "yor")


@pytest.fixture(scope="module", params=["UDHR", "MediaWiki"])
def held_out(
    request: pytest.FixtureRequest,
    script: ModuleType,
    lines: list[Any],
    model_without: Callable[[str], Any],
) -> Any:
    """A source, a model that never saw it, and how its lines fared."""
    model = model_without(request.param)
    return request.param, model, script.measure(model, lines, [request.param])


# ------------------------------------------------------------------------- sources never seen


def test_ewe_of_a_source_never_seen_is_recognised_98_times_in_100(held_out: Any) -> None:
    source, _, rows = held_out
    [ewe] = [row for row in rows if row.language == "ewe"]
    assert ewe.lines == {"UDHR": 103, "MediaWiki": 166}[source]
    assert ewe.right / ewe.lines >= 0.98


def test_no_line_of_another_known_language_is_taken_for_ewe(held_out: Any) -> None:
    others = [row for row in held_out[2] if row.language != "ewe"]
    taken = {row.language: row.taken_for_ewe for row in others if row.taken_for_ewe}
    # Aja has one source only: without it Aja is unknown to the model, the hardest case there is.
    assert taken.pop("ajg", 0) <= 5
    assert taken == {}
    assert sum(row.lines for row in others) >= 361


def test_no_line_of_a_neighbouring_language_contains_ewe(held_out: Any, lines: list[Any]) -> None:
    source, model, _ = held_out
    found = [
        line.text
        for line in lines
        if line.source == source
        and line.language in NEIGHBOURS
        and line.language in model.languages
        and len(line.text) % 4 == 0  # a quarter of them, by chance
        and contains_ewe(line.text, model)
    ]
    assert found == []


def test_a_language_the_model_has_never_met_is_rarely_taken_for_ewe(
    script: ModuleType, lines: list[Any]
) -> None:
    """The bound is the measured figure (docs/decisions/ewe.md) with some room."""
    model = script.train(lines, without_languages=["gaa"])
    texts = [line.text for line in lines if line.language == "gaa"]
    taken = sum(identify(text, model).code == "ewe" for text in texts)
    assert taken / len(texts) <= 0.02, (taken, len(texts))


def test_the_recorded_figures_are_those_measured(held_out: Any) -> None:
    source, _, rows = held_out
    made = json.loads(PARAMETERS.with_name("made.json").read_text(encoding="utf-8"))
    recorded = {row["language"]: row for row in made["held_out"] if row["without"] == source}
    for row in rows:
        assert recorded[row.language]["lines"] == row.lines
        # processors may differ in the last bit of a logarithm, and a line may lie on the edge
        assert abs(recorded[row.language]["right"] - row.right) <= 2


# -------------------------------------------------------------------------- the shipped parameters


def test_the_shipped_parameters_are_what_the_script_makes(
    script: ModuleType, shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All but the words of NTREX, whose text is not there: what is known without it is shipped."""
    assert script.main(["--check", "--texts", str(shared / "data" / "langid")]) == 0
    assert "up to date (words of NTREX not compared)" in capsys.readouterr().out


def test_words_alone_are_counted_of_ntrex(
    script: ModuleType, of_one_source: tuple[list[Any], Any]
) -> None:
    few, model = of_one_source
    more = script.train([*few, script.Line("ewe", "NTREX", "Xexeame katã ƒe nyadzɔdzɔwoƒe")])
    assert script.differences(more, model) == ["ewe_words"]
    assert script.differences(more, model, words_of_all=False) == []
    assert script.differences(model, more, words_of_all=False) == ["ewe_words"]


@pytest.fixture(scope="module")
def of_one_source(script: ModuleType, lines: list[Any]) -> tuple[list[Any], Any]:
    """Some of the lines, and a model of these alone."""
    few = [line for line in lines if line.source == "UDHR"]
    return few, script.train(few)


def test_a_changed_parameter_is_noticed(
    script: ModuleType, of_one_source: tuple[list[Any], Any]
) -> None:
    few, model = of_one_source
    other = script.train(few[:-30])
    assert script.differences(model, model) == []
    assert "steps" in script.differences(model, other)


def test_the_script_makes_the_same_bytes_each_time_and_never_counts_messages_under_the_gpl(
    script: ModuleType, lines: list[Any], of_one_source: tuple[list[Any], Any]
) -> None:
    few, model = of_one_source
    messages = [line for line in lines if line.source == "MediaWiki"]
    assert messages
    assert script.pack(script.train(few)) == script.pack(model)
    assert script.pack(script.train([*few, *messages])) == script.pack(model)


def test_the_parameters_are_small_and_say_what_they_were_made_from() -> None:
    made = json.loads(PARAMETERS.with_name("made.json").read_text(encoding="utf-8"))
    assert PARAMETERS.stat().st_size == made["parameters_bytes"] <= 1_500_000
    assert not any("MediaWiki" in name for name in made["lines_counted"])
    assert all(len(digest) == 64 for digest in made["inputs_sha256"].values())


def test_likelihoods_equal_a_naive_count_of_the_same_text(
    script: ModuleType, lines: list[Any]
) -> None:
    few = [line for line in lines if line.source == "UDHR" and line.language in ("ewe", "fon")]
    model = script.train(few, seen_at_least=1)
    naive = NaiveWittenBell(
        [" ".join(sentences(line.text)) for line in few if line.language == "ewe"], model.alphabet
    )
    read = " ".join(sentences("Amewo katã le ablɔɖe me. Zeba kwag ɔɔɔ."))
    column = model.languages.index("ewe")
    found = model.log_likelihoods(read)[:, column]
    expected = [naive.log_chance(read, at) for at in range(len(read) + 1)]
    # each value is rounded to a twelfth of a nat, and up to four are added up
    assert found == pytest.approx(expected, abs=4 * 0.5 / STEPS_PER_NAT + 1e-9)


def test_a_letter_outside_the_alphabet_speaks_for_no_language() -> None:
    likelihoods = shipped_model().log_likelihoods("я")[0]
    assert len(set(likelihoods[:-1])) == 1
    assert likelihoods[-1] > likelihoods[0]  # but for an unknown one


class NaiveWittenBell:
    """The definition, letter by letter, with dictionaries and no tables."""

    def __init__(self, texts: list[str], alphabet: str) -> None:
        self.alphabet = alphabet + " "
        self.after: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            padded = "   " + text + " "
            for at in range(3, len(padded)):
                for length in range(4):
                    run = padded[at - length : at + 1]
                    if set(run) <= set(self.alphabet):
                        self.after[run[:-1]][run[-1]] += 1

    def chance(self, context: str, letter: str) -> float:
        shorter = 1 / len(self.alphabet) if not context else self.chance(context[1:], letter)
        seen = self.after.get(context)
        if not seen:
            return shorter
        total, kinds = sum(seen.values()), len(seen)
        return (seen[letter] + kinds * shorter) / (total + kinds)

    def log_chance(self, text: str, at: int) -> float:
        padded = "   " + text + " "
        return math.log(self.chance(padded[at : at + 3], padded[at + 3]))


# ---------------------------------------------------------------------------- sentences of our own


@pytest.mark.parametrize("text", EWE)
def test_plain_ewe_is_read_as_ewe(text: str) -> None:
    reading = identify(text)
    assert reading.code == "ewe"
    assert 0.5 <= reading.confidence <= 1
    assert contains_ewe(text)
    assert ewe_share(text) == 1


@pytest.mark.parametrize(
    ("code", "text"), [(code, text) for code, texts in NOT_EWE.items() for text in texts]
)
def test_other_known_languages_are_named(code: str, text: str) -> None:
    assert identify(text).code == code
    assert not contains_ewe(text)
    assert ewe_share(text) == 0


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_language_outside_the_model_is_not_taken_for_ewe(text: str) -> None:
    assert identify(text).code != "ewe"
    assert not contains_ewe(text)
    assert ewe_share(text) < 0.1


@pytest.mark.parametrize("text", ["", "   ", "12 345", "?!", "ok", "le", "🙂🙂", "Kofi"])
def test_what_is_too_short_has_no_language(text: str) -> None:
    reading = identify(text)
    assert reading.code is None
    assert reading.confidence < 0.5
    assert not contains_ewe(text)


@pytest.mark.parametrize(
    "text",
    [
        "Nye nkoe nye Kofi eye metso Togo.",
        "Edzo dzi nam be mekpo wo.",
        "Ame sia ame kpo gome le ablodee me.",
    ],
)
def test_ewe_typed_without_its_special_letters_is_still_ewe(text: str) -> None:
    assert identify(text).code == "ewe"


# ------------------------------------------------------------------------------- mixed languages


@pytest.mark.parametrize(
    "text",
    [
        "Un proverbe dit : « Nunya adidoe, asi metunɛ o. » Cela veut dire que le savoir est vaste.",
        "Le proverbe nunya adidoe asi metunɛ o parle du savoir, que nul ne possède tout entier.",
        "To say thank you to a friend, use **Akpe na wò** in most situations.",
        "You can answer 'Mele agbe, akpe' when somebody greets you.",
    ],
)
def test_an_ewe_phrase_quoted_in_another_language_counts(text: str) -> None:
    assert contains_ewe(text)
    assert 0 < ewe_share(text) < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "En éwé, merci se dit akpe, et c'est tout ce que je sais.",
        "Le mot « ɖevi » désigne un enfant.",
        "The word agbalẽ means book, and nothing else comes to my mind.",
        "Lomé, Kpalimé et Aného sont des villes du Togo.",
    ],
)
def test_one_ewe_word_in_another_language_does_not_count(text: str) -> None:
    assert not contains_ewe(text)


def test_ewe_put_into_french_and_english_is_found_and_single_words_are_not(
    script: ModuleType, lines: list[Any]
) -> None:
    """Neither the Ewe nor the French and English was seen in training."""
    model = script.train(lines, without_sources=["Storybook", "UDHR"])
    draw = random.Random(4)
    ewe = [line.text for line in lines
           if line.language == "ewe" and line.source in ("Storybook", "MediaWiki")]  # fmt: skip
    hosts = [line.text for line in lines
             if line.language in ("fra", "eng") and line.source == "UDHR"
             and len(line.text) > 60]  # fmt: skip
    quoted = [halved(draw.choice(hosts), f"« {text} »") for text in ewe]
    inline = [halved(draw.choice(hosts), text.rstrip(".!?")) for text in ewe]
    words = sorted({word for text in ewe for part in sentences(text) for word in part.split()})
    single = [halved(draw.choice(hosts), draw.choice(words)) for _ in range(300)]
    assert sum(contains_ewe(text, model) for text in quoted) / len(quoted) >= 0.97
    assert sum(contains_ewe(text, model) for text in inline) / len(inline) >= 0.92
    assert sum(contains_ewe(text, model) for text in single) <= 1
    assert not any(contains_ewe(text, model) for text in hosts)


def halved(host: str, guest: str) -> str:
    words = host.split()
    middle = len(words) // 2
    return " ".join([*words[:middle], guest, *words[middle:]])


def test_spans_follow_the_change_of_language() -> None:
    found = spans("Nye ŋkɔe nye Kofi eye metso Togo. Je viens de Lomé et je parle français.")
    assert [(span.code, span.letters) for span in found] == [("ewe", 26), ("fra", 30)]
    assert all(span.words >= 4 for span in found)
    assert all(span.margin > 40 for span in found)


# ----------------------------------------------------------------------------- how text is read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Wò\u0300", ["wò\u0300"]),
        ("gb\u0254\u0303  ME", ["gbɔ̃ me"]),
        ("e\u0303 = ẽ", ["ẽ", "ẽ"]),
        ("dukͻ, dukᴐ", ["dukɔ dukɔ"]),
        ("Đe Ðe Ɖe", ["ɖe ɖe ɖe"]),
        ("ɩ ƴ", ["ɩ ƴ"]),
        ("3 kple 4", ["kple"]),
        ("Kpɔ https://example.org/le/la afii", ["kpɔ", "afii"]),
        ("Zã `ls -l` fifia", ["zã", "fifia"]),
        ("Gɔmedzedze\n```python\nprint('le')\n```\nNuwuwu", ["gɔmedzedze", "nuwuwu"]),
        ("<b>Akpe</b> l'eau", ["akpe", "l eau"]),
        ("a\x00b\ud800c", ["a b c"]),
    ],
)
def test_text_is_read_without_markup_and_with_all_its_marks(text: str, read: list[str]) -> None:
    assert sentences(text) == read


def test_the_confusables_are_those_of_the_table_that_are_not_ambiguous(shared: Path) -> None:
    table = (shared / "data" / "ewe" / "ewe_confusables.tsv").read_text(encoding="utf-8")
    rows = [row.split("\t") for row in table.splitlines()[1:]]
    wanted = {chr(int(row[0][2:], 16)) for row in rows if "ambiguous" not in row[2]}
    assert set(CONFUSABLES) == wanted
    # one letter each, or a letter with its mark in composed form
    assert all(len(unicodedata.normalize("NFC", sign)) == 1 for sign in CONFUSABLES.values())


@given(st.text(max_size=300))
def test_reading_a_text_twice_changes_nothing(text: str) -> None:
    read = sentences(text)
    assert sentences("\n".join(read)) == read


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_at_all_has_a_reading(text: str) -> None:
    reading = identify(text)
    assert 0 <= reading.confidence <= 1
    assert (reading.code is None) == (reading.confidence < 0.5)
    assert 0 <= ewe_share(text) <= 1
    assert contains_ewe(text) in (True, False)


@given(st.sampled_from(EWE), st.sampled_from(["NFC", "NFD"]), st.booleans())
@settings(max_examples=40)
def test_normal_form_and_case_make_no_difference(text: str, form: Any, upper: bool) -> None:
    other = unicodedata.normalize(form, text.upper() if upper else text)
    assert identify(other) == identify(text)


HOSTILE = {
    "emoji": "🙂" * 1_000_000,
    "NUL": "\0" * 1_000_000,
    "lone surrogates": "\ud800" * 1_000_000,
    "one letter": "a" * 1_000_000,
    "combining marks": "\u0301\u0323" * 500_000,
    "other combining marks": "\u05b0\u0591" * 500_000,
    "backquotes": "`" * 1_000_000,
    "tags": "<a" * 500_000,
    "at signs": "a@" * 500_000,
    "short sentences": "le la me. " * 100_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_junk_is_read_in_bounded_time(text: str) -> None:
    shipped_model()
    with no_hang():  # about 0.1 s on an idle machine, 1 s for the last
        identify(text)
        contains_ewe(text)
        assert 0 <= ewe_share(text) <= 1


def test_only_the_first_characters_of_a_long_text_are_read() -> None:
    beginning = ("Akpe na wò. " * 2000)[:CHARACTERS_READ]
    assert identify(beginning + "This is English. " * 90_000) == identify(beginning)


def test_the_rule_language_agrees_with_the_recogniser_of_ewe_and_knows_twelve_languages(
    lines: list[Any],
) -> None:
    """Lines of messages, which the shipped parameters never saw, and of the Declaration."""
    seen: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for line in lines:
        if line.source not in ("MediaWiki", "UDHR") or seen[line.language] >= 40:
            continue
        seen[line.language] += 1
        held[line.language] += asked(line.language, line.text) == 1.0
        assert (asked("ee", line.text) == 1.0) == contains_ewe(line.text)
    known = [code for code in seen if held[code] >= 0.9 * seen[code]]
    assert len(known) >= 12


def asked(language: str, answer: str) -> float | None:
    return Format(expected_format=Rules(language=language)).score(answer).value
