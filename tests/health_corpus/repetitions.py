"""Makers of texts that say too much again without going round in a strict loop.

In: a random source and the number of the text. Out: a prompt and a text of which at least a third
of the words are redundant.
"""

from __future__ import annotations

import re
from random import Random

from material import REPETITIONS, TOPICS, Broken, Maker, Topic, cut_short, topic, word_count

SHARE_SAID_AGAIN = 0.42


def _lowered(sentence: str) -> str:
    first = sentence.split()[0].strip(",")
    is_name = any(letter.isupper() for letter in first[1:])
    return sentence if is_name else sentence[0].lower() + sentence[1:]


def _spread(again: str, among: list[str]) -> str:
    """The sentence between the others until enough of all words are said again."""
    rest, size = sum(map(word_count, among)), word_count(again)
    times = 3
    while (times - 1) * size < SHARE_SAID_AGAIN * (rest + times * size):
        times += 1
    places = [round(step * len(among) / times) for step in range(times)]
    said: list[str] = []
    for place in range(len(among) + 1):
        said += [again] * places.count(place)
        said += among[place : place + 1]
    return " ".join(said)


def _reworded(text: str, rng: Random, changes: int) -> str:
    """The same text with a few words exchanged, as models do the second time round."""
    pairs = [pair for pair in REPETITIONS["synonyms"].items() if re.search(rf"\b{pair[0]}\b", text)]
    for old, new in rng.sample(pairs, min(changes, len(pairs))):
        text = re.sub(rf"\b{old}\b", new, text, count=1)
    return text


def scattered_sentence(rng: Random, index: int) -> Broken:
    t = topic(index)
    return Broken(t.prompt, f"{t.intro[0]} {_spread(t.core, [t.intro[1], *t.others])}")


def paraphrase(rng: Random, index: int) -> Broken:
    t = topic(index, shift=18)
    said = [*t.sayings, t.sayings[index % 3]]
    rng.shuffle(said)
    said.insert(rng.randint(1, 4), t.others[index % 3])
    return Broken(t.prompt, " ".join([t.intro[0], *said]))


def _paragraph(t: Topic, index: int) -> str:
    return " ".join([*t.intro, t.core, t.others[index % 3], t.others[(index + 1) % 3]])


def paragraph_twice(rng: Random, index: int) -> Broken:
    t = topic(index, shift=5)
    first = _paragraph(t, index)
    second = first.replace(t.core, t.variants[index % 3])
    return Broken(t.prompt, f"{first}\n\n{_reworded(second, rng, 2)}")


def paragraph_thrice(rng: Random, index: int) -> Broken:
    t = topic(index, shift=26)
    first = _paragraph(t, index)
    later = [_reworded(first.replace(t.core, variant), rng, 1) for variant in t.variants[:2]]
    return Broken(t.prompt, cut_short("\n\n".join([first, *later]), rng))


def same_frame(rng: Random, index: int) -> Broken:
    prompt, frame, fillers = REPETITIONS["frames"][index % len(REPETITIONS["frames"])]
    chosen = rng.sample(fillers, rng.randint(6, len(fillers)))
    return Broken(prompt, " ".join(frame.format(x=filler) for filler in chosen))


def alternating(rng: Random, index: int) -> Broken:
    """Two things said in turn, each time in slightly other words."""
    t = topic(index, shift=11)
    side = t.others[index % 3]
    sides = [side, f"Also, {_lowered(side)}", f"{side[:-1]} too.", f"And {_lowered(side)}"]
    turns = [saying for pair in zip(t.sayings, sides, strict=True) for saying in pair]
    return Broken(t.prompt, " ".join(turns))


def prompt_again(rng: Random, index: int) -> Broken:
    long_enough = [t for t in TOPICS if t.prompt.endswith("?") and word_count(t.prompt) >= 5]
    t = long_enough[index % len(long_enough)]
    bare = _lowered(t.prompt)
    asides = [t.intro[0], f"So, {bare}", t.core, f"The question is, {bare}", t.others[index % 3]]
    said = [part for aside in asides for part in (t.prompt, aside)]
    return Broken(t.prompt, " ".join([*said, f"Again: {bare}"]))


def stuffed(rng: Random, index: int) -> Broken:
    t = topic(index, shift=2)
    said = rng.sample(REPETITIONS["stuffed"], 4)
    return Broken(t.prompt, f"{t.intro[0]} " + " ".join(one.format(s=t.subject) for one in said))


def circular(rng: Random, index: int) -> Broken:
    t = topic(index, shift=22)
    said = rng.sample(REPETITIONS["circular"], 5)
    return Broken(t.prompt, " ".join(one.format(s=t.subject) for one in said))


def list_recurs(rng: Random, index: int) -> Broken:
    """A list whose items come back in another order."""
    prompt, items = REPETITIONS["lists"][index % len(REPETITIONS["lists"])]
    rounds = [rng.sample(items, len(items)) for _ in range(3)]
    flat = [item for one in rounds for item in one]
    numbered = index % 2 == 0
    marks = [f"{place}. " if numbered else "- " for place in range(1, len(flat) + 1)]
    return Broken(prompt, "\n".join(a + b for a, b in zip(marks, flat, strict=True)))


def steps_again(rng: Random, index: int) -> Broken:
    prompt, steps = REPETITIONS["steps"][index % len(REPETITIONS["steps"])]
    starts = ["", "Then ", "Now ", "Next, "]
    said = [rng.choice(starts) + _lowered(step) for _ in range(3) for step in steps]
    if index % 2:
        rng.shuffle(said)
    lines = [f"{n}. {one[0].upper()}{one[1:]}" for n, one in enumerate(said, start=1)]
    return Broken(prompt, "\n".join(lines))


def same_answer(rng: Random, index: int) -> Broken:
    """Question after question, and always the same reply."""
    t = topic(index, shift=30)
    questions = rng.sample(REPETITIONS["questions"], 4)
    pairs = zip(questions, t.sayings, strict=True)
    return Broken(
        t.prompt, "\n".join(f"Q: {q.format(s=t.subject)}\nA: {answer}" for q, answer in pairs)
    )


def conclusions(rng: Random, index: int) -> Broken:
    t = topic(index, shift=36)
    starts = rng.sample(REPETITIONS["conclusions"], 4)
    ends = [f"{start} {_lowered(said)}" for start, said in zip(starts, t.sayings, strict=True)]
    return Broken(t.prompt, " ".join([t.intro[0], t.core, t.others[index % 3], *ends]))


def code_again(rng: Random, index: int) -> Broken:
    """Functions with other names and the same body; commands that come back in another order."""
    if index % 2:
        prompt, commands = REPETITIONS["commands"][index // 2]
        return Broken(prompt, "\n".join(c for _ in range(4) for c in rng.sample(commands, 4)))
    prompt, names, frame = REPETITIONS["functions"][index // 2]
    chosen = rng.sample(names, 4)
    # str.format would trip over the braces of C and shell.
    return Broken(prompt, "".join(frame.replace("{x}", name) for name in chosen).rstrip())


def politeness(rng: Random, index: int) -> Broken:
    prompt, opening, sayings = REPETITIONS["politeness"][index % len(REPETITIONS["politeness"])]
    said = [*rng.sample(sayings, len(sayings)), rng.choice(sayings[:2])]
    return Broken(prompt, " ".join([opening, *said]))


def french(rng: Random, index: int) -> Broken:
    prompt, sayings = REPETITIONS["french"][index % len(REPETITIONS["french"])]
    said = [*rng.sample(sayings, len(sayings)), sayings[index % 2]]
    return Broken(prompt, " ".join(said))


MAKERS: list[tuple[str, Maker, int]] = [
    ("scattered_sentence", scattered_sentence, 18),
    ("paraphrase", paraphrase, 20),
    ("paragraph_twice", paragraph_twice, 16),
    ("paragraph_thrice", paragraph_thrice, 10),
    ("same_frame", same_frame, 16),
    ("alternating", alternating, 12),
    ("prompt_again", prompt_again, 14),
    ("stuffed", stuffed, 16),
    ("list_recurs", list_recurs, 16),
    ("steps_again", steps_again, 10),
    ("same_answer", same_answer, 10),
    ("circular", circular, 10),
    ("code_again", code_again, 10),
    ("conclusions", conclusions, 10),
    ("french", french, 6),
    ("politeness", politeness, 6),
]
