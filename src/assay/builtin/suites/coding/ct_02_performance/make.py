"""Draws a function that is right and slow: nested loops where one pass would do.

Of each kind there is a slow form, which is shown, and a fast one, which gives the expected results.
"""

from random import Random
from string import Template
from typing import Any

_FIRST = ("entries", "records", "marks", "signals")
_SECOND = ("others", "reference", "known", "checked")

# Kind to names of the function, slow form, fast form.
_KINDS = {
    "repeated": (
        ("repeated_positions", "positions_of_repeats", "places_with_repeats"),
        '''\
"""Look for entries that were recorded several times."""


def $function($first):
    """Return the positions of all $first that occur more than $often, in ascending order.
    Positions are counted from $base.
    """
    positions = []
    for place, one in enumerate($first, $base):
        times = 0
        for two in $first:
            if one == two:
                times = times + 1
        if times > $least and place not in positions:
            positions.append(place)
    return sorted(positions)
''',
        '''\
from collections import Counter


def $function($first):
    """Return the positions, counted from $base, of all $first that occur more than $often."""
    counts = Counter($first)
    return [at for at, entry in enumerate($first, $base) if counts[entry] > $least]
''',
    ),
    "earlier": (
        ("earlier_occurrences", "count_before", "occurrences_so_far"),
        '''\
"""Number entries that were recorded several times."""


def $function($first):
    """Return a number for each of the $first: $base plus the number of equal ones before it, but
    at most $top.
    """
    numbers = []
    for one in range(len($first)):
        before = []
        for two in range(len($first)):
            if two < one and $first[one] == $first[two]:
                before = before + [two]
        numbers = numbers + [min($base + len(before), $top)]
    return numbers
''',
        '''\
def $function($first):
    """Return for each of the $first how many equal ones are before it, from $base to $top."""
    numbers = []
    following = {}
    for entry in $first:
        number = following.get(entry, $base)
        numbers.append(min(number, $top))
        following[entry] = number + 1
    return numbers
''',
    ),
    "shared": (
        ("shared_entries", "entries_in_both", "common_entries"),
        '''\
"""Compare two recordings."""


def $function($first, $second):
    """Return those of the $first that occur in $second at least $least and at most $most times,
    each once, in the order in which they first appear in $first.
    """
    shared = []
    for one in $first:
        times = 0
        for two in $second:
            if one == two:
                times = times + 1
        already = False
        for three in shared:
            if three == one:
                already = True
        if $least <= times <= $most and not already:
            shared.append(one)
    return shared
''',
        '''\
from collections import Counter


def $function($first, $second):
    """Return those of the $first that occur $least to $most times in $second, each once."""
    counts = Counter($second)
    return [entry for entry in dict.fromkeys($first) if $least <= counts[entry] <= $most]
''',
    ),
    "latest": (
        ("latest_positions", "last_places", "last_seen"),
        '''\
"""Find out where each entry was recorded last."""


def $function($first):
    """Return a list of pairs (entry, position of its last occurrence, counted from $base): one pair
    for each different entry that occurs more than $often, in the order in which the entries first
    appear in $first.
    """
    pairs = []
    for one in range(len($first)):
        names = [name for name, _ in pairs]
        if $first[one] not in names:
            last, times = one, 0
            for two in range(len($first)):
                if $first[two] == $first[one]:
                    last, times = max(last, two), times + 1
            if times > $least:
                pairs = pairs + [($first[one], last + $base)]
    return pairs
''',
        '''\
from collections import Counter


def $function($first):
    """Return pairs (entry, last position from $base) of entries that occur more than $often."""
    counts = Counter($first)
    last = {entry: at for at, entry in enumerate($first, $base)}
    return [(entry, at) for entry, at in last.items() if counts[entry] > $least]
''',
    ),
}

# By kind, what makes the slow form slow, as it is written there.
_CAUSES = {
    "repeated": ("for two in $first", "place not in positions"),
    "earlier": ("for two in range(len($first))", "before + [two]"),
    "shared": ("for two in $second", "for three in shared"),
    "latest": ("for two in range(len($first))", "$first[one] not in names"),
}


def make(seed: int) -> dict[str, Any]:
    random = Random(f"slow_code:{seed}")
    kind = tuple(_KINDS)[seed % len(_KINDS)]
    names, slow, fast = _KINDS[kind]
    function = random.choice(names)
    first, second = random.choice(_FIRST), random.choice(_SECOND)
    # Seed 0 has the plainest rule; no text learnt by heart fits the others.
    least = random.randrange(2, 6) if seed else 1
    base = random.randrange(1, 30) if seed else 0
    most = least + random.randrange(1, 4)

    def filled(text: str, least: int) -> str:
        often = "once" if least == 1 else f"{least} times"
        return Template(text).substitute(
            function=function, first=first, second=second, often=often,
            least=least, most=most, base=base, top=base + least,
        )  # fmt: skip

    loop, search = (Template(one).substitute(first=first, second=second) for one in _CAUSES[kind])
    truth = {
        "seed": seed,
        "kind": kind,
        "loop": loop,
        "search": search,
        "function": function,
        "first": first,
        "parameters": f"{first}, {second}" if kind == "shared" else first,
        "often": most + 1,
        "least": least,
        "faster": filled(fast, least),
        "near_miss": filled(fast, least + 1),
    }
    return {"files": {"slow.py": filled(slow, least)}, "truth": truth}
