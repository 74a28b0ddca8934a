"""Repeated tries of one test: what k of them would do.

In: n tries, c passes, and k. Out: a chance from 0 to 1.
"""

from __future__ import annotations

import math


def pass_at_k(n: int, c: int, k: int) -> float:
    """Chance that at least one of k tries passes, from c passes in n (unbiased)."""
    _check_tries(n, c, k)
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """Chance that all of k tries pass, from c passes in n (unbiased)."""
    _check_tries(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def _check_tries(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"{c} passes in {n} tries say nothing about {k}")
