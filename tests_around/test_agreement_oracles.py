"""Agreement of raters against scikit-learn, krippendorff, scipy and pingouin, on real grades.

pingouin brings twenty packages along, so its values are kept here instead: version 0.7.0,
`intraclass_corr(table, "item", "form", "score")` on the same rows.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score

from assay.stats.agreement import icc, krippendorff_alpha, quadratic_kappa, share_within, spearman

FORMS = ("score_only", "score_only_ref", "steps", "steps_ref")
CLOSE = 1e-6
ONE = 2  # draws: the interval is not what is compared


@pytest.fixture(scope="module")
def graded(shared: Path) -> dict[str, dict[int, int]]:
    """The grades of people by item and grader."""
    return {
        one["item_id"]: dict(zip(one["graders"], one["human_grades"], strict=True))
        for one in lines(shared, "conala_items")
    }


@pytest.fixture(scope="module")
def judged(shared: Path) -> dict[str, dict[str, int]]:
    """The scores of the judge by item and form, as far as it gave one."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for one in lines(shared, "conala_judgements"):
        if one["judge_score"] is not None:
            found[one["item_id"]][one["prompt_form"]] = one["judge_score"]
    return found


def lines(shared: Path, name: str) -> Iterator[dict[str, Any]]:
    with (shared / "data" / "judge" / f"{name}.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def test_alpha_of_sixteen_graders_is_that_of_krippendorff(graded) -> None:
    rows = [[grades.get(grader) for grader in range(1, 17)] for grades in graded.values()]
    table = np.array([[math.nan if one is None else one for one in row] for row in rows])
    wanted = krippendorff.alpha(reliability_data=table.T, level_of_measurement="ordinal")
    found = krippendorff_alpha(rows, draws=ONE)
    assert found.value == pytest.approx(wanted, abs=CLOSE)
    assert found.n == sum(len(grades) > 1 for grades in graded.values())


@pytest.mark.parametrize("form", FORMS)
def test_kappa_and_spearman_of_judge_and_people_are_those_of_the_libraries(
    graded, judged, form
) -> None:
    both = [
        (sum(graded[item].values()) / len(graded[item]), scores[form])
        for item, scores in judged.items()
        if form in scores
    ]
    people, judge = zip(*both, strict=True)
    rounded = [math.floor(mean + 0.5) for mean in people]
    wanted = cohen_kappa_score(rounded, judge, weights="quadratic", labels=range(5))
    assert quadratic_kappa(rounded, judge, draws=ONE).value == pytest.approx(wanted, abs=CLOSE)
    correlation = spearmanr(people, judge).statistic
    assert spearman(people, judge, draws=ONE).value == pytest.approx(correlation, abs=CLOSE)


# By forms and number of items (None: all): how many, ICC(A,1).
PINGOUIN = {
    (FORMS, None): (2494, 0.7546978095741754),
    (FORMS[:2], None): (2494, 0.8442939209810835),
    (FORMS, 40): (40, 0.6674267797334852),
    (FORMS[:2], 40): (40, 0.9065782200110558),
}


def test_icc_of_the_judges_forms_is_that_of_pingouin(judged) -> None:
    for (forms, first), (rows, one) in PINGOUIN.items():
        whole = [scores for scores in judged.values() if len(scores) == len(FORMS)][:first]
        table = [[scores[form] for form in forms] for scores in whole]
        assert len(table) == rows
        assert icc(table, draws=ONE).value == pytest.approx(one, abs=CLOSE)


def test_the_share_of_equal_pairs_counts_every_pair_of_raters() -> None:
    found = share_within([(1, 1, 2), (5, 5, 5), (0, 9, 8)], draws=50)
    assert found.value == pytest.approx(4 / 9)
    assert found.n == 3
    assert share_within([(1, 1, 2), (0, 9, 8)], 1, draws=50).value == pytest.approx(4 / 6)
    every = share_within([(3, 3)] * 10, clusters=[0, 0, 1, 1, 2, 2, 3, 3, 4, 4], draws=50)
    assert (every.value, every.high, every.method) == (1.0, 1.0, "wilson")
    assert every.low == pytest.approx(5 / (5 + 1.959964**2), abs=1e-5)
    assert share_within([(1,), (2,)]).n == 0
