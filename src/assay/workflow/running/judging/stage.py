"""The judging of a run's answers: evidence first, then the judges, then the arithmetic.

Evidence scores an answer until a judge does. Judges are asked one after another, over the loop,
store and retries of tested models. A judge reads answer by answer, those to one test together, and
each judgement is stored as soon as its questions are answered: a judging that was stopped goes on
where it was, and reports what was judged. A judge's failure never becomes a score.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from assay.ask_loop import ask_all, find_unanswered
from assay.checkers import code_not_allowed, gather, make_digest
from assay.errors import SandboxUnavailable
from assay.judge.calibration import UNCALIBRATED, Calibration, calibrated
from assay.judge.final_judgement import make_final_judgement, score_of, with_facts
from assay.judge.forms import open_questionnaire
from assay.judge.questionnaire import Questionnaire
from assay.judge.trivial import NOTHING_SAID, Trivial, why_trivial
from assay.messages import tr
from assay.request_identity import make_evidence_request
from assay.sandbox import Sandbox, open_sandbox
from assay.store import Run, RunModel, Store, StoredJudgement, StoredTrial
from assay.store.bodies import read_back, to_json
from assay.suites.test_folder import made_for
from assay.types import Answered, Case, Observer, Score, Suite
from assay.types.judging.judgements import (
    CODE_NOT_ALLOWED,
    NO_EVIDENCE,
    Evidence,
    Judgement,
    Judging,
)
from assay.types.scores import TokenProgress
from assay.workflow.running.announcements import announce_judging
from assay.workflow.running.judging.judge_scales import Scales, find_scales
from assay.workflow.running.judging.panel import JudgePanel, PanelJudge, judged_cases, shorten_loop
from assay.workflow.running.judging.samples import judge_samples, samples_to_judge
from assay.workflow.running.ledgers import StoredReplies

AnswerKey = tuple[int, str, str, int]  # position of the model, suite, test, repeat


@dataclass(kw_only=True, eq=False)
class AnswerToJudge:
    model: RunModel
    stored: StoredTrial
    case: Case
    text: str
    evidence: Evidence = NO_EVIDENCE
    judgements: list[Judgement] = field(default_factory=list)

    @cached_property
    def shown(self) -> str:
        """What a judge reads: without most of what is said over and over."""
        return shorten_loop(self.text)

    @property
    def key(self) -> AnswerKey:
        return self.model.position, *self.stored.key

    @property
    def trivial(self) -> Trivial | None:
        return why_trivial(self.text, self.case)


@dataclass(slots=True)
class JudgingStage:
    store: Store
    run: Run
    suites: Sequence[Suite]
    panel: JudgePanel
    observer: Observer
    until: float | None = None

    def check_answers(self, models: Sequence[RunModel] | None = None) -> list[AnswerToJudge]:
        """Gather and store the evidence on judged answers; it scores those without a judgement."""
        judged = self._stored_judgements()

        def settle(answer: AnswerToJudge) -> Score | None:
            kept = judged.get(answer.key)
            is_known = kept is not None and kept.reply_id == answer.stored.reply_id
            if kept and is_known and answer.evidence.unscored_reason == CODE_NOT_ALLOWED:
                answer.evidence = _without_readings(kept.judgement.evidence)
            if kept and not kept.judgement.judgements:
                is_known = is_known and kept.judgement.evidence == answer.evidence
            if is_known or not (has_checker(answer.case) or answer.trivial in NOTHING_SAID):
                return None
            return self._store_final(answer)

        answers = list(self._answers(models))
        self._gather_evidence(answers, settle)
        for answer in answers:
            if not has_checker(answer.case):
                settle(answer)
        return answers

    def check_again(self) -> None:
        """Gather the evidence again, as far as it may be run, and score what judges said by it."""
        judged = self._stored_judgements()

        def settle(answer: AnswerToJudge) -> Score | None:
            stored = judged.get(answer.key)
            kept = stored.judgement if stored else None
            answer.judgements += kept.judgements if kept else ()
            if kept and kept.evidence.checks and answer.evidence.unscored_reason:
                why = tr("the evidence of {test} cannot be gathered again, so it stays: {reason}",
                         test=answer.case.id, reason=answer.evidence.missing)  # fmt: skip
                self.observer.note(why)
            elif kept is None or kept.evidence != with_facts(answer.evidence, answer.judgements):
                return self._store_final(answer, kept.doubts if kept else ())
            return None

        may_run = (
            answer
            for answer in self._answers()
            if (check := answer.case.check.judged)
            and (self.panel.sandbox or not check.needs_permission)
        )
        self._gather_evidence(list(may_run), settle)

    def judge_answers(
        self,
        checked: list[AnswerToJudge] | None = None,
        imported: Mapping[AnswerKey, Sequence[Judgement]] | None = None,
        notes: Sequence[str] = (),
    ) -> Run:
        """`checked`: answers with evidence, if gathered; `imported`: judgements made elsewhere."""
        panel = self.panel
        answers = checked or self.check_answers()
        judged = {k for k, kept in self._stored_judgements().items() if kept.judgement.judgements}
        for answer in answers:
            answer.judgements += (imported or {}).get(answer.key, ())
            # Where no usable evaluation of it was imported, the stored judgement stays.
            has_scores = any(each.scores and not each.unscored_reason for each in answer.judgements)
            is_usable = has_scores or answer.key not in judged
            if answer.judgements and is_usable and not panel.judges:
                self._store_final(answer)
        isolation = next((one.evidence.isolation for one in answers if one.evidence.isolation), "")
        notes = (*panel.notes, *notes)
        run = self.run
        if not panel.judges and not imported:
            return run
        if run.judging is not None and not panel.judges:
            together = dict.fromkeys((*run.judging.notes, *notes))
            return self.store.update_run(run, judging=replace(run.judging, notes=tuple(together)))
        judging = Judging(
            judges=tuple(judge.about for judge in panel.judges),
            repeats=panel.options.judge_repeats,
            use_case=panel.options.use_case,
            isolation=isolation,
            notes=notes,
        )
        doubts: list[str] = []
        samples = list(samples_to_judge(self.store, run))
        for judge in panel.judges:
            ledger = StoredReplies(self.store, run, judge.model.facts.fingerprint)
            cases = [answer.case for answer in answers]
            scales, deviations, why = find_scales(
                panel, judge, cases, self.suites, ledger, self.observer, self.until
            )
            doubts += why
            judging = replace(judging, deviations=(*judging.deviations, *deviations))
            self.run = run = self.store.update_run(run, judging=judging)
            if answers:
                self._read_answers(judge, answers, ledger, scales, doubts)
            if samples:
                judge_samples(judge, samples, ledger, self.observer, self.until)
            judge.model.close()
        return self.store.update_run(run, judging=judging)

    def stored_answers(self) -> list[AnswerToJudge]:
        """As they were given; nothing is gathered about them."""
        return list(self._answers())

    def _answers(self, models: Sequence[RunModel] | None = None) -> Iterator[AnswerToJudge]:
        cases = {(case.suite, case.id): case for case in judged_cases(self.suites)}
        for model in self.run.models if models is None else models:
            for stored in self.store.read_trials(self.run, model):
                case, reply = cases.get((stored.suite, stored.test_id)), stored.reply
                if case and isinstance(reply, Answered):
                    yield AnswerToJudge(model=model, stored=stored, case=case, text=reply.text)

    def _stored_judgements(self) -> dict[AnswerKey, StoredJudgement]:
        return {
            (model.position, *kept.key): kept
            for model in self.run.models
            for kept in self.store.read_judgements(self.run, model)
        }

    def _gather_evidence(
        self, answers: Sequence[AnswerToJudge], settle: Callable[[AnswerToJudge], Score | None]
    ) -> None:
        """Of each answer to a test with a checker; `settle` stores what it shows."""
        name = tr("evidence")
        to_check = [each for each in answers if has_checker(each.case)]
        if not to_check:
            return
        self.observer.model_started(name, total=len(to_check), reused=0)
        for answer in to_check:
            answer.evidence = evidence_of(self.store, self.run, answer, self.panel.sandbox)
            self.observer.replied(name, answer.stored.reply, settle(answer))
        self.observer.model_finished(name)

    def _store_final(self, answer: AnswerToJudge, doubts: Sequence[str] = ()) -> Score:
        final = make_final_judgement(
            answer.case,
            self.panel.rubric_of(answer.case),
            answer.evidence,
            answer.judgements,
            trivial=answer.trivial,
            doubts=doubts,
            use_case=self.panel.options.use_case,
        )
        if answer.judgements and answer.shown != answer.text:
            left_out = len(answer.text) - len(answer.shown)
            told = tr("The answer repeats itself: the judge saw {count} characters less of it.")
            final = replace(final, notes=(*final.notes, told.format(count=left_out)))
        score = score_of(final)
        self.store.store_judgement(self.run, answer.model, answer.stored, final, score)
        return score

    def _read_answers(
        self,
        judge: PanelJudge,
        answers: Sequence[AnswerToJudge],
        ledger: StoredReplies,
        scales: Scales,
        doubts: Sequence[str],
    ) -> None:
        """Add one judge's judgements. Answers to one test follow each other: its task is shared."""
        places = {(each.case.suite, each.case.id): n for n, each in reversed([*enumerate(answers)])}
        in_order = sorted(answers, key=lambda each: places[each.case.suite, each.case.id])
        readings = {answer: self._readings(judge, answer, scales) for answer in in_order}
        questions = {answer: [each for _, each in some] for answer, some in readings.items()}
        known = [each for each in in_order if not find_unanswered(questions[each], ledger)]
        asked = [each for each in in_order if each not in known]
        name = tr("judge {spec}", spec=judge.model.facts.spec)
        facts = judge.model.facts
        if sentence := announce_judging(self.store, facts, len(asked)):
            self.observer.note(sentence)
        self.observer.model_started(name, total=len(in_order), reused=len(known))
        width = self.panel.answers_at_once(judge)
        groups = [asked[first : first + width] for first in range(0, len(asked), width)]
        for group in (known, *groups):
            to_ask = [each for answer in group for each in questions[answer]]
            tokens = TokenProgress(self.observer)
            ask_all(judge.model, to_ask, ledger, tokens, name=name, until=self.until)
            for answer in group:
                for scale, questionnaire in readings[answer]:
                    judgement = calibrated(questionnaire.judgement(), scale)
                    answer.judgements.append(judgement)
                score = self._store_final(answer, doubts)
                if group is not known:
                    self.observer.replied(name, answer.stored.reply, score)
        self.observer.model_finished(name)

    def _readings(
        self, judge: PanelJudge, answer: AnswerToJudge, scales: Scales
    ) -> list[tuple[Calibration, Questionnaire]]:
        """Return what a judge is asked about an answer in each repeat, with the judge's scale."""
        panel, spec = self.panel, answer.model.spec
        readings = []
        for repeat in panel.repeats_of(judge):
            about = panel.assignment(judge, answer.case, answer.shown, repeat, spec)
            scale = scales.get(about.rubric.digest, UNCALIBRATED)
            about = replace(about, evidence=answer.evidence, calibration=scale)
            readings.append((scale, open_questionnaire(about)))
        return readings


def _without_readings(evidence: Evidence) -> Evidence:
    """As it was gathered: another judge reads the facts itself."""
    checks = tuple(
        replace(check, passed=None, by_judge=False, explanation=check.fact)
        if check.by_judge
        else check
        for check in evidence.checks
    )
    return replace(evidence, checks=checks)


def has_checker(case: Case) -> bool:
    return case.check.judged is not None and bool(case.check.judged.checker)


def evidence_of(store: Store, run: Run, answer: AnswerToJudge, sandbox: Sandbox | None) -> Evidence:
    """What the test's own checker finds about an answer; no sandbox: code is not allowed."""
    check = answer.case.check.judged
    folder = check and check.checker_folder
    assert check is not None
    assert folder
    if sandbox is None and not check.needs_permission:
        sandbox = _open_any_sandbox()
    if sandbox is None:
        return code_not_allowed()
    content = [make_digest(folder), check.data_seed, sandbox.isolation, answer.text]
    request = make_evidence_request(answer.case.id, content)
    if (number := store.find_answer(run, request.id)) is not None:
        stored = store.read_reply(number)
        assert isinstance(stored, Answered)
        evidence: Evidence = read_back(Evidence, stored.text)
        return evidence
    made = made_for(check, sandbox)
    if made.problem:
        why = tr("make.py failed: {reason}", reason=made.problem)
        return Evidence(missing=why, unscored_reason="checker_failed")
    (evidence,) = gather(folder, [(answer.text, made)], sandbox)
    if evidence.checks:
        reply = Answered(request_id=request.id, text=to_json(evidence, Evidence))
        store.store_reply(run, answer.model.facts.fingerprint, request, reply)
    return evidence


@cache
def _open_any_sandbox() -> Sandbox | None:
    """For checkers of ours that run no code of an answer: the strongest there is."""
    with suppress(SandboxUnavailable):
        return open_sandbox("auto")
    with suppress(SandboxUnavailable):
        return open_sandbox("weak")
    return None
