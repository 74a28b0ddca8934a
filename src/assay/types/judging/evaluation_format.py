"""What the standard evaluation format is made of, for whoever writes or reads it."""

from assay.messages import tr

LABELS = (
    "TEST ID", "MODEL", "TASK", "EVALUATION", "OVERALL SCORE", "QUALITY RATING",
    "DETAILED ASSESSMENT", "STRENGTHS", "WEAKNESSES", "VERDICT",
)  # fmt: skip
# In the place of scores; "Not checked": there is an answer, but no block that can
# be read in it.
UNSCORED, CHECKS, NO_ANSWER, NOT_CHECKED = "Unscored", "Checks", "No answer", "Not checked"
# (key, label, weight in tenths) of the format's criteria
_SHARED = (("correctness", "Correctness", 4), ("completeness", "Completeness", 3))
STANDARD_CRITERIA = {
    "coding": (*_SHARED, ("code_quality", "Code Quality", 3)),
    "data": (*_SHARED, ("insight_quality", "Insight Quality", 3)),
}


def nothing_named() -> str:
    """What is in the place of strengths and weaknesses that nobody named."""
    return tr("none named")
