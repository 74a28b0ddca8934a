"""Which language a text is in, and whether that is another one than the questions are in.

By its script, and in scripts that many languages share by its runs of three letters: those that
are commonest in each of about 130 languages are known (`builtin/language`, counted by
scripts/make_language_profiles.py). Words with a capital are names as often as not, and words with
signs in them are code: neither counts. What cannot be told is None: a command, a number, a word.
"""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

PROFILES = Path(__file__).parents[1] / "builtin" / "language" / "profiles.tsv"
FEWEST_WORDS, FEWEST_RUNS = 4, 16
FEWEST_KNOWN = 0.5  # of a text's runs, among the commonest of its language
MARGIN, LEAST_EVIDENCE = 0.35, 8.0  # nats a run, and in all, by which one language beats another
# Of a text among others that are known to be in that language.
MARGIN_AMONG, LEAST_EVIDENCE_AMONG = 0.2, 3.0
FEWEST_LETTERS, SHARE_OF_LETTERS = 4, 0.6
_SHARE_OF_KANA = 0.1  # of Japanese; Chinese has none
_LONGEST = 4_000  # characters that are looked at
_LONGEST_ENDING = 4  # letters: "ins Englische", "en portuguesa"
_OWN_SCRIPTS = {
    "cjk": "cmn", "hiragana": "jpn", "katakana": "jpn", "hangul": "kor", "thai": "tha",
    "lao": "lao", "khmer": "khm", "myanmar": "mya", "georgian": "kat", "armenian": "hye",
    "greek": "ell", "hebrew": "heb", "bengali": "ben", "tamil": "tam", "telugu": "tel",
    "kannada": "kan", "malayalam": "mal", "gujarati": "guj", "gurmukhi": "pan", "oriya": "ori",
    "sinhala": "sin", "tibetan": "bod",
}  # fmt: skip
_FENCED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_EDGES = ".,;:!?…\"'“”„«»‘’()[]*_—–-¿¡।،؟"


@dataclass(frozen=True, slots=True)
class _Language:
    english: str
    french: str
    names: tuple[str, ...]


def language_of(text: str, among: Collection[str] = ()) -> str | None:
    """Its code, such as `eng`; a script's name where only that is known. `among`: one of these."""
    script = _script_of(text)
    if script != "latin" and script in _OWN_SCRIPTS:
        return _OWN_SCRIPTS[script]
    runs = _runs_in(text)
    if len(runs) < FEWEST_RUNS:
        return None if script == "latin" else script
    scores = _scores(runs)
    best = max(among or scores, key=lambda code: scores.get(code, -math.inf))
    if among or script != "latin" or _share_known(runs, best) >= FEWEST_KNOWN:
        return best
    return None


def language_beside(text: str, own: Collection[str], others: Collection[str] = ()) -> str | None:
    """The language of a text that is in none of its `own` languages; None: it is, or may be.
    `others`: the languages of texts beside it, one of which needs less evidence.
    """
    script = _script_of(text)
    scripts = frozenset().union(*map(_scripts_of, own))
    if script is None or not scripts:
        return None
    found = language_of(text)
    if script not in scripts or script in _OWN_SCRIPTS:
        return None if found in own else found
    runs = _runs_in(text)
    if not runs:
        return None
    scores = _scores(runs)
    least = max((scores[code] for code in own if code in scores), default=math.inf)
    for other in others:
        by = scores.get(other, -math.inf) - least
        if by >= MARGIN_AMONG and by * len(runs) >= LEAST_EVIDENCE_AMONG:
            return other
    if found is None or len(runs) < FEWEST_RUNS or _written_words(text) < FEWEST_WORDS:
        return None
    by = scores.get(found, -math.inf) - least
    return found if by >= MARGIN and by * len(runs) >= LEAST_EVIDENCE else None


@lru_cache(maxsize=1024)
def languages_named(prompt: str) -> frozenset[str]:
    """Those that a prompt names, as one does that asks for a translation."""
    words = {_plain(word) for word in _WORD.findall(prompt[:_LONGEST])}
    return frozenset(
        code
        for code, known in _known().items()
        if any(_is_form_of(word, name) for name in known.names for word in words)
    )


def name_of(code: str, in_french: bool = False) -> str:
    """As reports name it; "" where it has no name."""
    known = _known().get(code)
    if known is None:
        return ""
    return known.french if in_french else known.english


def runs_of(text: str) -> Iterator[str]:
    """Three letters each without their marks, which many leave out; edges of words as "_"."""
    for word in _WORD.findall(_without_marks(text)):
        edged = f"_{word.replace('’', chr(39))}_"
        yield from (edged[at : at + 3] for at in range(len(edged) - 2))


@lru_cache(maxsize=4096)
def _runs_in(text: str) -> tuple[str, ...]:
    return tuple(run for word in _plain_words(text) for run in runs_of(word))


def _written_words(text: str) -> int:
    return sum(1 for _ in _plain_words(text))


def _plain_words(text: str) -> Iterator[str]:
    """Without code, without what has signs or digits in it, without what has a capital."""
    for piece in _FENCED.sub(" ", text[:_LONGEST]).split():
        word = piece.strip(_EDGES)
        pieces = re.split("[-–—/]", word) if not piece.startswith("-") else []
        yield from (each for each in pieces if _WORD.fullmatch(each) and each == each.lower())


@cache
def _known() -> Mapping[str, _Language]:
    found = {}
    for line in PROFILES.read_text("utf-8").splitlines():
        code, english, french, names, _ = line.split("\t")
        found[code] = _Language(english, french, tuple(_plain(name) for name in names.split(";")))
    return found


@cache
def _places() -> Mapping[str, Mapping[str, float]]:
    """Of each language that is told by its runs, how much more likely each is than an unknown one.
    How common a run is follows from its place in the order, as in all languages.
    """
    found = {}
    for line in PROFILES.read_text("utf-8").splitlines():
        code, *_, runs = line.split("\t")
        if listed := runs.split():
            found[code] = {run: _more_likely(at, len(listed)) for at, run in enumerate(listed)}
    return found


def _more_likely(place: int, known: int) -> float:
    return math.log(8 + 2.5 * known) - math.log(8 + place)


@cache
def _languages_with() -> Mapping[str, tuple[tuple[str, float], ...]]:
    found = defaultdict(list)
    for code, runs in _places().items():
        for run, more in runs.items():
            found[run].append((code, more))
    return {run: tuple(codes) for run, codes in found.items()}


@lru_cache(maxsize=4096)
def _scores(runs: tuple[str, ...]) -> Mapping[str, float]:
    """Of each language, in nats a run; higher is more likely."""
    sums = dict.fromkeys(_places(), 0.0)
    for run in runs:
        for code, more in _languages_with().get(run, ()):
            sums[code] += more
    return {code: total / len(runs) for code, total in sums.items()}


def _share_known(runs: tuple[str, ...], code: str) -> float:
    known = _places()[code]
    return sum(run in known for run in runs) / len(runs)


def _script_of(text: str) -> str | None:
    """That of most letters; None where there are few letters, or no script has most of them."""
    letters = [sign for sign in _FENCED.sub(" ", text[:_LONGEST]) if sign.isalpha()]
    if len(letters) < FEWEST_LETTERS:
        return None
    scripts = Counter(map(_script, letters))
    kana = scripts["hiragana"] + scripts["katakana"]
    if kana >= _SHARE_OF_KANA * len(letters):
        return "hiragana"
    script, count = scripts.most_common(1)[0]
    return script if count >= SHARE_OF_LETTERS * len(letters) else None


@cache
def _scripts_of(code: str) -> frozenset[str]:
    """The scripts that a language is written in here."""
    own = frozenset(script for script, of in _OWN_SCRIPTS.items() if of == code)
    if code == "jpn":
        own |= {"cjk"}
    runs = "".join(_places().get(code, ())).replace("_", "")
    return own or frozenset(map(_script, filter(str.isalpha, runs[:60])))


def _script(sign: str) -> str:
    return unicodedata.name(sign, "unknown").split()[0].casefold()


def _plain(word: str) -> str:
    return _without_marks(word.casefold())


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", text)
    return "".join(sign for sign in apart if unicodedata.category(sign) != "Mn")


def _is_form_of(word: str, name: str) -> bool:
    """Whether it is a name of a language with whatever ending: "portuguesa", "Englische"."""
    if len(name) < 5:
        return word == name
    stem = name.rstrip("aeiou") if len(name) > 5 else name
    return word.startswith(stem) and len(word) <= len(name) + _LONGEST_ENDING
