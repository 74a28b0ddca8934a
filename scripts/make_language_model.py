"""Counts the shipped language parameters from texts that are not shipped, and measures them.

In: a folder of texts, one file a language, with SOURCES.tsv (../shared/data/langid), and the Ewe
news of NTREX-128 for its words. Out: in src/assay/builtin/language the file parameters.bin, and
made.json with what it was made from and the figures measured.

    python scripts/make_language_model.py --ntrex FILE    write both files
    python scripts/make_language_model.py --check         compare the shipped parameters with fresh
                                                          ones; without NTREX all but its words

The same texts give the same bytes. Messages of MediaWiki (GPL-2+) are never counted, only used for
measuring; see docs/decisions/ewe.md.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.checks.ewe.language import (
    COUNTED_TO,
    ORDER,
    OTHER,
    PARAMETERS,
    STEPS_PER_NAT,
    LanguageModel,
    identify,
    run_keys,
    sentences,
    unpack,
)

TEXTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "langid"
NEVER_COUNTED = frozenset({"MediaWiki"})
NTREX = "NTREX"  # counted for words and their order alone: careless in spelling, with English names

SEEN_AT_LEAST = 2  # runs of three or four seen once are dropped: a third less, recall as good
LETTER_SEEN_AT_LEAST = 20

LICENCES = {
    "FLORES": "FLORES-200 dev, CC BY-SA 4.0",
    "UDHR": "Universal Declaration of Human Rights, UDHR in Unicode, free to reproduce",
    "Storybook": "African Storybook, CC BY",
    NTREX: "NTREX-128, github.com/MicrosoftTranslator/NTREX, CC BY-SA 4.0 (words alone)",
    "MediaWiki": "MediaWiki messages, GPL-2+ (measured on, never counted)",
}
NAMES_LICENCE = "Unicode CLDR 41, names of months, days, languages and countries, Unicode-DFS-2016"


@dataclass(frozen=True)
class Line:
    """One line of the texts, as found."""

    language: str
    source: str
    text: str


def read_lines(folder: Path, ntrex: Path | None = None) -> list[Line]:
    """All texts, each line with its language and source."""
    lines = []
    with (folder / "SOURCES.tsv").open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            texts = (folder / row["file"]).read_text(encoding="utf-8").split("\n")
            source = next(name for name in LICENCES if name in row["source"])
            language = row["file"].removesuffix(".txt")
            for text in texts[int(row["first_line"]) - 1 : int(row["last_line"])]:
                lines.append(Line(language, source, text))
    news = ntrex.read_text(encoding="utf-8").splitlines() if ntrex else []
    return lines + [Line("ewe", NTREX, text) for text in news]


def train(
    lines: Iterable[Line],
    *,
    without_sources: Collection[str] = (),
    without_languages: Collection[str] = (),
    seen_at_least: int = SEEN_AT_LEAST,
    names: Iterable[str] = (),
) -> LanguageModel:
    """Count and smooth. The sources of NEVER_COUNTED are always left out."""
    left_out = NEVER_COUNTED | set(without_sources)
    joined: dict[str, list[str]] = {}
    news = []
    for line in lines:
        if line.source not in left_out and line.language not in without_languages:
            texts = news if line.source == NTREX else joined.setdefault(line.language, [])
            texts.append(_read(line.text))
    languages = tuple(sorted(joined))
    alphabet = _alphabet(joined)
    words = _ewe_words([*joined["ewe"], *news], names)
    coder = _coder(languages, alphabet)
    encoded = {code: [coder.encode(text) for text in joined[code]] for code in languages}
    return _smooth(coder, encoded, seen_at_least, words)


@cache  # a model without one source reads all of the others again
def _read(text: str) -> str:
    return " ".join(sentences(text))


def _alphabet(texts: Mapping[str, Sequence[str]]) -> str:
    seen: Counter[str] = Counter()
    for lines in texts.values():
        for line in lines:
            seen.update(line)
    del seen[" "]
    often = [letter for letter, count in seen.items() if count >= LETTER_SEEN_AT_LEAST]
    return "".join(sorted(often))


def _coder(languages: tuple[str, ...], alphabet: str) -> LanguageModel:
    """A model without figures, for its `encode`."""
    nothing: NDArray[Any] = np.zeros(0, dtype=np.uint8)
    return LanguageModel(languages, alphabet, (), (), (), (), nothing, {})


def _smooth(
    coder: LanguageModel,
    encoded: Mapping[str, Sequence[NDArray[np.uint32]]],
    seen_at_least: int,
    words: Mapping[str, int],
) -> LanguageModel:
    """Witten-Bell: P(c|h) = (count(hc) + kinds(h) P(c|h')) / (count(h) + kinds(h)).

    kinds(h) is how many different symbols were seen after h; h' is h without its first symbol.
    """
    runs, counts = _count(coder.languages, encoded, 1)
    kinds, total = (counts > 0).sum(axis=0), counts.sum(axis=0)
    uniform = 1 / (len(coder.alphabet) + 1)
    chance = (counts + kinds * uniform) / (total + kinds)
    keys, steps, contexts, back_off = [runs], [_steps(chance)], [], []
    unseen = _steps(kinds * uniform / (total + kinds))
    for order in range(2, ORDER + 1):
        shorter, shorter_chance = runs, chance
        runs, counts = _count(coder.languages, encoded, order)
        begins = runs >> np.uint32(8)  # ascending, as the runs are
        context, first, place = np.unique(begins, return_index=True, return_inverse=True)
        total = np.add.reduceat(counts, first).astype(np.float64)
        kinds = np.add.reduceat((counts > 0).astype(np.float64), first)
        weight = np.where(total > 0, kinds / np.maximum(total + kinds, 1), 1.0)
        suffix = runs & np.uint32((1 << (8 * (order - 1))) - 1)
        chance = weight[place] * shorter_chance[np.searchsorted(shorter, suffix)]
        chance += counts / np.maximum(total + kinds, 1)[place]
        kept = (counts.max(axis=1) >= seen_at_least) | (order < 3)
        keys.append(runs[kept])
        steps.append(_steps(chance[kept]))
        contexts.append(context)
        back_off.append(_steps(weight))
    return LanguageModel(
        coder.languages, coder.alphabet, tuple(keys), tuple(steps), tuple(contexts),
        tuple(back_off), unseen, words,
    )  # fmt: skip


def _count(
    languages: tuple[str, ...], encoded: Mapping[str, Sequence[NDArray[np.uint32]]], order: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The runs of this length seen in any language, and how often in each. Runs with a letter
    outside the alphabet teach nothing.
    """
    seen = [np.unique(_runs(encoded[code], order), return_counts=True) for code in languages]
    runs = np.unique(np.concatenate([keys for keys, _ in seen]))
    for place in range(order):
        runs = runs[(runs >> np.uint32(8 * place)) & np.uint32(255) != OTHER]
    counts = np.zeros((len(runs), len(languages)), dtype=np.int64)
    for column, (keys, count) in enumerate(seen):
        known = np.isin(keys, runs)
        counts[np.searchsorted(runs, keys[known]), column] = count[known]
    return runs, counts


def _runs(lines: Sequence[NDArray[np.uint32]], order: int) -> NDArray[np.uint32]:
    """Of all lines at once; what begins in one and ends in the next is none."""
    ends = np.cumsum([len(line) for line in lines])[:-1]
    across = (ends[:, None] + np.arange(ORDER - 1) - (ORDER - 1)).ravel()
    return np.delete(run_keys(np.concatenate(lines), order), across)


def _steps(chance: NDArray[Any]) -> NDArray[np.uint8]:
    steps = np.clip(np.round(-np.log(chance) * STEPS_PER_NAT), 0, 255)
    return np.asarray(steps, dtype=np.uint8)


def _ewe_words(ewe: Iterable[str], names: Iterable[str]) -> dict[str, int]:
    seen = Counter(word for sentence in ewe for word in sentence.split())
    for name in names:
        for word in " ".join(sentences(name)).split():
            seen[word] = max(1, seen[word])
    return {word: min(count, COUNTED_TO) for word, count in sorted(seen.items())}


def read_names(folder: Path) -> list[str]:
    """Months, days, languages and countries in Ewe: known words, though no text has them."""
    names = json.loads((folder.parent / "ewe" / "ewe_cldr.json").read_text(encoding="utf-8"))
    return [
        *names["months_wide"],
        *names["days_wide_sun_to_sat"],
        *names["languages_in_ewe"].values(),
        *names["countries_in_ewe"].values(),
    ]


def pack(model: LanguageModel) -> bytes:
    """A length, a JSON header and the arrays, compressed; `unpack` reads it."""
    arrays: list[tuple[str, NDArray[Any]]] = []
    for name, tables in (("keys", model.keys), ("contexts", model.contexts)):
        arrays += [(name, np.diff(table, prepend=np.uint32(0))) for table in tables]
    for name, rows in (("steps", model.steps), ("back_off", model.back_off)):
        arrays += [(name, np.ascontiguousarray(table.T)) for table in rows]
    arrays += [("unseen", model.unseen)]
    header = {
        "languages": model.languages,
        "alphabet": model.alphabet,
        "ewe_words": [
            [word for word, seen in model.ewe_words.items() if seen == count]
            for count in range(1, COUNTED_TO + 1)
        ],
        "arrays": [(name, array.dtype.str, array.shape) for name, array in arrays],
    }
    head = json.dumps(header, ensure_ascii=False).encode()
    body = b"".join(array.tobytes() for _, array in arrays)
    return zlib.compress(len(head).to_bytes(4, "little") + head + body, 9)


@dataclass(frozen=True)
class HeldOut:
    """How lines of one language and source fared that the model never saw."""

    language: str
    source: str
    lines: int
    right: int
    taken_for_ewe: int


def measure(model: LanguageModel, lines: Iterable[Line], sources: Collection[str]) -> list[HeldOut]:
    """Identify every line of these sources that has a word in it."""
    found: dict[tuple[str, str], list[str | None]] = {}
    for line in lines:
        if line.source in sources and sentences(line.text):
            code = identify(line.text, model).code
            found.setdefault((line.language, line.source), []).append(code)
    return [
        HeldOut(language, source, len(codes), codes.count(language), codes.count("ewe"))
        for (language, source), codes in found.items()
    ]


def _made(
    lines: Sequence[Line], model: LanguageModel, packed: bytes, inputs: Iterable[Path]
) -> str:
    rows = [
        row
        for source in LICENCES
        for row in measure(train(lines, without_sources=[source]), lines, [source])
    ]
    counted = {
        f"{code}/{source}": sum(line.language == code and line.source == source for line in lines)
        for code in model.languages
        for source in LICENCES
        if source not in NEVER_COUNTED
    }
    document = {
        "made_by": "scripts/make_language_model.py",
        "sources": LICENCES | {"CLDR": NAMES_LICENCE},
        "lines_counted": {name: count for name, count in counted.items() if count},
        "inputs_sha256": {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in inputs
        },
        "parameters_bytes": len(packed),
        "runs_kept": [len(table) for table in model.keys],
        "held_out": [
            {"without": row.source, "language": row.language, "lines": row.lines,
             "right": row.right, "taken_for_ewe": row.taken_for_ewe}
            for row in rows
        ],
    }  # fmt: skip
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def differences(
    shipped: LanguageModel, fresh: LanguageModel, *, words_of_all: bool = True
) -> list[str]:
    """What is not the same. A step more or less is: processors differ in the last bit of a log.
    Without the words of all sources, the shipped ones are the same or more, as often or more often.
    """
    parts = ("languages", "alphabet", *(["ewe_words"] if words_of_all else []))
    found = [name for name in parts if getattr(shipped, name) != getattr(fresh, name)]
    words = shipped.ewe_words
    if not words_of_all and any(words.get(each, 0) < n for each, n in fresh.ewe_words.items()):
        found.append("ewe_words")
    for name in ("keys", "contexts", "steps", "back_off"):
        tables = zip(getattr(shipped, name), getattr(fresh, name), strict=True)
        slack = 0 if name in ("keys", "contexts") else 1
        found += [name for ours, theirs in tables if not _alike(ours, theirs, slack)]
    return found if _alike(shipped.unseen, fresh.unseen, 1) else [*found, "unseen"]


def _alike(ours: NDArray[Any], theirs: NDArray[Any], slack: int) -> bool:
    if ours.shape != theirs.shape:
        return False
    return bool((np.abs(ours.astype(np.int64) - theirs.astype(np.int64)) <= slack).all())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--texts", type=Path, default=TEXTS)
    parser.add_argument("--ntrex", type=Path, help="the Ewe lines of NTREX-128")
    parser.add_argument("--out", type=Path, default=PARAMETERS.parent)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args(arguments)
    if not (options.ntrex or options.check):
        parser.error("--ntrex FILE is needed to write the parameters")
    lines = read_lines(options.texts, options.ntrex)
    fresh = train(lines, names=read_names(options.texts))
    target = options.out / PARAMETERS.name
    if options.check:
        found = differences(unpack(target.read_bytes()), fresh, words_of_all=bool(options.ntrex))
        state = f"differs in {', '.join(found)}" if found else "up to date"
        print(f"{target}: {state}" + ("" if options.ntrex else " (words of NTREX not compared)"))
        return 1 if found else 0
    packed = pack(fresh)
    options.out.mkdir(parents=True, exist_ok=True)
    target.write_bytes(packed)
    inputs = [*sorted(options.texts.glob("*.txt")), options.texts / "SOURCES.tsv", options.ntrex]
    (options.out / "made.json").write_text(_made(lines, fresh, packed, inputs), encoding="utf-8")
    print(f"{target}: {len(packed):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
