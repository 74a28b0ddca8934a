"""The judging of a run's answers: evidence first, then the judges, then the arithmetic.

In: the store, a run whose models have answered, and a JudgePanel. Out: a FinalJudgement and a score
for every judged answer, in the store. The steps, in order:

    1 evidence   run or compute what can be checked of each answer; it scores the answer until a
                 judge does
    2 examples   each judge reads the rubric's scored examples: its scale, and how far it is off
    3 ask        each judge reads each answer, --judge-repeats times; one that addresses its
                 judge a second time, without those words
    4 judgement  medians over judges and repeats, bounds by evidence, overall and band

Judges are asked one after another, each closed before the next, over the same loop, store and
retries as tested models: a judging that was stopped goes on where it was. A judge's failure never
becomes a score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.ask_loop import ask_all
from assay.errors import AssayError
from assay.judge.calibration import Calibration, calibrated, fit, left_one_out
from assay.judge.deviation import deviation_of
from assay.judge.final_judgement import make_final_judgement, score_of
from assay.judge.guards.second_reading import lower_of, without_demands
from assay.judge.guards.trivial import NOTHING_SAID, Trivial, why_trivial
from assay.judge.opening import layout_of_repeat
from assay.judge.questionnaire import Questionnaire
from assay.messages import tr
from assay.store import Run, RunModel, Store, StoredTry
from assay.suites.catalogue import SHIPPED
from assay.suites.load import load_suite
from assay.types import Answered, Case, Observer, Score, Suite
from assay.types.choices import Layout
from assay.types.judgements import (
    NO_EVIDENCE,
    Deviation,
    Evidence,
    Judgement,
    Judging,
    Rubric,
)
from assay.workflow.evaluate.asking import StoredReplies
from assay.workflow.judging.panel import JudgePanel, PanelJudge, example_questionnaire
from assay.workflow.judging.stored_evidence import evidence_of, has_checker


@dataclass(slots=True, kw_only=True)
class AnswerToJudge:
    """One answer of one model, with all its judgements."""

    model: RunModel
    stored: StoredTry
    case: Case
    text: str
    evidence: Evidence = NO_EVIDENCE
    judgements: list[Judgement] = field(default_factory=list)

    @property
    def key(self) -> tuple[int, str, str, int]:
        return self.model.position, *self.stored.key

    @property
    def trivial(self) -> Trivial | None:
        return why_trivial(self.text, self.case)

    @property
    def says_nothing(self) -> bool:
        """No judge is needed for an answer that is empty or only declines."""
        return self.trivial in NOTHING_SAID


def check_answers(
    store: Store,
    run: Run,
    suites: Sequence[Suite],
    panel: JudgePanel,
    observer: Observer,
    models: Sequence[RunModel] | None = None,
) -> list[AnswerToJudge]:
    """Gather the evidence on every judged answer of these models, else of all. What it shows is
    stored as soon as it is known, as the answer's score where no judgement of it is stored.
    """
    judged = {
        (model.position, *kept.key): kept
        for model in run.models
        for kept in store.read_judgements(run, model)
    }
    answers = list(_answers(store, run, suites, models))
    to_check = [each for each in answers if has_checker(each.case)]
    name = tr("evidence")
    if to_check:
        observer.model_started(name, total=len(to_check), reused=0)
    for answer in answers:
        if has_checker(answer.case):
            answer.evidence = evidence_of(
                store, run, answer.model, answer.case, answer.text, panel.sandbox
            )
        kept = judged.get(answer.key)
        is_known = kept is not None and kept.reply_id == answer.stored.reply_id
        if kept and not kept.judgement.judgements:
            is_known = is_known and kept.judgement.evidence == answer.evidence
        score = None
        if not is_known and (has_checker(answer.case) or answer.says_nothing):
            score = _store_final(store, run, panel, answer)
        if has_checker(answer.case):
            observer.replied(name, answer.stored.reply, score)
    if to_check:
        observer.model_finished(name)
    return answers


def check_again(
    store: Store, run: Run, suites: Sequence[Suite], panel: JudgePanel, observer: Observer
) -> None:
    """Gather the evidence of a run's answers again, as far as it may be run, and score what judges
    said by it.
    """
    judged = {
        (model.position, *kept.key): kept.judgement
        for model in run.models
        for kept in store.read_judgements(run, model)
    }
    name = tr("evidence")
    answers = [
        answer
        for answer in _answers(store, run, suites, None)
        if (check := answer.case.check.judged) and check.checker
        if panel.sandbox or not check.needs_permission
    ]
    if answers:
        observer.model_started(name, total=len(answers), reused=0)
    for answer in answers:
        answer.evidence = evidence_of(
            store, run, answer.model, answer.case, answer.text, panel.sandbox
        )
        kept, score = judged.get(answer.key), None
        if kept is None or kept.evidence != answer.evidence:
            answer.judgements += kept.judgements if kept else ()
            score = _store_final(store, run, panel, answer)
        observer.replied(name, answer.stored.reply, score)
    if answers:
        observer.model_finished(name)


def _store_final(
    store: Store, run: Run, panel: JudgePanel, answer: AnswerToJudge, doubts: Sequence[str] = ()
) -> Score:
    final = make_final_judgement(
        answer.case,
        panel.rubric_of(answer.case),
        answer.evidence,
        answer.judgements,
        trivial=answer.trivial,
        doubts=doubts,
        use_case=panel.options.use_case,
    )
    score = score_of(final)
    store.store_judgement(run, answer.model, answer.stored, final, score)
    return score


def judge_answers(
    store: Store,
    run: Run,
    suites: Sequence[Suite],
    panel: JudgePanel,
    observer: Observer,
    *,
    checked: list[AnswerToJudge] | None = None,
    until: float | None = None,
    imported: Mapping[tuple[int, str, str, int], Sequence[Judgement]] | None = None,
    notes: Sequence[str] = (),
) -> Run:
    """Judge every answer of a run that has to be. `checked`: the answers with their evidence, where
    somebody gathered it already; `imported`: judgements that were written elsewhere, by position of
    the model, suite, test and repeat.
    """
    answers = checked or check_answers(store, run, suites, panel, observer)
    judged = {
        (model.position, *kept.key)
        for model in run.models
        for kept in store.read_judgements(run, model)
        if kept.judgement.judgements
    }
    for answer in answers:
        rubric = panel.rubric_of(answer.case)
        answer.judgements += [
            _by_its_criteria(each, rubric) for each in (imported or {}).get(answer.key, ())
        ]
    deviations: list[Deviation] = []
    for judge in panel.judges:
        deviations += _ask_judge(store, run, panel, judge, answers, suites, observer, until)
        judge.model.close()
    for answer in answers:
        # Where no usable evaluation of it was imported, the stored judgement stays.
        is_usable = panel.judges or _has_scores(answer.judgements) or answer.key not in judged
        if answer.judgements and is_usable:
            _store_final(store, run, panel, answer)
    isolation = next((each.evidence.isolation for each in answers if each.evidence.isolation), "")
    notes = (*panel.notes_if(code_was_run=bool(isolation)), *notes)
    if not panel.judges and not imported:
        return run
    if run.judging is not None and not panel.judges:
        together = dict.fromkeys((*run.judging.notes, *notes))
        return store.update_run(run, judging=replace(run.judging, notes=tuple(together)))
    return store.update_run(
        run,
        judging=Judging(
            judges=tuple(judge.judged_by for judge in panel.judges),
            repeats=panel.options.judge_repeats,
            use_case=panel.options.use_case,
            isolation=isolation,
            deviations=tuple(deviations),
            notes=notes,
        ),
    )


def _has_scores(judgements: Sequence[Judgement]) -> bool:
    return any(each.scores and each.unscored_reason is None for each in judgements)


def _by_its_criteria(judgement: Judgement, rubric: Rubric) -> Judgement:
    """An imported judgement; unscored where it scores something else than the test's rubric."""
    wanted = [each.key for each in rubric.criteria]
    given = [each.criterion for each in judgement.scores]
    if not given or set(given) == set(wanted):
        return judgement
    return replace(
        judgement,
        scores=(),
        unscored_reason="unreadable",
        explanation=tr(
            "it scores {given}, and the rubric asks for {wanted}",
            given=", ".join(given),
            wanted=", ".join(wanted),
        ),
    )


def _answers(
    store: Store, run: Run, suites: Sequence[Suite], models: Sequence[RunModel] | None
) -> Iterator[AnswerToJudge]:
    cases = {(suite.name, case.id): case for suite in suites for case in suite.cases}
    for model in run.models if models is None else models:
        for stored in store.read_tries(run, model):
            case = cases.get((stored.suite, stored.test_id))
            if case and case.check.judged and isinstance(stored.reply, Answered):
                yield AnswerToJudge(model=model, stored=stored, case=case, text=stored.reply.text)


# ----------------------------------------------------------------------------------- one judge


def _ask_judge(
    store: Store,
    run: Run,
    panel: JudgePanel,
    judge: PanelJudge,
    answers: Sequence[AnswerToJudge],
    suites: Sequence[Suite],
    observer: Observer,
    until: float | None,
) -> list[Deviation]:
    """Add one judge's judgements to the answers; returns how far it is off on the examples."""
    rubrics = {rubric.digest: rubric for each in answers for rubric in [panel.rubric_of(each.case)]}
    examples = {
        (digest, layout): _of_examples(judge, rubric, suites, layout)
        for digest, rubric in rubrics.items()
        for layout in panel.layouts_of(judge)
    }
    readings = [
        _AnswerReading(panel, judge, answer, repeat)
        for answer in answers
        for repeat in range(panel.options.judge_repeats)
    ]
    facts = judge.model.facts
    ask_all(
        judge.model,
        [
            *(each for some in examples.values() for each in some.values()),
            *(each for reading in readings for each in reading.questionnaires),
        ],
        StoredReplies(store, run, facts.fingerprint),
        observer,
        name=tr("judge {spec}", spec=facts.spec),
        until=until,
    )
    judged = {
        scale: {name: each.judgement() for name, each in some.items()}
        for scale, some in examples.items()
    }
    for reading in readings:
        rubric = panel.rubric_of(reading.answer.case)
        layout = layout_of_repeat(judge.layout, reading.repeat)
        scale = fit(rubric, judged[rubric.digest, layout])
        reading.answer.judgements.append(reading.judgement(rubric, scale))
    deviations = [
        deviation_of(
            rubrics[digest],
            left_one_out(rubrics[digest], some),
            judge=facts.spec,
            form=judge.form,
            layout=layout,
            left_one_out=layout is not None,
        )
        for (digest, layout), some in judged.items()
    ]
    return [each for each in deviations if each is not None]


class _AnswerReading:
    """One answer, read once by one judge; one that addresses its judge is read a second time,
    without those words.
    """

    def __init__(
        self, panel: JudgePanel, judge: PanelJudge, answer: AnswerToJudge, repeat: int
    ) -> None:
        self.answer, self.repeat = answer, repeat
        case, evidence = answer.case, answer.evidence
        self.questionnaires = [
            panel.questionnaire(judge, case, answer.text, evidence, repeat=repeat)
        ]
        if (rest := without_demands(answer.text)) is not None:
            self.questionnaires.append(
                panel.questionnaire(judge, case, rest, evidence, repeat=repeat, explain=False)
            )

    def judgement(self, rubric: Rubric, scale: Calibration) -> Judgement:
        read, *without = (calibrated(each.judgement(), scale) for each in self.questionnaires)
        return lower_of(read, without[0], rubric) if without else read


def _of_examples(
    judge: PanelJudge, rubric: Rubric, suites: Sequence[Suite], layout: Layout | None
) -> dict[str, Questionnaire]:
    """The rubric's examples, as far as the tests are known that they answer. They were written
    for files of seed 0, whatever seed this run has.
    """
    cases = _example_cases(rubric, suites)
    return {
        example.id: example_questionnaire(judge, rubric, example, cases[example.test_id], layout)
        for example in rubric.examples
        if example.test_id in cases
    }


def _example_cases(rubric: Rubric, suites: Sequence[Suite]) -> dict[str, Case]:
    wanted = {example.test_id for example in rubric.examples}
    found: dict[str, Case] = {}
    for path in (SHIPPED / rubric.name, *(Path(suite.path) for suite in suites if suite.path)):
        if not wanted - found.keys() or not path.exists():
            continue
        try:
            suite = load_suite(path)
        except AssayError:  # its files have changed since: then its examples say nothing
            continue
        for case in suite.cases:
            if case.id in wanted and case.check.judged:
                found.setdefault(case.id, case)
    return found
