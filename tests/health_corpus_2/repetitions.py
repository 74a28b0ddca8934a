"""Texts that say too much again without being a strict loop.

Each function takes a random generator and gives a prompt and a text; KINDS names them with
how many of each are made. By construction at least two fifths of every text has been said
before in the same text, in the same or nearly the same words.
"""

import random
from collections.abc import Callable

from material import (
    ENGLISH_TOPICS,
    FILLERS,
    FRAMES,
    LISTS,
    PROMPTS,
    SYNONYMS,
    TOPICS,
    Topic,
    opening,
)

Made = tuple[str, str]

LINKS = (
    "In other words, ",
    "To summarise, ",
    "As I said, ",
    "In short, ",
    "That is to say, ",
    "In conclusion, ",
    "It is important to note that ",
    "As mentioned above, ",
    "Again, ",
    "Note that ",
)
RESTATEMENTS = (
    "You want to know {q}.",
    "The question is {q}.",
    "Many people ask {q}.",
    "To understand {q}, you first have to understand {q}.",
    "In this text we will explain {q}.",
    "If you know {q}, then you know {q}.",
    "So the answer to the question {q} is about {q}.",
    "It is important to know {q}.",
    "Now we will look at {q}.",
    "The best way to learn {q} is to learn {q}.",
    "This is {q}.",
)
CIRCULAR = (
    "{T} is {t} that is used as {t}.",
    "It is used because it is {t}.",
    "{T} is called {t} because it works as {t}.",
    "When you use {t}, you use {t} as {t}.",
    "This means that {t} is {t}.",
    "Every {n} is the {n} that is used as {n}.",
    "There are many kinds of {n}, and each {n} is {t}.",
    "The use of {t} is to be {t}.",
)
COMMAND_SETS = (
    ("sudo apt update", "sudo apt install apache2", "sudo systemctl start apache2", "sudo reboot"),
    ("lspci", "lspci -nn", "lspci -k | grep -A 2 Ethernet", "modprobe e1000e", "dmesg | tail"),
    ("cd /etc/nginx", "nano nginx.conf", "nginx -t", "systemctl reload nginx"),
    ("git add .", 'git commit -m "update"', "git push origin main", "git pull", "git status"),
    ("mkdir /mnt/usb", "mount /dev/sdb1 /mnt/usb", "ls /mnt/usb", "umount /mnt/usb"),
    ("netstat -tulpn", "lsof -i :8080", "kill -9 1234", "ps aux | grep java"),
)
NOUN_SETS = (
    "speed memory security performance network storage power",
    "driver kernel module device hardware firmware",
    "router switch cable modem antenna server",
    "Debian Ubuntu Fedora Arch Alpine Gentoo",
    "read write open close copy delete",
)
FUNCTIONS = (
    ("def {name}(path):\n    with open(path) as handle:\n        return handle.read()\n", "read"),
    ("def {name}(items):\n    total = 0\n    for x in items:\n        total += x\n"
     "    return total\n", "sum"),
    ("int {name}(int a, int b)\n{{\n    int c = a + b;\n    return c;\n}}\n", "add"),
    ("function {name}(host) {{\n  const s = connect(host);\n  if (!s) return null;\n"
     "  return s.read();\n}}\n", "fetch"),
    ("{name}() {{\n  if [ -f \"$1\" ]; then\n    cp \"$1\" /backup\n  fi\n}}\n", "backup"),
)  # fmt: skip
SUFFIXES = ("_data", "_file", "2", "_new", "_all", "_list", "_value", "_test", "3", "_text")


def _varied(rng: random.Random, text: str, most: int) -> str:
    """The text with up to so many of its words replaced by near synonyms."""
    words = text.split(" ")
    places = [at for at, word in enumerate(words) if word.strip(".,") in SYNONYMS]
    for at in rng.sample(places, min(most, len(places))):
        bare = words[at].strip(".,")
        words[at] = words[at].replace(bare, SYNONYMS[bare])
    return " ".join(words)


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:] if text.split()[0] in LISTS["sentence starts"] else text


def _goes_round(row: list[str], item: str) -> bool:
    """Whether the item would make a cycle that has just been run through twice go on."""
    return any(
        len(row) >= 2 * period
        and row[-period:] == row[-2 * period : -period]
        and item == row[-period]
        for period in range(1, 6)
    )


def _uneven(rng: random.Random, items: list[str], length: int) -> list[str]:
    """A sequence over the items without neighbours alike and without a lasting cycle."""
    row = list(items)
    while len(row) < length:
        options = [item for item in items if item != row[-1] and not _goes_round(row, item)]
        row.append(rng.choice(options))
    return row


def sentences_in_new_order(rng: random.Random) -> Made:
    topic = rng.choice(TOPICS)
    chosen = rng.sample(topic.sentences, rng.randint(3, 4))
    return topic.prompt, " ".join(_uneven(rng, chosen, rng.randint(2 * len(chosen), 14)))


def paragraph_with_changes(rng: random.Random) -> Made:
    """The same paragraph two to three times more, a word or two changed, now and then moved."""
    topic = rng.choice(TOPICS)
    base = rng.sample(topic.sentences, rng.randint(4, 5))
    parts = [" ".join(base)]
    for _ in range(rng.randint(2, 3) if len(base) == 4 else 2):
        again = [_varied(rng, sentence, 1) for sentence in base]
        if rng.random() < 0.5:
            first, second = rng.sample(range(len(again)), 2)
            again[first], again[second] = again[second], again[first]
        parts.append(" ".join(again))
    return topic.prompt, rng.choice((" ", "\n\n")).join(parts)


def whole_answer_twice(rng: random.Random) -> Made:
    """A sane answer, then the same again, lightly reworded, and at times once more in part."""
    prompt, start = opening(rng, 30, 60)
    link = rng.choice(("\n\n", "\n\nAnswer: ", " ", "\n\nIn summary: "))
    again = _varied(rng, start, 2)
    tail = " ".join(start.split()[: rng.randint(12, 25)])
    return prompt, start + link + again + (link + tail if rng.random() < 0.6 else "")


def scattered_statement(rng: random.Random) -> Made:
    """One statement, or two that go together, returns between others."""
    topic = rng.choice(ENGLISH_TOPICS)
    first, second, *others = rng.sample(topic.sentences, len(topic.sentences))
    if rng.random() < 0.5:
        refrain = first + " " + second
        between = [*others, rng.choice(rng.choice(ENGLISH_TOPICS).sentences)]
    else:
        refrain = max(first, second, key=len)
        between = others[: rng.randint(3, 4)]
    parts = [refrain]
    for other in between:
        parts += [other, refrain]
    return topic.prompt, " ".join(parts)


def list_items_recur(rng: random.Random) -> Made:
    topic = rng.choice(TOPICS)
    items = rng.sample(topic.sentences, rng.randint(3, 5))
    mark = rng.choice(("- ", "* ", "• "))
    rows = _uneven(rng, items, rng.randint(len(items) * 2 + 2, 15))
    return topic.prompt, "\n".join(mark + row for row in rows)


def numbered_items_recur(rng: random.Random) -> Made:
    topic = rng.choice(TOPICS)
    items = rng.sample(topic.sentences, rng.randint(3, 5))
    rows = _uneven(rng, items, rng.randint(len(items) * 2 + 2, 15))
    return topic.prompt, "\n".join(f"{number}. {row}" for number, row in enumerate(rows, 1))


def prompt_restated(rng: random.Random) -> Made:
    topic = rng.choice(ENGLISH_TOPICS)
    forms = rng.sample(RESTATEMENTS, rng.randint(7, 9))
    parts = [form.format(q=topic.asks) for form in forms]
    parts.insert(rng.randint(2, 5), rng.choice(topic.sentences))
    return topic.prompt, " ".join(parts)


def prompt_echoed(rng: random.Random) -> Made:
    """The prompt itself comes back between short pieces of answer."""
    topic = rng.choice([topic for topic in ENGLISH_TOPICS if len(topic.prompt.split()) >= 5])
    said = rng.sample(topic.sentences, 3)
    parts = []
    for at in range(rng.randint(5, 6)):
        parts.append(topic.prompt)
        parts.append(said[at % 3] if at < 3 else rng.choice(said))
    return topic.prompt, rng.choice((" ", "\n")).join(parts)


def frame_with_swaps(rng: random.Random) -> Made:
    frame, kind = rng.choice(FRAMES)
    fillers = rng.sample(FILLERS[kind], rng.randint(8, 11))
    joiner = "\n" if frame.startswith("sudo") else rng.choice((" ", " ", "\n"))
    rows = [frame.replace("{}", filler) for filler in fillers]
    return rng.choice(PROMPTS), joiner.join(row[0].upper() + row[1:] for row in rows)


def two_frames(rng: random.Random) -> Made:
    """Two frames told for one thing after another."""
    kind = rng.choice(("hardware", "hardware", "software"))
    frames = rng.sample([frame for frame, of in FRAMES if of == kind and "sudo" not in frame], 2)
    parts = []
    for filler in rng.sample(FILLERS[kind], rng.randint(5, 6)):
        rng.shuffle(frames)
        parts += [frame.replace("{}", filler) for frame in frames]
    return rng.choice(PROMPTS), " ".join(part[0].upper() + part[1:] for part in parts)


def said_with_links(rng: random.Random) -> Made:
    """One or two statements, said again behind phrases that promise something new."""
    topic = rng.choice(ENGLISH_TOPICS)
    said = rng.sample(topic.sentences, 2)
    parts = list(said)
    for at, link in enumerate(rng.sample(LINKS, rng.randint(6, 8))):
        parts.append(link + _lower_first(_varied(rng, said[at % 2], at % 3 and 1)))
    return topic.prompt, " ".join(parts)


def words_recur_in_list(rng: random.Random) -> Made:
    nouns = rng.choice(NOUN_SETS).split()
    rng.shuffle(nouns)
    row = _uneven(rng, nouns, rng.randint(28, 60))
    start = rng.choice(("The most important things are ", "There are ", "These are called ", ""))
    return rng.choice(PROMPTS), start + ", ".join(row)


def commands_again(rng: random.Random) -> Made:
    chosen = rng.choice(COMMAND_SETS)
    commands = rng.sample(chosen, len(chosen))
    rows = _uneven(rng, commands, rng.randint(14, 20))
    mark = rng.choice(("", "$ ", "# "))
    return rng.choice(PROMPTS), "\n".join(mark + row for row in rows)


def code_again(rng: random.Random) -> Made:
    """The same function over and over under other names."""
    body, name = rng.choice(FUNCTIONS)
    names = [name + suffix for suffix in rng.sample(SUFFIXES, rng.randint(4, 6))]
    return rng.choice(PROMPTS), "\n".join(body.format(name=each) for each in names)


def question_asked_again(rng: random.Random) -> Made:
    topic = rng.choice(ENGLISH_TOPICS)
    said = rng.sample(topic.sentences, 2)
    asked = ("Q: {p}", "Question: {p}", "Q: Please tell me {q}.", "Q: Do you know {q}?",
             "Q: I want to know {q}.", "Q: Can you explain {q}?")  # fmt: skip
    parts = []
    for at, form in enumerate(rng.sample(asked, rng.randint(4, 6))):
        answer = " ".join(_varied(rng, sentence, at % 2) for sentence in said)
        parts.append(form.format(p=topic.prompt, q=topic.asks) + "\nA: " + answer)
    return topic.prompt, "\n".join(parts)


def growing_sentence(rng: random.Random) -> Made:
    """Every sentence is the one before plus a few words."""
    topic = rng.choice(ENGLISH_TOPICS)
    first, second = rng.sample(topic.sentences, 2)
    words = (first.rstrip(".") + " and " + _lower_first(second).rstrip(".")).split()
    at = rng.randint(4, 6)
    parts: list[str] = []
    while at < len(words) and len(parts) < 7:
        parts.append(" ".join(words[:at]) + ".")
        at += rng.randint(2, 4)
    parts.append(" ".join(words) + ".")
    return topic.prompt, " ".join(parts)


def circular(rng: random.Random) -> Made:
    topic = rng.choice([topic for topic in ENGLISH_TOPICS if len(topic.subject.split()) <= 3])
    noun = topic.subject.removeprefix("the ")
    subject = topic.subject[0].upper() + topic.subject[1:]
    forms = rng.sample(CIRCULAR, 6) + rng.sample(CIRCULAR, 4)
    return topic.prompt, " ".join(form.format(t=topic.subject, T=subject, n=noun) for form in forms)


def start_then_circles(rng: random.Random) -> Made:
    """A sane beginning; then three statements chase each other."""
    prompt, start = opening(rng, 10, 35)
    topic: Topic = rng.choice(ENGLISH_TOPICS)
    said = [rng.choice(topic.sentences), rng.choice(rng.choice(ENGLISH_TOPICS).sentences)]
    said.append(start.rsplit(". ", 1)[-1])
    rows = _uneven(rng, list(dict.fromkeys(said)), rng.randint(9, 11))
    return prompt, start + " " + " ".join(rows)


KINDS: dict[str, tuple[Callable[[random.Random], Made], int]] = {
    "sentences_in_new_order": (sentences_in_new_order, 16),
    "paragraph_with_changes": (paragraph_with_changes, 16),
    "whole_answer_twice": (whole_answer_twice, 14),
    "scattered_statement": (scattered_statement, 14),
    "list_items_recur": (list_items_recur, 12),
    "numbered_items_recur": (numbered_items_recur, 12),
    "prompt_restated": (prompt_restated, 14),
    "prompt_echoed": (prompt_echoed, 8),
    "frame_with_swaps": (frame_with_swaps, 16),
    "two_frames": (two_frames, 10),
    "said_with_links": (said_with_links, 12),
    "words_recur_in_list": (words_recur_in_list, 6),
    "commands_again": (commands_again, 8),
    "code_again": (code_again, 8),
    "question_asked_again": (question_asked_again, 10),
    "growing_sentence": (growing_sentence, 6),
    "circular": (circular, 6),
    "start_then_circles": (start_then_circles, 12),
}
