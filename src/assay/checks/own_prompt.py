"""The prompts of `assay ask`: nothing says what a right answer would be, so none is scored."""

from assay.messages import tr
from assay.plugins import check
from assay.types import AnswerCheck, Context, Score


@check("unmarked")
class OwnPrompt(AnswerCheck):
    """The answer is not scored: nothing says what a right answer would be."""

    scores_empty = True
    in_files = False
    is_scored = False

    def score(self, answer: str, context: Context, /) -> Score:
        return Score(
            unscored_reason="nothing_to_check",
            explanation=tr("nothing_to_check: nothing says what a right answer would be."),
        )
