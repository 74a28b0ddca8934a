"""Compares documentation with the code it describes.

The examples of a docstring run on the module as it was given, and again on mutants of the function:
a good one is true of the code, and false of a mutant. For a function whose name misleads, one
mutant is what the name suggests. Only plain examples run: those that call functions of the module
with values and look at nothing else, so that none can tell a mutant by another way. An example
shows a value only if it is the function's own: `f(x) == f(x)` shows none.
"""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from assay.checking import (
    Candidate,
    Check,
    Code,
    Example,
    as_steps,
    called,
    choose_code,
    find_obstacle,
    holds,
    is_word,
    parse,
    read_examples,
)

MODULE = "toolbox"
UNCHANGED, CHANGED = 3, 9  # weights: documentation of other code than was given costs more
SAYS, DESCRIBED, EXAMPLES, MUTANTS, DIFFERENCE = 1.5, 2, 1, 1, 7  # weights
MOST_ALIKE = 0.7  # share of words that the texts of two functions may have in common
FEWEST_WORDS = 4  # of a text
FOR_RESULTS = re.compile(r"\breturn|\bresult|\bgiv(?:e|es|en)\b|\byield|\boutput|->", re.IGNORECASE)
TOO_FEW = "fewer than half of the functions pass both their words and their examples"
WRAPPERS = {"print", "list", "sorted", "dict", "tuple", "round", "repr", "str"}
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
    if code.blocks and find_obstacle(answer, code):
        code = Code(blocks=())  # nobody could import the module any more
    no = "not counted, since the code of most functions was changed: documentation of other code"
    for one in check_documentation(code, truth, files):
        is_none = one.passed and is_other_code(original, code)
        yield replace(one, passed=False, why=no) if is_none else one


def check_documentation(
    code: Code, truth: dict[str, Any], files: dict[str, str]
) -> Iterator[Check]:
    original = ast.parse(files["toolbox.py"])
    names = [one["name"] for one in truth["functions"]]
    texts = {name: code.docstring(name) for name in names}
    examples = [*check_examples(truth["functions"], texts, files["toolbox.py"])]
    given = {one.name for one in ast.walk(code.tree) if isinstance(one, ast.FunctionDef)}
    written = {one.name: one for one in check_texts(original, truth["functions"], texts, given)}
    shown = {one.name: bool(one.passed) for one in examples}
    said = {role: bool(written[f"{role}_words"].passed) for role in
            (one["role"] for one in truth["functions"])}  # fmt: skip
    named = {f"{one['role']}_{kind}": one["name"] for one in truth["functions"]
             for kind in ("words", "names", "difference")}  # fmt: skip
    for name, one in written.items():
        # What a text says of a function that misleads is true where it shows how.
        misled = not shown.get(f"{name.rpartition('_')[0]}_difference", True)
        why = (f"not counted, since no true example shows how {named[name]} differs from its name: "
               "the text on it")  # fmt: skip
        yield Check(name, False, why, one.weight) if misled and one.passed else one
    for one in examples:
        is_alone = one.name.endswith("_difference") and not said[one.name.rpartition("_")[0]]
        why = f"not counted, since no text says what {named.get(one.name)} does: its example"
        yield Check(one.name, False, why, one.weight) if is_alone and one.passed else one
    told = sum(shown[f"{role}_examples"] and said[role] for role in said)
    yield check_module(code, counts=2 * told >= len(names))
    yield check_code(original, code, counts=2 * told >= len(names))


def is_other_code(original: ast.Module, code: Code) -> bool:
    """Whether most of the given functions are there with other code."""
    given = [one for one in original.body if isinstance(one, ast.FunctionDef)]
    own = [(one, code.function(one.name)) for one in given]
    changed = [one.name for one, other in own if other is not None
               and outline(ast.Module([one], [])) != outline(ast.Module([other], []))]  # fmt: skip
    return 2 * len(changed) > len(given)


def check_module(code: Code, *, counts: bool) -> Check:
    there = any(ast.get_docstring(block.tree) for block in code.blocks)
    why = "the module has a docstring" if there else "the module has no docstring"
    why = why if counts or not there else f"not counted, since {TOO_FEW}"
    return Check("module_docstring", there and counts, why)


def check_code(original: ast.Module, code: Code, *, counts: bool) -> Check:
    same = outline(code.tree) == outline(original)
    changed = "the code was changed, or is not complete"
    changed = changed if code.blocks else "no code block has what was asked for"
    why = "the code is what it was" if same else changed
    why = why if counts or not same else f"not counted, since {TOO_FEW}"
    weight = UNCHANGED if same else CHANGED
    return Check("code_unchanged", same and counts, why, weight=weight)


def check_texts(
    original: ast.Module,
    functions: list[dict[str, Any]],
    texts: dict[str, str],
    given: set[str],
) -> Iterator[Check]:
    """Whether each docstring says something of its own about its function, and names what that
    takes, gives and raises. `given`: the functions that the answer has.
    """
    nodes = {one.name: one for one in original.body if isinstance(one, ast.FunctionDef)}
    said = {name: words_of(text) for name, text in texts.items()}
    for one in functions:
        name = one["name"]
        why = why_empty(one, texts[name], said, given)
        spoken = f"{name}: the docstring has words for what it does; what it says is not read"
        yield Check(f"{one['role']}_words", not why, why or spoken, weight=SAYS)
        missing = list_missing(nodes[name], texts[name])
        if texts[name].strip():
            uncounted = f"not counted, since {one['role']}_words does not pass: what {name} takes"
            why = uncounted if why else ""
            why = f"missing in the docstring of {name}: {', '.join(missing)}" if missing else why
        named = f"{name}: parameters, result and exceptions are named"
        yield Check(f"{one['role']}_names", not why, why or named, weight=DESCRIBED)


def why_empty(one: dict[str, Any], text: str, said: dict[str, set[str]], given: set[str]) -> str:
    """Why a docstring says nothing of its function that can be told from another; else ""."""
    name = one["name"]
    if not text.strip():
        return f"{name} has no docstring" if name in given else f"{name} is not in the code"
    if len(said[name]) < FEWEST_WORDS:
        return f"{name}: the docstring has hardly a word beside lists and examples"
    for other, words in said.items():
        common = len(said[name] & words)
        if other != name and words and common > MOST_ALIKE * min(len(said[name]), len(words)):
            return f"{name}: most words of the docstring are those of {other}"
    prose = re.sub(rf"\b{re.escape(name)}\b|(?m:^\s*>>>.*$)", " ", text).casefold()
    words = set(re.findall("[a-z]+", prose))
    if not all(any(is_word(word, group) for word in words) for group in one["words"]):
        return f"{name}: the docstring has none of the words looked for to say what sets it apart"
    return ""


def list_missing(node: ast.FunctionDef, text: str) -> list[str]:
    """What the function takes, gives and raises, and the docstring does not name."""
    parameters = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    raised = {ast.unparse(line).split()[1].split("(")[0] for line in ast.walk(node)
              if isinstance(line, ast.Raise)}  # fmt: skip
    missing = sorted((parameters | raised) - set(re.findall(r"\w+", text)))
    return missing + ([] if FOR_RESULTS.search(text) else ["a word such as returns or result"])


def words_of(text: str) -> set[str]:
    """Of the first lines, before parameters and examples are listed: what the function does."""
    text = text.replace("_", " ")
    lines = [line for line in text.splitlines() if ">>>" not in line]
    first: list[str] = []
    for line in lines:
        if re.match(r"\s*(?:[-*:]|\w+\s*:|\w+\s*\(|-{3,})", line) and first:
            break
        first.append(line)
    return set(re.findall(r"[a-z]{3,}", " ".join(first).casefold()))


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
    for one in functions:
        name, role, is_trap = one["name"], one["role"], one["role"].startswith("trap")
        own = [shows(example, name, names) for example in examples[name]]
        held = real[name]
        false = [example.code.strip() for example, true in zip(examples[name], held, strict=True)
                 if not true]  # fmt: skip
        told = [
            any(
                mine and true and not still
                for mine, true, still in zip(own, held, other[name], strict=True)
            )
            for other in changed[: len(one["mutants"])]
        ]
        why = f"examples of {name} that are not true: {', '.join(map(repr, false[:3]))}"
        why = why if false else f"every example of {name} is true"
        if not any(own):
            why = f"{name} has no example that calls it and shows the value"
        yield Check(f"{role}_examples", any(own) and not false, why, weight=EXAMPLES)
        if is_trap:
            why = f"no true example of {name} shows that its name misleads"
            why = f"an example of {name} shows that its name misleads" if told[0] else why
            yield Check(f"{role}_difference", told[0], why, weight=DIFFERENCE)
        others = told[is_trap:]
        why = (f"true examples of {name} tell it from {sum(others)} of {len(others)} wrong versions"
               " of it; half are needed")  # fmt: skip
        yield Check(f"{role}_mutants", 2 * sum(others) >= len(others) and any(own), why,
                    weight=MUTANTS)  # fmt: skip


def own_examples(text: str, name: str, names: set[str]) -> list[Example]:
    """The plain examples of a docstring, if one of them shows what the function does."""
    found = [one for one in read_examples(text) if is_plain(one.code, names)]
    return found if any(shows(one, name, names) for one in found) else []


def shows(example: Example, name: str, names: set[str]) -> bool:
    """Whether it calls the function, no other of the module, and shows what comes back."""
    tree = parse(example.code)
    last = tree.body[-1] if tree is not None and tree.body else None
    if not example.promised or called(example) & names != {name} or not isinstance(last, ast.Expr):
        return False
    value = last.value
    while isinstance(value, ast.Call) and value.args and called_name(value) in WRAPPERS:
        value = value.args[0]
    return isinstance(value, ast.Call) and called_name(value) == name


def called_name(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


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
