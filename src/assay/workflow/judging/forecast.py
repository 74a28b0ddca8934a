"""What a judge will be asked, before there are answers for it to read.

In: a Panel and the tests whose answers it has to read. Out: requests, as many as there will be at
least and about as long. An answer to come is taken to be as long as those that the shipped rubrics
have as examples. A judge that cannot be understood at once is asked again, which nobody can
foresee.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.judge.opening import layout_of_repeat, open_questionnaire
from assay.judge.questionnaire import Questionnaire
from assay.plan import Plan
from assay.request_identity import example_key
from assay.store import Run, Store
from assay.types import Case, Chosen, Request
from assay.types.judgements import Evidence
from assay.workflow.judging.panel import Panel, Seat

# Examples that ship have 500 to 3,600 characters, 1,700 in the mean.
TO_COME = "An answer that is as long as most. " * 49
MORE_LIKELY, LESS_LIKELY = -0.1, -2.4


def cases_to_judge(
    plan: Plan, unanswered: Sequence[Request], seat: Seat, store: Store | None, *, begun: bool
) -> Iterator[Case]:
    """The test of every answer that this judge has not read yet. `begun`: the run goes on, and how
    many of the answers there are it has read is not known before the verdicts are made.
    """
    to_come = {(request.suite, request.test_id, request.repeat) for request in unanswered}
    read = _read_before(plan, seat, store) if store else set()
    for exchange in plan.exchanges:
        is_new = exchange.key in to_come or not (begun or exchange.key in read)
        if exchange.case.check.judged and is_new:
            yield exchange.case


def _read_before(plan: Plan, seat: Seat, store: Store) -> set[tuple[str, str, int]]:
    judge = seat.model.facts.fingerprint
    return {
        kept.key
        for run in store.read_runs()
        if run.judging and any(each.fingerprint == judge for each in run.judging.judges)
        for model in run.models
        if model.facts.fingerprint == plan.facts.fingerprint
        for kept in store.read_judgements(run, model)
    }


def requests_to_judge(
    panel: Panel, seat: Seat, cases: Sequence[Case], store: Store | None, run: Run
) -> list[Request]:
    """Of the rubrics' examples those that the store does not hold; then of each case, as often as
    it stands here, all that one reading of an answer takes.
    """
    if not cases:
        return []
    distinct = {(case.suite, case.id): case for case in cases}
    examples = [
        request
        for request in _of_examples(panel, seat, tuple(distinct.values()))
        if store is None or store.find_answer(run, request.id) is None
    ]
    of_case = {key: list(_of_case(panel, seat, case)) for key, case in distinct.items()}
    return [*examples, *(each for case in cases for each in of_case[case.suite, case.id])]


def _of_examples(panel: Panel, seat: Seat, cases: Sequence[Case]) -> Iterator[Request]:
    """Examples of tests that are not among these are read too; how many is not looked up."""
    layouts = {
        layout_of_repeat(seat.layout, repeat): None for repeat in range(panel.options.judge_repeats)
    }
    for case in cases:
        rubric = panel.rubric_of(case)
        for example in rubric.examples:
            if example.test_id != case.id:
                continue
            for layout in layouts:
                yield from open_questionnaire(
                    seat.model.facts,
                    case,
                    rubric,
                    example.answer,
                    Evidence(),
                    layout=layout,
                    key=example_key(rubric.name, example.id),
                    explain=False,
                ).pending()


def _of_case(panel: Panel, seat: Seat, case: Case) -> Iterator[Request]:
    for repeat in range(panel.options.judge_repeats):
        inquiry = open_questionnaire(
            seat.model.facts,
            case,
            panel.rubric_of(case),
            TO_COME,
            Evidence(),
            layout=layout_of_repeat(seat.layout, repeat),
            repeat=repeat,
            use_case=panel.options.use_case,
        )
        yield from _both_rounds(inquiry) if seat.layout else inquiry.pending()


def _both_rounds(inquiry: Questionnaire) -> Iterator[Request]:
    """By likelihood: all questions, and when they are answered, the words that explain them."""
    questions = inquiry.pending()
    yield from questions
    for question in questions:
        yes = Chosen(request_id=question.id, log_likelihoods=(MORE_LIKELY, LESS_LIKELY))
        inquiry.take(question, yes)
    yield from inquiry.pending()
