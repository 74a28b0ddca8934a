"""Commands to what they do, so that two spellings of one thing compare equal.

sudo apt-get install -y nginx curl  ->  apt install nginx  +  apt install curl
systemctl enable --now ssh.service  ->  systemctl enable ssh  +  systemctl start ssh
pacman -Syu nginx                   ->  pacman refresh  +  upgrade  +  install nginx

The words after a program become its options in one spelling and its operands:

tar xvzf a.tar.gz -C ./opt  ->  -x -f=a.tar.gz -C=opt
ps faux                     ->  a u x --forest
grep -rn src -e TODO        ->  -r -n, TODO src
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from assay.checks.shell import programs as known
from assay.checks.shell.syntax import Command

Options = set[str]
Part = tuple[str, str | None]  # an option and the value written together with it

_SENDS_SIGNALS = known.names("kill pkill killall")
_TARS = known.names("tar bsdtar")
_GREPS = known.names("grep egrep fgrep zgrep rgrep")
_PS_LETTERS_WITH_VALUES = frozenset("oOpqtUk")
_HERE = re.compile(r"(?:\./+)+(?=[^-/.]|\.\w)")
# With or without a value; the next word is one if it looks so.
_VALUES_LIKE: Mapping[tuple[str, str], re.Pattern[str]] = {
    ("journalctl", "-b"): re.compile(r"[-+]?\d+|all|[0-9a-f]{32}"),
    ("lsof", "-i"): re.compile(r"(?!$)[46]?(?:tcp|udp)?(?:@[^\s:]+)?(?::\S+)?", re.IGNORECASE),
    ("lsof", "-s"): re.compile(r"\w+:\S+"),
}


def arguments_of(program: str, words: tuple[str, ...]) -> tuple[Options, list[str]]:
    """Options in one spelling, clusters taken apart, harmless ones dropped; and the operands."""
    options: Options = set()
    operands: list[str] = []
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
            if value is None and at < len(words) and _takes(program, name, words[at]):
                value = words[at]
                at += 1
            _keep(program, name, value, options)
    refine = _REFINED.get(program)
    if refine is not None:
        options, operands = refine(options, operands)
    return options, _as_files(program, operands)


def words_in_place(program: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a program whose order carries the meaning, in one spelling."""
    if program in ("sed", "perl"):
        return tuple(map(without_dot_slash, words))
    if program == "find":  # `-path ./x` is a pattern: only where to start is a file
        ends = (at for at, word in enumerate(words) if word.startswith(("-", "(", "!")))
        start = next(ends, len(words))
        return (*map(without_dot_slash, words[:start]), *words[start:])
    if program in ("awk", "gawk"):
        return tuple(_awk_words(words))
    return words


def without_dot_slash(word: str) -> str:
    """`./x` is `x`, and `./` is `.`."""
    return "." if word == "./" else _HERE.sub("", word, count=1) if word[:2] == "./" else word


def _is_option(program: str, word: str, *, first: bool) -> bool:
    if first and (program in _TARS or program == "ps") and re.fullmatch(r"[a-zA-Z]+", word):
        return True  # `tar xzf`, `ps aux`
    return len(word) > 1 and word.startswith("-")


def _taken_apart(program: str, word: str) -> list[Part]:
    """`-xzf` is three options, `-n5` one with a value, `--lines=5` too."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return [(name, value if equals else None)]
    letters = word.removeprefix("-")
    if program == "ps" and (letters == word or re.fullmatch("[aufwljh]*x[aufwljh]*", letters)):
        return _bsd_letters(letters)  # ps takes `-aux` for `aux`
    if letters == word:  # `tar xfz a.tgz`: the letters take their values from the words behind
        return [(f"-{letter}", None) for letter in letters]
    if program in _SENDS_SIGNALS and re.fullmatch(r"\d+|(SIG)?[A-Z]{3,}", letters):
        return [("-s", letters)]
    if program in ("head", "tail") and letters.isdigit():
        return [("-n", letters)]
    is_letter = letters[0].isalpha() or word[:2] in known.DIGITS.get(program, _NOTHING)
    if program in known.ONE_DASH_WORDS or not is_letter:
        return [(word, None)]
    parts: list[Part] = []
    for at, letter in enumerate(letters):
        rest = letters[at + 1 :]
        if rest and _takes(program, f"-{letter}", rest):
            return [*parts, (f"-{letter}", rest)]
        parts.append((f"-{letter}", None))
    return parts


def _bsd_letters(letters: str) -> list[Part]:
    """Options of ps without a dash: `u` and `-u` are two things."""
    for at, letter in enumerate(letters):
        if letter in _PS_LETTERS_WITH_VALUES:
            return [*((flag, None) for flag in letters[:at]), (letter, letters[at + 1 :] or None)]
    return [(letter, None) for letter in letters]


def _takes(program: str, name: str, following: str) -> bool:
    """Whether the text behind an option is its value."""
    short = known.SPELLINGS.get(program, {}).get(name, name)
    values = known.VALUES.get(program, _NOTHING)
    if name in values or short in values:
        return True
    form = _VALUES_LIKE.get((program, short))
    return form is not None and form.fullmatch(following) is not None


def _keep(program: str, name: str, value: str | None, options: Options) -> None:
    harmless = known.HARMLESS.get(program, _NOTHING)
    if name in known.HARMLESS_ANYWHERE or name in harmless:
        return
    own = known.SPELLINGS.get(program, {}).get(name)
    if own is None and name not in known.CHANGING_ANYWHERE:
        own = known.PAIRS["spellings_anywhere"].get(name)
    name = own or name
    if name not in harmless:
        options.add(name if value is None else f"{name}={_one_value(program, name, value)}")


def _one_value(program: str, name: str, value: str) -> str:
    if program in _SENDS_SIGNALS and name == "-s":
        return known.PAIRS["signals"].get(value, value.upper().removeprefix("SIG"))
    if program == "journalctl" and name == "-u":
        return value.removesuffix(".service")
    if program == "lsof" and name in ("-i", "-s"):
        return re.sub(r"tcp|udp", lambda found: found[0].upper(), value, count=1)
    if program in known.DOT_SLASH_COUNTS or program in _GREPS:
        return value
    return without_dot_slash(value)


def _as_files(program: str, operands: list[str]) -> list[str]:
    """`./x` is `x`; a last `x/.` is `x/`, or the full stop of a sentence."""
    if program in known.DOT_SLASH_COUNTS or not operands:
        return operands
    kept = 1 if program in _GREPS else 0  # its pattern
    plain = [*operands[:kept], *map(without_dot_slash, operands[kept:])]
    if plain[-1].endswith("/."):
        plain[-1] = re.sub(r"(?<=\w/)\.$", "", plain[-1])
    return plain


def _grep(options: Options, operands: list[str]) -> tuple[Options, list[str]]:
    """One pattern by `-e` is the pattern."""
    patterns = [option for option in options if option.startswith("-e=")]
    if len(patterns) != 1:
        return options, operands
    return options - {patterns[0]}, [patterns[0].removeprefix("-e="), *operands]


def _tar(options: Options, operands: list[str]) -> tuple[Options, list[str]]:
    """To unpack, tar sees the compression itself; to pack, `-a` takes it from the name."""
    archive = next((option for option in options if option.startswith("-f=")), "")
    right = next(
        (letter for end, letter in known.PAIRS["compressed"].items() if archive.endswith(end)), ""
    )
    if options & {"-x", "-t"}:
        return options - {"-a", right}, operands
    if right and "-a" in options:
        return options - {"-a"} | {right}, operands
    return options, operands


def _signal(options: Options, operands: list[str]) -> tuple[Options, list[str]]:
    return options - {"-s=TERM"}, operands  # the default


def _journal(options: Options, operands: list[str]) -> tuple[Options, list[str]]:
    current = options & {"-b=0", "-b=-0", "-b=+0"}
    return (options - current | {"-b"} if current else options), operands


def _hostname(options: Options, operands: list[str]) -> tuple[Options, list[str]]:
    """A name that is set stays by being the static one; without a name `--static` only asks."""
    return (options - {"--static"} if len(operands) > 1 else options), operands


_REFINED: Mapping[str, Callable[[Options, list[str]], tuple[Options, list[str]]]] = {
    **dict.fromkeys(_GREPS, _grep),
    **dict.fromkeys(_TARS, _tar),
    **dict.fromkeys(_SENDS_SIGNALS, _signal),
    "journalctl": _journal,
    "hostnamectl": _hostname,
}


def _awk_words(words: tuple[str, ...]) -> list[str]:
    """`-F :` is `-F:`, and blanks around brackets and signs of the program mean nothing."""
    spelled: list[str] = []
    for word in words:
        if spelled and spelled[-1] in ("-F", "-v"):
            spelled[-1] += word
        elif re.search(r"[{}<>=]", word) and not word.startswith("-"):
            spelled.append(_awk_program(word))
        else:
            spelled.append(without_dot_slash(word))
    return spelled


def _awk_program(text: str) -> str:
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', text)  # texts in quotes stay as they are
    for at in range(0, len(pieces), 2):
        single = re.sub(r"\s+", " ", pieces[at])
        pieces[at] = re.sub(r" ?([{}();,<>=!+]) ?", r"\1", single)
    return "".join(pieces).strip()


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
