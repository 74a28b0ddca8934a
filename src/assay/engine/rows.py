"""How likely rows of tokens are by themselves: nothing stands before a row, so that its first token
is not predicted, as in the loss of transformers.
"""

from collections.abc import Iterator, Sequence

from assay.engine.network import Network
from assay.engine.read import TextReading, Tokens, read_all


def read_rows(network: Network, rows: Sequence[Tokens]) -> Iterator[tuple[int, TextReading]]:
    """Yield (number of the row, its reading) of all rows with two tokens or more, in any order.

    A row that is longer than the model's context is read window by window.
    """
    by_first: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        if len(row) > 1:
            by_first.setdefault(int(row[0]), []).append(number)
    # Rows that begin alike are read together, behind the token that they share.
    for first, numbers in by_first.items():
        rest = (rows[number][1:] for number in numbers)
        for reading in read_all(network, rest, prefix=first):
            yield numbers[reading.number], reading
