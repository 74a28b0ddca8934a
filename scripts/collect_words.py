"""Write builtin/words/LANGUAGE.txt: the words of all our own English and French, each once, with
those that CLDR has for days, months and languages; and code.txt: the words that
names of Python's standard library are made of.

Judging tells by them whether a line of an answer is in its task's language, or is code. They are
collected by hand (`python scripts/collect_words.py`) and kept: were they read from the texts
themselves, a new message could change a judgement.
"""

import builtins
import importlib
import inspect
import keyword
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from babel import Locale
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[1]
BUILTIN = ROOT / "src" / "assay" / "builtin"
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
LONGEST = 24
PART_OF_A_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
SHORTEST_PART = 3
NOT_IMPORTED = {"antigravity", "this", "idlelib", "turtledemo", "turtle", "tkinter", "test"}
# Short words that other languages are full of, and ours quote.
NOT_ENGLISH = frozenset((
    "la", "le", "les", "des", "du", "une", "un", "est", "et", "en", "sur", "tout", "tous",
    "que", "qui", "dans", "pour", "avec", "pas", "au", "aux", "ce", "cette", "il", "der", "die",
    "das", "und", "ist", "ein", "eine", "den", "dem", "von", "mit", "zu", "auf", "bitte",
    "dieser", "diese", "nicht", "el", "los", "las", "por", "con", "para", "una", "di", "che",
    "da", "lo", "een", "het", "van", "na", "ya", "wa", "kwa", "ni", "za", "dos",
))  # fmt: skip
# What people say to each other in any language, and is said of no work.
GREETINGS = frozenset((
    "hi", "hello", "hey", "hola", "hallo", "hej", "bonjour", "bonsoir", "salut", "ciao", "olá",
    "ola", "namaste", "salaam", "merhaba", "thanks", "thank", "thx", "cheers", "regards",
    "merci", "danke", "gracias", "grazie", "obrigado", "obrigada", "happy", "glad", "hope",
    "welcome", "enjoy", "bye", "goodbye", "adieu",
))  # fmt: skip
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def main() -> None:
    with (BUILTIN / "translations" / "fr" / "LC_MESSAGES" / "assay.po").open("rb") as file:
        messages = [each for each in read_po(file, locale="fr") if each.id]
    texts = {
        "en": [" ".join(one.id) if isinstance(one.id, tuple) else one.id for one in messages],
        "fr": [" ".join(one.string) if isinstance(one.string, tuple) else one.string
               for one in messages],
    }  # fmt: skip
    french = ROOT / "docs" / "fr"
    pages = list((ROOT / "docs").rglob("*.md"))
    texts["fr"] += [each.read_text("utf-8") for each in pages if french in each.parents]
    texts["en"] += [each.read_text("utf-8") for each in pages if french not in each.parents]
    for pattern in ("rubrics/**/*.toml", "rubrics/**/*.md", "suites/*/*.json", "suites/*/*/*.md"):
        ours = (each for each in BUILTIN.glob(pattern) if "ewe" not in each.parts)
        texts["en"] += [each.read_text("utf-8") for each in ours if each.name != "injections.toml"]
    write("code", {part.lower() for name in names_of_code() for part in parts_of(name)})
    for language, some in texts.items():
        plain = CODE.sub(" ", "\n".join(some)) if language == "fr" else "\n".join(some)
        words = {word.casefold() for word in WORD.findall(plain)}
        words |= {word.casefold() for word in WORD.findall("\n".join(common_words(language)))}
        kept = {word for word in words if 1 < len(word) <= LONGEST or word in "aiàyô"}
        if language == "en":
            kept = {word for word in kept if word.isascii()} - NOT_ENGLISH
        write(language, kept | {*GREETINGS})


def write(name: str, words: set[str]) -> None:
    file = BUILTIN / "words" / f"{name}.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join(sorted(words)) + "\n", "utf-8")


def common_words(language: str) -> Iterator[str]:
    """What CLDR calls days, months and languages."""
    locale = Locale(language)
    for widths in (*locale.days.values(), *locale.months.values()):
        for names in widths.values():
            yield from names.values()
    yield from locale.languages.values()


def names_of_code() -> Iterator[str]:
    yield from (*keyword.kwlist, *dir(builtins))
    warnings.simplefilter("ignore")
    for name in sorted(sys.stdlib_module_names - NOT_IMPORTED):
        if name.startswith("_"):
            continue
        try:
            module = importlib.import_module(name)
        except (ImportError, OSError):  # of another system
            continue
        yield name
        for public in (each for each in vars(module) if not each.startswith("_")):
            yield public
            found = getattr(module, public)
            if inspect.isclass(found):
                yield from (each for each in vars(found) if not each.startswith("_"))


def parts_of(name: str) -> Iterator[str]:
    found = PART_OF_A_NAME.findall(name)
    yield from (part for part in found if SHORTEST_PART <= len(part) <= LONGEST)


if __name__ == "__main__":
    main()
