"""Answers that try to pass without being right. Whatever they do in their process, the result of a
step is only what they say it is, and what is right is known elsewhere.
"""

import pytest

from assay.evidence.running import Group, Step, run_groups
from assay.fixtures import make
from tests.evidence.coding.references import reference

NAME = make("binary_search", 0).facts["function"]
WRONG = f'''
def {NAME}(items, wanted):
    """Find nothing.

    >>> {NAME}([1], 1)
    0
    >>> {NAME}([], 1)
    -1
    """
    return 0
'''
CHEATS = {
    "prints that all is well": "print('all tests passed')\nprint('[{\"passed\": true}]')\n",
    "changes json": """
import json
json.dumps = json.JSONEncoder.encode = lambda *_, **__: '{"value": true}'
json.loads = lambda *_, **__: {"value": True}
""",
    "changes builtins": """
import builtins
builtins.exec = builtins.compile = builtins.len = lambda *_, **__: 0
""",
    "changes the functions of the process": """
import sys
for name, module in list(sys.modules.items()):
    if name.startswith("inside"):
        for key, one in list(vars(module).items()):
            if callable(one) and key in ("encoded", "_raised", "_probe"):
                setattr(module, key, lambda *_, **__: {"value": 0})
""",
    "writes a report to standard output": """
import os, sys
for line in ("ready", "0" * 32 + " []", '[{"ended": "done", "steps": []}]'):
    os.write(1, line.encode() + b"\\n")
    os.write(2, line.encode() + b"\\n")
    print(line, file=sys.__stdout__, flush=True)
""",
    "reads standard input": """
import os, sys
sys.stdout.write(sys.stdin.read())
assert os.read(0, 100) == b""
""",
}  # fmt: skip


@pytest.fixture(scope="module")
def honest(examined):
    """What the wrong function passes by itself."""
    evidence = examined("CT-01", f"```python\n{WRONG}```")
    passed = {check.name for check in evidence.checks if check.passed}
    assert passed == {"name", "argument_unchanged", "first_item"}
    return passed


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_cheat_gains_nothing(examined, honest, cheat):
    evidence = examined("CT-01", f"```python\n{CHEATS[cheat]}\n{WRONG}```")
    assert not evidence.missing
    assert {check.name for check in evidence.checks if check.passed} <= honest


def test_to_read_one_item_is_not_to_search(examined):
    body = "    return 0 if items and items[0] == wanted else -1"
    evidence = examined("CT-01", f"```python\ndef {NAME}(items, wanted):\n{body}\n```")
    assert not {one.name for one in evidence.checks if one.passed and one.group == "complexity"}


def test_a_search_by_the_module_for_it_is_not_the_functions_own(examined):
    code = (
        f"from bisect import bisect_left\n\ndef place(items, wanted):\n"
        f"    return bisect_left(items, wanted)\n\ndef {NAME}(items, wanted):\n"
        "    at = place(items, wanted)\n"
        "    return at if at < len(items) and items[at] == wanted else -1"
    )
    evidence = examined("CT-01", f"```python\n{code}\n```")
    assert {one.name for one in evidence.checks if not one.passed} == {
        "logarithmic", "logarithmic_repeats", "examples",
    }  # fmt: skip


def test_few_operations_on_few_entries_are_no_speed(examined):
    name = make("slow_code", 0).facts["function"]
    code = f"def {name}(marks):\n    return [hash(one) for one in marks[:1]][1:]"
    evidence = examined("CT-02", f"```python\n{code}\n```")
    assert not {one.name for one in evidence.checks if one.passed and one.group == "operations"}


def test_what_an_answer_leaves_in_its_folder_is_not_imported_outside_of_its_process(sandbox):
    planting = """
import os
for name in ("secrets", "calendar", "selectors"):
    with open(name + ".py", "w") as file:
        file.write("planted = True")
def folders():
    import sys
    return [folder for folder in sys.path if os.path.abspath(folder) == os.getcwd()]
"""
    group = Group(name="plant", steps=(Step(code="result = folders()"),))
    assert run_groups(sandbox, [planting], [group]).groups["plant"].steps[0].value == []


@pytest.mark.parametrize(
    "ending",
    [
        "import os\nos._exit(0)",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
        "import os\nfor file in range(3, 64):\n    try:\n        os.write(file, b'x' * 9)\n"
        "    except OSError:\n        pass",
        "import os\nos.closerange(0, 64)",
        "raise SystemExit(0)",
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (0, 0))\nwhile True:\n    pass",
    ],
)
def test_an_answer_that_ends_its_process_fails_its_checks(examined, ending):
    evidence = examined("CT-03", f"```python\n{ending}\n```\n")
    assert evidence.passed == 0
    block = reference("CT-03", 0).replace('"""Calculations', f'{ending}\n"""Calculations')
    evidence = examined("CT-03", block)
    assert not evidence.missing
    assert evidence.passed <= 1  # what was right before may still be right


def test_an_answer_that_never_ends_fails_its_checks_in_bounded_time(examined):
    hanging = reference("CT-03", 0).replace('"""Calculations', 'while True:\n    pass\n"""Calc')
    evidence = examined("CT-03", hanging)
    assert (evidence.passed, evidence.missing) == (0, "")
    assert any("not come to an end" in check.explanation for check in evidence.checks)
    assert any("not tried any more" in check.explanation for check in evidence.checks)


SPY = """
import gc, os

def spy(given):
    told = []
    for at in range(len(given)):
        try:
            told.append(given[at])
        except Exception as problem:
            told.append(type(problem).__name__)
            break
    return told[-1]

def look_around():
    seen = []
    secret = 2 * 212121212121
    for one in gc.get_objects():
        if isinstance(one, list) and secret in one:
            seen.append("the job")
    pid = os.getpid()
    for _ in range(3):
        try:
            pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
        except OSError:
            break
        for name in ("mem", "environ", "fd/0", "fd/1"):
            try:
                with open(f"/proc/{pid}/{name}", "r+b", buffering=0):
                    seen.append(f"{name} of a parent")
            except OSError:
                pass
    return seen
"""


def test_remote_data_can_only_be_read_by_asking_and_within_the_budget(sandbox):
    rule = {"start": 5, "step": 1, "length": 1000, "repeat": 1}
    names = {"given": {"progression": rule}}
    steps = (
        Step(code="result = spy(given)", names=names),
        Step(code="result = list.__len__(given)", names=names),
        Step(code="given._ask.__closure__\nresult = given[7]", names=names),
    )
    group = Group(name="spy", steps=steps, most_asked=50)
    results = run_groups(sandbox, [SPY], [group]).groups["spy"].steps
    assert (results[0].value, results[0].asked) == ("OverBudget", 51)
    assert (results[1].value, results[1].asked) == (0, 0)
    assert (results[2].value, results[2].asked) == (12, 1)


def test_neither_the_job_nor_the_supervisor_can_be_looked_into(sandbox):
    if sandbox.isolation == "weak":
        pytest.skip("whether processes can see each other depends on the machine")
    names = {"given": {"values": [424242424242, 1]}}
    group = Group(name="look", steps=(Step(code="result = look_around()", names=names),))
    result = run_groups(sandbox, [SPY], [group]).groups["look"]
    assert result.steps[0].value == []


def test_a_message_that_the_answer_forges_only_spoils_its_own_results(sandbox):
    forging = """
import socket, json, os
def send(message):
    data = json.dumps(message).encode()
    for file in range(3, 64):
        try:
            if os.path.sep + "socket" in os.sep + os.readlink(f"/proc/self/fd/{file}"):
                os.write(file, len(data).to_bytes(4, "big") + data)
        except OSError:
            pass
def forge(*messages):
    for message in messages:
        send(message)
    return "honest"
"""
    forged = (
        '{"value": 1, "asked": -5}', '{"ask": ["item", 7, 7]}', '{"ask": "nonsense"}', "[1]", "7",
        '{"value": {"list": {"list": 3}}}', '{"raised": 5}', '{"value": {"a": 1, "b": 2}}',
    )  # fmt: skip
    groups = [
        Group(
            name=str(at),
            steps=(Step(code=f"import json\nresult = forge(json.loads({text!r}))"),) * 2,
            most_asked=3,
        )
        for at, text in enumerate(forged)
    ]
    groups.append(Group(name="after", steps=(Step(code="result = forge()"),)))
    results = run_groups(sandbox, [forging], groups).groups
    assert results["0"].steps[0].value == 1
    assert results["0"].steps[0].asked == 0
    assert results["5"].steps[0].value == ["list"]  # nonsense, read as well as it goes
    assert {results[str(at)].ended for at in (1, 2, 3, 4, 6, 7)} == {"died"}
    assert results["after"].steps[0].value == "honest"
