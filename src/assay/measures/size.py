"""Which size class a model belongs to: the gate's, else by its count of parameters.

A folder's name that says another class than the one whose limits count is told; so is a gate's
class that is not the one of the count.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from typing_extensions import TypedDict

from assay.files.fields import Doc
from assay.messages import message
from assay.plugins import measure
from assay.types.decisions import (
    SIZE_CLASSES,
    DecisionFact,
    Gate,
    Measurements,
    SizeClass,
    fact,
    size_class_of,
)
from assay.types.measures import Measure, Places

_WORDS = re.compile(r"[^\W\d_]+")


# `class` is a word of Python's own, which no field of a class can be called.
SizeTable = TypedDict(
    "SizeTable",
    {
        "class": Annotated[
            SizeClass, Doc("The size class whose limits count, whatever the count of parameters.")
        ]
    },
)


@measure("size", unit="parameters", better="lower")
class Size(Measure):
    """The size class whose limits count."""

    places = Places(keys=85, gate=90)
    table = SizeTable
    table_about = Doc("Which size class the model belongs to.")
    sentences = {
        "named_another_size": message(
            "The folder's name says {named}, and {parameters} parameters are {counted}: the limits "
            "of {used} count."
        ),
        "named_a_size": message("The folder's name says {named}, and the limits of {used} count."),
        "another_size": message(
            "The limits of {used} count, as was asked; {parameters} parameters are {counted}."
        ),
    }

    def limits_of(self, table: SizeTable) -> Mapping[str, Any]:
        return {"size_class": table["class"]}

    def not_covered(self, measured: Measurements, gate: Gate) -> Iterator[DecisionFact]:
        used, named = measured.size_class, named_size_class(measured.name)
        if used is None:
            return
        if measured.parameters is None:
            if named not in (None, used):
                yield fact("named_a_size", named=named, used=used)
            return
        counted = size_class_of(measured.parameters)
        gaps = {"parameters": measured.parameters, "counted": counted, "used": used}
        if named not in (None, used):
            yield fact("named_another_size", named=named, **gaps)
        elif used != counted:
            yield fact("another_size", **gaps)


def named_size_class(name: str) -> SizeClass | None:
    """What PARENT/STEP calls itself: `medium_150M/step_100`; None where it names none or two."""
    words = {word.lower() for word in _WORDS.findall(name)}
    named = [each for each in SIZE_CLASSES if each in words]
    return named[0] if len(named) == 1 else None
