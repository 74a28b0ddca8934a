"""What to review first, and one answer of it, without a word about its model.

The order is unscored, failed, what the judge was not sure of, samples that checkpoints wrote, then
all others; within a group it is drawn by seed, so that neighbours do not come from one model.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from assay.errors import UsageError
from assay.judge.rubrics import load_rubric
from assay.messages import tr
from assay.request_identity import GENERATION, MEASURE
from assay.store import AnswerState, Run, Store, StoredReview
from assay.store.reviews import PRIME
from assay.store.viewed import ViewedStore
from assay.types import Score, ScorePart
from assay.types.judging.judgements import RubricCriterion
from assay.types.judging.reviews import (
    GROUPS,
    AnswerToReview,
    GroupProgress,
    ReviewGroup,
    ReviewItem,
    ReviewQueue,
)
from assay.types.options import DEFAULT_OUT
from assay.types.views import TestKey, ViewedSample
from assay.workflow.checkpoints.measures import examine_by_rules, rule_value, samples_of_run

RULES = "health"  # the scorer of a generated sample
SOUND = 1.0
RANGE = 2**40  # of the numbers that hide those of scores


def review_queue(
    run: str = "latest",
    *,
    author: str = "",
    reviewers: int = 2,
    seed: int = 0,
    after: str = "",
    groups: Sequence[ReviewGroup] = GROUPS,
    most: int = 50,
    out: str | Path = DEFAULT_OUT,
) -> ReviewQueue:
    """What `author` has left to review of a run: answers that fewer than `reviewers` people and
    not they themselves have reviewed. The first `most` of the `groups` are listed, or those
    `after` an item.
    """
    with ViewedStore(Path(out)) as store:
        found = store.find_run(run)
        people = _people(store.read_reviews(found))
        own = {score for score, names in people.items() if author in names}
        done = {score for score, names in people.items() if len(names) >= reviewers}
        factor = _number(f"{seed} {found.id}", PRIME - 1) + 1
        samples = tuple(samples_of_run(found.deciding))
        start = store.read_answer_states(
            found, samples=samples, factor=factor, only=[_score_id(found, after)]
        )
        states = store.read_answer_states(
            found,
            samples=samples,
            factor=factor,
            without=own | done,
            after=start[0] if start else None,
            kinds=[GROUPS.index(each) for each in groups],
            most=most,
        )
        reviewed = store.read_answer_states(found, samples=samples, only=people)
        answers = store.count_answers(found, samples=samples)
    progress = {}
    for kind, group in enumerate(GROUPS):
        here = {each.score_id for each in reviewed if each.kind == kind}
        if group in answers:
            progress[group] = GroupProgress(
                answers=answers[group], done=len(here & done), own=len(here & own)
            )
    left = sum(answers.values()) - sum(each.score_id in own | done for each in reviewed)
    items = tuple(_item(found, each, len(people.get(each.score_id, ()))) for each in states)
    return ReviewQueue(
        run=found.id,
        author=author,
        reviewers=reviewers,
        left=left,
        items=items,
        progress=progress,
    )


def answer_to_review(
    item: str, *, run: str = "latest", author: str = "", out: str | Path = DEFAULT_OUT
) -> AnswerToReview:
    """One answer of the queue, to be reviewed by `author`."""
    return find_answer(item, run, author, Path(out))[1]


def find_answer(item: str, run: str, author: str, out: Path) -> tuple[AnswerState, AnswerToReview]:
    """An item of the queue: where it is in the store, and what its reviewer sees."""
    with ViewedStore(Path(out)) as store:
        found = store.find_run(run)
        states = store.read_answer_states(
            found, samples=samples_of_run(found.deciding), only=[_score_id(found, item)]
        )
        if not states or _id(found, states[0]) != item:
            raise UsageError(
                tr("there is no answer {item!r} to review in run {run}", item=item[:40], run=run),
                hint=tr("it was asked or scored again since; review the next one in the queue"),
            )
        state = states[0]
        reviews = [each for each in store.read_reviews(found) if each.score_id == state.score_id]
        criteria: tuple[RubricCriterion, ...] = ()
        if state.suite == GENERATION:
            hidden = _generated(store, found, state)
        else:
            key = TestKey(suite=state.suite, test_id=state.test_id)
            sample = store.read_sample(found.id, key, state.model, state.repeat)
            hidden = replace(sample, model=0, outcomes=sample.outcomes[state.model])
            criteria = _criteria(sample, store.read_suite_path(found.id, state.suite))
    own = [each.review for each in reviews if each.review.author == author]
    return state, AnswerToReview(
        run=found.id,
        item=_item(found, state, len(reviews)),
        sample=hidden,
        criteria=criteria,
        own=own[0] if own else None,
    )


def _generated(store: Store, run: Run, of: AnswerState) -> ViewedSample:
    """A sample as a test: sound, 1, unless a rule finds a failure."""
    model = next(each for each in run.models if each.position == of.model)
    (kept,) = store.read_measures(run, model, of=(of.suite, of.test_id))
    health = examine_by_rules(run.deciding, of.test_id, kept.reply)
    assert health is not None  # only what is written is in the queue
    prompt = samples_of_run(run.deciding)[of.test_id][0].prompt
    said = [each for each in health.checks if each.passed is not None]
    score = Score(
        scorer=RULES,
        version=1,
        value=rule_value(health),
        explanation=" ".join(each.explanation for each in health.failures),
        parts=tuple(
            ScorePart(name=each.name, value=float(bool(each.passed)), explanation=each.explanation)
            for each in said
        ),
    )
    return ViewedSample(
        key=TestKey(suite=GENERATION.removeprefix(MEASURE), test_id=of.test_id),
        category="",
        model=0,
        repeat=of.repeat,
        trials=1,
        outcomes="p" if score.value else "f",
        pass_mark=SOUND,
        test={"messages": [{"role": "user", "content": prompt}], "check": {}},
        reply=kept.reply,
        score=score,
    )


def _people(reviews: Sequence[StoredReview]) -> dict[int, set[str]]:
    """By the answer's score, who has reviewed it."""
    found: dict[int, set[str]] = {}
    for each in reviews:
        found.setdefault(each.score_id, set()).add(each.review.author)
    return found


def _item(run: Run, of: AnswerState, reviewers: int) -> ReviewItem:
    return ReviewItem(
        id=_id(run, of),
        group=GROUPS[of.kind],
        suite=of.suite.removeprefix(MEASURE),
        test_id=of.test_id,
        reviewers=reviewers,
    )


def _id(run: Run, of: AnswerState) -> str:
    """Of this answer with this score: after another one, a page that is still open is refused. The
    numbers of scores go up from model to model, so they are not shown as they are.
    """
    return f"{of.score_id * _mixer(run) % RANGE:010x}"


def _score_id(run: Run, item: str) -> int:
    """The number that an item's id hides; one that no score has for what is no id."""
    try:
        return int(item[:20], 16) * pow(_mixer(run), -1, RANGE) % RANGE
    except ValueError:
        return -1


def _mixer(run: Run) -> int:
    return _number(run.id, RANGE) | 1


def _number(text: str, below: int) -> int:
    return int(sha256(text.encode()).hexdigest()[:15], 16) % below


def _criteria(sample: ViewedSample, path: str) -> tuple[RubricCriterion, ...]:
    if "rubric" not in sample.check:
        return ()
    suite = Path(path)
    return load_rubric(
        str(sample.check["rubric"]), suite if suite.is_dir() else suite.parent
    ).criteria
