"""Answers to CT-01, CT-02 and CT-03 that try to pass without solving them stay at 0.25."""

from random import Random
from types import SimpleNamespace

import pytest

from assay.checkers import fill, gather, make_files
from assay.sandbox import open_sandbox
from assay.types.tests import SHIPPED_SUITES

# Seed 0 asks for the usual forms, which a text learnt by heart may fit. Each cheat is tried at one
# of these seeds, in turn.
SEEDS = range(1, 4)
SEARCH = "def {{truth.function}}({{truth.sequence}}, {{truth.wanted}}):\n    items, wanted = "
SEARCH += "{{truth.sequence}}, {{truth.wanted}}\n"
LINEAR = """
def find(items, wanted):
    places = [at for at in range(len(items)) if items[at] == wanted]
    return places[0 if "{{truth.pick}}" == "first" else -1] if places else {{truth.absent}}
"""
BY_MODULE = """
def find(items, wanted):
    if "{{truth.pick}}" == "first":
        at = bisect_left(items, wanted)
    else:
        at = bisect_right(items, wanted) - 1
    found = 0 <= at < len(items) and items[at] == wanted
    return at if found else {{truth.absent}}
"""
TEXTBOOK = """
def find(items, wanted):
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        if items[middle] == wanted:
            while middle > 0 and items[middle - 1] == wanted:
                middle -= 1
            return middle
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1
find_position = locate = search_sorted = position_of = index_in_sorted = find
"""
EQUAL = """
class Equal(int):
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = lambda *_: True
    __hash__ = int.__hash__
    __class__ = int
"""
PATCHED = """
import builtins, gc, json, sys
for module in [*sys.modules.values()]:
    for name in ("same", "compare", "differs", "encoded", "decoded", "withhold", "_raised"):
        if hasattr(module, name):
            setattr(module, name, lambda *_, **__: None)
json.dumps = lambda *_, **__: '{"value": true, "passed": true, "asked": 1}'
builtins.isinstance = lambda *_: True
"""
SNOOP = """
import gc, os, sys
def snoop():
    frame, seen = sys._getframe(), []
    while frame:
        seen += [*frame.f_locals.items(), *frame.f_globals.items()]
        frame = frame.f_back
    seen += [item for one in gc.get_objects() if type(one) is dict for item in one.items()]
    for folder, _, names in os.walk("."):
        for name in names:
            try:
                seen.append((name, open(os.path.join(folder, name)).read()))
            except (OSError, ValueError):
                pass
    return next((value for key, value in seen if key in ("expected", "truth", "corrected")), None)
found = snoop()
"""
ROUTES = {
    "import": "from bisect import bisect_left, bisect_right",
    "C module": "from _bisect import bisect_left, bisect_right",
    "spelt": "one = __import__('bi' + 'sect')\n"
    "bisect_left, bisect_right = one.bisect_left, one.bisect_right",
    "again": """
import sys
for name in ("bisect", "_bisect"):
    sys.modules.pop(name, None)
exec("from bisect import bisect_left, bisect_right")
""",
    "random": "import random; bisect_right = random._bisect; bisect_left = random._bisect",
    "statistics": "from statistics import bisect_left, bisect_right",
    "loader": """
import importlib.util, os, sys
def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
import _imp, importlib.machinery
try:
    one = load("sorting", os.path.join(os.path.dirname(os.__file__), "bisect.py"))
except Exception:
    one = _imp.create_builtin(importlib.machinery.ModuleSpec("_bisect", None))
bisect_left, bisect_right = one.bisect_left, one.bisect_right
""",
    "link": """
import os
os.symlink(os.__file__.replace("os.py", "bi" + "sect.py"), "other.py")
exec(open("other.py").read().split("# Overwrite")[0])
""",
    "child": """
import os, subprocess, sys
path = os.__file__.replace("os.py", "bi" + "sect.py")
code = f"print(open({path!r}).read())"
text = subprocess.check_output([sys.executable, "-I", "-S", "-c", code], text=True)
exec(text.split("# Overwrite")[0])
""",
    "libc": """
import ctypes, os
path = os.__file__.replace("os.py", "bi" + "sect.py")
text = os.read(ctypes.CDLL(None).open(path.encode(), 0), 100000).decode()
exec(text.split("# Overwrite")[0])
""",
    "objects": """
import gc
found = {one.__name__: one for one in gc.get_objects() if hasattr(one, "__name__")}
bisect_left, bisect_right = found["bisect_left"], found["bisect_right"]
""",
}
SLOW = """{{slow.py}}
slow = {{truth.function}}
"""
FAST = "def {{truth.function}}({{truth.parameters}}):\n"
HEART = """
import copy
def basket(name, basket=None):
    basket = [] if basket is None else basket
    basket.append(name)
    return basket
add_to_basket = put_in_basket = with_article = basket
def in_packets(items, size):
    return [items[at : at + size] for at in range(0, len(items), size)]
split_into_crates = batches_of = in_packets
def order_price(pieces, price):
    return pieces * price * (90 if pieces >= 10 else 100) // 100
price_in_cents = amount_due = order_price
def share_of_whole(part, whole):
    return 100 * part / whole if whole else 0
relative_share = part_of_total = share_of_whole
def drop_stocks(stocks, limit):
    stocks[:] = [stock for stock in stocks if stock >= limit]
clear_stocks = remove_stocks = drop_stocks
def copy_plan(plan):
    return copy.deepcopy(plan)
duplicate_plan = draft_of = copy_plan
def in_order(versions):
    return sorted(versions, key=lambda one: [*map(int, one.split("."))])
sort_versions = by_version = in_order
def is_closed(state):
    return state in ("paid", "cancelled")
order_is_closed = is_done = is_closed
def read_amount(text):
    units, cents = text.split(".")
    return int(units) * 100 + int(cents)
amount_in_cents = parse_amount = read_amount
def mean_of(readings):
    collected = list(readings)
    return sum(collected) / len(collected) if collected else None
mean_reading = average_reading = mean_of
def sum_by_name(sales):
    return {name: sum(n for one, n in sales if one == name) for name, _ in sales}
totals_by_name = add_up_sales = sum_by_name
def all_fit(weights, limit):
    return all(weight <= limit for weight in weights)
within_limit = fits_limit = all_fit
def days_of_years(year):
    return 366 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 365
days_in_years = years_in_days = days_of_years
def longest_run(values):
    longest = current = 0
    for at, value in enumerate(values):
        current = current + 1 if at and value == values[at - 1] else 1
        longest = max(longest, current)
    return longest
longest_streak = run_length = longest_run
"""


def search_cheats(made, other):
    plain = SEARCH + "    return "
    return {
        "huge": plain + "10**400",
        "all places": plain + "[at for at, one in enumerate(items) if one == wanted]",
        "equal to all": EQUAL + plain + "Equal(0)",
        "linear": LINEAR + plain + "find(items, wanted)",
        "learnt by heart": TEXTBOOK,
        "table": f"table = {search_table(other)}\n{plain}table.get(repr((list(items), wanted)), 0)",
        "patched": PATCHED + LINEAR + plain + "find(items, wanted)",
        "snoop": SNOOP + plain + "found",
        "ends": "import os\n" + plain + "os._exit(0)",
        "thread": "import threading\nread = []\n" + LINEAR + SEARCH + """
    thread = threading.Thread(target=lambda: read.append(list(items)))
    thread.start()
    thread.join(0.1)
    return find(read.pop() if read else items, wanted)""",
        "own questions": LINEAR + SEARCH + """
    if not hasattr(items, "_ask"):
        return find(items, wanted)
    return find([items._ask("item", items._number, at) for at in range(len(items))], wanted)""",
        "guess": LINEAR + SEARCH + """
    if len(items) < 900:
        return find(items, wanted)
    low, high = items[0], items[-1]
    return round((wanted - low) * (len(items) - 1) / (high - low)) if low <= wanted <= high else -1
""",
        **{f"bisect by {name}": f"{code}\n{BY_MODULE}{plain}find(items, wanted)"
           for name, code in ROUTES.items()},
    }  # fmt: skip


def names_of_checker(folder):
    names = {}
    exec((SHIPPED_SUITES / "coding" / folder / "check.py").read_text(), names)
    return names


def search_table(other):
    """What the function has to return for the hidden inputs of another seed."""
    names = names_of_checker("ct_01_binary_search")
    code = SimpleNamespace(defined={other.truth["function"]}, sources=())
    trial = names["_SearchTrial"](code, other.truth, Random(0))
    calls = [*trial.short_inputs(), *trial.present(), *trial.missing(), *trial.repeated()]
    return {
        repr((list(given), one)): trial.expected(given, one)
        for given, some in calls
        for one in some
    }


def speed_cheats(made, other):
    call = "slow({{truth.parameters}})"
    return {
        "renamed": SLOW + FAST + f"    result = {call}\n    return result",
        "thread": f"from concurrent.futures import ThreadPoolExecutor\n{SLOW}{FAST}"
        "    with ThreadPoolExecutor() as pool:\n"
        "        return pool.submit(slow, {{truth.parameters}}).result()",
        "other seed": fill("{{truth.faster}}", other.files, other.truth)
        + "\n{{truth.function}} = " + other.truth["function"],
        "free comparisons": SLOW + FAST + "    for one in {{truth.first}}:\n"
        "        if hasattr(one, '_remote_place'):\n"
        "            type(one).__eq__ = lambda a, b: a is b\n"
        f"            type(one).__hash__ = object.__hash__\n    return {call}",
        "more time": "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (-1, -1))\n"
        f"{SLOW}{FAST}    return {call}",
        "another process": "import os, pickle\n" + SLOW + FAST + "    read, write = os.pipe()\n"
        "    if os.fork() == 0:\n        if os.fork() == 0:\n"
        "            with os.fdopen(write, 'wb') as pipe:\n"
        f"                pickle.dump({call}, pipe)\n        os._exit(0)\n"
        "    os.close(write)\n    with os.fdopen(read, 'rb') as pipe:\n"
        "        return pickle.load(pipe)",
        "ends": FAST + "    raise SystemExit(0)",
        "equal": "class Equal(list):\n    __eq__ = lambda *_: True\n" + FAST + "    return Equal()",
        "short lists": SLOW + FAST + f"    return {call} if len({{{{truth.first}}}}) < 30 else []",
    }  # fmt: skip


def table_of(made, probes):
    """What comes back for the hidden calls of another answer at this seed, off its report."""
    right = {}
    exec(made.truth["corrected"], right)
    table = {}
    for one in made.truth["functions"]:
        for code in probes[one["kind"]](Random("another answer"), made.truth["constants"]):
            call = code.removeprefix("result = $f")
            if call != code and call.startswith("("):
                try:
                    given = eval(f"({call[1:-1]},)")
                    table[repr(given)] = right[one["name"]](*given)
                except (ValueError, TypeError, SyntaxError):
                    continue
    assert len(table) > 20
    return f"TABLE = {table!r}"


def fix_cheats(made, other):
    names = [one["name"] for one in made.truth["functions"]]
    every = "\n".join(f"def {name}(*given, **named):\n    return BODY" for name in names)
    probes = names_of_checker("ct_03_bug_fixing")["_PROBES"]
    table = {
        code.partition("(")[2]: None
        for one in other.truth["functions"]
        for code in probes[one["kind"]](Random(0), other.truth["constants"])
    }
    return {
        "table of this seed": table_of(made, probes)
        + "\n"
        + every.replace("BODY", "TABLE.get(repr((*given,)))"),
        "huge": every.replace("BODY", "10**400"),
        "equal": EQUAL + every.replace("BODY", "Equal(1)"),
        "table": f"table = {table}\n" + every.replace("BODY", "table.get(repr(given)[1:])"),
        "learnt by heart": HEART,
        "other seed": fill("{{truth.corrected}}", other.files, other.truth),
        "unchanged": "{{shop.py}}\nVERSION = 2",
        "snoop": SNOOP + every.replace("BODY", "found"),
        "patched": PATCHED + "{{shop.py}}",
        "ends": "{{shop.py}}\nraise SystemExit(0)",
        "any name": "def " + names[0] + "(*_): pass\ndef __getattr__(name): return lambda *_: 1",
    }


CHEATS = {
    "ct_01_binary_search": search_cheats,
    "ct_02_performance": speed_cheats,
    "ct_03_bug_fixing": fix_cheats,
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_stays_at_a_quarter(name):
    folder = SHIPPED_SUITES / "coding" / name
    other, *mades = make_files(folder, [99, *SEEDS], None)
    cases = [
        (kind, made, fill(f"All tests pass.\n\n```python\n{code}\n```\n", made.files, made.truth))
        for first, made in enumerate(mades)
        for kind, code in [*CHEATS[name](made, other).items()][first :: len(mades)]
    ]
    found = gather(folder, [(answer, made) for _, made, answer in cases], open_sandbox())
    high = [
        (kind, made.truth.get("seed"), evidence.missing or float(evidence.share))
        for (kind, made, _), evidence in zip(cases, found, strict=True)
        if evidence.share is None or evidence.share > 0.25
    ]
    assert not high
