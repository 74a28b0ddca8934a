"""The words that options choose from. Apart from the shapes that use them: `assay --help` loads
these and not the shapes.
"""

from typing import Literal

MeasureKind = str  # what is asked for a measure; the registry of measures has them
JudgeFormChoice = Literal["auto", "likelihood", "reasoned"]
Layout = Literal["fence", "around", "again", "anchors"]
JudgeForm = Literal["likelihood", "reasoned"]


def form_of(layout: Layout | None) -> JudgeForm:
    """Only the likelihood form has a layout."""
    return "reasoned" if layout is None else "likelihood"
