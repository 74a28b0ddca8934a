"""Commands, asked for by what they do: "List all PCI devices:" is answered by `lspci`.

In: commands.tsv, one accepted command a row (a row without a task goes on with the task above it);
`manual` and `where` say which manual page of Debian 12 shows it, or which file of a package. Out:
the examples, then the tests.

A row may stand for several spellings: «a¦b» in a command is a or b.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from os_suite.made import Fact, Made
from os_suite.package_managers import MANUALS, PACKAGES

TABLE = Path(__file__).with_name("commands.tsv")
K = 3

# {do}: list all PCI devices; {Do}: List all PCI devices; {does}: lists all PCI devices
WORDINGS = (
    "{Do}:",
    "Command to {do}:",
    "On Linux, how do you {do}?",
    "Shell command that {does}:",
    "To {do}, run",
    "Which command {does}?",
    "Linux command line: {do}",
    "# {Do}\n$",
    "Q: What do I type in a Linux terminal to {do}?\nA:",
    "I want to {do}. The Linux command is",
)
# Two things at once: the first line of an answer is what counts, so one command is asked for.
WORDED_APART = {
    "stop the service cups now and also keep it from starting at boot": (
        "On Linux, which single command {does}?"
    ),
}
AND_ALSO = " and also "
_CHOICE = re.compile("«([^»]*)»")


@dataclass(slots=True)
class _Task:
    """What is to be done, the commands that do it, and where that is written."""

    use: str
    topic: str
    do: str
    accepted: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    @property
    def does(self) -> str:
        return AND_ALSO.join(map(_third_person, self.do.split(AND_ALSO)))


def make() -> list[Made]:
    """Ten examples, then a hundred tests; every wording is used as often as the others."""
    tasks = list(_tasks())
    examples = [task for task in tasks if task.use == "example"]
    tests = [task for task in tasks if task.use == "test"]
    return [
        _made(task, WORDED_APART.get(task.do, WORDINGS[at % len(WORDINGS)]))
        for asked in (examples, tests)
        for at, task in enumerate(asked)
    ]


def _made(task: _Task, wording: str) -> Made:
    capital = task.do[0].upper() + task.do[1:]
    test: dict[str, object] = {
        "prompt": wording.format(do=task.do, Do=capital, does=task.does),
        "eval_method": "top_k",
        "expected_any": task.accepted,
        "k": K,
        "match": "command",
        "temperature": 0,
        "description": f"{capital}.",
        "tags": [task.topic, task.accepted[0].split()[0]],
    }
    return Made(test, tuple(task.facts))


def _tasks() -> Iterator[_Task]:
    task = None
    for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        use, topic, do, command, manual, where = line.split("\t")
        if use:
            if task:
                yield task
            task = _Task(use, topic, do)
        if task is None:
            raise ValueError(f"{TABLE.name} begins with a command that has no task")
        spelled = _spelled(command)
        task.accepted.extend(each for each in spelled if each not in task.accepted)
        if manual:
            statement = f"`{spelled[0]}` {task.does}"
            source = MANUALS if "(" in manual else PACKAGES
            task.facts.append(Fact(statement, source, f"{manual}: {where}"))
    if task:
        yield task


def _spelled(command: str) -> list[str]:
    """Every spelling that a row stands for."""
    choice = _CHOICE.search(command)
    if choice is None:
        return [command]
    before, after = command[: choice.start()], command[choice.end() :]
    return [
        spelled for one in choice[1].split("¦") for spelled in _spelled(f"{before}{one}{after}")
    ]


def _third_person(do: str) -> str:
    verb, rest = do.split(" ", 1)
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies {rest}"
    ending = "es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s"
    return f"{verb}{ending} {rest}"
