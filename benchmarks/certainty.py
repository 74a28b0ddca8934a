"""How often what we call sure is true: intervals over documents, ties, confirmation, looks.

In: `--docs DIR`, a folder of text files, such as unpacked Debian documentation packages
(python3.11-doc, linux-doc-6.1, perl-doc, git-doc: 11 million words); without it documents are
made, with lengths and losses that spread alike. `--quick`: 200 simulations each, not 10,000. Names
of parts run only those. Out: a table, a row for each setting; `wanted` is what issue or design ask.

A word is a token. Losses are those of a bigram model with Witten and Bell's smoothing, trained on a
share of the files; the paired one is a later checkpoint of it, with twice the training text, or
another smoothing. Files of `translations` are left out, unless said.
"""

import argparse
import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.stats.documents import BLOCK, FEWEST, block_length, ratio_of_sums
from assay.stats.looks import alpha_of_look, lower_bound
from assay.stats.ties import compare_all
from assay.types.score_units import FigureRow, UnitTable

Numbers = NDArray[np.float64]
WORD = re.compile(r"\w+|[^\w\s]")
VOCABULARY = 30_000
TRAINED_ON = 700  # files; twice as many for the later checkpoint
LIMIT = 0.70
SUFFIXES = (".txt", ".rst", ".pod")


@dataclass(frozen=True)
class Pool:
    """Losses of every document by model, and its tokens; `long`: of each long one its tokens'."""

    earlier: Numbers
    later: Numbers
    smoothed: Numbers
    tokens: Numbers
    long: list[Numbers]


# -- the text -------------------------------------------------------------------------------------


def read_folder(folder: Path, with_translations: bool) -> Iterator[str]:
    seen: set[str] = set()
    for file in sorted(folder.rglob("*")):
        name = file.name.removesuffix(".gz")
        if file.is_symlink() or not file.is_file() or not name.endswith(SUFFIXES):
            continue
        if "translations" in file.parts and not with_translations:
            continue
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        text = raw.decode("utf-8", "replace")
        if len(text) >= 200 and text not in seen:
            seen.add(text)
            yield text


class Bigrams:
    def __init__(self, texts: list[NDArray[np.int64]]) -> None:
        size = VOCABULARY + 1
        self.single = np.bincount(np.concatenate(texts), minlength=size) + 0.5
        self.single /= self.single.sum()
        keys = np.concatenate([each[:-1] * size + each[1:] for each in texts])
        self.keys, self.counts = np.unique(keys, return_counts=True)
        self.before = np.bincount(np.concatenate([each[:-1] for each in texts]), minlength=size)
        self.kinds = np.maximum(np.bincount(self.keys // size, minlength=size), 1)

    def losses(self, text: NDArray[np.int64], *, fixed: bool = False) -> Numbers:
        before, word = text[:-1], text[1:]
        wanted = before * (VOCABULARY + 1) + word
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        seen = np.where(self.keys[at] == wanted, self.counts[at], 0)
        count, kinds, single = self.before[before], self.kinds[before], self.single[word]
        if fixed:
            share = np.where(count > 0, seen / np.maximum(count, 1), single)
            return -np.log(0.3 * single + 0.7 * share)
        return -np.log((seen + kinds * single) / (count + kinds))


def read_pool(folder: Path, with_translations: bool = False) -> Pool:
    words = [WORD.findall(text) for text in read_folder(folder, with_translations)]
    common = Counter(word for each in words for word in each).most_common(VOCABULARY)
    numbers = {word: place for place, (word, _) in enumerate(common, 1)}
    texts = [np.array([numbers.get(word, 0) for word in each]) for each in words if len(each) > 1]
    order = np.random.default_rng(0).permutation(len(texts))
    texts = [texts[place] for place in order]
    earlier, later = (Bigrams(texts[: TRAINED_ON * times]) for times in (1, 2))
    rest = texts[2 * TRAINED_ON :]
    return Pool(
        earlier=np.array([earlier.losses(each).sum() for each in rest]),
        later=np.array([later.losses(each).sum() for each in rest]),
        smoothed=np.array([earlier.losses(each, fixed=True).sum() for each in rest]),
        tokens=np.array([float(len(each) - 1) for each in rest]),
        long=[earlier.losses(each) for each in rest if len(each) > 30 * BLOCK],
    )


def make_pool() -> Pool:
    """Lengths and losses that spread as those of Debian's documentation."""
    random = np.random.default_rng(0)
    tokens = np.ceil(np.exp(random.normal(6.6, 1.4, 4000)))
    loss = random.normal(4.9, 0.7, 4000)
    gain, noise = random.gamma(2.0, 0.05, 4000), random.normal(0.0, 0.1, 4000)
    drift = [random.normal(4.9, 2.5, 40_000) + np.repeat(random.normal(0, 0.6, 400), 100)]
    return Pool(loss * tokens, (loss - gain) * tokens, (loss + noise) * tokens, tokens, drift)


# -- intervals ------------------------------------------------------------------------------------


def coverage(amounts: Numbers, tokens: Numbers, documents: int, times: int) -> tuple[float, float]:
    """How often the interval holds the pool's ratio, where there is one, and how often there is."""
    random = np.random.default_rng(documents)
    truth, held, known = amounts.sum() / tokens.sum(), 0, 0
    for _ in range(times):
        drawn = random.integers(0, len(amounts), documents)
        low, high = ratio_of_sums(amounts[drawn], tokens[drawn]).limits()
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


def correlate(amounts: Numbers, tokens: Numbers) -> Numbers:
    """The same losses a token and lengths, the longest with the highest: a correlation of ranks
    of about 0.8.
    """
    rates = np.sort(amounts / tokens)
    random = np.random.default_rng(1)
    mixed = np.argsort(np.argsort(tokens)) / len(tokens) + random.normal(0.0, 0.2, len(tokens))
    return rates[np.argsort(np.argsort(mixed))] * tokens


def documents(pool: Pool, times: int, others: Pool | None) -> None:
    total = int(pool.tokens.sum())
    print(f"\nintervals over documents; {len(pool.tokens)} documents, {total:,} tokens")
    print("| figure | documents | holds the truth | has an interval | wanted |")
    print("|---|--:|--:|--:|--:|")
    said = "said"
    rows = [
        ("single", pool.earlier, pool.tokens, "93–97 %"),
        ("paired, other smoothing", pool.smoothed - pool.earlier, pool.tokens, "93–97 %"),
        ("paired, twice the training text", pool.later - pool.earlier, pool.tokens, "93–97 %"),
        ("length and loss correlated", correlate(pool.earlier, pool.tokens), pool.tokens, said),
    ]
    if others is not None:
        change = others.later - others.earlier
        rows.append(("paired, twice the text, 6 % translations", change, others.tokens, said))
    for name, amounts, tokens, wanted in rows:
        for count in (FEWEST, 30, 100):
            held, known = coverage(amounts, tokens, count, times)
            print(f"| {name} | {count} | {held:.1%} | {known:.1%} | {wanted} |", flush=True)
    mean = float(pool.earlier.sum() / pool.tokens.sum())
    for tokens_read in (2_000, 6_000, 12_000, 24_000):
        for what, truth in (("this document", None), ("the corpus", mean)):
            held = blocks_coverage(pool.long, tokens_read, times, truth)
            name = f"blocks of {tokens_read:,} tokens, for {what}"
            print(f"| {name} | 1 | {held:.1%} | 100.0% | {said} |", flush=True)


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


def ties(pool: Pool, times: int) -> None:
    print("\nequal candidates: none wrongly left out of the tie")
    print("| units | candidates | none left out | wanted |\n|---|--:|--:|--:|")
    both_tests, both_texts = equal_tests(100, 3, 0.5), equal_documents(pool, 30)
    settings: dict[str, Make] = {
        "3 × 100 tests": both_tests,
        "100 tests, 9 in 10 answered alike": equal_tests(100, 1, 0.9),
        "3 × 20 tests": equal_tests(20, 3, 0.5),
        "12 documents": equal_documents(pool, 12),
        "100 documents": equal_documents(pool, 100),
        "3 × 100 tests and 30 documents": lambda random, count: (
            both_tests(random, count) + both_texts(random, count)
        ),
    }
    for candidates in (2, 5, 10, 20):
        for name, make in settings.items():
            kept = 0
            for number in range(times):
                leads = compare_all(make(np.random.default_rng(number), candidates))
                best = int(leads.by.sum(axis=1).argmax())
                kept += len(leads.tied_with(best)) == candidates - 1
            print(f"| {name} | {candidates} | {kept / times:.1%} | at least 94 % |", flush=True)


# -- acceptance -----------------------------------------------------------------------------------


@cache
def bound_of(passed: int, tests: int, tail: float) -> float:
    return lower_bound([1.0] * passed + [0.0] * (tests - passed), tail) or 0.0


def confirm(_: Pool, times: int) -> None:
    print("\n20 equal checkpoints below the limit, the best of them confirmed on 0.3 of the tests")
    print("| tests | below the limit | accepted by the gate alone | confirmed | wanted |")
    print("|--:|--:|--:|--:|--:|")
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
            print(f"| {tests} | {below} | {alone:.1%} | {both:.1%} | at most 5 % |", flush=True)


def looks(_: Pool, times: int) -> None:
    print("\n50 looks at checkpoints 0.001 below the limit: one of them is called clear")
    print("| tests | by the plain 95 % interval | by the k-th look's | wanted |\n|--:|--:|--:|--:|")
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
        print(f"| {tests} | {one.mean():.1%} | {many.mean():.1%} | at most 5 % |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="documents, ties, confirm, looks")
    parser.add_argument("--docs", type=Path)
    parser.add_argument("--quick", action="store_true", help="200 simulations each")
    parser.add_argument("--times", type=int, default=10_000, help="simulations each")
    given = parser.parse_args()
    times = 200 if given.quick else given.times
    pool = read_pool(given.docs) if given.docs else make_pool()
    wanted = set(given.parts or ("documents", "ties", "confirm", "looks"))
    print(f"{times} simulations each")
    if "documents" in wanted:
        documents(pool, times, read_pool(given.docs, True) if given.docs else None)
    for name, part in (("ties", ties), ("confirm", confirm), ("looks", looks)):
        if name in wanted:
            part(pool, times)


if __name__ == "__main__":
    main()
