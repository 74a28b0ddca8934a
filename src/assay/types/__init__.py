"""The vocabulary: the only things that cross a module border.

Frozen dataclasses, a few constants, and the protocols Model and Observer, of the standard library
only. Case x ModelFacts -> Request -> Reply -> Score; together a Trial; Trials -> Estimate.
"""

from assay.types.conversations import Message, Role, ToolCall, ToolStep
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
    AsWritten,
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
    ToContinue,
    ToRead,
    ToScore,
    ToTime,
    Work,
)
from assay.types.scores import (
    INCOMPLETE_ABOVE,
    Estimate,
    Observer,
    OutcomeKind,
    Score,
    ScorePart,
)
from assay.types.suites import Category, FileFinding, Severity, Suite
from assay.types.tests import (
    BASE_MODEL_MAX_TOKENS,
    DEFAULT_MAX_TOKENS,
    DEFAULT_PASS_MARK,
    DEFAULT_TEMPERATURE,
    LANGUAGES,
    LETTERS,
    AnswerCheck,
    Case,
    Context,
    FieldProblem,
    JudgeFields,
    Requests,
    ScoringMode,
    SuiteWords,
)
from assay.types.trials import Trial
