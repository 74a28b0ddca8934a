"""The decorator of option classes: a frozen dataclass.

A field of it may take one type from a caller and give another to whoever reads it (a text becomes
a Path). Type checkers follow that, but not in a class that they know to be frozen.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as options_class
else:
    options_class = partial(dataclass, frozen=True)

__all__ = ["options_class"]
