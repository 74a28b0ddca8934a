"""How often what we call sure is true: intervals over documents, ties, confirmation, looks.

In: the documents of `certainty_pool.npz`, or `--docs DIR`, a folder of text files, such as unpacked
Debian documentation packages, of which blocks of single documents and files of `translations` can
be drawn too. `--quick`: 200 simulations each, not 10,000. `--jobs N`: processes (with
OPENBLAS_NUM_THREADS=1). Names of parts run only those. Out: a table, printed and into `--out FILE`,
a row for each setting; `wanted` is what issue or design ask. Ties need numpy only, the rest scipy.
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import TextIO

import numpy as np
from certainty_pool import Numbers, Pool, load_pool, read_pool

from assay.stats.documents import (
    BLOCK,
    FEWEST,
    block_length,
    difference_of_ratios,
    ratio_of_sums,
)
from assay.stats.looks import alpha_of_look, lower_bound
from assay.stats.ties import compare_all
from assay.types.score_units import FigureRow, UnitTable

LIMIT = 0.70
EQUAL = (2, 3, 5, 10, 20)  # candidates
Say = Callable[[str], None]


# -- intervals ------------------------------------------------------------------------------------


def coverage(
    before: Numbers | None, after: Numbers, tokens: Numbers, documents: int, times: int
) -> tuple[float, float]:
    """How often the interval holds the pool's ratio, where there is one, and how often there is;
    of a paired difference where there is something before.
    """
    random = np.random.default_rng(documents)
    truth, held, known = after.sum() / tokens.sum(), 0, 0
    truth -= 0.0 if before is None else before.sum() / tokens.sum()
    for _ in range(times):
        drawn = random.integers(0, len(after), documents)
        of = tokens[drawn]
        if before is None:
            found = ratio_of_sums(after[drawn], of)
        else:
            found = difference_of_ratios((before[drawn], of), (after[drawn], of))
        low, high = found.limits()
        if low is not None and high is not None:
            known += 1
            held += low <= truth <= high
    return held / max(known, 1), known / times


def blocks_coverage(long: list[Numbers], tokens: int, times: int, truth: float | None) -> float:
    """How often blocks of a stretch of a document hold that document's mean, or the pool's."""
    random = np.random.default_rng(tokens)
    held = 0
    size = block_length(tokens) or BLOCK
    for _ in range(times):
        text = long[random.integers(len(long))]
        start = random.integers(0, len(text) - tokens)
        stretch = np.add.reduceat(text[start : start + tokens], np.arange(0, tokens, size))
        sizes = np.diff(np.append(np.arange(0, tokens, size), tokens))
        low, high = ratio_of_sums(stretch, sizes).limits()
        mean = float(text.mean()) if truth is None else truth
        held += low is not None and high is not None and low <= mean <= high
    return held / times


def correlate(pool: Pool) -> Numbers:
    """The same losses a token and lengths, the longest with the highest: a correlation of ranks
    of about 0.8.
    """
    tokens = pool.tokens
    rates = np.sort(pool.earlier / tokens)
    random = np.random.default_rng(1)
    mixed = np.argsort(np.argsort(tokens)) / len(tokens) + random.normal(0.0, 0.2, len(tokens))
    return rates[np.argsort(np.argsort(mixed))] * tokens


def documents(pool: Pool, times: int, others: Pool | None, say: Say) -> None:
    total = int(pool.tokens.sum())
    say(f"\nintervals over documents; {len(pool.tokens)} documents, {total:,} tokens")
    say("| figure | documents | holds the truth | has an interval | wanted |")
    say("|---|--:|--:|--:|--:|")
    said = "said"
    aim = "93–97 %"
    rows = [
        ("single", None, pool.earlier, pool.tokens, aim),
        ("paired, other smoothing", pool.earlier, pool.smoothed, pool.tokens, aim),
        ("paired, twice the training text", pool.earlier, pool.later, pool.tokens, aim),
        ("length and loss correlated", None, correlate(pool), pool.tokens, said),
    ]
    if others is not None:
        name = "paired, twice the text, 6 % translations"
        rows.append((name, others.earlier, others.later, others.tokens, said))
    for name, before, after, tokens, wanted in rows:
        for count in (FEWEST, 30, 100):
            held, known = coverage(before, after, tokens, count, times)
            say(f"| {name} | {count} | {held:.1%} | {known:.1%} | {wanted} |")
    mean = float(pool.earlier.sum() / pool.tokens.sum())
    for tokens_read in (2_000, 6_000, 12_000, 24_000) if pool.long else ():
        for what, truth in (("this document", None), ("the corpus", mean)):
            held = blocks_coverage(pool.long, tokens_read, times, truth)
            name = f"blocks of {tokens_read:,} tokens, for {what}"
            say(f"| {name} | 1 | {held:.1%} | 100.0% | {said} |")


# -- ties -----------------------------------------------------------------------------------------

Make = Callable[[np.random.Generator, int], list[UnitTable | FigureRow]]


def equal_tests(tests: int, categories: int, same: float) -> Make:
    """Tests of their own difficulty; a share of them all candidates answer alike."""

    def make(random: np.random.Generator, candidates: int) -> list[UnitTable | FigureRow]:
        parts: list[UnitTable | FigureRow] = []
        for _ in range(categories):
            hard = random.beta(2, 1, (tests, 1))
            shared = random.random((tests, 1)) < hard
            own = random.random((tests, candidates)) < hard
            answers = np.where(random.random((tests, 1)) < same, shared, own)
            parts.append(UnitTable(values=answers / categories))
        return parts

    return make


def equal_documents(pool: Pool, count: int) -> Make:
    """Real lengths and losses; each candidate differs by document, some documents more."""

    def make(random: np.random.Generator, candidates: int) -> list[UnitTable | FigureRow]:
        drawn = random.integers(0, len(pool.tokens), count)
        tokens = pool.tokens[drawn]
        rates = (pool.earlier[drawn] / tokens)[:, None]
        apart = random.standard_normal((count, candidates)) * random.exponential(0.1, (count, 1))
        of = [ratio_of_sums(each, tokens) for each in ((rates + apart) * tokens[:, None]).T]
        values = np.stack([each.pseudo_values for each in of], axis=1)
        return [UnitTable(values=values, freedom=of[0].freedom)]

    return make


def settings_of(pool: Pool) -> dict[str, Make]:
    both_tests, both_texts = equal_tests(100, 3, 0.5), equal_documents(pool, 30)
    return {
        "3 × 100 tests": both_tests,
        "100 tests, 9 in 10 answered alike": equal_tests(100, 1, 0.9),
        "3 × 20 tests": equal_tests(20, 3, 0.5),
        "12 documents": equal_documents(pool, 12),
        "100 documents": equal_documents(pool, 100),
        "3 × 100 tests and 30 documents": lambda random, count: (
            both_tests(random, count) + both_texts(random, count)
        ),
    }


def count_kept(pool: Pool, setting: str, candidates: int, numbers: range) -> int:
    """In how many of these simulations no candidate is left out of the tie."""
    make, kept = settings_of(pool)[setting], 0
    for number in numbers:
        leads = compare_all(make(np.random.default_rng(number), candidates))
        best = int(leads.by.sum(axis=1).argmax())
        kept += len(leads.tied_with(best)) == candidates - 1
    return kept


def ties(pool: Pool, times: int, jobs: int, say: Say) -> None:
    say("\nequal candidates: none wrongly left out of the tie")
    say("| units | candidates | none left out | wanted |\n|---|--:|--:|--:|")
    shares = [range(times)[start::jobs] for start in range(jobs)]
    with ProcessPoolExecutor(jobs) as processes:
        for candidates in EQUAL:
            for name in settings_of(pool):
                kept = sum(processes.map(partial(count_kept, pool, name, candidates), shares))
                say(f"| {name} | {candidates} | {kept / times:.2%} | at least 94 % |")


# -- acceptance -----------------------------------------------------------------------------------


@cache
def bound_of(passed: int, tests: int, tail: float) -> float:
    return lower_bound([1.0] * passed + [0.0] * (tests - passed), tail) or 0.0


def confirm(times: int, say: Say) -> None:
    say("\n20 equal checkpoints below the limit, the best of them confirmed on 0.3 of the tests")
    say("| tests | below the limit | accepted by the gate alone | confirmed | wanted |")
    say("|--:|--:|--:|--:|--:|")
    for tests in (100, 300, 1000):
        for below in (0.04, 0.001):
            random = np.random.default_rng(tests)
            kept_out = round(0.3 * tests)
            selecting = random.binomial(tests - kept_out, LIMIT - below, (times, 20)).max(axis=1)
            whole = random.binomial(tests, LIMIT - below, (times, 20)).max(axis=1)
            shown = random.binomial(kept_out, LIMIT - below, times)
            passes = selecting / (tests - kept_out) > LIMIT
            sure = np.array([bound_of(int(each), kept_out, 0.05) > LIMIT for each in shown])
            alone, both = (whole / tests > LIMIT).mean(), (passes & sure).mean()
            say(f"| {tests} | {below} | {alone:.1%} | {both:.1%} | at most 5 % |")


def looks(times: int, say: Say) -> None:
    say("\n50 looks at checkpoints 0.001 below the limit: one of them is called clear")
    say("| tests | by the plain 95 % interval | by the k-th look's | wanted |\n|--:|--:|--:|--:|")
    for tests in (50, 100, 300, 1000):
        random = np.random.default_rng(tests)
        passed = random.binomial(tests, LIMIT - 0.001, (times, 50))
        counts = range(tests + 1)
        plain = np.array([bound_of(each, tests, 0.025) > LIMIT for each in counts])
        clear = np.array(
            [
                [bound_of(each, tests, alpha_of_look(k) / 2) > LIMIT for each in counts]
                for k in range(1, 51)
            ]
        )
        one, many = plain[passed].any(axis=1), clear[np.arange(50), passed].any(axis=1)
        say(f"| {tests} | {one.mean():.1%} | {many.mean():.1%} | at most 5 % |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="documents, ties, confirm, looks")
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--quick", action="store_true", help="200 simulations each")
    parser.add_argument("--times", type=int, default=10_000, help="simulations each")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=argparse.FileType("w", encoding="utf-8"))
    given = parser.parse_args()
    times = 200 if given.quick else given.times
    pool = read_pool(given.docs) if given.docs else load_pool()
    wanted = set(given.parts or ("documents", "ties", "confirm", "looks"))
    say = partial(print_line, given.out)
    say(f"{times} simulations each")
    if "documents" in wanted:
        documents(pool, times, read_pool(given.docs, True) if given.docs else None, say)
    if "ties" in wanted:
        ties(pool, times, given.jobs, say)
    if "confirm" in wanted:
        confirm(times, say)
    if "looks" in wanted:
        looks(times, say)


def print_line(file: TextIO | None, line: str) -> None:
    print(line, flush=True)
    if file is not None:
        print(line, file=file, flush=True)


if __name__ == "__main__":
    main()
