"""Which steps are met by which commands: the longest match that keeps the order.

A step is met by any of its alternatives. The commands of one alternative
(`apt update && apt install nginx`) are met in order. Every action of the answer meets one step at
most; a command with two actions (`systemctl enable --now ssh`) can meet two steps.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from assay.checks.shell.meaning import Action, actions_of, fulfils
from assay.checks.shell.programs import KNOWN_PROGRAMS
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
        self._by_program: dict[str, list[tuple[int, int]]] = {}
        for at, actions in enumerate(self.actions):
            for which, action in enumerate(actions):
                self._by_program.setdefault(action.program, []).append((at, which))
        self._places: dict[Action, list[tuple[int, int]]] = {}

    def places(self, wanted: Action) -> list[tuple[int, int]]:
        """Where an action is done: command and action, in order."""
        places = self._places.get(wanted)
        if places is None:
            places = self._places[wanted] = [
                (at, which)
                for at, which in self._by_program.get(wanted.program, ())
                if fulfils(self.actions[at][which], wanted)
            ]
        return places

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
                self.commands[at + n].piped and self._does(at + n, stage)
                for n, stage in enumerate(rest, start=1)
            ):
                return _Taken(last, taken.actions | {(at, which), (last, 0)})
        return None

    def _does(self, at: int, wanted: tuple[Action, ...]) -> bool:
        return all(any(fulfils(done, one) for done in self.actions[at]) for one in wanted)
