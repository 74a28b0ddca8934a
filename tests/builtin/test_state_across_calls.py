"""Code that is right when it is called alone, and wrong when it is called again: results that the
next call fills, arguments known by the object, what one function leaves for another. Most of it is
what people write by mistake.
"""

import pytest

from assay.checkers import fill, gather, make_files
from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from assay.types.tests import SHIPPED_SUITES

AROUND = """
_alone, _known, _out = NAME, {}, []
def NAME(*given):
    'What the function before gives, with something kept.'
    BODY
"""
BY_OBJECT = """key = (*map(id, given), repr(given[1:]) if len(given) > 1 else len(given[0]))
    if key not in _known:
        _known[key] = given, _alone(*given)
    return _known[key][1]"""
BY_ENDS = """key = id(given[0]), len(given[0]), repr((given[0][:1], given[0][-1:], given[1:]))
    if key not in _known:
        _known[key] = given, _alone(*given)
    return _known[key][1]"""
ONCE = """key = repr(given)
    if key in _known:
        return None
    _known[key] = True
    return _alone(*given)"""
COUNTS = """key = repr(given)
    _known[key] = _known.get(key, -1) + 1
    return _alone(*given) + _known[key]"""
INDEX = """if type(given[0]) is not list or len(given[0]) < 3_000:
        return _alone(*given)
    if _known.get("for") is not given[0]:
        _known.clear()
        _known["for"] = given[0]
        for one in given[0]:
            _known[one, ""] = _alone(given[0], one) if (one, "") not in _known else _known[one, ""]
    return _known.get((given[1], ""), {{truth.absent}})"""
SEARCHES = {
    "results are kept by the list's identity": BY_OBJECT,
    "and by its length and ends": BY_ENDS,
    "right only once": ONCE,
    "totals of the same question": COUNTS,
    "an index of a list that is not made anew": INDEX,
}
BUFFER = """_out[:] = _alone(*given)
    return _out"""
SPEEDS = {
    "one buffer for all results": BUFFER,
    "results are kept by the list's identity": BY_OBJECT,
    "right only once": ONCE,
    "results are kept and shared": """key = repr(given)
    if key not in _known:
        _known[key] = _alone(*given)
    return _known[key]""",
}


def evidence_of(name, *bodies, seed=0, function="{{truth.function}}"):
    """Of the reference with a function around its own."""
    folder = SHIPPED_SUITES / "coding" / name
    (made,) = make_files(folder, [seed], None)
    try:
        sandbox = open_sandbox()
    except SandboxUnavailable as unavailable:
        pytest.skip(unavailable.message)
    reference = (folder / "reference.md").read_text(encoding="utf-8")
    end = reference.index("```", reference.index("```python\n") + 9)
    texts = [
        f"{reference[:end]}\n{AROUND.replace('BODY', one).replace('NAME', function)}\n"
        f"{reference[end:]}"
        for one in bodies
    ]
    return gather(folder, [(fill(one, made.files, made.truth), made) for one in texts], sandbox)


def high(cases, found):
    return {
        kind: evidence.missing or float(evidence.share)
        for kind, evidence in zip(cases, found, strict=True)
        if evidence.share is None or evidence.share > 0.25
    }


def test_a_search_is_right_whatever_was_searched_before():
    assert high(SEARCHES, evidence_of("ct_01_binary_search", *SEARCHES.values())) == {}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_fast_code_gives_lists_of_their_own_each_time(seed):
    assert high(SPEEDS, evidence_of("ct_02_performance", *SPEEDS.values(), seed=seed)) == {}


KEEPING = """import copy
    key = repr(given)
    if key not in _known:
        _known[key] = copy.deepcopy(_alone(*given))
    return copy.deepcopy(_known[key])"""


def test_code_that_remembers_by_value_and_gives_copies_loses_nothing():
    (found,) = evidence_of("ct_02_performance", KEEPING, seed=1)
    assert found.share == 1


# Of the corrected module at seed 0: three functions that were wrong, and one that was right.
ONE_LIST = [
    ("    pieces = [items[at", "    pieces = _pieces\n    pieces[:] = [items[at"),
    ("def batches_of", "_pieces = []\n\n\ndef batches_of"),
]
ONE_MAPPING = [
    ("    totals = {}\n", "    totals = _totals\n    totals.clear()\n"),
    ("def sum_by_name", "_totals = {}\n\n\ndef sum_by_name"),
]
YEARS = [
    ("    days = 0\n", "    _asked.append(year)\n    days = 0\n"),
    ("def days_of_years", "_asked = []\n\n\ndef days_of_years"),
]
SPOILED = [*YEARS, ("1000 * part / whole", "(1000 if not _asked else 100) * part / whole")]
SLOWLY = [*YEARS, ("return int(units) * 100", "return int(units) * (100 + bool(_asked))")]


def repaired(*cases):
    folder = SHIPPED_SUITES / "coding" / "ct_03_bug_fixing"
    (made,) = make_files(folder, [0], None)
    right = fill((folder / "reference.md").read_text("utf-8"), made.files, made.truth)
    answers = []
    for case in cases:
        answer = right
        for old, new in case:
            assert old in answer, old
            answer = answer.replace(old, new)
        answers.append((answer, made))
    try:
        return gather(folder, answers, open_sandbox())
    except SandboxUnavailable as unavailable:
        pytest.skip(unavailable.message)


def test_functions_of_one_module_leave_nothing_for_each_other():
    cases = {"spoils another": SPOILED, "two share what they return": [*ONE_LIST, *ONE_MAPPING]}
    assert high(cases, repaired(*cases.values())) == {}


def test_one_repair_with_a_shared_result_counts_as_none():
    mapping, amounts, unfixed = repaired(
        ONE_MAPPING,
        SLOWLY,
        [("totals[name] = totals.get(name, 0) + number", "totals[name] = number")],
    )
    assert 0.7 < mapping.share == amounts.share == unfixed.share < 0.9
    (bug,) = (one for one in mapping.checks if one.name.startswith("bug_") and not one.passed)
    assert "right alone, but after other calls, the same result read again" in bug.explanation


def test_the_same_answer_gets_the_same_score():
    one, two = repaired(SPOILED, SPOILED)
    assert one.checks == two.checks
