"""DECIDE: what a pile of trials says about a model.

In: a Suite, its Trials, and for baselines a function that scores. Out: the shapes of `results`.

    summarise       Trials -> SuiteSummary       outcomes to the letter of the contract
    performance     Replies -> Performance       how quick, how long, how it ended
    try_figures     one Reply -> TryFigures      the same of a single try
    baselines       Suite -> Baselines           what answers that know nothing would score
    suite_card      Suite -> SuiteCard           its balance, and what guessing would get
    compare_suites  two SuiteSummaries, paired by test; `with_holm` over all that are shown together
    rank            Standings -> SuiteRanking    best first; incomplete ones listed, never ranked
    judged.judged   Verdicts -> Judged           judged tests: means, differences, which to use
"""

from assay.summary.baselines import baselines
from assay.summary.card import suite_card
from assay.summary.comparisons import compare_suites, rank, with_holm
from assay.summary.speed import performance, try_figures
from assay.summary.trials import measurements, summarise

__all__ = [
    "baselines",
    "compare_suites",
    "measurements",
    "performance",
    "rank",
    "suite_card",
    "summarise",
    "try_figures",
    "with_holm",
]
