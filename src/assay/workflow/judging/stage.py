"""Has the answers of a run judged: evidence first, then the judges, then the arithmetic.

In: the store, a run whose models have answered, and a Panel. Out: a FinalJudgement and a mark for
every judged answer, in the store. The steps, in order:

    1 evidence   run or compute what can be checked of each answer
    2 examples   each judge reads the rubric's scored examples: its scale, and how far it is off
    3 ask        each judge reads each answer, as often as was wished; one that addresses its
                 judge a second time, without those words
    4 verdicts   caps by evidence, medians over judges and repeats, overall and band

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
from assay.judge.calibration import calibrated, fit, left_one_out
from assay.judge.deviation import deviation_of
from assay.judge.final_judgement import make_final_judgement, score_of
from assay.judge.guards.second_reading import lower_of, without_demands
from assay.judge.opening import layout_of_repeat, open_questionnaire
from assay.judge.questionnaire import Questionnaire
from assay.messages import tr
from assay.request_identity import example_key
from assay.sandbox import Sandbox
from assay.store import Run, RunModel, Store, StoredTry
from assay.suites.catalogue import SHIPPED
from assay.suites.load import load_suite
from assay.types import Answered, Case, Observer, Suite
from assay.types.judgements import Deviation, Evidence, Judgement, Judging, Layout, Rubric
from assay.workflow.evaluate.asking import StoredReplies
from assay.workflow.judging.panel import Panel, Seat
from assay.workflow.judging.stored_evidence import evidence_of

NO_EVIDENCE = Evidence()


@dataclass(slots=True, kw_only=True)
class _Answer:
    """One answer of one model, with all that was said of it."""

    model: RunModel
    kept: StoredTry
    case: Case
    text: str
    evidence: Evidence = NO_EVIDENCE
    judgements: list[Judgement] = field(default_factory=list)

    @property
    def key(self) -> tuple[int, str, str, int]:
        """Which of the run's answers it is."""
        return self.model.position, self.kept.suite, self.kept.test_id, self.kept.repeat


def judge_answers(
    store: Store,
    run: Run,
    suites: Sequence[Suite],
    panel: Panel,
    observer: Observer,
    *,
    until: float | None = None,
    imported: Mapping[tuple[int, str, str, int], Sequence[Judgement]] | None = None,
    notes: Sequence[str] = (),
) -> Run:
    """Judge every answer of a run that has to be. `imported`: judgements that were written
    elsewhere, by position of the model, suite, test and repeat.
    """
    answers = list(_answers(store, run, suites))
    _gather_evidence(store, run, answers, panel.sandbox, observer)
    for answer in answers:
        rubric = panel.rubric_of(answer.case)
        answer.judgements += [
            _by_its_criteria(each, rubric) for each in (imported or {}).get(answer.key, ())
        ]
    deviations: list[Deviation] = []
    for seat in panel.seats:
        deviations += _Hearing(store, run, panel, seat, observer, until).hear(answers, suites)
        seat.model.close()
    judged = {
        (model.position, kept.suite, kept.test_id, kept.repeat)
        for model in run.models
        for kept in store.read_judgements(run, model)
    }
    for answer in answers:
        if answer.key in judged and not panel.seats and not _tell(answer.judgements):
            continue  # no evaluation of it was imported that can be used: what was said holds
        verdict = make_final_judgement(
            answer.case,
            panel.rubric_of(answer.case),
            answer.evidence,
            answer.judgements,
            use_case=panel.options.use_case,
        )
        store.store_judgement(run, answer.model, answer.kept, verdict, score_of(verdict))
    isolation = next((each.evidence.isolation for each in answers if each.evidence.isolation), "")
    notes = (*panel.notes_if(code_was_run=bool(isolation)), *notes)
    if run.judging is not None and not panel.seats:
        told = dict.fromkeys((*run.judging.notes, *notes))
        return store.update_run(run, judging=replace(run.judging, notes=tuple(told)))
    return store.update_run(
        run,
        judging=Judging(
            judges=tuple(seat.judged_by for seat in panel.seats),
            repeats=panel.options.judge_repeats,
            use_case=panel.options.use_case,
            isolation=isolation,
            deviations=tuple(deviations),
            notes=notes,
        ),
    )


def _tell(judgements: Sequence[Judgement]) -> bool:
    return any(each.scores and each.unscored_reason is None for each in judgements)


def _gather_evidence(
    store: Store, run: Run, answers: Sequence[_Answer], sandbox: Sandbox | None, observer: Observer
) -> None:
    """With progress where code is run: some of it runs until it is stopped."""
    name = tr("evidence")
    if sandbox is not None:
        observer.model_started(name, total=len(answers), reused=0)
    for answer in answers:
        answer.evidence = evidence_of(store, run, answer.model, answer.case, answer.text, sandbox)
        if sandbox is not None:
            observer.replied(name, answer.kept.reply, None)
    if sandbox is not None:
        observer.model_finished(name)


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


def _answers(store: Store, run: Run, suites: Sequence[Suite]) -> Iterator[_Answer]:
    cases = {(suite.name, case.id): case for suite in suites for case in suite.cases}
    for model in run.models:
        for kept in store.read_tries(run, model):
            case = cases.get((kept.suite, kept.test_id))
            if case and case.check.judged and isinstance(kept.reply, Answered):
                yield _Answer(model=model, kept=kept, case=case, text=kept.reply.text)


# ----------------------------------------------------------------------------------- one judge


@dataclass(slots=True)
class _Hearing:
    """One judge reads the examples and all answers."""

    store: Store
    run: Run
    panel: Panel
    seat: Seat
    observer: Observer
    until: float | None

    def hear(self, answers: Sequence[_Answer], suites: Sequence[Suite]) -> list[Deviation]:
        """Add this judge's judgements to the answers; how far it is off on the examples."""
        rubrics = {rubric.digest: rubric for each in answers for rubric in [self._rubric(each)]}
        examples = {
            (digest, layout): self._of_examples(rubric, suites, layout)
            for digest, rubric in rubrics.items()
            for layout in self._layouts
        }
        inquiries = [
            (answer, repeat, self._of_answer(answer, repeat), self._again(answer, repeat))
            for answer in answers
            for repeat in range(self.panel.options.judge_repeats)
        ]
        facts = self.seat.model.facts
        ask_all(
            self.seat.model,
            [
                *(each for some in examples.values() for each in some.values()),
                *(each for _, _, *both in inquiries for each in both if each is not None),
            ],
            StoredReplies(self.store, self.run, facts.fingerprint),
            self.observer,
            name=tr("judge {spec}", spec=facts.spec),
            until=self.until,
        )
        judged = {
            scale: {name: inquiry.judgement() for name, inquiry in some.items()}
            for scale, some in examples.items()
        }
        for answer, repeat, inquiry, again in inquiries:
            rubric = self._rubric(answer)
            scale = fit(rubric, judged[rubric.digest, self._layout(repeat)])
            judgement = calibrated(inquiry.judgement(), scale)
            if again is not None:
                judgement = lower_of(judgement, calibrated(again.judgement(), scale), rubric)
            answer.judgements.append(judgement)
        return [
            deviation
            for (digest, layout), some in judged.items()
            if (deviation := self._deviation(rubrics[digest], layout, some)) is not None
        ]

    @property
    def _layouts(self) -> list[Layout | None]:
        """All that the repeats use."""
        repeats = range(self.panel.options.judge_repeats)
        return list(dict.fromkeys(self._layout(repeat) for repeat in repeats))

    def _layout(self, repeat: int) -> Layout | None:
        return layout_of_repeat(self.seat.layout, repeat)

    def _rubric(self, answer: _Answer) -> Rubric:
        return self.panel.rubric_of(answer.case)

    def _of_answer(self, answer: _Answer, repeat: int) -> Questionnaire:
        return self._inquiry(answer, answer.text, repeat, explain=True)

    def _again(self, answer: _Answer, repeat: int) -> Questionnaire | None:
        """The same without what addresses the judge; None where nothing does."""
        if (text := without_demands(answer.text)) is None:
            return None
        return self._inquiry(answer, text, repeat, explain=False)

    def _inquiry(self, answer: _Answer, text: str, repeat: int, *, explain: bool) -> Questionnaire:
        return open_questionnaire(
            self.seat.model.facts,
            answer.case,
            self._rubric(answer),
            text,
            answer.evidence,
            layout=self._layout(repeat),
            repeat=repeat,
            use_case=self.panel.options.use_case,
            explain=explain,
        )

    def _of_examples(
        self, rubric: Rubric, suites: Sequence[Suite], layout: Layout | None
    ) -> dict[str, Questionnaire]:
        """The rubric's examples, as far as the tests are known that they answer. They were written
        for files of seed 0, whatever seed this run has.
        """
        cases = _example_cases(rubric, suites)
        return {
            example.id: open_questionnaire(
                self.seat.model.facts,
                cases[example.test_id],
                rubric,
                example.answer,
                NO_EVIDENCE,
                layout=layout,
                key=example_key(rubric.name, example.id),
                explain=False,
            )
            for example in rubric.examples
            if example.test_id in cases
        }

    def _deviation(
        self, rubric: Rubric, layout: Layout | None, judged: Mapping[str, Judgement]
    ) -> Deviation | None:
        return deviation_of(
            rubric,
            left_one_out(rubric, judged),
            judge=self.seat.model.facts.spec,
            form=self.seat.form,
            layout=layout,
            left_one_out=layout is not None,
        )


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
