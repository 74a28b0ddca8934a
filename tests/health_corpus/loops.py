"""Makers of texts that end in a loop, one for each way in which small language models get caught.

In: a random source and the number of the text. Out: a prompt and a text whose end, or whole, is one
unit said back to back at least four times.
"""

from __future__ import annotations

from random import Random

from material import LOOPS, Broken, Maker, cut_short, topic, word_count


def _again(unit: str, rng: Random, *, words: int = 0, least: int = 4) -> str:
    """The unit back to back until about so many words are full, the last one cut off inside."""
    times = max(least, words // max(1, word_count(unit)))
    kept = rng.randint(1, max(1, len(unit) - 1))
    return unit * times + unit[:kept]


def sentence(rng: Random, index: int) -> Broken:
    t = topic(index)
    opening = " ".join(t.intro[: rng.randint(0, 2)])
    looped = _again(t.core + " ", rng, words=rng.randint(40, 120))
    return Broken(t.prompt, f"{opening} {looped}".strip())


def late_sentence(rng: Random, index: int) -> Broken:
    """Healthy for 40 to 60 % of the words, with a second question, then one sentence to the end."""
    t, second = topic(index, shift=20), topic(index, shift=31)
    first = " ".join([*t.intro, t.core, *t.others])
    healthy = f"{first}\n\n{second.prompt}\n{' '.join([*second.intro, second.others[0]])}"
    share = rng.uniform(0.4, 0.6)
    words = round(word_count(healthy) * (1 - share) / share)
    return Broken(t.prompt, f"{healthy} {_again(second.core + ' ', rng, words=words).strip()}")


def phrase(rng: Random, index: int) -> Broken:
    t = topic(index, shift=7)
    joiner = rng.choice([" ", ", ", " and ", ", and ", " of ", "\n"])
    looped = _again(t.phrase + joiner, rng, words=rng.randint(40, 110), least=7)
    return Broken(t.prompt, f"{t.intro[0]} {t.intro[1].rstrip('.')}, {looped}")


def word(rng: Random, index: int) -> Broken:
    t = topic(index, shift=13)
    token = LOOPS["words"][index % len(LOOPS["words"])]
    joiner = rng.choice([" ", " ", ", ", "-", "\n"])
    opening = rng.choice([t.intro[0], t.core.rstrip("."), f"{t.intro[0]} {t.intro[1]}"])
    return Broken(t.prompt, f"{opening} {joiner.join([token] * rng.randint(25, 90))}")


def line(rng: Random, index: int) -> Broken:
    prompt, opening, unit = LOOPS["lines"][index % len(LOOPS["lines"])]
    return Broken(prompt, opening + _again(unit + "\n", rng, words=rng.randint(40, 80), least=6))


def paragraph(rng: Random, index: int) -> Broken:
    t = topic(index, shift=3)
    unit = f"{t.intro[1]} {t.core} {t.others[index % 3]}\n\n"
    return Broken(t.prompt, f"{t.intro[0]}\n\n{_again(unit, rng)}")


def counter(rng: Random, index: int) -> Broken:
    """The same line with a number that goes up."""
    prompt, frame = LOOPS["counters"][index % len(LOOPS["counters"])]
    start = rng.choice([1, 1, 2, 5, 17])
    lines = [frame.format(n=start + step) for step in range(rng.randint(9, 16))]
    joiner = rng.choice(["\n", "\n", "\n\n", " "])
    return Broken(prompt, cut_short(joiner.join(lines), rng))


def changed_number(rng: Random, index: int) -> Broken:
    """A sentence said again and again, with another number in it each time."""
    prompt, frame = LOOPS["number_sentences"][index % len(LOOPS["number_sentences"])]
    said = [
        frame.format(n=rng.randint(1, 64), y=1991 + step, h=f"{rng.randint(0x1000, 0x1FFF):x}")
        for step in range(rng.randint(7, 11))
    ]
    return Broken(prompt, cut_short("".join(said).strip(), rng))


def list_items(rng: Random, index: int) -> Broken:
    prompt, opening, item = LOOPS["list_items"][index % len(LOOPS["list_items"])]
    return Broken(prompt, cut_short(opening + f"{item}\n" * rng.randint(10, 22), rng))


def code(rng: Random, index: int) -> Broken:
    prompt, opening, unit = LOOPS["code"][index % len(LOOPS["code"])]
    text = opening + _again(unit, rng, words=rng.randint(40, 90), least=6)
    return Broken(prompt, f"```\n{text}" if index % 2 else text)


def device_chain(rng: Random, index: int) -> Broken:
    number, link = LOOPS["devices"][index % len(LOOPS["devices"])]
    unit = f"PCI device {number} {link} "
    return Broken(f"PCI device {number} is", _again(unit, rng, words=rng.randint(50, 100), least=7))


def question_answer(rng: Random, index: int) -> Broken:
    question, answer = LOOPS["questions"][index % len(LOOPS["questions"])]
    asks, replies = rng.choice([("Q: ", "A: "), ("User: ", "Assistant: "), ("", ""), ("### ", "")])
    unit = f"{asks}{question}\n{replies}{answer}\n\n"
    return Broken(question, f"{replies}{answer}\n\n{_again(unit, rng, words=rng.randint(50, 90))}")


def nested(rng: Random, index: int) -> Broken:
    """A A B A A B: a loop inside a loop."""
    t = topic(index, shift=25)
    unit = f"{t.core} {t.core} {t.others[index % 3]} "
    return Broken(t.prompt, f"{t.intro[0]} {_again(unit, rng, least=3)}")


def character(rng: Random, index: int) -> Broken:
    t = topic(index, shift=29)
    unit = LOOPS["characters"][index % len(LOOPS["characters"])]
    length = rng.randint(100, 320)
    opening = rng.choice(["", t.intro[0] + " ", f"{t.intro[0]} {t.intro[1]}\n"])
    return Broken(t.prompt, opening + (unit * length)[:length])


def closing_tags(rng: Random, index: int) -> Broken:
    t = topic(index, shift=33)
    unit = LOOPS["tags"][index % len(LOOPS["tags"])]
    return Broken(t.prompt, f"{t.intro[0]} {t.intro[1]}\n{unit * rng.randint(18, 45)}".rstrip(" "))


def blank_and_token(rng: Random, index: int) -> Broken:
    """White space and one token, again and again."""
    t = topic(index, shift=37)
    unit = LOOPS["blanks"][index % len(LOOPS["blanks"])]
    return Broken(t.prompt, f"{t.intro[0]} {t.core}{unit * rng.randint(20, 50)}")


def log_line(rng: Random, index: int) -> Broken:
    prompt, entry = LOOPS["logs"][index % len(LOOPS["logs"])]
    return Broken(prompt, _again(entry + "\n", rng, words=rng.randint(60, 120), least=9))


def french(rng: Random, index: int) -> Broken:
    prompt, opening, unit = LOOPS["french"][index % len(LOOPS["french"])]
    return Broken(prompt, opening + _again(unit, rng, words=rng.randint(50, 90)))


def two_in_turn(rng: Random, index: int) -> Broken:
    t = topic(index, shift=16)
    unit = f"{t.core} {t.variants[index % 3]} "
    return Broken(t.prompt, f"{t.intro[0]} {_again(unit, rng, least=4)}")


MAKERS: list[tuple[str, Maker, int]] = [
    ("sentence", sentence, 20),
    ("late_sentence", late_sentence, 18),
    ("phrase", phrase, 16),
    ("word", word, 12),
    ("line", line, 12),
    ("paragraph", paragraph, 8),
    ("counter", counter, 16),
    ("changed_number", changed_number, 8),
    ("list", list_items, 10),
    ("code", code, 12),
    ("device_chain", device_chain, 8),
    ("question_answer", question_answer, 10),
    ("nested", nested, 8),
    ("character", character, 12),
    ("closing_tags", closing_tags, 6),
    ("blank_and_token", blank_and_token, 6),
    ("log_line", log_line, 8),
    ("french", french, 4),
    ("two_in_turn", two_in_turn, 6),
]
