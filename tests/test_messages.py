"""Every sentence a user reads can be translated, and its numbers are written as in its language."""

import ast

import pytest

from assay import messages
from assay.interfaces import cli
from assay.interfaces.cli import chosen_language
from assay.reports.sentences import outcome
from assay.text import number_format as numbers
from assay.types import Estimate, OutcomeKind

ERRORS = {
    "AssayError", "UsageError", "InvalidFiles", "SuiteNotFound", "ModelUnavailable", "RunNotFound",
    "SandboxUnavailable",
    "StoreError", "StoreNotWritable", "StoreVersionError", "StoreCorrupt", "Interrupted",
    "StoreFull",
}  # fmt: skip
SAYS_TO_USERS = ERRORS | {"echo", "secho", "note", "command", "option", "argument"}


@pytest.fixture
def french_spoken():
    messages.speak("fr")
    yield
    messages.speak("en")


def test_every_outcome_has_a_name_of_its_own_in_french(french_spoken):
    assert len({outcome(kind) for kind in OutcomeKind}) == len(OutcomeKind)


def is_sentence(node):
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and len(node.value.split()) >= 3
    ) or (isinstance(node, ast.JoinedStr) and len(ast.unparse(node).split()) >= 4)


@pytest.fixture(scope="module")
def trees(root):
    return {
        path.name: ast.parse(path.read_text()) for path in (root / "src" / "assay").rglob("*.py")
    }


@pytest.fixture(scope="module")
def calls(trees):
    """Every call in the package: its file, the name that is called, the call."""
    return [(file, *call) for file, tree in trees.items() for call in calls_in(tree)]


def calls_in(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "id", getattr(node.func, "attr", "")), node


def test_no_sentence_reaches_a_user_without_passing_the_catalogue(calls):
    bare = []
    for file, name, call in calls:
        if name in SAYS_TO_USERS:
            said = [*call.args, *(word.value for word in call.keywords)]
            bare += [f"{file}:{node.lineno}" for node in said if is_sentence(node)]
    assert bare == []


def test_translated_sentences_are_literals_so_that_they_can_be_collected(calls):
    computed = []
    for file, name, call in calls:
        if file != "messages.py" and name in ("tr", "trn"):
            sentences = call.args[: 2 if name == "trn" else 1]
            if not all(isinstance(each, ast.Constant) for each in sentences):
                computed.append(f"{file}:{call.lineno}")
    assert computed == []


def test_no_sentence_is_inside_an_f_string_where_it_is_not_collected(trees):
    hidden = [
        f"{file}:{call.lineno}"
        for file, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for name, call in calls_in(node)
        if name in ("tr", "trn")
    ]
    assert hidden == []


@pytest.mark.parametrize(
    ("settings", "words", "language"),
    [
        ({}, [], "en"),
        ({"LANG": "fr_FR.UTF-8"}, [], "fr"),
        ({"LANG": "fr_TG.UTF-8", "LC_ALL": ""}, ["run"], "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, [], "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C.UTF-8"}, [], "en"),
        ({"LANG": "ee_TG.UTF-8"}, [], "en"),
        ({"LANG": "fr_FR.UTF-8"}, ["run", "--lang", "en"], "en"),
        ({}, ["run", "--lang=fr"], "fr"),
        ({}, ["run", "--lang", "xx"], "en"),
    ],
)
def test_the_option_chooses_the_language_and_else_the_locale(
    settings, words, language, monkeypatch
):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert chosen_language(words) == language


FRENCH = (messages.CATALOGUES / "fr" / "LC_MESSAGES" / "assay.mo").read_bytes()


@pytest.mark.parametrize(
    "damaged",
    [b"", FRENCH[:3], FRENCH[:100], FRENCH[: len(FRENCH) // 2], b"no catalogue" * 100,
     FRENCH.replace(b"charset=utf-8", b"charset=utf-9")],
    ids=["empty", "3 bytes", "head", "half", "text", "unknown charset"],
)  # fmt: skip
def test_a_damaged_catalogue_is_a_warning_and_english(damaged, tmp_path, capsys):
    file = tmp_path / "fr" / "LC_MESSAGES" / "assay.mo"
    file.parent.mkdir(parents=True)
    file.write_bytes(damaged)
    with pytest.raises(SystemExit) as ended:
        cli.main(["suites", "--lang", "fr"], catalogues=tmp_path)
    printed = capsys.readouterr()
    assert (ended.value.code, messages.language()) == (0, "en")
    assert f"warning: {file} is damaged" in printed.err.replace("\n", "")
    assert "hellaswag" in printed.out


def test_counts_choose_their_form():
    assert messages.trn("{count} error", "{count} errors", 1) == "1 error"
    assert messages.trn("{count} error", "{count} errors", 2) == "2 errors"


@pytest.mark.parametrize(
    ("number", "said"),
    [(46.81, "46.8"), (0.72, "0.720"), (1234.4, "1,234"), (-0.00344, "−0.00344"), (0, "0"),
     (float("inf"), "inf")],
)  # fmt: skip
def test_a_figure_has_three_digits_and_never_fewer_than_the_whole_number(number, said):
    assert numbers.rounded(number) == said


SCORE = Estimate(
    value=92.5, low=81.7, high=95.7, n=1234, unscored=0, unit="points", method="bootstrap"
)
STAMP = "2026-11-17T10:40:00Z"


@pytest.mark.parametrize(
    ("write", "english", "french"),
    [
        (lambda: numbers.value(SCORE), "92.5", "92,5"),
        (lambda: numbers.rests_on(SCORE), "[81.7–95.7] n=1,234", "[81,7–95,7] n=1\u202f234"),
        (lambda: numbers.readable(3.25e9), "3.25×10⁹", "3,25×10⁹"),
        (lambda: numbers.difference(SCORE)[:5], "+92.5", "+92,5"),
        (lambda: numbers.p_value(0.0004), "< 0.001", "< 0,001"),
        (lambda: numbers.duration(12.3), "12.3 s", "12,3 s"),
        (lambda: messages.tr("{points:.1f} of {count:,}", points=2.5, count=10_000),
         "2.5 of 10,000", "2,5 of 10\u202f000"),
        (lambda: messages.tr("version {version}", version="1.0").split()[-1], "1.0", "1.0"),
        (lambda: numbers.date(STAMP), "2026-11-17", "17 novembre 2026"),
        (lambda: numbers.date("2026-08-01T00:00:00Z"), "2026-08-01", "1er août 2026"),
        (lambda: numbers.moment(STAMP), STAMP, "17 novembre 2026 à 10:40 UTC"),
    ],
)  # fmt: skip
def test_numbers_and_dates_are_written_as_in_the_language(write, english, french, french_spoken):
    assert write() == french
    messages.speak("en")
    assert write() == english
