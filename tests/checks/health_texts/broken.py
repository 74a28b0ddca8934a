"""Generators of broken text: each takes a healthy passage and a seeded source of chance.

Every generator belongs to a kind of failure; `broken(kind, count)` goes through them in turn, each
time on another passage.
"""

import random
import re
from collections.abc import Callable
from pathlib import Path

Generator = Callable[[str, random.Random], str]
SUBJECTS = [
    "kernel",
    "driver",
    "network",
    "disk",
    "server",
    "module",
    "package",
    "service",
    "cable",
    "system",
]
VOWELS, CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxz"


def healthy() -> list[tuple[str, str]]:
    """Kind and text of every healthy passage."""
    text = (Path(__file__).with_name("healthy.txt")).read_text("utf-8")
    parts = re.split(r"(?m)^=== (\w+)\n", text)[1:]
    return [(kind, body.strip("\n")) for kind, body in zip(parts[::2], parts[1::2], strict=True)]


def prose() -> list[str]:
    wanted = {"explanation", "steps", "chat", "long", "parallel", "short"}
    return [text for kind, text in healthy() if kind in wanted]


def sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.!?:])\s+", text) if len(s.split()) >= 4] or [text]


def _start(text: str, chance: random.Random, words: int = 40) -> str:
    return " ".join(text.split()[: chance.randrange(6, words)])


# ------------------------------------------------------------------------------------------ loop


def one_word(text, chance):
    word = chance.choice([w for w in text.split() if w.isalpha() and len(w) > 1])
    return _start(text, chance) + f" {word}" * chance.randrange(8, 90)


def phrase(text, chance):
    words = text.split()
    at = chance.randrange(max(1, len(words) - 6))
    unit = " ".join(words[at : at + chance.randrange(2, 6)])
    return _start(text, chance) + f" {unit}" * chance.randrange(5, 30)


def sentence(text, chance):
    unit = chance.choice(sentences(text))
    return _start(text, chance) + " " + " ".join([unit] * chance.randrange(4, 9))


def sentence_cut(text, chance):
    whole = sentence(text, chance)
    return whole[: len(whole) - chance.randrange(2, 18)]


def paragraph(text, chance):
    unit = " ".join(sentences(text)[:3])
    return "\n\n".join([unit] * chance.randrange(3, 5))[: chance.randrange(900, 1800)]


def counter(text, chance):
    unit = " ".join(chance.choice(sentences(text)).split()[:9])
    return "\n".join(f"{n}. {unit}" for n in range(1, chance.randrange(6, 20)))


def step_counter(text, chance):
    unit = " ".join(chance.choice(sentences(text)).split()[:8])
    return " ".join(f"Step {n}: {unit}" for n in range(1, chance.randrange(6, 16)))


def characters(text, chance):
    unit = "".join(chance.choice("abcdefghiklmnoprstuvy") for _ in range(chance.randrange(1, 4)))
    return _start(text, chance) + " " + unit * chance.randrange(20, 120)


def line(text, chance):
    unit = chance.choice(["sudo apt install nginx", "echo done", "modprobe e1000e", "ls -l /dev"])
    return "```bash\n" + f"{unit}\n" * chance.randrange(12, 30)


def alternating(text, chance):
    pair = chance.sample(sentences(text) * 2, 2)
    return " ".join(pair * chance.randrange(3, 6))


def closing_tags(text, chance):
    tag = chance.choice(["</div>", "</li>\n", "</td></tr>", "</s>", "<br/>\n", "[/INST]", "}\n"])
    return _start(text, chance) + "\n" + tag * chance.randrange(20, 60)


def blank_and_sign(text, chance):
    unit = chance.choice(["\n> ", "\n\n*", "\n- ", "\n\n|", "\n  >>", "\n\n•"])
    return _start(text, chance) + unit * chance.randrange(20, 60)


def other_numbers(text, chance):
    """A sentence with another number each time."""
    unit = " ".join(chance.choice(sentences(text)).split()[:9])
    first = chance.randrange(1, 40)
    return " ".join(f"In version {first + n} {unit}." for n in range(chance.randrange(7, 14)))


# ------------------------------------------------------------------------------------ repetition


def scattered(text, chance):
    """One sentence comes back between others."""
    own = sentences(text)
    again = chance.choice(own)
    others = [s for other in chance.sample(prose(), 4) for s in sentences(other)[:2]]
    mixed = []
    for other in others[: chance.randrange(4, 7)]:
        mixed += [again, other]
    return " ".join([*mixed, again])


def varied(text, chance):
    """One sentence with a word exchanged each time."""
    words = chance.choice([s for s in sentences(text) if len(s.split()) >= 6] or [text]).split()
    copies = []
    for _ in range(chance.randrange(6, 12)):
        copy = list(words)
        copy[chance.randrange(len(copy))] = chance.choice(SUBJECTS)
        copies.append(" ".join(copy))
    return " ".join(copies)


def template(text, chance):
    """A phrase with another subject each time, as small models write."""
    openings = [
        "The {} is an important part of the {} and the {} is used for the {}.",
        "You need the {} to use the {} on the {} of your computer.",
        "It is a good idea to check the {} before you start the {}.",
    ]
    opening = chance.choice(openings)
    said = (
        opening.format(*(chance.choice(SUBJECTS) for _ in range(4)))
        for _ in range(chance.randrange(6, 12))
    )
    return " ".join(said)


def copied_paragraph(text, chance):
    """The same paragraph again after others."""
    block = " ".join(sentences(text)[:4])
    other = " ".join(sentences(chance.choice(prose()))[:2])
    return "\n\n".join([block, other, block, other.lower(), block])


def shuffled_sentences(text, chance):
    """A few sentences over and over, in another order each time."""
    few = sentences(text)[:3]
    said = []
    for _ in range(chance.randrange(4, 7)):
        chance.shuffle(few)
        said += few
    return " ".join(said)


def stuck_phrase(text, chance):
    """A phrase in every clause, with different words between."""
    stuck = chance.choice(
        ["the driver of the network card", "in order to make it work", "the name of the device is"]
    )
    words = text.split()
    said = []
    for _ in range(chance.randrange(8, 14)):
        at = chance.randrange(max(1, len(words) - 3))
        said.append(stuck + " " + " ".join(words[at : at + chance.randrange(1, 3)]))
    return " and ".join(said)


def dropped_words(text, chance):
    """Near copies: the same sentences with a word left out here and there."""
    own = " ".join(sentences(text)[:2]).split()
    copies = []
    for _ in range(chance.randrange(4, 7)):
        kept = [word for word in own if chance.random() > 0.12]
        copies.append(" ".join(kept))
    return " ".join(copies)


SMALL_CHANGES = [("The ", "A "), (" the ", " this "), (" is ", " means "), (" and ", " and also "),
                 (" of ", " in "), (" a ", " one "), (" to ", " in order to "),
                 (".", " too.")]  # fmt: skip
LEADS = ["In short, ", "To sum it up, ", "In the end, ", "As I said, ", "So, ", "That means that ",
         "Put differently, ", "Remember: "]  # fmt: skip


def _reworded(sentence: str, chance: random.Random) -> str:
    for old, new in chance.sample(SMALL_CHANGES, 3):
        sentence = sentence.replace(old, new, 1)
    return sentence


def paraphrased(text, chance):
    """One thing said again in nearly the same words, with something else between."""
    core = max(sentences(text), key=len)
    said = [core, *(_reworded(core, chance) for _ in range(chance.randrange(3, 6)))]
    other = chance.choice(sentences(chance.choice(prose())))
    said.insert(chance.randrange(1, 3), other)
    return " ".join([chance.choice(sentences(chance.choice(prose()))), *said])


def concluded(text, chance):
    """Conclusion after conclusion."""
    core = max(sentences(text), key=len)
    ends = [lead + core[0].lower() + core[1:] for lead in chance.sample(LEADS, 4)]
    return " ".join([*sentences(text)[:2], *ends])


def one_word_everywhere(text, chance):
    """A subject in place of everything else."""
    subject = f"{chance.choice(SUBJECTS)} {chance.choice(['manager', 'list', 'table', 'layer'])}"
    frames = ["The {s} is what the {s} does with a {s}.",
              "Without the {s} there is no {s} of the {s}.",
              "If the {s} has a {s}, the {s} calls the {s}.", "A {s} is a {s} because of its {s}.",
              "You can see the {s} in the {s}, since each {s} needs a {s}."]  # fmt: skip
    said = chance.sample(frames, 4)
    return sentences(text)[0] + " " + " ".join(frame.format(s=subject) for frame in said)


def commands_again(text, chance):
    pool = ["sudo systemctl restart nginx", "journalctl -u nginx", "nginx -t", "ls -l /etc/nginx",
            "free -m", "ip addr show", "ping -c 1 10.0.0.1", "cat /etc/fstab",
            "sudo mount -a"]  # fmt: skip
    few = chance.sample(pool, chance.randrange(3, 5))
    return "\n".join(line for _ in range(4) for line in chance.sample(few, len(few)))


def functions_again(text, chance):
    body = chance.choice([
        "    handle = open(path)\n    data = handle.read()\n    handle.close()\n    return data\n",
        "    total = 0\n    for item in items:\n        total = total + item\n    return total\n",
    ])  # fmt: skip
    names = chance.sample(["load", "fetch", "get_all", "count", "collect", "read_it", "scan"], 5)
    return "\n".join(f"def {name}(path, items):\n{body}" for name in names)


def list_again(text, chance):
    pool = ["a web server", "Mail server", "the file server", "DNS resolver", "Proxy cache",
            "print spooler", "NTP daemon"]  # fmt: skip
    few = chance.sample(pool, chance.randrange(4, 6))
    items = [item for _ in range(3) for item in chance.sample(few, len(few))]
    return "\n".join(f"- {item}" for item in items)


def same_reply(text, chance):
    core = max(sentences(text), key=len)
    asked = ["What is it?", "How does that help me?", "Why would I want this?", "Is there more?"]
    return "\n".join(f"Q: {question}\nA: {_reworded(core, chance)}" for question in asked)


# -------------------------------------------------------------------------------------- nonsense


def random_letters(text, chance):
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join(
        "".join(chance.choice(letters) for _ in range(chance.randrange(2, 10)))
        for _ in range(chance.randrange(20, 80))
    )


def random_printable(text, chance):
    return "".join(chr(chance.randrange(33, 127)) if chance.random() > 0.15 else " "
                   for _ in range(chance.randrange(120, 500)))  # fmt: skip


def word_salad(text, chance):
    words = " ".join(chance.sample(prose(), 2)).split()
    chance.shuffle(words)
    return " ".join(words[: chance.randrange(40, 110)])


def lowered_salad(text, chance):
    return re.sub(r"[^\w\s]", "", word_salad(text, chance)).lower()


def content_salad(text, chance):
    """Longer words only, without the small ones that hold a sentence together."""
    words = [w.strip(".,;:") for t in chance.sample(prose(), 6) for w in t.split()]
    long_words = [word.lower() for word in words if word.isalpha() and len(word) > 4]
    return " ".join(chance.choice(long_words) for _ in range(chance.randrange(30, 80)))


def invented_words(text, chance):
    """Words spelled by the letter pairs of a healthy text."""
    corpus = " ".join(prose()).lower()
    corpus = re.sub(r"[^a-z ]+", "", corpus)
    follows: dict[str, list[str]] = {}
    for one, two, three in zip(corpus, corpus[1:], corpus[2:], strict=False):
        follows.setdefault(one + two, []).append(three)
    said = "th"
    while len(said) < chance.randrange(250, 700):
        said += chance.choice(follows.get(said[-2:], [" "]))
    return said


def syllables(text, chance):
    def word() -> str:
        return "".join(
            chance.choice(CONSONANTS) + chance.choice(VOWELS) for _ in range(chance.randrange(1, 5))
        )

    return " ".join(word() for _ in range(chance.randrange(25, 90)))


def token_salad(text, chance):
    """Pieces of words and code glued together as an untrained model would."""
    pieces = re.findall(r"[A-Za-z]{2,4}", " ".join(prose()))
    signs = ["(", ")", "_", ".", "=", "}", "]", "::", "'", '"', "##", "/", "->", "1", "42", "%"]
    said = ""
    for _ in range(chance.randrange(90, 220)):
        said += chance.choice(signs) if chance.random() < 0.2 else chance.choice(pieces)
        if chance.random() < 0.4:
            said += " "
    return said


def replacement_characters(text, chance):
    return "".join("\ufffd" if chance.random() < 0.12 else letter for letter in text)


def mojibake(text, chance):
    french = [t for kind, t in healthy() if kind in {"french", "ewe"}]
    return chance.choice(french).encode().decode("latin-1")


def scripts(text, chance):
    ranges = [(0x430, 0x44F), (0x3B1, 0x3C9), (0x5D0, 0x5EA), (0x4E00, 0x4F00), (0x904, 0x939),
              (0x61, 0x7A), (0xAC00, 0xAC80), (0xE01, 0xE2E)]  # fmt: skip
    said = []
    for _ in range(chance.randrange(25, 80)):
        low, high = chance.choice(ranges)
        said.append(
            "".join(chr(chance.randrange(low, high)) for _ in range(chance.randrange(2, 8)))
        )
    return " ".join(said)


def signs(text, chance):
    flood = "!@#$%^&*()_+{}[]|\\:;<>?/~"
    return (
        _start(text, chance, 12)
        + " "
        + " ".join(
            "".join(chance.choice(flood) for _ in range(chance.randrange(1, 7)))
            for _ in range(chance.randrange(25, 90))
        )
    )


def degenerating(text, chance):
    """Healthy at first, then one of the others."""
    turn = chance.choice([word_salad, random_letters, token_salad, invented_words, scripts, signs])
    return _start(text, chance, 60) + " " + turn(text, chance)


def swapped_letters(text, chance):
    """Every word with its letters in another order."""

    def mix(word: str) -> str:
        letters = list(word)
        chance.shuffle(letters)
        return "".join(letters)

    return " ".join(mix(word) for word in text.split())


def reversed_words(text, chance):
    return " ".join(word[::-1] for word in text.split())


def blob(text, chance):
    """One long string without a space."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return "".join(chance.choice(letters) for _ in range(chance.randrange(200, 700)))


def digits(text, chance):
    return " ".join(str(chance.randrange(10**7)) for _ in range(chance.randrange(30, 120)))


def stacked_marks(text, chance):
    return "".join(
        letter + "".join(chr(chance.randrange(0x300, 0x36F)) for _ in range(chance.randrange(2, 6)))
        for letter in text
    )


def polyglot(text, chance):
    """Words of several languages thrown together."""
    wanted = {"explanation", "french", "ewe", "other"}
    words = [w for kind, t in healthy() if kind in wanted for w in t.split() if w.isalpha()]
    return " ".join(chance.choice(words) for _ in range(chance.randrange(40, 100)))


def glued(text, chance):
    words = " ".join(chance.sample(prose(), 2)).split()
    return "".join(word.strip(".,;:`*") for word in words)


def pictures(text, chance):
    return (
        _start(text, chance, 12)
        + " "
        + " ".join(chr(chance.randrange(0x1F300, 0x1F5FF)) for _ in range(chance.randrange(30, 90)))
    )


def without_vowels(text, chance):
    return re.sub("[aeiou]", "", " ".join(chance.sample(prose(), 2)))


def pieces(text, chance):
    """Two to four words from inside one sentence, then from another."""
    said = []
    for sentence in chance.sample([s for t in prose() for s in sentences(t)], 24):
        words = sentence.split()
        size = min(chance.randrange(2, 5), len(words) - 1)
        at = chance.randrange(1, len(words) - size + 1)
        said += words[at : at + size]
    return " ".join(said)


CODE_TOKENS = """
fn let mut pub match impl if else for while return break def class import from try catch throw null
None true ( ) { } [ ] ; , = == != && || -> => :: += ++ < > <= >= . x i n foo() self this printf echo
fi done esac then 0 1 0xff "s" '%d' // /* */ $@
"""


def heap_of_code(text, chance):
    stock = CODE_TOKENS.split()
    return "".join(
        chance.choice(stock) + chance.choice([" ", " ", "", "\n"])
        for _ in range(chance.randrange(70, 140))
    )


def encoded_lines(text, chance):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    lines = ["".join(chance.choice(letters) for _ in range(64)) for _ in range(6)]
    return chance.choice(["\n", " "]).join(lines)


def digit_blob(text, chance):
    return "".join(chance.choice("0123456789") for _ in range(chance.randrange(150, 500)))


def ragged_numbers(text, chance):
    """Numbers on lines of any length: no table."""
    return "\n".join(
        " ".join(str(chance.randrange(10**6)) for _ in range(chance.randrange(1, 12)))
        for _ in range(chance.randrange(8, 14))
    )


KINDS: dict[str, list[Generator]] = {
    "loop": [one_word, phrase, sentence, sentence_cut, paragraph, counter, step_counter,
             characters, line, alternating, closing_tags, blank_and_sign, other_numbers],
    "repetition": [scattered, varied, template, copied_paragraph, shuffled_sentences, stuck_phrase,
                   dropped_words, paraphrased, concluded, one_word_everywhere, commands_again,
                   functions_again, list_again, same_reply],
    "nonsense": [random_letters, random_printable, word_salad, lowered_salad, content_salad,
                 invented_words, syllables, token_salad, replacement_characters, mojibake, scripts,
                 signs, degenerating, swapped_letters, reversed_words, blob, digits, stacked_marks,
                 polyglot, glued, pictures, without_vowels, pieces, heap_of_code, encoded_lines,
                 digit_blob, ragged_numbers],
}  # fmt: skip


def broken(kind: str, count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Names of generators and what they made, in turn."""
    passages = prose()
    made = []
    for number in range(count):
        generator = KINDS[kind][number % len(KINDS[kind])]
        chance = random.Random(f"{kind} {seed} {number}")
        made.append((generator.__name__, generator(chance.choice(passages), chance)))
    return made
