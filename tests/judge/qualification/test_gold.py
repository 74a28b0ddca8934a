"""The gold answers that ship: how many, what they hold, and that length is no way to order them."""

from __future__ import annotations

from collections import Counter

import pytest

from assay.judge.qualification.readings import GOLD_RUBRICS, gold_set
from assay.judge.trivial import why_trivial
from assay.types.judging.judgements import overall_tenths


def known_overall(name: str, example_id: str) -> int:
    gold = gold_set(name)
    scores = gold.examples[example_id].scores
    return overall_tenths([(each.weight, scores[each.key]) for each in gold.rubric.criteria]) or 0


def test_at_least_sixty_answers_of_every_kind() -> None:
    answers = [
        (gold_set(name).cases[each.test_id], each.answer)
        for name in GOLD_RUBRICS
        for each in gold_set(name).rubric.examples
    ]
    assert len(answers) >= 60
    settled = Counter(why_trivial(text, case) for case, text in answers)
    assert settled[None] >= 60, "so many are read by the judge"
    assert {"empty", "refusal", "punctuation"} <= set(settled)


@pytest.mark.parametrize("name", GOLD_RUBRICS)
def test_more_faults_have_lower_scores(name: str) -> None:
    gold = gold_set(name)
    criteria = {each.key for each in gold.rubric.criteria}
    for task in gold.tasks:
        assert set(task.questions) == criteria
        assert {"perfect", "small", "serious", "several", "wrong"} <= {e.id for e in task.answer}
    for example in gold.rubric.examples:
        assert set(example.scores) == criteria, example.id
        assert example.why, example.id
    for _, better, worse in gold.pairs():
        assert known_overall(name, better) > known_overall(name, worse), (better, worse)


def test_neither_length_nor_brevity_orders_the_answers() -> None:
    shorter = total = 0
    for name in GOLD_RUBRICS:
        gold = gold_set(name)
        answers = gold.examples
        for task, better, worse in gold.pairs():
            if why_trivial(answers[worse].answer, gold.cases[task]):
                continue
            total += 1
            shorter += len(answers[better].answer) < len(answers[worse].answer)
    assert 0.35 < shorter / total < 0.65
