"""The reviews of a run summed up for its reports: with people, without, and how far they agree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.request_identity import GENERATION
from assay.store import Run, RunModel, Store, StoredReview, StoredTrial, TrialKey
from assay.summary.judge_agreement import Rated, people_agreements
from assay.summary.trials import summarise
from assay.types import DEFAULT_PASS_MARK, OutcomeKind, Score, Suite, Trial
from assay.types.judging.judged import RaterAgreement
from assay.types.judging.judgements import MOST
from assay.types.judging.reviews import Reviewed, ReviewedSamples, ReviewedSuite
from assay.types.options import DEFAULT_OUT
from assay.workflow.checkpoints.measures import examine_by_rules, rule_value, samples_of_run
from assay.workflow.reporting.trials import trials_of

PEOPLE = "people"  # the scorer of a score that people gave

_Given = dict[TrialKey, dict[str, float]]  # by answer what each reviewer scored it


def review_summary(run: str = "latest", *, out: str | Path = DEFAULT_OUT) -> Reviewed:
    """What people said of a run: the score without and with them, and how far they agree."""
    with Store(out, read_only=True) as store:
        found = store.find_run(run)
        nothing = Reviewed(suites=(), reviewers={})
        return reviewed_of(store, found, store.read_suites(found)) or nothing


def reviewed_of(store: Store, run: Run, suites: Sequence[Suite]) -> Reviewed | None:
    """None where nobody has reviewed anything."""
    reviews, outdated = store.read_reviews(run), store.count_lost_reviews(run)
    if not reviews and not outdated:
        return None
    rows: list[ReviewedSuite] = []
    tests: list[tuple[str, str]] = []  # of each answer that was reviewed, by its number
    people: dict[str, dict[Rated, float]] = {}
    machine: dict[Rated, float] = {}
    samples = _Samples()
    marks = {suite.name: suite.pass_mark for suite in suites}
    still_open = 0
    for model in run.models:
        every = [each for each in reviews if each.model == model.position]
        outdated += samples.add(store, run, model, every)
        own = [each for each in every if each.suite != GENERATION]
        stored = tuple(store.read_trials(run, model)) if own else ()
        scores = {kept.key: kept.score.value if kept.score else None for kept in stored}
        given = _given(own, scores)
        outdated += len(own) - sum(map(len, given.values()))
        for key, by_author in given.items():
            still_open += _is_open([*by_author.values()], marks.get(key[0], DEFAULT_PASS_MARK))
            rated = (len(tests), "")
            tests.append(key[:2])
            for author, value in by_author.items():
                people.setdefault(author, {})[rated] = MOST * value
            if (known := scores[key]) is not None:
                machine[rated] = MOST * known
        rows += _rows(model, suites, stored, given)
    return Reviewed(
        suites=tuple(rows),
        reviewers={name: len(rated) for name, rated in people.items()},
        agreements=tuple(people_agreements(people, machine, tests)),
        outdated=outdated,
        open=still_open if len(people) > 1 else 0,
        samples=samples.summary(),
    )


class _Samples:
    """Generated samples as people and rules call them, model by model."""

    def __init__(self) -> None:
        self.prompts: list[
            tuple[str, str]
        ] = []  # of each sample; its seeds are no tests of their own
        self.people: dict[str, dict[Rated, float]] = {}
        self.rules: dict[Rated, float] = {}
        self.broken = 0

    def add(self, store: Store, run: Run, model: RunModel, reviews: Sequence[StoredReview]) -> int:
        """How many of them no longer count."""
        own = [each for each in reviews if each.suite == GENERATION]
        asked = samples_of_run(run.deciding) if own else {}
        by_rules: dict[TrialKey, float | None] = {each.key: None for each in own}
        for key in by_rules:
            for kept in store.read_measures(run, model, of=key[:2]):
                health = examine_by_rules(run.deciding, kept.test_id, kept.reply)
                by_rules[key] = rule_value(health) if health else None
        given = _given([each for each in own if by_rules[each.key] is not None], by_rules)
        for key, by_author in given.items():
            rated = (len(self.prompts), "")
            self.prompts.append((GENERATION, asked[key[1]][0].id))
            for author, value in by_author.items():
                self.people.setdefault(author, {})[rated] = MOST * value
            self.rules[rated] = MOST * (by_rules[key] or 0.0)
            self.broken += not _middle(by_author.values())
        return len(own) - sum(map(len, given.values()))

    def summary(self) -> ReviewedSamples | None:
        if not self.prompts:
            return None
        found = people_agreements(self.people, self.rules, self.prompts)
        return ReviewedSamples(
            reviewed=len(self.prompts),
            broken_by_people=self.broken,
            broken_by_rules=sum(not value for value in self.rules.values()),
            reviewers={name: len(rated) for name, rated in self.people.items()},
            agreements=tuple(map(_of_two_values, found)),
        )


def _of_two_values(of: RaterAgreement) -> RaterAgreement:
    """Without what says the same twice where there is nothing between sound and broken."""
    same = ("spearman", "within_one")
    return replace(
        of, figures={name: each for name, each in of.figures.items() if name not in same}
    )


def _is_open(values: Sequence[float], pass_mark: float) -> bool:
    passed = sum(value >= pass_mark - 1e-9 for value in values)
    return len(values) == 1 or 2 * passed == len(values)


def _given(reviews: Sequence[StoredReview], scores: Mapping[TrialKey, float | None]) -> _Given:
    """An accepted score counts as long as the machine still gives it, a correction always."""
    found: _Given = {}
    for each in reviews:
        review = each.review
        if not review.accepted or review.value == scores[each.key]:
            found.setdefault(each.key, {})[review.author] = review.value
    return found


def _rows(
    model: RunModel, suites: Sequence[Suite], stored: Sequence[StoredTrial], given: _Given
) -> Iterator[ReviewedSuite]:
    for suite in suites:
        trials = list(trials_of(suite, stored))
        reviewed = [_of_people(trial, given.get(_key(trial), {})) for trial in trials]
        if not any(_key(trial) in given for trial in trials):
            continue
        kinds = {True: [0, 0], False: [0, 0]}  # reviewed, all: of passes, of the rest
        for trial in trials:
            if trial.score is not None:
                count = kinds[trial.outcome(suite.pass_mark) is OutcomeKind.PASS]
                count[0] += _key(trial) in given
                count[1] += 1
        yield ReviewedSuite(
            model=model.spec,
            suite=suite.name,
            reviewed=sum(_key(trial) in given for trial in trials),
            changed=sum(new is not old for old, new in zip(trials, reviewed, strict=True)),
            passes=(kinds[True][0], kinds[True][1]),
            others=(kinds[False][0], kinds[False][1]),
            machine=summarise(suite, trials).score,
            people=summarise(suite, reviewed).score,
        )


def _key(trial: Trial) -> TrialKey:
    return trial.case.suite, trial.case.id, trial.repeat


def _middle(values: Iterable[float]) -> float:
    """Of an even count the lower of the two."""
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 2]


def _of_people(trial: Trial, values: Mapping[str, float]) -> Trial:
    """With the middle one of what people gave."""
    if not values:
        return trial
    value = _middle(values.values())
    if trial.score is not None and trial.score.value == value:
        return trial
    return replace(trial, score=Score(scorer=PEOPLE, version=1, value=value))
