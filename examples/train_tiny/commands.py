"""Composed wordings about commands: what is to be done, and the command that does it.

In: commands.txt, a random source. Out: pairs of question and bare command. Names of files, users,
hosts and so on are drawn from thousands of combinations, so that a model learns to copy them
instead of remembering them.
"""

from __future__ import annotations

import random
import re
from itertools import accumulate
from pathlib import Path

from slots import SPOKEN, Values
from wording import asked, capitalised, drawn, sections, third_person

TASKS = Path(__file__).with_name("commands.txt")
FRAMES = sections("frames.txt")["command"]
STATEMENTS = (
    "The command {c} {s}.", "{c} {s}.", "With {c} you can {p}.", "Use {c} to {p}.", "{P} with {c}.",
    "You type {c} to {p}.",
)  # fmt: skip
_SLOT = re.compile(r"\{(=?)(\w+)\}")


class Commands:
    """Draws a task and asks for its command."""

    def __init__(self, path: Path = TASKS) -> None:
        self.tasks: list[tuple[str, list[str]]] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                self.tasks[-1][1].append(line.strip())
            elif line and not line.startswith("#"):
                self.tasks.append((line, []))
        self.weigh()

    def weigh(self) -> None:
        """A task with more wordings is a usual one: it comes oftener, but not in proportion."""
        self._weights = list(accumulate(len(phrases) ** 0.5 for _, phrases in self.tasks))

    def pair(self, draw: random.Random) -> tuple[str, str]:
        """What is asked, and the bare command."""
        phrase, command = self._task(draw)
        return capitalised(asked(drawn(draw.choice(FRAMES), draw), phrase)), command

    def statement(self, draw: random.Random) -> str:
        """What a command does, said in a sentence."""
        phrase, command = self._task(draw)
        return draw.choice(STATEMENTS).format(
            c=command, s=third_person(phrase), p=phrase, P=capitalised(phrase)
        )

    def _task(self, draw: random.Random) -> tuple[str, str]:
        command, phrases = draw.choices(self.tasks, cum_weights=self._weights)[0]
        return _filled(drawn(draw.choice(phrases), draw), command, draw)


def _filled(phrase: str, command: str, draw: random.Random) -> tuple[str, str]:
    """`{=file}` is the bare name, `{file}` is spoken of: the file notes.txt."""
    values = Values(draw)

    def said(match: re.Match[str]) -> str:
        value = values.of(match[2])
        forms = [] if match[1] else SPOKEN.get(match[2], [])
        return draw.choice(forms).format(value) if forms else value

    phrase = _SLOT.sub(said, phrase)
    return phrase, _SLOT.sub(lambda match: values.of(match[2]), command)
