"""Values that no answer can hold: they come from the answer itself.

The same answer meets the same values whenever it is checked. An answer that holds a table of them
is another one, and meets others.
"""

import random


def draw_for(answer: str) -> random.Random:
    """A generator of random values for this answer, however its white space is set."""
    return random.Random(" ".join(answer.split()))
