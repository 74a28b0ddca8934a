"""Which steps are met by which commands: the longest match that keeps the order.

A step is met by any of its alternatives. The commands of one alternative
(`apt update && apt install nginx`) are met in order. Every action of the answer meets one step at
most; a command with two actions (`systemctl enable --now ssh`) can meet two steps.

Of what an answer destroys or takes back again, a command that a step itself asks for does neither:
a test may want a disk formatted, or a service stopped and started.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from assay.checks.shell.meaning import Action, actions_of, fulfils
from assay.checks.shell.programs import KNOWN_PROGRAMS, PAIRS
from assay.checks.shell.reading import without_prompt
from assay.checks.shell.syntax import Command, parse
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
_VITAL = re.compile(
    r"(?:/|~|\$HOME|\$\{HOME\}"
    r"|/(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|srv|sys|usr|var))(?:/?\.?\*)?/?"
)
_DISK = re.compile(r"(?:of=|>+)?/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|md|dm-)[\w/-]*")
_MAKES_A_DISK_NEW = re.compile(r"mkfs(?:\.\w+)?|mke2fs|wipefs|shred|blkdiscard|mkswap|pvcreate|dd")
_SUBSTITUTED = re.compile(r"\$\(([^()]{1,500})\)|`([^`]{1,500})`")
_COPIES_TO_LAST = frozenset({"cp", "mv", "ln"})


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
    for at, command in enumerate(found.commands):
        for which, action in enumerate(found.actions[at]):
            if (at, which) in asked:
                continue
            if any(_destroys(*each) for each in [(action, command), *_substituted(command)]):
                return tr("The answer destroys data: {command}.", command=command.source)
            if any(place < at and _undoes(action, step) for step, place in last.items()):
                return tr("The answer undoes a step: {command}.", command=command.source)
    return ""


def _substituted(command: Command) -> Iterator[tuple[Action, Command]]:
    """What runs inside `$(…)` and backquotes, which are arguments otherwise."""
    for source in _SUBSTITUTED.findall(command.source):
        for inner in parse("".join(source)).commands:
            yield from ((action, inner) for action in actions_of(inner))


def _destroys(action: Action, command: Command) -> bool:
    operands, options = action.operands, action.options
    if any(option.startswith(">") and _DISK.fullmatch(option[:-1]) for option in options):
        return True
    if _MAKES_A_DISK_NEW.fullmatch(action.program):
        return any(map(_DISK.fullmatch, operands))
    if action.program == "find":
        deletes = "-delete" in operands or ("-exec" in operands and "rm" in operands)
        return deletes and _VITAL.fullmatch(operands[0]) is not None
    if action.program == ":":  # :(){ :|:& };:
        return command.piped
    if action.program in ("rm", "chmod", "chown", "chgrp"):
        return bool(options & {"-r", "-R"}) and any(map(_VITAL.fullmatch, operands))
    return action.program == "mv" and any(map(_VITAL.fullmatch, operands[:-1]))


def _undoes(action: Action, step: Action) -> bool:
    if action.program != step.program:
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
    for at, (did, does) in enumerate(zip(step.operands, action.operands, strict=False)):
        if does in _UNDONE_BY.get(did, ()):
            names = step.operands[at + 1 :]
            return not names or not set(names).isdisjoint(action.operands[at + 1 :])
        if did != does:
            break
    return False
