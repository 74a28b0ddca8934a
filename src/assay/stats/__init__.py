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
