"""What a run that stopped asking early knows: decisions and intervals over part of the tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.decide.early import OpenQuestion, SuiteQuestion, draw_order, interval_of
from assay.decide.early import weighted_question as question_of
from assay.stats.estimates import OVER_TESTS, PART_OF_TESTS
from assay.store import Run, RunModel
from assay.types import Estimate, Suite
from assay.types.results import SuiteSummary
from assay.workflow.running.early import rule_of_gate

Values = Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartlyAsked:
    """A run whose models were asked until something was decided; `questions` by suite, `of` which
    all must pass.
    """

    run: Run
    questions: Mapping[str, SuiteQuestion]

    def tell(self, summary: SuiteSummary, suite: Suite, model: RunModel) -> SuiteSummary:
        """With the decision on it, and with intervals that hold whenever the asking stopped."""
        values = {
            row.id: row.score
            for row in summary.tests
            if max(1, len(row.repeats)) >= self.run.repeats
        }
        names = [case.id for case in suite.cases]
        found = replace(summary, left=sum(name not in values for name in names))
        question = self.questions.get(suite.name)
        if question is None and not found.left:
            return summary
        order = draw_order(self.run.seed, model.facts.fingerprint, suite.name, names)
        if question is not None:
            own = [test for test in order if test in question.tests]
            asked = OpenQuestion(question, own, of=len(self.questions))
            found = replace(found, early=asked.decision(values))
        if not found.left:
            return found
        return replace(
            found,
            score=self._over_part(found.score, suite, tuple(found.categories), order, values, 100),
            categories={
                name: self._over_part(share, suite, (name,), order, values, 1)
                for name, share in found.categories.items()
            },
        )

    def _over_part(
        self,
        estimate: Estimate,
        suite: Suite,
        categories: Sequence[str],
        order: Sequence[str],
        values: Values,
        scale: int,
    ) -> Estimate:
        if estimate.value is None:
            return estimate
        question = question_of(suite, categories, repeats=self.run.repeats)
        own = [test for test in order if test in question.tests]
        if all(test in values for test in own):
            return estimate
        low, high = (end * scale for end in interval_of(question, own, values))
        return replace(
            estimate,
            low=min(low, estimate.value),
            high=max(high, estimate.value),
            method=PART_OF_TESTS if estimate.method in OVER_TESTS else estimate.method,
        )


def partly_asked(run: Run, suites: Sequence[Suite]) -> PartlyAsked | None:
    """None if everything was to be asked."""
    deciding = run.deciding
    if deciding is None or not deciding.early:
        return None
    asked = [suite for suite in suites if suite.name not in deciding.confirming]
    rule = rule_of_gate(deciding.gate, asked, seed=run.seed, repeats=run.repeats)
    return PartlyAsked(run=run, questions={each.suite: each for each in rule.questions})
