"""How much each word of an answer speaks for nonsense, by its characters.

In: the words of an answer. Out: a number for each, in rough nats: above 0 it looks like junk, below
0 like language.

A word that is known, in any of the languages we have words of, speaks against nonsense. One that
nobody knows speaks for it, the more the unlikelier its letters are in the best of thirteen
languages. Paths, options, addresses, versions, identifiers and dumps are judged by their parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from assay.checks.ewe.language import identify
from assay.checks.ewe.language_model import CONFUSABLES, shipped_model
from assay.checks.health.reading import Read, Word
from assay.checks.health.scripts import LATIN, main_scripts, scripts_of, sort_of
from assay.checks.health.word_model import (
    all_function_words,
    function_words,
    known_terms,
    shipped_words,
)
from assay.checks.shell.programs import KNOWN_PROGRAMS, names

# ln P(such a word in junk) / P(in healthy text). Invented text has as many small words as real text
# has, so they say little; real words of four letters and more say most.
FUNCTION_WORD, SHORT_FUNCTION_WORD = -0.3, -0.1
KNOWN_WORD, SHORT_KNOWN_WORD = -1.1, -0.4
OTHER_SCRIPT = -0.4  # a word of a script we cannot read
THIRD_SCRIPT = 1.2  # one of a script besides the two that the answer is mainly in
MIXED_SCRIPTS = 1.5  # letters of several scripts in one word
DAMAGED = 1.5  # replacement characters, mojibake, controls
JUNK = 1.0  # letters, digits and signs thrown together
SIGNS = 0.5  # per unusual sign in a row, at most three of them
LISTED_COUNTS = 0.35  # an unknown name before a comma
FOREIGN_SHARE = 0.05  # of the words are small words of another language
SHORT_WEIGHT = 0.3  # of a small word of two letters
HARDLY_ENGLISH = 0.1, 0.2  # less than this share of English small words
FOREIGN_LETTERS = 0.06, 0.12  # of the words have letters that neither English nor French has
PARTLY_FOREIGN, PARTLY_FOREIGN_COUNTS = 0.04, 0.4  # the same, where the rest is English
FRENCH_COUNTS = 0.3  # we know a third as many words of French
NAME_COUNTS = 0.4  # an unknown word with a capital
LONGEST_WORD = 200
BLOB_FROM, BLOB_SHARE, BLOB = 120, 0.5, 12.0  # characters; share of the answer; evidence
# Evidence inside code, commands, tables and logs, where names of all kinds are healthy: less where
# the other words there are known, or the lines are alike.
CODE_COUNTS, SENSE_COUNTS = 0.6, 0.2
JUNK_IN_CODE_COUNTS, JUNK_IN_SENSE_COUNTS = 0.75, 0.35
SENSE, ALIKE, ALIKE_LINES = 0.3, 0.5, 4  # share of known words; share of lines of one form; lines

# Natural log-likelihood per letter in the best language; English words lie about -2, random
# letters below -4.
_LIKELY, _UNLIKELY = -2.5, -4.2
_LIKELY_UNKNOWN, _UNLIKELY_UNKNOWN = 0.65, 1.3

_EDGE = "".join("\"'`*_~.,;:!?()[]{}<>|“”‘’«»„…•◦—–-")
_DAMAGE = re.compile(
    "[\ufffd\ud800-\udfff\ue000-\uf8ff\x00-\x08\x0e-\x1f\x7f-\x9f]"
    "|[ÃÂÅÄÉÆÐÑÊË][\u0080-\u00bf\u0152-\u0178\u02c6\u02dc\u2018-\u2122]|â€|â‚|á»"
    "|[\u0300-\u036f]{3}"  # no language stacks so many marks
)
# What byte-level and word-piece tokenizers leave in text that was not decoded.
_TOKENIZER_MARK = re.compile(
    r"<0x[0-9A-Fa-f]{2}>|\\x[0-9a-f]{2}\\x|[ĠĊ]|\w##\w|(?<!\S)##[a-z]{2,}|▁|<unk>|<pad>|\[UNK\]"
)
_PLAIN = re.compile(
    r"[+-]?[\d.,:/x×%°-]+(?:[A-Za-zµ%°]{1,4}(?:/s|²)?)?"  # numbers, versions, times, sizes
    r"|(?:0x)?[0-9a-fA-F]{2,}(?:[:.\-][0-9a-fA-F]{1,})*h?"  # hex, addresses, ids
    r"|[A-Za-z]{1,12}[-_]?\d{1,6}[A-Za-z]{0,2}"  # eth0, RTL8139, e1000e, x86
    r"|[A-Z][A-Za-z]{0,3}\d[A-Z\d-]{0,8}"
    r"|[A-Z]{2,6}s?"
)
_PARTS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")
_LETTER, _NUMBER = re.compile(r"[^\W\d_]"), re.compile(r"[\d.]*\d")
_NAME = re.compile(r"[^\W\d][\w.+-]*")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_FOREIGN_LETTER = re.compile(
    "[ɛɔŋɖƒʋɣɩɗƙɓṣąćęłńśźżğışöüäßåøæñãõáíóúýčďěňřšťůžőűăâîșțđơư\u1ea0-\u1ef9]"
)
_ODD_CASE = re.compile(r"[^\W\d_A-Z][A-Z]|[A-Z]{2}[a-z]")
_STRAY = re.compile(r"\w[,;`#%^~|\\!?\"<>{}&*]\w")  # no name has such a sign inside
_PATH_LIKE = re.compile(
    r"(?:https?://|www\.|~?/|\./|\.\./|--?)[\w./=@%&?#+~:,\[\]{}$*-]+"
    r"|[\w.+-]+@[\w.-]+|\w+(?:[._/:-]\w+)+(?:\(\d?\))?|\w+=\S+|\$\{?\w+\}?|\w+\(\d?\)"
)
_COMMON_SIGNS = names(
    "- – — * + = == != => -> <- | || & && > >> < << >= <= # ## ### #### $ $$ % / \\ ~ : :: := ... "
    "… · • ; { } ( ) [ ] () {} [] {} }; }, ]; ], ); ). ), ☐ ✓ ✔ ✅ ❌ ⚠ → ← ⇒ ↑ ↓ ≥ ≤ ≠ × ± "
    "--- *** ___ === ``` ~~~ .. . , ! ? !== += -= ++ -- @ ^ $( ${"
)
_FOLD = str.maketrans(CONFUSABLES)


def evidence(about: Read) -> list[float]:
    """For each word, how much it speaks for nonsense."""
    main = main_scripts(word.text for word in about.words)
    counts = _unknown_counts(main_language(about))
    accented = sum(_FOREIGN_LETTER.search(word.text) is not None for word in about.words)
    if accented >= max(2, PARTLY_FOREIGN * len(about.words)):
        counts *= PARTLY_FOREIGN_COUNTS
    plain, junk = CODE_COUNTS, JUNK_IN_CODE_COUNTS
    if _has_sense(about):
        plain, junk = SENSE_COUNTS, JUNK_IN_SENSE_COUNTS
    found = []
    for word in about.words:
        value = of_word(word.text, main, counts)
        if len(word.text) >= BLOB_FROM and len(word.text) > BLOB_SHARE * len(about.text):
            value = _of_blob(word.text)
        elif 0 < value < DAMAGED:
            if about.kind_at(word.start) != "prose":
                value *= plain if value < JUNK else junk
            elif word.text.endswith(","):
                value *= LISTED_COUNTS
        found.append(value)
    return _signs_in_a_row(about.words, found)


def _has_sense(about: Read) -> bool:
    """Whether the lines that are no prose are of known words, or of the same form."""
    lines = [line for line in about.lines if line.kind != "prose"]
    said = [about.text[line.start : line.end] for line in lines]
    words = [word for line in said for word in line.split() if _LETTER.search(word)]
    known = sum(
        any(len(part) > 3 and is_known(part) for part in _PARTS.findall(word[:LONGEST_WORD]))
        for word in words
    )
    if known >= SENSE * len(words):
        return True
    forms = Counter(_NUMBER.sub("9", _NAME.sub("a", " ".join(line.split()[:2]))) for line in said)
    return len(said) >= ALIKE_LINES and forms.most_common(1)[0][1] >= ALIKE * len(said)


def _of_blob(word: str) -> float:
    """One string that makes up most of an answer, in a script that has spaces."""
    letters = scripts_of(word)
    return BLOB if letters[LATIN] * 2 > len(word) and not word.startswith(("http", "/")) else 0.0


def _unknown_counts(language: str) -> float:
    """How much an unknown word of likely letters says in an answer in this language."""
    return {"eng": 1.0, "fra": FRENCH_COUNTS}.get(language, 0.0)


@lru_cache(maxsize=16)
def main_language(about: Read) -> str:
    """The language an answer is in, by its small words and letters: English where nothing speaks
    for another one, "other" where only its letters do.
    """
    said = [word.text.strip(_EDGE).lower() for word in about.words]
    said = [word for word in said if len(word) > 1 and word[0].isalpha()]
    english = function_words()["eng"]
    of_english = _weight(word for word in said if word in english)
    best, most = "eng", max(1.0, FOREIGN_SHARE * len(said), 0.5 * of_english)
    by_letters = identify(about.text).code
    for language, small in function_words().items():
        found = [word for word in said if word in small and word not in english]
        weight = _weight(found) * (2.0 if language == by_letters else 1.0)
        if weight > most and len(set(found)) >= 3:
            best, most = language, weight
    if best == "eng" and of_english < HARDLY_ENGLISH[1] * len(said):
        accented = sum(_FOREIGN_LETTER.search(word) is not None for word in said)
        least = FOREIGN_LETTERS[of_english >= HARDLY_ENGLISH[0] * len(said)]
        if accented >= max(2, least * len(said)):
            return "other"
    return best


def _weight(words: Iterable[str]) -> float:
    """Words of two letters are in every language, and in every heap of syllables."""
    return sum(1.0 if len(word) > 2 else SHORT_WEIGHT for word in words)


@lru_cache(maxsize=16_384)
def of_word(word: str, main: frozenset[str], counts: float) -> float:
    """How much one word speaks for nonsense; `main` are the scripts of the answer, `counts` what
    unknown words are worth in its language.
    """
    word = word[:LONGEST_WORD]
    if _DAMAGE.search(word) or _TOKENIZER_MARK.search(word):
        return DAMAGED
    bare = word.strip(_EDGE)
    if not bare:
        return _of_signs(word)
    if not bare.isascii():
        bare = unicodedata.normalize("NFC", bare)
        scripts = scripts_of(bare.translate(_FOLD))
        if len(scripts) > 1:
            return MIXED_SCRIPTS if _tangled(bare) else 0.0
        if scripts and LATIN not in scripts:
            return OTHER_SCRIPT if scripts.keys() <= main else THIRD_SCRIPT
        if scripts and LATIN not in main:
            return 0.0
    return _of_latin(bare, counts)


def is_damaged(word: str) -> bool:
    """Whether characters were lost, or read in a wrong encoding."""
    return _DAMAGE.search(word) is not None


def _tangled(word: str) -> bool:
    """Whether scripts change inside a run of letters: "сервер-nginx" does not, "sеrvеr" does."""
    return any(len(scripts_of(run.translate(_FOLD))) > 1 for run in re.findall(r"[^\W\d_]+", word))


def _of_signs(word: str) -> float:
    kinds = {sign for sign in word if sign not in "-=+|_*~.`:#─━│┃├┤┼┌┐└┘┬┴═║"}
    if word in _COMMON_SIGNS or len(kinds) < 2:
        return 0.0 if word in _COMMON_SIGNS or not kinds else 0.2
    return SIGNS * min(3, len(kinds))


def _of_latin(bare: str, counts: float) -> float:
    if _LETTERS.fullmatch(bare):
        return _of_letters(bare, counts)
    if _PLAIN.fullmatch(bare):
        return 0.0
    return _of_tangle(bare, counts)


def _of_tangle(bare: str, counts: float) -> float:
    """Letters, digits and signs in one piece: a path, an option, a call, or junk."""
    parts = [part for part in _PARTS.findall(bare) if not part.isdigit()]
    long_parts = [part for part in parts if len(part) > 2]
    good = sum(map(is_known, long_parts))
    if good and good >= len(long_parts) / 2:
        return -0.2
    if _PATH_LIKE.fullmatch(bare):
        worst = max((_of_letters(part, counts) for part in long_parts), default=0.0)
        return 0.4 * max(0.0, worst)
    changes = sum(sort_of(one) != sort_of(two) for one, two in pairwise(bare))
    if changes >= 3 and changes >= 0.4 * len(bare):
        return JUNK
    if not good and (len({sign for sign in bare if not sign.isalnum()}) > 1 or _STRAY.search(bare)):
        return 0.6
    worst = max((_of_letters(part, counts) for part in long_parts), default=0.0)
    return 0.5 * max(0.0, worst)


def _of_letters(word: str, counts: float) -> float:
    low = word.lower().replace("’", "'")
    if low in all_function_words():
        return FUNCTION_WORD if len(low) > 2 else SHORT_FUNCTION_WORD
    if is_known(word):
        if len(low) > 3:
            return KNOWN_WORD
        return SHORT_KNOWN_WORD if len(low) == 3 else SHORT_FUNCTION_WORD
    if word.isupper() and len(word) <= 6:
        return 0.15
    parts = [part for part in re.split(r"['\-]", low) if part]
    known = sum(is_known(part) or part in all_function_words() for part in parts)
    if len(parts) > 1 and known * 2 >= len(parts):
        return -0.3
    if _ODD_CASE.search(word):
        cased = _PARTS.findall(word)
        if sum(len(part) > 2 and is_known(part) for part in cased) * 2 >= len(cased):
            return -0.1
        return 0.6
    if len(low) <= 2:
        return 0.25
    slope = (_LIKELY - likelihood_of(low)) / (_LIKELY - _UNLIKELY)
    value = _LIKELY_UNKNOWN + (_UNLIKELY_UNKNOWN - _LIKELY_UNKNOWN) * min(1.0, max(0.0, slope))
    return counts * value * (NAME_COUNTS if word[0].isupper() else 1.0)


@lru_cache(maxsize=16_384)
def likelihood_of(word: str) -> float:
    """The mean log-likelihood of a word's letters in the language where it is best."""
    rows = shipped_model().log_likelihoods(word)[:, :-1]
    return float(rows.mean(axis=0).max())


@lru_cache(maxsize=16_384)
def is_known(word: str) -> bool:
    """Whether a word was counted, is a technical term, or names a program."""
    low = word.lower()
    return (
        any(model.knows(low) for model in shipped_words().values())
        or low in known_terms()
        or low in KNOWN_PROGRAMS
        or (low.endswith("s") and len(low) > 4 and low[:-1] in known_terms())
    )


def _signs_in_a_row(words: Sequence[Word], found: list[float]) -> list[float]:
    """Four and more words in a row that are nothing but different signs are a flood."""
    run: list[int] = []
    for at, word in enumerate((*words, Word("end", 0, 0))):
        if not any(letter.isalnum() for letter in word.text):
            run.append(at)
            continue
        # A table's border has words of many lengths, all of the same few signs.
        if len(run) >= 4 and len({frozenset(words[place].text) for place in run}) >= 4:
            for place in run:
                found[place] = max(found[place], 0.7)
        run = []
    return found
