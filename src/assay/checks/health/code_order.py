"""Whether code is a heap of its own tokens.

In: an answer as read. Out: where neighbours among the tokens of its code stand that no language
allows, or None where they are few.

No parser is asked, since answers mix languages and are cut anywhere. Heaps of tokens show in what
hardly any language has: statement words side by side (`def fi`), an operator before a closing
bracket or another operator (`&& ==`), brackets closed by another kind (`( ]`).
"""

from __future__ import annotations

import re

from assay.checks.health.reading import Passage, Read
from assay.checks.shell.programs import names
from assay.messages import tr

TOKENS_READ = 4_000
FEWEST_ODD, ODD_SHARE = 3, 0.04  # tokens that cannot stand there; of all

_TOKEN = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`[^`\n]*`"
    r"|[A-Za-z_$@][\w$]*|\d[\w.]*|([=~*#.+!?\-|<>:])\1{3,}"  # the last: rulers
    r"|===|!==|<<=|>>=|\*\*|==|!=|<=|>=|=>|->|::|&&|\|\||\+=|-=|\+\+|--|:=|/\*|\*/|//|\S"
)
_COMMENT = re.compile(r"\s*(?:#(?!include|define|endif|if)|//|/\*|\*|--|;|<!--|rem\b)", re.I)
_STATEMENTS = names(
    "def fi elif else esac done then return import goto typedef struct sizeof try except class "
    "while for if switch break continue printf async await lambda raise yield finally catch throw "
    "function var let const null NULL None SELECT INSERT UPDATE DELETE elseif endif foreach"
)
# Statement words that may follow these.
_MAY_FOLLOW = {
    first: names(seconds)
    for first, seconds in {
        "else": "if for while switch return continue break null None NULL lambda printf raise "
        "throw async const def function",
        "then": "return break continue for if while printf",
        "async": "function def for",
        "return": "await lambda null NULL None sizeof function async class if",
        "typedef": "struct",
        "const": "struct async await null",
        "if": "sizeof await None null NULL",
        "import": "async class function",
        "for": "const let var await",
        "done": "for done fi if",
        "fi": "done fi for if",
        "esac": "done",
        "None": "if for else",
        "NULL": "if",
        "null": "if else",
        "def": "class else return if",
        "break": "if",
        "continue": "if",
        "raise": "None",
        "try": "return",
        "yield": "await",
        "lambda": "return",
        "sizeof": "struct",
        "function": "return",
    }.items()
}
_BINARY = names("== != <= >= => -> :: && || += -= := === !== = | , . ~ + / % < ( [ {")
_CANNOT_FOLLOW = names("== != <= >= => && || += -= := === !== ) ] } ; , */ = -> catch except")
# Trailing commas, "..", empty brackets, slices, shell's "; )" and tests, patterns, tags.
_FINE = tuple(
    (names(these), names(those))
    for these, those in (
        (", . | :: = ~ + / % < ( [ {", ") ] } ; ,"),
        ("= . | ~ + / % < (", "= == ->"),
        ("( [ {", "; && || = == !="),
        ("|| ==", ")"),
    )
)
_CLOSES = {")": "(", "]": "[", "}": "{"}


def heaped(about: Read) -> Passage | None:
    """Whether too much of the lines that are code or data is what no language allows."""
    tokens, odd = 0, []
    waiting: list[str] = []
    for line in about.lines:
        raw = about.text[line.start : line.end]
        if line.kind == "prose" or _COMMENT.match(raw) or tokens >= TOKENS_READ:
            continue
        before = ""
        for match in _TOKEN.finditer(raw):
            token = match[0]
            tokens += 1
            if _strange(before, token) or _closes_another(waiting, token):
                odd.append(line.start + match.start())
            before = token
    if len(odd) < max(FEWEST_ODD, ODD_SHARE * tokens):
        return None
    return Passage(odd[0], odd[-1] + 1, tr("It looks like code, but is a heap of its tokens."))


def _strange(before: str, token: str) -> bool:
    if before in _STATEMENTS and token in _STATEMENTS:
        return token not in _MAY_FOLLOW.get(before, ())
    if before in _BINARY and token in _CANNOT_FOLLOW:
        return not any(before in these and token in those for these, those in _FINE)
    return False


def _closes_another(waiting: list[str], token: str) -> bool:
    if token in _CLOSES.values():
        waiting.append(token)
    elif token in _CLOSES and waiting:
        return waiting.pop() != _CLOSES[token]
    return False
