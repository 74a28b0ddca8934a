"""A module without documentation. Some of its functions do not do what their names suggest.

The seed draws the functions, their names, their constants and, for those that mislead, in which
way: an example that is true at one seed is false at another. Each function comes with mutants:
other versions of it that a good example tells from the real one.
"""

import ast
import random
import textwrap
from string import Template
from typing import Any

# Functions by their possible names: parameters, result, exception, arguments of examples, and one
# or more forms. SUGGESTED is what the name suggests, and the mutant of the function.
TRAPS = """
## unique without_duplicates drop_duplicates
items: a list of hashable items
RESULT: a new list
EXAMPLE: [3, 1, 3, 2]
SUGGESTED: list(dict.fromkeys(items))
FORM: Of equal items it keeps the last one, not the first.
def $f(items):
    seen = set()
    kept = []
    for item in reversed(items):
        if item not in seen:
            seen.add(item)
            kept.append(item)
    kept.reverse()
    return kept
FORM: It keeps only the items that occur once; repeated ones are dropped altogether.
def $f(items):
    return [item for item in items if items.count(item) == 1]
## average mean_score mean_value
values: a list of numbers
RESULT: a number
RAISES: if there are too few values
EXAMPLE: [0, 1, 4, 5, 6, 200, 300]
SUGGESTED: sum(values) / len(values)
FORM: It leaves out the smallest and the largest value.
def $f(values):
    if len(values) < 3:
        raise ValueError("at least three values are needed")
    inner = sorted(values)[1:-1]
    return sum(inner) / len(inner)
FORM: It leaves out the two largest values.
def $f(values):
    if len(values) < 3:
        raise ValueError("at least three values are needed")
    inner = sorted(values)[:-2]
    return sum(inner) / len(inner)
## round_price rounded_price round_amount
cents: a whole number
step: the step to round to (default $step)
RESULT: a whole number
EXAMPLE: 201
EXAMPLE: 249
SUGGESTED: (2 * cents + step) // (2 * step) * step
FORM: It never rounds down: the result is the next multiple of step above.
def $f(cents, step=$step):
    return -(-cents // step) * step
FORM: It never rounds up: the result is the next multiple of step below.
def $f(cents, step=$step):
    return cents // step * step
## is_between in_range lies_between
value: a number
low: the lower bound
high: the upper bound
RESULT: True or False
EXAMPLE: 1, 1, 5
EXAMPLE: 5, 1, 5
SUGGESTED: low <= value <= high
FORM: The upper bound is not part of the range.
def $f(value, low, high):
    return low <= value < high
FORM: The lower bound is not part of the range.
def $f(value, low, high):
    return low < value <= high
## merge_settings update_settings merged
settings: a dict
changes: another dict
RESULT: a new dict
EXAMPLE: {'a': 1, 'b': 2}, {'b': 3, 'c': 4}
SUGGESTED: {**settings, **changes}
FORM: A value in settings wins over the one in changes.
def $f(settings, changes):
    result = dict(changes)
    for key, value in settings.items():
        result[key] = value
    return result
FORM: Keys that only changes has are left out.
def $f(settings, changes):
    return {key: changes.get(key, value) for key, value in settings.items()}
## days_between day_count days_from_to
start: the number of the first day
end: the number of the last day
RESULT: a whole number
RAISES: if end lies before start
EXAMPLE: 3, 7
SUGGESTED: end - start
FORM: Both start and end are counted.
def $f(start, end):
    if end < start:
        raise ValueError("end lies before start")
    return end - start + 1
FORM: Neither start nor end is counted.
def $f(start, end):
    if end < start:
        raise ValueError("end lies before start")
    return max(end - start - 1, 0)
"""
# Functions that do what they are called. Each mutant is a change to the source. READ is another way
# to read the name: whoever says that it misleads, and means this, is not wrong.
PLAIN = """
## chunked in_groups split_evenly
items: a sequence
size: the length of a part
RESULT: a list of parts
RAISES: if size is not positive
EXAMPLE: [1, 2, 3, 4, 5, 6, 7], 3
READ: (lambda n: [items[at : at + n] for at in range(0, len(items), n)])($most)
READ: (lambda n: [items[at : at + n] for at in range(0, len(items), n)])($least)
MUTANT: len(items), size) => len(items))
MUTANT: items[at : => items[at + 1 :
FORM: Cuts items into parts of one size. The last part may be shorter.
def $f(items, size):
    if size < 1:
        raise ValueError("size must be positive")
    return [items[at : at + size] for at in range(0, len(items), size)]
FORM: Cuts items into parts of one size. The first part may be shorter.
def $f(items, size):
    if size < 1:
        raise ValueError("size must be positive")
    first = len(items) % size
    parts = [items[at : at + size] for at in range(first, len(items), size)]
    return [items[:first], *parts] if first else parts
## parse_pairs read_pairs pairs_from_text
text: the text
separator: what separates pairs (default $separator)
RESULT: a dict of texts
RAISES: if a part has no =
EXAMPLE: 'a=1${separator}b = 2'
EXAMPLE: 'x=1/y=2', '/'
MUTANT: partition("=") => partition(":")
MUTANT: [key.strip()] => [value.strip()]
FORM: Reads pairs such as a=1 from a text into a dict of texts.
def $f(text, separator="$separator"):
    result = {}
    for part in text.split(separator):
        if not part.strip():
            continue
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"no = in {part!r}")
        result[key.strip()] = value.strip()
    return result
## running_totals cumulated cumulative_sums
numbers: a list of numbers
start: added to each (default $start)
RESULT: a new list
EXAMPLE: [1, 2, 3]
EXAMPLE: [1, 2], 5
MUTANT: start += number => start -= number
MUTANT: append(start) => append(number)
FORM: Gives for each number the total up to it.
def $f(numbers, start=$start):
    totals = []
    for number in numbers:
        start += number
        totals.append(start)
    return totals
## initials initials_of abbreviated
name: a full name
dot: what follows each letter (default '$dot')
RESULT: a text
EXAMPLE: 'ada lovelace'
EXAMPLE: 'Kofi Mensah', '*'
MUTANT: part[0] => part[-1]
MUTANT: + dot => + "+"
FORM: Gives the first letters of a name as capitals.
def $f(name, dot="$dot"):
    return "".join(part[0].upper() + dot for part in name.split())
## window_sums sums_of_windows sliding_sums
numbers: a list of numbers
width: how many numbers a window has
RESULT: a new list
RAISES: if width does not fit the numbers
EXAMPLE: [1, 2, 3, 4], 3
MUTANT: [at : at + width] => [at : at + 1]
MUTANT: sum( => max(
FORM: Gives the sum of each window of neighbouring numbers.
def $f(numbers, width):
    if not 1 <= width <= len(numbers):
        raise ValueError("width does not fit the numbers")
    return [sum(numbers[at : at + width]) for at in range(len(numbers) - width + 1)]
FORM: Gives the sum of each window of neighbours; the first numbers follow the last ones again.
def $f(numbers, width):
    if not 1 <= width <= len(numbers):
        raise ValueError("width does not fit the numbers")
    twice = [*numbers, *numbers]
    return [sum(twice[at : at + width]) for at in range(len(numbers))]
"""
LENGTHS = {
    "most": "-(-len(items) // size)",
    "least": "-(-len(items) // -(-len(items) // size))",
}
SAME = (
    "Do what it does with its items, values, numbers, text, name, settings, changes, cents, step, "
    "start, end, size, width, separator, dot, low, high, value; it may raise ValueError."
)
# Names of their own for every seed but 0: documentation learnt by heart fits no other.
SUFFIXES = ("_a", "_all", "_each", "_lite", "_now", "_of", "_one", "_plus", "_two", "_x")
STEPS = ("5", "10", "25", "50")
CONSTANTS = {"separator": (";", ",", "|", "&"), "start": ("0", "10", "100"), "dot": (".", "-", ":")}


def make(seed: int) -> dict[str, Any]:
    """The module, and in `truth` its functions with their mutants, and documented modules."""
    rng = random.Random(f"undocumented_code:{seed}")
    # What came later has a generator of its own: at seed 0 the module is what it always was.
    more = random.Random(f"forms_403:{seed}")
    drawn = rng.sample(TRAPS.split("## ")[1:], more.choice((2, 3)))
    drawn += rng.sample(PLAIN.split("## ")[1:], more.choice((2, 3)))
    rng.shuffle(drawn)
    constants = {name: more.choice(values) for name, values in CONSTANTS.items()}
    constants["step"] = rng.choice(STEPS)
    shown: list[dict[str, Any]] = []
    for entry in drawn:
        one = read_entry(entry, constants, rng, more, more.choice(SUFFIXES) if seed else "")
        role = "trap" if one["suggested"] != one["source"] else "plain"
        one["role"] = f"{role}_{1 + sum(role in other['role'] for other in shown)}"
        shown.append(one)
    functions = [{key: one[key] for key in ("name", "role", "mutants", "forms")} for one in shown]
    return {
        "files": {"toolbox.py": "\n\n\n".join(one["source"] for one in shown)},
        "truth": {
            "functions": functions,
            "documented": document(shown, "source", "source"),
            "by_name": document(shown, "source", "suggested"),
            "repaired": document(shown, "suggested", "suggested"),
            "without_examples": document(shown, "source", None),
            "same_texts": document(shown, "source", "source", says=SAME),
            "equal_to_itself": equal_to_itself(shown),
        },
    }


def read_entry(
    entry: str, constants: dict[str, str], rng: random.Random, more: random.Random, suffix: str
) -> dict[str, Any]:
    """A function of the stock with its name, its form and its constants."""
    names, _, text = entry.partition("\n")
    name = rng.choice(names.split()) + suffix
    heading, *forms = Template(text).substitute(constants, f=name, **LENGTHS).split("FORM: ")
    says, source = more.choice(forms).strip().split("\n", 1)
    one: dict[str, Any] = {"name": name, "says": says, "source": source, "suggested": source}
    others = [form.strip().split("\n", 1)[1] for form in forms]
    one["forms"] = [other for other in others if other != source]
    one |= {"EXAMPLE": [], "mutants": [], "about": []}
    for line in heading.splitlines():
        key, _, value = line.partition(": ")
        if key == "SUGGESTED":
            signature = source.partition("\n")[0]
            one["suggested"] = f"{signature}\n    return {value}"
            one["mutants"].append(one["suggested"])
            one["says"] = f"Note that the name misleads. {says}"
        elif key == "READ":
            one["forms"].append(f"{source.partition(chr(10))[0]}\n    return {value}")
        elif key == "MUTANT":
            old, _, new = value.partition(" => ")
            one["mutants"].append(source.replace(old, new))
        elif key == "EXAMPLE":
            one["EXAMPLE"].append(value)
        else:
            title = {"RESULT": "returns", "RAISES": "ValueError"}.get(key, key)
            one["about"].append(f"{title}: {value}.")
    one["differs"] = state_difference(one)
    one["mutants"] += mutate(source, name, one["EXAMPLE"])
    return one


def state_difference(one: dict[str, Any]) -> str:
    """The line that says where a name misleads; "" where it does not."""
    for arguments in one["EXAMPLE"]:
        given = [outcome(one[code], one["name"], arguments) for code in ("source", "suggested")]
        if given[0] != given[1]:
            return f"differs: {one['name']}({arguments}) == {given[0]} != {given[1]}"
    return ""


SWAPS: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.FloorDiv: ast.Mod, ast.Mult: ast.Add, ast.Mod: ast.FloorDiv,
}  # fmt: skip


class Mutation(ast.NodeTransformer):
    """Changes one place of a function: a comparison, a sum, a number, a choice of items."""

    def __init__(self, place: int) -> None:
        self.left = place

    def is_here(self) -> bool:
        self.left -= 1
        return self.left == -1

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if type(node.ops[0]) in SWAPS and self.is_here():
            node.ops[0] = SWAPS[type(node.ops[0])]()
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if type(node.op) in SWAPS and self.is_here():
            node.op = SWAPS[type(node.op)]()
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and self.is_here():
            node.value += 1
        return node


MOST_MUTANTS = 6


def mutate(source: str, name: str, examples: list[str]) -> list[str]:
    """Wrong versions of several kinds, each of which one of the examples tells from the source by
    the value that it shows.
    """
    found: list[str] = []
    for place in range(20):
        mutation = Mutation(place)
        changed = ast.unparse(mutation.visit(ast.parse(source)))
        if mutation.left >= 0 or len(found) == MOST_MUTANTS:
            break
        given = [outcome(changed, name, one) for one in examples]
        right = [outcome(source, name, one) for one in examples]
        if any(one and one != two for one, two in zip(given, right, strict=True)):
            found.append(changed)
    return found


def outcome(source: str, name: str, arguments: str) -> str:
    names: dict[str, Any] = {}
    try:
        exec(source, names)  # source of ours
        return repr(eval(f"{name}({arguments})", names))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return ""  # of a wrong version, whose one changed place may break it


def equal_to_itself(shown: list[dict[str, Any]]) -> str:
    """The module with examples that are true of any function."""
    text = '"""Small tools."""'
    for one in shown:
        signature, _, body = one["source"].partition("\n")
        call = f"{one['name']}({one['EXAMPLE'][0]})"
        text += f'\n\n\n{signature}\n    """{one["says"]}\n\n    >>> {call} == {call}\n    True\n'
        text += f'    """\n{body}'
    return f"```python\n{text}\n```"


def document(shown: list[dict[str, Any]], code: str, examples: str | None, says: str = "") -> str:
    """The module in a block, each function with a docstring whose examples show what the source
    under `examples` does.
    """
    text = '"""Small tools for lists, texts and numbers."""'
    for one in shown:
        lines = [says or one["says"], "", *([] if says else one["about"])]
        lines += [one["differs"]] if one["differs"] and not says else []
        names: dict[str, Any] = {}
        exec(one[examples] if examples else "", names)  # source of ours
        for arguments in one["EXAMPLE"] if examples else ():
            call = f"{one['name']}({arguments})"
            lines += ["", f">>> {call}", repr(eval(call, names))]
        docstring = textwrap.indent('"""' + "\n".join(lines) + '\n"""', "    ")
        signature, _, body = one[code].partition("\n")
        text += f"\n\n\n{signature}\n{docstring}\n{body}"
    return f"```python\n{text}\n```"
