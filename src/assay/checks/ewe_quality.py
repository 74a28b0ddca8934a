"""ewe_quality: how well the answer reads as Ewe, measured by `ewe/quality.py`."""

from assay.plugins import check
from assay.types import AnswerCheck, Context, Score, ScorePart


@check("ewe_quality")
class EweQuality(AnswerCheck):
    """How well the answer reads as Ewe, from 0 to 1."""

    version = 5

    def score(self, answer: str, context: Context, /) -> Score:
        # Imported when an answer is scored: the language model takes longer than a small suite.
        from assay.checks.ewe.quality import read_ewe

        reading = read_ewe(answer)
        return Score(
            value=reading.value(),
            explanation=reading.explanation(),
            parts=tuple(ScorePart(name=name, value=each) for name, each in reading.factors.items()),
        )
