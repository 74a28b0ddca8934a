"""The stored judgements of a run, summed up for its reports."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from assay.judge.final_judgement import NO_JUDGE
from assay.messages import tr
from assay.store import Run, RunModel, Store, StoredTrial, TrialKey
from assay.summary.consistency import AnswerText, inconsistencies
from assay.summary.judge_agreement import agreements_of
from assay.summary.judged import EarlierRun, JudgedModel, judged
from assay.types import Answered, Case, ChoiceLikelihoods, Failed, Suite, Timed
from assay.types.judging.judged import JudgeCost, Judged, ScoredAnswer
from assay.types.judging.judgements import Evidence, FinalJudgement
from assay.types.results import ModelReport
from assay.workflow.running.judging.panel import judged_cases

MOST_EARLIER = 20  # runs that are looked at for a trend


def judged_of(
    store: Store, run: Run, suites: Sequence[Suite], reports: Sequence[ModelReport]
) -> Judged | None:
    """`reports`: the run's models, in their order."""
    if run.judging is None and not any(store.read_judgements(run, each) for each in run.models):
        return None
    cases = {(case.suite, case.id): case for case in judged_cases(suites)}
    models = [
        JudgedModel(
            model=model.spec,
            answers=tuple(_answers(store, run, model, cases)),
            categories={key: case.category for key, case in cases.items()},
            weights={
                (suite.name, case.category): suite.weight(case.category)
                for suite in suites
                for case in judged_cases([suite])
            },
            performance=report.performance,
            memory_bytes=report.observed.memory_bytes if report.observed else None,
        )
        for model, report in zip(run.models, reports, strict=True)
    ]
    if not any(model.answers for model in models):
        return None
    return judged(
        models,
        run=run.id,
        when=run.created,
        earlier=tuple(_earlier(store, run)),
        judging=run.judging,
        costs=tuple(_costs(store, run)),
        agreements=tuple(agreements_of([*_all_raters(store, run)])),
        inconsistent=inconsistencies(
            [*_scored_texts(store, run)],
            [text for each in _judged_before(store, run) for text in _scored_texts(store, each)],
        ),
    )


def _scored_texts(store: Store, run: Run) -> Iterator[AnswerText]:
    for model in run.models:
        finals = {kept.key: kept for kept in store.read_judgements(run, model)}
        for trial in store.read_trials(run, model) if finals else ():
            kept, reply = finals.get(trial.key), trial.reply
            tenths = kept.judgement.tenths if kept else None
            if tenths is None or not isinstance(reply, Answered) or not reply.text.strip():
                continue
            suite, test_id, repeat = trial.key
            yield AnswerText(
                of=ScoredAnswer(
                    suite=suite,
                    test_id=test_id,
                    model=model.spec,
                    run=run.id,
                    repeat=repeat,
                    tenths=tenths,
                ),
                text=reply.text,
            )


def _all_raters(store: Store, run: Run) -> Iterator[FinalJudgement]:
    """What judges last said of each answer, and what was last imported."""
    for model in run.models:
        found: dict[TrialKey, tuple[int, dict[bool, FinalJudgement]]] = {}
        for kept in store.read_judgements(run, model, every=True):
            final = kept.judgement
            answer, kinds = found.get(kept.key, (kept.reply_id, {}))
            kinds = kinds if answer == kept.reply_id else {}
            kinds |= {each.is_imported: final for each in final.judgements}
            found[kept.key] = kept.reply_id, kinds
        for _, kinds in found.values():
            given = (
                each
                for kind, final in kinds.items()
                for each in final.judgements
                if each.is_imported == kind
            )
            if kinds:
                yield replace(next(iter(kinds.values())), judgements=tuple(given))


def _costs(store: Store, run: Run) -> Iterator[JudgeCost]:
    for judge in run.judging.judges if run.judging else ():
        replies = list(store.read_judge_replies(run, judge.fingerprint))
        tokens = [each for each in replies if isinstance(each, Answered | ChoiceLikelihoods)]
        timed = [each for each in replies if not isinstance(each, Timed)]
        if replies:
            yield JudgeCost(
                judge=judge.spec,
                requests=len(replies),
                failed=sum(isinstance(each, Failed) for each in replies),
                prompt_tokens=sum(each.prompt_tokens or 0 for each in tokens),
                output_tokens=sum(
                    each.output_tokens or 0 for each in replies if isinstance(each, Answered)
                ),
                seconds=math.fsum(each.total_s or 0.0 for each in timed),
            )


def _answers(
    store: Store, run: Run, model: RunModel, cases: Mapping[tuple[str, str], Case]
) -> Iterator[FinalJudgement]:
    """Every judgement, and one for each missing answer: who failed five of six is not excellent."""
    judged = {kept.key: kept for kept in store.read_judgements(run, model)}
    trials = {kept.key: kept for kept in store.read_trials(run, model)}
    for (suite, test_id), case in sorted(cases.items(), key=lambda one: one[0]):
        for repeat in range(run.repeats):
            key = (suite, test_id, repeat)
            kept = judged.pop(key, None)
            yield kept.judgement if kept else _unscored(case, trials.get(key))
    for kept in judged.values():  # of a test that the suites no longer have
        yield kept.judgement


def _unscored(case: Case, stored: StoredTrial | None) -> FinalJudgement:
    judged = case.check.judged
    assert judged
    reason, why = "failed", tr("there is no answer")
    if stored and isinstance(stored.reply, Failed):
        why = tr("there is no answer: {why}", why=stored.reply.reason)
    elif stored and stored.score:
        reason, why = stored.score.unscored_reason or NO_JUDGE, stored.score.explanation
    return FinalJudgement(
        test_id=case.id,
        suite=case.suite,
        rubric=judged.rubric,
        evidence=Evidence(),
        judgements=(),
        unscored_reason=reason,
        explanation=why,
        name=case.description or case.id,
    )


def _earlier(store: Store, run: Run) -> Iterator[EarlierRun]:
    own = {model.facts.fingerprint: model.spec for model in run.models}
    for each in _judged_before(store, run):
        for model in each.models:
            if spec := own.get(model.facts.fingerprint):
                finals = tuple(kept.judgement for kept in store.read_judgements(each, model))
                if finals:
                    yield EarlierRun(
                        run=each.id, when=each.created, model=spec, final_judgements=finals
                    )


def _judged_before(store: Store, run: Run) -> list[Run]:
    """By their order in the store: a clock may have been set back."""
    before = takewhile(lambda each: each.id != run.id, store.read_runs())
    return [each for each in before if each.judging][-MOST_EARLIER:]
