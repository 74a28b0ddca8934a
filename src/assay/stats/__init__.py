"""Pure mathematics: how sure a figure is. Numbers in, `Estimate` out.

In: scores, counts and weights. Out: estimates with 95 % intervals, paired differences, adjusted
p-values.

    intervals      by formula: Wilson for a share, Newcombe for pairs, MOVER for weighted means
    resampling     by drawing: the bootstrap
    estimates      one sample: share, mean, rate, quantile, weighted score
    significance   p-values: McNemar, the bootstrap's, Holm over several
    pairs          two samples: the difference of a and b, and whether it can be told
    composite      two sums of several parts: the difference, drawn part by part
    repeats        several tries of a test: pass@k and pass^k
    agreement      raters: rank correlation, weighted kappa, alpha, intraclass correlation

Each imports only from those above it. Which interval where, and why: `docs/statistics.md`,
`docs/decisions/020-intervals.md`. numpy and scipy are loaded inside the functions: importing this
package must cost nothing.
"""

from assay.stats.agreement import (
    agreement_difference,
    icc,
    kendall,
    krippendorff_alpha,
    quadratic_kappa,
    spearman,
)
from assay.stats.composite import (
    Apart,
    Blocks,
    Runs,
    ScorePiece,
    TestsTogether,
    composite_difference,
)
from assay.stats.estimates import (
    average,
    even_mean,
    mean_of,
    nothing,
    proportion,
    quantile_of,
    ratio,
    weighted,
)
from assay.stats.intervals import Interval, newcombe_paired, wilson
from assay.stats.pairs import (
    Difference,
    detectable_difference,
    paired_difference,
    paired_difference_by_category,
    tell_apart,
)
from assay.stats.repeats import pass_at_k, pass_hat_k
from assay.stats.significance import holm, mcnemar

__all__ = [
    "Apart",
    "Blocks",
    "Difference",
    "Interval",
    "Runs",
    "ScorePiece",
    "TestsTogether",
    "agreement_difference",
    "average",
    "composite_difference",
    "detectable_difference",
    "even_mean",
    "holm",
    "icc",
    "kendall",
    "krippendorff_alpha",
    "mcnemar",
    "mean_of",
    "newcombe_paired",
    "nothing",
    "paired_difference",
    "paired_difference_by_category",
    "pass_at_k",
    "pass_hat_k",
    "proportion",
    "quadratic_kappa",
    "quantile_of",
    "ratio",
    "spearman",
    "tell_apart",
    "weighted",
    "wilson",
]
