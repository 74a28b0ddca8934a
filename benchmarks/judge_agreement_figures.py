"""The figures of `judge_agreement.py`: how far answers agree with published grades."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.judge.calibration import Calibration, fit_knots
from assay.stats.agreement import quadratic_kappa, spearman
from assay.stats.resampling import DRAWS

GRADES = 5
FOLDS = 10
POINTS_A_GRADE = 10 / (GRADES - 1)


@dataclass(frozen=True, slots=True)
class Item:
    """A snippet with its grades."""

    id: str
    group: int
    intent: str
    snippet: str
    human: float

    @property
    def grade(self) -> int:
        """The mean of its grades, rounded half up."""
        return math.floor(self.human + 0.5)


@dataclass(slots=True)
class Asked:
    """One way of asking, on all items: what it gave, 0 to 1, by item; None where unscored."""

    name: str
    values: dict[str, float | None] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)


def scored(asked: Asked, items: Sequence[Item]) -> list[tuple[Item, float]]:
    """What has a value, in the order of the items."""
    pairs = [(item, asked.values.get(item.id)) for item in items]
    return [(item, value) for item, value in pairs if value is not None]


def grades(pairs: Sequence[tuple[Item, float]]) -> list[int]:
    """Whole grades, as told: a share of the scale, rounded half up."""
    return [math.floor(value * (GRADES - 1) + 0.5) for _, value in pairs]


def calibrated_grades(pairs: Sequence[tuple[Item, float]]) -> list[int]:
    """The same on a scale made from the other folds; an intent lies in one fold."""
    fold_of = {group: place % FOLDS for place, group in enumerate(_shuffled_groups(pairs))}
    found = []
    for item, value in pairs:
        others = [
            (raw, other.human * POINTS_A_GRADE)
            for other, raw in pairs
            if fold_of[other.group] != fold_of[item.group]
        ]
        scale = Calibration(knots={"grade": fit_knots(others)})
        found.append(math.floor(scale.points("grade", value) / POINTS_A_GRADE + 0.5))
    return found


def _shuffled_groups(pairs: Sequence[tuple[Item, float]]) -> list[int]:
    groups = sorted({item.group for item, _ in pairs})
    random.Random(0).shuffle(groups)
    return groups


def figures_of(asked: Asked, items: Sequence[Item], draws: int = DRAWS) -> dict[str, Any]:
    """Agreement with the published grades, of one way of asking."""
    pairs = scored(asked, items)
    human = [item.human for item, _ in pairs]
    whole = [item.grade for item, _ in pairs]
    drawn: dict[str, Any] = {"clusters": [item.group for item, _ in pairs], "draws": draws}
    mean_s = math.fsum(asked.seconds) / len(asked.seconds) if asked.seconds else None
    return {
        "way": asked.name,
        "n": len(pairs),
        "unscored": len(asked.values) - len(pairs),
        "spearman": asdict(spearman(human, [v for _, v in pairs], **drawn)),
        "kappa_as_told": asdict(quadratic_kappa(whole, grades(pairs), **drawn)),
        "kappa_calibrated": asdict(quadratic_kappa(whole, calibrated_grades(pairs), **drawn)),
        "mean_value": math.fsum(v for _, v in pairs) / len(pairs) if pairs else None,
        "seconds_an_answer": mean_s,
    }


def shown(estimate: Mapping[str, Any]) -> str:
    """0.72 [0.60, 0.81]"""
    if estimate["value"] is None:
        return "–"
    if estimate["low"] is None:
        return f"{estimate['value']:.3f}"
    return f"{estimate['value']:.3f} [{estimate['low']:.2f}, {estimate['high']:.2f}]"


def as_markdown(report: Mapping[str, Any]) -> Iterable[str]:
    """The tables."""
    seeds = ", ".join(map(str, report["seeds"]))
    yield f"Judge: {report['judge']}; {report['items']} items, seeds {seeds}."
    yield ""
    yield "| how it is asked | n | unscored | Spearman | QWK as told | QWK calibrated | s |"
    yield "|---|--:|--:|---|---|---|--:|"
    for row in report["ways"]:
        seconds = row["seconds_an_answer"]
        yield (
            f"| {row['way']} | {row['n']} | {row['unscored']} | {shown(row['spearman'])} "
            f"| {shown(row['kappa_as_told'])} | {shown(row['kappa_calibrated'])} "
            f"| {'–' if seconds is None else f'{seconds:.1f}'} |"
        )
