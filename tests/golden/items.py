"""What lm-eval and the engine are both asked: one list of questions, texts and prompts.

In: nothing. Out: strings. Each kind of question is one that scorers get wrong. The expected values
lie in values.json, in this order; after a change here `tests_around/make_golden.py` must run.
"""

from __future__ import annotations

from dataclasses import dataclass

CORPUS = """\
A small server stands in a corner of the workshop. It keeps the calendar, the invoices and the
drawings, and it makes a copy of all of them every night. When the disk is nearly full, a message
goes to Ama, who looks at the list of the largest folders and moves old drawings to a second disk.
The weather station on the roof writes one line every minute: time, temperature, pressure, wind.
The whole year fits into one file of forty megabytes. The whether-or-not questions are answered by
a short script, and the other questions by a person. Kofi wrote the script in one afternoon.
Question: Which command shows the free space of every mounted disk?
Answer: df
Question: Which command lists the files of a folder?
Answer: ls
Question: Which command shows the network addresses of this machine?
Answer: ip
Question: Which file names the disks that are mounted at start?
Answer: /etc/fstab
The café opens at eight. Ŋutsuwo kple nyɔnuwo le afisia. Grüße aus dem Süden, où tout va bien.
The temperature falls by night and rises by day; the pressure falls before the rain. A copy that was
never read back is not a copy. A message that nobody reads is not a message. The second disk is
slower than the first disk, and the third disk is a tape. The largest folder holds the drawings.
To start the copy by hand, type: make copy. To look at the last message, type: tail -n 1 messages.
"""


@dataclass(frozen=True, slots=True)
class Item:
    """A context, what may follow it after the delimiter, and which of these is taken as right."""

    kind: str
    context: str
    choices: tuple[str, ...]
    right: int = 0
    delimiter: str = " "

    @property
    def continuations(self) -> tuple[str, ...]:
        """What is scored."""
        return tuple(self.delimiter + choice for choice in self.choices)


_SHOTS = (
    "The following are questions about a small server, with answers.\n\n"
    "Question: Which command lists the files of a folder?\nAnswer: ls\n\n"
    "Question: Which command shows the free space of every mounted disk?\nAnswer: df\n\n"
)
_COMMANDS = ("ls", "df", "ip", "tail")
_LONG = (
    "Ama moves old drawings to a second disk, and the second disk is slower than the first. " * 6
)

ITEMS = (
    # a token of the whole crosses the join of context and continuation
    Item("merged boundary", "The wea", ("ther station on the roof", "lth of the year"), 0, ""),
    Item(
        "merged boundary", "Kofi wrote the scr", ("ipt in one afternoon", "eens of the café"), 1, ""
    ),
    Item("merged boundary", "The whole ye", ("ar fits into one file", "llow folder"), 0, ""),
    Item(
        "trailing spaces",
        "The largest folder holds the ",
        ("drawings.", "invoices.", "tape."),
        0,
        "",
    ),
    Item("trailing spaces", "The second disk is  \n ", ("slower", "a tape"), 1, ""),
    Item("trailing spaces", "Answer: \t", ("/etc/fstab", "df"), 0),
    Item("empty context", "", ("The café opens at eight.", "A copy"), 1, ""),
    Item("empty context", "", ("message", "disk", "Question: Which"), 2),
    Item("long context", _LONG + "The third disk is a", ("tape.", "copy of the second.", "x"), 0),
    Item("long context", "Question: Why?\n" + _LONG + "Answer:", ("A", "B", "C", "D"), 3),
    Item("long context", _LONG, (_LONG[:120], "The end."), 0, ""),
    Item("one token", "Question: Which of these?\nAnswer:", ("A", "B", "C", "D"), 2),
    Item("one token", "The pressure falls before the", ("disk", "the", "a", "night"), 1),
    Item(
        "many tokens",
        "To look at the last message,",
        (
            "type: tail -n 1 messages, and read the line that the station wrote last.",
            "type: make copy.",
            "ask Ama, who looks at the list of the largest folders every night and writes to Kofi.",
        ),
        1,
    ),
    Item(
        "one and many tokens", "A copy that was never read back is", ("a", "not a copy", "the"), 1
    ),
    Item("duplicate choices", "It makes a", ("copy", "message", "copy", "file", "message"), 0),
    Item("duplicate choices", "The wind", ("falls by night", "falls by night"), 1),
    Item("duplicate questions", "It makes a", ("copy", "message"), 1),
    Item("non-ASCII", "Ŋutsuwo kple nyɔnuwo", ("le afisia.", "où tout va bien", "Ωμέγα ✓ 漢字"), 0),
    Item("non-ASCII", "Grüße aus dem", ("Süden 🌍", "Süden", "café"), 1),
    Item("one context begins another", "The temperature falls", ("by night", "by day"), 0),
    Item(
        "one context begins another", "The temperature falls by", ("night", "day and by night"), 0
    ),
    Item(
        "one choice begins another",
        "The station writes one",
        ("line", "line every", "line every minute"),
        2,
    ),
    *(
        Item("few-shot", f"{_SHOTS}Question: {question}\nAnswer:", _COMMANDS, right)
        for question, right in (
            ("Which command names what lies in this folder?", 0),
            ("How full is the disk?", 1),
            ("Which address has this machine?", 2),
            ("What was the last message?", 3),
            ("How full is the second disk?", 1),
        )
    ),
    Item(
        "few-shot",
        _SHOTS + "Question: How is a copy started by hand?\nAnswer:",
        ("type make copy", "ask Ama"),
    ),
)

TEXTS = (
    "A copy.",
    "The café opens at eight. Ŋutsuwo kple nyɔnuwo le afisia.",
    CORPUS.split("Question:")[0],  # several windows
    CORPUS,
    " \n ",
)

PROMPTS = (
    "The weather station",
    "Question: Which command lists the files of a folder?\nAnswer:",
    "Grüße aus",
    _LONG,
    "A",
    "The largest folder holds the drawings. " * 2,
)
NEW_TOKENS = 24
