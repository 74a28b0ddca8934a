"""README.fr.md and docs/fr: what they show can be typed, is valid, and is scored as they say."""

import json
import re
import shlex
from pathlib import Path

import pytest

from assay.api import validate
from assay.checks.exact_match import ExactMatch
from assay.checks.keywords import Keywords
from assay.checks.multiple_choice import MultipleChoice
from assay.checks.scoring import score_reply
from assay.interfaces import benchmark_script
from assay.interfaces.cli import COMMANDS, load_command
from assay.types import AnswerCheck, Answered, Case, Message
from tests.transcripts import FRENCH, ROOT, follow, french_pages, mask, prepare

PAGES = [ROOT / "README.fr.md", *sorted(FRENCH.glob("*.md"))]
CODE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
METHODS = ("exact_match", "keywords", "multiple_choice")
OUTCOMES = {"réussi": "pass", "échoué": "fail", "sans réponse": "no_answer"}
HARD_SPACE = "\N{NO-BREAK SPACE}"


def blocks(page: Path, language: str) -> list[str]:
    return [text for name, text in CODE.findall(page.read_text("utf-8")) if name == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_and_option_exists(page):
    typed = [line for text in blocks(page, "sh") for line in text.splitlines()]
    for shown in (r"^\$ (.+)$", r"`((?:assay|python run_benchmark.py) [^`]+)`"):
        typed += re.findall(shown, page.read_text("utf-8"), re.MULTILINE)
    unknown = []
    for line in typed:
        words = shlex.split(line, comments=True)
        if words[:2] == ["python", "run_benchmark.py"]:
            known = benchmark_script.command().params
        elif words[:1] == ["assay"] and len(words) > 1 and not words[1].startswith("-"):
            known = load_command(words[1]).params if words[1] in COMMANDS else []
        else:
            continue
        options = {option for parameter in known for option in parameter.opts} | {"--help"}
        if not known or [word for word in words[2:] if word[:1] == "-" and word not in options]:
            unknown.append(line)
    assert unknown == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_example_is_a_valid_test_file(page, tmp_path):
    meant = re.compile("exact_mach|expected_fromat")  # mistakes that a page then finds
    documents = [json.loads(text) for text in blocks(page, "json") if not meant.search(text)]
    for number, tests in enumerate(each for each in documents if isinstance(each, list)):
        (tmp_path / f"example{number}.json").write_text(json.dumps(tests), "utf-8")
    if any(tmp_path.iterdir()):
        (tmp_path / "suite.json").write_text('{"language": "ee"}', "utf-8")
        assert validate([tmp_path]) == ()


def rows() -> list[tuple[str, ...]]:
    lines = (FRENCH / "notation.md").read_text("utf-8").replace(HARD_SPACE, " ").splitlines()
    cells = [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines]
    return [row for row in cells if len(row) == 6 and row[0] in METHODS]


def check_of(method: str, expected: str) -> AnswerCheck:
    if method == "exact_match":
        return ExactMatch(expected=(expected,))
    if method == "keywords":
        return Keywords(expected_keywords=tuple((word,) for word in expected.split("; ")))
    letter, choices = expected.split(" parmi ")
    return MultipleChoice(expected=letter, choices=tuple(choices.split("; ")))


def test_answers_are_scored_as_the_table_says():
    wrong = []
    for method, language, question, expected, answer, outcome in rows():
        case = Case(
            id="t", suite="s", category="c", messages=(Message("user", question),),
            check=check_of(method, expected), language=language,
        )  # fmt: skip
        text = answer.strip("`").replace("⏎", "\n")
        score = score_reply(case, Answered(request_id="r", text=text))
        if score.outcome(0.7).value != OUTCOMES[outcome]:
            wrong.append((answer, outcome, score.explanation))
    assert wrong == []
    assert len(rows()) > 20


@pytest.mark.parametrize("page", french_pages(), ids=lambda page: page.stem)
def test_the_commands_print_what_the_page_shows(page, tmp_path):
    with prepare(page, tmp_path) as environment:
        steps = list(follow(page, tmp_path, environment))
    assert len(steps) >= 4
    for step in steps:
        assert step.agrees, f"$ {step.command}\n{mask(step.shown)}\nprinted: {mask(step.printed)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_high_punctuation_has_a_space_that_does_not_break(page):
    prose = re.sub(r"```.*?```|`[^`\n]+`", "``", page.read_text("utf-8"), flags=re.DOTALL)
    assert re.findall(r".{0,20} [;:!?»%](?![-|]).{0,10}|.{0,10}« .{0,20}", prose) == []


@pytest.mark.parametrize("name", ["ewe", "ecrire-des-tests", "premiere-heure"])
def test_pages_on_ewe_begin_with_that_no_speaker_has_reviewed_them(name):
    begin, _ = (FRENCH / f"{name}.md").read_text("utf-8").split("\n## ", 1)
    assert "Aucun locuteur de l'ewe n'a encore relu" in begin
