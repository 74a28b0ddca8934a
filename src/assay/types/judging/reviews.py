"""What people say of stored answers, beside what the machine said.

A review is one person's score of one answer; `id` of an item hides which model wrote the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.types.judging.judged import RaterAgreement
from assay.types.judging.judgements import RubricCriterion
from assay.types.scores import Estimate
from assay.types.views import ViewedSample

# What is reviewed first: `doubtful` is what the judge itself was not sure of; `generated` are the
# samples that checkpoints wrote, which are sound, 1, or broken, 0.
ReviewGroup = Literal["unscored", "failed", "doubtful", "generated", "sample"]
GROUPS: tuple[ReviewGroup, ...] = ("unscored", "failed", "doubtful", "generated", "sample")


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """`value`: 0 to 1. `criteria`: points of 10 by criterion, of a judged test. `machine`: the
    score that the reviewer saw, None where there was none; `accepted`: they left it as it was.
    """

    author: str
    value: float
    machine: float | None = None
    accepted: bool = False
    criteria: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """An answer in the queue. `reviewers`: how many people have reviewed it."""

    id: str
    group: ReviewGroup
    suite: str
    test_id: str
    reviewers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupProgress:
    """Of the `answers` of a group, those reviewed by enough people, and by this one."""

    answers: int
    done: int
    own: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueue:
    """What one reviewer has left: how much, and what to review first."""

    run: str
    author: str
    reviewers: int
    left: int
    items: tuple[ReviewItem, ...]
    progress: Mapping[ReviewGroup, GroupProgress]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerToReview:
    """One answer with all that the machine knows of it, and nothing of its model. `criteria`: of
    the rubric, of a judged test. `own`: what this reviewer said of it before.
    """

    run: str
    item: ReviewItem
    sample: ViewedSample
    criteria: tuple[RubricCriterion, ...] = ()
    own: Review | None = None

    @property
    def machine(self) -> float | None:
        return self.sample.score.value if self.sample.score else None

    @property
    def machine_criteria(self) -> dict[str, int]:
        given = self.sample.judgement.criteria if self.sample.judgement else ()
        return {each.criterion: each.score for each in given}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedSuite:
    """One model on one suite, in points: as the machine scored it, and with the scores of people in
    the place of the machine's where there are any. `passes`, `others`: (reviewed, answers) of what
    the machine passed, and of what it did not. `changed`: answers that people score differently.
    """

    model: str
    suite: str
    reviewed: int
    changed: int
    passes: tuple[int, int]
    others: tuple[int, int]
    machine: Estimate
    people: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedSamples:
    """Generated samples that people called sound or broken, beside the rules: how many have a
    review, and how many of those are broken by most people, and by the rules. No judge decides
    here. `agreements`: people with each other, and each with the rules.
    """

    reviewed: int
    broken_by_people: int
    broken_by_rules: int
    reviewers: Mapping[str, int]
    agreements: tuple[RaterAgreement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """The reviews of a run. `reviewers`: how many answers each reviewed. `outdated`: reviews that
    no longer count, because the answer, or the score that was accepted, has changed since. `open`:
    reviewed answers that one person alone has seen, or on which as many say pass as fail; one more
    review each settles them, or leaves them open again.
    """

    suites: tuple[ReviewedSuite, ...]
    reviewers: Mapping[str, int]
    agreements: tuple[RaterAgreement, ...] = ()
    outdated: int = 0
    open: int = 0
    samples: ReviewedSamples | None = None
