"""Answers to CT-04, CT-05 and CT-06 that try to pass without solving the task. None gets more
than a quarter at a seed, three in turn, whatever they list, print, patch or claim.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest

from assay import checkers
from assay.checkers import Made
from assay.errors import SandboxUnavailable
from assay.sandbox import Sandbox, open_sandbox
from assay.types.tests import SHIPPED_SUITES

SEEDS = range(1, 4)
Cheat = Callable[[Made], str]


def folder_of(name: str) -> Path:
    return SHIPPED_SUITES / "coding" / name


@cache
def reference_of_seed_0(name: str) -> str:
    (made,) = checkers.make_files(folder_of(name), [0], None)
    text = (folder_of(name) / "reference.md").read_text("utf-8")
    return checkers.fill(text, made.files, made.truth)


# --------------------------------------------------------------------------------- code review

KINDS = ["security", "performance", "correctness", "style"]


def block(findings: list[tuple[object, object]]) -> str:
    rows = [{"line": line, "kind": kind, "why": "This can go wrong."} for line, kind in findings]
    return f"```json\n{json.dumps({'findings': rows})}\n```"


def babble(made: Made) -> str:
    """The right lines and kinds, with words that say nothing of what is wrong."""
    whys = ("odd wording in this place fails for dubious users", "tangled state of a clumsy caller",
            "a stale branch that wasteful values send", "loose results of fragile input",
            "risky access in a weak order of things", "brittle text that unsafe users send",
            "a clumsy memory of slow wording", "an unhappy place for dubious values",
            "much that could be nicer to its users")  # fmt: skip
    faulty = [one for one in made.truth["places"] if one["kinds"]]
    rows = [{"line": one["line"], "kind": one["kinds"][0], "why": why}
            for one, why in zip(faulty, whys, strict=False)]  # fmt: skip
    names = [re.sub(r"^(?:def|import) ", "", one["source"]) for one in faulty]
    review = "\n".join(f"- {re.split(r'[( =]', name)[0]}: {row['why']}, so it needs some care."
                       for name, row in zip(names, rows, strict=False))  # fmt: skip
    return f"{review}\n\n```json\n{json.dumps({'findings': rows})}\n```"


def one_sentence_for_all(made: Made) -> str:
    """The right lines and kinds, with words that are right of some and said of each."""
    says = (
        "is open to SQL injection, path traversal and weak hashes, reads a whole file, divides"
        " by zero, sorts again in each loop, has a mutable default, an unused or magic value"
    )
    faulty = [one for one in made.truth["places"] if one["kinds"]]
    names = [
        re.split(r"[( =]", re.sub(r"^(?:def|import) ", "", one["source"]))[0] for one in faulty
    ]
    rows = [{"line": one["line"], "kind": one["kinds"][0], "why": f"{name} {says}, number {at}."}
            for at, (one, name) in enumerate(zip(faulty, names, strict=True))]  # fmt: skip
    review = "\n".join(f"- `{name}` {says}." for name in names)
    return f"{review}\n\n```json\n{json.dumps({'findings': rows})}\n```"


def lines_of(made: Made) -> range:
    return range(1, made.files["review.txt"].count("\n") + 2)


def functions_of(made: Made) -> list[int]:
    return [int(line[:3]) for line in made.files["review.txt"].splitlines() if "| def " in line]


REVIEWS: dict[str, Cheat] = {
    "every line, one kind": lambda made: block([(line, "security") for line in lines_of(made)]),
    "every line, every kind": lambda made: block(
        [(line, kind) for line in lines_of(made) for kind in KINDS]
    ),
    "every function, one kind": lambda made: block(
        [(line, "correctness") for line in functions_of(made)]
    ),
    "every function, every kind": lambda made: block(
        [(line, kind) for line in functions_of(made) for kind in KINDS]
    ),
    "every function, kinds in turn": lambda made: block(
        [(line, KINDS[at % 4]) for at, line in enumerate(functions_of(made))]
    ),
    "a range for a line": lambda made: block([(f"1-{lines_of(made)[-1]}", kind) for kind in KINDS]),
    "a list of kinds": lambda made: block([(line, KINDS) for line in functions_of(made)]),
    "hedged lines": lambda made: block([("9 or 14 or 20", "security")] * 12),
    "the findings of another seed": lambda made: reference_of_seed_0("ct_04_code_review"),
    "right places, and babble about them": lambda made: babble(made),
    "one sentence for all": one_sentence_for_all,
    "claims": lambda made: "All faults are found, every check passes.\n\n" + block([]),
    "the task again": lambda made: made.files["review.txt"] + "\n" + block([(12, "security")]),
}

# ------------------------------------------------------------------------------- documentation


def documented(example: str) -> Cheat:
    """Every docstring names all that it should, and has this example; NAME is the function."""

    def answer(made: Made) -> str:
        tree = ast.parse(made.files["toolbox.py"])
        for function in tree.body:
            assert isinstance(function, ast.FunctionDef)
            names = ", ".join(one.arg for one in function.args.args)
            text = f"Take {names}; ValueError is possible.\n\n{example}\n"
            text = text.replace("NAME", function.name)
            function.body.insert(0, ast.Expr(ast.Constant(text)))
        module = ast.unparse(ast.fix_missing_locations(tree))
        return f'```python\n"""Tools."""\n\n{module}\n```'

    return answer


def with_real_code(test: str) -> str:
    """An example that is true of the module alone, since it looks at the function's code."""
    return f">>> {test}\nTrue"


def with_texts(made: Made, text_of: Callable[[str, int], str]) -> str:
    """The reference, with its true examples and other texts."""
    reference = (folder_of("ct_05_documentation") / "reference.md").read_text("utf-8")
    answer = checkers.fill(reference, made.files, made.truth)
    code = answer.partition("```python\n")[2].partition("```")[0]
    tree = ast.parse(code)
    for at, node in enumerate(one for one in tree.body if isinstance(one, ast.FunctionDef)):
        examples = re.findall(r"(?m)^ *>>>.*\n(?: *[^>\s].*\n?)+", ast.get_docstring(node) or "")
        text = "\n\n".join([text_of(node.name, at), *examples])
        node.body[0] = ast.Expr(ast.Constant(text))
    return f"```python\n{ast.unparse(ast.fix_missing_locations(tree))}\n```"


def of_other_code(made: Made) -> str:
    """The reference, whose functions do nothing any more."""
    reference = (folder_of("ct_05_documentation") / "reference.md").read_text("utf-8")
    answer = checkers.fill(reference, made.files, made.truth)
    tree = ast.parse(answer.partition("```python\n")[2].partition("```")[0])
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.body[1:] = [ast.Return(ast.Constant(None))]
    return f"```python\n{ast.unparse(ast.fix_missing_locations(tree))}\n```"


LIES = (
    "Multiplies what it gets with the weather of yesterday and returns a colour",
    "Does what its name suggests, sends a mail about it, and gives a tuple of planets",
    "Returns the square root of a random sentence; raises ValueError on holidays",
    "Writes a file of cows to the disk, and its result is a boat that sings",
    "Waits until the printer is idle and yields three kinds of cheese per minute",
    "Translates poems into numbers, then returns the shortest road to the sea",
)


def lie(name: str, at: int) -> str:
    return (
        f"{LIES[at]}.\n\nitems, values, numbers, text, name, settings, changes, cents, step, start,"
        " end, size, width, separator, dot, low, high, value: taken as they are. ValueError."
    )


def only_exceptions(made: Made) -> str:
    """True examples that show how calls fail, and no value."""
    call = "NAME(*[None] * 9)"
    return documented(f">>> {call}\nTraceback (most recent call last):\n ...\nTypeError: no")(made)


def with_other_code(addition: str) -> Cheat:
    """The reference, and code behind it that makes another function of each."""

    def answer(made: Made) -> str:
        reference = (folder_of("ct_05_documentation") / "reference.md").read_text("utf-8")
        whole = checkers.fill(reference, made.files, made.truth)
        names = [one["name"] for one in made.truth["functions"]]
        code = "\n".join(addition.replace("NAME", name) for name in names)
        before, end, after = whole.rpartition("\n```")
        return f"{before}\n{code}{end}{after}"

    return answer


DOCUMENTATION: dict[str, Cheat] = {
    "examples that only fail": only_exceptions,
    "other functions where __name__ is looked at": with_other_code(
        'if __name__ == "__main__" or True:\n    NAME = len'
    ),
    "other functions by import": with_other_code("from math import floor as NAME"),
    "statements of nothing": lambda made: with_texts(
        made, lambda name, at: f"Text number {at} on {name}.\n\ndiffers: {name}() == 1 != 2"
    ),
    "the module of another seed": lambda made: reference_of_seed_0("ct_05_documentation"),
    "constants": documented(">>> print('NAME works')\nNAME works"),
    "calls that show nothing": documented(">>> result = NAME"),
    "a function of its own": documented(">>> def NAME(*_): return 1\n\n>>> NAME(1)\n1"),
    "a patched module": documented(
        ">>> import toolbox\n>>> toolbox.NAME = lambda *_: 1\n>>> toolbox.NAME(1)\n1"
    ),
    "a patched name": documented(">>> NAME = len\n>>> NAME('abc')\n3"),
    "a look at the code": documented(with_real_code("NAME.__code__.co_firstlineno < 60")),
    "a look through a text": documented(
        with_real_code("'{0.__code__.co_firstlineno}'.format(NAME) < '60'")
    ),
    "a look at the file": documented(
        with_real_code("__import__('inspect').getsource(NAME) != NAME(1)")
    ),
    "errors that are swallowed": documented(
        ">>> try:\n...     x = NAME()\n... except Exception:\n...     print('ok')\nok"
    ),
    "exit": documented(">>> raise SystemExit\n"),
    "examples without a word": lambda made: with_texts(made, lambda name, at: ""),
    "one text for all": lambda made: with_texts(
        made, lambda name, at: f"Does what {name} is there for, and returns the result of it."
    ),
    "true documentation of other code": of_other_code,
    "lies beside true examples": lambda made: with_texts(made, lie),
    "the code alone": lambda made: f"```python\n{made.files['toolbox.py']}\n```",
}

# --------------------------------------------------------------------------------- API client

METHODS = ("get", "list", "create", "update", "delete")


def client(body: str, *, before: str = "") -> Cheat:
    """A class with the right names, whose methods all do the same."""

    def answer(made: Made) -> str:
        truth = made.truth
        methods = "\n".join(
            f"    def {truth[name]}(self, *arguments):\n        {body}" for name in METHODS
        )
        error = f"class {truth['error']}(Exception):\n    status = None"
        start = "    def __init__(self, base_url, api_key, **options):\n        self.url = base_url"
        code = f"{before}\n{error}\n\nclass {truth['client']}:\n{start}\n{methods}"
        return f"```python\n{code.replace('ERROR', truth['error'])}\n```"

    return answer


def changed_client(change: Callable[[str, Made], str]) -> Cheat:
    """The reference, changed."""

    def answer(made: Made) -> str:
        reference = (folder_of("ct_06_api_client") / "reference.md").read_text("utf-8")
        return change(checkers.fill(reference, made.files, made.truth), made)

    return answer


def one_method(answer: str, made: Made) -> str:
    for name in METHODS[1:]:
        stub = rf"\1        raise {made.truth['error']}('no')\n"
        answer, count = re.subn(rf"(    def {made.truth[name]}\(.*\n.*\n)", stub, answer)
        assert count == 1
    return answer


def nothing_back(answer: str, made: Made) -> str:
    return re.sub(r"(?m)^( +)return (?!None)(.+)$", r"\1(\2)\n\1return None", answer)


CLIENTS: dict[str, Cheat] = {
    "one method of five": changed_client(one_method),
    "replies thrown away": changed_client(nothing_back),
    "the client of another seed": lambda made: reference_of_seed_0("ct_06_api_client"),
    "always fails": client("raise ERROR('no answer')"),
    "always returns": client("return arguments[0]"),
    "is equal to everything": client(
        "return Equal()",
        before="class Equal(dict):\n    __eq__ = lambda *_: True\n    __hash__ = None",
    ),
    "ends the process": client("import os; os._exit(0)"),
    "changes the messages": client(
        "return None",
        before="import json, sys\njson.dumps = lambda *_, **__: '{\"value\": null}'\n"
        "for module in list(sys.modules.values()):\n"
        "    if 'checking' in getattr(module, '__name__', ''):\n"
        "        for name in ('encoded', '_raised', '_probe'):\n"
        "            if hasattr(module, name):\n"
        "                setattr(module, name, lambda *_, **__: {'value': True})",
    ),
    "sends anything anywhere": client(
        "import urllib.request; return urllib.request.urlopen(self.url, timeout=1).read()"
    ),
}


TESTS = {
    "ct_04_code_review": REVIEWS,
    "ct_05_documentation": DOCUMENTATION,
    "ct_06_api_client": CLIENTS,
}


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    try:
        return open_sandbox()
    except SandboxUnavailable:
        return open_sandbox("weak")


@pytest.mark.parametrize("name", TESTS)
def test_a_cheat_stays_at_a_quarter(name: str, sandbox: Sandbox) -> None:
    assert sum(map(len, TESTS.values())) >= 20
    made = checkers.make_files(folder_of(name), SEEDS, None)
    in_turn = zip(TESTS[name].items(), cycle(made), strict=False)  # each cheat at one seed
    items = [(what, cheat(one), one) for (what, cheat), one in in_turn]
    evidence = checkers.gather(folder_of(name), [(text, one) for _, text, one in items], sandbox)
    too_high = {
        what: round(float(found.share), 2)
        for (what, _, _), found in zip(items, evidence, strict=True)
        if found.share is not None and found.share > 0.25
    }
    assert too_high == {}
    assert [found.missing for found in evidence if found.share is None] == []


def test_false_findings_cost_their_share_of_all_findings(
    sandbox: Sandbox,
) -> None:
    folder = folder_of("ct_04_code_review")
    (made,) = checkers.make_files(folder, [1], None)
    whole = checkers.fill((folder / "reference.md").read_text("utf-8"), made.files, made.truth)
    rows = json.loads(whole.partition("```json")[2].partition("```")[0])["findings"]
    sound = [one["lines"][0] + 1 for one in made.truth["places"] if not one["kinds"]]
    false = [{"line": line, "kind": "style", "why": f"an odd way {at}y{at} of writing it"}
             for at, line in enumerate(sound)]  # fmt: skip
    shares = []
    for right, wrong in ((len(rows), 0), (len(rows), 2), (len(rows), 3), (3, 3), (1, 6)):
        block = json.dumps({"findings": rows[:right] + false[:wrong]})
        answer = f"{whole.partition('```json')[0]}```json\n{block}\n```"
        (found,) = checkers.gather(folder, [(answer, made)], sandbox)
        assert not found.missing
        shares.append(float(found.share or 0))
    number = len(rows)
    assert shares[:3] == pytest.approx([1, number / (number + 2), number / (number + 3)], abs=0.01)
    assert 0.2 < shares[3] < 0.4
    assert 0 < shares[4] < 0.05


MAIN = '\n\nif __name__ == "__main__":\n    '
HARMLESS = {
    "types": lambda text: re.sub(r"def (\w+)\((\w+)", r"def \1(\2: list[int] | None", text),
    "the examples as a program": lambda text: (
        f"{text}{MAIN}import doctest\n    doctest.testmod()\n"
    ),
}
OTHER_CODE = {
    "a program": lambda text: f"{text}{MAIN}import shutil\n    shutil.rmtree('x')\n",
    "what a type does": lambda text: re.sub(r"def (\w+)\((\w+)", r"def \1(\2: print()", text),
    "an import": lambda text: text.replace("\n\n\ndef", "\n\nimport antigravity\n\n\ndef", 1),
    "a line in a function": lambda text: re.sub(
        r'(?m)^    """$', '    """\n    id(0)', text, count=1
    ),
}


@cache
def documented_module() -> tuple[Made, str]:
    """The reference's code block at seed 2."""
    folder = folder_of("ct_05_documentation")
    (made,) = checkers.make_files(folder, [2], None)
    whole = checkers.fill((folder / "reference.md").read_text("utf-8"), made.files, made.truth)
    return made, whole.partition("```python\n")[2].partition("\n```")[0]


def share_of_modules(sandbox: Sandbox, *modules: str) -> tuple[float, dict[str, str]]:
    made, _ = documented_module()
    answer = "\n\nAnd again:\n\n".join(f"```python\n{one}\n```" for one in modules)
    (found,) = checkers.gather(folder_of("ct_05_documentation"), [(answer, made)], sandbox)
    assert not found.missing
    return float(found.share or 0), {one.name: one.explanation for one in found.checks}


@pytest.mark.parametrize("kind", [*HARMLESS, *OTHER_CODE])
def test_the_code_stays_what_it_was_but_for_docstrings_and_comments(
    kind: str, sandbox: Sandbox
) -> None:
    _, right = documented_module()
    changed = (HARMLESS | OTHER_CODE)[kind](right)
    assert changed != right
    commented, _ = share_of_modules(
        sandbox, right.replace("\n    return", "\n    # so\n    return")
    )
    share, told = share_of_modules(sandbox, changed)
    assert commented == 1
    assert "the code was changed" in told["code_unchanged"]
    assert 0.85 < share < 1 if kind in HARMLESS else share <= 0.25


def test_a_name_that_does_not_mislead_is_not_accused(sandbox: Sandbox) -> None:
    made, right = documented_module()
    shares = []
    plain = [one for one in made.truth["functions"] if one["role"].startswith("plain")]
    for accused in (1, len(plain)):
        text = right
        for one in plain[:accused]:
            call, value = re.search(rf"    >>> ({one['name']}.*)\n    (.*)", text).groups()
            line = f"    differs: {call} == {value} != 'other'\n"
            text = text.replace(f"    >>> {call}", f"{line}\n    >>> {call}", 1)
        share, told = share_of_modules(sandbox, text)
        assert f"{plain[0]['role']}_accused" in told
        shares.append(share)
    assert 0.85 < shares[0] < 1
    assert shares[1] <= 0.25  # as often as rightly: it was guessed


def test_of_two_whole_modules_the_worse_one_counts(sandbox: Sandbox) -> None:
    made, right = documented_module()
    wrong = right.replace("differs:", "otherwise:")
    alone = share_of_modules(sandbox, wrong)[0]
    for pair in ((right, wrong), (wrong, right)):
        assert share_of_modules(sandbox, *pair)[0] == alone < 0.9
    for pair in ((right, right), (made.files["toolbox.py"], right)):
        assert share_of_modules(sandbox, *pair)[0] == 1
