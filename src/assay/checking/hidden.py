"""Values that no answer can hold: they come from the answer itself.

The same answer meets the same values whenever it is checked. An answer that holds a table of them
is another one, and meets others. An answer that is right but for a value that its code looks for
names that value: it is called with the numbers and texts of its own code, too.
"""

import ast
import operator
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

_Value = TypeVar("_Value")
_MOST_NAMED = 40  # numbers, and texts; of more some are drawn
_LARGEST = 10**15
_LONGEST_TEXT = 40
_FOLDED: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
}


@dataclass(frozen=True, slots=True)
class Named:
    """Numbers and texts that stand in code: whole ones, what they come to if computed from others,
    and numbers that leave the remainders which are asked for.
    """

    numbers: tuple[int, ...]
    texts: tuple[str, ...]


def draw_for(answer: str) -> random.Random:
    """A generator of random values for this answer, however its white space is set."""
    return random.Random(" ".join(answer.split()))


def list_named(tree: ast.AST, draw: random.Random) -> Named:
    """What code names, in an order that the generator draws."""
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    numbers, texts = set[int](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in documented and len(node.value) <= _LONGEST_TEXT:
                texts.add(node.value)
                numbers |= {int(node.value)} if node.value.isdecimal() else set()
        elif isinstance(node, ast.expr):
            number = _fold(node)
            numbers |= set() if number is None else {number}
        if isinstance(node, ast.Compare):
            numbers |= set(_with_remainder(node, draw))
    return Named(
        numbers=tuple(_some(sorted(numbers), draw)),
        texts=tuple(_some(sorted(texts), draw)),
    )


def _with_remainder(node: ast.Compare, draw: random.Random) -> Iterator[int]:
    """Of `x % 97 == 5`, a number that leaves 5."""
    sides = [node.left, *node.comparators]
    for one in sides:
        divisor = _fold(one.right) if isinstance(one, ast.BinOp) else None
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) and divisor:
            left = {_fold(other) for other in sides if other is not one} - {None}
            yield from (divisor * draw.randrange(1, 9) + one for one in left if one is not None)


def _some(values: list[_Value], draw: random.Random) -> list[_Value]:
    return draw.sample(values, min(len(values), _MOST_NAMED))


def _fold(node: ast.expr) -> int | None:
    """The whole number that an expression of numbers comes to; None of any other."""
    found: int | None = None
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, int | float) and not isinstance(value, bool):
            found = int(value) if abs(value) <= _LARGEST and value == int(value) else None
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _fold(node.operand)
        found = None if inner is None else -inner
    elif isinstance(node, ast.BinOp):
        left, right = _fold(node.left), _fold(node.right)
        if left is not None and right is not None:
            found = _compute(node.op, left, right)
    return found if found is not None and abs(found) <= _LARGEST else None


def _compute(sign: ast.operator, left: int, right: int) -> int | None:
    if isinstance(sign, ast.Pow | ast.LShift):
        return (
            int(left**right if isinstance(sign, ast.Pow) else left << right)
            if (0 <= right <= 50 and abs(left) <= 10_000)
            else None
        )
    if isinstance(sign, ast.FloorDiv | ast.Mod) and not right:
        return None
    compute = _FOLDED.get(type(sign))
    return None if compute is None else compute(left, right)
