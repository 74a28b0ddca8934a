"""The scales of one judge: how its likelihoods of yes become points, and how far it is trusted.

They come from the judge's card (`assay judge --check`), else it reads the rubrics' scored examples.
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
from assay.judge.questionnaire import Questionnaire
from assay.judge.rubrics import load_rubric, shipped_rubrics
from assay.messages import tr
from assay.suites.load import SHIPPED, load_suite
from assay.types import Case, Observer, Suite
from assay.types.choices import JudgeForm
from assay.types.judging.cards import JudgeCard
from assay.types.judging.judgements import Deviation, JudgedBy, Rubric
from assay.workflow.running.announcements import announce_judging
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
            announce=lambda asked: announce_judging(
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
