"""What to review first, and one answer of it, without a word about its model.

The order is unscored, failed, what the judge was not sure of, then all others; within a group it is
drawn by seed, so that neighbours do not come from one model.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from random import Random

from assay.errors import AssayError, UsageError
from assay.judge.rubrics import load_rubric
from assay.messages import tr
from assay.store import AnswerState, Run, Store, StoredReview
from assay.types import Case, Suite
from assay.types.judgements import FinalJudgement, RubricCriterion
from assay.types.options import DEFAULT_OUT
from assay.types.reviews import (
    GROUPS,
    AnswerToReview,
    GroupProgress,
    ReviewGroup,
    ReviewItem,
    ReviewQueue,
)

MARGIN = 1e-9  # the rounding that `Score.outcome` forgives


def review_queue(
    run: str = "latest",
    *,
    author: str = "",
    reviewers: int = 2,
    seed: int = 0,
    out: Path = DEFAULT_OUT,
) -> ReviewQueue:
    """What `author` has left to review of a run: answers that fewer than `reviewers` people and
    not they themselves have reviewed.
    """
    with Store(out, read_only=True) as store:
        found = store.find_run(run)
        items = list(items_of(store, found))
        by_answer = reviews_by_answer(store, found)
    Random(seed).shuffle(items)
    items.sort(key=lambda each: GROUPS.index(each[0].group))
    left = []
    counts: dict[ReviewGroup, Counter[str]] = defaultdict(Counter)
    for item, state in items:
        known = {each.review.author for each in by_answer[state.model, *state.key]}
        own, done = author in known, len(known) >= reviewers
        counts[item.group].update({"answers": 1, "done": int(done), "own": int(own)})
        if not own and not done:
            left.append(item)
    progress = {
        group: GroupProgress(
            answers=counts[group]["answers"], done=counts[group]["done"], own=counts[group]["own"]
        )
        for group in GROUPS
        if group in counts
    }
    return ReviewQueue(
        run=found.id, author=author, reviewers=reviewers, items=tuple(left), progress=progress
    )


def answer_to_review(
    item: str, *, run: str = "latest", author: str = "", out: Path = DEFAULT_OUT
) -> AnswerToReview:
    """One answer of the queue, to be reviewed by `author`."""
    with Store(out, read_only=True) as store:
        found = store.find_run(run)
        entry, state = find_item(store, found, item)
        return answer_of(store, found, entry, state, author)


def items_of(store: Store, run: Run) -> list[tuple[ReviewItem, AnswerState]]:
    """In the order of their ids, which says nothing of models and tests."""
    marks = store.read_pass_marks(run)
    reviews = reviews_by_answer(store, run)
    found = []
    for state in store.read_answer_states(run):
        item = ReviewItem(
            id=_id(run, state),
            group=_group(state, marks.get(state.suite, 0.0)),
            suite=state.suite,
            test_id=state.test_id,
            reviewers=len(reviews[state.model, *state.key]),
        )
        found.append((item, state))
    return sorted(found, key=lambda each: each[0].id)


def find_item(store: Store, run: Run, item: str) -> tuple[ReviewItem, AnswerState]:
    for each in items_of(store, run):
        if each[0].id == item:
            return each
    raise UsageError(
        tr("there is no answer {item!r} to review in run {run}", item=item[:40], run=run.id),
        hint=tr("it may have been asked or scored again since: take the next of the queue"),
    )


def answer_of(
    store: Store, run: Run, item: ReviewItem, state: AnswerState, author: str
) -> AnswerToReview:
    suite, case = _case(store, run, state)
    judgement = _judgement(store, run, state)
    score = store.read_score(state.score_id)
    reviews = reviews_by_answer(store, run)[state.model, *state.key]
    own = [each.review for each in reviews if each.review.author == author]
    return AnswerToReview(
        run=run.id,
        item=item,
        case=case,
        asked=case.as_asked(suite.system),
        reply=store.read_reply(state.reply_id),
        score=score,
        outcome=score.outcome(suite.pass_mark),
        judgement=judgement,
        criteria=_criteria(suite, case, judgement),
        own=own[0] if own else None,
    )


def reviews_by_answer(
    store: Store, run: Run
) -> Mapping[tuple[int, str, str, int], list[StoredReview]]:
    """By the model's position, suite, test and repeat; only those that still count."""
    found: dict[tuple[int, str, str, int], list[StoredReview]] = defaultdict(list)
    for each in store.read_reviews(run):
        found[each.model, *each.key].append(each)
    return found


def _id(run: Run, of: AnswerState) -> str:
    """Of this answer with this score: after another one, a page that is still open is refused."""
    parts = (run.id, of.model, *of.key, of.reply_id, of.score_id)
    return sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _group(of: AnswerState, pass_mark: float) -> ReviewGroup:
    if of.value is None:
        return "unscored"
    if of.value < pass_mark - MARGIN:
        return "failed"
    return "doubtful" if of.confidence == "low" else "sample"


def _case(store: Store, run: Run, of: AnswerState) -> tuple[Suite, Case]:
    return next(
        (suite, case)
        for suite in store.read_suites(run)
        if suite.name == of.suite
        for case in suite.cases
        if case.id == of.test_id
    )


def _judgement(store: Store, run: Run, of: AnswerState) -> FinalJudgement | None:
    model = next(each for each in run.models if each.position == of.model)
    found = (each for each in store.read_judgements(run, model) if each.key == of.key)
    return next((each.judgement for each in found if each.reply_id == of.reply_id), None)


def _criteria(
    suite: Suite, case: Case, judgement: FinalJudgement | None
) -> tuple[RubricCriterion, ...]:
    """The rubric's; where its files are gone, those of the judgement, without what they mean."""
    if case.check.judged is None:
        return ()
    path = Path(suite.path)
    try:
        return load_rubric(
            case.check.judged.rubric, path if path.is_dir() else path.parent
        ).criteria
    except AssayError:
        return tuple(
            RubricCriterion(
                key=each.criterion, label=each.label, weight=each.weight, anchors=(), questions=()
            )
            for each in (judgement.criteria if judgement else ())
        )
