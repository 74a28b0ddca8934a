"""What goes into the sandbox and what comes back."""

import pytest

from assay.evidence.inside.wire import Described, Remote, decoded, encoded
from assay.evidence.running import Group, Step, run_groups
from assay.evidence.trials import same, shown

VALUES = [
    None, True, 0, -7, 2.5, "é\n\x1b", [], [1, [2]], (1, "a"), {"a": [1]}, {(1, 2): None},
    frozenset({1, 2}), [None, (True, {"x": 1.5})], 10**40,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value):
    assert same(decoded(encoded(value)), value)


@pytest.mark.parametrize(
    "value", [object(), print, 1j, b"x", range(3), 10**5000, [print]], ids=type
)
def test_what_has_no_form_is_equal_to_nothing(value):
    back = decoded(encoded(value))
    assert not same(back, value)
    assert isinstance(back, Described) or isinstance(back[0], Described)


def test_a_list_that_holds_itself_ends():
    endless = []
    endless.append(endless)
    assert encoded(endless)


@pytest.mark.parametrize(
    ("found", "expected", "equal"),
    [
        (1, 1.0, True), (0.1 + 0.2, 0.3, True), (True, 1, False), (1, True, False),
        ([1], (1,), False), ([1, 2], [1, 2, 3], False), ("1", 1, False), (None, 0, False),
        ({"a": 1}, {"a": 1.0}, True), ({"a": 1}, {"b": 1}, False), (Remote(3), Remote(3), True),
        (Remote(3), (3,), False), (float("nan"), 1.0, False),
    ],
)  # fmt: skip
def test_values_are_the_same_only_with_their_types(found, expected, equal):
    assert same(found, expected) is equal


def test_what_is_shown_is_short_and_escaped():
    assert shown("\x1b[31m") == r"'\x1b[31m'"
    assert len(shown("x" * 10_000)) == 120


def test_groups_do_not_see_each_other(sandbox):
    source = "seen = []\ndef note(x):\n    seen.append(x)\n    return list(seen)\n"
    steps = (Step(code="result = note(1)"), Step(code="result = note(2)"))
    groups = [Group(name="one", steps=steps), Group(name="two", steps=steps)]
    results = run_groups(sandbox, [source], groups).groups
    for name in ("one", "two"):
        assert [step.value for step in results[name].steps] == [[1], [1, 2]]


def test_output_and_exceptions_come_back_and_later_sources_win(sandbox):
    sources = [
        "from __future__ import annotations\ndef f():\n    return 1\n",
        "from __future__ import annotations\nclass Odd(ValueError):\n    status = 7\n"
        "def f():\n    print('héllo')\n    raise Odd('no')\n",
    ]
    steps = (
        Step(code="result = f()"),
        Step(code="result = given", names={"given": {"tuple": [1]}}),
    )
    result = run_groups(sandbox, sources, [Group(name="one", steps=steps)]).groups["one"]
    raised = result.steps[0].raised
    assert raised.types[:2] == ("Odd", "ValueError")
    assert (raised.text, raised.status, raised.has_status) == ("answer.Odd: no", 7, True)
    assert result.steps[1].value == (1,)
    assert result.output == "héllo\n"


def test_code_that_fails_half_way_keeps_what_it_had_defined(sandbox):
    source = "def f():\n    return 1\nraise KeyError('x')\ndef g():\n    return 2\n"
    steps = (Step(code="result = f()"), Step(code="result = g()"))
    result = run_groups(sandbox, [source], [Group(name="one", steps=steps)]).groups["one"]
    assert result.steps[0].value == 1
    assert "NameError" in result.steps[1].raised.types
    assert "KeyError" in result.problem.types


def test_comparisons_of_remote_values_are_counted(sandbox):
    names = {"given": {"values": [3, 1, 3]}}
    steps = (
        Step(code="result = given[0] == given[2], given[0] == given[1]", names=names),
        Step(code="result = sorted(given)[0]", names=names),
        Step(code="result = [repr(one) for one in given]", names=names),
        Step(code="result = len({*given})", names=names),
    )
    group = Group(name="one", steps=steps, most_asked=20)
    results = run_groups(sandbox, [""], [group]).groups["one"].steps
    assert (results[0].value, results[0].asked) == ((True, False), 2)
    assert (results[1].value, results[1].asked > 1) == (Remote(4), True)
    assert (results[2].value, results[2].asked) == (["3", "1", "3"], 3)
    assert (results[3].value, results[3].asked) == (2, 4)
