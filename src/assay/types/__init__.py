"""The vocabulary: the only things that cross a module border.

Frozen dataclasses, a few constants, and the protocols Model and Observer. Those that most modules
need are imported from here. Standard library only.

    Suite -> Category -> Case -> AnswerCheck        what is asked, and how its answer is scored
    Case x ModelFacts -> Request -> Reply     what was asked, and what came back
    Case x Reply -> Score                     what it is worth, or why that cannot be said
    Case + Reply + Score = Attempt -> Estimate  what it says about the model, and how surely
    SamplePrompt x text -> Health             whether what it writes freely is sane
"""

from __future__ import annotations

from assay.types.checks import LETTERS, AnswerCheck, Context, FieldProblem, JudgeFields, Requests
from assay.types.models import (
    Capability,
    Machine,
    Model,
    ModelFacts,
    Observed,
    TokenizerFigures,
)
from assay.types.requests import (
    Answered,
    Cause,
    ChoiceLikelihoods,
    Failed,
    PredictionMethod,
    ReadText,
    Reply,
    Request,
    Sampling,
    SamplingMode,
    Thinking,
    Timed,
    Timing,
    ToAnswer,
    ToChoose,
    ToRead,
    ToTime,
    Work,
)
from assay.types.samples import Health, HealthCheck, SampleCheck, SampleCheckKind, SamplePrompt
from assay.types.scores import (
    Attempt,
    Estimate,
    Observer,
    OutcomeKind,
    Score,
    ScorePart,
)
from assay.types.tests import (
    BASE_MODEL_MAX_TOKENS,
    DEFAULT_MAX_TOKENS,
    DEFAULT_PASS_MARK,
    DEFAULT_TEMPERATURE,
    INCOMPLETE_ABOVE,
    LANGUAGES,
    Case,
    Category,
    FileFinding,
    Message,
    Role,
    ScoringMode,
    Severity,
    Suite,
)
