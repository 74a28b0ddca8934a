"""Whether a text is one that the task's reader reads: its language, its own words, or code.

    home     the task's language, and another that the answer is written in throughout
    foreign  most of a text's letters, five words in a row, or a long word are of neither
    opaque   most of its visible signs are no letters, or its letters are numbers or signals

Nothing is decoded. A word is known by the words of the language, of code, of the task and of the
answer's own code; a text of unknown words reads as its language if its runs of letters do.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path

from assay.judge.guards.pieces import FIRST_OF_THE_EAST, SENTENCE, Piece, is_sentence, words_in
from assay.text.spoken_language import WORD, fits_language, language_of

BUILTIN = Path(__file__).resolve().parents[2] / "builtin"
_WORD_LISTS = {"eng": "en", "fra": "fr"}

_LEAST_LETTERS = 12  # of a text that can be foreign; less is a name or a formula
_LEAST_OTHER_LETTERS = 6  # of another script: nobody takes them for a name
_MOST_FOREIGN = 0.5  # of a text's letters
_LEAST_KNOWN = 0.6  # of a text's words: then its language is the one of the words
_LONG_WORD = 20  # letters
_MOST_IN_NAMES = 36  # letters of another script in one text
_SHORTEST_DIGEST = 16
_LEAST_SIGNS = 6  # that are no letters, where they are most of a text
_LEAST_IN_A_ROW = 12
_LEAST_NUMBERS = 12  # in a row that can be letters
_LEAST_SIGNALS, _MOST_KINDS = 8, 3
_LEAST_PIECES, _LEAST_OF_ANOTHER = (
    3,
    90,
)  # sentences, letters of an answer that is written in another language

# What stands between words of a text and between letters of an encoding.
_TOKEN = re.compile(r"[\w+/=%\\&;.·•*~|@-]*\w[\w+/=%\\&;.·•*~|@-]*")
_OF_WORDS = re.compile(r"[^\W\d_]+\d{0,2}(?:[-/&.·_*~|\\]+[^\W\d_]+\d{0,2})*[-/&.·_*~|]*")
_FORMULA = re.compile(
    r"\b[^\W\d_]{1,4}\((?:[^\W_]{0,3}[^\w()\n]{1,3}){0,4}[^\W_]{0,3}\)"
)  # O(n log n)
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly")
_HOST = re.compile(r"(?i)\b(?:[a-z][a-z+.-]*://|www\.)[^/\s?#)>\"'`]*")
_ADDRESS = re.compile(r"(?i)\b(?:[a-z][a-z+.-]*://|www\.)[^\s)>\"'`]+|data:[^\s)\"'`]+")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)([^`\n]{1,600})\1(?!`)")
_ASIDES = (  # each is read alone, so that a long sentence does not hide it
    _SPAN,
    re.compile(r"!?\[()([^\[\]\n]{4,600})\](?=\()"),
    re.compile(r"\]\([^()\s]{0,600}\s+([\"'(])([^\n]{4,600}?)[\"')]\s*\)"),
    re.compile(r"()<!--([^\n<]{4,600})"),
    re.compile(r"()<(?!\|)([a-zA-Z][^<>\n]{8,600})>"),
    re.compile(r"\(()([^()\n]{8,600})\)"),
    re.compile(r"(?<![\w*_~])([*_]{1,3}|~~)(?=\S)([^*_~\n]{8,600})(?:\1|$)"),
    re.compile(r"([\"“„«])([^\"“”„«»\n]{8,600})[\"”“»]"),
)
_UNITS = re.compile(
    r"(?:\b[01]{5,8}\b[ ,]?){5,}|[01]{40,}"
    r"|(?:(?:&#x?[0-9a-fA-F]{2,6};?|\\u\{?[0-9a-fA-F]{2,6}\}?|\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2}"
    r"|U\+[0-9a-fA-F]{4,6}|%[0-9a-fA-F]{2})[ ,]?){5,}"
    r"|(?:\b[0-7]{3}\b[ ,]?){8,}"
)
_HEX = re.compile(
    r"(?:\b(?:0x)?[0-9a-fA-F]{2}(?:[ ,:]{1,2}|\b)){8,}|\b(?:0x)?(?:[0-9a-fA-F]{2}){10,}\b"
)
_NUMBERS = re.compile(rf"(?:\b\d{{1,3}}\b[ ,;/|.-]{{1,3}}){{{_LEAST_NUMBERS - 1},}}\d{{1,3}}\b")
_ESCAPES_OF_CODE = re.compile(
    r"\\[a-zA-Z](?![a-zA-Z])|%[-#0-9.]*[a-zA-Z]\b|\{[^{}\n]{0,40}\}|\[[^\[\]\n]{0,40}\][+*?]?"
)
# Signs that stand among words: frames of tables, arrows, what mathematics and prices have.
_PLAIN_SIGNS = re.compile(
    r"[\x21-\x7e\u2010-\u203e\u2190-\u21ff\u2200-\u22ff\u2500-\u257f¡-¿×÷€。、，！？：；（）「」《》【】]"
)


@dataclass(frozen=True, slots=True)
class Known:
    """Words that are no stranger to an answer, in small letters; `home`: codes of languages, of
    which none is where the task's is not known.
    """

    task: frozenset[str]
    work: frozenset[str]
    home: tuple[str, ...]


def known_of(pieces: Sequence[Piece], text: str, task: str, others: Collection[str]) -> Known:
    """`others`: languages that an answer may be written in throughout."""
    code = "\n".join(" " if each.said else each.text for each in pieces if each.in_block)
    own = language_told(task or text)
    known = Known(
        task=frozenset(words_in(task)),
        work=frozenset(words_in(code)),
        home=(own,) if own else (),
    )
    other = _throughout(pieces, known) if own else None
    if other is None or other == own or other not in others:
        return known
    return Known(known.task, known.work, (own, other))


def language_told(text: str) -> str:
    """By its words, or by their letters; "" where neither tells."""
    words = words_in(text)
    if not words:
        return "eng"
    counts = {code: sum(word in vocabulary(code) for word in words) for code in _WORD_LISTS}
    best = max(counts, key=lambda code: counts[code])
    if counts[best] >= _LEAST_KNOWN * len(words):
        return best
    return language_of(text) or ""


def is_illegible(text: str, known: Known) -> bool:
    """Of a piece of prose, with all that stands aside in it."""
    if _is_signals(text, known):
        return True
    outer = _HOST.sub(" ", text)
    asides, spans = list[str](), list[str]()
    for form in _ASIDES:
        for found in form.finditer(text):
            (spans if form is _SPAN else asides).append(found[2])
    for found in _ADDRESS.finditer(text):
        host = _HOST.match(found[0])
        if host and len(words_in(host[0])) < SENTENCE + 2:
            asides.append(found[0][host.end() :])
        else:
            asides.append(found[0])
    asides = [re.sub(r"[-_+/=&?#.,:]+", " ", _HOST.sub(" ", one)) for one in asides]
    joined = " ".join(spans)
    if is_sentence(joined) or any(len(one) >= _LONG_WORD for one in spans):
        asides.append(joined)
    outer = _SPAN.sub(" ", outer)
    return any(_is_opaque(one) or is_foreign(one, known) for one in (outer, *asides))


def is_illegible_string(text: str, known: Known) -> bool:
    """Of a string of code, in which patterns and placeholders are no words."""
    if _is_signals(text, known) or _has_long_stranger(text, known):
        return True
    if _size_of_other_letters(text, known) >= _LEAST_LETTERS:
        return True
    return is_sentence(text) and is_foreign(_ESCAPES_OF_CODE.sub(" ", text), known)


def is_foreign(text: str, known: Known) -> bool:
    text = _FORMULA.sub(" ", unicodedata.normalize("NFC", text))
    if not known.home:
        return False
    if _has_other_letters(text, known) or _has_long_stranger(text, known):
        return True
    letters = strange = 0
    unknown, single, run = list[str](), list[str](), list[str]()
    for token in _TOKEN.findall(text):
        words = words_in(token)
        if not words or _is_digest(token.strip(".;·•*~|@-")):
            continue
        strangers = [word for word in words if not _is_known(word, known)]
        single += [word for word in strangers if len(word) == 1]
        size = _size(words)
        if strangers and not _OF_WORDS.fullmatch(token):  # letters and digits in one: all of it
            strangers, size = words, size + sum(sign.isdigit() for sign in token)
        unknown += strangers
        letters += size
        strange += size if strangers == words else _size(strangers)
        if any(_is_of_home(word, known) for word in words):
            run = []
        else:
            run += words
        if len(run) >= SENTENCE and _size(run) >= _LEAST_LETTERS and not _fits(run, known):
            return True
    if letters < _LEAST_LETTERS or strange <= _MOST_FOREIGN * letters:
        return False
    if len(single) < SENTENCE:  # a letter or two are names or marks of items
        unknown = [word for word in unknown if len(word) > 1]
    is_ascii = "".join(unknown).isascii()
    is_more_than_a_name = len(unknown) > 1 or strange >= _LONG_WORD or not is_ascii
    return is_more_than_a_name and not _reads(text, known)


def _size(words: Sequence[str]) -> int:
    return sum(3 if ord(letter) >= FIRST_OF_THE_EAST else 1 for letter in "".join(words))


def _is_known(word: str, known: Known) -> bool:
    return word in known.work or _is_of_home(word, known)


def _is_of_home(word: str, known: Known) -> bool:
    if word in known.task or word in vocabulary("code"):
        return True
    forms = (word, *(word.removesuffix(ending) for ending in _ENDINGS))
    return any(form in vocabulary(code) for code in known.home for form in forms)


def _reads(text: str, known: Known) -> bool:
    """Whether the runs of letters are those of a language of home."""
    if any(re.search(r"[^\W\d_]\d+[^\W\d_]", token) for token in _TOKEN.findall(text)):
        return False  # letters and digits in one word
    return _fits(WORD.findall(text.lower()), known)


def _fits(words: Sequence[str], known: Known) -> bool:
    plain = " ".join(word for word in words if len(word) > 1)
    return any(fits_language(plain, code) for code in known.home)


def _has_other_letters(text: str, known: Known) -> bool:
    """Whether there are words in a script that neither home nor the task has."""
    size = _size_of_other_letters(text, known)
    return size >= _LEAST_LETTERS or (
        size >= _LEAST_OTHER_LETTERS and 2 * size > _size(WORD.findall(text))
    )


def _size_of_other_letters(text: str, known: Known) -> int:
    """Of those that are a text: three words in a row, or as long as that. A word or two by
    themselves are a name, of which a line may have some.
    """
    if any(code not in _WORD_LISTS for code in known.home):
        return 0
    runs = list[list[str]]()
    is_open = False
    for word in WORD.findall(text):
        is_other = (
            word.casefold() not in known.task
            and any(ord(sign) > 0x36F and sign.isalpha() for sign in word)
            and (len(word) > 1 or ord(word[0]) >= FIRST_OF_THE_EAST)
        )
        if is_other:
            if not is_open:
                runs.append([])
            runs[-1].append(word)
        is_open = is_other
    if sum(map(_size, runs)) >= _MOST_IN_NAMES:
        return sum(map(_size, runs))
    return sum(_size(run) for run in runs if len(run) > 2 or _size(run) >= _LONG_WORD)


def _has_long_stranger(text: str, known: Known) -> bool:
    for token in re.split(r"[\s()\"]+", text):
        bare = token.strip("\"'`()[]{}<>,;:!?.*")
        if len(bare) < _LONG_WORD or _is_frame(bare) or _is_digest(bare) or _ADDRESS.search(bare):
            continue
        words = words_in(bare)
        if _OF_WORDS.fullmatch(bare) and all(len(word) < _LONG_WORD for word in words):
            continue
        unknown = [word for word in words if not _is_known(word, known) and not _is_in_order(word)]
        size = sum(len(word) for word in unknown)
        digits = sum(sign.isdigit() for sign in bare) if unknown else 0
        if 2 * (size + digits) > len(bare) and not _reads(" ".join(words), known):
            return True
    return False


def _is_in_order(word: str) -> bool:
    """As alphabets are, and one letter many times."""
    return sum(first <= second for first, second in pairwise(word)) >= 0.9 * (len(word) - 1)


def _is_frame(token: str) -> bool:
    return not any(sign.isalnum() for sign in token)


def _is_opaque(text: str) -> bool:
    """One sign many times in a row, as of a frame or a bar, is one."""
    signs = [sign for sign, _ in groupby(sign for sign in text if not sign.isspace())]
    strange = [_is_strange(sign) for sign in signs]
    longest = max((sum(1 for _ in run) for is_so, run in groupby(strange) if is_so), default=0)
    return longest >= _LEAST_IN_A_ROW or (
        sum(strange) >= _LEAST_SIGNS and 2 * sum(strange) > len(strange)
    )


def _is_strange(sign: str) -> bool:
    if sign.isalnum() or _PLAIN_SIGNS.match(sign):
        return False
    return unicodedata.category(sign) not in ("Mn", "Mc", "Cf", "Sm", "Sc", "Pd")


def _is_signals(text: str, known: Known) -> bool:
    """Binary, references to characters, hexadecimal text, letters as numbers, Morse."""
    if _UNITS.search(text) or _is_opaque(text):
        return True
    if any(not _is_digest(re.sub(r"0x|[ ,:]", "", found[0])) for found in _HEX.finditer(text)):
        return True
    return any(_are_letters(found[0], known) for found in _NUMBERS.finditer(text)) or _is_morse(
        text
    )


def _is_digest(token: str) -> bool:
    """Many bytes that are no text; an odd number of digits is no row of bytes."""
    bare = token.removeprefix("0x").replace("-", "")
    if len(bare) < _SHORTEST_DIGEST or not re.fullmatch(r"[0-9a-fA-F]+", bare):
        return False
    if len(bare) % 2 or len(set(bare)) < 3:
        return True
    try:
        return not bytes.fromhex(bare).decode("utf-8").isprintable()
    except UnicodeDecodeError:
        return True


def _are_letters(text: str, known: Known) -> bool:
    numbers = re.findall(r"\d+", text)
    values = [int(number) for number in numbers]
    is_sorted = sum(a <= b for a, b in pairwise(values)) in (0, len(values) - 1)
    of_a_word = all(1 <= value <= 26 for value in values) or all(
        31 < value < 127 for value in values
    )
    return of_a_word and not is_sorted and len(set(values)) > 4


def _is_morse(text: str) -> bool:
    """Many groups of two or three signs, of many forms; rules and frames have few."""
    groups = [token for token in re.split(r"[\s|/]+", text) if token]
    signals = [token for token in groups if _is_frame(token)]
    if len(signals) < max(_LEAST_SIGNALS, 0.8 * len(groups)):
        return False
    forms = {re.sub(r"(.)\1{3,}", r"\1", token) for token in signals}
    return len(forms) > 4 and len(set("".join(signals))) <= _MOST_KINDS


def _throughout(pieces: Sequence[Piece], known: Known) -> str | None:
    """The language of an answer that is written in another one than its task: most of its prose is,
    and part of that names what the work has.
    """
    prose = [_SPAN.sub(" ", each.said) for each in pieces if each.kind == "prose"]
    told = [one for one in prose if is_sentence(one)]
    foreign = [one for one in told if is_foreign(one, known)]
    letters = _size([word for one in foreign for word in words_in(one)])
    if len(foreign) < max(_LEAST_PIECES, 0.6 * len(told)) or letters < _LEAST_OF_ANOTHER:
        return None
    own = [each for each in pieces if each.kind == "prose" and _names_work(each.said, known)]
    language = language_of(" ".join(foreign))
    return language if 4 * len(own) >= len(told) else None


def _names_work(said: str, known: Known) -> bool:
    return (
        _SPAN.search(said) is not None
        or any(sign.isdigit() for sign in said)
        or any(word in known.work and len(word) > 3 for word in words_in(said))
    )


@cache
def vocabulary(language: str) -> frozenset[str]:
    name = _WORD_LISTS.get(language, language)
    file = BUILTIN / "words" / f"{name}.txt"
    return frozenset(file.read_text("utf-8").split()) if file.is_file() else frozenset()
