"""A forecast of what a judge will be asked, before there are answers to judge.

In: a JudgePanel and the tests whose answers it judges. Out: requests, in the order in which they
will be sent and about as long. A future answer is taken to be as long as the examples of the
shipped rubrics, and to need every question: evidence spares some. A judge that has a card reads no
examples. A judge whose reply cannot be read is asked again, which is not foreseen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.plan import Plan
from assay.store import Run, Store
from assay.types import Case, ChoiceLikelihoods, Request
from assay.workflow.judging.judge_scales import scale_on_card
from assay.workflow.judging.panel import JudgePanel, PanelJudge, example_questionnaire

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
    """The test of every answer that this judge has not read yet. `begun`: the run goes on, and how
    many of the answers there are it has read is not known before the judgements are made.
    """
    to_come = {(request.suite, request.test_id, request.repeat) for request in unanswered}
    read = _read_before(plan, judge, store) if store else set()
    for exchange in plan.exchanges:
        is_new = exchange.key in to_come or not (begun or exchange.key in read)
        if exchange.case.check.judged and is_new:
            yield exchange.case


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
    """Of the rubrics' examples those that the store does not hold; then of each case, as often as
    it is given, all that one reading of an answer takes.
    """
    if not cases:
        return []
    distinct = {(case.suite, case.id): case for case in cases}
    examples = [
        request
        for request in _of_examples(panel, judge, tuple(distinct.values()))
        if store is None or store.find_answer(run, request.id) is None
    ]
    places = {key: place for place, key in enumerate(distinct)}
    in_order = sorted(cases, key=lambda case: places[case.suite, case.id])
    answers = [
        request
        for number, case in enumerate(in_order)
        for request in _of_case(panel, judge, case, number)
    ]
    return [*examples, *answers]


def _of_examples(panel: JudgePanel, judge: PanelJudge, cases: Sequence[Case]) -> Iterator[Request]:
    """Examples of tests that are not among these are read too; how many is not looked up."""
    card = judge.card
    for case in cases:
        rubric = panel.rubric_of(case)
        layouts = panel.layouts_of(judge)
        to_read = [each for each in layouts if scale_on_card(card, rubric, each) is None]
        for example in rubric.examples:
            for layout in to_read if example.test_id == case.id else ():
                yield from example_questionnaire(judge, rubric, example, case, layout).pending()


def _of_case(panel: JudgePanel, judge: PanelJudge, case: Case, number: int) -> Iterator[Request]:
    """`number`: no two answers begin alike, so that a judge reads each."""
    for repeat in range(panel.options.judge_repeats):
        questionnaire = panel.questionnaire(judge, case, f"{number}. {TO_COME}", repeat=repeat)
        questions = questionnaire.pending()
        yield from questions
        if judge.layout:  # all questions; when they are answered, the words that explain them
            for question in questions:
                yes = ChoiceLikelihoods(
                    request_id=question.id, log_likelihoods=(MORE_LIKELY, LESS_LIKELY)
                )
                questionnaire.take(question, yes)
            yield from questionnaire.pending()
