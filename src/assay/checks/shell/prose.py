"""The commands that are unmarked in a sentence.

A command begins at a program's name that something marks as one: the start of the line, `sudo`, an
option, a verb of that program such as `install`, a cue such as "run". It ends where the sentence
does, or before a word that no command line contains, such as "and" or "the".
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from assay.checks.shell import programs as known
from assay.checks.shell.syntax import Command, parse
from assay.text.answer_words import is_unused_at

_OPENING = "(\"'“‘«["
_JOINING = frozenset({"and", "then", "or", "et", "puis", "ou"})
_ASSIGNMENT = re.compile(r"[A-Z_][A-Z0-9_]*=\S*$")
_SHELL_LIKE = re.compile(r"[-/~$.\"'&|;<>*]|\w*[/=*]|\d")
_LEADS_ON = known.names("then next finally puis ensuite enfin")  # "Then, adduser alice docker"
_NAMES_A_FILE_OR_HOST = re.compile(r"[A-Za-z][\w-]*[.@]\w")
_EVIDENCE = re.compile(r"[-/~$`|&;<>\"'{\[\\.!]|\S*[/=*$`.;_]|\w+-\w|\d")
_FUNCTION = re.compile(r"[\w:.]+ ?\( ?\) ?\{")
_SURELY_SHELL = re.compile(r"[-/~$]|\.(?:$|/)")


def is_command_line(line: str, programs: frozenset[str]) -> bool:
    """Whether a whole line is shell: it begins with a program, parses, and holds no prose."""
    words = line.split()
    if not words or words[0][-1] in ":,":
        return False
    name = re.split(r"[;|&<>]", words[0].lstrip("\\"), maxsplit=1)[0].rsplit("/", 1)[-1]
    function = _FUNCTION.match(line)
    is_known = name in programs or words[0] in known.WRAPPERS or function is not None
    if not (is_known or "=" in name or words[0][0] in "({[!./~"):
        return False  # most lines of prose end here, unparsed
    parsed = parse(line)
    if not parsed.commands or not parsed.clean:
        return False
    first = parsed.commands[0]
    if function:
        return any(command.calls_itself for command in parsed.commands)
    if "=" in first.words[0]:
        return re.match(r"\w+=.*(?:\$\(|`)", line) is not None
    if first.program not in programs and not first.program.startswith(known.INIT_SCRIPT):
        return False
    if not any(map(_EVIDENCE.match, words[1:])):
        return False
    return not any(_holds_prose(command) for command in parsed.commands)


def _holds_prose(command: Command) -> bool:
    if command.program in known.TAKES_ANY_WORD:
        return False
    surely = known.SURELY_PROSE
    taken = surely if command.program in known.TAKES_WORDS else surely | known.SOMETIMES_PROSE
    arguments = command.words[1:]
    verb = next((word for word in arguments if not word.startswith("-")), "")
    if verb in known.VERBS.get(command.program, ()):
        taken = taken - {verb}  # `zypper in nginx`
    for word, following in pairwise((*arguments, "")):
        if word.lower() in surely or (word.lower() in taken and following[:1].isalpha()):
            return True
        if word == "-" and following.isalpha() and arguments[-1] != following:
            return True
        if following and re.fullmatch(r"[\w+][\w.+-]*,", word):
            return True
        if re.fullmatch(r"\S*\w\.", word) and following[:1].isupper():
            return True
    return False


def clauses_in(text: str, programs: frozenset[str]) -> Iterator[str]:
    tokens = list(re.finditer(r"\S+", text))
    words = [token[0] for token in tokens]
    at = after_command = 0
    while at < len(words):
        joined = at > 0 and at == after_command + 1 and _bare(words[at - 1]) in _JOINING
        if not command_begins(words, at, programs, announced=joined):
            at += 1
            continue
        start = tokens[at].start()
        if is_unused_at(text, start):
            at = _clause_end(words, at)
            continue
        end = _clause_end(words, at)
        start += len(words[at]) - len(words[at].lstrip(_OPENING))
        yield _without_full_stop(text[start : tokens[end - 1].end()])
        at = after_command = end


def _without_full_stop(clause: str) -> str:
    if re.search(r"(?:^|\s)\.{1,2}$|\$\w*[?!]$", clause):
        return clause
    bare = clause.rstrip(".,:!?" if "(" in clause or "[" in clause else ".,:!?)]")
    # a quote that closes what was opened before the clause
    closes = bare.endswith(('"', "'", "”", "’")) and bare.count(bare[-1]) % 2
    return bare[:-1] if closes else bare


def _bare(word: str) -> str:
    return word.strip("(\"'“”‘’[].,:;!?*)").lower()


def command_begins(
    words: list[str], at: int, programs: frozenset[str], *, announced: bool = False
) -> bool:
    """Whether a command begins at this word; `announced`: one is right before it."""
    if at >= len(words):
        return False
    word = words[at].lstrip(_OPENING)
    following = words[at + 1] if at + 1 < len(words) else ""
    if _ASSIGNMENT.match(word) or word.lower() in ("sudo", "doas"):
        return _ASSIGNMENT.match(following) is not None or _may_follow_sudo(words, at, programs)
    name = word.rstrip(".,:;!?)\"'”’]")
    if name.startswith(known.INIT_SCRIPT):
        return _bare(following) in known.SERVICE_VERBS
    program = name.rsplit("/", 1)[-1] if name.startswith(("/usr/", "/bin/", "/sbin/")) else name
    if program not in programs:
        return False
    if name == word and _certain(program, words, at):
        return True
    if program == "install":
        return False
    if at == 0 and program in known.ENGLISH_TOO:
        return _short_line(words)
    lead = words[at - 1] if at else ""
    cued = _bare(lead) in known.CUES
    if program in known.ENGLISH_TOO:
        # "use dig example.com", "run kill 4321"
        counts = program in known.TAKES_A_NUMBER and following[:1].isdigit()
        return cued and (counts or _NAMES_A_FILE_OR_HOST.match(following) is not None)
    announced = announced or at == 0 or cued or lead.endswith((":", "."))
    if _bare(lead) in _LEADS_ON and following.isalpha() and _bare(following) not in known.PROSE:
        announced = announced or _bare(following) not in known.SOMETIMES_PROSE
    return announced


def _may_follow_sudo(words: list[str], at: int, programs: frozenset[str]) -> bool:
    following = words[at + 1] if at + 1 < len(words) else ""
    if _bare(following) in known.PROSE:  # "sudo which lets you": but `sudo who` is a command
        behind = words[at + 2] if at + 2 < len(words) else "#"
        return following in programs and behind[0] in "-#|/"
    return following in programs or re.match(r"[-a-z/.]", following) is not None


def _certain(program: str, words: list[str], at: int) -> bool:
    """The next word makes it a command: an option, a path, an operator, a verb of the program."""
    if at + 1 >= len(words):
        return False
    following = words[at + 1]
    if _bare(following) in known.VERBS.get(program, ()) and following[0].isalnum():
        return True
    shell_like = _SURELY_SHELL if program in known.ENGLISH_TOO else _SHELL_LIKE
    return shell_like.match(following) is not None or following in ("&&", "||", "|", ";")


def _short_line(words: list[str]) -> bool:
    """A whole line such as `top`, `man ls`, `which python3`: lower case, short, no prose."""
    comment = next((at for at, word in enumerate(words) if word.startswith("#")), len(words))
    words = words[:comment]
    bare = {_bare(word) for word in words}
    return (
        len(words) <= 3
        and all(w == w.lower() or w == w.upper() for w in words)
        and not (bare & known.PROSE - {"which", "who"} or bare & known.SOMETIMES_PROSE - {"at"})
    )


def _clause_end(words: list[str], at: int) -> int:
    """The index after the last word of the command that begins here."""
    program, in_quote = "", ""
    behind_sudo = at + (words[at].lower() in ("sudo", "doas"))  # where `who` is a program
    for end in range(at, len(words)):
        word = words[end]
        if not in_quote:
            if end > behind_sudo and not program and _bare(word) in known.PROSE:
                return end
            if not program and word not in known.WRAPPERS and not word.startswith("-"):
                name = word.rsplit("/", 1)[-1].rstrip(".,:")
                program = "" if _ASSIGNMENT.match(word) else name
            elif end > at and _is_prose(words, end, program):
                return end
            if word in ("&&", "||", "|", ";") or word.endswith(";"):
                program = ""
        in_quote = _open_quote(word, in_quote)
        if not in_quote and _ends_sentence(words, end):
            return end + 1
    return len(words)


def _is_prose(words: list[str], at: int, program: str) -> bool:
    bare = _bare(words[at])
    if words[at] in known.VERBS.get(program, ()) and (
        words[at - 1].endswith(program) or words[at - 1].startswith("-")
    ):
        return False
    if bare in known.PROSE and words[at][0].isalpha():
        return True
    if words[at] in ("-", "–", "—", "→", "->", "=>") or words[at].startswith("("):
        return True
    if bare in known.SOMETIMES_PROSE and program not in known.TAKES_WORDS and words[at].isalpha():
        following = "".join(words[at + 1 : at + 2])
        # `chkconfig httpd on`, `host -t a example.com`
        return not ((bare == "on" and not following) or (bare == "a" and "." in following))
    return False


def _open_quote(word: str, in_quote: str) -> str:
    for position, mark in enumerate(word):
        if in_quote:
            in_quote = "" if mark == in_quote else in_quote
        elif mark in "'\"" and not (mark == "'" and position and word[position - 1].isalnum()):
            in_quote = mark
    return in_quote


def _ends_sentence(words: list[str], at: int) -> bool:
    word = words[at]
    if at + 1 == len(words) or word.strip(".") == "":
        return False
    if re.search(r"[,:!?)][\"'”’]?$", word):
        return not (word.endswith(")") and "(" in word)
    return re.search(r"\w/?\.[\"'”’)]?$", word) is not None
