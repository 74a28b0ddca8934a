"""What is known of programs, their options and the words around them: `builtin/shell.toml`."""

import re
import tomllib
from pathlib import Path

_FILE = Path(__file__).resolve().parents[2] / "builtin" / "shell.toml"


def names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _pairs(listed: str) -> dict[str, str]:
    return dict(word.split("=") for word in listed.split())


def _per_program(table: str) -> dict[str, frozenset[str]]:
    """Lines of `program program: -a -b`; what is indented belongs to the line before."""
    rows: dict[str, frozenset[str]] = {}
    for line in filter(None, re.sub(r"\n +", " ", table).splitlines()):
        programs, _, words = line.partition(":")
        for program in programs.split():
            rows[program] = rows.get(program, frozenset()) | names(words)
    return rows


def _pairs_per_program(table: str) -> dict[str, dict[str, str]]:
    return {name: _pairs(" ".join(words)) for name, words in _per_program(table).items()}


_tables = tomllib.loads(_FILE.read_text("utf-8"))
_words = {key: names(listed) for key, listed in _tables["words"].items()}
_rows = _tables["per_program"]

KNOWN_PROGRAMS = _words["known_programs"]
ENGLISH_TOO = _words["english_too"]
PROSE = _words["prose"]
SURELY_PROSE = _words["surely_prose"]
SOMETIMES_PROSE = _words["sometimes_prose"]
TAKES_WORDS = _words["takes_words"]
TAKES_ANY_WORD = _words["takes_any_word"]
TAKES_A_NUMBER = _words["takes_a_number"]
CUES = _words["cues"]
SERVICE_VERBS = _words["service_verbs"]
HARMLESS_ANYWHERE = _words["harmless_anywhere"]
CHANGING_ANYWHERE = _words["changing_anywhere"]
IN_PLACE = _words["in_place"]
ONE_DASH_WORDS = _words["one_dash_words"]
ANY_ORDER = _words["any_order"]
FOLDERS = _words["folders"]
DOT_SLASH_COUNTS = _words["dot_slash_counts"]
PLAIN_MODULES = _words["plain_modules"]
NO_MODULES = _words["no_modules"]
VITAL_FOLDERS = _words["vital_folders"]
VITAL_BELOW = _words["vital_below"]
VITAL_FILES = _words["vital_files"]
PACKAGE_PARTS = _words["package_parts"]

HARMLESS = _per_program(_rows["harmless"])
HARMLESS_VALUES = _per_program(_rows["harmless_values"])
CHANGING = _per_program(_rows["changing"])
DIGITS = _per_program(_rows["digits"])
VALUES = _per_program(_rows["values"])
VERBS = _per_program(_rows["verbs"])
REMOVING = _per_program(_rows["removing"])
WRAPPERS = _per_program(_rows["wrappers"])
NOT_WRAPPING = _per_program(_rows["not_wrapping"])
SPELLINGS = _pairs_per_program(_rows["spellings"])
VERB_NAMES = _pairs_per_program(_rows["verb_names"])

PAIRS = {key: _pairs(listed) for key, listed in _tables["pairs"].items()}
INIT_SCRIPT = "/etc/init.d/"
