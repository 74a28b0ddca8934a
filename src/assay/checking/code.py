"""The Python code in an answer, and which of it is meant.

Nothing is run, and every step is linear in the answer's length.

An answer may quote the code it was given, show a draft, define things in several blocks, and add an
example of use, which may import what was asked for as if it lay in a file. Of the blocks that
define most of the names asked for, the last one is meant; what it uses and does not define is taken
from the other blocks. Where no block that is said to be Python defines any of the names, blocks in
other blocks and blocks of any language are read, in this order.
"""

import ast
import builtins
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from .blocks import LONGEST_ANSWER, PYTHON, code_blocks, fenced

_LONGEST_BLOCK = 100_000
_MOST_BLOCKS = 60
_MOST_TAKEN = 20  # blocks that belong together: a module may come function by function
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
packages: frozenset[str] = frozenset()  # that this test lists; set where the sandbox begins


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block that is Python: its text, and its syntax tree."""

    text: str
    tree: ast.Module

    @property
    def defined(self) -> frozenset[str]:
        return frozenset(_defined_in(self.tree.body))

    def function(self, name: str) -> Function | None:
        """Its last function of that name."""
        return next((one for one in reversed(functions(self.tree)) if one.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """The code that is meant: blocks in the order they are to be loaded, the main one last."""

    blocks: tuple[Block, ...]

    @property
    def main(self) -> Block:
        """The block that defines most of what was asked for."""
        return self.blocks[-1]

    @property
    def tree(self) -> ast.Module:
        return ast.Module([line for block in self.blocks for line in block.tree.body], [])

    @property
    def defined(self) -> frozenset[str]:
        return frozenset().union(*(block.defined for block in self.blocks))

    @property
    def sources(self) -> tuple[str, ...]:
        """What to load, one after the other. Blocks may import from each other as from files."""
        defined = self.defined
        return tuple(_without_imports(block.text, block.tree, defined) for block in self.blocks)

    def function(self, name: str) -> Function | None:
        return next((one for block in reversed(self.blocks) if (one := block.function(name))), None)

    def docstring(self, name: str) -> str:
        """Of the function of that name; "" where there is none."""
        function = self.function(name)
        return "" if function is None else ast.get_docstring(function) or ""


def choose_code(
    answer: str,
    names: Sequence[str],
    *,
    quoted: str = "",
    otherwise: Callable[[Block], bool] = lambda block: False,
) -> Code | None:
    """The code that defines `names`, or as much of it as there is. A block that repeats `quoted`,
    code of the task, is not meant. Where no block defines any, the last that `otherwise` takes is.
    """
    given = _bodies(parse(quoted), names) if quoted else {}
    seen = []
    for blocks in _readings(answer):
        worths = [_worth(block, names, given) for block in blocks]
        best = max(worths, default=0)
        if best > 0:
            main = len(worths) - 1 - worths[::-1].index(best)
            return _completed(blocks, main, names)
        seen.append(blocks)
    for blocks in seen:
        taken = [at for at, block in enumerate(blocks) if otherwise(block)]
        if taken:
            return _completed(blocks, taken[-1], names)
    return None


def missing_package(code: Code) -> str:
    """The first package that loading the code imports and the test does not allow; or "". An import
    in a function, under `except` or behind `if __name__ == ...` is no obstacle to loading.
    """
    for source in code.sources:
        tree = parse(source)
        for line in tree.body if tree is not None else ():
            if isinstance(line, ast.Import | ast.ImportFrom):
                for package, _ in _imports(line):
                    if not is_allowed(package):
                        return package
    return ""


def is_allowed(package: str) -> bool:
    return package in sys.stdlib_module_names or package in packages


def find_obstacle(answer: str, code: Code | None) -> str:
    """Why the code cannot be run, which is its own fault; "" where it can."""
    if code is None:
        is_broken = any(
            language in PYTHON - {""} and parse(text) is None
            for language, text in list(fenced(answer))[:_MOST_BLOCKS]
        )
        if is_broken:
            return "the code cannot be parsed"
        has_block = bool(code_blocks(answer))
        return "no code block has what was asked for" if has_block else "there is no code block"
    if package := missing_package(code):
        allowed = ", ".join(["the standard library", *sorted(packages)])
        return f"the code imports {package}, and the task allows only {allowed}"
    return ""


def _imports(node: ast.AST) -> list[tuple[str, str]]:
    """The packages that an import needs, each with the name that it binds."""
    if isinstance(node, ast.Import):
        packages = [(alias.name.split(".")[0], alias.asname) for alias in node.names]
        return [(package, name or package) for package, name in packages]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        package = node.module.split(".")[0]
        return [(package, alias.asname or alias.name) for alias in node.names]
    return []


def parse(text: str) -> ast.Module | None:
    """Its syntax tree; None where it is no Python, or too much of it."""
    if len(text) > _LONGEST_BLOCK:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in texts, and the like
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def functions(tree: ast.Module) -> list[Function]:
    return [one for one in tree.body if isinstance(one, Function)]


def find_function(block: Block, count: int, *, but: str = "") -> str | None:
    """The only function that takes `count` arguments, or the only public one that needs all."""
    able = [one for one in functions(block.tree) if takes(one, count) and one.name != but]
    for narrowed in (able, [one for one in able if needs(one) == count and one.name[:1] != "_"]):
        if len(names := {one.name for one in narrowed}) == 1:
            return names.pop()
    return None


def needs(function: Function) -> int:
    """How many arguments it must be given by position."""
    arguments = function.args
    return len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)


def takes(function: Function, count: int) -> bool:
    """Whether it can be called with `count` positional arguments."""
    arguments = function.args
    positional = len(arguments.posonlyargs) + len(arguments.args)
    enough = count <= positional or arguments.vararg is not None
    return needs(function) <= count and enough and None not in arguments.kw_defaults


def repeats(block: Block, quoted: str, names: Collection[str]) -> bool:
    """Whether a block holds of the names asked for only what the task gave, docstrings aside."""
    return _bodies(block.tree, names) == _bodies(parse(quoted), names)


def _readings(answer: str) -> Iterator[tuple[Block, ...]]:
    outer = list(fenced(answer))[:_MOST_BLOCKS]
    # The whole answer may be in a block, whose end is then taken for that of one inside.
    inner = [one for _, text in outer for one in fenced(text)][:_MOST_BLOCKS]
    for any_language in (False, True):
        for found in (outer or [("", answer[:LONGEST_ANSWER])], inner):
            yield tuple(
                Block(text, tree)
                for language, text in found
                if (any_language or language in PYTHON) and (tree := parse(text)) and tree.body
            )


def _worth(block: Block, names: Sequence[str], given: dict[str, str]) -> int:
    """How many of the names it defines by itself."""
    if given and _bodies(block.tree, names) == given:
        return 0
    foreign = {name for line in block.tree.body for name in _imported(line)}
    return len((block.defined & set(names)) - foreign)


def _bodies(tree: ast.Module | None, names: Collection[str]) -> dict[str, str]:
    if tree is None:
        return {}
    try:
        return {one.name: _dumped(one) for one in functions(tree) if one.name in names}
    except RecursionError:
        return {}


def _dumped(function: Function) -> str:
    """All but its docstring."""
    body = function.body[ast.get_docstring(function) is not None :]
    return ast.dump(function.args) + "".join(ast.dump(line) for line in body)


def _completed(blocks: Sequence[Block], main: int, names: Sequence[str]) -> Code:
    """With the blocks that define what is still missing, as far as they do."""
    taken = [main]
    defined = [block.defined for block in blocks]
    read, bound = _names_of(blocks[main].tree)
    while True:
        have = frozenset().union(*(defined[at] for at in taken))
        lacking = (set(names) | (read - bound)) - have - _BUILTINS
        more = next(
            (at for at in range(len(blocks) - 1, -1, -1)
             if at not in taken and defined[at] & lacking),
            None,
        )  # fmt: skip
        if more is None or len(taken) == _MOST_TAKEN:
            return Code(blocks=tuple(blocks[at] for at in taken[::-1]))
        taken.append(more)
        also_read, also_bound = _names_of(blocks[more].tree)
        read |= also_read
        bound |= also_bound


def _defined_in(body: Sequence[ast.stmt]) -> Iterator[str]:
    for line in body:
        if isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield line.name
        elif isinstance(line, ast.Import | ast.ImportFrom):
            yield from _imported(line)
        elif isinstance(line, ast.Assign | ast.AnnAssign):
            targets = line.targets if isinstance(line, ast.Assign) else [line.target]
            bound = (one for target in targets for one in ast.walk(target))
            yield from (one.id for one in bound if isinstance(one, ast.Name))
        elif isinstance(line, ast.If | ast.Try | ast.With):
            yield from _defined_in(line.body)


def _imported(line: ast.stmt) -> list[str]:
    """The names that an import binds, if it can: other packages are not there."""
    return [name for package, name in _imports(line) if is_allowed(package)]


def _without_imports(text: str, tree: ast.Module, defined: Collection[str]) -> str:
    """Without the imports of what other blocks define: there is no file to import it from."""
    # As Python counts them: a lone carriage return ends a line too.
    lines = re.split(r"\r\n|\r|\n", text)
    for line in tree.body:
        if (
            isinstance(line, ast.ImportFrom)
            and not _imported(line)
            and {alias.asname or alias.name for alias in line.names} <= set(defined)
        ):
            last = line.end_lineno or line.lineno
            lines[line.lineno - 1 : last] = [""] * (last - line.lineno + 1)
    return "\n".join(lines)


def _names_of(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Names that are read somewhere, and those that are bound: the rest comes from elsewhere."""
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
