"""How a tokenizer cuts the texts of a run, by source and language."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from assay.models.local.tokens.encoding import count_tokens
from assay.models.local.tokens.tokenizer import LocalTokenizer
from assay.suites.held_out_text import texts_given
from assay.suites.load import find, load_suite
from assay.workflow.checkpoints.tokenizer_texts import MOST_TEXTS, texts_to_cut, tokenizer_figures
from tests.models.local.checkpoints import edit_json, make_tokenizer, save_tokenizer

ENGLISH = "The driver of the network card is loaded when the machine starts in the morning."
EWE = "Ŋutsu la le aƒe me, eye wòle nu ɖum kple srɔ̃a kple viawo katã le afima egbea."
FRENCH = "Le café est déjà fermé et nous sommes rentrés à la maison avec nos enfants hier."


class Cuts:
    """As much of a checkpoint as is asked."""

    def __init__(self, folder):
        self._tokenizer = LocalTokenizer.load(folder)

    def count_tokens(self, texts):
        return count_tokens(self._tokenizer, texts)


@pytest.fixture
def folder(tmp_path):
    save_tokenizer(tmp_path)
    return tmp_path


def test_lines_go_by_their_language_and_short_ones_with_the_others():
    text = texts_given([f"{ENGLISH}\n\n{EWE}\n{ENGLISH}", f"{FRENCH}\n{ENGLISH}\n7"])
    cut = {each.language: each.texts for each in texts_to_cut((), text)}
    assert cut == {"eng": (ENGLISH, ENGLISH, ENGLISH, "7"), "ewe": (EWE,), "fra": (FRENCH,)}


def test_a_suite_has_the_language_it_names_and_else_that_of_its_prompts(tmp_path):
    suite = load_suite(find("example"))
    assert {each.language for each in texts_to_cut([suite], None)} >= {"eng"}
    (named,) = texts_to_cut([replace(suite, language="ee")], None)
    assert (named.source, named.language) == ("example", "ewe")


def test_of_many_texts_some_are_read_from_all_over():
    (cut,) = texts_to_cut((), texts_given([f"{ENGLISH} {number}" for number in range(1000)]))
    assert len(cut.texts) == MOST_TEXTS
    assert cut.texts[-1].endswith(" 990")


def test_figures_are_what_the_tokenizer_itself_says(folder):
    (english, ewe) = tokenizer_figures(Cuts(folder), texts_to_cut((), texts_given([ENGLISH, EWE])))
    plain = make_tokenizer()
    for found, text in ((english, ENGLISH), (ewe, EWE)):
        tokens = plain.encode(text).ids
        assert found.tokens_per_word.value == len(tokens) / len(text.split())
        parts = [each for each in tokens if "\ufffd" in plain.decode([each])]
        assert (found.byte_tokens.value, found.byte_tokens.n) == (
            len(parts) / len(tokens),
            len(tokens),
        )
        assert (found.changed_texts.value, found.changed_texts.n) == (0, 1)
    assert ewe.byte_tokens.value > english.byte_tokens.value == 0


def test_texts_that_do_not_come_back_are_counted_and_one_is_shown(folder):
    edit_json(folder / "tokenizer.json", lambda file: file.update(normalizer={"type": "Lowercase"}))
    (found,) = tokenizer_figures(
        Cuts(folder), texts_to_cut((), texts_given([ENGLISH, ENGLISH.lower()]))
    )
    assert (found.changed_texts.value, found.changed_texts.n) == (0.5, 2)
    assert ENGLISH.startswith(found.example)
    assert json.dumps(found.example)


def test_a_model_that_shows_no_tokens_has_no_figures():
    assert tokenizer_figures(object(), texts_to_cut((), texts_given([ENGLISH]))) == ()
