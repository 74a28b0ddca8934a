"""Guesses: what answers without any knowledge pass, test by test, and what a script scores.

The script gives every test the same three sentences in the suite's language, in the form that the
test asks for (its beginning, a list, a heading), and "A" for letters.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.stats import estimates
from assay.summary.baselines import ScoreReply, reply_with, sample_cases
from assay.types import LETTERS, Case, Estimate, Score, Suite
from assay.types.measured.suite_statistics import GuessedTest, Guesses, GuessKind

SENTENCES = Path(__file__).resolve().parents[1] / "builtin" / "language" / "sentences.json"
OTHERWISE = "eng"  # for a language of which no sentences ship
HOLLOW = ("…", "…", "…")  # a form with nothing in it
# Such a list passed 43 tests of os, because it holds "ethernet", "graphics" and "usb".
COMMON_WORDS = 60
FEWEST_TESTS, SHARE_OF_TESTS = 3, 0.02  # in so many of them a word is common
SMALL_SUITE = 12  # tests: below, what several share is what they are about
# By rule of the form: what a line of text becomes.
_FORMS: Mapping[str, str] = {
    "header": "# {line}", "bold": "**{line}**", "italic": "*{line}*", "code": "`{line}`",
    "code_block": "```\n{line}\n```", "quote": "> {line}", "link": "[{line}](https://example.org)",
    "table": "| {line} | {line} |\n| --- | --- |\n| {line} | {line} |",
}  # fmt: skip


def guesses(suite: Suite, score_reply: ScoreReply, *, sample: int = 1000) -> Guesses:
    """What guessing passes; above `sample` tests of a seeded sample spread over categories."""
    cases = [case for case in sample_cases(suite, sample) if not case.check.judged]
    # A test that no tool may be called is passed by any text, which is what it is for.
    open_cases = [case for case in cases if not _is_lettered(case) and case.method != "tool_calls"]
    choices = [case for case in cases if case.check.requests().options and case.check.gold()]
    sentences = canned_sentences(suite)
    found: list[GuessedTest] = []
    common = _common_words(cases)
    scores: dict[str, Score | None] = {}  # of the canned sentences, by test: the script's too
    kinds: dict[GuessKind, Callable[[Case], Sequence[str]]] = {
        "frame": lambda _: HOLLOW,
        "off_topic": lambda _: sentences,
        "common_words": lambda _: (" ".join(common),),
    }
    for case in open_cases:
        for kind, said in kinds.items():
            score = score_reply(case, reply_with(case, framed(case, said(case))))
            if kind == "off_topic":
                scores[case.id] = score
            value = score.value if score else None
            if value is not None and value >= suite.pass_mark - 1e-9:
                found.append(GuessedTest(case.id, case.category, kind, value))
    weighed = _rarity(choices)
    picked: dict[GuessKind, Callable[[Case], int]] = {
        "longest_option": lambda case: _first_best(map(len, case.check.requests().options)),
        "shared_words": lambda case: _first_best(_shared(case, weighed)),
    }
    shares: dict[str, Estimate] = {}
    for kind, pick in picked.items():
        right = [case for case in choices if LETTERS[pick(case)] == case.check.gold()]
        shares[kind] = estimates.proportion(len(right), len(choices))
        found += [GuessedTest(case.id, case.category, kind, 1.0) for case in right]
    return Guesses(
        script=_script(suite, cases, sentences, scores, score_reply),
        longest_option=shares["longest_option"],
        shared_words=shares["shared_words"],
        chance=_chance(choices),
        tests=tuple(found),
    )


def canned_sentences(suite: Suite) -> tuple[str, ...]:
    """Three sentences of the Declaration of Human Rights, in the suite's language where they ship
    in it.
    """
    code = next((case.language_code for case in suite.cases if case.language_code), None)
    known = _sentences()
    return tuple(known.get(code or OTHERWISE) or known[OTHERWISE])


def framed(case: Case, sentences: Sequence[str]) -> str:
    """These sentences in the form that a test asks for."""
    rules: Any = getattr(case.check, "expected_format", None)
    lines = [*sentences]
    elements = tuple(getattr(rules, "markdown_elements", None) or ())
    items = getattr(rules, "list_item_count", None)
    is_list = items is not None or "list" in elements
    if is_list:
        count = len(lines) if items is None else items
        lines = [f"- {lines[place % len(lines)]}" for place in range(count)]
    body = ("\n" if is_list else " ").join(lines)
    forms = [_FORMS[each].format(line=sentences[0]) for each in elements if each in _FORMS]
    text = "\n\n".join([*forms, body])
    if getattr(rules, "json", None):
        text = json.dumps({"answer": body}, ensure_ascii=False)
    first, last = (getattr(rules, each, None) for each in ("starts_with", "ends_with"))
    between = "\n\n" if is_list or forms else " "
    return between.join(part for part in (first, text, last) if part)


def _script(
    suite: Suite,
    cases: Sequence[Case],
    sentences: Sequence[str],
    known: Mapping[str, Score | None],
    score_reply: ScoreReply,
) -> Estimate:
    scores: dict[str, list[float]] = {}
    unscored: Counter[str] = Counter()
    for case in cases:
        if case.id in known:
            score = known[case.id]
        else:
            answer = "A" if _is_lettered(case) else framed(case, sentences)
            score = score_reply(case, reply_with(case, answer))
        of = scores.setdefault(case.category, [])
        if score is None or score.value is None:
            unscored[case.category] += 1
        else:
            of.append(score.value)
    categories = [
        (estimates.mean_of(values, unscored=unscored[name]), suite.weight(name))
        for name, values in scores.items()
    ]
    return estimates.weighted(categories)


def _is_lettered(case: Case) -> bool:
    return bool(case.check.requests().letters)


def _chance(choices: Sequence[Case]) -> float | None:
    shares = [1 / len(case.check.requests().options) for case in choices]
    return math.fsum(shares) / len(shares) if shares else None


def _common_words(cases: Sequence[Case]) -> list[str]:
    """Words that questions and right answers of several tests share, the most frequent first."""
    counts: Counter[str] = Counter()
    for case in cases:
        counts.update(_words(" ".join((case.prompt, *case.check.baselines()))))
    frequent = sorted(counts, key=lambda word: (-counts[word], word))
    if len(cases) < SMALL_SUITE:
        return []
    least = max(FEWEST_TESTS, SHARE_OF_TESTS * len(cases))
    return [word for word in frequent if counts[word] >= least][:COMMON_WORDS]


def _rarity(cases: Sequence[Case]) -> Callable[[str], float]:
    counts = Counter(word for case in cases for word in _words(case.prompt))
    return lambda word: math.log((len(cases) + 1) / counts[word]) if counts[word] else 0.0


def _shared(case: Case, rarity: Callable[[str], float]) -> Iterator[float]:
    """Of each option the share of its words that the question has; a rare word weighs more."""
    question = _words(case.prompt)
    for option in case.check.requests().options:
        words = _words(option)
        yield math.fsum(sorted(map(rarity, words & question))) / max(1, len(words))


def _first_best(values: Any) -> int:
    known = [*values]
    return known.index(max(known))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


@cache
def _sentences() -> Mapping[str, Sequence[str]]:
    known: Mapping[str, Sequence[str]] = json.loads(SENTENCES.read_text("utf-8"))
    return known
