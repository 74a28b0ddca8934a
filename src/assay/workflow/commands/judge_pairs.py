"""`assay compare --judge`: which of two runs' answers to the same judged tests is better?

The judge reads two answers side by side in both orders and never learns whose they are; where the
orders disagree, the pair is a tie. Replies are stored with the later side's run. No judge is asked
about an answer that says nothing, or about two that are the same.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from assay.ask_loop import ask_all
from assay.errors import AssayError, UsageError, raise_all
from assay.judge.pairs import PairQuestionnaire
from assay.judge.trivial import NOTHING_SAID, why_trivial
from assay.messages import tr
from assay.request_identity import judge_key
from assay.store import Run, RunModel, Store, TrialKey
from assay.summary.judge_agreement import pair_judging, score_of_pair
from assay.types import Answered, Case, Observer
from assay.types.options import CompareOptions, JudgeOptions
from assay.types.results import Comparison, JudgedPair, PairJudging
from assay.workflow.reporting.comparison import compare, find_sides, same_tests
from assay.workflow.running.beginning import resumable
from assay.workflow.running.judging.panel import PanelJudge, open_panel, shorten_loop
from assay.workflow.running.ledgers import StoredReplies

StoredSide = tuple[Run, RunModel]


def compare_in_pairs(options: CompareOptions, observer: Observer) -> Comparison:
    until = time.monotonic() + options.budget if options.budget is not None else None
    with Store(options.out, must_exist=True) as store:
        compared = compare(store, options.runs, max_drop=options.max_drop)
        first, *others = find_sides(store, options.runs)
        works = [[*_pairs(store, first, other)] for other in others]
        if not any(works):
            raise UsageError(
                tr("the two sides have no answers to the same judged test"),
                hint=tr("leave --judge out, or compare runs of a suite such as coding"),
            )
        judging = JudgeOptions(judges=(options.judge or "",), **options.shared_with(JudgeOptions))
        tested = [model.facts for _, model in (first, *others)]
        command = options.command_line("compare", *options.runs)
        panel = open_panel(judging, (), tested, options, options)
        with closing(panel), resumable(options.out, command):
            errors: list[AssayError] = []
            panel.probe_judges(errors)
            raise_all(errors)
            (judge,) = panel.judges
            notes = (*panel.notes, *panel.warnings)
            for note in (*store.notes, *notes):
                observer.note(note)
            name = tr("judge {spec}", spec=judge.model.facts.spec)
            found = []
            for pair, work, (run, _) in zip(compared.pairs, works, others, strict=True):
                for each in work:
                    each.open_questionnaires(judge)
                ledger = StoredReplies(store, run, judge.model.facts.fingerprint)
                asked = [one for each in work for one in each.orders]
                ask_all(judge.model, asked, ledger, observer, name=name, until=until)
                found.append(replace(pair, judged=_judged(judge, work, notes)))
        failed = any(one.failed for work in works for each in work for one in each.orders)
        return replace(compared, pairs=tuple(found), exit_code=3 if failed else compared.exit_code)


@dataclass(slots=True, eq=False)
class _AnswerPair:
    case: Case
    repeat: int
    first: str
    second: str
    orders: tuple[PairQuestionnaire, ...] = ()

    def open_questionnaires(self, judge: PanelJudge) -> None:
        shown = shorten_loop(self.first), shorten_loop(self.second)
        self.orders = tuple(
            PairQuestionnaire(
                judge=judge.model.facts,
                case=self.case,
                first=shown[turn],
                second=shown[1 - turn],
                key=judge_key(self.case.id),
                by_likelihood=judge.about.layout is not None,
                repeat=self.repeat,
                turn=turn,
            )
            for turn in ((0, 1) if self._settled is None else ())
        )

    @property
    def _settled(self) -> float | None:
        first, second = (
            why_trivial(text, self.case) in NOTHING_SAID for text in (self.first, self.second)
        )
        if first or second or self.first.strip() == self.second.strip():
            return 0.5 + (first - second) / 2
        return None

    @property
    def judged(self) -> JudgedPair:
        outcomes: tuple[float | None, ...] = ()
        if self.orders:
            one, other = (order.outcome for order in self.orders)
            outcomes = (None if one is None else 1 - one, other)
        return JudgedPair(
            suite=self.case.suite,
            id=self.case.id,
            score=score_of_pair(outcomes) if outcomes else self._settled,
            outcomes=outcomes,
            lengths=(len(self.first), len(self.second)),
        )


def _pairs(store: Store, first: StoredSide, second: StoredSide) -> Iterator[_AnswerPair]:
    """The answers to each judged test that is the same on both sides, repeat by repeat."""
    ours, theirs = (
        {suite.name: suite for suite in store.read_suites(run)} for run, _ in (first, second)
    )
    cases = {
        (name, case.id): case
        for name, suite in theirs.items()
        if name in ours
        for case in suite.cases
        if case.check.judged and case.id in same_tests(ours[name], suite)
    }
    before, after = (_texts(store, side) for side in (first, second))
    for key, text in after.items():
        suite, test_id, repeat = key
        if (suite, test_id) in cases and key in before:
            yield _AnswerPair(cases[suite, test_id], repeat, before[key], text)


def _texts(store: Store, side: StoredSide) -> dict[TrialKey, str]:
    return {
        each.key: each.reply.text
        for each in store.read_trials(*side)
        if isinstance(each.reply, Answered)
    }


def _judged(judge: PanelJudge, work: Sequence[_AnswerPair], notes: Sequence[str]) -> PairJudging:
    pairs = [each.judged for each in work]
    return pair_judging(judge.model.facts.spec, pairs, notes=notes)
