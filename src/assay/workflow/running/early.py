"""The tests of one model, handed out in the drawn order until the gate is decided."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from assay.decide.early import OpenQuestion, SuiteQuestion, draw_order, questions_of
from assay.messages import tr
from assay.plan import Plan, PlannedTrial
from assay.store import TrialKey
from assay.types import Suite
from assay.types.decisions import Gate
from assay.workflow.running.trials import TestTrial

AT_LEAST = 16  # tests at a time: a batch of a checkpoint, and as many connections as servers have
PARTS = 40  # of a large suite

Values = Mapping[TrialKey, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRule:
    """When a model has been asked enough: every question is settled. `in_full`: suites that are
    asked whatever is answered. What is in neither is not asked.
    """

    questions: tuple[SuiteQuestion, ...]
    seed: int
    in_full: frozenset[str] = frozenset()

    def first_of(self, plan: Plan) -> Plan:
        """What does not wait for answers."""
        trials = tuple(each for each in plan.trials if each.case.suite in self.in_full)
        return replace(plan, trials=trials)


def rule_of_gate(gate: Gate, suites: Iterable[Suite], *, seed: int, repeats: int) -> StopRule:
    """A criterion that is no plain mean over tests needs its suite in full; one against another
    checkpoint, all of them.
    """
    suites = tuple(suites)
    questions = tuple(questions_of(gate, suites, repeats=repeats))
    in_full = {limit.name for limit in gate.suites} - {each.suite for each in questions}
    if gate.accept.no_worse_than:
        in_full, questions = {suite.name for suite in suites}, ()
    return StopRule(questions=questions, seed=seed, in_full=frozenset(in_full))


def values_by_test(
    values: Values, suite: str, planned: Mapping[str, int]
) -> dict[str, float | None]:
    """Of the tests that were asked as often as planned: the mean of those tries that are scored."""
    tries: dict[str, list[float | None]] = {}
    for (of, test, _), value in values.items():
        if of == suite:
            tries.setdefault(test, []).append(value)
    return {
        test: _mean(tried) for test, tried in tries.items() if len(tried) >= planned.get(test, 1)
    }


def _mean(tried: Collection[float | None]) -> float | None:
    scored = [value for value in tried if value is not None]
    return sum(scored) / len(scored) if scored else None


@dataclass(kw_only=True)
class UndecidedTests:
    """`read` gives what is scored so far, in whatever order it came; `scored`: what was before this
    start. Failed ones of an earlier start are asked again, before they count.
    """

    rule: StopRule
    plan: Plan
    read: Callable[[], Values]
    scored: Collection[TrialKey]
    _open: list[OpenQuestion] = field(init=False)
    _planned: dict[str, Counter[str]] = field(init=False)  # tries, by suite and test
    _waiting: dict[str, dict[str, list[PlannedTrial]]] = field(init=False)  # by suite and test

    def __post_init__(self) -> None:
        trials: dict[tuple[str, str], list[PlannedTrial]] = {}
        self._planned = {}
        for trial in self.plan.trials:
            tries = self._planned.setdefault(trial.case.suite, Counter())
            tries[trial.case.id] += 1
            if trial.key not in self.scored:
                trials.setdefault((trial.case.suite, trial.case.id), []).append(trial)
        self._open, self._waiting = [], {}
        for each in self.rule.questions:
            order = draw_order(self.rule.seed, self.plan.facts.fingerprint, each.suite, each.tests)
            self._open.append(OpenQuestion(each, order, of=len(self.rule.questions)))
            self._waiting[each.suite] = {
                test: trials[each.suite, test] for test in order if (each.suite, test) in trials
            }

    def next_trials(self) -> list[TestTrial]:
        """Nothing once every question is settled."""
        values = self.read()
        found: list[TestTrial] = []
        for each in self._open:
            each.read(self._answered(each, values))
            if each.is_settled:
                self._waiting[each.question.suite].clear()
                continue
            waiting = self._waiting[each.question.suite]
            for test in each.next_tests(max(AT_LEAST, len(each.order) // PARTS)):
                found += [TestTrial(self.plan, trial) for trial in waiting.pop(test, ())]
        return found

    @property
    def most_left(self) -> int:
        waiting = (trials for tests in self._waiting.values() for trials in tests.values())
        return sum(len(trial.asked) for trials in waiting for trial in trials)

    def tell_undecided(self) -> str:
        """What is open, and about how much more would decide it."""
        values, found = self.read(), []
        for each in self._open:
            now = each.decision(self._answered(each, values))
            if now.passed is None:
                said = tr("{suite} is undecided after {asked} of {tests} tests, and about {more} "
                          "more would decide it", suite=each.question.suite, asked=now.asked,
                          tests=now.tests, more=now.more)  # fmt: skip
                found.append(said)
        return "; ".join(found)

    def _answered(self, of: OpenQuestion, values: Values) -> dict[str, float | None]:
        suite = of.question.suite
        known = values_by_test(values, suite, self._planned.get(suite, {}))
        return {test: value for test, value in known.items() if test not in self._waiting[suite]}
