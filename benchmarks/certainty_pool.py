"""Documents and what two models lose on each: what `certainty.py` draws from.

`read_pool` makes it of a folder of text files; `certainty_pool.npz` holds that of Debian's
documentation (python3.11-doc, linux-doc-6.1 without its translations, perl-doc, git-doc), so that
the figures can be had again without the packages: `python certainty_pool.py DIR` wrote it.

A word is a token. Losses are those of a bigram model with Witten and Bell's smoothing, trained on a
share of the files; the paired one is a later checkpoint of it, with twice the training text, or
another smoothing.
"""

import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
STORED = Path(__file__).with_suffix(".npz")
WORD = re.compile(r"\w+|[^\w\s]")
VOCABULARY = 30_000
TRAINED_ON = 700  # files; twice as many for the later checkpoint
LONG = 30_000  # tokens
SUFFIXES = (".txt", ".rst", ".pod")


@dataclass(frozen=True)
class Pool:
    """Losses of every document by model, and its tokens; `long`: of each long one its tokens'."""

    earlier: Numbers
    later: Numbers
    smoothed: Numbers
    tokens: Numbers
    long: list[Numbers]


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
        long=[earlier.losses(each) for each in rest if len(each) > LONG],
    )


def make_pool() -> Pool:
    """Lengths and losses that spread as those of Debian's documentation."""
    random = np.random.default_rng(0)
    tokens = np.ceil(np.exp(random.normal(6.6, 1.4, 4000)))
    loss = random.normal(4.9, 0.7, 4000)
    gain, noise = random.gamma(2.0, 0.05, 4000), random.normal(0.0, 0.1, 4000)
    drift = [random.normal(4.9, 2.5, 40_000) + np.repeat(random.normal(0, 0.6, 400), 100)]
    return Pool(loss * tokens, (loss - gain) * tokens, (loss + noise) * tokens, tokens, drift)


def load_pool() -> Pool:
    """The stored one, without single tokens."""
    with np.load(STORED) as stored:
        of = {name: stored[name].astype(np.float64) for name in stored.files}
    return Pool(**of, long=[])


def store_pool(pool: Pool) -> None:
    names = ("earlier", "later", "smoothed", "tokens")
    np.savez_compressed(STORED, **{name: getattr(pool, name).astype(np.float32) for name in names})


if __name__ == "__main__":
    store_pool(read_pool(Path(sys.argv[1])))
