"""The scales of one judge: how its likelihoods of yes become points, and how far it is trusted.

They come from the judge's card (`assay judge-check`), else it reads the rubrics' scored examples.
Also a forecast of what a judge will be asked, for answers as long as those examples.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.ask_loop import ask_all
from assay.errors import AssayError
from assay.judge.calibration import (
    UNCALIBRATED,
    Calibration,
    deviation_of,
    fit,
    left_one_out,
)
from assay.judge.forms import open_questionnaire
from assay.judge.questionnaire import Questionnaire
from assay.judge.rubrics import load_rubric, shipped_rubrics
from assay.messages import tr
from assay.plan import Plan
from assay.store import Run, Store
from assay.suites.load import SHIPPED, load_suite
from assay.types import Case, ChoiceLikelihoods, Observer, Request, Suite
from assay.types.choices import JudgeForm
from assay.types.judging.cards import JudgeCard
from assay.types.judging.judgements import Deviation, JudgedBy, Rubric
from assay.workflow.running.foretelling import foretell_judging
from assay.workflow.running.judging.panel import JudgePanel, PanelJudge, example_questionnaire
from assay.workflow.running.ledgers import StoredReplies

MOST_OFF = 2.0  # points on the scored examples, beyond which confidence is low


Scales = Mapping[str, Calibration]  # by the rubric's digest
# Of one judge, with its deviations, and why little is to be trusted that it says.
JudgeScales = tuple[Scales, tuple[Deviation, ...], tuple[str, ...]]


def find_scales(
    panel: JudgePanel,
    judge: PanelJudge,
    cases: Sequence[Case],
    suites: Sequence[Suite],
    ledger: StoredReplies,
    observer: Observer,
    until: float | None,
) -> JudgeScales:
    """What the card holds; the examples are read of what it does not."""
    facts, card = judge.model.facts, judge.about.card
    rubrics = {rubric.digest: rubric for each in cases for rubric in [panel.rubric_of(each)]}
    scales: dict[str, Calibration] = {}
    examples: dict[str, dict[str, Questionnaire]] = {}
    for digest, rubric in rubrics.items():
        known = scale_on_card(card, rubric, judge.about.form)
        if known is None:
            examples[digest] = _of_examples(judge, rubric, suites)
        else:
            scales[digest] = known
    if any(examples.values()):
        ask_all(
            judge.model,
            [each for some in examples.values() for each in some.values()],
            ledger,
            observer,
            name=tr("scored examples, {spec}", spec=facts.spec),
            until=until,
            foretell=lambda asked: foretell_judging(
                ledger.store, facts, len({request.test_id for request in asked})
            ),
        )
    deviations = []
    for digest, some in examples.items():
        judged = {name: each.judgement() for name, each in some.items()}
        scales[digest] = fit(rubrics[digest], judged)
        found = deviation_of(
            rubrics[digest],
            left_one_out(rubrics[digest], judged),
            judge=facts.spec,
            form=judge.about.form,
        )
        deviations += [found] if found else []
    doubts = dict.fromkeys(_doubts(judge.about, scales, deviations))
    return scales, tuple(deviations), tuple(doubts)


def scale_on_card(card: JudgeCard | None, rubric: Rubric, form: JudgeForm) -> Calibration | None:
    """None: the examples have to be read. The reasoned form needs no scale."""
    if card is None or rubric.name not in shipped_rubrics():
        return None
    if load_rubric(rubric.name).digest != rubric.digest:
        return None  # somebody's own of the same name
    if form == "reasoned":
        return UNCALIBRATED
    for scale in card.scales:
        if scale.rubric == rubric.name:
            return Calibration(examples=scale.examples, knots=scale.knots)
    return None


def _doubts(judge: JudgedBy, scales: Scales, deviations: Sequence[Deviation]) -> Iterator[str]:
    if not judge.qualified:
        yield tr("{judge} is not qualified", judge=judge.spec)
    has_no_scale = any(not scale.examples for scale in scales.values())
    if judge.form == "likelihood" and has_no_scale:
        yield tr("{judge} is not calibrated", judge=judge.spec)
    for each in deviations:
        off = each.mean_absolute or 0.0
        if off > MOST_OFF:
            gaps = {"judge": judge.spec, "points": off, "rubric": each.rubric}
            yield tr("{judge} is {points:.1f} points off on the scored examples of the rubric "
                     "{rubric}", **gaps)  # fmt: skip


def _of_examples(
    judge: PanelJudge, rubric: Rubric, suites: Sequence[Suite]
) -> dict[str, Questionnaire]:
    """As far as the tests are known that they answer. They were written for files of seed 0."""
    cases = _example_cases(rubric, suites)
    return {
        example.id: example_questionnaire(judge, rubric, example, cases[example.test_id])
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


# Examples that ship have 500 to 3,600 characters, 1,700 in the mean.
TO_COME = "An answer that is as long as most. " * 49
MORE_LIKELY, LESS_LIKELY = -0.1, -2.4


def cases_to_judge(
    plan: Plan,
    unanswered: Sequence[Request],
    judge: PanelJudge,
    store: Store | None,
    *,
    begun: bool,
) -> Iterator[Case]:
    """The test of each answer that this judge has not read; if the run has `begun`, of new ones."""
    to_come = {request.key for request in unanswered}
    read = _read_before(plan, judge, store) if store else set()
    for trial in plan.trials:
        is_new = trial.key in to_come or not (begun or trial.key in read)
        if trial.case.check.judged and is_new:
            yield trial.case


def _read_before(plan: Plan, judge: PanelJudge, store: Store) -> set[tuple[str, str, int]]:
    fingerprint = judge.model.facts.fingerprint
    return {
        kept.key
        for run in store.read_runs()
        if run.judging and any(each.fingerprint == fingerprint for each in run.judging.judges)
        for model in run.models
        if model.facts.fingerprint == plan.facts.fingerprint
        for kept in store.read_judgements(run, model)
    }


def requests_to_judge(
    panel: JudgePanel, judge: PanelJudge, cases: Sequence[Case], store: Store | None, run: Run
) -> list[Request]:
    """Of the rubrics' examples those that the store does not hold; then a reading of each case."""
    if not cases:
        return []
    distinct = {(case.suite, case.id): case for case in cases}
    examples = [
        request
        for request in _for_examples(panel, judge, tuple(distinct.values()))
        if store is None or store.find_answer(run, request.id) is None
    ]
    places = {key: place for place, key in enumerate(distinct)}
    in_order = sorted(cases, key=lambda case: places[case.suite, case.id])
    answers = [
        request
        for number, case in enumerate(in_order)
        for request in _for_case(panel, judge, case, number)
    ]
    return [*examples, *answers]


def _for_examples(panel: JudgePanel, judge: PanelJudge, cases: Sequence[Case]) -> Iterator[Request]:
    """Examples of tests that are not among these are read too; how many is not looked up."""
    card = judge.about.card
    for case in cases:
        rubric = panel.rubric_of(case)
        if scale_on_card(card, rubric, judge.about.form) is not None:
            continue
        for example in rubric.examples:
            if example.test_id == case.id:
                yield from example_questionnaire(judge, rubric, example, case).pending()


def _for_case(panel: JudgePanel, judge: PanelJudge, case: Case, number: int) -> Iterator[Request]:
    """`number`: no two answers begin alike, so that a judge reads each."""
    for repeat in panel.repeats_of(judge):
        about = panel.assignment(judge, case, f"{number}. {TO_COME}", repeat)
        questionnaire = open_questionnaire(about)
        questions = questionnaire.pending()
        yield from questions
        if judge.about.form == "likelihood":
            # All questions are pending at once; the words that explain them come after.
            for question in questions:
                yes = ChoiceLikelihoods(
                    request_id=question.id, log_likelihoods=(MORE_LIKELY, LESS_LIKELY)
                )
                questionnaire.take(question, yes)
            yield from questionnaire.pending()
