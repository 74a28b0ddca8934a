"""Stored answers scored by other tests than those they were asked with."""

from collections.abc import Iterator, Sequence

from assay.checks.scoring import score_reply
from assay.judge.final_judgement import score_of
from assay.plan import AskOptions, make_plan
from assay.store import Run, RunModel, Store, StoredTrial, TrialKey
from assay.types import Case, Message, ModelFacts, Score, Suite


def new_scores(
    store: Store,
    run: Run,
    model: RunModel,
    cases: dict[tuple[str, str], Case],
    trials: Sequence[StoredTrial],
) -> Iterator[tuple[TrialKey, int, Score]]:
    """What judges said of an answer still holds, and is scored by today's arithmetic."""
    verdicts = {kept.key: kept.judgement for kept in store.read_judgements(run, model)}
    for kept in trials:
        key = kept.key
        case = cases[key[0], key[1]]
        if case.check.scored_together:
            continue
        verdict = verdicts.get(key)
        new = score_of(verdict) if verdict else score_reply(case, kept.reply)
        if new:
            yield key, kept.reply_id, new


def questions(suite: Suite, facts: ModelFacts) -> dict[str, tuple[str, tuple[Message, ...]]]:
    """Return what each test asks, by its id: the id of its first request, and all its turns."""
    plan = make_plan([suite], facts, AskOptions())
    return {
        trial.case.id: (plan.request(trial, 0, ()).id, trial.case.messages) for trial in plan.trials
    }
