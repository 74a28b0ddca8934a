"""Which tests are asked next, and what the full suite would say after those that were.

The order is drawn before the run from its seed, the model's fingerprint and the test's name, so
that neither length nor difficulty has a say in it, and a run that goes on after a kill has the same
one. Only a prefix of that order is read: answers that came early would favour short ones.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from itertools import takewhile

from assay.stats.early import (
    Race,
    ScorePair,
    SuiteMean,
    decide_in_full,
    interval,
)
from assay.stats.looks import ALPHA
from assay.types import Case, Suite
from assay.types.decisions import Gate, SuiteLimit
from assay.types.early import EarlyDecision
from assay.types.tests import EWEBENCH

INCOMPLETE = 0.05  # of the tests of a category; with more without a score nothing passes
Values = Mapping[str, float | None]  # by test; None: failed, or without a score


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteQuestion:
    """Whether a weighted mean of categories lies above `limit`. `tests`: their categories, by id;
    `weights`: of each category, with a sum of 1. `whole`: every score is 0 or 1.
    """

    suite: str
    limit: float
    tests: Mapping[str, str]
    weights: Mapping[str, float]
    whole: bool = False
    counts: Mapping[str, float] = field(init=False)  # of a test of each category; 1: the average

    def __post_init__(self) -> None:
        sizes = Counter(self.tests.values())
        factors = {name: len(self.tests) * self.weights[name] / n for name, n in sizes.items()}
        object.__setattr__(self, "counts", factors)

    @property
    def mean(self) -> SuiteMean:
        largest = max(self.counts.values())
        even = all(math.isclose(each, 1.0, rel_tol=1e-9) for each in self.counts.values())
        return SuiteMean(
            size=len(self.tests),
            limit=Fraction(str(self.limit)),
            whole=self.whole and even,
            largest=1.0 if even else largest,
        )

    def pair(self, test: str, value: float | None) -> ScorePair:
        low, high = (0.0, 1.0) if value is None else (value, value)
        share = self.counts[self.tests[test]] / max(self.counts.values())
        return ScorePair(low * share, high * share)


def draw_order(seed: int, fingerprint: str, suite: str, tests: Iterable[str]) -> list[str]:
    def drawn(test: str) -> bytes:
        return sha256(f"{seed}/{fingerprint}/{suite}/{test}".encode()).digest()

    return sorted(tests, key=drawn)


class OpenQuestion:
    """One question about one model, fed as far as the drawn order is answered without a gap.
    `of`: how many such questions are asked of it; all must pass, and one that fails is enough.
    """

    def __init__(self, question: SuiteQuestion, order: Sequence[str], *, of: int = 1) -> None:
        self.question, self.order = question, order
        self._mean = question.mean
        self._alphas = {"accept_at": ALPHA, "reject_at": ALPHA / of}
        self._race = Race(self._mean, **self._alphas)
        self._pairs: list[ScorePair] = []
        self._asked: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()

    @property
    def is_settled(self) -> bool:
        """Nothing more needs to be asked for it."""
        return self._race.passes is not None or self._race.fed == len(self.order)

    def next_tests(self, portion: int) -> Sequence[str]:
        """To the end of the portion that is begun: a run that goes on asks what it had asked."""
        return self.order[self._race.fed : (self._race.fed // portion + 1) * portion]

    def read(self, values: Values) -> None:
        """Go on from where it was, up to the first test that was not answered."""
        for test in self.order[self._race.fed :]:
            if test not in values or self._race.passes is not None:
                return
            pair = self.question.pair(test, values[test])
            category = self.question.tests[test]
            self._asked[category] += 1
            self._missing[category] += values[test] is None
            self._pairs.append(pair)
            self._race.feed(pair, may_pass=self._is_complete)

    @property
    def _is_complete(self) -> bool:
        return all(self._missing[name] <= INCOMPLETE * n for name, n in self._asked.items())

    def decision(self, values: Values) -> EarlyDecision:
        """From all that was answered."""
        self.read(values)
        known = {test: values[test] for test in self.order if test in values}
        prefix = _answered(self.question, self.order, known)
        proved = self._race.passes
        passed = proved
        if len(known) == len(self.order):
            full = decide_in_full(self._mean, prefix)
            passed = proved if full is None else full
        low, high = interval(self._mean, prefix)
        return EarlyDecision(
            limit=self.question.limit,
            categories=tuple(self.question.weights),
            passed=passed,
            proved=proved,
            at=self._race.at,
            asked=len(known),
            tests=len(self.order),
            unscored=sum(value is None for value in known.values()),
            low=low,
            high=high,
            more=0 if passed is not None else self._tests_left(),
            alpha=self._alphas["reject_at"] if passed is False else ALPHA,
        )

    def _tests_left(self) -> int:
        """If the rest goes as those did that were asked."""
        ahead = Race(self._mean, **self._alphas)
        for pair in self._pairs:
            ahead.feed(pair)
        again = self._pairs or [self.question.pair(self.order[0], 0.5)]
        while ahead.passes is None and ahead.fed < self._mean.size:
            ahead.feed(again[ahead.fed % len(again)])
        return ahead.fed - len(self._pairs)


def questions_of(gate: Gate, suites: Iterable[Suite], *, repeats: int = 1) -> list[SuiteQuestion]:
    """Every criterion of the gate that is a plain mean over tests, each scored when answered."""
    known = {suite.name: suite for suite in suites}
    found = []
    for limit in gate.suites:
        suite = known.get(limit.name)
        if suite is not None and is_plain_mean(limit, suite):
            found.append(mean_question(suite, limit, repeats=repeats))
    return found


def is_plain_mean(limit: SuiteLimit, suite: Suite) -> bool:
    """Neither an interval, nor a metric, nor what somebody else scores later."""
    if limit.min is None or limit.above_guessing or limit.metric:
        return False
    cases = [case for case in suite.cases if _counts(limit, case.category)]
    return bool(cases) and not any(map(_is_scored_later, cases))


def mean_question(suite: Suite, limit: SuiteLimit, *, repeats: int = 1) -> SuiteQuestion:
    """As the gate has it: each category counts the same."""
    cases = [case for case in suite.cases if _counts(limit, case.category)]
    names = tuple(dict.fromkeys(case.category for case in cases))
    return SuiteQuestion(
        suite=suite.name,
        limit=limit.min or 0.0,
        tests={case.id: case.category for case in cases},
        weights=dict.fromkeys(names, 1 / len(names)),
        whole=repeats == 1
        and suite.scoring != EWEBENCH
        and all(case.check.all_or_nothing for case in cases),
    )


def weighted_question(suite: Suite, categories: Iterable[str], *, repeats: int) -> SuiteQuestion:
    """The score of these categories under the suite's own weights, for its interval."""
    limit = SuiteLimit(name=suite.name, min=0.0, categories=tuple(categories))
    plain = mean_question(suite, limit, repeats=repeats)
    weights = {name: suite.weight(name) for name in plain.weights}
    total = math.fsum(weights.values())
    if total <= 0:
        return plain
    return replace(plain, weights={name: each / total for name, each in weights.items()})


def _is_scored_later(case: Case) -> bool:
    check = case.check
    return check.judged is not None or check.scored_together or not check.is_scored


def _counts(limit: SuiteLimit, category: str) -> bool:
    return not limit.categories or category in limit.categories


def interval_of(
    question: SuiteQuestion, order: Sequence[str], values: Values
) -> tuple[float, float]:
    """From the tests that were answered without a gap."""
    return interval(question.mean, _answered(question, order, values))


def _answered(question: SuiteQuestion, order: Sequence[str], values: Values) -> list[ScorePair]:
    """Up to the first test that was not."""
    known = takewhile(lambda test: test in values, order)
    return [question.pair(test, values[test]) for test in known]
