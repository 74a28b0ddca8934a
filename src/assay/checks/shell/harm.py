"""What the commands of an answer destroy, and which steps they take back again.

A command that a step itself asks for does neither: a test may want a disk formatted, or a service
stopped and started.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from assay.checks.shell.meaning import Action, actions_of
from assay.checks.shell.programs import PAIRS
from assay.checks.shell.sequence import CommandsFound, pipelines_of
from assay.checks.shell.syntax import Command, parse
from assay.messages import tr

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
