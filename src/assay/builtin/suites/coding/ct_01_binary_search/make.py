"""Draws the names and rules of a search function, and states them as a specification."""

from random import Random
from string import Template
from typing import Any

_FUNCTIONS = ("find_position", "locate", "search_sorted", "position_of", "index_in_sorted")
_SEQUENCES = ("items", "values", "entries", "keys", "sequence")
_WANTED = ("wanted", "target", "needle", "sought", "key_value")

_SPECIFICATION = Template("""\
Signature: `$function($sequence, $wanted)`

- `$sequence` is sorted in ascending order. It is a list, a tuple or any other sequence that
  supports `len()` and indexing. It may be empty, and the same item may occur several times. The
  items are numbers or texts; all that is known about them is that they can be compared.
- The function returns the index of `$wanted`, counted from 0. If the item occurs several times, it
  returns the index of the $pick occurrence.
- If `$wanted` does not occur, it returns `$absent`.
- `$sequence` is not changed.
- The number of items read grows with the logarithm of the length, even when items repeat.
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
    text = _SPECIFICATION.substitute(names, pick=pick, absent=absent)
    is_first = pick == "first"
    truth = {
        **names,
        "seed": seed,
        "pick": pick,
        "absent": absent,
        # What a right and a wrong answer differ in.
        "goes_right": "<" if is_first else "<=",
        "goes_wrong": "<=" if is_first else "<",
        "back": 0 if is_first else 1,
        "not_back": 1 if is_first else 0,
        "example": 1 if is_first else 3,
    }
    return {"files": {"specification.md": text}, "truth": truth}
