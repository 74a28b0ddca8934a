"""Which language a text is in, decided by runs of one to four letters.

Two quantities decide, in nats: the margin, by which the best language is ahead of the next one; and
the fit, (best - mixture + 2 * margin) per letter, below 0 for a language not known. The mixture
of all languages, free to change at every letter, is what an unknown one looks like.

The model knows how likely a letter is after the three before it, by Witten-Bell interpolation, in
steps of 1/12 nat: docs/decisions/ewe.md.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.text.look_alikes import CONFUSABLES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Keys = NDArray[np.uint32]

# Nats between the best language and the next one. With 3 no whole line of Ewe more was
# recognised, and 2 of 3,922 lines of other languages were taken for Ewe.
MARGIN_NEEDED = 5.0
MARGIN_OF_KNOWN = 1.5  # enough for SHORT words at most that are all known in Ewe
SHORT = 5
FIT_SLOPE = 4.0  # confidence is 0.5 at the margin needed and at a fit of 0
UNKNOWN_HANDICAP = 0.7  # nats per letter that the mixture starts behind, word by word
# With these costs none of 400 single Ewe words in French or English text is taken for an Ewe
# text, and unmarked stretches of ten words and more are all found.
SWITCH_INSIDE, SWITCH_AT_BREAK = 14.0, 7.0  # what it costs to change the language between words
KNOWN_NEEDED = 1 / 3  # of the words; none of 854 real lines of sources not seen fails
NAME = "^"  # in place of a name
RARE_UP_TO = 2  # times; a word with a capital seen more often is no name
MOST_NAMES = 0.3  # of the words
QUOTE_WORDS = 3  # the least Ewe inside another language that counts
QUOTE_MARGIN = 16.0  # and how sure it must be where it is no sentence of its own


@dataclass(frozen=True, slots=True)
class LanguageReading:
    """The language of a text as a whole. `code` is None where none is clearly best; `confidence`
    is then below 0.5.
    """

    code: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class LanguageSpan:
    """Words in a row that read as one language; `code` is None for an unknown one. `words` counts
    the different ones that alone would be read so: the others were carried along. `margin`: by how
    many nats the language is ahead of the best other one there.
    """

    code: str | None
    text: str
    words: int
    letters: int
    margin: float


def identify(text: str, model: LanguageModel | None = None) -> LanguageReading:
    """The language of a text as a whole, or none where it is too short or fits no known one."""
    import numpy as np

    model = model or shipped_model()
    read = " ".join(sentences(text, model))
    if not read:
        return LanguageReading(code=None, confidence=0.0)
    likelihoods = model.log_likelihoods(read)
    totals = likelihoods.sum(axis=0)
    best, second = (int(place) for place in np.argsort(-totals[:-1], kind="stable")[:2])
    margin = float(totals[best] - totals[second])
    fit = float(totals[best] - totals[-1] + 2 * margin) / len(likelihoods)
    needed = MARGIN_NEEDED
    if model.languages[best] == "ewe" and known_and_short(read, model):
        needed = MARGIN_OF_KNOWN
    confidence = min(1 - 0.5 ** (margin / needed), logistic(FIT_SLOPE * fit))
    return LanguageReading(
        code=model.languages[best] if confidence >= 0.5 else None,
        confidence=confidence,
    )


def known_and_short(read: str, model: LanguageModel) -> bool:
    """Two to five words, all of them known in Ewe: short answers are told by their words."""
    words = read.split()
    return 2 <= len(words) <= SHORT and all(word in model.ewe_words for word in words)


def logistic(value: float) -> float:
    """1 / (1 + e^-value), without overflow."""
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))


def spans(text: str, model: LanguageModel | None = None) -> tuple[LanguageSpan, ...]:
    """The text word by word: the likeliest sequence of languages, each change having its price."""
    import numpy as np

    model = model or shipped_model()
    parts = sentences(text, model)
    if not parts:
        return ()
    words = [word for part in parts for word in part.split()]
    letters = model.log_likelihoods(" ".join(parts))
    letters[:, -1] -= UNKNOWN_HANDICAP
    starts = [0, *itertools.accumulate(len(word) + 1 for word in words[:-1])]
    of_word: Matrix = np.add.reduceat(letters, starts, axis=0)
    breaks = {*itertools.accumulate(len(part.split()) for part in parts[:-1])}
    price = [SWITCH_AT_BREAK if at in breaks else SWITCH_INSIDE for at in range(len(words))]
    path = _likeliest_path(of_word.tolist(), price)
    edges = [0, *(at for at in range(1, len(words)) if path[at] != path[at - 1]), len(words)]
    return tuple(
        _span(model.languages, path[first], of_word[first:last], words[first:last])
        for first, last in itertools.pairwise(edges)
    )


def _likeliest_path(of_word: Sequence[list[float]], price: Sequence[float]) -> list[int]:
    """Viterbi. Every change costs the same, so only the best state is worth changing from. In plain
    floats: arrays of so few states take twice as long.
    """
    value, steps = of_word[0], []
    for own, cost in zip(of_word[1:], price[1:], strict=True):
        highest = max(value)
        best, after_change = value.index(highest), highest - cost
        steps.append([best if each < after_change else at for at, each in enumerate(value)])
        value = [
            (after_change if each < after_change else each) + more
            for each, more in zip(value, own, strict=True)
        ]
    path = [value.index(max(value))]
    for came_from in reversed(steps):
        path.append(came_from[path[-1]])
    return path[::-1]


def _span(
    languages: tuple[str, ...], state: int, of_word: Matrix, words: list[str]
) -> LanguageSpan:
    import numpy as np

    known = state < len(languages)
    own, rivals = of_word[:, state], of_word[:, :-1]
    if known:
        rivals = np.delete(rivals, state, axis=1)
    ahead = own - rivals.max(axis=1)
    telling = {word for word, nats in zip(words, ahead, strict=True) if nats > 0}
    return LanguageSpan(
        code=languages[state] if known else None,
        text=" ".join(words),
        words=len(telling),
        letters=sum(len(word) for word in words),
        margin=float(own.sum() - rivals.sum(axis=0).max()),
    )


def contains_ewe(text: str, model: LanguageModel | None = None) -> bool:
    """The whole reads as Ewe, or a sentence or quotation in it, or several words inside a sentence.
    A single Ewe word in a French text does not make it contain Ewe, and made-up words are not Ewe.
    """
    model = model or shipped_model()
    parts = sentences(text, model)
    if identify(text, model).code == "ewe":
        return _has_known(mark_names(text, " ".join(parts).split(), model.ewe_words), model)
    if any(
        span.code == "ewe" and span.words >= QUOTE_WORDS and span.margin >= QUOTE_MARGIN
        and _has_known(span.text.split(), model)
        for span in spans(text, model)
    ):  # fmt: skip
        return True
    return any(
        len(set(part.split())) >= QUOTE_WORDS
        and identify(part, model).code == "ewe"
        and _has_known(part.split(), model)
        for part in parts
    )


def _has_known(words: Sequence[str], model: LanguageModel) -> bool:
    """Names are no evidence for or against."""
    told = [word in model.ewe_words for word in words if word != NAME]
    return sum(told) >= KNOWN_NEEDED * len(told)


def mark_names(text: str, words: Sequence[str], known: Mapping[str, int]) -> list[str]:
    """The words of a text with NAME for rare ones that have a capital inside a sentence, unless
    there are too many for names.
    """
    written = " ".join(_CAPITAL.findall(composed(text)))
    names = {
        word for word in " ".join(sentences(written)).split() if known.get(word, 0) <= RARE_UP_TO
    }
    marked = [NAME if word in names else word for word in words]
    return marked if marked.count(NAME) <= MOST_NAMES * len(words) else list(words)


PARAMETERS = Path(__file__).parents[2] / "builtin" / "language" / "parameters.bin"
CHARACTERS_READ = 20_000  # of a text; keeps the time bounded, and no answer needs more

FENCED_READ = 50  # pieces that are fenced or in backquotes; the rest is taken for code

ORDER = 4
OTHER, SPACE = 0, 1  # symbol numbers; the alphabet starts at 2
OTHER_COST, OTHER_BONUS = 10.0, 6.0  # a letter of no known language: dear for each, less if unknown
STEPS_PER_NAT = 12
COMMON_FROM, COUNTED_TO = 10, 20  # times; from there a word is common; no further is it counted

# Typed too: U+1F78 59 times in the stories counted, U+03AF 37 times in the news.
_FOLD = str.maketrans(CONFUSABLES | {"\u1f78": "ò", "\u03af": "í", "\u0220": "Ŋ"})
_FENCED = re.compile(
    r"(?P<fence>```|~~~)(?:[\w+#-]*\n)?(?P<block>.*?)(?:(?P=fence)|\Z)|`(?P<line>[^`\n]{1,300})`",
    re.DOTALL,
)
_NOT_PROSE = re.compile(
    r"</?[A-Za-z!][^<>]{0,200}>"  # markup
    r"|\b(?:https?|ftp|file)://\S+|\bwww\.\S+|[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,}",
    re.DOTALL,
)
_MARKS_OF_NO_PROSE = re.compile(r"[<@]|://|www\.")  # each of those has one
_BREAKS = frozenset('.!?…;:\n\r\u2028\u2029"“”„«»()[]{}|•*=—–→')
_CAPITAL = re.compile(r"(?<=[^\W\d_] )[^\W\d_a-zɖɛƒɣŋɔʋ]\w+")
_SINGLE_QUOTES = re.compile(r"(?<!\w)['‘’]|['‘’](?!\w)")  # not the apostrophe of l'eau
# No letter has five marks, and putting thousands of them in order takes quadratic time.
_MANY_MARKS = re.compile(r"([^\w\s\x00-\x7f]{4})[^\w\s\x00-\x7f]+")


class _Letters(dict[int, str]):
    """For str.translate: letters and combining marks stay, sentence ends become a line feed, all
    else (digits, punctuation, symbols, controls, surrogates) a space. Learns as it goes.
    """

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        if unicodedata.category(character)[0] in "LM":
            kept = character
        else:
            kept = "\n" if character in _BREAKS else " "
        self[code_point] = kept
        return kept


_LETTERS = _Letters()


def composed(text: str) -> str:
    """As much of a text as is read, in NFC."""
    text = text[:CHARACTERS_READ]
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MANY_MARKS.sub(r"\1", text))


def sentences(text: str, model: LanguageModel | None = None) -> list[str]:
    """The sentences of a text as the model reads them: NFC, confusables and case folded, without
    code, markup, addresses, digits and punctuation; single spaces; no combining mark dropped.
    What is fenced or in backquotes counts where it reads as Ewe, and is code otherwise.
    """
    prose = composed(text)
    if "`" in prose or "~~~" in prose:

        def read(fenced: re.Match[str]) -> str:
            inside = (fenced["block"] or fenced["line"] or "").replace("`", " ").replace("~", " ")
            return f"\n{inside}\n" if identify(inside, model).code == "ewe" else "\n"

        prose = _FENCED.sub("\n", _FENCED.sub(read, prose, count=FENCED_READ))
    if _MARKS_OF_NO_PROSE.search(prose):
        prose = _NOT_PROSE.sub("\n", prose)
    prose = _SINGLE_QUOTES.sub("\n", prose)
    folded = unicodedata.normalize("NFC", prose.translate(_FOLD).casefold().translate(_FOLD))
    lines = (" ".join(line.split()) for line in folded.translate(_LETTERS).split("\n"))
    return [line for line in lines if line]


@dataclass(frozen=True)
class LanguageModel:
    """Log-likelihoods of letters after letters, per language.

    `keys[n]` are the known runs of n + 1 symbols, eight bits each, ascending; `steps[n]` their
    negative log-likelihoods, a row a run and a column a language. `contexts[n]` and `back_off[n]`
    are what it costs to shorten a context of n + 1 symbols. `unseen`: a letter new to a language.
    `ewe_words`: the Ewe words counted, and how often each was seen, at most COUNTED_TO times.
    """

    languages: tuple[str, ...]
    alphabet: str
    keys: tuple[Keys, ...]
    steps: tuple[NDArray[np.uint8], ...]
    contexts: tuple[Keys, ...]
    back_off: tuple[NDArray[np.uint8], ...]
    unseen: NDArray[np.uint8]
    ewe_words: Mapping[str, int]

    @cached_property
    def _number_of(self) -> Keys:
        """By code point, up to the first beyond the alphabet, which stands for all after it."""
        import numpy as np

        table = np.full(max(map(ord, f" {self.alphabet}")) + 2, OTHER, dtype=np.uint32)
        table[ord(" ")] = SPACE
        for number, letter in enumerate(self.alphabet, 2):
            table[ord(letter)] = number
        return table

    def encode(self, text: str) -> Keys:
        """Symbol numbers of a text of `sentences` form, with three spaces before and one after."""
        import numpy as np

        number_of = self._number_of
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        symbols = np.full(ORDER + len(points), SPACE, dtype=np.uint32)
        symbols[ORDER - 1 : -1] = number_of[np.minimum(points, len(number_of) - 1)]
        return symbols

    def log_likelihoods(self, text: str) -> Matrix:
        """One row for each character of the text and one for the space after it, in nats; a column
        for each language, and a last one for an unknown language.
        """
        import numpy as np

        symbols = self.encode(text)
        known = self._of_languages(symbols)
        foreign = symbols[ORDER - 1 :] == OTHER
        known[foreign] = -OTHER_COST
        best = known.max(axis=1)
        mixture = best + np.log(np.exp(known - best[:, None]).mean(axis=1))
        return np.column_stack([known, mixture + OTHER_BONUS * foreign])

    def _of_languages(self, symbols: Keys) -> Matrix:
        import numpy as np

        rows = len(symbols) - (ORDER - 1)
        total = np.zeros((rows, len(self.languages)), dtype=np.int32)
        open_rows, key = np.arange(rows), run_keys(symbols, ORDER)
        for order in range(ORDER, 0, -1):
            key &= np.uint32((1 << 8 * order) - 1)
            place, known = find_keys(self.keys[order - 1], key)
            total[open_rows[known]] += self.steps[order - 1][place[known]]
            open_rows, key = open_rows[~known], key[~known]
            if not len(open_rows):
                break
            if order > 1:
                place, known = find_keys(self.contexts[order - 2], key >> np.uint32(8))
                total[open_rows[known]] += self.back_off[order - 2][place[known]]
        total[open_rows] += self.unseen
        return total / -STEPS_PER_NAT


def run_keys(symbols: Keys, length: int) -> Keys:
    """For each symbol after the first three, the run of this length that ends in it."""
    import numpy as np

    rows = len(symbols) - (ORDER - 1)
    key = np.zeros(rows, dtype=np.uint32)
    for start in range(ORDER - length, ORDER):
        key = (key << np.uint32(8)) | symbols[start : start + rows]
    return key


def find_keys(table: Keys, wanted: Keys) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each key is in an ascending table, and whether it is there at all."""
    place = table.searchsorted(wanted)
    place[place == len(table)] = 0
    return place, table[place] == wanted


@lru_cache(maxsize=1)
def shipped_model() -> LanguageModel:
    return unpack(PARAMETERS.read_bytes())


def unpack(packed: bytes) -> LanguageModel:
    """What `pack` in scripts/make_language_model.py wrote: a length, a JSON header, the arrays."""
    import numpy as np

    raw = zlib.decompress(packed)
    size = int.from_bytes(raw[:4], "little")
    header = json.loads(raw[4 : 4 + size])
    arrays: dict[str, tuple[NDArray[Any], ...]] = {}
    at = 4 + size
    for name, dtype, shape in header["arrays"]:
        array = np.frombuffer(raw, dtype=dtype, count=int(np.prod(shape)), offset=at)
        at += array.nbytes
        table: NDArray[Any] = array.reshape(shape)
        # Keys are stored as differences and tables language by language: both pack better so.
        if name in ("keys", "contexts"):
            table = np.cumsum(table, dtype=np.uint32)
        elif name in ("steps", "back_off"):
            table = np.ascontiguousarray(table.T)
        arrays[name] = (*arrays.get(name, ()), table)
    (unseen,) = arrays.pop("unseen")
    return LanguageModel(
        languages=tuple(header["languages"]),
        alphabet=header["alphabet"],
        unseen=unseen,
        ewe_words={
            word: count for count, words in enumerate(header["ewe_words"], 1) for word in words
        },
        **arrays,
    )
