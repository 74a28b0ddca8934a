"""Makers of texts without meaning: noise, broken encodings, salads of words, pieces and tokens.

In: a random source and the number of the text. Out: a prompt and a text no reader can make sense
of, from its start or from 30 to 50 % of its words on.
"""

from __future__ import annotations

import string
from collections import defaultdict
from functools import cache
from random import Random

from material import NONSENSE, TOPICS, Broken, Maker, Topic, first_words, topic, word_count


@cache
def _sentences() -> tuple[str, ...]:
    return tuple(sentence for t in TOPICS for sentence in t.sentences)


@cache
def _vocabulary() -> tuple[str, ...]:
    known = {word.strip(".,:;?") for sentence in _sentences() for word in sentence.split()}
    return tuple(sorted(known | set(NONSENSE["words"])))


@cache
def _next_letters() -> dict[str, str]:
    """Which letters follow which two letters in the material, as often as they do."""
    follow: dict[str, str] = defaultdict(str)
    text = " ".join(_sentences()).lower()
    for place in range(len(text) - 2):
        follow[text[place : place + 2]] += text[place + 2]
    return dict(follow)


def _salad(rng: Random, words: int) -> str:
    mixed = " ".join(rng.sample(_sentences(), 12)).split()
    rng.shuffle(mixed)
    return " ".join(mixed[:words])


def _babble(rng: Random, length: int) -> str:
    text = "th"
    while len(text) < length:
        text += rng.choice(_next_letters().get(text[-2:], " "))
    return text


def _letters(rng: Random, words: int) -> str:
    return " ".join(
        "".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 11))) for _ in range(words)
    )


def _symbols(rng: Random, words: int) -> str:
    marks = string.punctuation + "§±¶•¬¤"
    return " ".join("".join(rng.choices(marks, k=rng.randint(1, 7))) for _ in range(words))


def _bytes_as_latin1(rng: Random, length: int, *, low: int) -> str:
    return bytes(rng.randint(low, 255) for _ in range(length)).decode("latin-1")


def _as_cp1252(text: str) -> str:
    """UTF-8 read as Windows-1252; the five bytes that table lacks come out as in browsers."""
    shown = ""
    for byte in text.encode("utf-8"):
        one = bytes([byte])
        shown += one.decode("latin-1" if byte in b"\x81\x8d\x8f\x90\x9d" else "cp1252")
    return shown


def random_letters(rng: Random, index: int) -> Broken:
    text = _letters(rng, rng.randint(25, 80))
    if index % 4 == 3:
        text = "".join(rng.choices("asdfjkl;ghqwert", k=rng.randint(120, 300)))
    return Broken(topic(index).prompt, text)


def latin1_bytes(rng: Random, index: int) -> Broken:
    low = 0 if index % 2 else 161
    return Broken(
        topic(index, shift=4).prompt, _bytes_as_latin1(rng, rng.randint(120, 300), low=low)
    )


def mojibake(rng: Random, index: int) -> Broken:
    language = ["russian", "greek", "french", "russian", "japanese", "french"][index % 6]
    texts = NONSENSE[language]
    text = " ".join(texts[(index // 3 + step) % len(texts)] for step in (0, 1))
    if language == "french":
        # Once misread, French can still be guessed; three times, as after three wrong exports, not.
        text = _as_cp1252(_as_cp1252(text))
    return Broken(topic(index, shift=8).prompt, _as_cp1252(text))


def replacement_characters(rng: Random, index: int) -> Broken:
    words = _salad(rng, rng.randint(25, 45))
    text = "".join("\ufffd" if rng.random() < 0.55 and c != " " else c for c in words)
    return Broken(topic(index, shift=12).prompt, text)


def shuffled_words(rng: Random, index: int) -> Broken:
    t = topic(index, shift=16)
    if index % 3:
        return Broken(t.prompt, _salad(rng, rng.randint(40, 90)))
    own = " ".join([*t.sentences, *topic(index, shift=17).sentences]).split()
    rng.shuffle(own)
    return Broken(t.prompt, " ".join(own))


def random_words(rng: Random, index: int) -> Broken:
    words = NONSENSE["words"] if index % 2 else _vocabulary()
    text = " ".join(rng.choices(words, k=rng.randint(30, 90)))
    return Broken(topic(index, shift=1).prompt, text)


def letter_babble(rng: Random, index: int) -> Broken:
    """Pseudo-English: each letter follows the two before it as in English."""
    return Broken(topic(index, shift=20).prompt, _babble(rng, rng.randint(200, 600)))


def subword_salad(rng: Random, index: int) -> Broken:
    """Pieces of words as a tokenizer cuts them, in no order."""
    pieces: list[str] = []
    for word in _salad(rng, 60).split():
        while word:
            size = rng.randint(1, 4)
            pieces.append(word[:size])
            word = word[size:]
    pieces += [str(rng.randint(0, 99)) for _ in range(8)]
    rng.shuffle(pieces)
    text = "".join(piece + rng.choice([" ", " ", ""]) for piece in pieces[: rng.randint(60, 120)])
    return Broken(topic(index, shift=24).prompt, text.strip())


def symbols(rng: Random, index: int) -> Broken:
    return Broken(topic(index, shift=28).prompt, _symbols(rng, rng.randint(30, 80)))


def mixed_scripts(rng: Random, index: int) -> Broken:
    foreign = "".join(NONSENSE["scripts"].values())
    words = _salad(rng, rng.randint(30, 60))
    text = "".join(rng.choice(foreign) if c.isalpha() and rng.random() < 0.5 else c for c in words)
    return Broken(topic(index, shift=32).prompt, text)


def code_tokens(rng: Random, index: int) -> Broken:
    tokens = rng.choices(NONSENSE["code_tokens"], k=rng.randint(50, 120))
    text = "".join(token + rng.choice([" ", " ", "", "\n"]) for token in tokens)
    return Broken(topic(index, shift=36).prompt, text.strip())


def digits(rng: Random, index: int) -> Broken:
    groups = [
        "".join(rng.choices(string.digits, k=rng.randint(1, 12)))
        for _ in range(rng.randint(25, 60))
    ]
    return Broken(topic(index, shift=40).prompt, rng.choice([" ", " ", ", ", ""]).join(groups))


def _scrambled(word: str, rng: Random) -> str:
    letters = list(word)
    for _ in range(20):
        rng.shuffle(letters)
        if letters[0] != word[0]:
            break
    return "".join(letters)


def letters_in_disorder(rng: Random, index: int) -> Broken:
    """All letters of each longer word mixed, the first and last too, so it cannot be guessed."""
    t = topic(index, shift=6)
    words = " ".join([*t.sentences, *topic(index, shift=35).intro]).split()
    text = " ".join(_scrambled(word.lower(), rng) if len(word) > 3 else word for word in words)
    return Broken(t.prompt, text)


def _healthy_start(t: Topic, rng: Random) -> tuple[str, int]:
    """A sane beginning, and how many words of nonsense make it 30 to 50 % of the whole."""
    start = first_words(" ".join([*t.intro, t.core, *t.others]), rng.randint(22, 40))
    share = rng.uniform(0.3, 0.5)
    return start, round(word_count(start) * (1 - share) / share)


def late_salad(rng: Random, index: int) -> Broken:
    t = topic(index, shift=9)
    start, words = _healthy_start(t, rng)
    return Broken(t.prompt, f"{start} {_salad(rng, words)}")


def late_noise(rng: Random, index: int) -> Broken:
    t = topic(index, shift=14)
    start, words = _healthy_start(t, rng)
    noise = [
        _letters(rng, words),
        _symbols(rng, words),
        _babble(rng, words * 6),
    ][index % 3]
    return Broken(t.prompt, f"{start} {noise}")


def fragments(rng: Random, index: int) -> Broken:
    """Two to four words from inside one sentence, then from another."""
    said: list[str] = []
    for sentence in rng.sample(_sentences(), rng.randint(14, 26)):
        words = sentence.split()
        size = min(rng.randint(2, 4), len(words) - 1)
        place = rng.randint(1, len(words) - size)
        said += words[place : place + size]
    return Broken(topic(index, shift=19).prompt, " ".join(said))


def invented_words(rng: Random, index: int) -> Broken:
    said: list[str] = []
    for _ in range(rng.randint(30, 70)):
        if rng.random() < 0.3:
            said.append(rng.choice(NONSENSE["small_words"]))
        else:
            said.append("".join(rng.sample(NONSENSE["syllables"], rng.randint(2, 3))))
    return Broken(topic(index, shift=23).prompt, " ".join(said) + ".")


def base64_soup(rng: Random, index: int) -> Broken:
    marks = string.ascii_letters + string.digits + "+/"
    lines = ["".join(rng.choices(marks, k=rng.randint(40, 76))) for _ in range(rng.randint(4, 8))]
    return Broken(topic(index, shift=27).prompt, ("\n" if index % 2 else " ").join(lines))


MAKERS: list[tuple[str, Maker, int]] = [
    ("random_letters", random_letters, 12),
    ("latin1_bytes", latin1_bytes, 10),
    ("mojibake", mojibake, 12),
    ("replacement_characters", replacement_characters, 8),
    ("shuffled_words", shuffled_words, 18),
    ("random_words", random_words, 14),
    ("letter_babble", letter_babble, 14),
    ("subword_salad", subword_salad, 14),
    ("symbols", symbols, 10),
    ("mixed_scripts", mixed_scripts, 10),
    ("code_tokens", code_tokens, 12),
    ("digits", digits, 8),
    ("letters_in_disorder", letters_in_disorder, 12),
    ("late_salad", late_salad, 16),
    ("late_noise", late_noise, 6),
    ("fragments", fragments, 12),
    ("invented_words", invented_words, 8),
    ("base64", base64_soup, 4),
]
