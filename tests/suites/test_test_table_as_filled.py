"""Tables and sheets as people fill them: other names, an option's text, a slash between words."""

import json
from pathlib import Path

import pytest

import assay
from assay.suites.load import load_suite
from assay.suites.proposed_words import propose_words
from assay.suites.test_table import letter_of
from tests.conftest import Bench

TABLE = """\
Question;Option A;Option B;Option C;Correct;Mots clés;Format
Ziwa kubwa ni lipi?;Ziwa Tanganyika;Ziwa Victoria;Ziwa Malawi;Ziwa Victoria;;
Mji mkuu wa Tanzania ni upi?;;;;Dodoma;;
Andika kuhusu simba.;;;;;nguvu/imara | TCP/IP;{"min_words": 4}
"""


@pytest.fixture
def made(tmp_path: Path) -> tuple[Path, list[str]]:
    (tmp_path / "quiz.csv").write_text(TABLE, "utf-8")
    said: list[str] = []
    made = assay.new_suite(
        tmp_path / "quiz", table=tmp_path / "quiz.csv", language="sw", tell=said.append
    )
    return made, said


def entries(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((folder / "quiz.json").read_text("utf-8"))
    return found


def test_the_text_of_an_option_is_its_letter(made: tuple[Path, list[str]]) -> None:
    first, second, _ = entries(made[0])
    assert (first["eval_method"], first["expected"]) == ("multiple_choice", "B")
    assert (second["eval_method"], second["expected"]) == ("exact_match", "Dodoma")


def test_keywords_with_a_format_become_composite_and_say_so(made: tuple[Path, list[str]]) -> None:
    folder, said = made
    last = entries(folder)[2]
    assert last["eval_method"] == "composite"
    assert last["expected_keywords"] == [["nguvu", "imara"], "TCP/IP"]
    assert any("quiz_003" in each and "composite" in each for each in said)


def test_the_suggested_first_run_ends_with_0(made: tuple[Path, list[str]], bench: Bench) -> None:
    script = f"scripted:{made[0] / 'answers' / 'right.json'}"
    assert bench.assay("run", script, "-s", f"{made[0]}/").returncode == 0


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        ("B", "B"),
        ("b", "B"),
        ("B (Ziwa Victoria)", "B"),
        ("B. Ziwa Victoria", "B"),
        ("ziwa victoria", "B"),
        ("Ziwa Malawi.", "C"),
        ("A (Ziwa Victoria)", "A (Ziwa Victoria)"),
        ("Ziwa Kivu", "Ziwa Kivu"),
    ],
)
def test_an_answer_to_options_is_read_as_it_is_shown(said: str, letter: str) -> None:
    assert letter_of(said, ["Ziwa Tanganyika", "Ziwa Victoria", "Ziwa Malawi"]) == letter


def test_words_are_proposed_from_the_questions_and_taken_into_every_test(
    made: tuple[Path, list[str]],
) -> None:
    questions = ["Mji mkuu ni upi?", "Ziwa kubwa ni lipi?", "Rangi ni nyekundu, kijani au bluu?"]
    questions += ["Kipi ni kikubwa, ziwa au bahari?"]
    proposed = propose_words(questions)
    assert proposed["announces"] == ["ni"]
    assert proposed["joins"] == ["au"]
    folder, said = made
    settings = json.loads((folder / "suite.json").read_text("utf-8"))
    assert settings["words"]["announces"] == ["ni"]
    assert any("'words'" in each for each in said)
    cases = [*load_suite(folder).cases]
    assert {case.words.announces for case in cases} == {("ni",)}


def test_validate_says_what_a_suite_without_words_loses(tmp_path: Path, bench: Bench) -> None:
    test = {"id": "t_001", "prompt": "Ni upi?", "eval_method": "exact_match", "expected": "x"}
    told = [str(each) for each in assay.validate([bench.suite({"t": [test]}, language="sw")])]
    assert any("no words of the language 'sw'" in each for each in told)
    words = {"denies": ["siyo"]}
    path = bench.suite({"t": [test]}, language="sw", words=words)
    assert assay.validate([path]) == ()
