"""Every sentence a user reads can be translated, and is where a catalogue exists."""

import ast
import subprocess
import sys

import pytest

from assay import messages
from assay.text.number_format import rounded

ERRORS = {
    "AssayError", "UsageError", "InvalidFiles", "SuiteNotFound", "ModelUnavailable", "RunNotFound",
    "SandboxUnavailable",
    "StoreError", "StoreNotWritable", "StoreTooNew", "StoreCorrupt", "Interrupted", "StoreFull",
}  # fmt: skip
SAYS_TO_USERS = ERRORS | {"echo", "secho", "note", "command", "option", "argument"}


@pytest.fixture
def english_again():
    yield
    messages.speak("en")


def is_sentence(node):
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and len(node.value.split()) >= 3
    ) or (isinstance(node, ast.JoinedStr) and len(ast.unparse(node).split()) >= 4)


@pytest.fixture(scope="module")
def calls(root):
    """Every call in the package: its file, the name that is called, the call."""
    return [
        (path.name, getattr(node.func, "id", getattr(node.func, "attr", "")), node)
        for path in (root / "src" / "assay").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
    ]


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


def test_a_french_catalogue_is_all_that_french_needs(root, tmp_path, english_again):
    """The whole way: collect the sentences, translate one, compile, speak."""
    template = tmp_path / "assay.pot"
    babel = [sys.executable, "-m", "babel.messages.frontend", "-q"]
    source = str(messages.CATALOGUES.parents[1])
    keywords = ["tr", "trn:1,2", "message", "message_n:1,2"]
    marked = [word for each in keywords for word in ("-k", each)]
    mapping = str(root / "scripts" / "messages.cfg")
    words = ["extract", "-F", mapping, *marked, "-o", str(template), source]
    subprocess.run([*babel, *words], check=True)
    text = template.read_text("utf-8")
    assert text.count("msgid ") > 100
    assert 'msgid "no suite was chosen"' in text
    assert 'msgid "guessing (best baseline)"' in text, "of a template"
    folder = tmp_path / "fr" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalogue = folder / "assay.po"
    catalogue.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "no suite was chosen"\nmsgstr "aucune suite n\'a été choisie"\n',
        "utf-8",
    )
    compile_ = ["compile", "-i", str(catalogue), "-o", str(folder / "assay.mo")]
    subprocess.run([*babel, *compile_], check=True)
    messages.speak("fr", tmp_path)
    assert messages.tr("no suite was chosen") == "aucune suite n'a été choisie"
    assert messages.tr("cannot write {path}: {why}", path="a", why="b") == "cannot write a: b"


def test_counts_choose_their_form():
    assert messages.trn("{count} error", "{count} errors", 1) == "1 error"
    assert messages.trn("{count} error", "{count} errors", 2) == "2 errors"


@pytest.mark.parametrize(
    ("number", "said"),
    [(46.81, "46.8"), (0.72, "0.720"), (1234.4, "1,234"), (-0.00344, "−0.00344"), (0, "0"),
     (float("inf"), "inf")],
)  # fmt: skip
def test_a_figure_has_three_digits_and_never_fewer_than_the_whole_number(number, said):
    assert rounded(number) == said
