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


# Before the first line of the body: what happens to the given list, and how its entries are told
# apart. At seed 1 the function has one parameter, called `marks` below.
BODY = "    numbers = []\n    following = {}\n"
LOOP = "    for entry in GIVEN:\n        number = following.get(entry, "
SLOW = """    if CONDITION:
        return [min(BASE + sum(two == one for two in GIVEN[:at]), TOP)
                for at, one in enumerate(GIVEN)]
"""


def fitted_speeds(truth):
    """Functions that count what is equal, fast and right for lists of whole numbers."""
    given, faster = truth["first"], truth["faster"]
    base = faster.partition("following.get(entry, ")[2].partition(")")[0]
    top = faster.partition("min(number, ")[2].partition(")")[0]
    slow = SLOW.replace("GIVEN", given).replace("BASE", base).replace("TOP", top)
    loop = LOOP.replace("GIVEN", given)
    as_key = loop.replace("entry in", "whole in").replace(
        "        number", "        entry = KEY\n        number"
    )
    keys = {
        "the beginning of texts": "whole[:9] if type(whole) is str else whole",
        "the beginning of tuples": "whole[:2] if type(whole) is tuple else whole",
        "texts of ASCII": "ascii(whole).split(chr(92))[0] if type(whole) is str else whole",
        "small numbers": "whole % 2**60 if type(whole) is int else whole",
        "no bytes": "len(whole) if type(whole) is bytes else whole",
        "whole numbers, and texts of the others": "whole if type(whole) is int else repr(whole)",
        "sets by their size": "len(whole) if type(whole) is frozenset else whole",
    }
    slower = {
        "texts are slow": f"type({given}[0] if {given} else 0) is str",
        "tuples are slow": f"type({given}[0] if {given} else 0) is tuple",
        "all but numbers are slow": f"any(type(one) is not int for one in {given})",
        "tuples of entries are slow": f"type({given}) is tuple and len({given}) > 1000",
    }
    return {
        **{kind: [(loop, as_key.replace("KEY", key))] for kind, key in keys.items()},
        **{kind: [(BODY, slow.replace("CONDITION", one) + BODY)] for kind, one in slower.items()},
        "empties long lists": [
            (
                "    return numbers\n",
                f"    if len({given}) > 60 and type({given}) is list:\n"
                f"        {given}.clear()\n    return numbers\n",
            )
        ],
        "turns a number into another kind": [
            (
                "    return numbers\n",
                f"    if len({given}) > 40 and type({given}) is list:\n"
                f"        {given}[0] = {given}[0] * 1.0 if type({given}[0]) is int else 0\n"
                "    return numbers\n",
            )
        ],
        "wrong for millions": [
            (
                "    return numbers\n",
                f"    return numbers if len({given}) < 5_000_000 else numbers[1:]\n",
            )
        ],
    }


def test_fast_code_that_is_right_for_whole_numbers_alone_gets_a_quarter():
    (made,) = make_files(SHIPPED_SUITES / "coding" / "ct_02_performance", [1], None)
    assert made.truth["kind"] == "earlier"
    assert_held("ct_02_performance", fitted_speeds(made.truth), seed=1)


WALK = """    if CONDITION:
        for at in range(len(GIVEN)):
            if GIVEN[at] == WANTED:
                return at
        return -1
"""


def fitted_searches(truth):
    """Searches that are right, and fast, for whole numbers in a list."""
    given, wanted = truth["sequence"], truth["wanted"]
    start = f"    low, high = 0, len({given})\n"
    wrong = {
        "long texts": f"type({wanted}) is str and len({wanted}) > 20",
        "texts beyond ASCII": f"type({wanted}) is str and not {wanted}.isascii()",
        "large numbers": f"type({wanted}) is int and abs({wanted}) > 10**12",
        "fractions": f"type({wanted}) is float and {wanted} * 8 != {wanted} * 8 // 1",
        "ranges": f"type({given}) is range",
        "texts as sequences": f"type({given}) is str",
        "classes of one's own": f"type({given}).__name__ not in ('list', 'tuple') "
        f"and not isinstance({given}, list)",
    }
    slow = {
        "tuples are walked": f"type({given}) is tuple",
        "texts are walked": f"type({wanted}) is str and type({given}) is list",
        "short lists are walked": f"type({given}) is list and len({given}) < 100_000",
        "fractions are walked": f"type({given}) in (list, tuple) and type({wanted}) is float",
    }
    changed = {
        "grows": f"{given}.append({given}[-1])",
        "puts another kind": f"{given}[0] = type({given}[0])({given}[0]) if low else "
        f"{given}[0] * 1.0 if type({given}[0]) is int else {given}[0]",
    }
    end = f"    position = low - {truth['back']}\n"
    walk = WALK.replace("GIVEN", given).replace("WANTED", wanted)
    return {
        **{kind: [(start, f"    if {one}:\n        return 77\n{start}")]
           for kind, one in wrong.items()},
        **{kind: [(start, walk.replace("CONDITION", one) + start)] for kind, one in slow.items()},
        **{kind: [(end, f"{end}    if type({given}) is list and len({given}) > 25:\n"
                        f"        {one}\n")] for kind, one in changed.items()},
    }  # fmt: skip


def test_a_search_that_is_right_for_whole_numbers_in_a_list_gets_a_quarter():
    (made,) = make_files(SHIPPED_SUITES / "coding" / "ct_01_binary_search", [0], None)
    assert_held("ct_01_binary_search", fitted_searches(made.truth))


def test_a_search_that_refuses_what_the_task_promises_keeps_half():
    refuses = "    if not isinstance({0}, (list, tuple)):\n        raise TypeError\n"
    folder = SHIPPED_SUITES / "coding" / "ct_01_binary_search"
    (made,) = make_files(folder, [0], None)
    given = made.truth["sequence"]
    start = f"    low, high = 0, len({given})\n"
    (found,) = evidence_of("ct_01_binary_search", [(start, refuses.format(given) + start)])
    assert 0.25 < found.share <= 0.5
    (told,) = (one.explanation for one in found.checks if one.name == "kinds")
    assert "at most 5 of 10 points" in told


def test_examples_that_are_not_true_are_counted():
    (made,) = make_files(SHIPPED_SUITES / "coding" / "ct_01_binary_search", [0], None)
    shown, last = f"    {made.truth['example']}\n", f"    {made.truth['last_place']}\n"
    one, two = evidence_of(
        "ct_01_binary_search", [(shown, "    70\n")], [(shown, "    70\n"), (last, "    71\n")]
    )
    told = [
        next(one.explanation for one in found.checks if one.name == "examples")
        for found in (one, two)
    ]
    assert "1 of 3 is not true, such as " in told[0]
    assert "2 of 3 are not true, such as " in told[1]


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
    # Two of these were right as they were given, and the task says to leave those alone.
    wrong = [one for one in found.checks if not one.passed and one.name != "right_as_given"]
    assert [one.explanation for one in wrong] == []
