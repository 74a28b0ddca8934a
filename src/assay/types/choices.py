"""The words that options choose from. Apart from the shapes that use them: `assay --help` loads
these and not the shapes.
"""

from typing import Literal

MeasureKind = str  # what is asked for a measure; the registry of measures has them
JudgeFormChoice = Literal["auto", "likelihood", "reasoned"]
JudgeForm = Literal["likelihood", "reasoned"]
