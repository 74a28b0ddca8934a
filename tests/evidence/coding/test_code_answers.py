"""Which code of an answer is meant, whatever surrounds it."""

import pytest

from assay.evidence.code_answers import (
    Block,
    candidate,
    choose,
    fenced,
    functions,
    parsed,
    python_blocks,
    takes,
)

GOOD = "```python\ndef double(x):\n    return 2 * x\n```\n"
ODD = {
    "an echo of the prompt": "Write a function `double(x)`.",
    "a null byte": "```python\ndef double(x):\0 return 1\n```",
    "lone surrogates": "```python\ndef double(x):\n    return '\ud800'\n```",
    "an unclosed fence": "```python\ndef double(x",
    "deep brackets": "```python\n" + "(" * 50_000 + "\n```",
    "a deep tree": "```python\nx = " + "-" * 50_000 + "1\n```",
    "a long chain": "```python\nx = " + "+".join("1" * 30_000) + "\n```",
    "many fences": "```\n" * 30_000,
    "one long line": "```python" + "`" * 500_000,
    "control characters": "\x1b[31m```python\n\x1b[0m\x08\x07\n```",
    "binary rubbish": bytes(range(256)).decode("latin-1") * 2_000,
    "a huge text": "lorem ipsum " * 400_000,
    "lines of code without end": "a = 1\n" * 200_000,
    "texts without end": 'a = """\n' + "x\n" * 400_000,
    "decorators without end": "@a\n" * 300_000,
    "sessions without end": ("```python\n" + ">>> f(1)\n1\n" * 500 + "```\n") * 100,
    "blocks in blocks": "````\n```markdown\n```\nx = 1\n```\n````\n" * 30_000,
    "blanks that are none": "\u00a0\u200b" * 500_000 + "```",
}


def test_fences_of_all_kinds_are_read():
    answer = (
        "~~~py\na = 1\n~~~\n\n- item\n  ```Python title=x\n  b = 2\n  ```\n\n"
        "````\nc = '```'\n````\n"
        "```bash\nls\n```\n```{.python}\nd = 4\n```\n```python\ne = 5"
    )
    assert [language for language, _ in fenced(answer)] == [
        "py",
        "python",
        "",
        "bash",
        "python",
        "python",
    ]
    assert [block.text for block in python_blocks(answer)] == [
        "a = 1\n", "b = 2\n", "c = '```'\n", "d = 4\n", "e = 5\n",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "said",
    ["python:tools.py", "python,linenos", "python{.numbered}", "Python3 title=x", "{python}"],
)
def test_more_may_stand_beside_the_language(said):
    assert choose(GOOD.replace("```python", f"```{said}"), ["double"])


def test_a_quoted_block_is_read_without_its_marks():
    quoted = "\n".join(f"> {line}" for line in GOOD.splitlines())
    assert choose(quoted, ["double"]).sources == ("def double(x):\n    return 2 * x\n",)


def test_a_docstring_may_hold_fences():
    code = (
        'def double(x):\n    """Double.\n\n    ```python\n    >>> double(2)\n    4\n    ```\n'
        '    """\n    return 2 * x\n'
    )
    assert choose(f"```python\n{code}```\nThat is all.", ["double"]).sources == (code,)


def test_an_example_of_use_that_imports_the_names_is_not_meant():
    use = "```python\nfrom my_module import double\n\nprint(double(4))\n```\n"
    for answer in (GOOD + use, use + GOOD):
        assert choose(answer, ["double"]).sources == ("def double(x):\n    return 2 * x\n",)


def test_of_several_versions_the_last_with_a_docstring_is_meant():
    documented = GOOD.replace("    return", '    """Double."""\n    return')
    slow = "A slow one would be:\n" + GOOD.replace("2 * x", "sum(1 for _ in range(2 * x))")
    assert '"""' in choose(GOOD + documented + slow, ["double"]).main.text


def test_the_quoted_code_is_known_without_its_docstring():
    given = 'def double(x):\n    """Double."""\n    return x + x\n'
    assert (
        choose("```python\ndef double(x):\n    return x + x\n```", ["double"], quoted=given) is None
    )


@pytest.mark.parametrize(
    ("names", "meant"),
    [(("f(a, b)",), "f"), (("f(a, b)", "main()"), "f"), (("f(a, b)", "run(quiet=1, fast=0)"), "f"),
     (("f(a, b)", "_help(a, b)"), "f"), (("f(a, b)", "g(a, b)"), None)],
)  # fmt: skip
def test_a_function_under_another_name_is_known_if_it_is_the_only_one(names, meant):
    tree = parsed("\n".join(f"def {one}: return 1" for one in names))
    assert candidate(Block("", tree), 2) == meant


def test_an_answer_that_is_only_code_needs_no_fence():
    assert choose("def double(x):\n    return 2 * x\n", ["double"])


def test_the_last_block_that_defines_the_name_is_meant():
    draft = GOOD.replace("2 * x", "x + x")
    chosen = choose(
        f"First:\n{draft}\nBetter:\n{GOOD}\nUse:\n```python\ndouble(4)\n```", ["double"]
    )
    assert chosen.sources == ("def double(x):\n    return 2 * x\n",)


def test_code_of_the_task_that_is_quoted_is_not_meant():
    given = "def double(x):\n    return x + x\n"
    quoted = f"```python\n{given}```\n"
    assert choose(quoted, ["double"], quoted=given) is None
    assert "2 * x" in choose(GOOD + quoted, ["double"], quoted=given).main.text


def test_an_outline_is_not_meant():
    outline = '```python\ndef double(x):\n    """Doubles."""\n    ...\n```'
    assert "2 * x" in choose(GOOD + outline, ["double"]).main.text


def test_what_the_code_needs_is_taken_from_other_blocks():
    answer = (
        "```python\nimport math\nLIMIT = 3\n```\n"
        "```python\nclass Wrong(Exception):\n    pass\n```\n"
        "```python\ndef area(r):\n    if r > LIMIT:\n        raise Wrong\n"
        "    return math.pi * r\n```\n"
        "```python\nprint(area(2))\n```"
    )
    chosen = choose(answer, ["area"])
    assert len(chosen.sources) == 3
    assert chosen.sources[-1].startswith("def area")
    names = {}
    for source in chosen.sources:
        exec(source, names)
    assert names["area"](1) > 3


CODE = "def double(x):\n    return 2 * x\n"


@pytest.mark.parametrize(
    "answer",
    [f"It only takes one line.\n\n{CODE}\nThat is O(1), and needs no memory.\n",
     f"The first idea:\n\n{CODE.replace('2 * x', 'x + x')}\nOr better:\n\n{CODE}\nDone.",
     "Like this:\n\n    def double(x):\n        return 2 * x\n\nNothing else is needed.",
     f"Here you go:\n{CODE}\nTo try it:\n```\nprint(double(4))\n```"],
)  # fmt: skip
def test_code_among_prose_needs_no_fence(answer):
    assert choose(answer, ["double"]).main.text.strip() == CODE.strip()


def test_no_sound_half_is_picked_out_of_a_block_that_is_broken():
    broken = f"```python\n{CODE}\ndef other(x:\n    return x\n```"
    assert choose(broken, ["double", "other"]) is None


def test_code_among_prose_is_taken_with_what_belongs_to_it():
    code = (
        '"""Doubling.\n\nFor numbers.\n"""\n\nimport functools\n\nLIMIT: int = 9\n\n\n'
        "@functools.cache\ndef double(\n    x,\n):\n"
        '    """Double.\n\n    >>> double(2)\n    4\n    """\n    return 2 * x\n'
    )
    (source,) = choose(f"This is it.\n\n{code}\nNote: it caches.", ["double"]).sources
    assert parsed(source).body[0].value.value.startswith("Doubling")
    assert "functools.cache" in source
    assert "Note" not in source


@pytest.mark.parametrize(
    "answer",
    [f"```markdown\n# Solution\n\n{GOOD}\nIt doubles.\n\n```python\nprint(double(1))\n```\n```\n",
     f"````markdown\n# Solution\n\n{GOOD}\n````\n", f"````\n{GOOD}\n````\n",
     f"```Markdown\r\n{GOOD}```", f"~~~md\n{GOOD}~~~\n",
     f"```none of this\nthinking aloud\n~~~py\n{CODE}~~~\n"],
)  # fmt: skip
def test_a_whole_answer_may_stand_in_a_block(answer):
    assert choose(answer, ["double"]).sources == (CODE,)


def test_prose_in_a_markdown_block_does_not_hide_the_code_behind_it():
    assert choose(f"```markdown\nA note.\n```\n{GOOD}", ["double"]).sources == (CODE,)


@pytest.mark.parametrize("said", ["tool_code", "code", "text", "python-repl", "cpython", "ipython"])
def test_a_block_of_any_language_counts_where_no_other_defines_the_name(said):
    odd = GOOD.replace("```python", f"```{said}")
    assert choose(f"```bash\nls\n```\n{odd}", ["double"]).sources == (CODE,)
    assert "x + x" in choose(GOOD.replace("2 * x", "x + x") + odd, ["double"]).main.text


def test_what_a_diff_shows_around_its_changes_is_not_taken_for_code():
    diff = "```diff\n def double(x):\n     return 2 * x\n \n-a = 1\n+a = 2\n```"
    assert choose(diff, ["double"]) is None


@pytest.mark.parametrize(
    "session",
    ["\n>>> double(4)\n8\n", "\n# Try it:\n>>> double(\n...     4)\n8\n>>> double(1)\n2",
     "\n>>> double('a')\n'aa'\ndef other(x):\n    return x\n"],
)  # fmt: skip
def test_a_session_behind_the_function_is_left_out(session):
    chosen = choose(f"```python\n{CODE}{session}\n```", ["double"])
    assert chosen.main.function("double")
    assert ">>>" not in chosen.main.text
    assert ("other" in session) == ("other" in chosen.main.defined)


def test_a_function_that_was_typed_into_a_session_is_read_without_the_prompts():
    typed = ">>> def double(x):\n...     return 2 * x\n...\n>>> double(4)\n8\n"
    chosen = choose(f"```pycon\n{typed}```", ["double"])
    assert chosen.main.function("double")


def test_a_session_in_a_docstring_stays_where_it_is():
    code = 'def double(x):\n    """Double.\n\n    >>> double(2)\n    4\n    """\n    return 2 * x\n'
    chosen = choose(f"```python\n{code}\n>>> double(3)\n6\n```", ["double"])
    assert chosen.main.text.strip() == code.strip()


@pytest.mark.parametrize(
    "answer",
    [f"```python\n\ufeff{CODE}```", f"\ufeff```python\n{CODE}```",
     f"\u200b```python\n{CODE}\u200b```", f"```python\n\u200b\n{CODE}```", f"\ufeff{CODE}",
     "```python\n" + CODE.replace("    ", "\u00a0" * 4) + "```"],
    ids=ascii,
)  # fmt: skip
def test_characters_that_nobody_sees_do_no_harm(answer):
    assert choose(answer, ["double"]).main.text.strip() == CODE.strip()


def test_a_text_in_sound_code_keeps_its_odd_characters():
    odd = CODE.replace("2 * x", "x.strip('\u00a0\u200b\ufeff')")
    assert choose(f"```python\n{odd}```", ["double"]).sources == (odd,)


def test_a_module_may_come_function_by_function():
    names = [f"step_{at}" for at in range(14)]
    blocks = "".join(
        f"```python\ndef {name}(x):\n    return x + {at}\n```\n" for at, name in enumerate(names)
    )
    chosen = choose(f"```python\nimport math\n```\n{blocks}", names)
    assert len(chosen.sources) == 14


def test_blocks_may_import_from_each_other_as_from_files():
    error = "```python\nclass Odd(Exception):\n    pass\n```\n"
    for line in ("from errors import Odd", "from .errors import (\n    Odd,\n)"):
        main = f"```python\nimport math\n{line}\n\ndef double(x):\n    raise Odd(math.pi)\n```\n"
        sources = choose(error + main, ["double", "Odd"]).sources
        names = {}
        for source in sources:
            exec(source, names)
        with pytest.raises(names["Odd"]):
            names["double"](1)


@pytest.mark.parametrize("what", ODD)
def test_odd_answers_are_read_without_harm(what):
    assert choose(ODD[what], ["double"]) is None or what == "lone surrogates"


@pytest.mark.parametrize(
    ("signature", "able"),
    [("a, b", True), ("a, b=1", True), ("a, b, c=1", True), ("*a", True), ("a", False),
     ("a, b, c", False), ("a, b, *, c", False), ("a, b, *, c=1", True), ("a, /, b", True)],
)  # fmt: skip
def test_a_function_is_known_by_what_it_takes(signature, able):
    tree = parsed(f"def f({signature}): pass")
    assert takes(functions(tree)[0], 2) is able
