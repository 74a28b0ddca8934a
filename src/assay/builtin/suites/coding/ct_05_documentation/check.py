"""Compares documentation with the code it describes.

The examples of a docstring run on the module as it was given, and again on mutants of the function:
a good one is true of the code, and false of a mutant. For a function whose name misleads, one
mutant is what the name suggests. Only plain examples run: those that call functions of the module
with values and look at nothing else, so that none can tell a mutant by another way. An example
shows a value only if it is the function's own: `f(x) == f(x)` shows none, and neither does an
exception. Where a name misleads, a line of a fixed form has to say so: what a call gives, and what
it would give by the name; where none does, such a line is false. Sentences are not read, in no
language. The code has to be what was given, but for docstrings and comments. Of two whole modules
that differ the worse one counts: nobody knows which of them is used.
"""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from assay.checking import (
    Block,
    Candidate,
    Check,
    Code,
    Example,
    as_steps,
    called,
    choose_code,
    code_blocks,
    find_obstacle,
    holds,
    parse,
    read_examples,
    share_of,
    words_in,
)

MODULE = "toolbox"
UNCHANGED, INCOMPLETE = 3, 9  # weights: to leave functions out costs more
MOST_CHANGED = 0.25  # of all, for a module that does something else than was given
SAYS, DESCRIBED, EXAMPLES, MUTANTS, DIFFERENCE, STATED = 1.5, 2, 1, 1, 3.5, 6  # weights
MOST_MODULES = 3  # of an answer
MOST_STATED = 5  # lines of a docstring that are read
MOST_GUESSED = 0.25  # of all, for who says of every name that it misleads, or as often falsely
LONGEST_WORD = 15  # in letters; what is longer is a language without blanks
MOST_ALIKE = 0.7  # share of words that the texts of two functions may have in common
FEWEST_WORDS = 4  # of a text
STATEMENT = re.compile(r"(?mi)^[^\w\n]*differs\b[^\w\n]*(.+)$")
TOO_FEW = "fewer than half of the functions pass both their words and their examples"
# What declares types, or runs the examples where the module is run, does nothing else.
DECLARING = {"__future__", "collections.abc", "doctest", "typing"}
RUNS_EXAMPLES = {
    f"if {one}:\n    {before}doctest.testmod({verbose})"
    for one in ("__name__ == '__main__'", "'__main__' == __name__")
    for before in ("", "import doctest\n    ")
    for verbose in ("", "verbose=True")
}
TYPING = (ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.BinOp,
          ast.BitOr, ast.expr_context)  # fmt: skip
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
    names = [one["name"] for one in truth["functions"]]
    code = choose_code(answer, names)
    obstacle = find_obstacle(answer, code)
    if code is None or obstacle:  # nobody could import it
        for one in check_one(Code(blocks=()), truth, files):
            yield replace(one, passed=False, why=obstacle, at_most=1)
        return
    found = [[*check_one(code, truth, files)]]
    for other in whole_modules(answer, set(names)):
        if len(code.blocks) == 1 and other.text != code.main.text and len(found) < MOST_MODULES:
            found.append([*check_one(Code(blocks=(other,)), truth, files)])
    yield from min(found, key=share_held)


def whole_modules(answer: str, names: set[str]) -> Iterator[Block]:
    """The blocks that define all functions, with a docstring: a quoted task has none."""
    for text in dict.fromkeys(code_blocks(answer, "python")):
        tree = parse(text)
        if tree is not None:
            block = Block(text, tree)
            documented = any(
                ast.get_docstring(one) for one in tree.body if isinstance(one, ast.FunctionDef)
            )
            if documented and names <= block.defined:
                yield block


def share_held(checks: list[Check]) -> float:
    """What comes of them, with what must be held to."""
    return min(share_of(checks), *(one.at_most for one in checks if one.passed is False), 1)


def check_one(code: Code, truth: dict[str, Any], files: dict[str, str]) -> Iterator[Check]:
    original = ast.parse(files["toolbox.py"])
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
    examples = [
        *check_examples(truth["functions"], texts, files["toolbox.py"], "\n".join(code.sources))
    ]
    given = {one.name for one in ast.walk(code.tree) if isinstance(one, ast.FunctionDef)}
    written = {one.name: one for one in check_texts(original, truth["functions"], texts, given)}
    examples += check_statements(
        truth["functions"], texts, files["toolbox.py"], "\n".join(code.sources)
    )
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
        yield replace(one, passed=False, why=why) if misled and one.passed else one
    for one in examples:
        is_alone = one.name.endswith("_difference") and not said[one.name.rpartition("_")[0]]
        why = f"not counted, since no text says what {named.get(one.name)} does: its example"
        yield replace(one, passed=False, why=why) if is_alone and one.passed else one
    told = sum(shown[f"{role}_examples"] and said[role] for role in said)
    yield check_module(code, counts=2 * told >= len(names))
    yield check_code(original, code, counts=2 * told >= len(names))


def is_other_code(original: ast.Module, code: Code) -> bool:
    """Whether most of the given functions are there with other code."""
    given = [one for one in original.body if isinstance(one, ast.FunctionDef)]
    own = [(one, code.function(one.name)) for one in given]
    changed = [one.name for one, other in own if other is not None
               and outline(ast.Module([one], []), declared=True)
               != outline(ast.Module([other], []), declared=True)]  # fmt: skip
    return 2 * len(changed) > len(given)


def check_module(code: Code, *, counts: bool) -> Check:
    there = any(ast.get_docstring(block.tree) for block in code.blocks)
    why = "the module has a docstring" if there else "the module has no docstring"
    why = why if counts or not there else f"not counted, since {TOO_FEW}"
    return Check("module_docstring", there and counts, why)


def check_code(original: ast.Module, code: Code, *, counts: bool) -> Check:
    """Whether the code is what it was. What only declares, or runs the examples, is a fault; what
    does anything else makes another module of it.
    """
    given, own = outline(original), outline(code.tree)
    harmless = given is not None and given == outline(code.tree, declared=True)
    added = own is None or bool(Counter(own) - Counter(given or ()))
    why = "the code is what it was"
    if own != given:
        why = "the code was changed" if added else "the code is not complete"
        why = why if code.blocks else "no code block has what was asked for"
        if harmless:
            why = "the code was changed: types, imports or a main part were added"
    elif not counts:
        why = f"not counted, since {TOO_FEW}"
    weight = UNCHANGED if own == given or harmless else INCOMPLETE
    most = MOST_CHANGED if added and not harmless and code.blocks else 1
    return Check("code_unchanged", own == given and counts, why, weight=weight, at_most=most)


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
            why = (
                f"without a line of its own in the docstring of {name}: {', '.join(missing)}"
                if missing
                else why
            )
        named = f"{name}: parameters, result and exceptions are named"
        yield Check(f"{one['role']}_names", not why, why or named, weight=DESCRIBED)


def why_empty(one: dict[str, Any], text: str, said: dict[str, set[str]], given: set[str]) -> str:
    """Why a docstring says nothing of its function that can be told from another; else ""."""
    name = one["name"]
    if not text.strip():
        return f"{name} has no docstring" if name in given else f"{name} is not in the code"
    if len(said[name]) < FEWEST_WORDS:
        return f"{name}: the docstring has hardly a word beside lists and examples"
    own = said[name] - words_in(name)
    if not own:
        return f"{name}: the docstring has no word beside the name"
    for other, words in said.items():
        rest = words - words_in(other)  # a name put into one text for all makes no other text
        common = len(own & rest)
        if other != name and rest and common > MOST_ALIKE * min(len(own), len(rest)):
            return f"{name}: most words of the docstring, beside its name, are those of {other}"
    return ""


def list_missing(node: ast.FunctionDef, text: str) -> list[str]:
    """What the function takes, gives and raises, and has no line of its own in the docstring."""
    parameters = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    raised = {ast.unparse(line).split()[1].split("(")[0] for line in ast.walk(node)
              if isinstance(line, ast.Raise)}  # fmt: skip
    missing = [name for name in sorted(parameters | raised) if not has_line(text, name)]
    has_result = re.search(r"(?mi)^[^\w\n]*returns?\b", text)
    return missing + ([] if has_result else ["returns"])


def has_line(text: str, label: str) -> bool:
    """Whether a line begins with the label, and text follows: `size: ...`, `:param size: ...`,
    `size (int): ...`, "Raises ValueError: ...".
    """
    before = r"^[^\w\n]*(?:(?:param\w*|raises?)[ \t]+)?[`*]*"
    after = r"[`*]*[ \t]*(?:\([^)\n]*\)[ \t]*)?[`*]*:[^\w\n]*\n?[^\w\n]*\w"
    return bool(re.search(f"(?mi){before}{re.escape(label)}{after}", text))


def words_of(text: str) -> set[str]:
    """Of the first lines, before parameters and examples are listed: what the function does."""
    text = text.replace("_", " ")
    lines = [line for line in text.splitlines() if ">>>" not in line]
    first: list[str] = []
    for line in lines:
        if re.match(r"\s*(?:[-*:]|\w+\s*:|\w+\s*\(|-{3,})", line) and first:
            break
        first.append(line)
    words = re.findall(r"[^\W\d]{2,}", " ".join(first).casefold())
    pairs = [word[at : at + 2] for word in words if len(word) > LONGEST_WORD
             for at in range(0, len(word), 2)]  # fmt: skip
    return {*pairs, *(word for word in words if len(word) <= LONGEST_WORD)}


def check_statements(
    functions: list[dict[str, Any]], texts: dict[str, str], original: str, own_source: str
) -> Iterator[Check]:
    """Whether a line `differs: CALL == VALUE != OTHER` of each function whose name misleads is true
    of it and of what its name suggests; and one check for each function with such a line that is
    false.
    """
    names = set(texts)
    traps = [one for one in functions if one["role"].startswith("trap")]
    given = {name: read_statements(text, name, names) for name, text in texts.items()}
    suggested = "\n\n\n".join([original, *(one["mutants"][0] for one in traps)])
    runs = ((0, original), (0, own_source), (1, suggested), (1, original))
    held = [run_examples({name: [pair[which] for pair in pairs] for name, pairs in given.items()},
                         source)
            for which, source in runs]  # fmt: skip
    told = {
        one["name"]: any(
            is_so and here and by_name and not same
            for (is_so, _), (here, _), (by_name, _), (same, _) in zip(
                *(run[one["name"]] for run in held), strict=True
            )
        )
        for one in traps
    }
    for one in traps:
        name = one["name"]
        why = f"{name}: a true line says what it gives, and what it would give by its name"
        if not told[name]:
            why = f"{name}: no true line of the form differs: CALL == VALUE != OTHER"
        yield Check(f"{one['role']}_stated", told[name], why, weight=STATED)
    false = {}
    for one in functions:
        if pairs := given[one["name"]]:
            true = [is_so for is_so, _ in held[0][one["name"]]]
            if reason := why_false(one, pairs, true, original):
                false[one["role"]] = reason
    blamed = sum(role.startswith("plain") for role in false)
    guessed = blamed and blamed >= min(sum(told.values()), len(functions) - len(traps))
    most = MOST_GUESSED if guessed else 1
    for role, reason in false.items():
        yield Check(f"{role}_accused", False, reason, weight=STATED, at_most=most)


def why_false(
    one: dict[str, Any], pairs: list[tuple[Example, Example]], true: list[bool], original: str
) -> str:
    """Why a line on a difference is false; "" where all are true: a call gives another value, or
    the name is said to mislead and does not, in whichever way it can be read.
    """
    name = one["name"]
    if not all(true):
        pair = pairs[true.index(False)]
        return f"{pair[0].code.strip()} does not give {pair[0].promised}, as a line on {name} says"
    if one["role"].startswith("trap"):
        return ""
    others = {name: [other for _, other in pairs]}
    read = [run_examples(others, f"{original}\n\n\n{form}")[name] for form in one["forms"]]
    if all(any(run[at][0] for run in read) for at in range(len(pairs))):
        return ""
    return f"{name} does what its name says, and a line says that it differs"


def read_statements(text: str, name: str, names: set[str]) -> list[tuple[Example, Example]]:
    """Each statement as two examples: the call with its value, and with that by the name."""
    found = []
    for line in STATEMENT.findall(text)[:MOST_STATED]:
        tree = parse(line.strip(" `*.:"))
        value = (
            tree.body[0].value if tree and tree.body and isinstance(tree.body[0], ast.Expr) else 0
        )
        if not isinstance(value, ast.Compare) or len(value.comparators) != 2:
            continue
        if [type(one) for one in value.ops] != [ast.Eq, ast.NotEq]:
            continue
        code = ast.unparse(value.left) + "\n"
        pair = tuple(Example(code, ast.unparse(one)) for one in value.comparators)
        if is_plain(code, names) and all(shows(one, name, names) for one in pair):
            found.append((pair[0], pair[1]))
    return found


def outline(tree: ast.Module, *, declared: bool = False) -> list[str] | None:
    """The statements of a module without docstrings; with `declared` without what only declares
    types, or runs the examples, too.
    """
    try:
        bare = [Bare(declared).visit(one) for one in ast.parse(ast.unparse(tree)).body]
        return sorted(ast.dump(one) for one in bare
                      if one is not None and not (declared and is_beside(one)))  # fmt: skip
    except (RecursionError, SyntaxError, ValueError, MemoryError):
        return None


def is_beside(line: ast.stmt) -> bool:
    """Whether a statement does nothing but declare, or run the examples."""
    if isinstance(line, ast.Import):
        return {one.name for one in line.names} <= DECLARING
    if isinstance(line, ast.ImportFrom):
        return line.module in DECLARING
    return isinstance(line, ast.If) and ast.unparse(line) in RUNS_EXAMPLES


class Bare(ast.NodeTransformer):
    """Drops texts that stand alone; and types, where these are only declared."""

    def __init__(self, declared: bool) -> None:
        self.declared = declared

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = self.without_type(node.returns)
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = self.without_type(node.annotation)
        return node

    def without_type(self, node: ast.expr | None) -> ast.expr | None:
        is_type = node is not None and all(isinstance(one, TYPING) for one in ast.walk(node))
        return None if is_type and self.declared else node


def check_examples(
    functions: list[dict[str, Any]], texts: dict[str, str], original: str, own_source: str
) -> Iterator[Check]:
    """Whether the examples of each function are true of it, in the answer's module too, and show
    another value of its mutants.
    """
    names = set(texts)
    examples = {name: own_examples(text, name, names) for name, text in texts.items()}
    real, again = run_examples(examples, original), run_examples(examples, own_source)
    # One module for the first mutants of all functions, and one for the second.
    changed = []
    for at in range(max(len(one["mutants"]) for one in functions)):
        mutants = [one["mutants"][at] for one in functions if at < len(one["mutants"])]
        changed.append(run_examples(examples, "\n\n\n".join([original, *mutants])))
    for one in functions:
        name, role, is_trap = one["name"], one["role"], one["role"].startswith("trap")
        own = [shows(example, name, names) for example in examples[name]]
        held = [one and other for (one, _), (other, _) in
                zip(real[name], again[name], strict=True)]  # fmt: skip
        false = [example.code.strip() for example, true in zip(examples[name], held, strict=True)
                 if not true]  # fmt: skip
        told = [
            any(
                mine and true and has_value and not still
                for mine, true, (still, has_value) in zip(own, held, other[name], strict=True)
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
    if not example.promised or example.promised.startswith("Traceback"):
        return False
    if called(example) & names != {name} or not isinstance(last, ast.Expr):
        return False
    value = last.value
    while isinstance(value, ast.Call) and value.args and called_name(value) in WRAPPERS:
        value = value.args[0]
    return isinstance(value, ast.Call) and called_name(value) == name


def called_name(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def run_examples(
    examples: dict[str, list[Example]], source: str
) -> dict[str, list[tuple[bool, bool]]]:
    """For each function's examples, by its name: whether they are true of a module, and whether a
    value came back.
    """
    # Once in the order of the module, and once more in another, in the same process: an example
    # that is true only before others have been run is not.
    order = Random(repr(examples)).sample([*examples], len(examples))
    rounds = [[*examples], order]
    steps = [
        step for names in rounds for name in names for step in as_steps(examples[name], MODULE)
    ]
    result = Candidate([""], modules={MODULE: source}).run(*steps) if steps else None
    if result is None or result.ended != "done":
        return {name: [(False, False)] * len(some) for name, some in examples.items()}
    left = iter(result.steps)
    first, again = (
        {
            name: [(holds(one, step), step.raised is None)
                   for one in examples[name] for step in (next(left),)]
            for name in names
        }
        for names in rounds
    )  # fmt: skip
    return {
        name: [
            (is_so and still, came and comes)
            for (is_so, came), (still, comes) in zip(first[name], again[name], strict=True)
        ]
        for name in examples
    }


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
