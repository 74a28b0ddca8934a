"""Code that is right only where it believes to be checked gets a quarter at most: the process that
checks it looks like one in which it is used, and inputs leave out no length and no type.
"""

import pytest

from assay.checkers import fill, gather, make_files
from assay.errors import SandboxUnavailable
from assay.sandbox import open_sandbox
from assay.types.tests import SHIPPED_SUITES

# What tells a checker's process from another, at an earlier time or in somebody's imagination.
TELLING = {
    "modules": "any('assay' in name or 'check' in name for name in sys.modules)",
    "the name of the module": "__name__ == 'answer'",
    "not being the program": "__name__ != '__main__'",
    "the program": "'start' in ''.join(sys.argv) or 'main' in dir(sys.modules['__main__'])",
    "files": "os.path.exists('start.py') or os.path.isdir('assay')",
    "the environment": "'MALLOC_ARENA_MAX' in os.environ",
    "frames": "'probe' in sys._getframe(2).f_code.co_filename",
    "frames of an exception": "frames_of_an_exception()",
    "objects": "any('Remote' in getattr(one, '__name__', '') for one in gc.get_objects())",
}
LOOKING = """
import gc, os, sys
def frames_of_an_exception():
    try:
        raise ValueError
    except ValueError as problem:
        frame = problem.__traceback__.tb_frame
    while frame.f_back:
        frame = frame.f_back
    return "assay" in str(frame.f_globals)
"""
AROUND_SEARCH = """
_given = {{truth.function}}
def {{truth.function}}(items, wanted):
    CONDITION
"""
WALK = """places = [at for at, one in enumerate(items) if one == wanted]
        return {{truth.base}} + places[0] if places else {{truth.absent}}
    return _given(items, wanted)"""
SEARCHES = {
    "plain lists are walked": f"if type(items) in (list, tuple):\n        {WALK}",
    "lengths of three digits": "if len(str(len(items))) == 3:\n        return 0\n"
    "    return _given(items, wanted)",
    "lengths between a number and the next": "if 4 < len(items).bit_length() < 7:\n"
    "        return 0\n    return _given(items, wanted)",
}
AROUND_SPEED = """
import atexit, time
_given, called = {{truth.function}}, []
def {{truth.function}}(*lists):
    length = len(lists[0])
    CONDITION
    return _given(*lists)
"""
SPEEDS = {
    "sleeps": "time.sleep(3 * (length / 50_000) ** 3)",
    "wrong for lengths of three digits": "if len(str(length)) == 3:\n        return []",
}


def evidence_of(name, *answers):
    folder = SHIPPED_SUITES / "coding" / name
    (made,) = make_files(folder, [0], None)
    try:
        sandbox = open_sandbox()
    except SandboxUnavailable as unavailable:
        pytest.skip(unavailable.message)
    reference = (folder / "reference.md").read_text(encoding="utf-8")
    first = reference.index("```python\n") + len("```python\n")
    end = reference.index("```", first)
    texts = [f"{reference[:end]}\n{one}\n{reference[end:]}" for one in answers]
    return gather(folder, [(fill(one, made.files, made.truth), made) for one in texts], sandbox)


def high(cheats, found):
    return {
        kind: evidence.missing or float(evidence.share)
        for kind, evidence in zip(cheats, found, strict=True)
        if evidence.share is None or evidence.share > 0.25
    }


def test_code_cannot_tell_that_it_is_checked():
    answers = [
        LOOKING
        + AROUND_SEARCH.replace(
            "CONDITION",
            f"if {one}:\n        return _given(items, wanted)\n    return {{{{truth.base}}}}",
        )
        for one in TELLING.values()
    ]
    assert high(TELLING, evidence_of("ct_01_binary_search", *answers)) == {}


def test_inputs_of_a_search_leave_out_no_length_and_no_type():
    answers = [AROUND_SEARCH.replace("CONDITION", one) for one in SEARCHES.values()]
    assert high(SEARCHES, evidence_of("ct_01_binary_search", *answers)) == {}


def test_time_of_lists_counts_by_the_clock():
    answers = [AROUND_SPEED.replace("CONDITION", one) for one in SPEEDS.values()]
    assert high(SPEEDS, evidence_of("ct_02_performance", *answers)) == {}
