"""A checker has a CommonMark parser in its sandbox; the code of an answer has not."""

import pytest

from assay.checkers import Made, gather
from assay.sandbox import open_sandbox

CHECK = """
from assay.checking import Candidate, Check, ReportText, choose_code

def check(answer, truth, files):
    yield Check("text", ReportText(answer).text == "shown", ReportText(answer).text)
    code = choose_code(answer, ["f"])
    result = Candidate(code.sources).run("result = f()")
    step = result.steps[0]
    yield Check("alone", step.value == "ModuleNotFoundError", str(step.value))
"""
ANSWER = """shown

<!-- not shown -->

```python
def f():
    import os, sys
    sys.path += [root for root, _, names in os.walk(".") if "markdown_it" in names]
    try:
        import markdown_it
    except Exception as problem:
        return type(problem).__name__
    return "there"
```
"""


@pytest.mark.parametrize("times", [1, 2])
def test_a_checker_reads_markdown_with_a_parser_that_answers_do_not_have(tmp_path, times):
    (tmp_path / "check.py").write_text(CHECK)
    found = gather(tmp_path, [(ANSWER, Made())] * times, open_sandbox())
    assert [[one.passed for one in each.checks] for each in found] == [[True, True]] * times, found
