"""Nothing a user reads bypasses the catalogue, and the French catalogue has all of it.

Commands and pages are shown in a language in which every message is marked, about tests and models
whose own words all begin with "zz". A plain word that is neither is a sentence, a heading or a
label that no translator ever sees, unless it is a name of the contract.
"""

import json
import re
import sqlite3
import string
import subprocess
import sys
from contextlib import closing
from html import unescape

import pytest
from babel.messages.catalog import Catalog
from scripts.translate import CATALOGUES, brought_up_to_date, collected, missing_from, texts_of

from assay.interfaces.cli.commands import COMMANDS as COMMAND_NAMES
from tests.marked_language import LOOSE, PLAIN, mark, write_marked_catalogue

PO = CATALOGUES / "fr" / "LC_MESSAGES" / "assay.po"
RENEW = "`make messages` brings the catalogue up to date; docs/reference/languages.md says how"

# Names: of commands, methods, fields and settings, programs, keys, signs of units.
NAMES = frozenset(
    f"{' '.join(COMMAND_NAMES).replace('-', ' ')} composite format keywords Assay scripted latest "
    "name arguments expected forbidden match word temperature seed standard tensorboard json "
    "text md html pr comment out Enter GB ms novembre random".split()
)
OF_ANSWERS = {"ls", "cd", "rm", "di", "na", "wò"}
NO_WORDS = re.compile(
    "|".join(
        (
            r"\S*[/_=@]\S*", r"--[a-z-]+", r"\b[\w-]+\.(?:json|html|md)\b",  # paths, options, files
            r"\d{8}T\S*", r"[0-9a-f]{8,}",  # runs, hashes
            r"'[\w.]+'", r"\{\w+\}", r"\b(?:error|warning):",  # fields, and the form of a finding
            r"\[[a-z|]+\]", r"\b[A-Z_]{2,}\b", rf"{mark('default:')} \S+", r"^ +assay .*",  # help
            rf".*{mark('Machine:')}.*",
        )
    )
)  # fmt: skip
TESTS = [
    {"eval_method": "exact_match", "expected": "zzright"},
    {"eval_method": "keywords", "expected_keywords": ["zzone", ["zztwo", "zzdeux"]],
     "forbidden_keywords": ["zzbad"]},
    {"eval_method": "multiple_choice", "choices": ["zza", "zzb", "zzc"], "expected": "B"},
    {"eval_method": "format", "expected_format": {"list_item_count": 2, "max_words": 3}},
    {"eval_method": "composite", "expected_keywords": ["zzone"],
     "expected_format": {"max_words": 3}},
    {"eval_method": "top_k", "expected_any": ["zzb"]},
    {"eval_method": "command_sequence", "expected_commands": ["ls -l", "cd zz"]},
    {"eval_method": "ewe_quality"},
    {"eval_method": "exact_match", "expected": "1248"},
]  # fmt: skip
GOOD = ["zzright", "zzone zztwo", "B", "- zza\n- zzb", "zzone", "zzb", "ls -l\ncd zz", "Ŋdi na wò"]
WEAK = ["zzwrong", "zzbad", "", "zz zz zz zz", "zzq", "zzq", "rm zz", "zz zz", "12,5"]
COMMANDS = """
run scripted:zzgood.json scripted:zzweak.json -s zzsuite
report -v
report --format md
report --json
report --format html
compare latest
leaderboard
leaderboard --format html
runs
suites zzsuite
validate zzbad
run scripted:zznone.json -s zzsuite
run
run --repeats zz zz
run --zzoption zz
zzcommand
--help
GET /
GET /compare
GET /leaderboard
GET /checkpoints
GET /judge
GET /zz
""".strip().splitlines()
COMMANDS += [f"{name} --help" for name in COMMAND_NAMES]
SHOWN = [command for command in COMMANDS if "--json" not in command]


def numbered(prefix: str, rows: list) -> dict:
    return {f"{prefix}_{place:03}": row for place, row in enumerate(rows, start=1)}


@pytest.fixture(scope="module")
def template() -> Catalog:
    """Every message of the source."""
    return collected()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("marked")


@pytest.fixture(scope="module")
def printed(folder, root, template):
    """What each command prints, where nothing but messages has words."""
    write_marked_catalogue(template, folder / "catalogues")
    tests = [{"id": f"zzcat_{place:03}", "prompt": f"Zzask {place}", **fields}
             for place, fields in enumerate(TESTS, start=1)]  # fmt: skip
    bad = [{"id": "zz_001", "prompt": "2", "expectd": "4", "temperature": 3, "eval_method": "zz"},
           {"id": "zz_001", "messages": [], "eval_method": "keywords"}]  # fmt: skip
    documents = {
        "zzsuite/zzcat.json": tests,
        "zzsuite/suite.json": {"title": "Zztitle", "version": "1"},
        "zzbad/zzcat.json": bad,
        "zzbad/suite.json": {"title": 3, "weights": {"zzcat": -1}},
        "zzgood.json": {"answers": numbered("zzcat", GOOD), "fail": {"zzcat_009": "zzreason"}},
        "zzweak.json": {"answers": numbered("zzcat", WEAK)},
    }
    for name, document in documents.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(document))
    done = subprocess.run(
        [sys.executable, "-m", "tests.marked_language", str(folder / "catalogues")],
        input=json.dumps([command.split() for command in COMMANDS]),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={"PYTHONPATH": f"{root}:{root / 'src'}", "PATH": "/usr/bin:/bin", "COLUMNS": "300",
             "HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip(COMMANDS, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("command", ["report --format html", "leaderboard --format html", "GET /"])
def test_a_page_says_its_language(command, printed):
    assert '<html lang="fr">' in printed[command][1]


def test_what_a_model_is_asked_does_not_depend_on_the_language(printed, folder):
    with closing(sqlite3.connect(folder / "assay-out" / "assay.db")) as store:
        asked = [body for (body,) in store.execute("SELECT body FROM requests")]
    assert len(asked) == 2 * len(TESTS)
    assert [body for body in asked if not body.isascii()] == []


def test_documents_for_programs_keep_their_keys_numbers_and_dates(printed):
    _, out, _ = printed["report --json"]
    document = json.loads(out)
    first = document["models"][0]["suites"][0]
    assert isinstance(first["score"]["value"], float)
    assert first["score"]["unit"] == "points"
    assert {row["outcome"] for row in first["tests"]} == {"pass", "failed"}
    words = PLAIN.findall(document["headline"])
    assert words
    assert all(word.startswith("zz") for word in words)


def words_of(command: str, text: str) -> str:
    """What a reader sees of a page; of other texts all."""
    if "html" not in command and not command.startswith("GET"):
        return text
    text = re.sub(r"(?s)<(style|script)\b.*?</\1>", "", text)
    label = re.compile(r'<[^>]*?(?:(?:aria-label|title|alt|placeholder|label)="([^"]*)"[^>]*)?>')
    return unescape(label.sub(lambda tag: f"\n{tag[1] or ''}\n", text))


@pytest.mark.parametrize("command", SHOWN)
def test_every_word_comes_from_the_catalogue_or_is_a_name(command, printed):
    code, out, errors = printed[command]
    assert code in (0, 1, 2, 3, 200, 404)
    lines = words_of(command, out + errors).splitlines()
    bare = [
        (word, line.strip())
        for line in lines
        for word in PLAIN.findall(NO_WORDS.sub(" ", line))
        if not word.lower().startswith("zz") and word not in {"assay", *NAMES, *OF_ANSWERS}
    ]
    assert bare == []


@pytest.mark.parametrize("command", SHOWN)
def test_no_colon_is_put_after_a_message_without_asking_the_language(command, printed):
    _, out, errors = printed[command]
    lines = words_of(command, out + errors).splitlines()
    assert [line for line in lines if LOOSE.search(line)] == []


@pytest.mark.parametrize("command", [each for each in SHOWN if "help" not in each])
def test_every_number_is_written_as_in_french(command, printed):
    _, out, errors = printed[command]
    text = re.sub(rf".*{mark('Machine:')}.*", "", words_of(command, out + errors))
    assert re.findall(r"(?<![\w.-])\d+\.\d+(?![\w.-])", text) == []


@pytest.fixture(scope="module")
def french(template) -> Catalog:
    return brought_up_to_date(PO, template)


@pytest.fixture(scope="module")
def pairs(french) -> list[tuple[str, str]]:
    """Every message beside its French, plural forms one by one."""
    return [
        pair
        for each in french
        if each.id
        for pair in (
            zip(each.id, each.string, strict=True)
            if isinstance(each.id, tuple)
            else [(each.id, each.string)]
        )
    ]


def test_nothing_is_untranslated(french):
    assert [each.id for each in missing_from(french)] == [], RENEW


def test_the_files_are_those_of_the_source(french):
    text, compiled = texts_of(french)
    assert PO.read_bytes() == text, RENEW
    assert PO.with_suffix(".mo").read_bytes() == compiled, RENEW


def test_there_are_two_forms_and_none_is_the_singular(french):
    assert (french.num_plurals, french.plural_expr) == (2, "(n > 1)")


def test_each_gap_of_the_english_is_in_the_french_and_no_other(french):
    wrong = []
    for each in french:
        if not each.id:
            continue
        if isinstance(each.id, str):
            if gaps_of(each.id) != gaps_of(each.string):
                wrong.append((each.id, each.string))
            continue
        one, many = map(gaps_of, each.id)
        singular, plural = map(gaps_of, each.string)
        # The French singular is said of 0 too, so it may need the count.
        if plural != many or singular - {"count"} != one - {"count"} or "count" in one - singular:
            wrong.append((each.id, each.string))
    assert wrong == []


def gaps_of(sentence: str) -> set[str]:
    """Names, with how they are shown."""
    if re.search(r"%\(\w+\)s", sentence):
        return set(re.findall(r"%\(\w+\)s", sentence))
    try:
        parts = list(string.Formatter().parse(sentence))
    except ValueError:  # a message that is not filled, about JSON
        return set()
    return {f"{name}{turned}{form}" for _, name, form, turned in parts if name is not None}


def test_french_has_no_break_spaces_where_it_has_spaces_at_all(pairs):
    loose = [
        french
        for _, french in pairs
        if re.search(r" [:;?!%»](?![\w/(-])|« ", french)
        or re.search(r"[^\W\d_][;?!](?=\s|$)|\w»|«\w|\d%", re.sub(r"`[^`]*`", "", french))
    ]
    assert loose == []


def test_english_spaces_at_the_ends_are_kept(pairs):
    differ = [
        (english, french)
        for english, french in pairs
        if re.findall(r"^[ \n]|[ \n]$", english) != re.findall(r"^[ \n]|[ \n]$", french)
    ]
    assert differ == []
