"""The words after a program to its options in one spelling and its operands.

tar xvzf a.tar.gz -C ./opt  ->  -x -f=a.tar.gz -C=opt
ps faux                     ->  a u x --forest
grep -rn src -e TODO        ->  -r -n, TODO src
"""

import re
from collections.abc import Callable, Mapping

from assay.checks.shell import programs as known

Options = set[str]
Part = tuple[str, str | None]  # an option and the value written together with it

_NOTHING: frozenset[str] = frozenset()
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
