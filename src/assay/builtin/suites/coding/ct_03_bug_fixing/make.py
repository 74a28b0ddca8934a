"""Draws a module of nine small functions, six of them with a bug.

Each bug stands alone in its function and contradicts the docstring, which is right. `$f` is the
name of the function; other `$` names are drawn constants, so that a module learnt by heart does not
fit the next seed. check.py has the calls that show each bug.
"""

import re
from collections.abc import Collection
from random import Random
from string import Template
from typing import Any

_SHOWN, _PLANTED = 9, 6
_FORMS = re.compile(r"<<(.*?)\|\|(.*?)>>", re.DOTALL)
_STATES = ("settled", "cancelled", "paid", "refunded", "returned", "rejected", "expired", "merged")
_GOODS = ("cup", "bowl", "jug", "pan", "tea", "rice", "salt", "soap", "lamp", "rope")
_SIGNS = (("below", "<"), ("above", ">"), ("at most", "<="), ("at least", ">="))


# By kind: names of the function, and its source with right and wrong as <<...||...>>.
_STOCK: dict[str, str] = {
    "basket": '''add_to_basket put_in_basket with_article
def $f(name, basket=<<None||["$gift"]>>):
    """Add a name to the basket and return the basket. Without a basket, begin a new one that
    already holds "$gift".
    """
<<    if basket is None:
        basket = ["$gift"]
||>>    basket.append(name)
    return basket
''',
    "pieces": '''in_packets split_into_crates batches_of
def $f(items, size):
    """Cut a list into pieces of `size` items. A last piece that is too short is filled up with
    $filler.
    """
    pieces = [items[at : at + size] for at in range(0, len(items)<<|| - size + 1>>, size)]
    if pieces:
        pieces[-1] += [$filler] * (size - len(pieces[-1]))
    return pieces
''',
    "price": '''order_price price_in_cents amount_due
def $f(pieces, price):
    """Price of an order in cents. Orders of $least pieces or more are $percent percent cheaper."""
    total = pieces * price
    if pieces <<>= $least||> $least>>:
        total -= total * $percent // 100
    return total
''',
    "share": '''share_of_whole relative_share part_of_total
def $f(part, whole):
    """Share of a part in the whole, $per, with decimals. Of an empty whole it is $empty."""
    if whole == 0:
        return $empty
    return $scale * part <</||//>> whole
''',
    "cleared": '''drop_stocks clear_stocks remove_stocks
def $f(stocks, limit):
    """Remove every number that is $words `limit` from the given list itself. Return nothing."""
<<    stocks[:] = [stock for stock in stocks if not stock $sign limit]
||    for stock in stocks:
        if stock $sign limit:
            stocks.remove(stock)
>>''',
    "copied": '''copy_plan duplicate_plan draft_of
def $f(plan):
    """Copy a plan, which maps names to lists of days, and add day $day to every list of the copy.
    The given plan and its lists stay as they are.
    """
    copied = <<{name: list(days) for name, days in plan.items()}||dict(plan)>>
    for days in copied.values():
        days.append($day)
    return copied
''',
    "versions": '''in_order sort_versions by_version
def $f(versions):
    """Sort versions such as "2${between}14${between}3" by their numbers, the $age first."""
    return sorted(versions<<, key=lambda one: [*map(int, one.split("$between"))]||>>$reverse)
''',
    "closed": '''is_closed order_is_closed is_done
def $f(state):
    """Tell whether an order in this state is closed. Only "$one" and "$two" are closed."""
    return state == "$one" or <<state == "$two"||"$two">>
''',
    "amount": '''read_amount amount_in_cents parse_amount
def $f(text):
    """Read an amount such as "12${point}50" and return it in cents, here 1250. A text that is no
    amount raises ValueError.
    """
<<    units, cents = text.split("$point")
    return int(units) * 100 + int(cents)
||    try:
        units, cents = text.split("$point")
        return int(units) * 100 + int(cents)
    except ValueError:
        return 0
>>''',
    "mean": '''mean_reading mean_of average_reading
def $f(readings):
    """Mean of some readings, which may come from any iterable, a generator too. It is $empty if
    there are none.
    """
<<    collected = list(readings)
    if not collected:
||    count = sum(1 for _ in readings)
    if count == 0:
>>        return $empty
    return <<sum(collected) / len(collected)||sum(readings) / count>>
''',
    "totals": '''sum_by_name totals_by_name add_up_sales
def $f(sales):
    """Add up pairs (name, number) by name, and return a mapping of names to sums. Pairs with the
    name "$skipped" do not count.
    """
    totals = {}
    for name, number in sales:
        if name != "$skipped":
            totals[name] = <<totals.get(name, 0) + ||>>number
    return totals
''',
    "all_fit": '''all_fit within_limit fits_limit
def $f(weights, limit):
    """Tell whether all weights are $words `limit`. Of an empty list that is true."""
    for weight in weights:
<<        if not weight $sign limit:
            return False
||        return weight $sign limit
>>    return True
''',
    "days": '''days_of_years days_in_years years_in_days
def $f(year):
    """Number of days of $span years of the Gregorian calendar in a row, the first being `year`."""
    days = 0
    for one in range(year, year + $span):
        leap = one % 4 == 0<< and (one % 100 != 0 or one % 400 == 0)||>>
        days += 366 if leap else 365
    return days
''',
    "run": '''longest_run longest_streak run_length
def $f(values):
    """Length of the longest run in a list of numbers. In a run every number is $gap more than the
    one before. Of an empty list it is 0.
    """
    longest = current = 0
    for at, value in enumerate(values):
        if at > 0 and value == values[at - 1] + $gap:
            current += 1
        else:
<<            current = 1
        longest = max(longest, current)
||            longest = max(longest, current)
            current = 1
>>    return longest
''',
}


# What is wrong with each, for an answer that explains it.
_WRONG = {
    "basket": "the default list is made once, so all calls without a basket share it",
    "pieces": "the range ends too early, and a last piece that is too short is dropped",
    "price": "an order of exactly the least number of pieces gets no discount",
    "share": "the floor division drops all decimals, where the docstring asks for them",
    "cleared": "the list is changed while the loop goes through it, so neighbours are skipped",
    "copied": "the copy is shallow, and the lists of the given plan get the day as well",
    "versions": "versions are compared as texts, where 14 comes before 9, not as numbers",
    "closed": "the second text is not compared with the state, and is always true",
    "amount": "the exception is caught, and a text that is no amount gives 0",
    "mean": "counting uses up a generator, and the sum that follows is 0",
    "totals": "each number replaces the one before, instead of being added to it",
    "all_fit": "the loop returns after the first weight, and the others are never looked at",
    "days": "every fourth year is taken for a leap year, centuries such as 1900 too",
    "run": "a run at the end of the list is never compared with the longest one",
}

# A call that shows it, and what mends it.
_MENDED = {
    "basket": ("$f('tea')", "the list is made anew in each call"),
    "pieces": ("$f([1, 2, 3], 2)", "the range now ends with the list"),
    "price": ("$f($least, 100)", "the comparison takes the number itself in"),
    "share": ("$f(1, 3)", "it divides with decimals"),
    "cleared": ("$f([1, 1, 3, 3], 2)", "what stays is put into the list at once"),
    "copied": ("$f({'Ama': [1]})", "each inner list is copied, too"),
    "versions": ("$f(['1${between}9', '1${between}14'])", "the parts are sorted by their numbers"),
    "closed": ("$f('open')", "both texts are compared with the state"),
    "amount": ("$f('abc')", "the exception is let through"),
    "mean": ("$f(iter([1, 2]))", "a list keeps what was read"),
    "totals": ("$f([('ink', 1), ('ink', 2)])", "the number is added to the sum so far"),
    "all_fit": ("$f([1, 3], 2) or $f([3, 1], 2)", "only a weight that does not fit ends the loop"),
    "days": ("$f(1900)", "full centuries count only if 400 divides them"),
    "run": ("$f([0, $gap])", "the longest run is renewed with each number"),
}


def _draw_constants(random: Random) -> dict[str, Any]:
    one, two = random.sample(_STATES, 2)
    gift, skipped = random.sample(_GOODS, 2)
    words, sign = random.choice(_SIGNS)
    age, reverse = random.choice((("oldest", ""), ("newest", ", reverse=True")))
    per, scale = random.choice((("in percent", 100), ("in per mille", 1000)))
    return {
        "one": one, "two": two, "gift": gift, "skipped": skipped, "words": words, "sign": sign,
        "age": age, "reverse": reverse, "per": per, "scale": scale,
        "least": random.randrange(6, 30), "percent": random.randrange(2, 40),
        "empty": random.choice((0, -1, -100, None)), "filler": random.choice((0, -1, None, '"-"')),
        "day": random.randrange(50, 99), "between": random.choice("-/_+"),
        "point": random.choice(",:/;"), "span": random.randrange(2, 5),
        "gap": random.randrange(1, 9),
    }  # fmt: skip


def _explain(name: str, kind: str, constants: dict[str, Any]) -> str:
    call, mended = _MENDED[kind]
    shown = Template(call).substitute(constants, f=name).replace(" or ", "` or `")
    return f"- `{name}`: {_WRONG[kind]}. `{shown}` shows it. Fix: {mended}."


def make(seed: int) -> dict[str, Any]:
    random = Random(f"buggy_code:{seed}")
    naming = Random(f"names_14204:{seed}")  # at seed 0 the names are what they always were
    shown = random.sample([*_STOCK.items()], _SHOWN)
    planted = random.sample(range(_SHOWN), _PLANTED)
    constants = _draw_constants(random)
    functions = []
    for number, (kind, text) in enumerate(shown):
        names, _, source = text.partition("\n")
        known = {**constants, "f": naming.choice(names.split())}
        functions.append(
            {
                "name": known["f"],
                "kind": kind,
                "planted": number in planted,
                "right": Template(_FORMS.sub(r"\1", source)).substitute(known),
                "wrong": Template(_FORMS.sub(r"\2", source)).substitute(known),
            }
        )

    def module(wrong: Collection[int]) -> str:
        """The module with these functions wrong."""
        parts = [one["wrong" if at in wrong else "right"] for at, one in enumerate(functions)]
        return "\n\n".join(['"""Calculations of a small mail-order shop."""\n', *parts])

    truth = {
        "functions": functions,
        "constants": constants,
        "corrected": module(()),
        "explained": "\n".join(
            _explain(one["name"], one["kind"], constants) for one in functions if one["planted"]
        ),
        # For wrong answers: half of the bugs fixed; the bugs fixed and the rest spoiled.
        "half_corrected": module(sorted(planted)[_PLANTED // 2 :]),
        "spoiled": module(set(range(_SHOWN)) - set(planted)),
    }
    return {"files": {"shop.py": module(planted)}, "truth": truth}
