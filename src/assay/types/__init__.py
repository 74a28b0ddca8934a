"""The vocabulary: the only things that cross a module border.

Frozen dataclasses, a few constants, and the protocols Model and Observer, of the standard library
only. Case x ModelFacts -> Request -> Reply -> Score; together an Attempt; Attempts -> Estimate.
"""

from assay.types.checks import LETTERS, AnswerCheck, Context, FieldProblem, JudgeFields, Requests
from assay.types.measured.samples import (
    Health,
    HealthCheck,
    SampleCheck,
    SampleCheckKind,
    SamplePrompt,
)
from assay.types.models import Capability, Machine, Model, ModelFacts, Observed, TokenizerFigures
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
    ThinkingChoice,
    Timed,
    Timing,
    ToAnswer,
    ToChoose,
    ToolCall,
    ToolStep,
    ToRead,
    ToTime,
    Work,
)
from assay.types.scores import Attempt, Estimate, Observer, OutcomeKind, Score, ScorePart
from assay.types.tests import (
    BASE_MODEL_MAX_TOKENS,
    CONSTRAINED,
    DEFAULT_MAX_TOKENS,
    DEFAULT_PASS_MARK,
    DEFAULT_TEMPERATURE,
    INCOMPLETE_ABOVE,
    LANGUAGES,
    THINKING,
    Case,
    Category,
    FileFinding,
    Message,
    Role,
    ScoringMode,
    Severity,
    Suite,
)
