"""A command in, what it does out, so that two spellings of one thing compare equal.

In: commands of `syntax`. Out: actions (program, operands, options that matter), and
whether one action does what another asks for. Refuses to know: answers, tests, marks.

    sudo apt-get install -y nginx curl  ->  apt install nginx  +  apt install curl
    systemctl enable --now ssh.service  ->  systemctl enable ssh  +  systemctl start ssh
    pacman -Syu nginx                   ->  pacman refresh  +  upgrade  +  install nginx
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.scorers.shell.options import (
    ALIASES,
    ANY_ORDER,
    CHANGING,
    CHANGING_ANYWHERE,
    FOLDERS,
    HARMLESS,
    HARMLESS_ANYWHERE,
    HARMLESS_VALUES,
    IN_PLACE,
    ONE_DASH_WORDS,
    SPELLINGS,
    SPELLINGS_ANYWHERE,
    VALUES,
)
from assay.scorers.shell.programs import KNOWN_PROGRAMS, SERVICE_VERBS, names
from assay.scorers.shell.syntax import Command

_NOTHING: frozenset[str] = frozenset()
_MODULE_FILE = re.compile(r"\.ko(?:\.(?:xz|gz|zst))?$")
_INSTALLERS = frozenset({"apt", "dnf", "zypper", "apk", "snap", "pip", "brew", "npm"})
_PER_UNIT = names("start stop restart reload enable disable mask unmask")
_SIGNALS = {"9": "KILL", "15": "TERM", "1": "HUP", "2": "INT", "19": "STOP", "18": "CONT"}
_VERBS = {
    "apt": {"dist-upgrade": "full-upgrade"},
    "dnf": {"update": "upgrade", "erase": "remove", "localinstall": "install"},
    "zypper": {
        "in": "install", "rm": "remove", "ref": "refresh", "up": "update", "dup": "dist-upgrade",
        "se": "search", "if": "info", "lr": "repos", "ar": "addrepo", "rr": "removerepo",
        "lu": "list-updates",
    },
    "apk": {"add": "install", "del": "remove"},
    "npm": {"i": "install", "add": "install"},
}  # fmt: skip
_REFRESHES = {("apt", "update"), ("dnf", "makecache"), ("dnf", "check-update"),
              ("zypper", "refresh"), ("pacman", "refresh"), ("apk", "update")}  # fmt: skip
_IP_OBJECTS = {
    **dict.fromkeys(("a", "ad", "addr", "address"), "address"),
    **dict.fromkeys(("l", "li", "link"), "link"),
    **dict.fromkeys(("r", "ro", "route"), "route"),
    **dict.fromkeys(("n", "neigh", "neighbor", "neighbour"), "neighbour"),
}
_IP_VERBS = {
    **dict.fromkeys(("s", "sh", "show", "list", "ls", "lst"), "show"),
    **dict.fromkeys(("a", "add"), "add"),
    **dict.fromkeys(("d", "del", "delete"), "delete"),
}


@dataclass(frozen=True, slots=True)
class Action:
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
    name, has_value, _ = option.partition("=")
    if has_value:
        return name in HARMLESS_VALUES.get(program, _NOTHING)
    if re.search(r"\d", name):
        return False
    return name not in CHANGING_ANYWHERE and name not in CHANGING.get(program, _NOTHING)


def actions_of(command: Command) -> tuple[Action, ...]:
    """What a command does: mostly one thing; several packages or units are several."""
    program, words = _program(command)
    program, words = _same_as(program, words)
    kept = {f"{text}=" for text in command.redirects}
    if command.run_as:
        kept.add(f"as={command.run_as}")
    if program in IN_PLACE:
        return (Action(program, words, frozenset(kept)),)
    options, operands = _arguments(program, words)
    options |= kept
    if program == "pacman":
        return _pacman(options, operands)
    if program == "systemctl":
        return _systemctl(options, operands)
    if program in _INSTALLERS:
        return _packages(program, options, operands)
    return (Action(program, _operands(program, operands), frozenset(options)),)


def _program(command: Command) -> tuple[str, tuple[str, ...]]:
    program = command.program
    if program not in KNOWN_PROGRAMS and program.lower() in KNOWN_PROGRAMS:
        program = program.lower()  # a sentence that begins "Apt install"
    return ALIASES.get(program, program), command.words[1:]


def _same_as(program: str, words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Other programs for the same job."""
    if program in ("service", "invoke-rc.d") and len(words) == 2 and words[1] in SERVICE_VERBS:
        return "systemctl", (words[1], words[0])
    if program.startswith("/etc/init.d/") and len(words) == 1:
        return "systemctl", (words[0], program.rsplit("/", 1)[1])
    if program == "chkconfig" and len(words) == 2 and words[1] in ("on", "off"):
        return "systemctl", ("enable" if words[1] == "on" else "disable", words[0])
    if program == "update-rc.d" and len(words) == 2 and words[1] in ("defaults", "enable"):
        return "systemctl", ("enable", words[0])
    if program in ("python", "python3") and words[:2] == ("-m", "pip"):
        return "pip", words[2:]
    if program == "docker-compose":
        return "docker", ("compose", *words)
    return program, words


# ------------------------------------------------------------------------- options and operands


def _arguments(program: str, words: tuple[str, ...]) -> tuple[set[str], list[str]]:
    """Options in one spelling, clusters taken apart, harmless ones dropped; and the operands."""
    options: set[str] = set()
    operands: list[str] = []
    values = VALUES.get(program, _NOTHING)
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands.extend(words[at:])
            break
        if not _is_option(program, word, first=at == 1):
            operands.append(word)
            continue
        for name, value in _taken_apart(program, word):
            if value is None and name in values and at < len(words):
                value = words[at]
                at += 1
            _keep(program, name, value, options)
    return options, operands


def _is_option(program: str, word: str, *, first: bool) -> bool:
    if first and program in ("tar", "ps") and re.fullmatch(r"[a-zA-Z]+", word):
        return True  # `tar xzf`, `ps aux`
    return len(word) > 1 and word.startswith("-")


def _taken_apart(program: str, word: str) -> list[tuple[str, str | None]]:
    """`-xzf` is three options, `-n5` one with a value, `--lines=5` too."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return [(name, value if equals else None)]
    letters = word.removeprefix("-")
    if program in ("kill", "pkill", "killall") and re.fullmatch(r"\d+|(SIG)?[A-Z]{3,}", letters):
        return [("-s", letters)]
    if program in ("head", "tail") and letters.isdigit():
        return [("-n", letters)]
    if program in ONE_DASH_WORDS or not letters[0].isalpha():
        return [(word, None)]
    values = VALUES.get(program, _NOTHING)
    parts: list[tuple[str, str | None]] = []
    for at, letter in enumerate(letters):
        rest = letters[at + 1 :]
        if f"-{letter}" in values and rest:
            return [*parts, (f"-{letter}", rest)]
        parts.append((f"-{letter}", None))
    return parts


def _keep(program: str, name: str, value: str | None, options: set[str]) -> None:
    if name in HARMLESS_ANYWHERE or name in HARMLESS.get(program, _NOTHING):
        return
    if name not in CHANGING_ANYWHERE:
        name = SPELLINGS.get(program, {}).get(name) or SPELLINGS_ANYWHERE.get(name, name)
    else:
        name = SPELLINGS.get(program, {}).get(name, name)
    if name in HARMLESS.get(program, _NOTHING):
        return
    if value is not None and program in ("kill", "pkill", "killall") and name == "-s":
        value = _SIGNALS.get(value, value.upper().removeprefix("SIG"))
    if value is not None and program == "journalctl" and name == "-u":
        value = value.removesuffix(".service")
    options.add(name if value is None else f"{name}={value}")


def _operands(program: str, operands: list[str]) -> tuple[str, ...]:
    if program == "ip":
        return _ip(operands)
    if program in ("modprobe", "modinfo", "rmmod"):
        return tuple(module_name(word) for word in operands)
    if program in FOLDERS:
        operands = [word.rstrip("/") or "/" for word in operands]
    return tuple(sorted(operands) if program in ANY_ORDER else operands)


def module_name(text: str) -> str:
    """A kernel module by its one name: no path, no `.ko`, `_` for `-`, lower case."""
    return _MODULE_FILE.sub("", text.casefold().rsplit("/", 1)[-1]).replace("-", "_")


def _ip(operands: list[str]) -> tuple[str, ...]:
    if not operands:
        return ()
    named = _IP_OBJECTS.get(operands[0], operands[0])
    verb = _IP_VERBS.get(operands[1], operands[1]) if len(operands) > 1 else "show"
    return (named, verb, *operands[2:])


# ---------------------------------------------------------------- package managers and services


def _packages(program: str, options: set[str], operands: list[str]) -> tuple[Action, ...]:
    verb, packages = (operands[0], operands[1:]) if operands else ("", [])
    verb = _VERBS.get(program, {}).get(verb, verb)
    if program == "apt" and verb == "remove" and "--purge" in options:
        verb = "purge"
        options = options - {"--purge"}
    actions = []
    if program == "apk" and verb == "install" and options & {"-U", "--update"}:
        options = options - {"-U", "--update"}
        actions.append(Action(program, ("update",)))
    if verb == "groupinstall":
        verb, packages = "group", ["install", *packages]
        return (Action(program, (verb, *packages), frozenset(options)),)
    return (*actions, *_one_each(program, verb, packages, options, split=verb == "install"))


def _one_each(
    program: str, verb: str, operands: list[str], options: set[str], *, split: bool
) -> tuple[Action, ...]:
    if split and operands:
        each = dict.fromkeys(operands)  # a package named twice is installed once
        return tuple(Action(program, (verb, one), frozenset(options)) for one in each)
    rest = sorted(operands) if program in ANY_ORDER else operands
    return (Action(program, (verb, *rest) if verb else tuple(rest), frozenset(options)),)


def _systemctl(options: set[str], operands: list[str]) -> tuple[Action, ...]:
    verb, units = (operands[0], operands[1:]) if operands else ("", [])
    units = [unit.removesuffix(".service") for unit in units]
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
