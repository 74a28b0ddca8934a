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
    folded = _fold_all(tree)
    numbers, texts = set(folded.values()), set[str]()
    for node in ast.walk(tree):
        text = getattr(node, "value", None)
        if isinstance(text, str) and id(node) not in documented and len(text) <= _LONGEST_TEXT:
            texts.add(text)
            numbers |= {int(text)} if text.isdecimal() else set()
        if isinstance(node, ast.Compare):
            numbers |= set(_with_remainder(node, folded, draw))
    return Named(
        numbers=tuple(_some(sorted(numbers), draw)),
        texts=tuple(_some(sorted(texts), draw)),
    )


def _with_remainder(
    node: ast.Compare, folded: dict[ast.AST, int], draw: random.Random
) -> Iterator[int]:
    """Of `x % 97 == 5`, a number that leaves 5."""
    sides = [node.left, *node.comparators]
    for one in sides:
        divisor = folded.get(one.right) if isinstance(one, ast.BinOp) else None
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) and divisor:
            left = {folded[other] for other in sides if other is not one and other in folded}
            yield from (divisor * draw.randrange(1, 9) + rest for rest in sorted(left))


def _some(values: list[_Value], draw: random.Random) -> list[_Value]:
    return draw.sample(values, min(len(values), _MOST_NAMED))


def _fold_all(tree: ast.AST) -> dict[ast.AST, int]:
    """The whole numbers that expressions of numbers come to; of any other there is none. From the
    innermost outwards, so that no nesting is too deep.
    """
    found: dict[ast.AST, int] = {}
    for node in reversed([*ast.walk(tree)]):
        value: float | None = None
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            value = None if isinstance(node.value, bool) else node.value
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = -found[node.operand] if node.operand in found else None
        elif isinstance(node, ast.BinOp) and node.left in found and node.right in found:
            value = _compute(node.op, found[node.left], found[node.right])
        if value is not None and abs(value) <= _LARGEST and value == int(value):
            found[node] = int(value)
    return found


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
