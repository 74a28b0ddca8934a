"""Commands to what they do, so that two spellings of one thing compare equal.

sudo apt-get install -y nginx curl  ->  apt install nginx  +  apt install curl
systemctl enable --now ssh.service  ->  systemctl enable ssh  +  systemctl start ssh
pacman -Syu nginx                   ->  pacman refresh  +  upgrade  +  install nginx
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from assay.checks.shell import programs as known
from assay.checks.shell.arguments import arguments_of, words_in_place
from assay.checks.shell.syntax import Command

_NOTHING: frozenset[str] = frozenset()
_MODULE_FILE = re.compile(r"\.ko(?:\.(?:xz|gz|zst))?$")
_INSTALLERS = frozenset({"apt", "dnf", "zypper", "apk", "snap", "pip", "brew", "npm"})
_PER_UNIT = known.names("start stop restart reload enable disable mask unmask")
# A value that does not change what is asked for: columns that still tell disks from partitions.
_HARMLESS_LIKE: Mapping[tuple[str, str], re.Pattern[str]] = {
    ("lsblk", "-o"): re.compile(r"(?=.*\bname\b).*\btype\b.*", re.IGNORECASE),
}
_REFRESHES = {("apt", "update"), ("dnf", "makecache"), ("dnf", "check-update"),
              ("zypper", "refresh"), ("pacman", "refresh"), ("apk", "update")}  # fmt: skip


class Action(NamedTuple):
    """One thing that is done. An option with a value is written `-n=5`."""

    program: str
    operands: tuple[str, ...] = ()
    options: frozenset[str] = _NOTHING

    @property
    def is_refresh(self) -> bool:
        """It only fetches package lists."""
        return (self.program, *self.operands) in _REFRESHES


def fulfils(found: Action, wanted: Action) -> bool:
    """Same program and operands, every option asked for, and no further one that changes it."""
    if found.program != wanted.program or found.operands != wanted.operands:
        return False
    if not wanted.options <= found.options:
        return False
    return all(_tolerated(found.program, extra) for extra in found.options - wanted.options)


def _tolerated(program: str, option: str) -> bool:
    name, has_value, value = option.partition("=")
    if has_value:
        form = _HARMLESS_LIKE.get((program, name))
        fits = form is not None and form.fullmatch(value) is not None
        return fits or name in known.HARMLESS_VALUES.get(program, _NOTHING)
    if re.search(r"\d", name):
        return name in known.DIGITS.get(program, _NOTHING)
    return name not in known.CHANGING_ANYWHERE and name not in known.CHANGING.get(program, _NOTHING)


def actions_of(command: Command) -> tuple[Action, ...]:
    """What a command does: mostly one thing; several packages or units are several."""
    program = known.PAIRS["aliases"].get(command.program, command.program)
    program, words = _same_as(program, command.words[1:])
    kept = {f"{text}=" for text in command.redirects}
    if command.run_as:
        kept.add(f"as={command.run_as}")
    if program in known.IN_PLACE:
        return (Action(program, words_in_place(program, words), frozenset(kept)),)
    options, operands = arguments_of(program, words)
    options |= kept
    if program == "pacman":
        return _pacman(options, operands)
    if program == "systemctl":
        return _systemctl(options, operands)
    if program in _INSTALLERS:
        return _packages(program, options, operands)
    return (Action(program, _operands(program, operands), frozenset(options)),)


def _same_as(program: str, words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    runs_service = program in ("service", "invoke-rc.d") and len(words) == 2
    if runs_service and words[1] in known.SERVICE_VERBS:
        return "systemctl", (words[1], words[0])
    if program.startswith(known.INIT_SCRIPT) and len(words) == 1:
        return "systemctl", (words[0], program.rsplit("/", 1)[1])
    at_boot = program in ("chkconfig", "update-rc.d")
    if at_boot and len(words) == 2 and words[1] in known.PAIRS["at_boot"]:
        return "systemctl", (known.PAIRS["at_boot"][words[1]], words[0])
    if program in ("python", "python3") and words[:2] == ("-m", "pip"):
        return "pip", words[2:]
    if program == "docker-compose":
        return "docker", ("compose", *words)
    return program, words


def _operands(program: str, operands: list[str]) -> tuple[str, ...]:
    if program == "ip" and operands:
        named, verb = (*operands[:2], "show")[:2]
        named = known.PAIRS["ip_objects"].get(named, named)
        return (named, known.PAIRS["ip_verbs"].get(verb, verb), *operands[2:])
    if program in ("modprobe", "modinfo", "rmmod"):
        return tuple(module_name(word) for word in operands)
    if program in known.FOLDERS:
        operands = [word.rstrip("/") or word[:1] for word in operands]
    return tuple(sorted(operands) if program in known.ANY_ORDER else operands)


def module_name(text: str) -> str:
    """A kernel module by its one name: no path, no `.ko`, `_` for `-`, lower case."""
    return _MODULE_FILE.sub("", text.casefold().rsplit("/", 1)[-1]).replace("-", "_")


def _packages(program: str, options: set[str], operands: list[str]) -> tuple[Action, ...]:
    verb, packages = (operands[0], operands[1:]) if operands else ("", [])
    verb = known.VERB_NAMES.get(program, {}).get(verb, verb)
    if program == "apt" and verb == "remove" and "--purge" in options:
        verb = "purge"
        options = options - {"--purge"}
    if program == "zypper" and verb == "search" and "-d" in options:
        options = options - {"-d"} | {"--search-descriptions"}  # elsewhere: download only
    actions = []
    if program == "apk" and verb == "install" and options & {"-U", "--update"}:
        options = options - {"-U", "--update"}
        actions.append(Action(program, ("update",)))
    return (*actions, *_one_each(program, verb, packages, options, split=verb == "install"))


def _one_each(
    program: str, verb: str, operands: list[str], options: set[str], *, split: bool
) -> tuple[Action, ...]:
    if split and operands:
        each = dict.fromkeys(operands)  # a package named twice is installed once
        return tuple(Action(program, (verb, one), frozenset(options)) for one in each)
    rest = sorted(operands) if program in known.ANY_ORDER else operands
    return (Action(program, (verb, *rest) if verb else tuple(rest), frozenset(options)),)


def _systemctl(options: set[str], operands: list[str]) -> tuple[Action, ...]:
    verb, units = (operands[0], operands[1:]) if operands else ("", [])
    units = [unit.removesuffix(".service") for unit in units]
    if any(option.startswith("--state=") for option in options):
        options = options - {"-a"}  # the states say which units, loaded or not
    verbs = [verb]
    if "--now" in options and verb in ("enable", "disable", "mask"):
        options = options - {"--now"}
        verbs.append("start" if verb == "enable" else "stop")
    return tuple(
        action
        for each in verbs
        for action in _one_each("systemctl", each, units, options, split=verb in _PER_UNIT)
    )


def _pacman(options: set[str], operands: list[str]) -> tuple[Action, ...]:
    if "-S" not in options or options & {"-s", "-i", "-c", "-w", "-p", "-l", "-g"}:
        return (Action("pacman", tuple(sorted(operands)), frozenset(options)),)
    rest = frozenset(options - {"-S", "-y", "-u"})
    actions = []
    if "-y" in options:
        actions.append(Action("pacman", ("refresh",), rest))
    if "-u" in options:
        actions.append(Action("pacman", ("upgrade",), rest))
    if operands or not actions:
        actions.extend(_one_each("pacman", "install", operands, set(rest), split=True))
    return tuple(actions)
