"""What a docstring says of parameters, results and exceptions, in the usual styles.

In: docstrings and syntax trees, hostile. Out: names described, names invented, yes or no. Refuses
to know: whether a description is good.

Styles: sections with `Args:` (and their like, in bold too), sections underlined with dashes,
`:param name:` and `@param name:`, and plain lists or sentences with the name in backticks.
"""

from __future__ import annotations

import ast
import re

from assay.evidence.code_answers import Function

_LONGEST = 20_000
_SECTION = re.compile(
    r"[ \t]*[*_#]{0,3}[ ]?(?:args|arguments|parameters|params)[ \t]*:?[*_]{0,3}:?[ \t]*",
    re.IGNORECASE,
)
_OTHER = r"(?:returns?|raises?|yields?|examples?|notes?|warnings?|see also|throws)"
_OTHER_SECTION = re.compile(
    # Underlined, or with a colon; then something may follow in the same line.
    rf"[ \t]*(?:[-*+] )?[*_#`]{{0,3}}[ ]?{_OTHER}[ \t]*[*_`]{{0,3}}(?:[ \t]*|[ \t]*:.*)",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"[ \t]*-{3,}[ \t]*")
_NAME_ALONE = re.compile(r"[ \t]*[*]{0,2}(\w{1,60}(?:, [*]{0,2}\w{1,60}){0,9})[ \t]*")
_ENTRY = re.compile(
    r"[ \t]*(?:[-*+] )?[`*]{0,3}(\w{1,60})[`*]{0,3}[ \t]*"
    r"(?:\([^)\n]{0,120}\))?[ \t]*(?::|--|–|—|- )"
)
_SPHINX = re.compile(r"[:@]param(?:eter)? (?:[\w\[\], |.]{1,60} )?[*]{0,2}(\w{1,60}):")
_RESULT = re.compile(
    r"\breturns?\b|\breturned\b|\bgives? back\b|\byields?\b|\bresult\b", re.IGNORECASE
)


def docstring_of(function: Function) -> str:
    """Its docstring, without the indentation; "" if it has none."""
    return (ast.get_docstring(function) or "")[:_LONGEST]


def described(docstring: str, name: str) -> bool:
    """Whether a parameter is described."""
    if name in _entries(docstring) or name in _SPHINX.findall(docstring):
        return True
    return re.search(rf"[`*'\"]{re.escape(name)}[`*'\"]", docstring) is not None


def invented(docstring: str, parameters: tuple[str, ...]) -> list[str]:
    """Names described as parameters that the function does not have."""
    names = [*_entries(docstring), *_SPHINX.findall(docstring)]
    return [name for name in dict.fromkeys(names) if name not in parameters]


def speaks_of_result(docstring: str) -> bool:
    """Whether something is said of what comes back."""
    return _RESULT.search(docstring) is not None


def _entries(docstring: str) -> list[str]:
    """The names that a section for parameters lists."""
    names: list[str] = []
    inside = underlined = False
    margin = -1
    for line in docstring.splitlines():
        if _SECTION.fullmatch(line):
            inside, underlined, margin = True, False, -1
        elif inside and _OTHER_SECTION.fullmatch(line):
            inside = False
        elif inside and margin < 0 and _UNDERLINE.fullmatch(line):
            underlined = True
        elif inside and line.strip(" \t-="):
            indent = len(line) - len(line.lstrip())
            margin = indent if margin < 0 else margin
            if indent < margin:
                inside = False
                continue
            # Deeper lines continue a description.
            if indent == margin:
                names += _named_in(line, alone=underlined)
    return names


def _named_in(line: str, *, alone: bool) -> list[str]:
    """The parameters that an entry names; where a section is underlined, a name may be all."""
    entry = _ENTRY.match(line)
    if entry:
        return [entry.group(1)]
    lone = _NAME_ALONE.fullmatch(line.split(" :")[0]) if alone else None
    return [name.strip("* ") for name in lone.group(1).split(",")] if lone else []


def bare(function: Function) -> str:
    """Its source without docstring and annotations: what remains when it is documented."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    copied = ast.parse(ast.unparse(function)).body[0]
    if not isinstance(copied, Function):
        return ""
    copied.body = list(body) or [ast.Pass()]
    copied.returns = None
    for argument in ast.walk(copied.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return ast.unparse(copied)
