"""Texts that end in, or consist of, a unit repeated back to back.

Each function takes a random generator and gives a prompt and a text; KINDS names them with
how many of each are made. Every unit stands at least four times at the end of its text; most
texts stop in mid-unit, as an answer cut by a token limit does.
"""

import random
from collections.abc import Callable

from material import (
    COUNTERS,
    ENGLISH_TOPICS,
    LINED,
    LINES,
    LISTS,
    PHRASES,
    PROMPTS,
    TOPICS,
    cut_to_words,
    opening,
)

Made = tuple[str, str]

RUNS = (". ", "-", "=", "_", "0", "a", "!", "...", "\\n", "* ", "# ", "| ", "~", "?", "/", "e")
MARKUP = (
    "</div>",
    "<br>",
    "<td></td>",
    "[/INST] [INST] ",
    "{{cite web}}",
    "\\end{itemize}\n",
    "</p>\n<p>",
    "&nbsp;",
    "| --- ",
    "```\n",
)
IDENTIFIERS = (
    "8086:10d3",
    "0x00,",
    "00 00 00 01",
    "10.0.0.1,",
    "ff:ff:",
    "1.0.0.",
    "10ec:8139, 10ec:8168,",
    "[8086:10d3] (rev 01)",
    "0000:00:1f.2",
    "127.0.0.1 localhost",
)
GLUED = (
    "network",
    "/usr/lib",
    "drive-",
    "config.",
    "InstallInstaller",
    "_port",
    "ing",
    "/doc",
    "sub-",
    "pci::",
    "ation",
    "\\x00",
)
TURNS = (
    ("User: {p}\nBot: ", "\n"),
    ("Q: {p}\nA: ", "\n\n"),
    ("### Question\n{p}\n### Answer\n", "\n"),
    ("{p} ", " "),
)


def _repeat(rng: random.Random, unit: str, joiner: str, least_words: int, most_words: int) -> str:
    """The unit at least four times, until a length between the two bounds, often cut inside."""
    words = max(1, len(unit.split()))
    target = rng.randint(least_words, most_words)
    times = max(4, -(-target // words))
    text = joiner.join([unit] * times)
    if rng.random() < 0.6:
        text += joiner + cut_to_words(unit, rng.randint(1, words))
        if rng.random() < 0.5:
            text = text[: -rng.randint(1, 2)]
    return text


def word(rng: random.Random) -> Made:
    unit = rng.choice(LISTS["single words"])
    joiner = rng.choice((" ", " ", ", ", "\n"))
    return rng.choice(PROMPTS), _repeat(rng, unit, joiner, 25, 120)


def phrase(rng: random.Random) -> Made:
    start = rng.choice(("The system is ", "It is ", "", "This is a list of ", "You can see "))
    return rng.choice(PROMPTS), start + _repeat(rng, rng.choice(PHRASES), " ", 30, 110)


def sentence(rng: random.Random) -> Made:
    topic = rng.choice(TOPICS)
    joiner = rng.choice((" ", " ", "\n"))
    return topic.prompt, _repeat(rng, rng.choice(topic.sentences), joiner, 40, 120)


def sentence_after_opening(rng: random.Random) -> Made:
    prompt, start = opening(rng, 10, 80)
    unit = rng.choice(rng.choice(ENGLISH_TOPICS).sentences)
    return prompt, start + " " + _repeat(rng, unit, " ", 35, 70)


def phrase_after_opening(rng: random.Random) -> Made:
    prompt, start = opening(rng, 14, 80)
    start = cut_to_words(start, len(start.split()) - rng.randint(1, 4)).rstrip(".,;:")
    return prompt, start + " " + _repeat(rng, rng.choice(PHRASES), " ", 20, 70)


def short_tail(rng: random.Random) -> Made:
    """A long sane answer that gets stuck only at its end, four or five times."""
    while True:
        prompt, start = opening(rng, 45, 110)
        last = start.rsplit(". ", 1)[-1]
        if 4 <= len(last.split()) <= 16:
            return prompt, start + (" " + last) * rng.randint(3, 4)


def own_last_sentence(rng: random.Random) -> Made:
    """The opening's own last sentence is what gets stuck."""
    while True:
        prompt, start = opening(rng, 12, 60)
        last = start.rsplit(". ", 1)[-1]
        if 4 <= len(last.split()) <= 22:
            return prompt, start + " " + _repeat(rng, last, " ", 40, 100)


def line(rng: random.Random) -> Made:
    unit = rng.choice(LINES)
    return rng.choice(PROMPTS), _repeat(rng, unit, "\n", 25, 90)


def line_after_opening(rng: random.Random) -> Made:
    """Code, steps or settings that begin well; then one or two of their lines come for ever."""
    while True:
        passage = rng.choice(LINED)
        lines = passage["text"].split("\n")
        count = rng.randint(2, min(8, len(lines)))
        unit = "\n".join(lines[count - rng.choice((1, 1, 2)) : count])
        if len(unit.strip()) > 4:
            start = "\n".join(lines[:count])
            return passage["prompt"], start + "\n" + _repeat(rng, unit, "\n", 20, 70)


def several_lines(rng: random.Random) -> Made:
    unit = "\n".join(rng.sample(LINES, rng.randint(2, 4)))
    return rng.choice(PROMPTS), _repeat(rng, unit, "\n", 35, 100)


def paragraph(rng: random.Random) -> Made:
    topic = rng.choice(TOPICS)
    unit = " ".join(rng.sample(topic.sentences, rng.randint(2, 4)))
    return topic.prompt, _repeat(rng, unit, rng.choice((" ", "\n\n", "\n")), 60, 130)


def counted(rng: random.Random) -> Made:
    """The same unit with a number, a year or a letter that moves on."""
    template = rng.choice(COUNTERS)
    joiner = rng.choice(("\n", "\n", " "))
    number, year, port = rng.randint(1, 4), rng.randint(1985, 2001), rng.randint(80, 8080)
    units = [
        template.format(n=number + step, y=year + step, l="abcdefghijklmnop"[step], p=port + step)
        for step in range(16)
    ]
    text = joiner.join(units[: rng.randint(9, 15)])
    if rng.random() < 0.4:
        prompt, start = opening(rng, 10, 40)
        return prompt, start + "\n" + text
    return rng.choice(PROMPTS), text


def run_of_characters(rng: random.Random) -> Made:
    unit = rng.choice(RUNS)
    run = unit * (rng.randint(130, 420) // len(unit))
    if rng.random() < 0.5:
        prompt, start = opening(rng, 8, 30)
        return prompt, start + " " + run
    return rng.choice(PROMPTS), run


def markup(rng: random.Random) -> Made:
    run = rng.choice(MARKUP) * rng.randint(18, 45)
    if rng.random() < 0.5:
        prompt, start = opening(rng, 8, 40)
        return prompt, start + "\n" + run
    return rng.choice(PROMPTS), run


def identifier(rng: random.Random) -> Made:
    unit = rng.choice(IDENTIFIERS)
    start = rng.choice(("an Intel device with the id ", "", "The addresses are ", "Id: "))
    return rng.choice(PROMPTS), start + _repeat(rng, unit, rng.choice((" ", "\n")), 24, 70)


def glued(rng: random.Random) -> Made:
    """A piece repeated without a space between."""
    run = rng.choice(GLUED) * rng.randint(25, 60)
    if rng.random() < 0.6:
        prompt, start = opening(rng, 8, 40)
        return prompt, start + " The " + run
    return rng.choice(PROMPTS), run


def turns(rng: random.Random) -> Made:
    """Question and answer, asked and answered again for ever."""
    topic = rng.choice(TOPICS)
    frame, joiner = rng.choice(TURNS)
    unit = frame.format(p=topic.prompt) + rng.choice(topic.sentences)
    return topic.prompt, _repeat(rng, unit, joiner, 60, 130)


KINDS: dict[str, tuple[Callable[[random.Random], Made], int]] = {
    "word": (word, 12),
    "phrase": (phrase, 14),
    "sentence": (sentence, 16),
    "sentence_after_opening": (sentence_after_opening, 16),
    "phrase_after_opening": (phrase_after_opening, 14),
    "own_last_sentence": (own_last_sentence, 12),
    "short_tail": (short_tail, 10),
    "line": (line, 12),
    "line_after_opening": (line_after_opening, 16),
    "several_lines": (several_lines, 10),
    "paragraph": (paragraph, 12),
    "counted": (counted, 16),
    "run_of_characters": (run_of_characters, 8),
    "markup": (markup, 8),
    "identifier": (identifier, 8),
    "glued": (glued, 6),
    "turns": (turns, 10),
}
