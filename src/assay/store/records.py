"""What the store gives back: runs, their models, and trials."""

from dataclasses import dataclass
from typing import NamedTuple

from assay.types import Machine, Message, ModelFacts, Observed, Reply, SamplingMode, Score
from assay.types.decisions import DecisionPlan, PlannedCheckpoint
from assay.types.judging.judgements import FinalJudgement, Judging
from assay.types.judging.reviews import Review
from assay.version import __version__

TrialKey = tuple[str, str, int]  # suite, test id, repeat


@dataclass(frozen=True, slots=True, kw_only=True)
class RunModel:
    """A model as a run knows it. `slug` names its folder."""

    position: int
    spec: str
    slug: str
    facts: ModelFacts
    observed: Observed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was asked of whom, and whether it is done. Replies before `first_reply` are not used."""

    id: str
    key: str
    created: str = ""
    finished: str | None = None
    first_reply: int = 0
    seed: int = 0
    repeats: int = 1
    command: str = ""
    version: str = __version__
    models: tuple[RunModel, ...] = ()
    digests: tuple[str, ...] = ()
    sampling: SamplingMode = "fixed"
    machine: Machine | None = None
    deciding: DecisionPlan | None = None
    judging: Judging | None = None

    @property
    def subjects(self) -> tuple[PlannedCheckpoint, ...]:
        return self.deciding.subjects if self.deciding else ()

    @property
    def evaluated(self) -> tuple[RunModel, ...]:
        """Its models, less the checkpoints that went away or broke while it went on."""
        failed = {subject.spec for subject in self.subjects if subject.failed}
        return tuple(model for model in self.models if model.spec not in failed)


class AnswerTime(NamedTuple):
    """How long an answer took, and its share of the time in which its model was asked anything."""

    test: str
    seconds: float
    wall_s: float


class StoredTestScore(NamedTuple):
    """What a model scored on a test, in the suite of a digest; None: failed or unscored."""

    digest: str
    fingerprint: str
    model: str
    test_id: str
    value: float | None


@dataclass(frozen=True, slots=True)
class _OfTrial:
    suite: str
    test_id: str
    repeat: int
    reply_id: int

    @property
    def key(self) -> TrialKey:
        return self.suite, self.test_id, self.repeat


@dataclass(frozen=True, slots=True)
class StoredTrial(_OfTrial):
    """One trial of one test as the store holds it: the reply that ended it, and its newest score.
    `sent`: the last request's conversation, where the model's own turns are in it.
    """

    request_id: str
    reply: Reply
    score: Score | None
    sent: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredJudgement(_OfTrial):
    """The final judgement of one trial, and the reply that its judges read."""

    judgement: FinalJudgement


@dataclass(frozen=True, slots=True)
class StoredReview(_OfTrial):
    """What a person said of one answer. `model`: its position in the run; `score_id`: of the
    machine's score that the answer has now.
    """

    model: int
    score_id: int
    created: str
    review: Review


@dataclass(frozen=True, slots=True)
class AnswerState:
    """How an answer was scored, without reading it; `kind` and `place` order the queue."""

    model: int
    suite: str
    test_id: str
    repeat: int
    reply_id: int
    score_id: int
    value: float | None
    kind: int
    place: int
