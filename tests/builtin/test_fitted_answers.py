"""Code that is right for common values alone gets a quarter at most: hidden values are of every
size, length, kind and character that the task leaves free. Honest work keeps what it is worth.
"""

from assay.checkers import fill, gather, make_files
from assay.sandbox import open_sandbox
from assay.types.tests import SHIPPED_SUITES


def evidence_of(name, *changes, seed=0):
    """What is found of the reference with these texts replaced by others."""
    folder = SHIPPED_SUITES / "coding" / name
    (made,) = make_files(folder, [seed], None)
    right = fill((folder / "reference.md").read_text("utf-8"), made.files, made.truth)
    answers = []
    for change in changes:
        answer = right
        for old, new in change:
            assert old in answer, old
            answer = answer.replace(old, new)
        answers.append((answer, made))
    return gather(folder, answers, open_sandbox())


def assert_held(name, cases, seed=0):
    found = evidence_of(name, *cases.values(), seed=seed)
    high = {
        kind: evidence.missing or float(evidence.share)
        for kind, evidence in zip(cases, found, strict=True)
        if evidence.share is None or evidence.share > 0.25
    }
    assert high == {}


# Of functions that the task gave right, and of two that it gave wrong.
SHORT_NAMES = ("    basket.append(name)", "    if len(name) < 12:\n        basket.append(name)")
SMALL_WHOLES = ("1000 * part / whole", "1000 * part / whole if whole < 90_000 else 0")
ENGLISH = ('state == "merged"', 'state == "merged" or state[-1:] > "~"')
NO_SIGNS = ("1000 * part / whole", "abs(1000 * part / whole)")
FEW_READINGS = ("    collected = list(readings)", "    collected = list(readings)[:60]")
FEW_PIECES = ("range(0, len(items), size)", "range(0, min(len(items), 9 * size), size)")
THIS_CENTURY = ("one % 4 == 0 and (one % 100 != 0 or one % 400 == 0)",
                "one in {*range(1904, 2100, 4), 1600, 2000, 2400}")  # fmt: skip
NAMED_TEXT = ("    basket.append(name)", "    basket.append(name if name != 'pear' else '')")
FITTED_REPAIRS = {
    "short names": [SHORT_NAMES],
    "small wholes": [SMALL_WHOLES],
    "English letters": [ENGLISH],
    "numbers above zero": [NO_SIGNS],
    "but for a text that the code names": [NAMED_TEXT],
    "two bugs fixed for short lists": [FEW_READINGS, FEW_PIECES],
    "a table of years, and short lists": [THIS_CENTURY, FEW_READINGS],
}


def test_repairs_that_hold_for_common_values_get_a_quarter():
    assert_held("ct_03_bug_fixing", FITTED_REPAIRS)


def test_one_bug_that_is_fixed_for_common_values_alone_counts_as_not_fixed():
    fitted, unfixed = evidence_of(
        "ct_03_bug_fixing",
        [THIS_CENTURY],
        [("one % 4 == 0 and (one % 100 != 0 or one % 400 == 0)", "one % 4 == 0")],
    )
    assert 0.7 < fitted.share == unfixed.share < 0.9
    (bug,) = (one for one in fitted.checks if one.name.startswith("bug_") and not one.passed)
    assert "right for common values, but " in bug.explanation
    assert "at most 2.5" not in bug.explanation


def test_other_right_code_holds_for_every_value_that_a_docstring_allows():
    others = [
        ("    collected = list(readings)\n    if not collected:", "    import statistics\n"
         "    collected = (*readings,)\n    if collected:\n"
         "        return statistics.fmean(collected)\n    if not collected:"),
        ("one % 4 == 0 and (one % 100 != 0 or one % 400 == 0)",
         "__import__('calendar').isleap(one)"),
        ("1000 * part / whole", "part / whole * 1000"),
        ('state == "merged" or state == "refunded"', 'state in {"merged", "refunded"}'),
    ]  # fmt: skip
    (found,) = evidence_of("ct_03_bug_fixing", others)
    assert [one.explanation for one in found.checks if not one.passed] == []
