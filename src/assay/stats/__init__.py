"""Pure mathematics: numbers in, an `Estimate` with its 95 % interval out.

    intervals      by formula: Wilson for a share, Newcombe for pairs, MOVER for weighted means
    resampling     by drawing: the bootstrap
    estimates      one sample: share, mean, rate, quantile, weighted score, pass@k
    significance   p-values: McNemar, the bootstrap's, Holm over several
    pairs          two samples: the difference of a and b, and whether it is significant
    composite      two sums of several parts: the difference, drawn part by part
    agreement      raters: rank correlation, weighted kappa, alpha, intraclass correlation

Each imports only from those above it. Which interval where, and why: `docs/statistics.md`,
`docs/decisions/020-intervals.md`. numpy and scipy are loaded inside the functions, so that
importing this package costs nothing.
"""

from assay.stats.composite import (
    ScorePiece,
    composite_difference,
    paired_tests,
    repeated_runs,
    text_blocks,
    unpaired,
)
from assay.stats.estimates import (
    average,
    even_mean,
    mean_of,
    nothing,
    pass_at_k,
    pass_hat_k,
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
from assay.stats.significance import holm, mcnemar

__all__ = [
    "Difference",
    "Interval",
    "ScorePiece",
    "average",
    "composite_difference",
    "detectable_difference",
    "even_mean",
    "holm",
    "mcnemar",
    "mean_of",
    "newcombe_paired",
    "nothing",
    "paired_difference",
    "paired_difference_by_category",
    "paired_tests",
    "pass_at_k",
    "pass_hat_k",
    "proportion",
    "quantile_of",
    "ratio",
    "repeated_runs",
    "tell_apart",
    "text_blocks",
    "unpaired",
    "weighted",
    "wilson",
]
