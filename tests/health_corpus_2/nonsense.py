"""Texts without meaning.

Each function takes a random generator and gives a prompt and a text; KINDS names them with
how many of each are made. Where a text begins sanely, the salad is the larger part of it.
"""

import random
import re
import string
from collections.abc import Callable
from itertools import pairwise

from material import (
    ENGLISH_TOPICS,
    LISTS,
    PIECES,
    PROMPTS,
    PROSE,
    TOPICS,
    WORDS,
    opening,
    sentences_of,
)

Made = tuple[str, str]

CODAS = ["", "", "b", "ck", "d", "ff", "g", "l", "lm", "m", "n", "nd", "nk", "p", "r", "rt", "x"]
GLITCHES = ("Ġthe", "Ċ", "▁of", "##ing", "<0xE2>", "Ġin", "▁", "Ã", "##s", "<unk>", "ĠĠ", "Âł")
SYMBOLS = "{}[]()<>;:,.!?@#$%^&*-_=+|\\/~`'\""
ATTRIBUTES = ("class=", 'id="', "href=//", "style='", "=0", "src", "&amp;", "colspan", "{{", "}}")
LONG_WORDS = [word for word in WORDS if len(word) >= 6]
SCRIPTS = (
    "абвгдежзиклмнопрстуфхцчшщыэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "的一是不了人在有我他这中大来上国和地到以说时要就出会可也你对生能",
    "اأبتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "กขคงจฉชซญดตถทธนบปผพฟมยรลวสหอ",
    "あいうえおかきくけこさしすせそたちつてとなにぬねの",
    "אבגדהוזחטיכלמנסעפצקרשת",
    "가나다라마바사아자차카타파하",
    string.ascii_lowercase,
)
MOJIBAKE_SOURCES = (
    "Привет, как работает файловая система на этом сервере и что такое раздел подкачки",
    "Το λειτουργικό σύστημα διαχειρίζεται τη μνήμη και τα αρχεία του υπολογιστή",
    "操作系统负责管理内存、文件和设备，驱动程序让内核与硬件通信",
    "ネットワークカードのドライバはカーネルに含まれています",
    "운영 체제는 메모리와 파일을 관리하는 프로그램입니다",
    "نظام التشغيل يدير الذاكرة والملفات والأجهزة في الحاسوب",
    "ระบบปฏิบัติการจัดการหน่วยความจำและไฟล์ของเครื่อง",
)


def _case(rng: random.Random, words: list[str]) -> str:
    """Words set like sentences: capitals and marks at random places."""
    parts = []
    fresh = True
    for word in words:
        parts.append(word[:1].upper() + word[1:] if fresh else word)
        fresh = rng.random() < 0.1
        if fresh:
            parts[-1] += "."
        elif rng.random() < 0.08:
            parts[-1] += ","
    return " ".join(parts) + "."


def _open_syllables(rng: random.Random) -> str:
    """An invented word of consonants and vowels in turn, easy to pronounce."""
    return "".join(
        rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(1, 4))
    )


def _blend(rng: random.Random) -> str:
    """The head of one word and the tail of another."""
    head, tail = rng.choice(LONG_WORDS), rng.choice(LONG_WORDS)
    return head[: rng.randint(3, 4)] + tail[-rng.randint(3, 4) :]


def _pseudo(rng: random.Random) -> str:
    return "".join(
        rng.choice(LISTS["onsets"]) + rng.choice(LISTS["vowels"]) + rng.choice(CODAS)
        for _ in range(rng.randint(1, 3))
    )


def _soup(rng: random.Random, alphabet: str, least: int, most: int) -> str:
    return "".join(rng.choices(alphabet, k=rng.randint(least, most)))


def _prose_words(rng: random.Random, passages: int) -> list[str]:
    text = " ".join(passage["text"] for passage in rng.sample(PROSE, passages))
    return re.findall(r"[a-z][a-z'-]*", text.lower())


def character_soup(rng: random.Random) -> Made:
    letters = string.ascii_lowercase * rng.randint(1, 3) + rng.choice(("", string.digits, ".,;'"))
    words = [_soup(rng, letters, 1, 11) for _ in range(rng.randint(25, 90))]
    return rng.choice(PROMPTS), " ".join(words)


def unbroken_soup(rng: random.Random) -> Made:
    alphabet = string.ascii_letters + rng.choice(("", string.digits, string.digits + "+/", "-_~"))
    return rng.choice(PROMPTS), _soup(rng, alphabet, 160, 480)


def shuffled_words(rng: random.Random) -> Made:
    """All the words of one sane answer in a wild order."""
    passage = rng.choice([each for each in PROSE if len(each["text"].split()) >= 35])
    words = passage["text"].split()
    rng.shuffle(words)
    return passage["prompt"], " ".join(words)


def words_of_many_answers(rng: random.Random) -> Made:
    words = _prose_words(rng, 12)
    return rng.choice(PROMPTS), _case(rng, rng.sample(words, rng.randint(40, 110)))


def random_words(rng: random.Random) -> Made:
    words = rng.choices(WORDS, k=rng.randint(30, 100))
    return rng.choice(PROMPTS), _case(rng, words) if rng.random() < 0.6 else " ".join(words)


def invented_words(rng: random.Random) -> Made:
    invent = rng.choice((_pseudo, _pseudo, _open_syllables))
    words = [invent(rng) for _ in range(rng.randint(25, 80))]
    return rng.choice(PROMPTS), _case(rng, words)


def invented_in_real_frame(rng: random.Random) -> Made:
    """Invented nouns and verbs between real small words."""
    words = [
        rng.choice(LISTS["function words"]) if at % 3 == 0 else _pseudo(rng)
        for at in range(rng.randint(40, 90))
    ]
    return rng.choice(PROMPTS), _case(rng, words)


def blended_words(rng: random.Random) -> Made:
    """Words glued from halves, with a real small word here and there."""
    words = [
        rng.choice(LISTS["function words"]) if rng.random() < 0.2 else _blend(rng)
        for _ in range(rng.randint(30, 85))
    ]
    return rng.choice(PROMPTS), _case(rng, words)


def subword_salad(rng: random.Random) -> Made:
    words = []
    for _ in range(rng.randint(30, 80)):
        chance = rng.random()
        if chance < 0.15:
            words.append(rng.choice(GLITCHES))
        elif chance < 0.3:
            words.append(rng.choice(WORDS)[: rng.randint(2, 5)] + rng.choice(PIECES))
        else:
            words.append("".join(rng.choices(PIECES, k=rng.randint(1, 4))))
    return rng.choice(PROMPTS), " ".join(words)


def mojibake(rng: random.Random) -> Made:
    """Other scripts in UTF-8 read as Latin-1 or Windows-1252, once or twice."""
    first, second = rng.sample(MOJIBAKE_SOURCES, 2)
    text = first + ". " + second
    for _ in range(rng.choice((1, 1, 2))):
        codec = rng.choice(("latin-1", "cp1252"))
        text = text.encode("utf-8").decode(codec, errors="replace")
    shown = re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda _: rng.choice(("", "�")), text)
    start = rng.randint(0, max(0, len(shown) - 420))
    return rng.choice(PROMPTS), shown[start : start + rng.randint(200, 420)]


def lost_bytes(rng: random.Random) -> Made:
    """Replacement marks with bits of text between them."""
    parts = []
    for _ in range(rng.randint(40, 80)):
        parts.append("�" * rng.randint(1, 6))
        parts.append(_soup(rng, string.ascii_letters + "éàñßøÐþ¤¬\u00a0 ", 1, 5))
    return rng.choice(PROMPTS), "".join(parts)


def symbol_flood(rng: random.Random) -> Made:
    alphabet = SYMBOLS + rng.choice(("", " " * 4, "ab01 "))
    return rng.choice(PROMPTS), _soup(rng, alphabet, 130, 380)


def digit_flood(rng: random.Random) -> Made:
    groups = [_soup(rng, string.digits, 1, 9) for _ in range(rng.randint(30, 90))]
    joiners = rng.choice((" ", " .", "  -", " ,:/"))
    text = "".join(group + rng.choice(joiners) for group in groups)
    return rng.choice(PROMPTS), text


def mixed_scripts(rng: random.Random) -> Made:
    words = [
        _soup(rng, rng.choice(SCRIPTS), 2, 7) if rng.random() < 0.8 else rng.choice(WORDS)
        for _ in range(rng.randint(25, 60))
    ]
    return rng.choice(PROMPTS), rng.choice((" ", " ", "")).join(words)


def sentence_fragments(rng: random.Random) -> Made:
    """Pieces of three to five words from anywhere, strung together."""
    pieces: list[str] = []
    for _ in range(rng.randint(12, 25)):
        if rng.random() < 0.5:
            source = rng.choice(rng.choice(ENGLISH_TOPICS).sentences)
        else:
            source = rng.choice(sentences_of(rng.choice(PROSE)["text"]))
        words = source.rstrip(".?!").split()
        size = min(len(words), rng.randint(3, 5))
        start = rng.randint(0, len(words) - size)
        pieces.append(" ".join(words[start : start + size]))
    return rng.choice(PROMPTS), " ".join(pieces)


def chain_of_words(rng: random.Random) -> Made:
    """Each word has been seen behind the one before; nothing else holds the text together."""
    followers: dict[str, list[str]] = {}
    for topic in ENGLISH_TOPICS:
        for sentence in topic.sentences:
            words = sentence.lower().rstrip(".").split()
            for word, after in pairwise(words):
                followers.setdefault(word, []).append(after)
    starts = sorted(followers)
    word = rng.choice(starts)
    chain = []
    for _ in range(rng.randint(50, 110)):
        chain.append(word)
        follows = word in followers and rng.random() < 0.45
        word = rng.choice(followers[word]) if follows else rng.choice(starts)
    return rng.choice(PROMPTS), " ".join(chain) + "."


def scrambled_letters(rng: random.Random) -> Made:
    topic = rng.choice(TOPICS)
    words = []
    for word in " ".join(rng.sample(topic.sentences, 5)).split():
        letters = list(word)
        rng.shuffle(letters)
        words.append("".join(letters))
    return topic.prompt, " ".join(words)


def code_salad(rng: random.Random) -> Made:
    tokens = rng.choices(LISTS["code tokens"], k=rng.randint(50, 130))
    joined = "".join(token + rng.choice("    \n") for token in tokens)
    return rng.choice(PROMPTS), joined.strip()


def markup_salad(rng: random.Random) -> Made:
    parts = []
    for _ in range(rng.randint(30, 60)):
        chance = rng.random()
        if chance < 0.5:
            parts.append(
                rng.choice(("<", "</")) + rng.choice(LISTS["tags"]) + rng.choice((">", ">", ""))
            )
        elif chance < 0.8:
            parts.append(rng.choice(ATTRIBUTES))
        else:
            parts.append(rng.choice((_pseudo(rng), rng.choice(WORDS), rng.choice(PIECES))))
    return rng.choice(PROMPTS), rng.choice(("", " ")).join(parts)


def _turning(salad: Callable[[random.Random], Made]) -> Callable[[random.Random], Made]:
    def made(rng: random.Random) -> Made:
        prompt, start = opening(rng, 8, 25)
        rest = salad(rng)[1]
        return prompt, start + rng.choice((" ", " ", "\n")) + rest

    return made


def turns_to_shuffled_words(rng: random.Random) -> Made:
    """A sane beginning, then the words of four other answers in a wild order."""
    prompt, start = opening(rng, 10, 25)
    words = _prose_words(rng, 4)
    return prompt, start + " " + " ".join(rng.sample(words, min(len(words), rng.randint(45, 90))))


KINDS: dict[str, tuple[Callable[[random.Random], Made], int]] = {
    "character_soup": (character_soup, 8),
    "unbroken_soup": (unbroken_soup, 8),
    "shuffled_words": (shuffled_words, 14),
    "words_of_many_answers": (words_of_many_answers, 12),
    "random_words": (random_words, 12),
    "invented_words": (invented_words, 12),
    "invented_in_real_frame": (invented_in_real_frame, 10),
    "blended_words": (blended_words, 8),
    "subword_salad": (subword_salad, 10),
    "mojibake": (mojibake, 10),
    "lost_bytes": (lost_bytes, 6),
    "symbol_flood": (symbol_flood, 8),
    "digit_flood": (digit_flood, 8),
    "mixed_scripts": (mixed_scripts, 10),
    "sentence_fragments": (sentence_fragments, 12),
    "chain_of_words": (chain_of_words, 8),
    "scrambled_letters": (scrambled_letters, 8),
    "code_salad": (code_salad, 6),
    "markup_salad": (markup_salad, 6),
    "turns_to_random_words": (_turning(random_words), 6),
    "turns_to_shuffled_words": (turns_to_shuffled_words, 4),
    "turns_to_invented_words": (_turning(invented_words), 5),
    "turns_to_subwords": (_turning(subword_salad), 5),
    "turns_to_characters": (_turning(character_soup), 4),
}
