"""Compares documentation with the code it describes.

The examples of a docstring run on the module as it was given, and again on mutants of the function:
a good one is true of the code, and false of a mutant. For a function whose name misleads, the
mutant is what the name suggests. Only plain examples run: those that call functions of the module
with values and look at nothing else, so that none can tell a mutant by another way.
"""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    Example,
    as_steps,
    called,
    choose_code,
    holds,
    parse,
    read_examples,
)

MODULE = "toolbox"
UNCHANGED = 9  # documentation of other code than was given is no more than 0.8
IMPORTABLE = {MODULE, "datetime", "decimal", "fractions", "math", "pprint"}
ALLOWED = {
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "int", "isinstance",
    "len", "list", "max", "min", "print", "range", "repr", "reversed", "round", "set", "sorted",
    "str", "sum", "tuple", "zip", "ValueError", "TypeError", "KeyError", "IndexError", "Exception",
}  # fmt: skip
NODES = (
    ast.Module, ast.Expr, ast.Assign, ast.Call, ast.keyword, ast.Name, ast.Constant, ast.List,
    ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp, ast.Compare, ast.BoolOp, ast.Subscript,
    ast.Slice, ast.Starred, ast.Attribute, ast.JoinedStr, ast.FormattedValue, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.For, ast.Try,
    ast.ExceptHandler, ast.Import, ast.ImportFrom, ast.alias, ast.IfExp, ast.expr_context,
    ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip


def check(answer: str, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    """What the text names, then for each function its examples."""
    original = ast.parse(files["toolbox.py"])
    names = [one["name"] for one in truth["functions"]]
    code = choose_code(answer, names) or Code(blocks=())
    texts = {name: code.docstring(name) for name in names}
    yield from check_text(original, code, texts)
    yield from check_examples(truth["functions"], texts, files["toolbox.py"])


def check_text(original: ast.Module, code: Code, texts: dict[str, str]) -> Iterator[Check]:
    """Whether the code is the same, and everything that it has is named."""
    functions = {one.name: one for one in original.body if isinstance(one, ast.FunctionDef)}
    same = outline(code.tree) == outline(original)
    changed = "was changed, or is not complete" if code.blocks else "asked for is not there"
    why = "the code is what it was" if same else f"the code {changed}"
    yield Check("code_unchanged", same, why, weight=UNCHANGED)
    silent = [name for name, text in texts.items() if not text.strip()]
    if not any(ast.get_docstring(block.tree) for block in code.blocks):
        silent.append("the module")
    yield list_missing("docstrings", "no docstring", silent)
    parameters: list[str] = []
    exceptions: list[str] = []
    for name, text in texts.items():
        nodes = list(ast.walk(functions[name]))
        words = set(re.findall(r"\w+", text))
        given = {node.arg for node in nodes if isinstance(node, ast.arg)}
        raised = {
            ast.unparse(node).split()[1].split("(")[0]
            for node in nodes
            if isinstance(node, ast.Raise)
        }
        parameters += [f"{name}: {one}" for one in sorted(given - words)]
        exceptions += [f"{name}: {one}" for one in sorted(raised - words)]
        exceptions += [name] if not words else []
    yield list_missing("parameters", "parameters that the docstring does not name", parameters)
    yield list_missing("exceptions", "exceptions that the docstring does not name", exceptions)


def list_missing(name: str, what: str, missing: list[str]) -> Check:
    return Check(name, not missing, f"{what}: {', '.join(missing) or 'none'}")


def outline(tree: ast.Module) -> list[str] | None:
    """The statements of a module without docstrings, annotations, imports and a main part."""
    found = []
    try:
        for line in tree.body:
            text = ast.unparse(line)
            if not isinstance(line, ast.Import | ast.ImportFrom) and "__name__ ==" not in text:
                bare = [Bare().visit(one) for one in ast.parse(text).body]
                found += [ast.dump(one) for one in bare if one is not None]
    except (RecursionError, SyntaxError, ValueError, MemoryError):
        return None
    return sorted(found)


class Bare(ast.NodeTransformer):
    """Drops texts that stand alone, and annotations."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node


def check_examples(
    functions: list[dict[str, Any]], texts: dict[str, str], original: str
) -> Iterator[Check]:
    """Whether the examples of each function are true of it, and false of its mutants."""
    names = set(texts)
    examples = {name: own_examples(text, name, names) for name, text in texts.items()}
    real = run_examples(examples, original)
    # One module for the first mutants of all functions, and one for the second.
    changed = []
    for at in range(max(len(one["mutants"]) for one in functions)):
        mutants = [one["mutants"][at] for one in functions if at < len(one["mutants"])]
        changed.append(run_examples(examples, "\n\n\n".join([original, *mutants])))
    hidden = []
    for one in functions:
        name, count, is_trap = one["name"], len(one["mutants"]), one["role"].startswith("trap")
        own = [shows(example, name, names) for example in examples[name]]
        held = real[name]
        false = [example.code.strip() for example, true in zip(examples[name], held, strict=True)
                 if not true]  # fmt: skip
        told = sum(
            any(
                mine and true and not still
                for mine, true, still in zip(own, held, other[name], strict=True)
            )
            for other in changed[:count]
        )
        why = f"examples of {name}, not true: {', '.join(map(repr, false[:3])) or 'none'}"
        if not any(own):
            why = f"{name} has no example that calls it and shows the result"
        yield Check(f"{one['role']}_examples", any(own) and not false, why)
        why = f"true examples of {name} tell {told} of {count} wrong versions of it"
        yield Check(f"{one['role']}_mutants", 2 * told >= count, why, weight=5 if is_trap else 2)
        if is_trap and not told:
            hidden.append(name)
    why = f"names that mislead, without an example that shows it: {', '.join(hidden) or 'none'}"
    yield Check("every_trap", not hidden, why, weight=6)


def own_examples(text: str, name: str, names: set[str]) -> list[Example]:
    """The plain examples of a docstring, if one of them shows what the function does."""
    found = [one for one in read_examples(text) if is_plain(one.code, names)]
    return found if any(shows(one, name, names) for one in found) else []


def shows(example: Example, name: str, names: set[str]) -> bool:
    """Whether it calls the function, no other of the module, and says what comes back."""
    return bool(example.promised) and called(example) & names == {name}


def run_examples(examples: dict[str, list[Example]], source: str) -> dict[str, list[bool]]:
    """For each function's examples, by its name, whether they are true of a module."""
    steps = [step for some in examples.values() for step in as_steps(some, MODULE)]
    result = Candidate([""], modules={MODULE: source}).run(*steps) if steps else None
    if result is None or result.ended != "done":
        return {name: [False] * len(some) for name, some in examples.items()}
    left = iter(result.steps)
    return {name: [holds(one, next(left)) for one in some] for name, some in examples.items()}


def is_plain(code: str, names: set[str]) -> bool:
    """Whether an example does no more than call functions of the module with plain values."""
    tree = parse(code)
    nodes = list(ast.walk(tree)) if tree is not None else []
    calls = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return bool(nodes) and all(is_plain_node(node, names, id(node) in calls) for node in nodes)


def is_plain_node(node: ast.AST, names: set[str], is_called: bool) -> bool:
    """A function of the module may only be called; nothing may take its name."""
    if isinstance(node, ast.Name):
        if node.id in names | ALLOWED:
            return isinstance(node.ctx, ast.Load) and (is_called or node.id not in names)
        return not node.id.startswith("_") and node.id not in dir(builtins)
    if isinstance(node, ast.Attribute):
        hidden = node.attr.startswith(("_", "format")) or not isinstance(node.ctx, ast.Load)
        return not hidden and (is_called or node.attr not in names)
    if isinstance(node, ast.Import):
        return all(one.name in IMPORTABLE and one.asname is None for one in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.module in IMPORTABLE and all(one.asname is None for one in node.names)
    return isinstance(node, NODES)
