"""Draws the names and rules of a search function, and states them as a specification."""

from random import Random
from string import Template
from typing import Any

_FUNCTIONS = ("find_position", "locate", "search_sorted", "position_of", "index_in_sorted")
_SEQUENCES = ("items", "values", "entries", "keys", "sequence")
_WANTED = ("wanted", "target", "needle", "sought", "key_value")

_SPECIFICATION = Template("""\
Signature: `$function($sequence, $wanted)`

- `$sequence` is sorted in $order order. It is a list, a tuple or any other sequence that
  supports `len()` and indexing. It may be empty, and the same item may occur several times. The
  items are numbers or texts; all that is known about them is that they can be compared.
- The function returns the place of `$wanted`; the first item has the place $base. If the item
  occurs several times, it returns the place of the $pick occurrence.
- If `$wanted` does not occur, it returns `$absent`.
- `$sequence` is not changed.
- The number of items read grows with the logarithm of the length, even when items repeat.
""")

_QUESTIONS = Template("""\
- `time`: the running time as a text such as "O(n log n)".
- `memory`: the memory it needs beside the sequence, in the same form.
- `for_empty`: a number, the result for an empty sequence.
- `for_repeated`: a number, the result of `$function($listed, $repeated)`.
- `for_absent`: a number, the result of `$function($listed, $missing)`.
""")


def make(seed: int) -> dict[str, Any]:
    random = Random(f"binary_search:{seed}")
    names = {
        "function": random.choice(_FUNCTIONS),
        "sequence": random.choice(_SEQUENCES),
        "wanted": random.choice(_WANTED),
    }
    # Seed 0 asks for the usual form; no text learnt by heart fits the others.
    pick = random.choice(("first", "last")) if seed else "first"
    absent = -random.randrange(2, 1000) if seed else -1
    order = random.choice(("ascending", "descending")) if seed else "ascending"
    base = random.randrange(1, 100) if seed else 0
    text = _SPECIFICATION.substitute(names, pick=pick, absent=absent, order=order, base=base)
    is_first, before = pick == "first", "<" if order == "ascending" else ">"
    shown = sorted([2, 5, 5, 5, 9], reverse=order == "descending")
    truth: dict[str, Any] = {
        **names,
        "seed": seed,
        "pick": pick,
        "absent": absent,
        "order": order,
        "base": base,
        # What a right and a wrong answer differ in.
        "before": before,
        "goes_right": before if is_first else f"{before}=",
        "goes_wrong": f"{before}=" if is_first else before,
        "back": 0 if is_first else 1,
        "not_back": 1 if is_first else 0,
        "shown": shown,
        "last_shown": shown[-1],
        "first_shown": shown[0],
        "example": base + (1 if is_first else 3),
        "last_place": base + 4,
    }
    different = random.sample(range(2, 60), random.randrange(3, 6))
    different.sort(reverse=order == "descending")
    counts = [random.randrange(1, 5) for _ in different]
    place = random.randrange(len(different))
    counts[place] = random.randrange(3, 6)
    listed = [one for one, count in zip(different, counts, strict=True) for _ in range(count)]
    first = sum(counts[:place])
    truth["claims"] = {
        "for_empty": absent,
        "for_repeated": base + (first if is_first else first + counts[place] - 1),
        "for_absent": absent,
    }
    questions = _QUESTIONS.substitute(
        names, listed=listed, repeated=different[place], missing=max(different) + 7
    )
    return {"files": {"specification.md": text, "questions.md": questions}, "truth": truth}
