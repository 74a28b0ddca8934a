"""Draws a module of nine small functions, six of them with a bug, and code that shows each bug.

Each bug stands alone in its function and contradicts the docstring, which is right. `$f` is the
name of the function; other `$` names are drawn constants, so that a module learnt by heart does not
fit the next seed. The code leaves what it finds in `result`.
"""

import re
from collections.abc import Callable, Collection
from random import Random
from string import Template
from typing import Any

_SHOWN, _PLANTED = 9, 6
_FORMS = re.compile(r"<<(.*?)\|\|(.*?)>>", re.DOTALL)
_STATES = ("settled", "cancelled", "paid", "refunded", "returned", "rejected", "expired", "merged")
_GOODS = ("cup", "bowl", "jug", "pan", "tea", "rice", "salt", "soap", "lamp", "rope")
_PEOPLE = ("Ama", "Kofi", "Esi", "Yao", "Adzo", "Mawuli")
_SIGNS = (("below", "<"), ("above", ">"), ("at most", "<="), ("at least", ">="))


def _numbers(random: Random, count: int) -> list[int]:
    return [random.randrange(1, 50) for _ in range(count)]


def _basket(random: Random, _: dict[str, Any]) -> list[str]:
    one, two, three, old = random.sample(_GOODS, 4)
    return [
        f"$f({one!r})\n$f({two!r})\nresult = $f({three!r})",
        f"given = [{old!r}]\nresult = [$f({one!r}, given), $f({two!r}, given) is given, given]",
    ]


def _pieces(random: Random, _: dict[str, Any]) -> list[str]:
    size = random.randrange(2, 6)
    lengths = (size * 3 - random.randrange(1, size), size * random.randrange(1, 4), 1, 0)
    return [f"result = $f({_numbers(random, length)}, {size})" for length in lengths]


def _price(random: Random, constants: dict[str, Any]) -> list[str]:
    least = constants["least"]
    pieces = (least, least - 1, least + 1, least + random.randrange(2, 90), random.randrange(least))
    # Prices that give whole cents, however a percentage is rounded.
    return [f"result = $f({number}, {100 * random.randrange(1, 90)})" for number in pieces]


def _share(random: Random, constants: dict[str, Any]) -> list[str]:
    wholes = [random.choice((64, 128, 7, 48, 96)) for _ in range(4)]
    return [
        *(f"result = $f({random.randrange(1, whole, 2)}, {whole})" for whole in wholes),
        "result = $f(5, 5)",
        f"result = $f({random.randrange(4)}, 0)",
    ]


def _cleared(random: Random, _: dict[str, Any]) -> list[str]:
    lists = [_numbers(random, random.randrange(6, 12)) for _ in range(3)]
    # Neighbours that both have to go: a loop over the list that it changes skips the second.
    calls = [(given, random.choice(given)) for given in lists]
    calls += [([8, 8, 3, 3, 5, 5, 8, 3, 3], 5), ([], 5)]
    code = "given = {}\n$f(given, {})\nresult = given"
    return [code.format(given, limit) for given, limit in calls]


def _copied(random: Random, _: dict[str, Any]) -> list[str]:
    one, two, three = random.sample(_PEOPLE, 3)
    plan = {one: _numbers(random, 3), two: []}
    return [
        f"given = {plan}\ncopied = $f(given)\ncopied[{one!r}].append(99)\n"
        f"copied[{three!r}] = [4]\nresult = [given, copied]",
        f"result = $f({{{three!r}: {_numbers(random, 2)}}})",
    ]


def _versions(random: Random, constants: dict[str, Any]) -> list[str]:
    found = []
    for _ in range(3):
        one, two = random.randrange(1, 9), random.randrange(2, 9)
        later = two + random.randrange(10, 90)
        parts = [(one, two, 4), (one, later, 0), (one, two, 12), (one + 10, 1, 0)]
        random.shuffle(parts)
        found.append([constants["between"].join(map(str, version)) for version in parts])
    return [f"result = $f({versions})" for versions in found]


def _closed(random: Random, constants: dict[str, Any]) -> list[str]:
    closed = {constants["one"], constants["two"]}
    others = [state for state in (*_STATES, "open", "shipped", "") if state not in closed]
    states = [*closed, *random.sample(others, 4)]
    return [f"result = bool($f({state!r}))" for state in sorted(states)]


def _amount(random: Random, constants: dict[str, Any]) -> list[str]:
    point = constants["point"]
    amounts = [f"{random.randrange(200)}{point}{random.randrange(100):02}" for _ in range(4)]
    wrong = [random.choice(_GOODS), f"{random.choice(_GOODS)}{point}{random.choice(_GOODS)[:2]}"]
    return [f"result = $f({text!r})" for text in (*amounts, *wrong)]


def _mean(random: Random, _: dict[str, Any]) -> list[str]:
    some = [_numbers(random, 2 ** random.randrange(1, 4)) for _ in range(2)]
    return [
        f"result = $f(number for number in {some[0]})",
        f"result = $f(iter({some[1]}))",
        f"result = $f({some[1]})",
        "result = $f(iter([]))",
        "result = $f([])",
    ]


def _totals(random: Random, constants: dict[str, Any]) -> list[str]:
    names = random.sample([name for name in _GOODS if name != constants["skipped"]], 2)
    sales = [(name, random.randrange(1, 9)) for name in (*names, constants["skipped"]) * 3]
    random.shuffle(sales)
    return [f"result = dict($f({sales[random.randrange(3) :]}))", "result = dict($f([]))"]


def _all_fit(random: Random, _: dict[str, Any]) -> list[str]:
    limit = random.randrange(10, 40)
    around = ((-1, 1), (1, -1), (0,), (-2, -1), (1, 3), (), (-1, 0), (1, 0))
    weights = [[limit + one for one in some] for some in around]
    return [f"result = bool($f({some}, {limit}))" for some in weights]


def _days(random: Random, _: dict[str, Any]) -> list[str]:
    hundreds = random.sample((1700, 1800, 1900, 2100, 2200, 2300, 2500), 2)
    years = [*hundreds, random.choice((1600, 2000, 2400)), *random.sample(range(1901, 2096), 3)]
    return [f"result = $f({year})" for year in years]


def _run(random: Random, constants: dict[str, Any]) -> list[str]:
    gap = constants["gap"]
    lists = []
    for length in random.sample(range(2, 8), 2):
        start = random.randrange(20)
        run = [start + gap * at for at in range(length)]
        lists += [[90, *run], [*run, 90], run, [*run[:2], 99, *run]]
    return [f"result = $f({values})" for values in (*lists, [4], [])]


# What shows the bug: names of the function, and its source with right and wrong as <<...||...>>.
_STOCK: dict[Callable[[Random, dict[str, Any]], list[str]], str] = {
    _basket: '''add_to_basket put_in_basket with_article
def $f(name, basket=<<None||["$gift"]>>):
    """Add a name to the basket and return the basket. Without a basket, begin a new one that
    already holds "$gift".
    """
<<    if basket is None:
        basket = ["$gift"]
||>>    basket.append(name)
    return basket
''',
    _pieces: '''in_packets split_into_crates batches_of
def $f(items, size):
    """Cut a list into pieces of `size` items. A last piece that is too short is filled up with
    $filler.
    """
    pieces = [items[at : at + size] for at in range(0, len(items)<<|| - size + 1>>, size)]
    if pieces:
        pieces[-1] += [$filler] * (size - len(pieces[-1]))
    return pieces
''',
    _price: '''order_price price_in_cents amount_due
def $f(pieces, price):
    """Price of an order in cents. Orders of $least pieces or more are $percent percent cheaper."""
    total = pieces * price
    if pieces <<>= $least||> $least>>:
        total -= total * $percent // 100
    return total
''',
    _share: '''share_of_whole relative_share part_of_total
def $f(part, whole):
    """Share of a part in the whole, $per, with decimals. Of an empty whole it is $empty."""
    if whole == 0:
        return $empty
    return $scale * part <</||//>> whole
''',
    _cleared: '''drop_stocks clear_stocks remove_stocks
def $f(stocks, limit):
    """Remove every number that is $words `limit` from the given list itself. Return nothing."""
<<    stocks[:] = [stock for stock in stocks if not stock $sign limit]
||    for stock in stocks:
        if stock $sign limit:
            stocks.remove(stock)
>>''',
    _copied: '''copy_plan duplicate_plan draft_of
def $f(plan):
    """Copy a plan, which maps names to lists of days, and add day $day to every list of the copy.
    The given plan and its lists stay as they are.
    """
    copied = <<{name: list(days) for name, days in plan.items()}||dict(plan)>>
    for days in copied.values():
        days.append($day)
    return copied
''',
    _versions: '''in_order sort_versions by_version
def $f(versions):
    """Sort versions such as "2${between}14${between}3" by their numbers, the $age first."""
    return sorted(versions<<, key=lambda one: [*map(int, one.split("$between"))]||>>$reverse)
''',
    _closed: '''is_closed order_is_closed is_done
def $f(state):
    """Tell whether an order in this state is closed. Only "$one" and "$two" are closed."""
    return state == "$one" or <<state == "$two"||"$two">>
''',
    _amount: '''read_amount amount_in_cents parse_amount
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
    _mean: '''mean_reading mean_of average_reading
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
    _totals: '''sum_by_name totals_by_name add_up_sales
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
    _all_fit: '''all_fit within_limit fits_limit
def $f(weights, limit):
    """Tell whether all weights are $words `limit`. Of an empty list that is true."""
    for weight in weights:
<<        if not weight $sign limit:
            return False
||        return weight $sign limit
>>    return True
''',
    _days: '''days_of_years days_in_years years_in_days
def $f(year):
    """Number of days of $span years of the Gregorian calendar in a row, the first being `year`."""
    days = 0
    for one in range(year, year + $span):
        leap = one % 4 == 0<< and (one % 100 != 0 or one % 400 == 0)||>>
        days += 366 if leap else 365
    return days
''',
    _run: '''longest_run longest_streak run_length
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


def make(seed: int) -> dict[str, Any]:
    random = Random(f"buggy_code:{seed}")
    shown = random.sample([*_STOCK.items()], _SHOWN)
    planted = random.sample(range(_SHOWN), _PLANTED)
    constants = _draw_constants(random)
    functions = []
    for number, (draw_probes, text) in enumerate(shown):
        names, _, source = text.partition("\n")
        known = {**constants, "f": random.choice(names.split())}
        probes = draw_probes(random, constants)
        functions.append(
            {
                "name": known["f"],
                "planted": number in planted,
                "right": Template(_FORMS.sub(r"\1", source)).substitute(known),
                "wrong": Template(_FORMS.sub(r"\2", source)).substitute(known),
                "probes": [Template(code).substitute(known) for code in probes],
            }
        )

    def module(wrong: Collection[int]) -> str:
        """The module with these functions wrong."""
        parts = [one["wrong" if at in wrong else "right"] for at, one in enumerate(functions)]
        return "\n\n".join(['"""Calculations of a small mail-order shop."""\n', *parts])

    truth = {
        "functions": functions,
        "corrected": module(()),
        # For wrong answers: half of the bugs fixed; the bugs fixed and the rest spoiled.
        "half_corrected": module(sorted(planted)[_PLANTED // 2 :]),
        "spoiled": module(set(range(_SHOWN)) - set(planted)),
    }
    return {"files": {"shop.py": module(planted)}, "truth": truth}
