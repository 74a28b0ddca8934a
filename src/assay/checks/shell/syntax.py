"""Shell source to simple commands, by tree-sitter-bash. Runs nothing.

Quotes are removed, `sudo` and other wrappers peeled off, the inside of `bash -c '…'` is read too.
Substitutions such as `$(uname -r)` are arguments, not commands. Trees are walked with a stack: a
hundred thousand open brackets are a deep tree.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import tree_sitter
import tree_sitter_bash

from assay.checks.shell.programs import NOT_WRAPPING, TAKES_ANY_WORD, WRAPPERS, names
from assay.text.dressing import EMOJI

# Characters of one piece. The parser takes time in the square of some hostile texts: "a@a@a@…" of
# 2,000 characters 28 ms, of 8,000 635 ms. Longer scripts are read line by line.
PARSED_AT_MOST = 2_000
WRAPPED_AT_MOST = 8  # sudo env nice time …
NESTED_AT_MOST = 4  # bash -c "bash -c …": deeper ones stay one command
# The scanner of tree-sitter-bash 0.25 looks every code point up in C's table of character classes,
# which ends at 255: "{", an emoji and "+" ended the process in one of several tries.
_BEYOND_LATIN = re.compile(rb"[\xc4-\xf7][\x80-\xbf]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_SYSTEM_FOLDER = re.compile(r"/(?:usr/)?(?:local/)?s?bin/(?=[^/]+$)")
_QUOTED = re.compile(r"\\\n|\\(.)|'([^']*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_ESCAPED_IN_DOUBLE = re.compile(r"\\([\"\\$`])|\\\n")
_HARMLESS_REDIRECT = re.compile(r"(?:\d*|&)>>?\|?\s*/dev/null|<\s*/dev/null|\d*>&\s*[\d-]+")

_CHANGES_USER = frozenset({"sudo", "doas", "pkexec", "run0"})
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
_SU_VALUES = names("-c --command -u --user -s --shell -g --group -G -w")


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command. `piped`: it reads from the command before it.

    `heredoc` is the text that a here-document gives it; `calls_itself`: it is in the body of the
    function that it calls.
    """

    words: tuple[str, ...]
    source: str
    redirects: tuple[str, ...] = ()
    piped: bool = False
    run_as: str = ""
    heredoc: str = ""
    calls_itself: bool = False

    @property
    def program(self) -> str:
        """The first word, without the folder where system programs lie."""
        word = self.words[0]
        return _SYSTEM_FOLDER.sub("", word) if "/" in word else word


class Parsed(NamedTuple):
    """The commands, and whether the whole was shell without an error."""

    commands: tuple[Command, ...]
    clean: bool


@lru_cache(maxsize=1)
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


@lru_cache(maxsize=1024)
def parse(source: str, *, depth: int = 0) -> Parsed:
    """Every simple command of a piece of shell, in order; what is longer than 2,000 is cut."""
    text = source[:PARSED_AT_MOST].replace("\0", " ").replace("\r\n", "\n")
    typed = text.encode("utf-8", errors="replace")
    root = _parser().parse(_BEYOND_LATIN.sub(_stand_in, typed)).root_node
    commands: list[Command] = []
    for raw in _simple_commands(root, typed):
        commands.extend(_unwrapped(raw, depth))
    return Parsed(tuple(commands), not root.has_error and len(source) <= PARSED_AT_MOST)


def _stand_in(character: re.Match[bytes]) -> bytes:
    """As many letters, or blanks for a blank, so that every place in the text stays the same."""
    is_blank = character[0].decode("utf-8", errors="replace").isspace()
    return (b" " if is_blank else b"z") * len(character[0])


_ARGUMENT_LIKE = names(
    "command_substitution process_substitution heredoc_body heredoc_start heredoc_end "
    "comment file_redirect herestring_redirect"
)
_EMITTED = names("command declaration_command unset_command variable_assignment test_command")
_SAID = _EMITTED | {"redirected_statement"}


def _simple_commands(root: tree_sitter.Node, typed: bytes) -> list[Command]:
    found: list[Command] = []
    stack: list[tuple[tree_sitter.Node, bool, tuple[str, ...], str, str]]
    stack = [(root, False, (), "", "")]
    while stack:
        node, piped, redirects, heredoc, function = stack.pop()
        source = _text(node, typed).strip() if node.type in _SAID else ""
        if node.type in _EMITTED:
            words, own = _words(node, typed)
            if words:
                itself = words == (function,)
                all_of_it = own + redirects
                found.append(Command(words, source, all_of_it, piped, "", heredoc, itself))
            continue
        named = node.named_children
        children = [c for c in named if c.type not in _ARGUMENT_LIKE]
        own = _redirects(node, typed) if node.type == "redirected_statement" else ()
        bodies = [c for c in children if c.type != "heredoc_redirect"]
        last_body = bodies[-1].id if bodies else None
        if not bodies and any(
            ">" in each for each in own
        ):  # `> file` empties it as `: > file` does
            found.append(Command((":",), source, own))
        if node.type == "redirected_statement":
            heredoc = _heredoc(node, typed)
        elif node.type == "function_definition" and named:
            function = _text(named[0], typed)
        for child in reversed(children):
            # `a && b > f` hangs the redirect on the whole list; it belongs to the last command.
            inherited = (redirects + own) if child.id == last_body else ()
            fed = piped if child.id == named[0].id else node.type == "pipeline"
            text = heredoc if child.id == last_body else ""
            stack.append((child, fed, inherited, text, function))
    return found


def _text(node: tree_sitter.Node, typed: bytes) -> str:
    return typed[node.start_byte : node.end_byte].decode("utf-8", errors="replace")


def _words(node: tree_sitter.Node, typed: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a command without its leading assignments, and its own redirects."""
    if node.type == "variable_assignment":
        return (unquoted(_text(node, typed)),), ()
    written: list[str] = []
    for child in node.children:
        if child.type == "variable_assignment" and not written:
            continue
        if child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect", "comment"):
            continue
        text = _text(child, typed)
        if unquoted(text) or text.startswith(("'", '"')):  # `""` is an argument
            written.append(text)
    while len(written) > 1 and _is_emoji(written[-1]) and written[0] not in TAKES_ANY_WORD:
        written.pop()  # a chat's `ls -l 🙂`
    return tuple(map(unquoted, written)), _redirects(node, typed)


def _is_emoji(word: str) -> bool:
    return EMOJI.match(word) is not None and not EMOJI.sub("", word).strip(".!")


def _redirects(node: tree_sitter.Node, typed: bytes) -> tuple[str, ...]:
    kept: list[str] = []
    for child in node.named_children:
        if child.type == "heredoc_redirect":  # `cat <<EOF > f`: the target hangs below
            kept.extend(_redirects(child, typed))
        if child.type in ("file_redirect", "herestring_redirect"):
            text = _text(child, typed)
            if not _HARMLESS_REDIRECT.fullmatch(text.strip()):
                kept.append(unquoted(re.sub(r"^([\d&]*[<>|&]+)\s+", r"\1", text)))
    return tuple(kept)


def _heredoc(node: tree_sitter.Node, typed: bytes) -> str:
    given = (child for child in node.named_children if child.type == "heredoc_redirect")
    bodies = (part for each in given for part in each.named_children if part.type == "heredoc_body")
    return "".join(_text(body, typed) for body in bodies)


def unquoted(text: str) -> str:
    """A word as the program gets it; expansions stay as written."""
    if not any(mark in text for mark in "'\"\\"):
        return text

    def inside(found: re.Match[str]) -> str:
        escaped, single, double = found.groups()
        if double is not None:
            return _ESCAPED_IN_DOUBLE.sub(lambda m: m[1] or "", double)
        return single if single is not None else escaped or ""

    return _QUOTED.sub(inside, text)


def _unwrapped(command: Command, depth: int) -> list[Command]:
    """The command inside `sudo`, `env`, `time` …, and those inside `bash -c '…'`."""
    for _ in range(WRAPPED_AT_MOST):
        words, user = _peeled(command.words)
        if words == command.words:
            break
        command = replace(command, words=words, run_as=user or command.run_as)
    script, user = _script_of(command.words)
    if script is None or depth >= NESTED_AT_MOST:
        return [command]
    inner = parse(script, depth=depth + 1).commands
    fed = [c.piped or (command.piped and at == 0) for at, c in enumerate(inner)]
    return [
        replace(c, run_as=c.run_as or user or command.run_as, piped=piped)
        for c, piped in zip(inner, fed, strict=True)
    ]


def _peeled(words: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """The words after a wrapper and its options, and the user it changes to."""
    name = _SYSTEM_FOLDER.sub("", words[0]).lower()
    values = WRAPPERS.get(name)
    if values is None or any(w in NOT_WRAPPING.get(name, ()) for w in words[1:2]):
        return words, ""
    user, at = "", 1
    while at < len(words) and (words[at].startswith("-") or _ASSIGNMENT.match(words[at])):
        option, _, value = words[at].partition("=")
        at += 1
        if option == "--":
            break
        if option in values and not value and at < len(words):
            value = words[at]
            at += 1
        if option in ("-u", "--user") and name in _CHANGES_USER:
            user = value
    at += name == "timeout"  # its duration
    if at >= len(words):
        return words, ""
    return words[at:], "" if user == "root" else user


def _script_of(words: tuple[str, ...]) -> tuple[str | None, str]:
    """The shell inside `bash -c` or `su -c`, and the user it runs as."""
    if not words:
        return None, ""
    program = _SYSTEM_FOLDER.sub("", words[0])
    if program in ("su", "runuser"):
        return _su_script(words)
    if program in SHELLS:
        for at, word in enumerate(words[1:-1], start=1):
            if re.fullmatch(r"-[a-z]*c", word):
                return words[at + 1], ""
            if not word.startswith("-"):
                break
    return None, ""


def _su_script(words: tuple[str, ...]) -> tuple[str | None, str]:
    script, user, rest = None, "", iter(words[1:])
    for word in rest:
        option, _, value = word.partition("=")
        if option in _SU_VALUES:
            value = value or next(rest, "")
            if option in ("-c", "--command"):
                script = value
            elif option in ("-u", "--user"):
                user = value
        elif not option.startswith("-") and not user:
            user = option
    return script, "" if user == "root" else user
