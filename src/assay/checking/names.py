"""The names that code defines, imports and uses.

In: syntax trees, hostile. Out: names.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator, Sequence


def defined_in(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that these statements bind: definitions, imports, assignments."""
    for line in body:
        if isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield line.name
        elif isinstance(line, ast.Import | ast.ImportFrom):
            yield from imported(line)
        elif isinstance(line, ast.Assign | ast.AnnAssign):
            targets = line.targets if isinstance(line, ast.Assign) else [line.target]
            yield from (
                one.id
                for target in targets
                for one in ast.walk(target)
                if isinstance(one, ast.Name)
            )
        elif isinstance(line, ast.If | ast.Try | ast.With):
            yield from defined_in(line.body)


def imported(line: ast.stmt) -> Iterator[str]:
    """The names that an import binds, if it can: other modules than Python's own are not there."""
    if isinstance(line, ast.Import):
        for alias in line.names:
            if alias.name.split(".")[0] in sys.stdlib_module_names:
                yield alias.asname or alias.name.split(".")[0]
    elif isinstance(line, ast.ImportFrom) and line.module and not line.level:
        for alias in line.names:
            if line.module.split(".")[0] in sys.stdlib_module_names:
                yield alias.asname or alias.name


def without_imports(text: str, tree: ast.Module, defined: Collection[str]) -> str:
    """Without the imports of what other blocks define: there is no file to import it from."""
    # As Python counts them: a lone carriage return ends a line too.
    lines = re.split(r"\r\n|\r|\n", text)
    for line in tree.body:
        if (
            isinstance(line, ast.ImportFrom)
            and not any(imported(line))
            and {alias.asname or alias.name for alias in line.names} <= set(defined)
        ):
            last = line.end_lineno or line.lineno
            lines[line.lineno - 1 : last] = [""] * (last - line.lineno + 1)
    return "\n".join(lines)


def names_of(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Names that are read somewhere, and those that are bound: what is not has to come from
    elsewhere.
    """
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return read, bound
