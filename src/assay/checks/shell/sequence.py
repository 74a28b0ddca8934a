"""Which steps are met by which commands: the longest match that keeps the order.

A step is met by any of its alternatives. The commands of one alternative
(`apt update && apt install nginx`) are met in order. Every action of the answer meets one step at
most; a command with two actions (`systemctl enable --now ssh`) can meet two steps.

Of what an answer destroys or takes back again, a command that a step itself asks for does neither:
a test may want a disk formatted, or a service stopped and started.
"""

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from assay.checks.shell.meaning import Action, actions_of, fulfils
from assay.checks.shell.programs import (
    KNOWN_PROGRAMS,
    PACKAGE_PARTS,
    PAIRS,
    REMOVING,
    VALUES,
    VITAL_BELOW,
    VITAL_FILES,
    VITAL_FOLDERS,
)
from assay.checks.shell.reading import without_prompt
from assay.checks.shell.syntax import SHELLS, Command, parse
from assay.messages import tr

LISTED_AT_MOST = 8  # commands named in an explanation; `extracted` has all

Pipeline = tuple[tuple[Action, ...], ...]  # the actions of each command between the pipes


@lru_cache(maxsize=4096)
def pipelines_of(expected: str) -> tuple[Pipeline, ...]:
    """An expected text as shell, one entry per pipeline."""
    commands = parse(without_prompt(expected)).commands
    if not commands:  # a lone `#` or bracket: nothing of an answer can equal it but itself
        return (((Action(" ".join(expected.split())),),),)
    pipelines: list[list[tuple[Action, ...]]] = []
    for command in commands:
        if command.piped and pipelines:
            pipelines[-1].append(actions_of(command))
        else:
            pipelines.append([actions_of(command)])
    return tuple(tuple(pipeline) for pipeline in pipelines)


@lru_cache(maxsize=4096)
def programs_of(expected: str) -> frozenset[str]:
    """The programs an expected text names, to be known when an answer is read."""
    return frozenset(command.program for command in parse(without_prompt(expected)).commands)


def known_programs(expected: Iterable[str]) -> frozenset[str]:
    named = frozenset().union(*map(programs_of, expected))
    return KNOWN_PROGRAMS if named <= KNOWN_PROGRAMS else KNOWN_PROGRAMS | named


def list_briefly(texts: Iterable[str]) -> str:
    listed = [" ".join(text.split())[:200] for text in texts]
    more = len(listed) - LISTED_AT_MOST
    shown = "; ".join(listed[:LISTED_AT_MOST])
    return shown if more <= 0 else tr("{shown}; and {count} more", shown=shown, count=more)


class _Taken(NamedTuple):
    """How far the answer is used up: the last command, and the actions taken of it."""

    command: int
    actions: frozenset[tuple[int, int]]


class _Met(NamedTuple):
    taken: _Taken
    steps: tuple[tuple[int, int], ...]  # step, command


class CommandsFound:
    """The commands of an answer, ready to be looked up by action."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self.commands = tuple(commands)
        self.actions = [actions_of(command) for command in self.commands]
        self._places: dict[Action, list[tuple[int, int]]] = {}

    def places(self, wanted: Action) -> list[tuple[int, int]]:
        """Where an action is done: command and action, in order."""
        if wanted not in self._places:
            self._places[wanted] = [
                (at, which)
                for at, actions in enumerate(self.actions)
                for which, action in enumerate(actions)
                if fulfils(action, wanted)
            ]
        return self._places[wanted]

    def match(self, steps: Sequence[Sequence[str]]) -> dict[int, int]:
        """The longest in-order match: step -> the command that completes it."""
        best: list[_Met | None] = [_Met(_Taken(0, frozenset()), ())] + [None] * len(steps)
        for step, alternatives in enumerate(steps):
            for count in range(step, -1, -1):
                before, rival = best[count], best[count + 1]
                if before is None:
                    continue
                ends = (self._after(pipelines_of(text), before.taken) for text in alternatives)
                taken = min(filter(None, ends), key=lambda end: end.command, default=None)
                if taken is None:
                    continue
                # The earlier a match of this length ends, the more room is left for the rest.
                if rival is None or taken.command < rival.taken.command:
                    best[count + 1] = _Met(taken, (*before.steps, (step, taken.command)))
        longest = next(met for met in reversed(best) if met is not None)
        return dict(longest.steps)

    def _after(self, pipelines: tuple[Pipeline, ...], taken: _Taken) -> _Taken | None:
        now: _Taken | None = taken
        for pipeline in pipelines:
            if now is None:
                return None
            now = self._piped(pipeline, now) if len(pipeline) > 1 else self._one(pipeline[0], now)
        return now

    def _one(self, wanted: tuple[Action, ...], taken: _Taken) -> _Taken | None:
        """All actions of one wanted command; the answer may do them in any order."""
        last, used = taken.command, set(taken.actions)
        for action in wanted:
            places = self.places(action)
            start = bisect_left(places, (taken.command, 0))
            place = next((p for p in places[start:] if p not in used), None)
            if place is None:
                return None
            used.add(place)
            last = max(last, place[0])
        return _Taken(last, frozenset(used))

    def _piped(self, pipeline: Pipeline, taken: _Taken) -> _Taken | None:
        """The wanted commands side by side, joined by pipes."""
        head, *rest = pipeline
        for at, which in self.places(head[0]):
            last = at + len(rest)
            if at < taken.command or (at, which) in taken.actions or last >= len(self.commands):
                continue
            if all(
                self.commands[at + n].piped
                and all(any(fulfils(done, one) for done in self.actions[at + n]) for one in stage)
                for n, stage in enumerate(rest, start=1)
            ):
                return _Taken(last, taken.actions | {(at, which), (last, 0)})
        return None


_UNDONE_BY = {name: by.split(",") for name, by in PAIRS["undone_by"].items()}
_HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\})(?=/|$)")
_ALL_IN_IT = re.compile(r"/(?:\.?\*+|\?\*)?$")  # `/usr/`, `/usr/*`, `/usr/.*`
_EMPTIES = re.compile(r"[\d&]*>\|?(?=[^>])")
_DISK = re.compile(r"(?:of=|>+)?/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|md|dm-)[\w/-]*")
_MAKES_A_DISK_NEW = re.compile(r"mkfs(?:\.\w+)?|mke2fs|wipefs|shred|blkdiscard|mkswap|pvcreate|dd")
_SUBSTITUTED = re.compile(r"\$\(([^()]{1,500})\)|`([^`]{1,500})`")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_COPIES_TO_LAST = frozenset({"cp", "mv", "ln"})
_LONGEST_PATH, _MOST_VARIABLES = 4096, 64  # characters, as Linux has it; in one word
_SIGNAL = re.compile(r"(?:-s|--signal)(?:=|$)(?:SIG)?")
_ENDING_SIGNALS = frozenset({"KILL", "TERM", "INT", "QUIT", "9", "15"})


def harm_in(found: CommandsFound, steps: Sequence[Sequence[str]]) -> str:
    """What is harmful in the commands of an answer, as a sentence; empty where nothing is."""
    asked = {
        place
        for text in chain.from_iterable(steps)
        for pipeline in pipelines_of(text)
        for wanted in chain.from_iterable(pipeline)
        for place in found.places(wanted)
    }
    last = {found.actions[at][which]: at for at, which in sorted(asked)}
    shell = _Shell()
    for at, command in enumerate(found.commands):
        unasked = [
            action for which, action in enumerate(found.actions[at]) if (at, which) not in asked
        ]
        before = found.commands[at - 1] if at and command.piped else None
        if unasked and shell.is_destroyed_by([command, *_run_by(command, before)]):
            return tr("The answer destroys data: {command}.", command=command.source)
        for action in unasked:
            if any(place < at and _undoes(action, step) for step, place in last.items()):
                return tr("The answer undoes a step: {command}.", command=command.source)
        shell.run(command)
    return ""


def _run_by(command: Command, before: Command | None) -> Iterator[Command]:
    """What runs inside `$(…)` and backquotes, by ssh and xargs, and what a shell is given to read.

    `before` is the command whose output it reads.
    """
    for source in _SUBSTITUTED.findall(command.source):
        yield from parse("".join(source)).commands
    said = " ".join(before.words[1:]) if before and before.program in ("echo", "printf") else ""
    program, words = command.program, command.words[1:]
    if program == "xargs":
        yield from parse(" ".join([*_behind_options(program, words), said])).commands
    elif program == "ssh":
        _, *words_there = _behind_options(program, words) or [""]
        yield from parse(" ".join(words_there) or command.heredoc).commands
    elif program in SHELLS and all(word.startswith("-") for word in words):
        strings = [text[3:] for text in command.redirects if text.startswith("<<<")]
        for script in filter(None, [said, command.heredoc, *strings]):
            yield from parse(script).commands


def _behind_options(program: str, words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in VALUES[program] else 1]
    return rest


class _Shell:
    """What the commands before have set: the folder, where it is known, and variables."""

    def __init__(self, folder: str = "", variables: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.variables = dict(variables or {})

    def run(self, command: Command) -> None:
        assigned = _ASSIGNED.fullmatch(command.words[0])
        if assigned:
            self.variables[assigned[1]] = self._expanded(assigned[2])
        elif command.program in ("cd", "pushd", "popd"):
            names = [word for word in command.words[1:] if not re.match("-.", word)]
            default = "~" if command.program == "cd" else "-"
            self.folder = self._path(next(iter(names), default))

    def _expanded(self, word: str) -> str:
        """As written where it would be too long for a path: `A=$A$A`, thirty times, is a GB."""
        if word.count("$") > _MOST_VARIABLES:
            return word
        expanded = _VARIABLE.sub(lambda m: self.variables.get(m[1] or m[2], m[0]), word)
        return expanded if len(expanded) <= _LONGEST_PATH else word

    def _path(self, word: str) -> str:
        """A path from `/` on, without `..` and a last `/*`; empty where the folder is unknown."""
        word = _HOME.sub("/root", self._expanded(word), count=1)
        if not word.startswith("/"):
            if not self.folder or not word or word.startswith(("-", "$", "~")):
                return ""
            word = f"{self.folder}/{word}"
        while word != (shorter := _ALL_IN_IT.sub("", word)):
            word = shorter
        return posixpath.normpath(f"/{word.lstrip('/')}")

    def is_destroyed_by(self, commands: Iterable[Command]) -> bool:
        """Whether one of the commands destroys; what they set stays among them."""
        inner = _Shell(self.folder, self.variables)
        for command in commands:
            if command.calls_itself and command.piped:  # :(){ :|:& };:
                return True
            if any(map(inner._is_ended_by, actions_of(command))):
                return True
            inner.run(command)
        return False

    def _is_ended_by(self, action: Action) -> bool:
        program, operands, options = action
        if any(option.startswith(">") and _DISK.fullmatch(option[:-1]) for option in options):
            return True
        emptied = [_EMPTIES.sub("", text[:-1]) for text in options if _EMPTIES.match(text)]
        if program in ("rm", "unlink", "shred", "truncate") or (
            program == "tee" and "-a" not in options
        ):
            emptied.extend(operands)
        if any(self._path(name) in VITAL_FILES for name in emptied):
            return True
        if _MAKES_A_DISK_NEW.fullmatch(program):
            return any(map(_DISK.fullmatch, operands))
        if program == "find":
            deletes = "-delete" in operands or ("-exec" in operands and "rm" in operands)
            return deletes and self._path(operands[0]) in VITAL_FOLDERS
        recursive = bool(options & {"-r", "-R"})
        if program == "rm":
            vital = VITAL_FOLDERS | VITAL_BELOW
            return recursive and any(self._path(name) in vital for name in operands)
        if program == "mv":
            operands = operands[:-1]
        elif program not in ("chmod", "chown", "chgrp") or not recursive:
            return False
        return any(self._path(name) in VITAL_FOLDERS for name in operands)


def _undoes(action: Action, step: Action) -> bool:
    if action.program != step.program:
        if step.operands[:1] == ("install",) and action.program == PAIRS["packed_by"].get(
            step.program
        ):
            removes = bool(action.options & REMOVING[action.program])
            return removes and _takes_away(action.operands, step.operands[1:])
        if step.operands[:1] == ("start",) and action.program in ("killall", "pkill"):
            processes = {name for unit in step.operands[1:] for name in (unit, f"{unit}d")}
            return _ends(action) and not processes.isdisjoint(action.operands)
        reverses = action.program in _UNDONE_BY.get(step.program, ())
        made = step.operands[-1:] if step.program in _COPIES_TO_LAST else step.operands
        return reverses and any(  # what is removed was made, or what was made lies in it
            one == removed or one.startswith(f"{removed.rstrip('/')}/")
            for one in made
            for removed in action.operands
        )
    if step.program == "modprobe":
        return "-r" in action.options - step.options and action.operands == step.operands
    if step.program == "pacman":
        removes = any(option.startswith("-R") for option in action.options)
        return removes and step.operands[:1] == ("install",) and step.operands[1] in action.operands
    if step.program == "apt" and action.operands[:1] == ("install",) == step.operands[:1]:
        removed = [name[:-1] for name in action.operands[1:] if name.endswith("-")]
        return _takes_away(removed, step.operands[1:])  # `apt install nginx-`
    for at, (did, does) in enumerate(zip(step.operands, action.operands, strict=False)):
        if does in _UNDONE_BY.get(did, ()):
            if does == "kill" and not _ends(action):
                return False
            names = step.operands[at + 1 :]
            return not names or _takes_away(action.operands[at + 1 :], names)
        if did != does:
            break
    return False


def _ends(action: Action) -> bool:
    """Whether the signal ends a process; `killall -HUP nginx` has it read its files again."""
    signals = [_SIGNAL.sub("", option) for option in action.options if _SIGNAL.match(option)]
    return _ENDING_SIGNALS.issuperset(signals)


def _takes_away(removed: Iterable[str], there: Iterable[str]) -> bool:
    """Whether a name is among those there, as a pattern (`nginx*`) or as a part of a package."""
    whole = {name: [name, *(f"{name}-{part}" for part in PACKAGE_PARTS)] for name in there}
    return any(
        name in parts or ("*" in name and fnmatchcase(one, name))
        for name in removed
        for one, parts in whole.items()
    )
