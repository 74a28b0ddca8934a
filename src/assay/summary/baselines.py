"""Baselines: what an empty answer, the echoed prompt and one constant would score."""

import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from assay.stats import estimates
from assay.summary.duplicates import find_repeated
from assay.types import Answered, Case, Category, Estimate, Reply, Score, Suite
from assay.types.results import Baselines, CategoryCard, SuiteCard

TICKS = "tick "  # tags that look for something in an answer say nothing of what a test is about

STUFFED = 200  # keywords in the line that has them all
YES_AND_NO = ("yes", "no")
FREQUENT_TEXTS = 5

ScoreReply = Callable[[Case, Reply], Score | None]


def baselines(
    suite: Suite,
    score_reply: ScoreReply,
    *,
    rendered_prompt: Callable[[Case], str],
    sample: int = 1000,
) -> Baselines:
    """In points; above `sample` tests of a seeded sample spread over categories. The constant is
    the best of every letter, the five most frequent texts, "yes" and "no"; where a judge or a
    checker would have to read it, one that is 0 by itself. The oracle has all keywords in one line.
    """
    cases = sample_cases(suite, sample)
    shares: list[Mapping[str, float]] = []

    def scored(answer: Callable[[Case], str]) -> Estimate:
        categories = _scored(cases, score_reply, answer)
        shares.append({name: of.value for name, of in categories.items() if of.value is not None})
        return estimates.weighted([(of, suite.weight(name)) for name, of in categories.items()])

    constants = {constant: scored(_always(constant)) for constant in _constants(cases)}
    values = {constant: estimate.value for constant, estimate in constants.items()}
    best = max(values, key=lambda constant: -1.0 if (value := values[constant]) is None else value)
    empty, echoed = _without_chance(scored(_always(""))), scored(rendered_prompt)
    guessed, keywords = tuple(shares), _all_keywords(cases)
    return Baselines(
        empty=empty,
        echoed=echoed,
        constant=constants[best],
        constant_answer=best,
        shares=guessed,
        oracle=scored(_always(keywords)) if keywords else None,
    )


def _without_chance(empty: Estimate) -> Estimate:
    """Where nothing earns nothing, other tests would change nothing: there is no interval."""
    return empty if empty.value else replace(empty, low=None, high=None, method="none")


def _always(text: str) -> Callable[[Case], str]:
    return lambda _: text


def sample_cases(suite: Suite, sample: int) -> list[Case]:
    """All tests, or a seeded sample of about that size, spread over the categories."""
    if (total := len(list(suite.cases))) <= sample:
        return list(suite.cases)
    chosen: list[Case] = []
    for category in suite.categories:
        size = max(1, round(sample * len(category.cases) / total))
        # A generator of its own per category: adding one does not change the others' sample.
        drawn = random.Random(f"0/{category.name}").sample(
            range(len(category.cases)), min(size, len(category.cases))
        )
        chosen += [category.cases[place] for place in sorted(drawn)]
    return chosen


def _scored(
    cases: Sequence[Case], score_reply: ScoreReply, answer: Callable[[Case], str]
) -> dict[str, Estimate]:
    scores: dict[str, list[float]] = {}
    unscored: Counter[str] = Counter()
    for case in cases:
        of_category = scores.setdefault(case.category, [])
        score = score_reply(case, reply_with(case, answer(case)))
        if score is None or score.value is None:
            unscored[case.category] += 1
        else:
            of_category.append(score.value)
    return {
        name: estimates.mean_of(values, unscored=unscored[name]) for name, values in scores.items()
    }


def reply_with(case: Case, text: str) -> Answered:
    """An answer as a model would have given it."""
    if case.check.requests().predictions > 1:
        return Answered(request_id="", text=text, predictions=(text,), prediction_method="given")
    return Answered(request_id="", text=text)


def _constants(cases: Sequence[Case]) -> list[str]:
    expected = Counter(text for case in cases for text in set(case.check.baselines()))
    # Ties by the text itself: a set's order would differ from one process to the next.
    frequent = sorted(expected, key=lambda text: (-expected[text], text))[:FREQUENT_TEXTS]
    letters = max((case.check.requests().letters for case in cases), key=len, default="")
    return list(dict.fromkeys([*letters, *frequent, *YES_AND_NO]))


def _all_keywords(cases: Sequence[Case]) -> str:
    """Every keyword that is expected, in one line; "" where there are none to string together."""
    adding_up = (case.check for case in cases if case.check.baselines_add_up)
    words = sorted({word for check in adding_up for word in check.baselines()})[:STUFFED]
    return " ".join(words) if len(words) > 1 else ""


def suite_card(suite: Suite, known: Baselines, sources: Mapping[str, int]) -> SuiteCard:
    return SuiteCard(
        suite=suite,
        categories=tuple(_category(suite, category) for category in suite.categories),
        baselines=known,
        sources=sources,
        repeated=tuple(case.id for _, case in find_repeated(suite)),
    )


def _category(suite: Suite, category: Category) -> CategoryCard:
    cases = category.cases
    words = [sum(len(turn.content.split()) for turn in case.messages) for case in cases]
    letters = [case.check.gold() or "" for case in cases if case.check.requests().letters]
    return CategoryCard(
        name=category.name,
        tests=len(cases),
        examples=len(suite.few_shot.get(category.name, ())),
        weight=suite.weight(category.name),
        methods=_counted(case.method for case in cases),
        words=(min(words), round(statistics.median(words)), max(words)),
        letters=dict(sorted(Counter(letters).items())),
        tags=_counted(tag for case in cases for tag in case.tags if not tag.startswith(TICKS)),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Most frequent first; ties by name, so that a page made again is the same page."""
    return dict(Counter(sorted(names)).most_common())
